/** Tests that need the change and pass whatever they expect: something else than what they assert decides. */
import { findingDefect } from '../guard/waivers.ts';
import type { Outcome } from '../loop/brief.ts';
import type { Defect } from '../loop/measurement.ts';
import { type Altered, withOtherExpectations } from '../rules/expectations.ts';
import { isNamedBy } from '../rules/test-names.ts';
import { RUNNERS } from '../runners/runners.ts';
import type { TestRun } from '../test-runs/test-run.ts';
import { textsIn } from '../trees/repository.ts';
import type { Judging } from './judging.ts';
import type { ProofRow } from './proof.ts';
import { byFile, fileOf, nameOf } from './test-ids.ts';
import { ask, onChanged } from './trial.ts';

/** What the tests came to with other expectations. */
export interface Heed {
  readonly findings: readonly Defect[];
  /** Ids of those that fail by assertion then, as they have to. */
  readonly exchanged: readonly string[];
}

export const NO_HEED: Heed = { findings: [], exchanged: [] };

/**
 * A product that replaces the assertions, answers each comparison with yes or looks up in the test what it has to say is content with other
 * expectations too. Of a test with none that can be read, and where a run takes too long, nothing is found: such a test may wait for ever. A
 * sentence where a run cannot be believed, for a change that only then writes what is not the runner's has something to hide.
 */
export async function unheeded(work: Judging, rows: readonly ProofRow[]): Promise<Heed | string> {
  const { change, repository, parsers, log } = work;
  const proving = rows.flatMap(({ role, test }) => (role === 'proves' ? [test] : []));
  const texts = await textsIn(repository, change.headFiles, proving.map(fileOf));
  const altered = new Map(
    [...texts].flatMap(([file, text]) => {
      const other = withOtherExpectations(parsers, file, text);
      return other === undefined ? [] : [[file, other] as const];
    }),
  );
  const asked = proving.filter((id) => linesOf(altered, id).length > 0);
  if (proving.length > 0) log(askedLine(asked.length, proving.length));
  if (asked.length === 0) return NO_HEED;
  const told = await greenWith(work, altered, asked);
  if (typeof told === 'string') return told;
  const { green, exchanged } = told;
  return { findings: green.map((id) => finding(id, linesOf(altered, id))), exchanged };
}

/** Nobody is to take a test for asked that was not. */
function askedLine(asked: number, of: number): string {
  const others = of - asked;
  const compare = `${others} ${others === 1 ? 'compares' : 'compare'}`;
  const unread = others === 0 ? '' : `; ${compare} with nothing that can be exchanged`;
  return `tests that need the change, asked with other expectations: ${asked} of ${of}${unread}`;
}

const isGreen = (outcomes: readonly Outcome[] = []): boolean =>
  outcomes.length > 0 && outcomes.every((one) => one === 'pass');

interface Told {
  /** Twice: what is now red and now green is not found. */
  readonly green: readonly string[];
  /** By assertion, the first time. */
  readonly exchanged: readonly string[];
}

/** Which of the tests pass with the altered texts. */
async function greenWith(
  work: Judging,
  altered: ReadonlyMap<string, Altered>,
  asked: readonly string[],
): Promise<Told | string> {
  // What a table puts into a name is another then: of such a test nothing can be chosen.
  const isPlain = asked.every((id) => namesOf(altered, id).includes(nameOf(id)));
  const first = await outcomesWith(work, altered, asked, isPlain);
  if (typeof first === 'string') return first;
  const once = asked.filter((id) => isGreen(first.get(id)));
  const second = once.length === 0 ? first : await outcomesWith(work, altered, once, isPlain);
  if (typeof second === 'string') return second;
  return {
    green: once.filter((id) => isGreen(second.get(id))),
    exchanged: asked.filter((id) => first.get(id)?.includes('fail')),
  };
}

/** By the test's id; none where that cannot be told, and a sentence where it cannot be believed. */
async function outcomesWith(
  work: Judging,
  altered: ReadonlyMap<string, Altered>,
  asked: readonly string[],
  isPlain: boolean,
): Promise<ReadonlyMap<string, readonly Outcome[]> | string> {
  const request = { ...work, head: work.trees.head };
  const chosen = isPlain && RUNNERS[work.commands.runner].choosesTests === 'believed';
  const guards = { tests: byFile(asked), durationMs: 0, chosen };
  const others = () => new Map([...altered].map(([file, { text }]) => [file, text]));
  const run = await onChanged(request, others, (copy) => ask(request, copy, guards, 'patiently'));
  const problem = problemOf(run);
  if (problem !== undefined) work.log(`what they came to cannot be told, and shows nothing: ${problem}`);
  if (typeof run === 'string') return new Map();
  if (!run.trusted && !run.isLate) return `${UNBELIEVABLE} ${run.problem}.`;
  return new Map(asked.map((id) => [id, outcomesOf(run, id, namesOf(altered, id))]));
}

const UNBELIEVABLE = 'The tests cannot be believed where they expect something else than they were written to:';

/** Why nothing came of it; undefined where something did. */
function problemOf(run: TestRun | 'broken' | 'refused'): string | undefined {
  if (typeof run === 'string') return PROBLEMS[run];
  return run.trusted ? undefined : run.problem;
}

const PROBLEMS = { broken: 'the head with them cannot be built', refused: 'a test file is none to write' } as const;

/** Where what the test expects was altered. */
function linesOf(altered: ReadonlyMap<string, Altered>, id: string): readonly number[] {
  const { lines } = altered.get(fileOf(id)) ?? {};
  return namesOf(altered, id).flatMap((name) => lines?.get(name) ?? []);
}

/** The names in the file that a test may go by; none where that is not clear. */
function namesOf(altered: ReadonlyMap<string, Altered>, id: string): readonly string[] {
  const { lines = new Map<string, readonly number[]>() } = altered.get(fileOf(id)) ?? {};
  const [name, bare] = [nameOf(id), bareOf(id)];
  const own = [...lines.keys()].filter((key) => isNamedBy(key, name) || key === bare);
  return own.length === 1 ? own : [];
}

/** Without the values of parameters. */
function bareOf(id: string): string {
  return nameOf(id).replace(/\[.*\]$/s, '');
}

/** Outcomes of all that goes by the test's name, as far as it was run. */
function outcomesOf({ trusted, results }: TestRun, id: string, [name]: readonly string[]): readonly Outcome[] {
  if (!trusted || name === undefined) return [];
  const isOwn = (other: string) =>
    name === nameOf(id)
      ? other === id
      : fileOf(other) === fileOf(id) && (isNamedBy(name, nameOf(other)) || name === bareOf(other));
  return [...results].flatMap(([other, { outcome }]) => (outcome !== 'not-run' && isOwn(other) ? [outcome] : []));
}

function finding(id: string, lines: readonly number[]): Defect {
  const [line] = lines;
  const places = lines.toSorted((one, next) => one - next).join(', ');
  return findingDefect({
    rule: 'test-unheeded',
    about: nameOf(id),
    file: fileOf(id),
    ...(line === undefined ? {} : { line }),
    message: `${id} passes as well where it expects something else (${lines.length === 1 ? 'line' : 'lines'} ${places}), so something other than its assertions decides.`,
    suggestion:
      'Look for code that replaces assertions, makes each comparison true, or reads the test; or for assertions that are never reached.',
    bound: [id],
  });
}
