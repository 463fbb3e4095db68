/** `loopwright init`: what it writes, where, and what it leaves alone. */
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { runCommand } from '../../src/cli/run-command.ts';
import { repositoryConfig } from '../../src/settings/config.ts';

let checkout: string;
beforeEach(async () => {
  checkout = await realpath(await mkdtemp(join(tmpdir(), 'loopwright-init-')));
  await execa('git', ['init', '--quiet', checkout]);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(checkout, { recursive: true, force: true });
});

async function init(...argv: readonly string[]) {
  const out: string[] = [];
  const err: string[] = [];
  const code = await runCommand(['init', ...argv], {
    out: (line) => void out.push(line),
    fail: (line) => err.push(line) && 1,
  });
  return { code, out, err };
}

const CONFIG = '.github/loopwright.yml';
const BUILD = '.github/workflows/loopwright-build.yml';
const VERIFY = '.github/workflows/loopwright-verify.yml';
const JOB = '.github/actions/loopwright-job/action.yml';
const SETUP = '.github/actions/loopwright-setup/action.yml';
/** A line for a file, the states below one another. */
const row = (path: string, state: string) => `  ${path.padEnd(SETUP.length)}  ${state}`;
const text = (path: string) => readFile(join(checkout, path), 'utf8');

test('says what it wrote and where, and the second time that nothing is left to do', async () => {
  const named = [checkout, '--runner', 'unittest'];
  const notTried = 'not tried  unittest, as you named it, and python3 -m unittest discover';
  expect((await init(...named)).out).toEqual([
    `In ${checkout}:`,
    notTried,
    row(BUILD, 'written'),
    row(VERIFY, 'written'),
    row(JOB, 'written'),
    row(SETUP, 'written'),
    row(CONFIG, 'written'),
    'Look the commands in .github/loopwright.yml over, then commit and push these files to the default branch.',
  ]);
  const before = await text(BUILD);
  const nothingLeft = [
    row(BUILD, 'is as it should be'),
    row(VERIFY, 'is as it should be'),
    row(JOB, 'is as it should be'),
    row(SETUP, 'is as it should be'),
    row(CONFIG, 'is as it should be'),
    'Everything is there already.',
  ];
  expect((await init(...named)).out).toEqual([`In ${checkout}:`, notTried, ...nothingLeft]);
  expect((await init(checkout)).out).toEqual([`In ${checkout}:`, ...nothingLeft]);
  expect(await text(BUILD)).toBe(before);
});

const NO_TEST = 'no test was found; add a test, then run init again, or uncomment it';

describe('on which machines the jobs run', () => {
  const places = async (path: string) => [...(await text(path)).matchAll(/runs-on: (.*)/g)].map(([, label]) => label);

  test('is said by --runs-on, and stays as it is said when the files are written again', async () => {
    const named = [checkout, '--runner', 'unittest'];
    await init(...named, '--runs-on', 'self-hosted, linux,arm64');
    expect([await places(BUILD), await places(VERIFY)]).toEqual([
      ['[self-hosted, linux, arm64]', '[self-hosted, linux, arm64]'],
      ['[self-hosted, linux, arm64]'],
    ]);
    const workflow = parse(await text(VERIFY));
    expect(workflow.jobs.verify['runs-on']).toEqual(['self-hosted', 'linux', 'arm64']);
    expect((await init(...named)).out.at(-1)).toBe('Everything is there already.');
    await init(...named, '--runs-on', 'ubuntu-24.04-arm', '--force');
    expect(await places(VERIFY)).toEqual(['ubuntu-24.04-arm']);
  });

  test('stays with the time that somebody gave them, when an older file is written anew by --force', async () => {
    const named = [checkout, '--runner', 'unittest'];
    await init(...named, '--runs-on', 'self-hosted');
    const before = (await text(BUILD)).replaceAll('timeout-minutes: 120', 'timeout-minutes: 300');
    await writeFile(join(checkout, BUILD), before.replaceAll('# v7', '# v6'));
    await init(...named, '--force');
    expect(await text(BUILD)).toBe(before);
  });

  test('and the time is kept by --runs-on too, whose machines are others', async () => {
    const named = [checkout, '--runner', 'unittest'];
    await init(...named);
    await writeFile(
      join(checkout, VERIFY),
      (await text(VERIFY)).replace(/timeout-minutes: \d+/, 'timeout-minutes: 300'),
    );
    await init(...named, '--runs-on', 'self-hosted', '--force');
    expect(await text(VERIFY)).toMatch(/runs-on: self-hosted\n {4}timeout-minutes: 300\n/);
  });

  test('is told where it has to be said again, because it is no value in one line', async () => {
    const named = [checkout, '--runner', 'unittest'];
    await init(...named);
    const written = await text(VERIFY);
    const there = written
      .replace('runs-on: ubuntu-latest', 'runs-on:\n      - self-hosted')
      .replace(/timeout-minutes: \d+/, 'timeout-minutes: 300');
    await writeFile(join(checkout, VERIFY), there);
    const { out } = await init(...named, '--force');
    expect(out).toContain(
      `${VERIFY} lost its \`runs-on\` of the job \`verify\`: say it again, in one line (labels, a group, or one variable of \`vars\`).`,
    );
    expect(await text(VERIFY)).toBe(written.replace(/timeout-minutes: \d+/, 'timeout-minutes: 300'));
  });

  test.each([' ', 'linux,', 'a b', '[x]', '$(x)'])('is never %j', async (labels) => {
    const { code, err } = await init(checkout, '--runner', 'unittest', '--runs-on', labels);
    expect([code, err]).toEqual([1, [expect.stringMatching(/^".*" is no label of a machine; name those of yours/)]]);
  });
});

describe('the workflows are for the GitHub that the repository is on', () => {
  const NEWEST = /uses: actions\/upload-artifact@[0-9a-f]{40} # v7/;
  const OLDER = /uses: actions\/upload-artifact@c24449f33cd45d4826c6702db7e49f7cdb9b551d # v3.2.1-node20/;
  const named = ['--runner', 'unittest'] as const;

  test.each([
    ['https://github.example.com/acme/shop.git', OLDER],
    ['git@github.example.com:acme/shop.git', OLDER],
    ['ssh://git@code.example.com:2222/acme/shop.git', OLDER],
    ['https://maria:token@github.com/acme/shop', NEWEST],
    ['git@github.com:acme/shop.git', NEWEST],
    ['ssh://git@ssh.github.com:443/acme/shop.git', NEWEST],
    ['https://acme.ghe.com/acme/shop.git', NEWEST],
    ['http://127.0.0.1:4000/acme/shop.git', NEWEST],
    ['/srv/git/shop.git', NEWEST],
    ['work:acme/shop.git', NEWEST],
  ])('with origin at %s', async (origin, wanted) => {
    await execa('git', ['-C', checkout, 'remote', 'add', 'origin', origin]);
    const { out } = await init(checkout, ...named);
    expect(await text(BUILD)).toMatch(wanted);
    expect(out.some((line) => line.startsWith('for        a GitHub Enterprise Server, as origin is on '))).toBe(
      wanted === OLDER,
    );
    expect(out.join('\n')).not.toContain('token');
  });

  test('also where that is said, and for every action of which there are two', async () => {
    await init(checkout, ...named, '--enterprise-server');
    expect(await text(VERIFY)).toMatch(OLDER);
    expect(await text(JOB)).toMatch(
      /uses: actions\/download-artifact@246d7188e736d3686f6d19628d253ede9697bd55 # v3-node20/,
    );
    expect(await text(JOB)).toMatch(/uses: actions\/checkout@[0-9a-f]{40} # v7/);
  });
});

test('where no test shows a runner it writes the guess as a comment, and says what helps', async () => {
  expect(await init(checkout)).toEqual({
    code: 0,
    err: [],
    out: [
      `In ${checkout}:`,
      row(BUILD, 'written'),
      row(VERIFY, 'written'),
      row(JOB, 'written'),
      row(SETUP, 'written'),
      row(CONFIG, 'written'),
      `No loop can start yet: \`# runner: unittest\` in ${CONFIG} is a comment, because ${NO_TEST}.`,
    ],
  });
  expect(await text(CONFIG)).toContain(
    `version: 1\ncommands:\n  test: python3 -m unittest discover\n  # runner: unittest   # not seen to work: ${NO_TEST}\n`,
  );
  const again = await init(checkout);
  expect(again.out.slice(5)).toEqual([
    row(CONFIG, 'is as it should be'),
    `No loop can start yet: \`# runner: unittest\` in ${CONFIG} is a comment, because ${NO_TEST}.`,
  ]);
});

test('a configuration that waits for its runner is completed, unless somebody has changed it', async () => {
  await init(checkout);
  const waiting = await text(CONFIG);
  expect((await init(checkout, '--runner', 'pytest')).out[6]).toBe(
    row(CONFIG, 'written anew, as nobody had changed it'),
  );
  expect(await text(CONFIG)).toContain('version: 1\ncommands:\n  test: python3 -m pytest\n  runner: pytest\n');
  const changed = waiting.replace('unittest discover', 'unittest');
  await writeFile(join(checkout, CONFIG), changed);
  expect((await init(checkout, '--runner', 'pytest')).out[6]).toBe(
    row(CONFIG, 'differs, left as it is; --force overwrites it'),
  );
  expect(await text(CONFIG)).toBe(changed);
});

test.each([
  ['mocha', 'There is no runner "mocha"; say node-test or vitest or jest or pytest or unittest.'],
  [
    'junit',
    `The runner junit needs a command that nobody can guess; run init without --runner, and write \`runner: junit\` and \`junit:\` into ${CONFIG}.`,
  ],
])('--runner %s is refused in one sentence, and nothing is written', async (name, sentence) => {
  expect(await init(checkout, '--runner', name)).toEqual({ code: 1, out: [], err: [sentence] });
  await expect(text(CONFIG)).rejects.toThrow('ENOENT');
});

test('without a directory it is about the current one, and says so', async () => {
  vi.spyOn(process, 'cwd').mockReturnValue(checkout);
  expect((await init()).out[0]).toBe(`In ${checkout}:`);
  expect(await text(CONFIG)).toContain('version: 1');
});

test('without a directory it does not take itself for the repository', async () => {
  const own = join(import.meta.dirname, '..', '..');
  vi.spyOn(process, 'cwd').mockReturnValue(own);
  expect(await init()).toEqual({
    code: 1,
    out: [],
    err: [
      `${own} is Loopwright's own checkout; name the one that it shall work on, as in \`npm run -s loopwright -- init ../shop\`.`,
    ],
  });
});

test('what was changed stays, until --force', async () => {
  const named = [checkout, '--runner', 'pytest'];
  await init(...named);
  const right = await text(VERIFY);
  await writeFile(join(checkout, CONFIG), 'version: 1\ncommands:\n  test: make test\n  runner: unittest\n');
  await writeFile(join(checkout, VERIFY), 'on: push\n');
  const { code, out } = await init(checkout);
  expect(code).toBe(0);
  expect(out.slice(2)).toEqual([
    row(VERIFY, 'differs, left as it is; --force overwrites it'),
    row(JOB, 'is as it should be'),
    row(SETUP, 'is as it should be'),
    row(CONFIG, 'differs, left as it is; --force overwrites it'),
    'Nothing was written.',
  ]);
  expect(await text(VERIFY)).toBe('on: push\n');
  expect((await init(...named, '--force')).out.slice(2, 7)).toEqual([
    row(BUILD, 'is as it should be'),
    row(VERIFY, 'overwritten'),
    row(JOB, 'is as it should be'),
    row(SETUP, 'is as it should be'),
    row(CONFIG, 'overwritten'),
  ]);
  expect(await text(VERIFY)).toBe(right);
});

test('what is their own stays, also by --force: their remarks, and the set-up action', async () => {
  const named = [checkout, '--runner', 'pytest'];
  await init(...named);
  const remarked = (await text(VERIFY)).replace('    steps:', '    # Asked for by the platform team.\n    steps:');
  await writeFile(join(checkout, VERIFY), remarked);
  await writeFile(join(checkout, SETUP), 'runs: { using: composite, steps: [] }\n');
  const same = [row(VERIFY, 'is as it should be'), row(SETUP, 'is as it should be')];
  for (const more of [[], ['--force']])
    expect((await init(...named, ...more)).out).toEqual(expect.arrayContaining(same));
  expect([await text(VERIFY), await text(SETUP)]).toEqual([remarked, 'runs: { using: composite, steps: [] }\n']);
});

test.each(['package-lock.json', 'pnpm-lock.yaml'])(
  'where there is a %s it has every working copy take what the set-up action has downloaded',
  async (lock) => {
    await writeFile(join(checkout, lock), '');
    await init(checkout, '--runner', 'node-test');
    const { commands } = repositoryConfig.parse(parse(await text(CONFIG)));
    expect(commands).toMatchObject({ install: `cp -R "\${LOOPWRIGHT_SETUP:?}/." .`, test: 'npm test' });
  },
);

test('outside a git checkout it writes nothing and says so in one sentence', async () => {
  await rm(join(checkout, '.git'), { recursive: true });
  expect(await init(checkout)).toEqual({
    code: 1,
    out: [],
    err: [
      `${checkout} is no git checkout (no .git); run it in the root of the repository that Loopwright shall work on.`,
    ],
  });
  await expect(text(CONFIG)).rejects.toThrow('ENOENT');
});
