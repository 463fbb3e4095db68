/** `loopwright register` as it is typed: what it prints, and what it ends with. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runCommand } from '../../src/cli/run-command.ts';
import { started } from '../cli/terminal.ts';
import { freePort } from '../listening.ts';
import { createBrowser } from './browser.ts';
import { CLIENT_SECRET, PEM, type RegisteringGitHub, startRegisteringGitHub, WEBHOOK_SECRET } from './github.ts';

let github: RegisteringGitHub;
let directory: string;
beforeEach(async () => {
  github = await startRegisteringGitHub();
  directory = await mkdtemp(join(tmpdir(), 'loopwright-register-'));
});
afterEach(async () => {
  github.close();
  await rm(directory, { recursive: true });
});

/** What a command says in this process. */
async function said(argv: readonly string[]) {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await runCommand(argv, { out: (line) => void out.push(line), fail: (line) => err.push(line) && 1 });
  return { code, out, err };
}

const line = 'PRIVATE KEY';
const secrets = (): readonly string[] => [WEBHOOK_SECRET, CLIENT_SECRET, line, PEM.split('\n')[1] ?? line];

function begun(argv: readonly string[] = [], environment = {}) {
  const envFile = join(directory, 'loopwright.env');
  const command = started(['register', '--github', github.url, '--file', envFile, ...argv], { environment });
  return { envFile, command };
}

test('says what to open, and in the end what to do next, without a secret', async () => {
  const port = await freePort();
  const { command, envFile } = begun([
    ...['--public-url', 'https://loops.acme.dev', '--organization', 'acme'],
    ...['--port', String(port)],
  ]);
  await command.until('nothing is written.');
  expect(command.printed()).toContain(`Open   http://127.0.0.1:${port}/\n`);
  expect(command.printed()).toContain(`ssh -L ${port}:127.0.0.1:${port} HOST`);
  const browser = createBrowser();
  await browser.open(await browser.confirm(`http://127.0.0.1:${port}`));
  expect(await command.end('SIGCONT')).toBe(0);
  const printed = command.printed();
  expect(printed).toContain(`The App \`loopwright-acme\` is registered, with the id 4711.`);
  expect(printed).toContain(`${github.url}/github-apps/loopwright-acme/installations/new`);
  expect(printed).toContain(`(set -a; . ${envFile}; npx loopwright doctor --repo owner/name)`);
  expect(printed).toContain(`(set -a; . ${envFile}; npx loopwright start)`);
  expect(printed).toContain(`node --env-file=${envFile} …`);
  for (const secret of secrets()) expect(printed).not.toContain(secret);
  expect(await readFile(envFile, 'utf8')).toContain(WEBHOOK_SECRET);
});

test('--json prints one object, and PUBLIC_URL stands for --public-url', async () => {
  const port = await freePort();
  const { command, envFile } = begun(['--json', '--port', String(port)], { PUBLIC_URL: 'https://loops.acme.dev' });
  let out = '';
  command.child.stdout?.on('data', (chunk) => {
    out += chunk;
  });
  await command.until('nothing is written.');
  const browser = createBrowser();
  await browser.open(await browser.confirm(`http://127.0.0.1:${port}`));
  expect(await command.end('SIGCONT')).toBe(0);
  expect(JSON.parse(out)).toEqual({
    ...{ id: 4711, slug: 'loopwright', envFile },
    installUrl: `${github.url}/github-apps/loopwright/installations/new`,
  });
  expect(github.submitted[0]?.manifest.hook_attributes.url).toBe('https://loops.acme.dev/api/github/webhooks');
});

test('Ctrl-C ends it, and nothing is written', async () => {
  const { command } = begun(['--public-url', 'https://loops.acme.dev', '--port', '0']);
  await command.until('nothing is written.');
  expect(await command.end('SIGINT')).toBe(130);
  expect(command.printed()).toContain('Nothing was written.');
  expect(await readdir(directory)).toEqual([]);
});

test('without an address of the App it says how to name one', async () => {
  expect(await said(['register'])).toEqual({
    code: 1,
    out: [],
    err: [
      'Where GitHub is to reach the App is not said; name it with --public-url, as in --public-url https://loops.acme.dev, or set PUBLIC_URL.',
    ],
  });
});

test('a file that is there, or cannot be written, is refused before anything is begun', async () => {
  const file = join(directory, 'there.env');
  await writeFile(file, 'APP_ID=1\n');
  const words = ['register', '--public-url', 'https://loops.acme.dev', '--file'];
  expect(await said([...words, file])).toEqual({
    code: 1,
    out: [],
    err: [
      `--file ${file}: the file is there already, and may hold the key of an App; move it away, or name another one`,
    ],
  });
  expect(await readFile(file, 'utf8')).toBe('APP_ID=1\n');
  const nowhere = join(directory, 'nowhere', 'loopwright.env');
  expect((await said([...words, nowhere])).err).toEqual([
    `--file ${nowhere}: nothing can be written in ${join(directory, 'nowhere')} (ENOENT); name a file in a folder where you may write`,
  ]);
});

test('a port that is taken is said with the remedy', async () => {
  const { port } = new URL(github.url);
  const { code, err } = await said([
    ...['register', '--public-url', 'https://loops.acme.dev', '--port', port],
    ...['--file', join(directory, 'loopwright.env')],
  ]);
  expect({ code, err }).toEqual({
    code: 1,
    err: [
      `127.0.0.1:${port} cannot be listened on (EADDRINUSE); name another one with --port or --host, or stop what uses it.`,
    ],
  });
});
