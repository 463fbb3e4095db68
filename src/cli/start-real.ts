/** The real App: works for the GitHub whose credentials are in the environment, until it is interrupted. */
import { compose } from '../compose.ts';
import { ConfigError } from '../errors.ts';
import { wire } from '../github/wire.ts';
import { type ServerSettings, startServer } from '../server.ts';
import {
  type AppEnvironment,
  gatewayEnvironment,
  logLevel,
  type ModelEnvironment,
  skillsDirectory,
} from '../settings/env.ts';
import { createLog } from '../settings/log.ts';
import type { Terminal } from './command.ts';
import { interruption, STOPPING, untilAborted } from './interruption.ts';

/** Returns the exit code. @throws {ConfigError} when no model is named, or the port is taken. */
export async function startReal(
  environment: AppEnvironment,
  { baseUrl, name, apiKey = 'none', price }: ModelEnvironment,
  { out }: Terminal,
): Promise<number> {
  const interrupted = interruption(() => out(STOPPING));
  if (baseUrl === undefined || name === undefined)
    throw new ConfigError(
      'LLM_BASE_URL and LLM_MODEL are not set; name the endpoint and the model that the App shall ask.',
    );
  assertScriptedHere(environment, baseUrl);
  const log = createLog(logLevel());
  const apiUrl = environment.GITHUB_API_URL.replace(/\/$/, '');
  const fetch = wire({ apiUrl, checked: false });
  const composed = await compose({
    databaseUrl: environment.DATABASE_URL,
    workspaceDirectory: environment.WORKSPACE_DIR,
    publicUrl: environment.PUBLIC_URL.replace(/\/$/, ''),
    slug: environment.APP_SLUG,
    webhookSecret: environment.WEBHOOK_SECRET,
    github: { appId: environment.APP_ID, privateKey: environment.PRIVATE_KEY, apiUrl, fetch, log },
    model: { baseUrl, name, apiKey, scripted: environment.LOOPWRIGHT_SCRIPTED, price },
    gateway: gatewayEnvironment(),
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

/** A scripted model lets jobs run without a sandbox, so it is one on this machine. @throws {ConfigError} when it is another one. */
function assertScriptedHere({ LOOPWRIGHT_SCRIPTED: scripted }: AppEnvironment, baseUrl: string): void {
  const { hostname } = new URL(baseUrl);
  if (!scripted || ['127.0.0.1', 'localhost', '[::1]'].includes(hostname)) return;
  throw new ConfigError(
    `LOOPWRIGHT_SCRIPTED is for a scripted model on this machine, and LLM_BASE_URL leads to ${hostname}; leave it out.`,
  );
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
  if (!interrupted.aborted) out(`Loopwright listens on ${app.url} and works for ${settings.apiUrl}.`);
  await untilAborted(interrupted);
  await app.close();
}
