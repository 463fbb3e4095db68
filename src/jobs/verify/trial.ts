/** One fault made in a copy of the candidate, and what the frozen tests say to it. */
import type { FrozenTests, Outcome } from '../../loop/brief.ts';
import { type Fault, withFault } from '../../syntax/faults.ts';
import type { TestRun } from '../../test-runs/test-run.ts';
import { type Bench, runShell } from '../workspace/environment.ts';
import { onTreeCopy, overwrite, type Trees } from '../workspace/trees.ts';
import { type FrozenTest, idOf, runFrozen } from './frozen-run.ts';

export interface Work {
  readonly bench: Bench;
  readonly trees: Trees;
  readonly tests: FrozenTests;
  readonly headRun: TestRun;
  /** Lines of the head that the candidate added, by file. */
  readonly changedLines: ReadonlyMap<string, ReadonlySet<number>>;
  /** Becomes the raw output. */
  readonly notes: string[];
}

/** What the tests did with a fault: noticed it, stayed green, could not be judged; `broken` where the product cannot even be built with it. */
export type Answer = 'noticed' | 'survived' | 'unmeasured' | 'broken';

export interface Trial {
  readonly fault: Fault;
  readonly answer: Answer;
  /** Of the tests that were asked, by id. */
  readonly outcomes: ReadonlyMap<string, Outcome>;
}

/** Asks one group of tests after the other, until one notices. */
export async function tryFault(
  work: Work,
  { fault, text, groups }: { readonly fault: Fault; readonly text: string; readonly groups: readonly FrozenTest[][] },
): Promise<Trial> {
  const asked = await onChanged(work, { path: fault.file, text: withFault(text, fault) }, (copy) =>
    askInTurn(work, copy, groups),
  );
  const { answer, outcomes } = asked ?? { answer: 'broken', outcomes: new Map() };
  work.notes.push(`--- fault ${textOf(fault)}: ${answer}`);
  return { fault, answer, outcomes };
}

async function askInTurn(
  work: Work,
  copy: string,
  groups: readonly FrozenTest[][],
): Promise<Pick<Trial, 'answer' | 'outcomes'>> {
  const outcomes = new Map<string, Outcome>();
  let isKnown = true;
  for (const tests of groups) {
    const { trusted, results } = await judging(work, copy, tests);
    if (!trusted) isKnown = false;
    else for (const id of tests.map(idOf)) outcomes.set(id, results.get(id)?.outcome ?? 'not-run');
    if (isRed(outcomes)) return { answer: 'noticed', outcomes };
  }
  return { answer: isKnown ? 'survived' : 'unmeasured', outcomes };
}

/** Whether the tests do not all stay green with this text of the file; undefined where that cannot be told. */
export async function turnsRed(
  work: Work,
  change: { readonly path: string; readonly text: string },
  tests: readonly FrozenTest[],
): Promise<boolean | undefined> {
  return onChanged(work, change, async (copy) => {
    const run = await judging(work, copy, tests);
    return run.trusted ? tests.some((test) => run.results.get(idOf(test))?.outcome !== 'pass') : undefined;
  });
}

/** On a copy of the head in which one file is another, built where the repository has a build; undefined where that fails. */
export function onChanged<Result>(
  { bench, trees }: Work,
  { path, text }: { readonly path: string; readonly text: string },
  run: (copy: string) => Promise<Result>,
): Promise<Result | undefined> {
  return onTreeCopy(bench, trees.head, async (copy) => {
    await overwrite(copy, path, text, trees.headFiles.get(path)?.startsWith('100755') === true);
    const { build } = bench.brief.commands;
    if (build !== null && (await runShell(bench, build, copy)).exitCode !== 0) return undefined;
    return run(copy);
  });
}

/** A fault may make a test wait for what never comes. Nothing else takes that much longer, however busy the machine is. */
const PATIENCE = 10;
const SHORTEST_MS = 10_000;

function judging({ bench, tests, headRun }: Work, copy: string, only: readonly FrozenTest[]): Promise<TestRun> {
  return runFrozen(bench, copy, tests, { only, mostMs: Math.max(SHORTEST_MS, headRun.durationMs * PATIENCE) });
}

function isRed(outcomes: ReadonlyMap<string, Outcome>): boolean {
  return [...outcomes.values()].some((outcome) => outcome !== 'pass');
}

/** As people read it, and in one line. */
export function textOf({ file, line, sentence }: Fault): string {
  return `${file}:${line} ${sentence}`;
}
