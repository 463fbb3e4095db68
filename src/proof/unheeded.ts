/** Tests that need the change and pass whatever they expect: something else than what they assert decides. */
import { findingDefect } from '../guard/waivers.ts';
import type { Defect } from '../loop/measurement.ts';
import { type Altered, withOtherExpectations } from '../rules/expectations.ts';
import { RUNNERS } from '../runners/runners.ts';
import type { TestRun } from '../test-runs/test-run.ts';
import { textsIn } from '../trees/repository.ts';
import type { Judging } from './judging.ts';
import type { ProofRow } from './proof.ts';
import { byFile, fileOf, nameOf } from './test-ids.ts';
import { ask, idsOf, onChanged, passingIn } from './trial.ts';

/**
 * A product that replaces the assertions, answers each comparison with yes or looks up in the test what it has to say is content with other
 * expectations too. Of a test with none that can be read, and where a run takes too long, nothing is found: such a test may wait for ever. A
 * sentence where a run cannot be believed, for a change that only then writes what is not the runner's has something to hide.
 */
export async function unheeded(work: Judging, rows: readonly ProofRow[]): Promise<readonly Defect[] | string> {
  const { change, repository, parsers, trees, log } = work;
  const proving = rows.flatMap(({ role, test }) => (role === 'proves' ? [test] : []));
  const texts = await textsIn(repository, change.headFiles, proving.map(fileOf));
  const altered = new Map(
    [...texts].flatMap(([file, text]) => {
      const other = withOtherExpectations(parsers, file, text);
      return other === undefined ? [] : [[file, other] as const];
    }),
  );
  const asked = proving.filter((id) => linesOf(altered, id).length > 0);
  if (asked.length === 0) return [];
  log(`tests that need the change, asked with other expectations: ${asked.length} of ${proving.length}`);
  const request = { ...work, head: trees.head };
  const others = () => new Map([...altered].map(([file, { text }]) => [file, text]));
  const chosen = RUNNERS[work.commands.runner].choosesTests === 'believed';
  let green: readonly string[] = asked;
  // What is now red and now green is not found.
  for (let turn = 0; turn < 2 && green.length > 0; turn += 1) {
    const guards = { tests: byFile(green), durationMs: 0, chosen };
    const run = await onChanged(request, others, (copy) => ask(request, copy, guards, 'patiently'));
    if (typeof run !== 'string' && !run.trusted && !run.isLate) return `${UNBELIEVABLE} ${run.problem}.`;
    const problem = problemOf(run);
    if (problem !== undefined) log(`what they came to cannot be told, and shows nothing: ${problem}`);
    green = typeof run === 'string' ? [] : idsOf(passingIn(run, guards));
  }
  return green.map((id) => finding(id, linesOf(altered, id)));
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
  return lines?.get(nameOf(id)) ?? lines?.get(nameOf(id).replace(/\[.*\]$/s, '')) ?? [];
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
