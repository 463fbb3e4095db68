/**
 * The clones on disk: which commits each holds, who reads in it now, and what of it may go. A commit is held by a ref of its own, whose file says when it
 * was last read. Git's own collection keeps all that came from a partial clone's remote, so a clone that is mostly old is removed and fetched anew.
 */
import { mkdir, readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { RepositoryRef } from '../github/github-port.ts';

export const KEPT = 'refs/kept';

type Fetch = (directory: string, repository: RepositoryRef, sha: string) => Promise<void>;

export interface Clones {
  /** Works in a clone that has the commits, which stay for as long. */
  holding<Result>(
    repository: RepositoryRef,
    shas: readonly string[],
    work: (directory: string) => Promise<Result>,
  ): Promise<Result>;
  /** Drops commits that were not read since. */
  forget(before: string): Promise<number>;
}

/** A read is written down once an hour. */
const TOUCH_MS = 3600_000;

interface Clone {
  readonly directory: string;
  /** What is fetched, or on its way. */
  readonly fetched: Map<string, Promise<void>>;
  readonly touchedMs: Map<string, number>;
  readers: number;
  /** Fetches come one after another, because git locks its configuration. */
  last: Promise<unknown>;
}

export function createClones(root: string, fetchCommit: Fetch): Clones {
  const clones = new Map<string, Clone>();
  const cloneNamed = (name: string): Clone => {
    const known = clones.get(name);
    const clone = known ?? {
      directory: join(root, name),
      fetched: new Map(),
      touchedMs: new Map(),
      readers: 0,
      last: Promise.resolve(),
    };
    if (known === undefined) clones.set(name, clone);
    return clone;
  };
  return {
    async holding(repository, shas, work) {
      const clone = cloneNamed(`${repository.repositoryId}.git`);
      clone.readers += 1;
      try {
        for (const sha of shas) {
          await fetchOnce(clone, sha, () => fetchCommit(clone.directory, repository, sha));
          await touch(clone, sha);
        }
        return await work(clone.directory);
      } finally {
        clone.readers -= 1;
      }
    },
    async forget(before) {
      let dropped = 0;
      for (const name of await namesIn(root)) {
        const clone = cloneNamed(name);
        // One in which somebody reads is looked at the next time.
        if (clone.readers === 0) dropped += await inTurn(clone, () => forgetIn(clone, Date.parse(before)));
      }
      return dropped;
    },
  };
}

function inTurn<Result>(clone: Clone, work: () => Promise<Result>): Promise<Result> {
  const turn = clone.last.then(work, work);
  clone.last = turn;
  return turn;
}

/** The same commit is fetched once; one that could not be fetched is tried again when it is asked for again. */
function fetchOnce(clone: Clone, sha: string, fetchIt: () => Promise<void>): Promise<void> {
  const known = clone.fetched.get(sha);
  if (known !== undefined) return known;
  const fetching = inTurn(clone, async () => {
    await mkdir(clone.directory, { recursive: true });
    await fetchIt();
  });
  clone.fetched.set(sha, fetching);
  fetching.catch(() => clone.fetched.delete(sha));
  return fetching;
}

async function touch({ directory, touchedMs }: Clone, sha: string): Promise<void> {
  const nowMs = Date.now();
  if (nowMs - (touchedMs.get(sha) ?? 0) < TOUCH_MS) return;
  touchedMs.set(sha, nowMs);
  // Where it was forgotten at this moment its objects are there all the same, and the next reader fetches it.
  await ignoringMissing(utimes(join(directory, KEPT, sha), new Date(nowMs), new Date(nowMs)), undefined);
}

async function forgetIn(clone: Clone, beforeMs: number): Promise<number> {
  const shas = await namesIn(join(clone.directory, KEPT));
  const times = await Promise.all(shas.map(async (sha) => (await stat(join(clone.directory, KEPT, sha))).mtimeMs));
  const old = shas.filter((_, index) => (times[index] ?? 0) < beforeMs);
  if (old.length === 0) return 0;
  const gone = old.length * 2 > shas.length && clone.readers === 0 ? shas : old;
  for (const sha of gone) {
    clone.fetched.delete(sha);
    clone.touchedMs.delete(sha);
  }
  if (gone === shas) await rm(clone.directory, { recursive: true, force: true });
  else for (const sha of old) await rm(join(clone.directory, KEPT, sha), { force: true });
  return gone.length;
}

/** None where there is no such directory. */
function namesIn(directory: string): Promise<readonly string[]> {
  return ignoringMissing(readdir(directory), []);
}

async function ignoringMissing<Result>(action: Promise<Result>, otherwise: Result): Promise<Result> {
  try {
    return await action;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return otherwise;
    throw error;
  }
}
