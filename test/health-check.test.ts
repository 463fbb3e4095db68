import { createServer } from 'node:http';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, onTestFinished, test } from 'vitest';
import { childEnvironment } from '../src/settings/env.ts';
import { freePort, listening } from './listening.ts';
import { COMMAND } from './prepared.ts';

const PROGRAM = join(COMMAND, '..', 'health-check.js');

/** Asks what answers so on `/readyz`, and anything else with 404. */
async function checked(status: number, told: string, environment: Readonly<Record<string, string>> = {}) {
  const server = createServer((request, response) => {
    response.writeHead(request.url === '/readyz' ? status : 404).end(told);
  });
  onTestFinished(() => void server.close());
  const { port } = new URL(await listening(server));
  const env = { ...childEnvironment(), PORT: port, ...environment };
  const { exitCode, stdout } = await execa(process.execPath, [PROGRAM], { extendEnv: false, env, reject: false });
  return { exitCode, stdout };
}

test('the health check is good where the App is ready', async () => {
  expect(await checked(200, '{"status":"ready"}')).toEqual({ exitCode: 0, stdout: '{"status":"ready"}' });
});

test('it is bad where the App is not, and says what the App says', async () => {
  const told = '{"status":"not ready","reason":"The database is away."}';
  expect(await checked(503, told)).toEqual({ exitCode: 1, stdout: told });
});

test('it is bad where nothing listens, and asks where the App would', async () => {
  const PORT = String(await freePort());
  expect(await checked(200, '', { HOST: '127.0.0.2', PORT })).toEqual({
    exitCode: 1,
    stdout: `http://127.0.0.2:${PORT}/readyz does not answer: Error: connect ECONNREFUSED 127.0.0.2:${PORT}`,
  });
});
