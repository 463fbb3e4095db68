/** Faults in the lines that a candidate changed, one at a time: which of them the tests of its requirements notice. */
import type { Outcome } from '../../loop/brief.ts';
import type { Strength } from '../../loop/strength.ts';
import { placesOf, possibleFaults, survivorsOf } from '../../syntax/changed-code.ts';
import { type Fault, inTurns, spread } from '../../syntax/faults.ts';
import { languageOf } from '../../syntax/parsers.ts';
import { endedBefore } from '../../syntax/reach.ts';
import { inParallel } from '../../test-runs/in-parallel.ts';
import { type FrozenTest, idOf } from './frozen-run.ts';
import { loadsWith } from './loads.ts';
import { codeFiles, textsOf } from './product-code.ts';
import { type Trial, textOf, tryFault, turnsRed, type Work } from './trial.ts';

/** A requirement of kind change whose tests show it, but for faults. */
export interface Claim {
  readonly requirement: string;
  /** What its tasks name. */
  readonly files: readonly string[];
  readonly tests: readonly FrozenTest[];
}

/** What the tests of a requirement did with the faults. */
export interface Noticed {
  /** Of each of its tests that were asked: whether a fault made it fail by assertion. */
  readonly mutated: ReadonlyMap<string, Outcome>;
  /** A fault that did. */
  readonly fault: string | undefined;
  /** Of the faults, for people. */
  readonly detail: string;
  readonly strength: Strength;
}

/** A budget of faults, not of seconds: the same candidate has the same verdict on any machine. */
export const MOST_FAULTS = 40;

/** By requirement; none for a requirement in whose files no fault can be made. */
export async function tryChange(
  work: Work,
  claims: readonly Claim[],
  keeping: readonly FrozenTest[],
): Promise<ReadonlyMap<string, Noticed>> {
  const texts = await textsOf(
    work,
    codeFiles(work).filter((path) => work.changedLines.has(path)),
  );
  const { faults, asked } = await chosenFaults(work, texts, claims);
  const isParallel = work.bench.environment.sandbox.kind !== 'none';
  const trials = await inParallel(
    faults,
    (fault) => {
      const own = asked.filter(({ files }) => files.includes(fault.file));
      const rest = asked.filter((claim) => !own.includes(claim));
      const groups = [testsOf(own), [...testsOf(rest), ...keeping]].filter(({ length }) => length > 0);
      return tryFault(work, { fault, text: texts.get(fault.file) ?? '', groups });
    },
    isParallel ? undefined : 1,
  );
  const tested: Tested = { work, texts, trials, unreached: new Set() };
  for (const { fault, answer } of trials)
    if (answer === 'survived' && (await isUnreached(tested, fault, [...testsOf(asked), ...keeping])))
      tested.unreached.add(fault);
  const found = new Map<string, Noticed>();
  for (const claim of asked) found.set(claim.requirement, await noticedBy(tested, claim));
  return found;
}

interface Tested {
  readonly work: Work;
  readonly texts: ReadonlyMap<string, string>;
  readonly trials: readonly Trial[];
  readonly unreached: Set<Fault>;
}

function testsOf(claims: readonly Claim[]): FrozenTest[] {
  return claims.flatMap(({ tests }) => tests);
}

interface Chosen {
  readonly faults: readonly Fault[];
  /** Those in whose files a fault can be made. */
  readonly asked: readonly Claim[];
}

/** The requirements take turns; what no task of theirs names comes last, because a list of files may lack one. */
async function chosenFaults(
  { bench, changedLines }: Work,
  texts: ReadonlyMap<string, string>,
  claims: readonly Claim[],
): Promise<Chosen> {
  const parsers = await bench.environment.parsers();
  const all = [...texts].flatMap(([file, text]) =>
    possibleFaults(parsers, { file, text, lines: changedLines.get(file) ?? new Set() }),
  );
  const ownOf = ({ files }: Claim) => all.filter(({ file }) => files.includes(file));
  const asked = claims.filter((claim) => ownOf(claim).length > 0);
  if (asked.length === 0) return { faults: [], asked };
  const turns = inTurns(asked.map((claim) => spread(ownOf(claim), MOST_FAULTS)));
  const faults = [...new Set([...turns, ...spread(all, all.length)])].slice(0, MOST_FAULTS);
  return { faults, asked };
}

/** A fault whose statement no test comes to is told apart: it says nothing of what they assert. */
async function isUnreached({ work, texts }: Tested, fault: Fault, tests: readonly FrozenTest[]): Promise<boolean> {
  const [language, text] = [languageOf(fault.file), texts.get(fault.file) ?? ''];
  const parsers = await work.bench.environment.parsers();
  const ended = language && endedBefore(parsers, language, text, fault);
  return ended !== undefined && (await turnsRed(work, { path: fault.file, text: ended }, tests)) === false;
}

/** What nobody noticed counts for each requirement in whose files it is; what was noticed, for those whose tests did. */
async function noticedBy({ work, texts, trials, unreached }: Tested, claim: Claim): Promise<Noticed> {
  const ids = claim.tests.map(idOf);
  const own = trials.filter(({ fault }) => claim.files.includes(fault.file));
  const isOwnRed = ({ outcomes }: Trial) => ids.some((id) => (outcomes.get(id) ?? 'pass') !== 'pass');
  const noticed = trials.filter((trial) => trial.answer === 'noticed' && isOwnRed(trial));
  const survived = own.filter(({ answer }) => answer === 'survived').map(({ fault }) => fault);
  const reached = survived.filter((fault) => !unreached.has(fault));
  const { mutated, fault } = await failing(work, texts, { ids, trials });
  return {
    mutated,
    fault: fault === undefined ? undefined : textOf(fault),
    detail:
      fault === undefined
        ? `none of ${own.length} faults in ${claim.files.join(', ')} makes it fail`
        : `noticed: ${textOf(fault)}`,
    strength: {
      made: noticed.length + reached.length,
      noticed: noticed.length,
      unmeasured: own.filter(({ answer }) => answer === 'unmeasured').length,
      unreached: placesOf(survived.filter((one) => unreached.has(one))),
      survivors: survivorsOf(reached, texts),
    },
  };
}

interface Failing {
  readonly mutated: ReadonlyMap<string, Outcome>;
  readonly fault: Fault | undefined;
}

/** Which tests some fault makes fail by assertion. A fault with which the file cannot even be loaded shows nothing of that. */
async function failing(
  work: Work,
  texts: ReadonlyMap<string, string>,
  { ids, trials }: { readonly ids: readonly string[]; readonly trials: readonly Trial[] },
): Promise<Failing> {
  const mutated = new Map<string, Outcome>(ids.map((id) => [id, 'pass']));
  let shown: Fault | undefined;
  for (const { fault, outcomes } of trials) {
    const red = ids.filter((id) => outcomes.get(id) === 'fail' && mutated.get(id) !== 'fail');
    if (red.length === 0 || !(await loadsWith(work, fault, texts.get(fault.file) ?? ''))) continue;
    for (const id of red) mutated.set(id, 'fail');
    shown ??= fault;
  }
  return { mutated, fault: shown };
}
