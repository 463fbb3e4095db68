/** Faults in the lines that a candidate changed, one at a time: which of them the tests of its requirements notice. */
import type { Strength } from '../../loop/strength.ts';
import { MOST_PLACES, placesOf, possibleFaults, readable, survivorsOf } from '../../syntax/changed-code.ts';
import { type Fault, inTurns, spread } from '../../syntax/faults.ts';
import type { Placed } from '../../syntax/reach.ts';
import { inParallel } from '../../test-runs/in-parallel.ts';
import { type FrozenTest, idOf } from './frozen-run.ts';
import { loadsWith } from './loads.ts';
import { codeFiles, textsOf } from './product-code.ts';
import { lookedAt, type ReachOfKept, reachOfKept } from './reached.ts';
import {
  type Answer,
  byWaiting,
  fails,
  type Texts,
  type Trial,
  textOf,
  tryFault,
  tryFaultOnKept,
  type Work,
  workers,
} from './trial.ts';

/** A requirement of kind change whose tests show it, but for faults. */
export interface Claim {
  readonly requirement: string;
  /** What its tasks name. */
  readonly files: readonly string[];
  readonly tests: readonly FrozenTest[];
}

export interface Noticed {
  /** A fault in the change that made a test of the requirement fail by assertion. */
  readonly fault: string | undefined;
  /** Of the faults, for people. */
  readonly detail: string;
  /** In the lines of the requirement's own files, whichever test notices. */
  readonly strength: Strength;
}

/** A budget of faults, not of seconds: the same candidate has the same verdict on any machine. */
export const MOST_FAULTS = 30;

/** By requirement; none for a requirement in whose files no fault can be made. */
export async function tryChange(
  work: Work,
  claims: readonly Claim[],
  keeping: readonly FrozenTest[],
): Promise<ReadonlyMap<string, Noticed>> {
  const changed = codeFiles(work).filter((path) => work.changedLines.has(path));
  const texts = await textsOf(work, changed);
  const { places, asked: claiming } = await placesFor(work, texts, claims);
  if (claiming.length === 0) return new Map();
  const placed = { texts, faults: places };
  const { readers, unreached, asked, all } = await lookingTests(work, placed, claiming, keeping);
  const byKept = keptReach(work, placed);
  const { faults, missed } = await chosenFaults(work, { placed, unreached, byKept });
  work.bench.environment.log(`${faults.length} faults in the changed lines, one at a time`);
  const tests = Map.groupBy(all, ({ file }) => file);
  const tested: Tested = { work, texts, tests, unreached, byKept, faults, missed, trials: new Map() };
  const counted = faults.filter(({ file }) => asked.some(({ files }) => files.includes(file)));
  const [shown] = await Promise.all([
    inParallel(asked, (claim) => shownBy(tested, claim), 1),
    inParallel(byWaiting(counted, 'longest first'), (fault) => judge(tested, fault, asked), workers(work)),
  ]);
  const found = new Map<string, Noticed>();
  for (const [index, { requirement, files }] of asked.entries()) {
    const fault = shown[index];
    const read = claiming[index]?.tests.some((test) => readers.has(idOf(test)));
    const none = `none of ${faults.filter((fault) => !unreached.has(fault)).length} faults makes it fail${read ? ', but for tests that are red already where only spaces are added: they read the text of the source' : ''}`;
    const detail = fault === undefined ? none : `noticed: ${textOf(fault)}`;
    found.set(requirement, { fault: fault && textOf(fault), detail, strength: await strengthIn(tested, files) });
  }
  return found;
}

/** Frozen tests that look at what the product does, of each claim and all together, and to which places none of them comes. */
async function lookingTests(work: Work, placed: Placed, claiming: readonly Claim[], keeping: readonly FrozenTest[]) {
  const every = [...claiming.flatMap(({ tests }) => tests), ...keeping];
  const { readers, unreached } = await lookedAt(work, placed, every);
  const looking = (tests: readonly FrozenTest[]) => tests.filter((test) => !readers.has(idOf(test)));
  const asked = claiming.map((claim) => ({ ...claim, tests: looking(claim.tests) }));
  return { readers, asked, all: looking(every), unreached };
}

/** Where tests come to. */
interface Reach {
  /** The faults, of those and others, where no frozen test comes to. */
  readonly unreached: ReadonlySet<Fault>;
  readonly byKept: () => Promise<ReachOfKept>;
}

/** Found out when it is asked for the first time: where the frozen tests notice everything, nobody runs the whole suite for it. */
function keptReach(work: Work, placed: Placed): Reach['byKept'] {
  let found: Promise<ReachOfKept> | undefined;
  return () => {
    found ??= reachOfKept(work, placed);
    return found;
  };
}

interface Tested extends Reach {
  readonly work: Work;
  readonly texts: Texts;
  readonly faults: readonly Fault[];
  /** Where no test comes to, so that there is nothing to try. */
  readonly missed: readonly Fault[];
  /** All tests that may notice a fault, by file. */
  readonly tests: ReadonlyMap<string, readonly FrozenTest[]>;
  /** What the tests of a file, by path, did with a fault. */
  readonly trials: Map<Fault, Map<string, Promise<Trial>>>;
}

interface Places {
  readonly places: readonly Fault[];
  /** Those in whose files a fault can be made. */
  readonly asked: readonly Claim[];
}

/** The requirements take turns; what no task of theirs names comes last, because a list of files may lack one. */
async function placesFor({ bench, changedLines }: Work, texts: Texts, claims: readonly Claim[]): Promise<Places> {
  const parsers = await bench.environment.parsers();
  const all = [...texts].flatMap(([file, text]) =>
    possibleFaults(parsers, { file, text, lines: changedLines.get(file) ?? new Set() }),
  );
  const ownOf = ({ files }: Claim) => all.filter(({ file }) => files.includes(file));
  const asked = claims.filter((claim) => ownOf(claim).length > 0);
  const turns = inTurns(asked.map((claim) => spread(ownOf(claim), all.length)));
  const ordered = [...new Set([...turns, ...spread(all, all.length)])];
  return { places: ordered.slice(0, MOST_PLACES), asked };
}

interface Chosen {
  readonly faults: readonly Fault[];
  readonly missed: readonly Fault[];
}

/** The budget is for what tests come to, frozen ones first. */
async function chosenFaults(
  { bench }: Work,
  { placed: { texts, faults: places }, unreached, byKept }: Reach & { readonly placed: Placed },
): Promise<Chosen> {
  const parsers = await bench.environment.parsers();
  const [left, reached] = [places.filter((one) => unreached.has(one)), places.filter((one) => !unreached.has(one))];
  const own = readable(parsers, { texts, faults: reached }, MOST_FAULTS);
  if (left.length === 0) return { faults: own, missed: [] };
  const { faults: reachedToo } = await byKept();
  const others = left.filter((fault) => reachedToo.has(fault));
  return {
    faults: [...own, ...readable(parsers, { texts, faults: others }, MOST_FAULTS - own.length)],
    missed: left.filter((fault) => !reachedToo.has(fault)),
  };
}

/**
 * The first fault that makes a test of the requirement fail by assertion, its own files first. A fault with which the file cannot even be
 * loaded shows nothing of what the test looks at.
 */
async function shownBy(tested: Tested, { files, tests }: Claim): Promise<Fault | undefined> {
  const { work, texts, faults, unreached } = tested;
  const reached = faults.filter((fault) => !unreached.has(fault));
  const isOwn = ({ file }: Fault) => files.includes(file);
  for (const fault of [...reached.filter(isOwn), ...reached.filter((one) => !isOwn(one))]) {
    for (const [file, own] of Map.groupBy(tests, (test) => test.file)) {
      const isFail = fails(await tried(tested, fault, file), own);
      if (isFail && (await loadsWith(work, fault, texts.get(fault.file) ?? ''))) return fault;
    }
  }
  return undefined;
}

/** Until a test notices: first those of the requirements whose files these are, at last the existing ones, where they come to it. */
async function judge(tested: Tested, fault: Fault, asked: readonly Claim[]): Promise<void> {
  if (!tested.unreached.has(fault) && (await isNoticed(tested, fault, asked))) return;
  if ((await tested.byKept()).faults.has(fault)) await tried(tested, fault, KEPT);
}

async function isNoticed(tested: Tested, fault: Fault, asked: readonly Claim[]): Promise<boolean> {
  const own = asked.filter(({ files }) => files.includes(fault.file));
  const first = own.flatMap(({ tests }) => tests.map(({ file }) => file));
  for (const file of new Set([...first, ...tested.tests.keys()]))
    if ((await tried(tested, fault, file)).answer === 'noticed') return true;
  return false;
}

/** Stands for the files of all existing tests. */
const KEPT = '';

/** What all tests of one file do with the fault; none is asked twice. */
function tried(tested: Tested, fault: Fault, file: string): Promise<Trial> {
  const { work, texts, tests, trials } = tested;
  const known = trials.get(fault) ?? new Map<string, Promise<Trial>>();
  trials.set(fault, known);
  const text = texts.get(fault.file) ?? '';
  const trial =
    known.get(file) ??
    (file === KEPT
      ? tested.byKept().then(({ kept }) => tryFaultOnKept({ ...work, kept }, { fault, text }))
      : tryFault(work, { fault, text, tests: tests.get(file) ?? [] }));
  known.set(file, trial);
  return trial;
}

/** What counts of several answers. */
const ORDER: readonly Answer[] = ['noticed', 'broken', 'unmeasured', 'survived'];

async function strengthIn(
  { faults, unreached, missed: never, trials, texts }: Tested,
  files: readonly string[],
): Promise<Strength> {
  const isOwn = ({ file }: Fault) => files.includes(file);
  const own = faults.filter(isOwn);
  const byAnswer: Record<Answer, Fault[]> = { noticed: [], survived: [], unmeasured: [], broken: [] };
  const missed = never.filter(isOwn);
  for (const fault of own) {
    const answers = (await Promise.all(trials.get(fault)?.values() ?? [])).map(({ answer }) => answer);
    if (unreached.has(fault) && !answers.includes('noticed')) {
      missed.push(fault);
      continue;
    }
    byAnswer[ORDER.find((answer) => answers.includes(answer)) ?? 'unmeasured'].push(fault);
  }
  return {
    made: byAnswer.noticed.length + byAnswer.survived.length,
    noticed: byAnswer.noticed.length,
    unmeasured: byAnswer.unmeasured.length,
    unreached: placesOf(missed),
    survivors: survivorsOf(byAnswer.survived, texts),
  };
}
