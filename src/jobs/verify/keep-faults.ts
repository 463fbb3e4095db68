/** Faults in the code that the tests of a `keep` requirement execute, until one of them notices. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Outcome } from '../../loop/brief.ts';
import { placeOf, readRegular } from '../../sandbox/inside.ts';
import { possibleFaults } from '../../syntax/changed-code.ts';
import { type Fault, spread } from '../../syntax/faults.ts';
import { languageOf } from '../../syntax/parsers.ts';
import { markedAtEnd, withMarks } from '../../syntax/reach.ts';
import { runShell } from '../workspace/environment.ts';
import { onTreeCopy, overwrite } from '../workspace/trees.ts';
import { MOST_FAULTS } from './change-faults.ts';
import { type FrozenTest, idOf, runFrozen } from './frozen-run.ts';
import { loadsWith } from './loads.ts';
import { codeFiles, taskFiles, textsOf } from './product-code.ts';
import { textOf, tryFault, type Work } from './trial.ts';

/** What the tests did with the faults. */
export interface Guarded {
  /** Of each test: `fail` where a fault made it fail by assertion. */
  readonly mutated: ReadonlyMap<string, Outcome>;
  readonly fault: string | undefined;
  /** Of the faults, for people. */
  readonly detail: string;
}

/** Faults in the requirement's own files come first, then those in changed lines, then the others. */
export async function tryKept(work: Work, requirement: string, tests: readonly FrozenTest[]): Promise<Guarded> {
  const texts = await loadedTexts(work, tests);
  const reached = await reachedFaults(work, texts, tests);
  const faults = inOrder(work, new Set(taskFiles(work, requirement)), reached).slice(0, MOST_FAULTS);
  const mutated = new Map<string, Outcome>(tests.map((test) => [idOf(test), faults.length === 0 ? 'not-run' : 'pass']));
  let unmeasured = 0;
  for (const fault of faults) {
    const text = texts.get(fault.file) ?? '';
    const { outcomes, answer } = await tryFault(work, { fault, text, groups: [[...tests]] });
    if (answer === 'unmeasured') unmeasured += 1;
    const red = [...outcomes].filter(([, outcome]) => outcome === 'fail').map(([id]) => id);
    if (red.length === 0 || !(await loadsWith(work, fault, text))) continue;
    for (const id of red) mutated.set(id, 'fail');
    return { mutated, fault: textOf(fault), detail: `noticed: ${textOf(fault)}` };
  }
  return { mutated, fault: undefined, detail: detailOf(faults.length, unmeasured, texts) };
}

function detailOf(made: number, unmeasured: number, texts: ReadonlyMap<string, string>): string {
  if (made === 0)
    return texts.size === 0 ? 'it runs no code in which a fault can be made' : 'it reaches no place for a fault';
  const unknown = unmeasured === 0 ? '' : `, ${unmeasured} of them could not be measured`;
  return `none of ${made} faults in the code that it runs makes it fail${unknown}`;
}

function inOrder({ changedLines }: Work, own: ReadonlySet<string>, faults: readonly Fault[]): readonly Fault[] {
  const rank = ({ file, line }: Fault) => (own.has(file) ? 0 : changedLines.get(file)?.has(line) === true ? 1 : 2);
  const groups = Map.groupBy(faults, rank);
  return ([0, 1, 2] as const).flatMap((at) => spread(groups.get(at) ?? [], faults.length));
}

/** The product's files that a run of the tests loads to their end. */
async function loadedTexts(work: Work, tests: readonly FrozenTest[]): Promise<ReadonlyMap<string, string>> {
  const texts = await textsOf(work, codeFiles(work));
  const paths = [...texts.keys()];
  const marks = await marksOf(work, tests, (told) =>
    paths.flatMap((path, index) => {
      const language = languageOf(path);
      const text = texts.get(path) ?? '';
      return language === undefined ? [] : [[path, markedAtEnd(language, text, told, String(index))] as const];
    }),
  );
  return new Map([...texts].filter((_, index) => marks.has(String(index))));
}

/** The faults whose statement a run of the tests comes to. */
async function reachedFaults(
  work: Work,
  texts: ReadonlyMap<string, string>,
  tests: readonly FrozenTest[],
): Promise<readonly Fault[]> {
  const parsers = await work.bench.environment.parsers();
  const faults: Fault[] = [];
  const marksByFault = new Map<Fault, string>();
  const marks = await marksOf(work, tests, (told) =>
    [...texts].flatMap(([file, text], index) => {
      const language = languageOf(file);
      if (language === undefined) return [];
      const own = possibleFaults(parsers, { file, text });
      faults.push(...own);
      const marked = withMarks(parsers, { language, text, faults: own }, { file: told, prefix: `${index}:` });
      for (const [fault, mark] of marked?.marks ?? []) marksByFault.set(fault, mark);
      return marked === undefined ? [] : [[file, marked.text] as const];
    }),
  );
  return faults.filter((fault) => marks.has(marksByFault.get(fault) ?? '') || !marksByFault.has(fault));
}

/**
 * The marks that a run of the tests made in a copy with these texts. The code under test could make others, or none: they choose only
 * where faults are tried.
 */
async function marksOf(
  { bench, trees, tests: frozen }: Work,
  tests: readonly FrozenTest[],
  textsFor: (told: string) => readonly (readonly [path: string, text: string])[],
): Promise<ReadonlySet<string>> {
  return onTreeCopy(bench, trees.head, async (copy) => {
    const name = `.reached-${randomBytes(8).toString('hex')}`;
    for (const [path, text] of textsFor(join(copy, name))) await overwrite(copy, path, text);
    const { build } = bench.brief.commands;
    if (build !== null) await runShell(bench, build, copy);
    await runFrozen(bench, copy, frozen, { only: tests });
    const place = await placeOf(copy, name);
    if (place.refusal !== undefined || place.stats?.isFile() !== true) return new Set();
    return new Set((await readRegular(place.absolute)).toString('utf8').split('\n'));
  });
}
