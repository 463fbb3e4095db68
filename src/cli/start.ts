/** `loopwright start`: the real App with credentials, local mode in the browser without. */
import { DEMO_REPOSITORY, DEMO_USERS } from '../demo/demo-material.ts';
import { prepareDemoRepository } from '../demo/demo-repository.ts';
import { UsageError } from '../errors.ts';
import { keptGitHubPort, keptServed } from '../local-mode/local-settings.ts';
import { appEnvironment, modelEnvironment } from '../settings/env.ts';
import { type Command, optionsOf } from './command.ts';
import { type Import, newToken, parseDirectory, parseImports, parsePort, parseUsers } from './local-options.ts';
import { type LocalStart, startLocal } from './start-local.ts';
import { startReal } from './start-real.ts';

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
    if (environment !== undefined) {
      assertNoneOfLocalMode(values);
      return startReal(environment, model, terminal);
    }
    const imports = await parseImports(values.import ?? []);
    const users = parseUsers(values.user ?? []);
    const port = values.port === undefined ? undefined : parsePort(values.port);
    // Last, because it makes the directory.
    const data = parseDirectory('--data', values.data ?? '.data');
    return startLocal({ model, ...(await withKept({ port, data, imports, users })) }, terminal);
  },
};

/** What says of the real App what an option says of local mode. */
const INSTEAD: Readonly<Record<keyof typeof OPTIONS, string>> = {
  port: 'set PORT and HOST to where the real App shall listen',
  data: 'set DATABASE_URL and WORKSPACE_DIR to where the real App shall keep everything',
  import: 'install the real App on the repository on GitHub',
  user: 'give people their roles on GitHub',
};

/** Unheeded, it would be taken for heeded. @throws {UsageError} */
function assertNoneOfLocalMode(values: Readonly<Record<string, unknown>>): void {
  const [found] = Object.entries(INSTEAD).filter(([name]) => values[name] !== undefined);
  if (found === undefined) return;
  const [name, instead] = found;
  throw new UsageError(
    `start: --${name} is for local mode, and APP_ID and PRIVATE_KEY start the real App; ${instead}, or unset those two`,
  );
}

/** What is not asked for is as it was at the last start with this directory. */
async function withKept({
  port,
  data,
  imports,
  users,
}: Omit<LocalStart, 'port'> & { readonly port: number | undefined }): Promise<LocalStart> {
  const kept = await keptServed(data);
  return {
    port: port ?? (await keptGitHubPort(data)) ?? DEFAULT_PORT,
    data,
    imports: imports.length > 0 ? imports : (kept?.imports ?? [await demoImport(data)]),
    users: users.length > 0 ? users : (kept?.users ?? DEMO_USERS.map((user) => ({ ...user, token: newToken() }))),
  };
}

async function demoImport(data: string): Promise<Import> {
  return { path: await prepareDemoRepository(data), fullName: DEMO_REPOSITORY };
}
