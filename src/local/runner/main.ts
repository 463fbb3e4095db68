/** A runner of the embedded GitHub as a process of its own. */
import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runnerEnvironment } from '../machine-environment.ts';
import { confining } from './enclosure.ts';
import { executeJob } from './job.ts';
import { startRunner } from './runner.ts';

const USAGE =
  'usage: main.ts --url URL --secret FILE --folder DIR [--lanes N] [--confine [--own PATH]… [--known SHA256]…] [--with-parent]';

const { values } = parseArgs({
  options: {
    url: { type: 'string' },
    /** The file in which the server keeps what its runners know. */
    secret: { type: 'string' },
    folder: { type: 'string' },
    lanes: { type: 'string', default: '2' },
    /** Steps of workflows run in bubblewrap, without this machine's own environment, but for those of `--own` files that the App dispatches, and of `--known` ones where there is none. */
    confine: { type: 'boolean', default: false },
    own: { type: 'string', multiple: true, default: [] },
    known: { type: 'string', multiple: true, default: [] },
    /** Ends when standard input closes, which it does when the process that started it ends. */
    'with-parent': { type: 'boolean', default: false },
  },
});
const { url, secret, folder, own, known } = values;
if (url === undefined || secret === undefined || folder === undefined)
  throw new Error(`--url, --secret or --folder is missing; ${USAGE}`);

mkdirSync(folder, { recursive: true });
// Tokens are in the checkouts of jobs.
chmodSync(folder, 0o700);
const runner = await startRunner({
  url,
  secret: readFileSync(secret, 'utf8').trim(),
  works: join(folder, 'work'),
  lanes: Number(values.lanes),
  executing: (outlet) =>
    values.confine
      ? confining({ own, known, folder: join(folder, 'confinement'), outlet })
      : (job, place) => executeJob(job, { ...place, machine: runnerEnvironment() }),
  say: (line) => void process.stderr.write(`${line}\n`),
});
process.stdout.write(`${JSON.stringify({ url })}\n`);
const stop = () => void runner.close().then(() => process.exit(0));
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, stop);
if (values['with-parent']) process.stdin.resume().once('close', stop).once('end', stop);
