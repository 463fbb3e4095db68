/** `loopwright start`: the real App with credentials, local mode in the browser without. */
import { once } from 'node:events';
import { resolve } from 'node:path';
import { compose } from '../compose.ts';
import { prepareDemoRepository } from '../demo/demo-repository.ts';
import { type AppEnvironment, appEnvironment, logLevel, modelEnvironment } from '../env.ts';
import { ConfigError } from '../errors.ts';
import { startLocalMode } from '../local-mode.ts';
import { createLog } from '../log.ts';
import { packageFile } from '../package-root.ts';
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

async function startLocal({ port, data, imports, users }: LocalStart, { out }: Terminal): Promise<number> {
  const served =
    imports.length > 0 ? imports : [{ path: await prepareDemoRepository(data), fullName: 'acme/guestbook' }];
  const people = users.length > 0 ? users : DEFAULT_USERS;
  const script = packageFile('src', 'demo', 'guestbook.yaml');
  const local = await startLocalMode({
    dataDirectory: data,
    port,
    imports: served,
    users: people,
    model: modelEnvironment(),
    script,
    log: createLog(logLevel() === 'info' ? 'warn' : logLevel()),
  });
  out(
    `Loopwright runs in local mode${local.scripted ? ' with the SCRIPTED model: its answers are authored, for the demo issue only' : ''}.`,
  );
  out(`\n  Open   ${local.githubUrl}/${served[0]?.fullName ?? ''}`);
  out(`  You are ${people.map(({ login, role }) => `${login} (${role})`).join(', ')}; choose at the top right.`);
  out('  Next   open the issue, set the label `loop`, and follow what it says.');
  out(`\n  Everything is kept in ${data}; Ctrl-C stops, starting again goes on.`);
  await stopSignal();
  await local.close();
  return 0;
}

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
