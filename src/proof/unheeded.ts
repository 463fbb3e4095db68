/** Tests that need the change and pass whatever they expect: something else than what they assert decides. */
import { findingDefect } from '../guard/waivers.ts';
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

/**
 * A product that replaces the assertions, answers each comparison with yes or looks up in the test what it has to say is content with other
 * expectations too. Of a test with none that can be read, and where a run takes too long, nothing is found: such a test may wait for ever. A
 * sentence where a run cannot be believed, for a change that only then writes what is not the runner's has something to hide.
 */
export async function unheeded(work: Judging, rows: readonly ProofRow[]): Promise<readonly Defect[] | string> {
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
  if (asked.length === 0) return [];
  const green = await greenWith(work, altered, asked);
  return typeof green === 'string' ? green : green.map((id) => finding(id, linesOf(altered, id)));
}

/** Nobody is to take a test for asked that was not. */
function askedLine(asked: number, of: number): string {
  const others = of - asked;
  const compare = `${others} ${others === 1 ? 'compares' : 'compare'}`;
  const unread = others === 0 ? '' : `; ${compare} with nothing that can be exchanged`;
  return `tests that need the change, asked with other expectations: ${asked} of ${of}${unread}`;
}

/** Those of the tests that pass with the altered texts twice: what is now red and now green is not found. */
async function greenWith(
  work: Judging,
  altered: ReadonlyMap<string, Altered>,
  asked: readonly string[],
): Promise<readonly string[] | string> {
  const request = { ...work, head: work.trees.head };
  const others = () => new Map([...altered].map(([file, { text }]) => [file, text]));
  // What a table puts into a name is another then: of such a test nothing can be chosen.
  const isPlain = asked.every((id) => namesOf(altered, id).includes(nameOf(id)));
  const chosen = isPlain && RUNNERS[work.commands.runner].choosesTests === 'believed';
  let green = asked;
  for (let turn = 0; turn < 2 && green.length > 0; turn += 1) {
    const guards = { tests: byFile(green), durationMs: 0, chosen };
    const run = await onChanged(request, others, (copy) => ask(request, copy, guards, 'patiently'));
    const problem = problemOf(run);
    if (problem !== undefined) work.log(`what they came to cannot be told, and shows nothing: ${problem}`);
    if (typeof run === 'string') return [];
    if (!run.trusted && !run.isLate) return `${UNBELIEVABLE} ${run.problem}.`;
    const isStillGreen = (id: string) => isGreen(run, id, namesOf(altered, id));
    green = green.filter(isStillGreen);
  }
  return green;
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

/** Whether all that goes by the test's name passes, where there is any. */
function isGreen({ trusted, results }: TestRun, id: string, [name]: readonly string[]): boolean {
  if (!trusted || name === undefined) return false;
  if (name === nameOf(id)) return results.get(id)?.outcome === 'pass';
  const own = [...results].filter(([other, { outcome }]) => {
    const isOfFile = fileOf(other) === fileOf(id) && outcome !== 'not-run';
    return isOfFile && (isNamedBy(name, nameOf(other)) || name === bareOf(other));
  });
  return own.length > 0 && own.every(([, { outcome }]) => outcome === 'pass');
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
