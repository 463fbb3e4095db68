/** How much the tests notice: faults in the changed lines, one at a time, each in a copy of the head. */
import { performance } from 'node:perf_hooks';
import type { Strength } from '../loop/strength.ts';
import { MOST_PLACES, placesOf, possibleFaults, readable, survivorsOf } from '../syntax/changed-code.ts';
import { type Fault, spread, withFault } from '../syntax/faults.ts';
import type { Replacement } from '../syntax/language.ts';
import { languageOf, type Parsers } from '../syntax/parsers.ts';
import { reworded } from '../syntax/reworded.ts';
import { inParallel, lanesOf } from '../test-runs/in-parallel.ts';
import { reachedBy, unreachedOf } from './reached.ts';
import { ask, type Guards, idsOf, onChanged, passingIn, type Texts, type TrialRequest } from './trial.ts';

export interface StrengthRequest extends TrialRequest {
  readonly parsers: Parsers;
  /** Those that need the change, by themselves: they are asked first, and what they notice nobody else is asked. Empty where each must say what it notices. */
  readonly proving: Guards;
  /** The changed tests, and the others, which are asked where those notice nothing. */
  readonly own: Guards;
  readonly others: Guards;
  /** How many faults may be made. */
  readonly faults: number;
  readonly log: (line: string) => void;
}

export interface Measured {
  /** Of all tests together. */
  readonly all: Strength;
  /** Own tests that read the text of the changed files: they are asked for no fault. */
  readonly readers: ReadonlySet<string>;
  /** Of some of the own tests: the faults that they come to. */
  readonly of: (tests: Guards['tests']) => Promise<Strength>;
}

/** What the tests did with a fault: noticed, stayed green, never came to its line, or could not be judged; `broken` where the product cannot be built with it. */
type Noticed = 'noticed' | 'survived' | 'unreached' | 'unmeasured' | 'broken';

interface Trial {
  readonly fault: Fault;
  readonly noticed: Noticed;
  /** The own tests that do not pass with it. */
  readonly by: ReadonlySet<string>;
}

/** Null where the changed lines can take no fault. */
export async function strengthOf(request: StrengthRequest): Promise<Measured | null> {
  const texts = await changedTexts(request);
  const possible = [...texts].flatMap(([file, text]) => possibleIn(request, file, text));
  const all = spread(possible, MOST_PLACES);
  if (all.length === 0 || request.faults === 0) return null;
  request.log(`looking which of ${all.length} places for faults in the changed lines the tests come to`);
  const looking = await withoutReaders(request, texts, all);
  const unreached = await unreachedOf(request, { texts, faults: all }, [async () => looking.own, looking.others]);
  // The budget is for what tests come to; where they do not, nothing has to be tried.
  const left = all.filter((fault) => !unreached.has(fault));
  const reached = readable(request.parsers, { texts, faults: left }, request.faults);
  if (reached.length + unreached.size === 0) return null;
  request.log(`${reached.length === 1 ? '1 fault' : `${reached.length} faults`} in the changed lines, one at a time`);
  const faults = [...reached, ...unreached];
  const tell = progress(reached.length, request.log);
  const tryOne = async (fault: Fault): Promise<Trial> => {
    if (unreached.has(fault)) return { fault, ...NEVER_REACHED };
    const trial = await judge(request, looking, { fault, text: texts.get(fault.file) ?? '' });
    tell();
    return { fault, ...trial };
  };
  const trials = await inParallel(faults, tryOne, lanesOf(request.sandbox));
  return {
    all: counted(trials, texts),
    readers: new Set(idsOf(request.own).filter((id) => !looking.own.tests.values().some((ids) => ids.includes(id)))),
    of: async (tests) => {
      const asked = passing(looking.own, tests);
      const reached =
        asked.tests.size === 0 ? new Set() : await reachedBy(request, { texts, faults: placesIn(trials) }, asked);
      return counted(
        trials.map((trial) => shareOfTrial(trial, new Set(idsOf(asked)), reached.has(trial.fault))),
        texts,
      );
    },
  };
}

async function changedTexts({ repository, change }: StrengthRequest): Promise<Texts> {
  const texts = new Map<string, string>();
  // A link is no code of its own.
  for (const file of change.product)
    if (languageOf(file) !== undefined && change.headFiles.get(file)?.startsWith('100') === true)
      texts.set(file, (await repository.git(['show', `${change.head}:${file}`])).toString('utf8'));
  return texts;
}

/** Those of the tests that still look at what the product does. */
function passing(own: Guards, tests: Guards['tests']): Guards {
  const left = [...tests].map(
    ([file, ids]) => [file, ids.filter((id) => own.tests.get(file)?.includes(id) === true)] as const,
  );
  return { ...own, tests: new Map(left.filter(([, ids]) => ids.length > 0)) };
}

function placesIn(trials: readonly Trial[]): readonly Fault[] {
  return trials.filter(({ noticed }) => noticed !== 'unreached').map(({ fault }) => fault);
}

/** What some of the tests did with it; that another test noticed it is not theirs. */
function shareOfTrial({ fault, noticed, by }: Trial, ids: ReadonlySet<string>, isReached: boolean): Trial {
  const own = new Set([...by].filter((id) => ids.has(id)));
  if (own.size > 0) return { fault, noticed: 'noticed', by: own };
  if (!isReached) return { fault, noticed: 'unreached', by: own };
  return { fault, noticed: noticed === 'noticed' ? 'survived' : noticed, by: own };
}

function counted(trials: readonly Trial[], texts: Texts): Strength {
  const of = (wanted: Noticed) => trials.filter(({ noticed }) => noticed === wanted).map(({ fault }) => fault);
  return {
    made: of('noticed').length + of('survived').length,
    noticed: of('noticed').length,
    unmeasured: of('unmeasured').length,
    unreached: placesOf(of('unreached')),
    survivors: survivorsOf(of('survived'), texts),
  };
}

const TOLD_EVERY_MS = 10_000;

/** To be called after each fault; says now and then how many were tried, and how long the others take where that is minutes. */
function progress(all: number, log: (line: string) => void): () => void {
  const startedMs = performance.now();
  let tried = 0;
  let toldMs = startedMs;
  return () => {
    tried += 1;
    const nowMs = performance.now();
    if (nowMs - toldMs < TOLD_EVERY_MS || tried === all) return;
    toldMs = nowMs;
    const minutes = Math.round((((nowMs - startedMs) / tried) * (all - tried)) / 60_000);
    log(`${tried} of ${all} tried${minutes === 0 ? '' : `, about ${minutes} min more`}`);
  };
}

function possibleIn({ parsers, change }: StrengthRequest, file: string, text: string): readonly Fault[] {
  const lines = new Set(change.added.filter((line) => line.file === file).map(({ line }) => line));
  return possibleFaults(parsers, { file, text, lines });
}

const NEVER_REACHED = { noticed: 'unreached', by: new Set<string>() } as const;

/** What the tests do with one other text of a changed file, whoever reads it. */
export async function noticedWith(request: StrengthRequest, fault: Altering, text: string): Promise<Noticed> {
  const looking = { ...request, others: async () => request.others };
  return (await judge(request, looking, { fault, text })).noticed;
}

type Altering = Replacement & Pick<Fault, 'file'>;

async function judge(
  request: StrengthRequest,
  looking: Looking,
  { fault, text }: { readonly fault: Altering; readonly text: string },
): Promise<Omit<Trial, 'fault'>> {
  const found = await onChanged(
    request,
    () => new Map([[fault.file, withFault(text, fault)]]),
    (copy) => noticedIn(request, looking, copy),
  );
  if (typeof found !== 'string') return found;
  return { noticed: found === 'broken' ? found : 'unmeasured', by: new Set() };
}

/** Each time the next tests where those before notice nothing. */
async function noticedIn(
  request: StrengthRequest,
  { proving, own, others }: Looking,
  copy: string,
): Promise<Omit<Trial, 'fault'>> {
  for (const guards of [proving, own, others]) {
    const red = await redOf(request, copy, typeof guards === 'function' ? await guards() : guards);
    if (red === undefined) return { noticed: 'unmeasured', by: new Set() };
    if (red.size > 0) return { noticed: 'noticed', by: guards === others ? new Set() : red };
  }
  return { noticed: 'survived', by: new Set() };
}

/** The tests that do not pass; undefined where that cannot be told. */
async function redOf(
  request: StrengthRequest,
  directory: string,
  guards: Guards,
): Promise<ReadonlySet<string> | undefined> {
  if (guards.tests.size === 0) return new Set();
  const { trusted, results } = await ask(request, directory, guards);
  return trusted ? new Set(idsOf(guards).filter((id) => results.get(id)?.outcome !== 'pass')) : undefined;
}

/** The tests that look at what the product does. */
interface Looking {
  readonly proving: Guards;
  readonly own: Guards;
  /** Found out when they are asked for the first time: where the own tests notice everything, nobody runs the whole suite for it. */
  readonly others: () => Promise<Guards>;
}

/** Without the tests that are red where nothing but spaces came into the changed files: they read the text, and would notice every fault. */
async function withoutReaders(request: StrengthRequest, texts: Texts, faults: readonly Fault[]): Promise<Looking> {
  const changed = reworded(request.parsers, texts, faults);
  const looking = async (guards: Guards): Promise<Guards> => {
    if (guards.tests.size === 0 || changed.size === 0) return guards;
    const found = await onChanged(
      request,
      () => changed,
      async (copy) => passingIn(await ask(request, copy, guards, 'patiently'), guards),
    );
    // Spaces break no build; where one breaks all the same, nothing is known of the tests.
    return typeof found === 'string' ? guards : told(request, guards, found);
  };
  let others: Promise<Guards> | undefined;
  return {
    proving: await looking(request.proving),
    own: await looking(request.own),
    others() {
      others ??= looking(request.others);
      return others;
    },
  };
}

function told({ log }: StrengthRequest, before: Guards, after: Guards): Guards {
  const left = idsOf(before).length - idsOf(after).length;
  if (left > 0 && before.chosen !== true)
    log(
      `${left === 1 ? '1 test is' : `${left} tests are`} red already where only spaces are added, so they read text and are asked for no fault`,
    );
  return after;
}
