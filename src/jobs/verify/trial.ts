/** One fault made in a copy of the candidate, and what the frozen tests say to it. */
import type { FrozenTests, Outcome } from '../../loop/brief.ts';
import { type Fault, withFault } from '../../syntax/faults.ts';
import type { FaultKind } from '../../syntax/language.ts';
import { lanesOf } from '../../test-runs/in-parallel.ts';
import { runTests, type TestRun, testLimitOf } from '../../test-runs/test-run.ts';
import { type Bench, runShell } from '../workspace/environment.ts';
import { onTreeCopy, overwrite, type Trees } from '../workspace/trees.ts';
import { type FrozenTest, idOf, runFrozen } from './frozen-run.ts';
import type { KeptTests } from './regressions.ts';

export interface Work {
  readonly bench: Bench;
  readonly trees: Trees;
  readonly tests: FrozenTests;
  readonly headRun: TestRun;
  /** Lines of the head that the candidate added, by file. */
  readonly changedLines: ReadonlyMap<string, ReadonlySet<number>>;
  /** Existing tests, which may notice faults too. */
  readonly kept: KeptTests;
  /** Becomes the raw output. */
  readonly notes: string[];
}

/** How many runs of tests may be begun. */
export function workers({ bench }: Work): number {
  return lanesOf(bench.environment.sandbox);
}

/** Of files, by path. */
export type Texts = ReadonlyMap<string, string>;

/** What tests did with a fault: one noticed it, all stayed green, it could not be told; `broken` where the product cannot even be built with it. */
export type Answer = 'noticed' | 'survived' | 'unmeasured' | 'broken';

export interface Trial {
  readonly answer: Answer;
  /** Of the tests that were asked, by id; none where that could not be told. */
  readonly outcomes: ReadonlyMap<string, Outcome>;
}

/** Asks the tests together; each of their files runs whole. */
export async function tryFault(
  work: Work,
  { fault, text, tests }: { readonly fault: Fault; readonly text: string; readonly tests: readonly FrozenTest[] },
): Promise<Trial> {
  const texts = new Map([[fault.file, withFault(text, fault)]]);
  const trial = (await onChanged(work, texts, (copy) => ask(work, copy, tests))) ?? BROKEN;
  const files = [...new Set(tests.map(({ file }) => file))];
  work.notes.push(`--- fault ${textOf(fault)}: ${trial.answer} by ${files.join(', ')}`);
  return trial;
}

/** Asks the existing tests that the change keeps. */
export async function tryFaultOnKept(
  work: Work,
  { fault, text }: { readonly fault: Fault; readonly text: string },
): Promise<Trial> {
  const run = await runKept(work, new Map([[fault.file, withFault(text, fault)]]));
  const trial = run === undefined ? BROKEN : judged(run, [...work.kept.tests.values()].flat());
  work.notes.push(`--- fault ${textOf(fault)}: ${trial.answer} by existing tests`);
  return trial;
}

/** The existing tests on the head with these texts; undefined where it cannot be built. */
export function runKept(work: Work, texts: Texts): Promise<TestRun | undefined> {
  return onChanged(work, texts, (copy) => askKept(work, copy));
}

/** The existing tests in a copy of the head. */
export function askKept({ bench, kept }: Work, directory: string): Promise<TestRun> {
  const { commands, limits } = bench.brief;
  return runTests({
    ...{ sandbox: bench.environment.sandbox, directory, commands },
    ...{ files: [...kept.tests.keys()], expected: [...kept.tests.values()].flat() },
    ...{ timeoutMs: patienceMs(kept.durationMs), outputBytes: limits.outputBytes, tellsApart: false },
  });
}

const BROKEN: Trial = { answer: 'broken', outcomes: new Map() };

async function ask(work: Work, copy: string, tests: readonly FrozenTest[]): Promise<Trial> {
  return judged(await judging(work, copy, tests), tests.map(idOf));
}

function judged({ trusted, results }: TestRun, ids: readonly string[]): Trial {
  if (!trusted) return { answer: 'unmeasured', outcomes: new Map() };
  const outcomes = new Map(ids.map((id) => [id, results.get(id)?.outcome ?? 'not-run']));
  const isNoticed = [...outcomes.values()].some((outcome) => outcome !== 'pass');
  return { answer: isNoticed ? 'noticed' : 'survived', outcomes };
}

/** Whether one of the tests failed by assertion. */
export function fails({ outcomes }: Trial, tests: readonly FrozenTest[]): boolean {
  return tests.some((test) => outcomes.get(idOf(test)) === 'fail');
}

/** On a copy of the head in which some files are others, built where the repository has a build; undefined where that fails. */
export function onChanged<Result>(
  { bench, trees }: Work,
  texts: Texts | ((copy: string) => Texts),
  run: (copy: string) => Promise<Result>,
): Promise<Result | undefined> {
  return onTreeCopy(bench, trees.head, async (copy) => {
    for (const [path, text] of typeof texts === 'function' ? texts(copy) : texts)
      await overwrite(copy, path, text, trees.headFiles.get(path)?.startsWith('100755') === true);
    const { build } = bench.brief.commands;
    if (build !== null && (await runShell(bench, build, copy)).exitCode !== 0) return undefined;
    return run(copy);
  });
}

/** A fault may make a test wait for what never comes. Nothing else takes that much longer, also where the head's run had the machine for itself. */
const PATIENCE = 15;
const SHORTEST_MS = 4000;

function judging({ bench, tests, headRun }: Work, copy: string, only: readonly FrozenTest[]): Promise<TestRun> {
  const testMs = testLimitOf(headRun, only.map(idOf));
  return runFrozen(bench, copy, tests, { only, mostMs: patienceMs(headRun.durationMs), testMs });
}

function patienceMs(headMs: number): number {
  return Math.max(SHORTEST_MS, headMs * PATIENCE);
}

/** What leaves an answer out keeps a test waiting: begun last, everything waits for it; begun first, one that would be noticed at once waits behind it. */
export function byWaiting(faults: readonly Fault[], order: 'longest first' | 'shortest first'): readonly Fault[] {
  const sign = order === 'longest first' ? -1 : 1;
  const waits = ({ kind }: Fault) => Number(LEAVES_OUT.has(kind));
  return faults.toSorted((one, other) => sign * (waits(one) - waits(other)));
}

const LEAVES_OUT: ReadonlySet<FaultKind> = new Set(['return', 'call', 'assignment', 'absence', 'exception']);

/** As people read it, and in one line. */
export function textOf({ file, line, sentence }: Fault): string {
  return `${file}:${line} ${sentence}`;
}
