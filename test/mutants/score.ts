/** What came of mutants, as people and programs read it. */
import { z } from 'zod';

/** One mutant and what its tests did; `line` counts from 1. */
export const outcome = z.object({
  file: z.string(),
  line: z.int(),
  mutator: z.string(),
  replacement: z.string(),
  status: z.string(),
});
export type Outcome = z.infer<typeof outcome>;

export interface Score {
  readonly noticed: number;
  readonly missed: number;
  /** Share of the mutants that a test noticed, in percent; each line counts the same, because a line is what is drawn and one long pattern has thirty mutants. Undefined where there was none. */
  readonly percent: number | undefined;
}

const NOTICED = ['Killed', 'Timeout'];
/** Left out as in every mutation score: what cannot even be loaded says nothing about the tests. */
const INVALID = ['Ignored', 'CompileError', 'RuntimeError'];

/** Whatever else comes up, `NoCoverage` among it, was not noticed and counts against the tests. */
const judged = (outcomes: readonly Outcome[]) => outcomes.filter(({ status }) => !INVALID.includes(status));
const isNoticed = ({ status }: Outcome): boolean => NOTICED.includes(status);

export function scoreOf(outcomes: readonly Outcome[]): Score {
  const all = judged(outcomes);
  const noticed = all.filter(isNoticed).length;
  const shares = [...Map.groupBy(all, ({ file, line }) => `${file}:${line}`).values()].map(
    (own) => own.filter(isNoticed).length / own.length,
  );
  const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  const percent = shares.length === 0 ? undefined : Math.round(1000 * mean) / 10;
  return { noticed, missed: all.length - noticed, percent };
}

/** Mutants that no test noticed, in the order of the files. */
export function survivorsOf(outcomes: readonly Outcome[]): readonly Outcome[] {
  return judged(outcomes)
    .filter((found) => !isNoticed(found))
    .toSorted((one, other) => one.file.localeCompare(other.file) || one.line - other.line);
}

/** A line for each survivor, a score for each file, and the score of all. */
export function scoreText(outcomes: readonly Outcome[]): string {
  const survivors = survivorsOf(outcomes).map(
    ({ file, line, mutator, replacement, status }) =>
      `${file}:${line} ${mutator}${status === 'Survived' ? '' : ` (${status})`}: ${shortened(replacement)}`,
  );
  const files = [...Map.groupBy(outcomes, ({ file }) => file)].toSorted(([one], [other]) => one.localeCompare(other));
  const scores = files.map(([file, own]) => `${percentText(scoreOf(own))}  ${file}`);
  const { noticed, missed } = scoreOf(outcomes);
  return [
    ...survivors,
    '',
    ...scores,
    `${percentText(scoreOf(outcomes))}  all: ${noticed} of ${noticed + missed} mutants noticed, each line counting the same`,
  ].join('\n');
}

function percentText({ percent }: Score): string {
  return percent === undefined ? '     —' : `${percent.toFixed(1).padStart(5)}%`;
}

function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > 100 ? `${line.slice(0, 99)}…` : line;
}
