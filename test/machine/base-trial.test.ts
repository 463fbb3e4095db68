/** The trial of a base as its workflow starts it: a brief in, a report out; real git, the real sandbox, real runners. */
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { TRIAL_STEPS, type TrialBrief, type TrialReport, trialReport } from '../../src/onboarding/trial.ts';
import { JOB } from '../prepared.ts';
import { checkoutsIn, type Files } from './checkouts.ts';

let root: string;
let checkout: (base: Files, change: Files) => Promise<string>;
beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'trial-')));
  checkout = checkoutsIn(root);
});
afterAll(() => rm(root, { recursive: true, force: true }));

const LIMITS = { commandTimeoutMs: 60_000, suiteTimeoutMs: 60_000, outputBytes: 100_000 };
const COMMANDS: TrialBrief['commands'] = { install: null, build: null, test: 'node --test', runner: 'node-test' };

interface Asked {
  readonly commands?: Partial<TrialBrief['commands']>;
  readonly limits?: Partial<TrialBrief['limits']>;
  readonly base?: string;
  readonly path?: string;
}

interface Answered extends TrialReport {
  readonly exitCode: number | undefined;
  readonly log: string;
  /** By step: its outcome, and what is said of it. */
  readonly outcomes: readonly string[];
  readonly said: Readonly<Record<string, string>>;
}

/** Tries the base of a repository whose head has a red test besides: what is not on the base may not count. */
async function tried(files: Files, { commands = {}, limits = {}, base, path }: Asked = {}): Promise<Answered> {
  const workspace = await checkout(files, { 'test/head.test.js': testOf('only on the head', 'assert.fail("head")') });
  const folder = await mkdtemp(join(root, 'job-'));
  const { stdout: main } = await execa('git', ['rev-parse', 'main'], { cwd: workspace });
  const brief: TrialBrief = {
    ...{ kind: 'trial', version: 1, repositoryId: 7, serial: 3, base: base ?? main },
    ...{ commands: { ...COMMANDS, ...commands }, limits: { ...LIMITS, ...limits } },
  };
  await writeFile(join(folder, 'brief.json'), JSON.stringify(brief));
  const { exitCode, stdout } = await execa(process.execPath, [JOB, 'verify'], {
    extendEnv: false,
    env: {
      ...{ PATH: path ?? process.env.PATH ?? '', HOME: folder, TMPDIR: tmpdir() },
      ...{ LOOPWRIGHT_BRIEF: join(folder, 'brief.json'), LOOPWRIGHT_WORKSPACE: workspace },
      LOOPWRIGHT_OUTPUT: join(folder, 'output'),
    },
    reject: false,
  });
  const report = trialReport.parse(JSON.parse(await readFile(join(folder, 'output', 'report.json'), 'utf8')));
  expect(report).toMatchObject({ serial: 3, base: brief.base });
  const steps = report.steps ?? [];
  return {
    ...report,
    ...{ exitCode, log: stdout, outcomes: steps.map(({ outcome }) => outcome) },
    said: Object.fromEntries(steps.map(({ step, said }) => [step, said])),
  };
}

function testOf(name: string, body: string): string {
  return `import test from 'node:test';\nimport assert from 'node:assert';\ntest('${name}', async () => { ${body}; });\n`;
}
const BASE: Files = {
  'package.json': '{"type":"module"}',
  'test/one.test.js': testOf('one', 'assert.equal(1, 1)'),
};

describe('a base that is green', () => {
  test('passes every step, each run on files that no other run has touched, and a line of the log says so', async () => {
    const { exitCode, log, ...report } = await tried(
      {
        'package.json': '{"type":"module"}',
        'src/sum.ts': "import { two } from 'two';\nexport const sum = 1 + two;\n",
        'test/a.test.js': `import { existsSync, writeFileSync } from 'node:fs';
import test from 'node:test';
import assert from 'node:assert';
import { sum } from '../built/sum.js';
test('adds', () => assert.equal(sum, 3));
test('nobody was here', () => { assert.ok(!existsSync('mark')); writeFileSync('mark', ''); });
test('is fine', () => {});
`,
      },
      {
        commands: {
          install:
            'mkdir -p node_modules/two && echo \'{"type":"module","main":"i.js"}\' > node_modules/two/package.json && echo "export const two = 2;" > node_modules/two/i.js',
          build: 'mkdir built && cp src/sum.ts built/sum.js',
        },
      },
    );
    expect(report.steps).toEqual(
      TRIAL_STEPS.map((step) => ({
        ...{ step, outcome: 'passed', seconds: expect.any(Number) },
        said: step === 'runner' ? 'node-test on test/a.test.js: 3 tests, 3 pass (sealed)' : '',
      })),
    );
    expect({ exitCode, sandbox: report.sandbox, failure: report.failure }).toEqual({
      ...{ exitCode: 0, sandbox: 'bubblewrap', failure: null },
    });
    for (const step of TRIAL_STEPS) expect(log).toMatch(new RegExp(`^[\\d:]+ ${step}: passed in [\\d.]+ s`, 'm'));
  });

  test('is tried in the folder of its tests, by the files that the globs name, and needs neither install nor build', async () => {
    const { outcomes, said } = await tried(
      {
        'test/other.test.js': testOf('elsewhere', 'assert.fail()'),
        'shop/package.json': '{"type":"module"}',
        'shop/price.txt': '2',
        'shop/test/a.test.js': testOf('needs a browser', 'assert.ok(process.env.BROWSER ?? true)'),
        'shop/test/price.test.js': `import { readFileSync } from 'node:fs';\n${testOf('price', "assert.equal(readFileSync('price.txt', 'utf8'), '2')")}`,
      },
      { commands: { directory: 'shop', tests: ['shop/test/p*.test.js'] } },
    );
    expect(outcomes).toEqual(['none', 'none', 'passed', 'passed', 'passed']);
    expect(said.runner).toBe('node-test on shop/test/price.test.js: 1 test, 1 pass (sealed)');
  });
});

describe('a base that fails', () => {
  test('in its suite is tried further, and the end of the output is told, without colours', async () => {
    const red = testOf('red', 'assert.equal(1, 2, "one is not two")');
    const { exitCode, outcomes, said, failure, log } = await tried(
      { ...BASE, 'test/red.test.js': `${red}// longer than the other one, so tried after it\n` },
      { commands: { test: "FORCE_COLOR=1 node --test; code=$?; printf '\\033[31mthe end\\033[0m\\n'; exit $code" } },
    );
    expect(outcomes).toEqual(['none', 'none', 'failed', 'failed', 'passed']);
    expect(said.suite).toMatch(/^\[exit code 1\]\n[\s\S]*one is not two[\s\S]*\nthe end$/);
    expect(said.suite).not.toContain('\u001b');
    expect({ exitCode, failure }).toEqual({ exitCode: 0, failure: null });
    expect(log).toMatch(/^[\d:]+ suite again: failed in [\d.]+ s, \[exit code 1\]$/m);
  });

  test('in its suite only the second time is told apart from one that is red', async () => {
    let asked = 0;
    const server = createServer((_, answer) => {
      asked += 1;
      answer.end(asked === 1 ? 'free' : 'taken');
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const address = server.address();
    const host = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    const flaky = testOf('takes', `assert.equal(await (await fetch('http://${host}/')).text(), 'free')`);
    const { outcomes, said } = await tried(
      { ...BASE, 'test/takes.test.js': flaky },
      { commands: { hosts: [host], tests: ['test/one.test.js'] } },
    );
    expect(outcomes).toEqual(['none', 'none', 'passed', 'failed', 'passed']);
    expect(said['suite again']).toContain("'taken'");
    expect(asked).toBe(2);
  });

  test('in its suite that hangs is stopped in time, which is told with the seconds', async () => {
    const { outcomes, said } = await tried(
      { ...BASE, 'test/hangs.test.js': testOf('hangs', 'for (;;)') },
      {
        commands: { test: 'echo begun; node --test', tests: ['test/one.test.js'] },
        limits: { suiteTimeoutMs: 15_000 },
      },
    );
    expect(outcomes).toEqual(['none', 'none', 'failed', 'failed', 'passed']);
    expect(said.suite).toMatch(/^\[not ended after [12]\d s\]\nbegun/);
  });

  test('to be installed is tried no further, and of a long output the end is told', async () => {
    const { outcomes, said, failure } = await tried(BASE, {
      commands: { install: 'seq 1 9000; echo no network >&2; exit 4', build: 'true' },
    });
    expect(outcomes).toEqual(['failed', 'not tried', 'not tried', 'not tried', 'not tried']);
    expect(said.install).toMatch(/^\[exit code 4\]\n… [\s\S]*\n8999\n9000\nno network$/);
    expect(said.install).toHaveLength(4000);
    expect(failure).toBeNull();
  });

  test('to be installed where it has no build is not said to have one', async () => {
    const { outcomes } = await tried(BASE, { commands: { install: 'exit 1' } });
    expect(outcomes).toEqual(['failed', 'none', 'not tried', 'not tried', 'not tried']);
  });

  test('to be built is tried no further', async () => {
    const { outcomes, said } = await tried(BASE, {
      commands: { install: 'touch installed', build: 'ls installed && sleep 60' },
      limits: { commandTimeoutMs: 10_000 },
    });
    expect(outcomes).toEqual(['passed', 'failed', 'not tried', 'not tried', 'not tried']);
    expect(said.build).toMatch(/^\[not ended after 1\d s\]\ninstalled$/);
  });
});

describe('a runner that was not seen to work', () => {
  test.each([
    ['reads none of the files', { runner: 'unittest' }, /^unittest: no test was found, none of the files is named as/],
    ['is not installed', { runner: 'vitest' }, /^vitest on test\/one\.test\.js: .*vitest/],
    [
      'is led to no file',
      { tests: ['spec/**'] },
      /^node-test: no test file is at spec\/\*\* \(commands\.tests\); the repository has 1, such as test\/one\.test\.js$/,
    ],
  ] as const)('because it %s is told beside a green suite', async (_, { ...commands }, sentence) => {
    const { outcomes, said } = await tried(BASE, {
      commands: { ...commands, tests: 'tests' in commands ? [...commands.tests] : undefined },
    });
    expect(outcomes).toEqual(['none', 'none', 'passed', 'passed', 'failed']);
    expect(said.runner).toMatch(sentence);
  });

  test('because no test passes is told with the first of the reasons', async () => {
    const { outcomes, said } = await tried(
      { ...BASE, 'test/one.test.js': testOf('one', 'assert.equal(1, 2)') },
      { commands: { test: 'true' } },
    );
    expect(outcomes).toEqual(['none', 'none', 'passed', 'passed', 'failed']);
    expect(said.runner).toMatch(/^node-test on test\/one\.test\.js: 1 test, and none passes: ./);
  });
});

describe('a job that can try nothing still reports, and says why:', () => {
  test('there is no bubblewrap', async () => {
    const path = join(root, 'no-programs');
    await mkdir(path);
    const { exitCode, sandbox, steps, failure } = await tried(BASE, { path });
    expect({ exitCode, sandbox, steps }).toEqual({ exitCode: 0, sandbox: 'none', steps: null });
    expect(failure).toMatch(/^The sandbox needs bubblewrap, and there is no bwrap on the PATH;/);
  });

  test('there is no such commit', async () => {
    const { exitCode, steps, failure } = await tried(BASE, { base: 'a'.repeat(40) });
    expect({ exitCode, steps }).toEqual({ exitCode: 0, steps: null });
    expect(failure).toMatch(/^The job broke: git read-tree failed: /);
  });
});
