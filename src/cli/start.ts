/** `loopwright start`: the real App with credentials, local mode in the browser without. */
import { once } from 'node:events';
import { resolve } from 'node:path';
import { compose } from '../compose.ts';
import { DEMO_REPOSITORY, demoScript, demoWelcome, type IssueText, readIssue } from '../demo/demo-material.ts';
import { prepareDemoRepository } from '../demo/demo-repository.ts';
import { createMaintainer } from '../demo/maintainer.ts';
import { type AppEnvironment, appEnvironment, logLevel, modelEnvironment, skillsDirectory } from '../env.ts';
import { ConfigError } from '../errors.ts';
import { startLocalMode } from '../local-mode.ts';
import { createLog } from '../log.ts';
import { startServer } from '../server.ts';
import { wire } from '../wire.ts';
import { type Command, optionsOf, type Terminal } from './command.ts';
import { parseImport, parseUser, type User } from './local-options.ts';

const OPTIONS = {
  port: { type: 'string', description: 'port of the embedded GitHub in local mode (default 8480)' },
  data: { type: 'string', description: 'where local mode keeps everything (default .data)' },
  import: { type: 'string', multiple: true, description: 'PATH=owner/name, a git repository to serve; repeatable' },
  user: {
    type: 'string',
    multiple: true,
    description: 'login:role:token, role read, triage, write, maintain or admin; repeatable',
  },
} as const;

const DEFAULT_USERS: readonly User[] = [
  { login: 'maria', role: 'admin', token: 'maria-token' },
  { login: 'noah', role: 'read', token: 'noah-token' },
];

export const start: Command = {
  summary: 'run the App: with credentials in the environment against GitHub, without them in local mode',
  usage: '[--port N] [--data DIR] [--import PATH=owner/name]… [--user login:role:token]…',
  options: OPTIONS,
  async run(argv, terminal) {
    const { values } = optionsOf(argv, OPTIONS);
    const environment = appEnvironment();
    if (environment !== undefined) return startReal(environment, terminal);
    const imports = (values.import ?? []).map(parseImport);
    const users = (values.user ?? []).map(parseUser);
    return startLocal(
      { port: Number(values.port ?? '8480'), data: resolve(values.data ?? '.data'), imports, users },
      terminal,
    );
  },
};

interface LocalStart {
  readonly port: number;
  readonly data: string;
  readonly imports: readonly { readonly path: string; readonly fullName: string }[];
  readonly users: readonly User[];
}

async function startLocal(asked: LocalStart, { out }: Terminal): Promise<number> {
  const model = modelEnvironment();
  const people = asked.users.length > 0 ? asked.users : DEFAULT_USERS;
  const isDemo = asked.imports.length === 0;
  const issue = await readIssue();
  const welcome = isDemo ? demoWelcome(issue, model.baseUrl === undefined) : WELCOME;
  out('Starting; the first time takes a few seconds.');
  const local = await startLocalMode({
    dataDirectory: asked.data,
    port: asked.port,
    imports: isDemo ? [{ path: await prepareDemoRepository(asked.data), fullName: DEMO_REPOSITORY }] : asked.imports,
    users: people,
    model,
    script: demoScript(),
    welcome,
    log: createLog(logLevel() === 'info' ? 'warn' : logLevel()),
  });
  const stopped = stopSignal();
  if (isDemo) await openDemoIssue({ githubUrl: local.githubUrl, people, issue });
  for (const line of localLines({ local, people, isDemo, data: asked.data })) out(line);
  await stopped;
  out('\nStopping.');
  await local.close();
  return 0;
}

const WELCOME = `## What to do next

1. Choose who you are at the top right.
2. Open a repository below and write an issue that says what should be different, and how one would measure it.
3. Add the label \`loop\` to it, with write permission. Everything else is said there.

A repository needs \`.github/loopwright.yml\` and two workflows on its default branch; \`npm run -s loopwright -- init\` writes them into a checkout.`;

interface Told {
  readonly local: { readonly githubUrl: string; readonly scripted: boolean };
  readonly people: readonly User[];
  readonly isDemo: boolean;
  readonly data: string;
}

function localLines({ local, people, isDemo, data }: Told): readonly string[] {
  const names = people.map(({ login, role }) => `${login} (${role})`).join(' or ');
  return [
    `\nLoopwright runs in local mode, with a GitHub of its own on this machine.`,
    ...(local.scripted
      ? ['The model is SCRIPTED: its answers are authored, for the demo issue only. LLM_BASE_URL names a real one.']
      : []),
    `\n  Open   ${local.githubUrl}`,
    `  Then   choose at the top right who you are: ${names}.`,
    `         ${isDemo ? 'The demo issue is open already: add the label `loop` to it.' : 'Write an issue, and add the label `loop` to it.'}`,
    '         The page says what comes next.',
    `\n  Everything is kept in ${data}. Ctrl-C stops; starting again goes on.`,
  ];
}

/** Once per data directory: issues are never deleted, so a repository with one has been through this. */
async function openDemoIssue({ githubUrl, people, issue }: DemoIssue): Promise<void> {
  const opener = people.find(({ role }) => WRITERS.includes(role)) ?? people[0];
  if (opener === undefined) return;
  const maintainer = createMaintainer({ githubUrl, fullName: DEMO_REPOSITORY, token: opener.token });
  if ((await maintainer.oldest()) !== undefined) return;
  await maintainer.open(issue);
  if (WRITERS.includes(opener.role)) await maintainer.createLabel();
}

interface DemoIssue {
  readonly githubUrl: string;
  readonly people: readonly User[];
  readonly issue: IssueText;
}

const WRITERS: readonly string[] = ['write', 'maintain', 'admin'];

async function startReal(environment: AppEnvironment, { out }: Terminal): Promise<number> {
  const model = modelEnvironment();
  if (model.baseUrl === undefined || model.name === undefined)
    throw new ConfigError(
      'LLM_BASE_URL and LLM_MODEL are not set; name the endpoint and the model that the App shall ask.',
    );
  const log = createLog(logLevel());
  const apiUrl = environment.GITHUB_API_URL.replace(/\/$/, '');
  const fetch = wire({ apiUrl, checked: false });
  const composed = await compose({
    databaseUrl: environment.DATABASE_URL,
    workspaceDirectory: environment.WORKSPACE_DIR,
    publicUrl: environment.PUBLIC_URL.replace(/\/$/, ''),
    slug: environment.APP_SLUG,
    github: { appId: environment.APP_ID, privateKey: environment.PRIVATE_KEY, apiUrl, fetch, log },
    model: {
      baseUrl: model.baseUrl,
      name: model.name,
      apiKey: model.apiKey ?? 'none',
      scripted: environment.LOOPWRIGHT_SCRIPTED,
      price: model.price,
    },
    skillsDirectory: skillsDirectory(),
    log,
  });
  const app = await startServer({
    appId: environment.APP_ID,
    privateKey: environment.PRIVATE_KEY,
    webhookSecret: environment.WEBHOOK_SECRET,
    apiUrl,
    host: environment.HOST,
    port: environment.PORT,
    fetch,
    ports: composed.ports,
    routes: composed.routes,
    log,
  });
  out(`Loopwright listens on ${app.url} and works for ${apiUrl}.`);
  await stopSignal();
  await app.close();
  await composed.close();
  return 0;
}

async function stopSignal(): Promise<void> {
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
}
