import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type ExecaError, execa, type Result } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { z } from 'zod';

/** The repository, issue and script were written from the published schemas, without a look at the phases' code. */
const FIXTURE = join(import.meta.dirname, '..', 'fixtures', 'tally');
const DEMO_LIMIT_MS = 15 * 60_000;

const gate = z.object({ name: z.string(), value: z.number().nullable(), threshold: z.string(), passed: z.boolean() });
const outcome = z.enum(['pass', 'fail', 'load-error', 'not-run']);
const demoSummary = z.object({
  status: z.string(),
  phases: z.array(
    z.object({
      name: z.string(),
      attempts: z.int(),
      gates: z.array(gate),
      history: z.array(z.array(gate)),
    }),
  ),
  pull: z.object({ number: z.int(), url: z.string(), headSha: z.string() }),
  evidence: z.array(
    z.object({
      requirement: z.string(),
      kind: z.enum(['change', 'keep', 'metric']),
      test: z.string(),
      base: outcome,
      head: outcome,
      reverted: outcome,
    }),
  ),
  modelCalls: z.object({ total: z.int(), outsideBuild: z.int() }),
  sandbox: z.string(),
});
type DemoSummary = z.infer<typeof demoSummary>;

const answers = z.object({ specification: z.array(z.unknown()), 'spec-review': z.array(z.unknown()) });
const script = z.looseObject({
  answers: z.looseObject(answers.shape),
  tasks: z.record(z.string(), z.array(z.unknown())),
});

type Run = Pick<Result | ExecaError, 'exitCode'> & { readonly stdout: string; readonly stderr: string };

let root: string;
let source: string;
let keep: string;
let before: string;
let run: Run;

async function git(directory: string, ...argv: readonly string[]): Promise<string> {
  const { stdout } = await execa('git', ['-C', directory, ...argv], { env: { GIT_CONFIG_GLOBAL: '/dev/null' } });
  return stdout;
}

async function commit(message: string, ...paths: readonly string[]): Promise<void> {
  await git(source, 'add', '--', ...paths);
  const identity = ['-c', 'user.name=Rosa', '-c', 'user.email=rosa@tally.example', '-c', 'commit.gpgsign=false'];
  await git(source, ...identity, 'commit', '--quiet', '-m', message);
}

/** Our environment without what would choose another model or make the output longer. */
function environment(): Record<string, string | undefined> {
  const foreign = /^(LLM_|OPENAI_|LOG_LEVEL$|APP_ID$|PRIVATE_KEY$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
}

function runDemo(scriptPath: string, ...more: readonly string[]): Promise<Run> {
  const files = ['--repo', source, '--issue', join(FIXTURE, 'issue.md'), '--script', scriptPath, '--yes'];
  // Without the hook: it would build again what the tests beside this one are running.
  return execa('npm', ['run', '-s', 'demo', '--ignore-scripts', '--', '--json', ...files, ...more], {
    extendEnv: false,
    env: environment(),
    reject: false,
    timeout: DEMO_LIMIT_MS,
  });
}

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'second-repository-'));
  source = join(root, 'tally');
  keep = join(root, 'keep');
  const filter = (path: string) => basename(path) !== '__pycache__';
  await cp(join(FIXTURE, 'repository'), source, { recursive: true, filter });
  await git(source, 'init', '--quiet', '--initial-branch', 'main');
  await commit('Count words', 'README.md', 'pyproject.toml', 'tally', 'samples', '.gitignore');
  await commit('Test the counting and set up Loopwright', '.');
  before = await git(source, 'rev-parse', 'HEAD');
  run = await runDemo(join(FIXTURE, 'script.yaml'), '--keep', keep);
}, DEMO_LIMIT_MS + 30_000);
afterAll(() => rm(root, { recursive: true, force: true }));

function summaryOf({ stdout }: Run): DemoSummary {
  return demoSummary.parse(JSON.parse(stdout.trim().split('\n').at(-1) ?? ''));
}

function summary(): DemoSummary {
  return summaryOf(run);
}

function attemptsOf({ phases }: DemoSummary): Record<string, number> {
  return Object.fromEntries(phases.map(({ name, attempts }) => [name, attempts]));
}

/** Names of the gates that an earlier attempt of the phase did not pass, attempt by attempt. */
function failuresOf({ phases }: DemoSummary, phase: string): readonly (readonly string[])[] {
  const history = phases.find(({ name }) => name === phase)?.history ?? [];
  return history.map((gates) => gates.filter(({ passed }) => !passed).map(({ name }) => name));
}

/** The embedded GitHub's bare repository on disk. */
async function bareRepository(): Promise<string> {
  const entries = await readdir(join(keep, 'github'), { recursive: true, withFileTypes: true });
  const found = entries.filter((entry) => entry.isDirectory() && entry.name.endsWith('.git'));
  expect(found).toHaveLength(1);
  const [only] = found;
  return only === undefined ? '' : join(only.parentPath, only.name);
}

describe('a repository in Python that nobody had in mind', () => {
  it('ends in success, and the command says so by its exit code', () => {
    expect({ exitCode: run.exitCode, stderr: run.stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(summary().status).toBe('succeeded');
  });

  it('goes through all nine phases and repeats only what the two wrong builds make it repeat', () => {
    expect(attemptsOf(summary())).toEqual({
      DISCOVER: 1,
      DEFINE: 1,
      PLAN: 1,
      ARCH_REVIEW: 1,
      BUILD: 3,
      SEED_DATA: 2,
      VERIFY: 2,
      SHIP: 1,
      REFLECT: 1,
    });
  });

  it('stops the first wrong build by a frozen test, and the second by the acceptance that was approved', () => {
    // A build whose tests fail is not reviewed, and what is not measured does not pass.
    expect(failuresOf(summary(), 'BUILD')).toEqual([['test_failures', 'suite_failures', 'review_revisions'], []]);
    expect(failuresOf(summary(), 'VERIFY')).toEqual([['uat_pass_rate', 'failed_requirements']]);
  });

  it('passes every gate of every last attempt by a measured value', () => {
    const gates = summary().phases.flatMap(({ name, gates }) => gates.map((each) => ({ phase: name, ...each })));
    expect(gates.length).toBeGreaterThan(0);
    expect(gates.filter(({ passed, value }) => !passed || value === null)).toEqual([]);
  });

  it('proves each change by a test that fails before and passes after, and fails without the task again', () => {
    const rows = summary().evidence.filter(({ kind }) => kind === 'change');
    expect(new Set(rows.map(({ requirement }) => requirement))).toEqual(new Set(['R-1', 'R-2']));
    for (const { base, head, reverted } of rows) {
      expect({ base, head }).toEqual({ base: 'fail', head: 'pass' });
      expect(['fail', 'load-error']).toContain(reverted);
    }
  });

  it('proves what stays by a test that passes before and after', () => {
    const rows = summary().evidence.filter(({ kind }) => kind === 'keep');
    expect(rows.map(({ requirement, base, head }) => ({ requirement, base, head }))).toEqual([
      { requirement: 'R-3', base: 'pass', head: 'pass' },
    ]);
  });

  it('runs the generated code in bubblewrap and asks the model ten times at most outside BUILD', () => {
    expect(summary().sandbox).toBe('bubblewrap');
    expect(summary().modelCalls.outsideBuild).toBeLessThanOrEqual(10);
  });
});

describe('the result as git has it', () => {
  it('is a loop branch at the head of the pull request whose clone passes its own tests', async () => {
    const bare = await bareRepository();
    const branches = (await git(bare, 'for-each-ref', '--format=%(refname:short)', 'refs/heads')).split('\n');
    const branch = branches.find((name) => name.startsWith('loopwright/')) ?? '';
    expect(branches).toEqual([branch, 'main']);
    const clone = join(root, 'clone');
    await git(root, 'clone', '--quiet', '--branch', branch, bare, clone);
    expect(await git(clone, 'rev-parse', 'HEAD')).toBe(summary().pull.headSha);
    const tests = await execa('python3', ['-m', 'unittest'], { cwd: clone });
    expect(tests.stderr).toMatch(/Ran 11 tests in .*\n\nOK$/);
    const { stdout } = await execa('python3', ['-m', 'tally', '--ignore-case', '--top', '1', 'samples/tea.txt'], {
      cwd: clone,
    });
    expect(stdout).toBe('4 the');
    expect(await readFile(join(clone, 'tests', 'test_options.py'), 'utf8')).toContain('class IgnoreCase');
  });

  it('changes only what the plan names, its tests and the loop’s documents', async () => {
    const bare = await bareRepository();
    const changed = (await git(bare, 'diff', '--name-only', 'main', summary().pull.headSha)).split('\n');
    expect(changed.filter((path) => !path.startsWith('.loopwright/'))).toEqual([
      'README.md',
      'tally/cli.py',
      'tally/counting.py',
      'tally/report.py',
      'tests/test_options.py',
    ]);
  });

  it('leaves main and the original alone', async () => {
    const bare = await bareRepository();
    const messages = (await git(bare, 'log', '--reverse', '--format=%s', 'main')).split('\n');
    expect(messages).toEqual(['Count words', 'Test the counting and set up Loopwright', 'Set up Loopwright']);
    const changed = (await git(bare, 'diff', '--name-only', before, 'main')).split('\n');
    expect(changed.filter((path) => !/^\.github\/(workflows|actions)\//.test(path))).toEqual([]);
    expect(await git(source, 'rev-parse', 'HEAD')).toBe(before);
    expect(await git(source, 'status', '--porcelain')).toBe('');
  });
});

describe('a first specification that nobody could check', () => {
  it(
    'is sent back for its hard rules before any score, and the second one ends in success',
    async () => {
      const vague = answers.parse(parse(await readFile(join(FIXTURE, 'vague.yaml'), 'utf8')));
      const good = script.parse(parse(await readFile(join(FIXTURE, 'script.yaml'), 'utf8')));
      const path = join(root, 'vague-then-good.yaml');
      const merged = {
        ...good,
        answers: {
          ...good.answers,
          specification: [...vague.specification, ...good.answers.specification],
          'spec-review': [...vague['spec-review'], ...good.answers['spec-review']],
        },
        tasks: Object.fromEntries(Object.entries(good.tasks).map(([task, tries]) => [task, tries.slice(-1)])),
      };
      await writeFile(path, stringify(merged));
      const result = await runDemo(path);
      expect({ exitCode: result.exitCode, stderr: result.stderr }).toEqual({ exitCode: 0, stderr: '' });
      const attempts = attemptsOf(summaryOf(result));
      expect(Object.entries(attempts).filter(([, count]) => count > 1)).toEqual([['DEFINE', 2]]);
      expect(failuresOf(summaryOf(result), 'DEFINE')).toEqual([['broken_spec_rules', 'spec_confidence']]);
    },
    DEMO_LIMIT_MS + 30_000,
  );
});

describe('the demo’s and this repository’s names', () => {
  const search = (word: string) =>
    execa('grep', ['--recursive', '--ignore-case', '--files-with-matches', '--word-regexp', word, 'src'], {
      reject: false,
    });

  it('are the demo’s own: guestbook occurs in src below demo only', async () => {
    const files = (await search('guestbook')).stdout.split('\n');
    expect(files).toContain('src/demo/guestbook.yaml');
    expect(files.filter((path) => !path.startsWith('src/demo/'))).toEqual([]);
  });

  it('are unknown to the code: tally occurs nowhere in src', async () => {
    const { exitCode, stdout } = await search('tally');
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
  });
});
