/** The embedded GitHub as a process of its own. Jobs of its Actions are performed by runners, in processes of theirs. */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { createJobQueue } from './actions/job-queue.ts';
import { runnerSecret } from './actions/runner-secret.ts';
import { executeWorkflow } from './actions/workflow-execution.ts';
import { startLocalGitHub } from './local-github.ts';
import { PROFILES, type ProfileName } from './profile.ts';
import { roleSchema } from './records.ts';

const USAGE =
  'usage: main.ts --data DIR --port N [--public-url URL] [--webhook-url URL] [--profile NAME] [--import PATH=owner/name]… [--user login:role:token]… [--access FILE] [--welcome MARKDOWN] [--with-parent]';

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    port: { type: 'string', default: '0' },
    /** How others reach the server, where something before it hands on to it what comes by another name, or by TLS. */
    'public-url': { type: 'string' },
    'webhook-url': { type: 'string' },
    /** Which GitHub it is like. */
    profile: { type: 'string', default: 'newest' },
    import: { type: 'string', multiple: true, default: [] },
    user: { type: 'string', multiple: true, default: [] },
    /** JSON with people and the secret of the printed address: unlike this line, other users of the machine cannot read a file. */
    access: { type: 'string' },
    /** What the first page says above its list of repositories. */
    welcome: { type: 'string' },
    /** Ends when standard input closes, which it does when the process that started it ends. */
    'with-parent': { type: 'boolean', default: false },
  },
});

if (values.data === undefined) throw new Error(`--data is missing; ${USAGE}`);

const accessSchema = z.strictObject({
  key: z.string().min(1),
  users: z.array(z.strictObject({ login: z.string(), role: roleSchema, token: z.string() })),
});
const access =
  values.access === undefined ? undefined : accessSchema.parse(JSON.parse(readFileSync(values.access, 'utf8')));
const queue = createJobQueue();

const server = await startLocalGitHub({
  dataDirectory: values.data,
  port: Number(values.port),
  ...(values['public-url'] === undefined ? {} : { publicUrl: values['public-url'] }),
  profile: parseProfile(values.profile),
  ...(values['webhook-url'] === undefined ? {} : { webhookUrl: values['webhook-url'] }),
  ...(values.welcome === undefined ? {} : { welcome: values.welcome }),
  imports: values.import.map(parseImport),
  ...(access === undefined ? {} : { key: access.key }),
  users: [...(access?.users ?? []), ...values.user.map(parseUser)],
  executeWorkflow: (execution) => executeWorkflow(execution, queue.perform),
  runners: { queue, secret: runnerSecret(values.data) },
});
process.stdout.write(`${JSON.stringify({ url: server.url })}\n`);
const stop = () => {
  queue.close();
  void server.close().then(() => process.exit(0));
};
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, stop);
if (values['with-parent']) process.stdin.resume().once('close', stop).once('end', stop);

function parseProfile(name: string): ProfileName {
  const known = Object.keys(PROFILES);
  if (!known.includes(name)) throw new Error(`--profile ${name}: there are ${known.join(' and ')}`);
  return name as ProfileName;
}

function parseImport(text: string) {
  const [, source, fullName] = /^(.+)=([^=]+)$/.exec(text) ?? [];
  if (!source || !fullName) throw new Error(`--import ${text}: expected PATH=owner/name`);
  return { source, fullName };
}

function parseUser(text: string) {
  const [login, role, token] = text.split(':');
  const parsed = roleSchema.safeParse(role);
  if (!login || !token || !parsed.success)
    throw new Error(`--user ${text}: expected login:role:token, the role one of read triage write maintain admin`);
  return { login, role: parsed.data, token };
}
