/**
 * `npm run bench:library`: what a run of two hundred tests costs by each runner beside its own plain command, in turns, and how long VERIFY and a whole
 * loop take on a library with two hundred tests, with answers at once. Mean something on an idle machine only, so that a goal that is missed is told, and no failure.
 */
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { z } from 'zod';
import { prepareDemoRepository } from '../../src/demo/demo-repository.ts';
import { openSandbox, treesDirectory } from '../../src/sandbox/sandbox.ts';
import { packageFile } from '../../src/settings/package-root.ts';
import { runTests } from '../../src/test-runs/test-run.ts';
import { optionsOrEnd, UsageError } from '../command-line.ts';
import { median } from './median.ts';
import { FILES, SUITES, type Suite, TESTS_PER_FILE } from './suites.ts';

const PARTS = [...SUITES.map(({ runner }) => runner), 'loop'];
const { json, only } = optionsOrEnd({
  typed: 'npm run bench:library --',
  purpose: 'Measures runners beside their plain commands, and VERIFY and a loop on a library with 200 tests.',
  options: {
    only: { value: 'NAME', meaning: `one of ${PARTS.join(', ')} (default: all of them)` },
    json: { meaning: 'one JSON object instead of text' },
  },
  read: (given) => {
    const name = given.only;
    if (name !== undefined && !PARTS.includes(String(name)))
      throw new UsageError(`--only ${String(name)} is none of ${PARTS.join(', ')}.`);
    return { json: given.json === true, only: name };
  },
});
const asked = (part: string): boolean => only === undefined || only === part;
const ROUNDS = 5;
/** Beside the plain command: so many times as long, and a second. */
const GOALS = { times: 1.5, moreMs: 1000, verifySeconds: 60, loopSeconds: 90 } as const;
const MODULES = await realpath(join(import.meta.dirname, '..', '..', 'node_modules'));
const say = (line: string): void => {
  if (!json) process.stdout.write(`${line}\n`);
};
const mark = (holds: boolean): string => (holds ? 'holds' : 'MISSED');

async function lay(directory: string, files: Suite['files']): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), text);
  }
}

async function timed<Result>(run: () => Promise<Result>): Promise<{ readonly ms: number; readonly result: Result }> {
  const startedMs = performance.now();
  const result = await run();
  return { ms: performance.now() - startedMs, result };
}

interface Cost {
  readonly runner: string;
  readonly plainMs: number;
  readonly ownMs: number;
  readonly holds: boolean;
}

/** The two take turns, so that both see the same machine. @throws {Error} when a run does not pass all tests. */
async function costOf({ runner, plain, files }: Suite, root: string): Promise<Cost> {
  const scratch = join(root, runner);
  const workspace = join(scratch, 'workspace');
  await mkdir(workspace, { recursive: true });
  const sandbox = await openSandbox({ workspace, scratch, readOnly: [MODULES], scripted: false });
  // Where trees are judged, what runs there may write.
  const directory = await mkdtemp(join(treesDirectory(scratch), 'suite-'));
  await lay(directory, files);
  await symlink(MODULES, join(directory, 'node_modules'));
  const paths = Object.keys(files).filter((path) => /test_total|\.test\.js$/.test(path));
  const rounds: { readonly plainMs: number; readonly ownMs: number }[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const [program, ...argv] = plain;
    const { ms: plainMs } = await timed(() => execa(program, argv, { cwd: directory, env: { CI: 'true' } }));
    const { ms: ownMs, result } = await timed(() =>
      runTests({
        ...{ sandbox, directory, commands: { runner }, files: paths, expected: [] },
        ...{ timeoutMs: 120_000, outputBytes: 4_000_000 },
      }),
    );
    const passed = [...result.results.values()].filter(({ outcome }) => outcome === 'pass').length;
    if (passed !== FILES * TESTS_PER_FILE)
      throw new Error(
        `${runner}: ${passed} tests pass; ${result.problem ?? [...result.broken.values()][0] ?? result.raw.slice(-1000)}`,
      );
    // The first one warms what both read.
    if (round > 0) rounds.push({ plainMs, ownMs });
  }
  const [plainMs, ownMs] = [median(rounds.map((one) => one.plainMs)), median(rounds.map((one) => one.ownMs))];
  return { runner, plainMs, ownMs, holds: ownMs <= GOALS.times * plainMs + GOALS.moreMs };
}

/** What everything here consists of; machines differ by a factor of two and more, and whoever compares has to know by how much. */
async function startOfNodeMs(): Promise<number> {
  const rounds: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1)
    rounds.push((await timed(() => execa(process.execPath, ['--eval', '0']))).ms);
  return median(rounds.slice(1));
}

const summary = z.looseObject({
  status: z.string(),
  durationMs: z.number(),
  phases: z.array(z.looseObject({ name: z.string(), attempts: z.number(), seconds: z.number() })),
});

interface LoopCost {
  readonly verifySeconds: number;
  readonly loopSeconds: number;
  /** Each phase with its seconds, of which the repository's own checks take some. */
  readonly phases: string;
}

/** The demo's loop in the demo's repository with two hundred more tests. @throws {Error} when it does not succeed. */
async function loopOn(root: string): Promise<LoopCost> {
  const repository = await prepareDemoRepository(join(root, 'library'));
  const library = Object.entries(SUITES[0]?.files ?? {}).filter(([path]) => path !== 'package.json');
  await lay(repository, Object.fromEntries(library));
  const git = (...argv: readonly string[]) =>
    execa('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.test', ...argv], { cwd: repository });
  await git('add', '--all');
  await git('commit', '--quiet', '--message', 'Test sums');
  const main = packageFile('dist', 'loopwright.js');
  const demo = ['--repo', repository, '--issue', packageFile('src', 'demo', 'issue.md')];
  const script = ['--script', packageFile('src', 'demo', 'guestbook.yaml'), '--json', '--yes'];
  const argv = ['--disable-warning=ExperimentalWarning', main, 'demo', ...demo, ...script];
  const { stdout, stderr } = await execa(process.execPath, argv, { reject: false });
  const told = summary.parse(JSON.parse(stdout));
  if (told.status !== 'succeeded') throw new Error(`the loop ${told.status}: ${stderr.slice(-2000)}`);
  const verify = told.phases.find(({ name }) => name === 'VERIFY');
  const phases = told.phases.map(({ name, seconds }) => `${name} ${seconds}`).join(', ');
  return { verifySeconds: verify?.seconds ?? Number.NaN, loopSeconds: told.durationMs / 1000, phases };
}

const root = await realpath(await mkdtemp(join(tmpdir(), 'bench-library-')));
try {
  const nodeMs = await startOfNodeMs();
  say(`node       starts in ${Math.round(nodeMs)} ms on this machine`);
  const costs: Cost[] = [];
  for (const suite of SUITES.filter(({ runner }) => asked(runner))) {
    const cost = await costOf(suite, root);
    costs.push(cost);
    const { runner, plainMs, ownMs, holds } = cost;
    say(
      `${runner.padEnd(9)}  ${FILES * TESTS_PER_FILE} tests: plain ${Math.round(plainMs)} ms, here ${Math.round(ownMs)} ms (goal: ${GOALS.times} times and a second): ${mark(holds)}`,
    );
  }
  const loop = asked('loop') ? await loopOn(root) : undefined;
  const holds =
    loop === undefined || (loop.verifySeconds <= GOALS.verifySeconds && loop.loopSeconds <= GOALS.loopSeconds);
  if (loop !== undefined)
    say(
      `loop       VERIFY ${loop.verifySeconds} s (goal ${GOALS.verifySeconds}), in all ${Math.round(loop.loopSeconds)} s (goal ${GOALS.loopSeconds}): ${mark(holds)}\n           ${loop.phases}`,
    );
  if (json) process.stdout.write(`${JSON.stringify({ nodeMs, costs, loop })}\n`);
} finally {
  await rm(root, { recursive: true, force: true });
}
