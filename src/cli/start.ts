/** `loopwright start`: the real App with credentials, local mode in the browser without. */
import { once } from 'node:events';
import { compose } from '../compose.ts';
import {
  DEMO_REPOSITORY,
  DEMO_USERS,
  demoScript,
  demoWelcome,
  type IssueText,
  readIssue,
} from '../demo/demo-material.ts';
import { prepareDemoRepository } from '../demo/demo-repository.ts';
import { createMaintainer } from '../demo/maintainer.ts';
import {
  type AppEnvironment,
  appEnvironment,
  logLevel,
  type ModelEnvironment,
  modelEnvironment,
  skillsDirectory,
} from '../env.ts';
import { ConfigError } from '../errors.ts';
import { startLocalMode } from '../local-mode.ts';
import { keptGitHubPort, keptServed } from '../local-settings.ts';
import { createLog } from '../log.ts';
import { type ServerSettings, startServer } from '../server.ts';
import { wire } from '../wire.ts';
import { type Command, optionsOf, type Terminal } from './command.ts';
import { interruption, STOPPING } from './interruption.ts';
import { type Import, parseDirectory, parseImports, parsePort, parseUsers, type User } from './local-options.ts';
import { missingSetup } from './missing-setup.ts';
import { whatIsThere } from './what-is-there.ts';

const OPTIONS = {
  port: {
    type: 'string',
    value: 'N',
    description: 'port of the embedded GitHub in local mode (default: the last one, or 8480)',
  },
  data: { type: 'string', value: 'DIR', description: 'where local mode keeps everything (default .data)' },
  import: {
    type: 'string',
    value: 'PATH=owner/name',
    multiple: true,
    description: 'a git repository to serve, as a copy; repeatable',
  },
  user: {
    type: 'string',
    value: 'login:role:token',
    multiple: true,
    description: 'a person with a token; role read, triage, write, maintain or admin; repeatable',
  },
} as const;

const DEFAULT_PORT = 8480;

export const start: Command = {
  summary: 'run the App: with credentials in the environment against GitHub, without them in local mode',
  usage: '[--port N] [--data DIR] [--import PATH=owner/name]… [--user login:role:token]…',
  options: OPTIONS,
  async run(argv, terminal) {
    const { values } = optionsOf({ command: 'start', argv, options: OPTIONS });
    const environment = appEnvironment();
    const model = modelEnvironment();
    if (environment !== undefined) return startReal(environment, model, terminal);
    const imports = await parseImports(values.import ?? []);
    const users = parseUsers(values.user ?? []);
    const data = parseDirectory('--data', values.data ?? '.data');
    const port = values.port === undefined ? undefined : parsePort(values.port);
    return startLocal({ model, ...(await withKept({ port, data, imports, users })) }, terminal);
  },
};

/** What is not asked for is as it was at the last start with this directory. */
async function withKept({
  port,
  data,
  imports,
  users,
}: Omit<Served, 'port'> & { readonly port: number | undefined }): Promise<Served> {
  const kept = await keptServed(data);
  return {
    port: port ?? (await keptGitHubPort(data)) ?? DEFAULT_PORT,
    data,
    imports: imports.length > 0 ? imports : (kept?.imports ?? [await demoImport(data)]),
    users: users.length > 0 ? users : (kept?.users ?? DEMO_USERS),
  };
}

async function demoImport(data: string): Promise<Import> {
  return { path: await prepareDemoRepository(data), fullName: DEMO_REPOSITORY };
}

interface Served {
  readonly port: number;
  readonly data: string;
  readonly imports: readonly Import[];
  readonly users: readonly User[];
}

type LocalStart = Served & { readonly model: ModelEnvironment };

async function startLocal(asked: LocalStart, { out }: Terminal): Promise<number> {
  const interrupted = interruption(() => out(STOPPING));
  const { model, users: people } = asked;
  const isDemo = asked.imports.some(({ fullName }) => fullName === DEMO_REPOSITORY);
  const issue = await readIssue();
  const again = (await keptServed(asked.data)) !== undefined;
  const welcome = isDemo ? demoWelcome(issue, { scripted: model.baseUrl === undefined, again }) : WELCOME;
  out('Starting; the first time takes a few seconds.');
  const local = await startLocalMode({
    dataDirectory: asked.data,
    port: asked.port,
    imports: asked.imports,
    users: people,
    model,
    script: demoScript(),
    welcome,
    log: createLog(logLevel() === 'info' ? 'warn' : logLevel()),
  });
  try {
    if (isDemo) await openDemoIssue({ githubUrl: local.githubUrl, people, issue });
    const there = await whatIsThere({
      githubUrl: local.githubUrl,
      repositories: asked.imports.map(({ fullName }) => fullName),
      token: people[0]?.token ?? '',
      store: local.ports.store,
    });
    const missing = await missingSetup({ githubUrl: local.githubUrl, imports: asked.imports, people });
    for (const line of localLines({ local, people, there, missing, data: asked.data })) out(line);
    await aborted(interrupted);
  } finally {
    await local.close();
  }
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
  /** Issues that are there, with what comes next. */
  readonly there: readonly string[];
  /** What keeps a repository from being worked on, with the remedy. */
  readonly missing: readonly string[];
  readonly data: string;
}

function localLines({ local, people, there, missing, data }: Told): readonly string[] {
  const names = people.map(({ login, role }) => `${login} (${role})`).join(' or ');
  return [
    `\nLoopwright runs in local mode, with a GitHub of its own on this machine.`,
    ...(local.scripted
      ? ['The model is SCRIPTED: its answers are authored, for the demo issue only. LLM_BASE_URL names a real one.']
      : []),
    `\n  Open   ${local.githubUrl}`,
    `  Then   choose at the top right who you are: ${names}.`,
    ...(there.length === 0 ? ['         Write an issue, and add the label `loop` to it.'] : ['  There']),
    ...there.map((line) => `    ${line}`),
    ...missing.map((line) => `\n  ${line}`),
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

async function startReal(
  environment: AppEnvironment,
  { baseUrl, name, apiKey = 'none', price }: ModelEnvironment,
  { out }: Terminal,
): Promise<number> {
  const interrupted = interruption(() => out(STOPPING));
  if (baseUrl === undefined || name === undefined)
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
    model: { baseUrl, name, apiKey, scripted: environment.LOOPWRIGHT_SCRIPTED, price },
    skillsDirectory: skillsDirectory(),
    log,
  });
  try {
    const { ports, routes } = composed;
    await serveUntil(interrupted, { ...settingsOf(environment), apiUrl, fetch, ports, routes, log }, out);
  } finally {
    await composed.close();
  }
  return 0;
}

function settingsOf({ APP_ID, PRIVATE_KEY, WEBHOOK_SECRET, HOST, PORT }: AppEnvironment) {
  return { appId: APP_ID, privateKey: PRIVATE_KEY, webhookSecret: WEBHOOK_SECRET, host: HOST, port: PORT };
}

async function serveUntil(
  interrupted: AbortSignal,
  settings: ServerSettings,
  out: (line: string) => void,
): Promise<void> {
  const app = await startServer(settings).catch((cause: NodeJS.ErrnoException) => {
    if (cause.syscall !== 'listen') throw cause;
    throw new ConfigError(
      `${settings.host}:${settings.port} cannot be listened on (${cause.code}); name another HOST or PORT, or stop what uses it.`,
      { cause },
    );
  });
  out(`Loopwright listens on ${app.url} and works for ${settings.apiUrl}.`);
  await aborted(interrupted);
  await app.close();
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}
