/** The scripted model as a process of its own: prints `{"url", "name"}` when it listens. */
import { parseArgs } from 'node:util';
import { readScript } from './script.ts';
import { startScriptedModel } from './scripted-model.ts';

const { values } = parseArgs({
  options: {
    script: { type: 'string' },
    port: { type: 'string', default: '0' },
    'delay-ms': { type: 'string', default: '0' },
    /** Ends when standard input closes, which it does when the process that started it ends. */
    'with-parent': { type: 'boolean', default: false },
  },
});

if (values.script === undefined) throw new Error('--script FILE is missing: a YAML file of authored answers');
const script = await readScript(values.script);
const server = await startScriptedModel(script, { port: Number(values.port), delayMs: Number(values['delay-ms']) });
process.stdout.write(`${JSON.stringify({ url: server.url, name: script.model })}\n`);

const stop = () => void server.close().then(() => process.exit(0));
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, stop);
if (values['with-parent']) process.stdin.resume().once('close', stop).once('end', stop);
