/**
 * How often VERIFY refuses an honest change whose plan also asks that something long stays as it is: a small task in somebody's library,
 * with careful tests, and tests of a file of 400 lines and more. Prints a row each, and the rate.
 */
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { problemsByRules } from '../../src/jobs/build/design-check.ts';
import { verify } from '../../src/jobs/verify/verify.ts';
import type { Brief, FrozenTests, VerifyReport } from '../../src/loop/brief.ts';
import { hasAssertion } from '../../src/rules/assertions.ts';
import { writeInside } from '../../src/sandbox/inside.ts';
import { treesDirectory } from '../../src/sandbox/sandbox.ts';
import { faultsOf, spread, withFault } from '../../src/syntax/faults.ts';
import { installedParsers, languageOf, loadParsers } from '../../src/syntax/parsers.ts';
import { runTests } from '../../src/test-runs/test-run.ts';
import { layTree } from '../../src/trees/repository.ts';
import { existingFolder, optionsOrEnd } from '../command-line.ts';
import { boundsOf } from '../corpus/rates.ts';
import { commandsOf } from '../jobs/plain-brief.ts';
import { benchOf, frozen, type Scene, scene, taskFor } from '../jobs/verify-fixture.ts';
import { withRoom } from './laid.ts';
import { filesOf, LIBRARIES, type Library } from './libraries.ts';
import { type Files, readTasks, type Task } from './task.ts';

const given = optionsOrEnd({
  typed: 'npm run honest:kept --',
  purpose: 'Has VERIFY judge small tasks in libraries of others, with a requirement that a long file stays as it is.',
  options: {
    from: { value: 'DIR', meaning: 'the folder of fixes, whose bases are the libraries' },
    only: { value: 'TEXT', meaning: 'only cases whose name holds this' },
    state: { value: 'FILE', meaning: 'keeps what was judged, and goes on from there' },
    busy: { meaning: 'keeps two processors busy meanwhile' },
  },
  read: ({ from, only, state, busy }) => ({
    from: existingFolder('from', from, '../shared/corpus'),
    only: typeof only === 'string' ? only : '',
    state: typeof state === 'string' ? state : undefined,
    busy: busy === true,
  }),
});

/** At most so many of a hundred honest changes may be refused. */
const MOST_REFUSED = 0.03;
/** Tasks for each test file, and tests that its requirement names. */
const [TASKS, KEPT] = [2, 10];
/** Faults that the change mends. */
const MISTAKES = 4;
/** How often other mistakes are tried. */
const TURNS = 6;
const PROVED = 'proved';
/** What begins a row that is not counted, and why. */
const LEFT_OUT = 'left out: ';
const NO_MISTAKE = `${LEFT_OUT}no mistake in it fails a test by assertion`;
const LIMITS = { commandTimeoutMs: 300_000, suiteTimeoutMs: 300_000, outputBytes: 4_000_000 } as const;
/** Gates that speak of the change. */
const WANTED = [
  'failed_requirements',
  'evidence_gaps',
  'regressions',
  'test_integrity_violations',
  'security_findings',
  'flakiness',
] as const;

const parsers = await loadParsers(installedParsers());

interface Case {
  readonly name: string;
  readonly library: Library;
  readonly test: string;
  readonly task: Task;
}

async function casesOf(): Promise<readonly Case[]> {
  const tasks = await readTasks();
  return LIBRARIES.flatMap((library) => {
    const own = tasks.filter(({ name }) => library.tasks.test(name));
    return library.tests.flatMap((test, index) =>
      Array.from({ length: TASKS }, (_, turn) => own[(TASKS * index + turn) % own.length])
        .filter((task) => task !== undefined)
        .map((task) => ({ name: `${library.folder} ${test} ${task.name}`, library, test, task })),
    );
  }).filter(({ name }) => name.includes(given.only));
}

async function verdictOf(root: string, one: Case): Promise<string> {
  const others = await filesOf(given.from, one.library, await mkdtemp(join(root, 'library-')));
  for (let turn = 0; turn < TURNS; turn += 1) {
    // What sets the library up stays the library's.
    const told = await judged(one, { ...one.task.base, ...others, ...mistaken(one.task.change, turn) });
    if (told !== undefined) return told;
  }
  return NO_MISTAKE;
}

/** Undefined where none of the mistakes that are made in the task fails a test by assertion: then nothing can be asked. */
async function judged({ library, test, task }: Case, base: Files): Promise<string | undefined> {
  // As a designer would write it: a new file, beside the library's own.
  const kept = test.replace(/(test_|command\.)(?=[^/]*$)/, '$1kept_');
  const tests: Files = { ...task.careful, [kept]: base[test] ?? '' };
  const made = await scene(base, { ...task.change, ...tests });
  try {
    const refusal = await refusalOf(made, library, { path: kept, content: base[test] ?? '' });
    if (refusal !== undefined) return `${LEFT_OUT}as a draft it goes back to its author: ${refusal}`;
    const own = await designed(made, { library, tests, careful: Object.keys(task.careful) });
    if (own === undefined) return undefined;
    return told(await verify(briefOf(made, { library, task, tests, frozen: own }), made.environment));
  } finally {
    await made.remove();
  }
}

/** What is said of the copied tests before anything is frozen: a designer would write others. */
async function refusalOf(
  made: Scene,
  { runner }: Library,
  file: FrozenTests['files'][number],
): Promise<string | undefined> {
  const { brief, ...bench } = await benchOf(made);
  const commands = commandsOf({ runner });
  const problems = await problemsByRules({ ...bench, brief: { ...brief, commands } }, { files: [file], tests: [] });
  return problems[0]?.message.replaceAll(/\s+/g, ' ').slice(0, 150);
}

function told({ failure, measurements, evidence, defects }: VerifyReport): string {
  if (failure !== null) return failure.message;
  const wrong = WANTED.filter((name) => measurements.find((one) => one.name === name)?.value !== 0);
  if (wrong.length === 0) return PROVED;
  const unproven = evidence.find(({ proven }) => !proven)?.reason;
  const found = defects.find(({ rule }) => rule !== 'acceptance' && rule !== 'unnoticed-fault')?.message;
  return `${wrong.join(', ')}: ${unproven ?? found ?? 'not measured'}`.replaceAll(/\s+/g, ' ').slice(0, 200);
}

/** As somebody wrote it who made mistakes: what is missing altogether fails no test by assertion. Many at first, then two at a time. */
function mistaken(change: Files, turn: number): Files {
  const entries = Object.entries(change).map(([file, text]) => {
    const language = languageOf(file);
    if (language === undefined) return [file, text] as const;
    const lines = new Set(text.split('\n').map((_, index) => index + 1));
    const all = faultsOf(parsers, { file, text, language, lines });
    const faults = turn === 0 ? spread(all, MISTAKES) : spread(all, 2 * TURNS).slice(2 * turn, 2 * turn + 2);
    const apart = faults.filter(({ line }, index) => faults.findIndex((other) => other.line === line) === index);
    return [file, apart.toSorted((one, other) => other.start - one.start).reduce(withFault, text)] as const;
  });
  return Object.fromEntries(entries);
}

/** What each test of these files does on a commit, by `file::name`. */
async function outcomesOn(made: Scene, commit: string, { runner }: Library, tests: Files) {
  const { repository, environment } = await benchOf(made);
  const directory = await mkdtemp(join(treesDirectory(environment.scratch), 'ids-'));
  await layTree(repository, commit, directory);
  for (const [path, text] of Object.entries(tests)) await writeInside(directory, path, text);
  const run = await runTests({
    ...{ sandbox: environment.sandbox, directory, commands: { runner }, files: Object.keys(tests), expected: [] },
    ...{ timeoutMs: LIMITS.suiteTimeoutMs, outputBytes: LIMITS.outputBytes },
  });
  if (!run.trusted) throw new Error(run.problem ?? 'no result');
  return run.results;
}

/** The tests as a designer would list them: those of the task that fail on the base by assertion, and some that pass on both. */
async function designed(
  made: Scene,
  { library, tests, careful }: { library: Library; tests: Files; careful: readonly string[] },
): Promise<FrozenTests | undefined> {
  const base = await outcomesOn(made, made.brief.base, library, tests);
  const head = await outcomesOn(made, made.brief.candidate, library, tests);
  const passing = [...head].filter(([, { outcome }]) => outcome === 'pass').map(([id]) => id);
  const listed = (before: string) =>
    passing
      .filter((id) => base.get(id)?.outcome === before)
      .map((id) => ({ file: id.slice(0, id.indexOf('::')), name: id.slice(id.indexOf('::') + 2) }));
  const changes = listed('fail').filter(({ file }) => careful.includes(file));
  const others = listed('pass')
    .filter(({ file }) => !careful.includes(file))
    // The others are no tests that a designer could freeze.
    .filter(({ file, name }) => hasAssertion(tests[file] ?? '', name));
  if (others.length === 0)
    throw new Error(`no test of ${Object.keys(tests).join(', ')} passes with and without the change`);
  if (changes.length === 0) return undefined;
  const every = Math.max(1, Math.floor(others.length / KEPT));
  return frozen(tests, [
    ...changes.map((one) => ({ ...one, requirement: 'R-1', kind: 'change' as const })),
    ...others
      .filter((_, index) => index % every === 0)
      .slice(0, KEPT)
      .map((one) => ({ ...one, requirement: 'R-2', kind: 'keep' as const })),
  ]);
}

function briefOf(
  { brief }: Scene,
  { library, task, tests, frozen: own }: Omit<Case, 'name' | 'test'> & { tests: Files; frozen: FrozenTests },
): Brief {
  return {
    ...brief,
    commands: commandsOf({ runner: library.runner, test: 'true', tests: Object.keys(tests) }),
    limits: { ...brief.limits, ...LIMITS },
    requirements: [
      { id: 'R-1', kind: 'change', statement: task.name },
      { id: 'R-2', kind: 'keep', statement: 'The rest stays as it is.' },
    ],
    tasks: [taskFor(['R-1'], Object.keys(task.change))],
    tests: own,
    acceptance: ['R-1', 'R-2'].map((requirement, index) => ({
      ...{ id: `A-${index + 1}`, requirement, title: 'It loads.', steps: [loading(Object.keys(task.change)[0] ?? '')] },
      kind: index === 0 ? ('change' as const) : ('keep' as const),
    })),
  };
}

/** Rows about more would say what the tests say: these are about evidence. */
function loading(path: string): Brief['acceptance'][number]['steps'][number] {
  const [program, flag, text] = path.endsWith('.py')
    ? ['python3', '-c', `import ${path.replace(/\.py$/, '')}; print("loaded")`]
    : ['node', '-e', `import(${JSON.stringify(`./${path}`)}).then(() => console.log("loaded"))`];
  const expected = { exitCode: 0, contains: ['loaded'], equals: null, matches: [], stderr: [] };
  return { type: 'cli', arguments: [program, flag, text], stdin: null, expected };
}

const verdicts = z.record(z.string(), z.string());

await withRoom(given.busy, async (root) => {
  const found =
    given.state === undefined ? {} : verdicts.parse(JSON.parse(await readFile(given.state, 'utf8').catch(() => '{}')));
  const cases = await casesOf();
  for (const one of cases) {
    const startedMs = Date.now();
    const said = found[one.name] ?? (await verdictOf(root, one));
    found[one.name] = said;
    process.stdout.write(`${one.name.padEnd(60)} ${Math.round((Date.now() - startedMs) / 1000)} s  ${said}\n`);
    if (given.state !== undefined) await writeFile(given.state, JSON.stringify(found, undefined, 1));
  }
  const counted = cases.filter(({ name }) => found[name]?.startsWith(LEFT_OUT) === false);
  const refused = counted.filter(({ name }) => found[name] !== PROVED);
  const [low, high] = boundsOf(refused.length, counted.length).map((share) => `${(100 * share).toFixed(1)} %`);
  process.stdout.write(
    `${refused.length} of ${counted.length} honest changes refused (95 % bounds ${low} to ${high}; at most ${100 * MOST_REFUSED} %)\n`,
  );
  process.exitCode = refused.length > MOST_REFUSED * counted.length ? 1 : 0;
});
