/** The real store with the memory's beside it: each call goes to both, and what they answer must be the same. */
import { isDeepStrictEqual } from 'node:util';
import { ConflictError } from '../../../src/errors.ts';
import type { Store } from '../../../src/ports.ts';

/** The real one's answer counts; where the two differ is told, and thrown, so that nothing goes on upon it. */
export function createMirroredStore(real: Store, memory: Store, tell: (difference: string) => void): Store {
  const places = createPlaces();
  const both =
    <Parameters extends readonly unknown[], Result>(
      name: string,
      onReal: (...parameters: Parameters) => Promise<Result>,
      onMemory: (...parameters: Parameters) => Promise<Result>,
    ) =>
    async (...parameters: Parameters): Promise<Result> => {
      const [first, second] = [await settledOf(onReal(...parameters)), await settledOf(onMemory(...parameters))];
      if (isDeepStrictEqual(places.without(first.told), places.without(second.told))) {
        places.learn(first.told, second.told);
        return first.result();
      }
      const difference = `${name} differs: ${JSON.stringify(first.told)?.slice(0, 300)} on the database, ${JSON.stringify(second.told)?.slice(0, 300)} in memory`;
      tell(difference);
      throw new Error(difference);
    };
  return {
    receive: both('receive', real.receive, memory.receive),
    delivery: both('delivery', real.delivery, memory.delivery),
    unread: both('unread', real.unread, (of) => memory.unread({ ...of, after: places.inMemory('serial', of.after) })),
    unreadRepositories: both('unreadRepositories', real.unreadRepositories, memory.unreadRepositories),
    markRead: both('markRead', real.markRead, memory.markRead),
    postpone: both('postpone', real.postpone, memory.postpone),
    load: both('load', real.load, memory.load),
    newest: both('newest', real.newest, memory.newest),
    byPull: both('byPull', real.byPull, memory.byPull),
    byBranch: both('byBranch', real.byBranch, memory.byBranch),
    byRun: both('byRun', real.byRun, memory.byRun),
    awaitingChecks: both('awaitingChecks', real.awaitingChecks, memory.awaitingChecks),
    awaitingMerge: both('awaitingMerge', real.awaitingMerge, memory.awaitingMerge),
    onBase: both('onBase', real.onBase, memory.onBase),
    overview: both('overview', real.overview, (filter) =>
      memory.overview({ ...filter, before: places.inMemory('cursor', filter.before) }),
    ),
    unfinished: both('unfinished', real.unfinished, memory.unfinished),
    save: both('save', real.save, memory.save),
    nextQueued: both('nextQueued', real.nextQueued, memory.nextQueued),
    log: both('log', real.log, memory.log),
    reserve: both('reserve', real.reserve, memory.reserve),
    release: both('release', real.release, memory.release),
    settle: both('settle', real.settle, memory.settle),
    untold: both('untold', real.untold, memory.untold),
    reserveFor: both('reserveFor', real.reserveFor, memory.reserveFor),
    calls: both('calls', real.calls, memory.calls),
    takeShown: both('takeShown', real.takeShown, memory.takeShown),
    keepShown: both('keepShown', real.keepShown, memory.keepShown),
    begins: both('begins', real.begins, memory.begins),
    pullProof: both('pullProof', real.pullProof, memory.pullProof),
    pullProofByRun: both('pullProofByRun', real.pullProofByRun, memory.pullProofByRun),
    openPullProofs: both('openPullProofs', real.openPullProofs, memory.openPullProofs),
    savePullProof: both('savePullProof', real.savePullProof, memory.savePullProof),
    onboarding: both('onboarding', real.onboarding, memory.onboarding),
    openOnboardings: both('openOnboardings', real.openOnboardings, memory.openOnboardings),
    saveOnboarding: both('saveOnboarding', real.saveOnboarding, memory.saveOnboarding),
    putBlob: both('putBlob', real.putBlob, memory.putBlob),
    blob: both('blob', real.blob, memory.blob),
    offerJob: both('offerJob', real.offerJob, memory.offerJob),
    job: both('job', real.job, memory.job),
    noteMissed: both('noteMissed', real.noteMissed, memory.noteMissed),
    dueMissed: both('dueMissed', real.dueMissed, memory.dueMissed),
    askedFor: both('askedFor', real.askedFor, memory.askedFor),
    askLimits: both('askLimits', real.askLimits, memory.askLimits),
    leads: real.leads,
    forget: both('forget', real.forget, memory.forget),
  };
}

/** Where a page goes on is a number of the store's own: a database leaves some out. */
const PLACES = ['serial', 'cursor'] as const;
type Place = (typeof PLACES)[number];

function createPlaces() {
  const known = { serial: new Map<number, number>(), cursor: new Map<number, number>() };
  const rows = (told: unknown): readonly Partial<Record<Place, number>>[] =>
    Array.isArray(told) ? told.filter((one) => typeof one === 'object' && one !== null) : [];
  return {
    without: (told: unknown): unknown =>
      Array.isArray(told)
        ? told.map((one: unknown) =>
            typeof one === 'object' && one !== null ? { ...one, serial: undefined, cursor: undefined } : one,
          )
        : told,
    learn(real: unknown, memory: unknown): void {
      for (const [index, row] of rows(real).entries())
        for (const place of PLACES) {
          const [from, to] = [row[place], rows(memory)[index]?.[place]];
          if (from !== undefined && to !== undefined) known[place].set(from, to);
        }
    },
    inMemory: (place: Place, real: number | undefined): number | undefined =>
      real === undefined ? undefined : (known[place].get(real) ?? real),
  };
}

interface Settled<Result> {
  /** What can be compared. */
  readonly told: unknown;
  readonly result: () => Result;
}

async function settledOf<Result>(answer: Promise<Result>): Promise<Settled<Result>> {
  try {
    const result = await answer;
    return { told: result, result: () => result };
  } catch (error) {
    return {
      told: error instanceof ConflictError ? 'conflict' : 'error',
      result() {
        throw error;
      },
    };
  }
}
