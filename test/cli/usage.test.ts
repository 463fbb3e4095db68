import { generateKeyPairSync } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { runCommand } from '../../src/cli/run-command.ts';
import { SOURCES, startedAndClosed, typed as typedInTerminal } from './terminal.ts';

interface Ended {
  readonly code: number;
  readonly out: readonly string[];
  readonly err: readonly string[];
}

/** What the command says and answers, without a process of its own. */
async function typed(argv: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const out: string[] = [];
  const err: string[] = [];
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  const code = await runCommand(argv, { out: (line) => void out.push(line), fail: (line) => err.push(line) && 1 });
  vi.unstubAllEnvs();
  return { code, out: out.flatMap((text) => text.split('\n')), err };
}

let root: string;
const at = (name: string) => join(root, name);

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'loopwright-usage-'));
  await writeFile(at('file'), 'words\n');
  await writeFile(at('empty.md'), '\n\n');
  await writeFile(at('issue.md'), '# A title\n\nA body.\n');
  await writeFile(at('other.yaml'), 'model: m\nanswers: none\ntasks: {}\n');
  await writeFile(at('bad.yaml'), 'model: [');
  await execa('git', ['init', '--quiet', at('bare-beginning')]);
  await mkdir(at('begun'));
  await writeFile(at('begun/ports.json'), '{"app": 50001, "github": 50002}');
});
afterAll(() => rm(root, { recursive: true, force: true }));

interface Refused {
  readonly typed: string;
  readonly sentence: string;
  readonly environment?: Record<string, string>;
}

const KEY = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString();

/** With them the real App starts. */
const REAL = {
  APP_ID: '1',
  PRIVATE_KEY: KEY,
  WEBHOOK_SECRET: 'x',
  PUBLIC_URL: 'https://loop.test',
  LLM_BASE_URL: 'https://llm.test/v1',
  LLM_MODEL: 'm',
  // Should it start all the same, it is refused next.
  LOOPWRIGHT_SCRIPTED: 'true',
};

const { PRIVATE_KEY: _, ...KEYLESS } = REAL;

/** `@name` is a file or directory below the test's own directory. */
const REFUSED: readonly Refused[] = [
  { typed: 'frob', sentence: 'There is no command "frob"; `npm run -s loopwright -- --help` lists them.' },
  { typed: 'help frob', sentence: 'There is no command "frob"; `npm run -s loopwright -- --help` lists them.' },
  { typed: 'toString', sentence: 'There is no command "toString"; `npm run -s loopwright -- --help` lists them.' },
  {
    typed: 'demo --foo',
    sentence: 'demo: there is no option "--foo"; `npm run demo -- --help` shows how it is used.',
  },
  {
    typed: 'demo extra',
    sentence: 'demo: "extra" is one word too many; `npm run demo -- --help` shows how it is used.',
  },
  { typed: 'demo --keep', sentence: 'demo: --keep needs a value; `npm run demo -- --help` shows how it is used.' },
  {
    typed: 'start --port --data x',
    sentence: 'start: --port needs a value, and "--data" is an option; `npm start -- --help` shows how it is used.',
  },
  {
    typed: 'demo --json=yes',
    sentence: 'demo: --json takes no value, and got "yes"; `npm run demo -- --help` shows how it is used.',
  },
  {
    typed: 'start --port 1 --port 2',
    sentence: 'start: --port is given twice; `npm start -- --help` shows how it is used.',
  },
  {
    typed: 'demo --keep @a --minutes 1 --keep=@b',
    sentence: 'demo: --keep is given twice; `npm run demo -- --help` shows how it is used.',
  },
  {
    typed: 'init a b',
    sentence: 'init: "b" is one word too many; `npm run -s loopwright -- init --help` shows how it is used.',
  },
  { typed: 'demo --sabotage x', sentence: '--sabotage x: write product or test' },
  {
    typed: 'demo --sabotage test --script @file',
    sentence: "--sabotage breaks the demo's own script; leave out --repo and --script, and unset LLM_BASE_URL",
  },
  {
    typed: 'demo --keep @begun --sabotage test',
    sentence: '--keep @begun: a demo was begun there without --sabotage; ask for the same, or name another directory',
  },
  { typed: 'start --port abc', sentence: '--port abc: write a port from 1 to 65535, or 0 for any that is free' },
  { typed: 'start --port 70000', sentence: '--port 70000: write a port from 1 to 65535, or 0 for any that is free' },
  {
    typed: 'start --port 6000',
    sentence: '--port 6000: no browser opens this port; write another one, or 0 for any that is free',
  },
  {
    typed: 'start --user x',
    sentence: '--user x: write login:role:token with a role of read, triage, write, maintain, admin',
  },
  {
    typed: 'start --user x:owner:t',
    sentence: '--user x:owner:t: write login:role:token with a role of read, triage, write, maintain, admin',
  },
  { typed: 'start --import x', sentence: '--import x: write PATH=owner/name, for example ../shop=acme/shop' },
  { typed: 'start --import /nope=a/b', sentence: '--import /nope=a/b: /nope does not exist; name a git repository' },
  { typed: 'start --import @file=a/b', sentence: '--import @file=a/b: that is a file; name a git repository' },
  {
    typed: 'start --import @bare-beginning=a/b',
    sentence: '--import @bare-beginning=a/b: @bare-beginning has no commit yet; commit something there first',
  },
  {
    typed: 'start --data @file',
    sentence: '--data @file: that is a file; name a directory, which is made if it is missing',
  },
  {
    typed: 'demo --keep @file',
    sentence: '--keep @file: that is a file; name a directory, which is made if it is missing',
  },
  {
    typed: 'demo --keep @file/below',
    sentence: '--keep @file/below: it cannot be made (ENOTDIR); name a directory where you may write',
  },
  { typed: 'demo --minutes x', sentence: '--minutes x: write how long to wait at most, a number above 0' },
  { typed: 'demo --minutes 0', sentence: '--minutes 0: write how long to wait at most, a number above 0' },
  {
    typed: 'demo --repo @file',
    sentence: '--repo and --issue go together: the repository, and a Markdown file with the issue to work on',
  },
  {
    typed: 'demo --repo @ --issue @issue.md',
    sentence: '--repo @: @ is no git repository; run `git init` and commit there, or name another',
  },
  {
    typed: 'demo --repo . --issue @missing.md',
    sentence: '--issue @missing.md: it cannot be read; name a Markdown file whose first line is the title',
  },
  {
    typed: 'demo --repo . --issue @empty.md',
    sentence: '--issue @empty.md: it has no title; write the title in the first line, and the issue below it',
  },
  {
    typed: 'demo --repo . --issue @issue.md',
    sentence:
      '--issue @issue.md: no model is named, and the scripted one cannot work on it: its answers are authored for the issue “Let visitors search the guestbook” only, and this is another one; name a real model with LLM_BASE_URL and LLM_MODEL, or a script for this issue with --script',
  },
  {
    typed: 'demo --script @missing.yaml',
    sentence:
      "The script @missing.yaml cannot be read (ENOENT: no such file or directory, open '@missing.yaml'); name a YAML file of authored answers.",
  },
  {
    typed: 'init @',
    sentence: '@ is no git checkout (no .git); run it in the root of the repository that Loopwright shall work on.',
  },
  {
    typed: 'init @ --force --force',
    sentence: '@ is no git checkout (no .git); run it in the root of the repository that Loopwright shall work on.',
  },
  {
    typed: 'demo',
    environment: { LLM_BASE_URL: 'nowhere' },
    sentence:
      'The environment variable LLM_BASE_URL is "nowhere": write an address that begins with http:// or https://.',
  },
  {
    typed: 'demo',
    environment: { LLM_BASE_URL: 'https://user:hunter2@llm.test/v1' },
    sentence:
      'The environment variable LLM_BASE_URL cannot be used: an address with a user or password in it reaches no model; name the key in LLM_API_KEY.',
  },
  {
    typed: 'start',
    environment: REAL,
    sentence:
      'LOOPWRIGHT_SCRIPTED is for a scripted model on this machine, and LLM_BASE_URL leads to llm.test; leave it out.',
  },
  {
    typed: 'start --port 99999',
    environment: REAL,
    sentence:
      'start: --port is for local mode, and APP_ID and PRIVATE_KEY start the real App; set PORT and HOST to where the real App shall listen, or unset those two',
  },
  {
    typed: 'start --data @begun',
    environment: REAL,
    sentence:
      'start: --data is for local mode, and APP_ID and PRIVATE_KEY start the real App; set DATABASE_URL and WORKSPACE_DIR to where the real App shall keep everything, or unset those two',
  },
  {
    typed: 'start --import @bare-beginning=acme/shop',
    environment: REAL,
    sentence:
      'start: --import is for local mode, and APP_ID and PRIVATE_KEY start the real App; install the real App on the repository on GitHub, or unset those two',
  },
  {
    typed: 'start --user maria:admin:maria-token',
    environment: REAL,
    sentence:
      'start: --user is for local mode, and APP_ID and PRIVATE_KEY start the real App; give people their roles on GitHub, or unset those two',
  },
  {
    typed: 'demo',
    environment: { LLM_BASE_URL: 'https://llm.test/v1' },
    sentence:
      'LLM_BASE_URL is https://llm.test/v1, and LLM_MODEL is not set: name the model that this endpoint shall be asked for.',
  },
  {
    typed: 'demo',
    environment: { LLM_MODEL: 'm' },
    sentence:
      'LLM_MODEL is "m", and LLM_BASE_URL is not set: name the endpoint that has this model, or unset LLM_MODEL.',
  },
  {
    typed: 'demo',
    environment: { LLM_PRICE: 'cheap' },
    sentence:
      'The environment variable LLM_PRICE is "cheap": write USD per million tokens in and out, for example 0.25/2, or leave it out.',
  },
  {
    typed: 'start',
    environment: { ...REAL, APP_ID: 'one' },
    sentence:
      'The environment variable APP_ID is "one": write the App\'s id, a whole number; GitHub shows it on the App\'s page.',
  },
  {
    typed: 'start',
    environment: KEYLESS,
    sentence:
      "The environment variable PRIVATE_KEY is not set: write the App's private key, the text of the .pem file that GitHub made, from -----BEGIN to END-----; line breaks may be \\n.",
  },
  {
    typed: 'start',
    environment: { ...REAL, PRIVATE_KEY: 'hunter2' },
    sentence:
      "The environment variable PRIVATE_KEY cannot be used: write the App's private key, the text of the .pem file that GitHub made, from -----BEGIN to END-----; line breaks may be \\n.",
  },
  {
    typed: 'start',
    environment: { ...REAL, PORT: '70000' },
    sentence: 'The environment variable PORT is "70000": write a whole number, from 1 to 65535.',
  },
  {
    typed: 'demo --script @other.yaml',
    sentence:
      'The script @other.yaml: "answers" is "none", and must be a group of keys; see `loopwright schemas` for the artifacts.',
  },
  {
    typed: 'demo --minutes -1',
    sentence: 'demo: --minutes takes nothing negative, and got "-1"; `npm run demo -- --help` shows how it is used.',
  },
  {
    typed: 'start --data @unused',
    environment: { LLM_BASE_URL: 'ftp://127.0.0.1/v1' },
    sentence:
      'The environment variable LLM_BASE_URL is "ftp://127.0.0.1/v1": write an address that begins with http:// or https://.',
  },
  {
    typed: 'start --user maria:admin:one --user Maria:read:two',
    sentence: '--user Maria:read:two: Maria is named twice; name each login once',
  },
  {
    typed: 'start --import .=acme/shop --import .=Acme/shop',
    sentence: '--import .=Acme/shop: Acme/shop is named twice; name each repository once, as its own owner/name',
  },
  {
    typed: 'demo',
    environment: { LOG_LEVEL: 'loud' },
    sentence: 'The environment variable LOG_LEVEL is "loud": write trace, debug, info, warn, error, fatal or silent.',
  },
];

describe('what is wrong is said in one sentence, before anything starts', () => {
  test.each(REFUSED)('$typed → $sentence', async ({ typed: words, sentence, environment }) => {
    const here = (text: string) =>
      text.replaceAll(/@([\w.-]*)/g, (_, name: string) => join(root, name).replace(/\/$/, ''));
    const { code, out, err } = await typed(here(words).split(' '), environment);
    expect({ code, out, err }).toEqual({ code: 1, out: [], err: [here(sentence)] });
  });
});

test('of the real App all variables that are wrong or missing are told at once', async () => {
  const { code, err } = await typed(['start'], { APP_ID: 'one', PRIVATE_KEY_FILE: at('none.pem'), PORT: '70000' });
  const named = err.join('\n').match(/(?<=^The environment variable )\S+/gm);
  expect([code, named]).toEqual([
    1,
    ['PRIVATE_KEY_FILE', 'APP_ID', 'WEBHOOK_SECRET', 'PUBLIC_URL', 'PORT', 'LLM_BASE_URL', 'LLM_MODEL'],
  ]);
});

test('as a process, it says so on standard error with exit code 1 and no stack trace', async () => {
  const sentence = 'There is no command "frob"; `npm run -s loopwright -- --help` lists them.';
  expect(await typedInTerminal(['frob'], {}, SOURCES)).toEqual({ code: 1, out: [], err: [sentence] });
});

test('whoever reads only the beginning, as `head` does, ends it without a stack trace', async () => {
  const { child, printed, ended } = startedAndClosed(['schemas']);
  expect(await ended).toBe(0);
  expect(child.stdout.destroyed).toBe(true);
  expect(printed()).toBe('');
});

test('with --json the last line of standard output says that nothing could start, and why', async () => {
  const { code, out, err } = await typed(['demo', '--json', '--minutes', 'x']);
  const why = '--minutes x: write how long to wait at most, a number above 0';
  expect({ code, lines: out.length, err }).toEqual({ code: 1, lines: 1, err: [why] });
  expect(JSON.parse(out[0] ?? '')).toEqual({
    status: 'failed',
    loop: null,
    phases: [],
    pull: null,
    evidence: [],
    modelCalls: { total: null, outsideBuild: null },
    tokens: null,
    costUsd: null,
    github: { requests: null, writes: null, creations: null },
    sandbox: null,
    durationMs: null,
    reason: null,
    error: why,
  });
});

test('a port that is taken is said with the remedy', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = z.object({ port: z.int() }).parse(server.address());
  const { code, err } = await typed(['start', '--port', String(port), '--data', at('taken')]);
  server.close();
  expect({ code, err }).toEqual({
    code: 1,
    err: [
      `Port ${port} on 127.0.0.1 is in use, perhaps by a Loopwright that runs already; stop that one, or choose another port with \`start --port N\`.`,
    ],
  });
});

test.each(['--version', '-v'])('%s prints the version of the package', async (option) => {
  const { version } = z
    .object({ version: z.string() })
    .parse(JSON.parse(await readFile(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8')));
  expect(await typed([option])).toEqual({ code: 0, out: [version], err: [] });
});

test('prove --directory refuses what is no folder of the repository', async () => {
  expect(await typed(['prove', '--directory', '../shop'])).toEqual({
    code: 2,
    out: [],
    err: [
      '--directory ../shop: write a folder of the repository by its path from the root, as packages/shop, without ".."',
    ],
  });
});

test.each([
  [['--requirements', 'nowhere.yml'], '--requirements nowhere.yml cannot be read (ENOENT); name a file that is there.'],
  [
    ['--sarif', 'nowhere/found.sarif'],
    '--sarif nowhere/found.sarif cannot be written (ENOENT); name a file in a folder that is there.',
  ],
])('prove %j says that it cannot, before anything is run, and that nothing was judged', async (options, sentence) => {
  expect(await typed(['prove', ...options])).toEqual({ code: 2, out: [], err: [sentence] });
});

describe('help', () => {
  test('lists every command, with and without being asked', async () => {
    const { code, out, err } = await typed(['--help']);
    expect({ code, err }).toEqual({ code: 0, err: [] });
    expect(out.filter((line) => line.startsWith('  ')).map((line) => line.trim().split(' ')[0])).toEqual([
      'start',
      'demo',
      'init',
      'register',
      'doctor',
      'prove',
      'verify',
      'loops',
      'schemas',
    ]);
    expect((await typed([])).out).toEqual(out);
  });

  test.each(['start', 'demo', 'init', 'register', 'schemas'])(
    '%s --help shows how it is typed and what it does',
    async (command) => {
      const { code, out, err } = await typed([command, '--help']);
      expect({ code, err }).toEqual({ code: 0, err: [] });
      expect(out[0]).toContain(command);
      expect(out[2]).toMatch(/^[A-Z].*\.$/);
      expect((await typed(['help', command])).out).toEqual(out);
    },
  );
});

test.each([
  [['verify', '--json'], { version: 1, verdict: 'not judged', reasons: [expect.stringContaining('Say the folder')] }],
  [['doctor', '--json', '--yes'], { error: '--yes is about a probe; say --probe too, or leave it out.' }],
])('what kept %j from judging is told in JSON too', async (argv, told) => {
  const { code, out } = await typed(argv);
  expect([code, JSON.parse(out.join('\n'))]).toEqual([2, told]);
});
