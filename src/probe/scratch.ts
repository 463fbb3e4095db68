/** A repository to try GitHub in, and what a probe wrote there, to be taken back. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { GitHub, RepositoryRef } from '../github/github-port.ts';
import type { Probing } from '../github/probing.ts';

export interface Scratch {
  readonly github: GitHub;
  readonly probing: Probing;
  readonly repository: RepositoryRef;
  readonly branch: string;
  /** Head of the default branch. */
  readonly tip: string;
  /** In the names of all that is written, so that people see whose it is, and a second probe is in nobody's way. */
  readonly mark: string;
  /** For how long GitHub may take to start or tell something. */
  readonly patienceMs: number;
  /** Aborted where nobody wants to know any more. */
  readonly signal: AbortSignal;
  /** Before anything is written. */
  readonly takesBack: (what: string, back: () => Promise<void>) => void;
}

const PAUSE_MS = 1000;

/** A commit of one file on top of the default branch, and a ref on it. */
export async function commitOn({ github, repository, tip, mark, probing, takesBack }: Scratch, ref: string) {
  takesBack(`the ref ${ref}`, () => probing.removeRef(repository, ref));
  const change = { path: `loopwright-probe-${mark}.txt`, mode: '100644', content: `Of the probe ${mark}.\n` } as const;
  const message = `Try what GitHub does (${mark})`;
  const { sha } = await github.commit(repository, { ref, parent: tip, changes: [change], message });
  await github.moveRef(repository, ref, sha);
  return sha;
}

/** Asks until there is an answer, or the time is over. @throws {Error} when it is aborted. */
export async function within<Answer>(
  { patienceMs, signal }: Pick<Scratch, 'patienceMs' | 'signal'>,
  ask: () => Promise<Answer | undefined>,
): Promise<Answer | undefined> {
  const endMs = performance.now() + patienceMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined || performance.now() > endMs) return answer;
    await sleep(Math.min(PAUSE_MS, patienceMs), undefined, { signal });
  }
}
