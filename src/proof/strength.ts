/** How much the tests notice: faults in the changed lines, one at a time, each in a copy of the head. */
import { performance } from 'node:perf_hooks';
import type { Commands } from '../loop/brief.ts';
import type { Strength } from '../loop/strength.ts';
import type { RunnerName } from '../runners/runners.ts';
import { overwriteInside } from '../sandbox/inside.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { placesOf, possibleFaults, readable, survivorsOf } from '../syntax/changed-code.ts';
import { type Fault, spread, withFault } from '../syntax/faults.ts';
import { languageOf, type Parsers } from '../syntax/parsers.ts';
import { endedBefore } from '../syntax/reach.ts';
import { reworded } from '../syntax/reworded.ts';
import { inParallel } from '../test-runs/in-parallel.ts';
import { runTests } from '../test-runs/test-run.ts';
import { onCopy } from '../trees/copies.ts';
import type { Repository } from '../trees/repository.ts';
import { built } from './build.ts';
import type { Change } from './change.ts';

/** Tests that pass on the head, which a fault may make fail. */
export interface Guards {
  /** By file, ids `file::name`. */
  readonly tests: ReadonlyMap<string, readonly string[]>;
  /** What a run of them takes on the head. */
  readonly durationMs: number;
}

export interface StrengthRequest {
  readonly parsers: Parsers;
  readonly repository: Repository;
  readonly sandbox: Sandbox;
  readonly runner: RunnerName;
  readonly junit?: Commands['junit'];
  readonly build: string | null;
  readonly change: Change;
  /** The tree of the head. */
  readonly head: string;
  /** The changed tests, and the others, which are asked where those notice nothing. */
  readonly own: Guards;
  readonly others: Guards;
  /** How many faults may be made. */
  readonly faults: number;
  /** No run takes longer, whatever the head takes. */
  readonly timeoutMs: number;
  readonly outputBytes: number;
  readonly log: (line: string) => void;
}

/** What the tests did with a fault: noticed, stayed green, never came to its line, or could not be judged; `broken` where the product cannot be built with it. */
type Noticed = 'noticed' | 'survived' | 'unreached' | 'unmeasured' | 'broken';

/** Null where the changed lines can take no fault. */
export async function strengthOf(request: StrengthRequest): Promise<Strength | null> {
  const { repository, change, log } = request;
  const texts = new Map<string, string>();
  // A link is no code of its own.
  for (const file of change.product)
    if (languageOf(file) !== undefined && change.headFiles.get(file)?.startsWith('100') === true)
      texts.set(file, (await repository.git(['show', `${change.head}:${file}`])).toString('utf8'));
  const possible = [...texts].flatMap(([file, text]) => possibleIn(request, file, text));
  const faults = readable(request.parsers, { texts, faults: spread(possible, possible.length) }, request.faults);
  if (faults.length === 0) return null;
  log(`${faults.length} faults in the changed lines, one at a time`);
  const looking = await withoutReaders(request, texts, faults);
  const told = progress(faults.length, log);
  const judged = await inParallel(faults, async (fault) => {
    const noticed = await judge(looking, texts.get(fault.file) ?? '', fault);
    told();
    return { fault, noticed };
  });
  const of = (wanted: Noticed) => judged.filter(({ noticed }) => noticed === wanted).map(({ fault }) => fault);
  return {
    made: of('noticed').length + of('survived').length,
    noticed: of('noticed').length,
    unmeasured: of('unmeasured').length,
    unreached: placesOf(of('unreached')),
    survivors: survivorsOf(of('survived'), texts),
  };
}

const TOLD_EVERY_MS = 10_000;

/** To be called after each fault; says now and then how many were tried. */
function progress(all: number, log: (line: string) => void): () => void {
  let tried = 0;
  let toldMs = performance.now();
  return () => {
    tried += 1;
    if (performance.now() - toldMs < TOLD_EVERY_MS || tried === all) return;
    toldMs = performance.now();
    log(`${tried} of ${all} faults tried`);
  };
}

function possibleIn({ parsers, change }: StrengthRequest, file: string, text: string): readonly Fault[] {
  const lines = new Set(change.added.filter((line) => line.file === file).map(({ line }) => line));
  return possibleFaults(parsers, { file, text, lines });
}

async function judge(request: StrengthRequest, text: string, fault: Fault): Promise<Noticed> {
  const found = await notices(request, fault.file, withFault(text, fault));
  if (found === 'broken') return found;
  if (found !== false) return found === undefined ? 'unmeasured' : 'noticed';
  const language = languageOf(fault.file);
  const ended = language && endedBefore(request.parsers, language, text, fault);
  if (ended === undefined) return 'survived';
  const isReached = await notices(request, fault.file, ended);
  return isReached === undefined || isReached === 'broken' ? 'unmeasured' : isReached ? 'survived' : 'unreached';
}

/** Whether a test that passes on the head does not with this text of the file; undefined where that cannot be told. */
async function notices(request: StrengthRequest, file: string, text: string): Promise<boolean | 'broken' | undefined> {
  return onCopy(request.repository.scratch, request.head, async (copy) => {
    // The change decides what lies there: a link would lead anywhere.
    if ((await overwriteInside(copy, file, Buffer.from(text), isExecutable(request.change, file))) !== undefined)
      return undefined;
    if ((await built(request, copy)) !== undefined) return 'broken';
    for (const guards of [request.own, request.others]) {
      const found = await noticedBy(request, copy, guards);
      if (found !== false) return found;
    }
    return false;
  });
}

/** Without the tests that are red where nothing but spaces came into the changed files: they read the text, and would notice every fault. */
async function withoutReaders(
  request: StrengthRequest,
  texts: ReadonlyMap<string, string>,
  faults: readonly Fault[],
): Promise<StrengthRequest> {
  const changed = reworded(request.parsers, texts, faults);
  if (changed.size === 0) return request;
  return onCopy(request.repository.scratch, request.head, async (copy) => {
    for (const [file, text] of changed)
      await overwriteInside(copy, file, Buffer.from(text), isExecutable(request.change, file));
    // Spaces break no build; where one breaks all the same, nothing is known of the tests.
    if ((await built(request, copy)) !== undefined) return request;
    const [own, others] = [await looking(request, copy, request.own), await looking(request, copy, request.others)];
    const left = countOf(request.own) + countOf(request.others) - countOf(own) - countOf(others);
    if (left > 0)
      request.log(
        `${left} tests are red already where only spaces are added: they read text, and are asked for no fault`,
      );
    return { ...request, own, others };
  });
}

function countOf({ tests }: Guards): number {
  return [...tests.values()].flat().length;
}

async function looking(request: StrengthRequest, directory: string, guards: Guards): Promise<Guards> {
  const { sandbox, runner, junit, outputBytes, timeoutMs } = request;
  const [files, expected] = [[...guards.tests.keys()], [...guards.tests.values()].flat()];
  if (files.length === 0) return guards;
  const { trusted, results } = await runTests({
    sandbox,
    directory,
    runner,
    junit,
    files,
    expected,
    timeoutMs,
    outputBytes,
  });
  const left = [...guards.tests].map(
    ([file, ids]) => [file, ids.filter((id) => trusted && results.get(id)?.outcome === 'pass')] as const,
  );
  return { ...guards, tests: new Map(left.filter(([, ids]) => ids.length > 0)) };
}

function isExecutable({ headFiles }: Change, file: string): boolean {
  return headFiles.get(file)?.startsWith('100755') === true;
}

/** A fault may make a test wait for what never comes; nothing else of a run takes that much longer. */
const PATIENCE = 10;
const SHORTEST_MS = 20_000;

async function noticedBy(
  request: StrengthRequest,
  directory: string,
  { tests, durationMs }: Guards,
): Promise<boolean | undefined> {
  const { sandbox, runner, junit, outputBytes } = request;
  const timeoutMs = Math.min(request.timeoutMs, Math.max(SHORTEST_MS, PATIENCE * durationMs));
  const [files, expected] = [[...tests.keys()], [...tests.values()].flat()];
  if (files.length === 0) return false;
  const run = await runTests({
    ...{ sandbox, directory, runner, junit, files, expected, timeoutMs, outputBytes },
    tellsApart: false,
  });
  return run.trusted ? expected.some((id) => run.results.get(id)?.outcome !== 'pass') : undefined;
}
