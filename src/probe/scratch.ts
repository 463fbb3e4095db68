/** A repository to try GitHub in, and what a probe wrote there, to be taken back. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { GitHub, RepositoryRef } from '../github/github-port.ts';
import type { Inspection } from '../github/inspection-port.ts';
import type { Probing } from '../github/probing.ts';
import type { FileChange } from '../loop/brief.ts';
import { BRANCH_PREFIX } from '../settings/config.ts';

export interface Scratch {
  readonly github: GitHub;
  readonly probing: Probing;
  readonly inspection: Inspection;
  readonly repository: RepositoryRef;
  readonly branch: string;
  /** Head of the default branch. */
  readonly tip: string;
  /** In the names of all that is written, so that people see whose it is, and a second probe is in nobody's way. */
  readonly mark: string;
  /** For how long GitHub may take to start or tell something. */
  readonly patienceMs: number;
  /** For how long a whole run, or a person, may take. */
  readonly longPatienceMs: number;
  /** PUBLIC_URL, without a slash at its end; undefined where it is not set as it must be. */
  readonly publicUrl: string | undefined;
  /** Whether as much may be written in a minute as GitHub says that it takes. */
  readonly mayLoad: boolean;
  /** Whether somebody is there to do what no App can. */
  readonly hasPerson: boolean;
  /** Tells that person what to do. */
  readonly say: (sentence: string) => void;
  /** Aborted where nobody wants to know any more. */
  readonly signal: AbortSignal;
  /** Before anything is written. */
  readonly takesBack: (what: string, back: () => Promise<void>) => void;
}

const PAUSE_MS = 1000;
const LONG_MS = 120_000;
const LONG_PAUSE_MS = 3000;

/** The branch that a probe has for itself. */
export const branchFor = ({ mark }: Pick<Scratch, 'mark'>, purpose: string): string =>
  `${BRANCH_PREFIX}probe-${purpose}-${mark}`;

/** The file that probes commit. */
export function ownFile({ mark }: Pick<Scratch, 'mark'>): FileChange {
  const content = Buffer.from(`Of the probe ${mark}.\nTo be taken back.\nNothing else.\n`).toString('base64');
  return { path: `loopwright-probe-${mark}.txt`, mode: '100644', content };
}

export const messageFor = ({ mark }: Pick<Scratch, 'mark'>): string => `Try what GitHub does (${mark})`;

/** A commit of one file on top of the default branch, or of another commit, and a ref on it. */
export async function commitOn(scratch: Scratch, ref: string, parent = scratch.tip): Promise<string> {
  const { github, repository, probing, takesBack } = scratch;
  takesBack(`the ref ${ref}`, () => probing.removeRef(repository, ref));
  const own = { ref, parent, changes: [ownFile(scratch)], message: messageFor(scratch) };
  const { sha } = await github.commit(repository, own);
  await github.moveRef(repository, ref, sha);
  return sha;
}

/** A pull request of a commit of one file; with its branch it is closed. */
export async function pullFor(scratch: Scratch, purpose: string): Promise<{ number: number; nodeId: string }> {
  const { github, repository, branch: base, mark } = scratch;
  const branch = branchFor(scratch, purpose);
  await commitOn(scratch, `refs/heads/${branch}`);
  const about = { title: `Probe ${mark}: ${purpose}`, body: 'Opened to see what GitHub does, and closed again.' };
  return github.openPull(repository, { branch, base, ...about });
}

/** Asks until there is an answer, or the time is over. @throws {Error} when it is aborted. */
export async function within<Answer>(
  { patienceMs, signal }: Pick<Scratch, 'patienceMs' | 'signal'>,
  ask: () => Promise<Answer | undefined>,
): Promise<Answer | undefined> {
  const endMs = performance.now() + patienceMs;
  // Of what takes minutes seconds do not count, and each question does.
  const pauseMs = Math.min(patienceMs, patienceMs > LONG_MS ? LONG_PAUSE_MS : PAUSE_MS);
  for (;;) {
    const answer = await ask();
    if (answer !== undefined || performance.now() > endMs) return answer;
    await sleep(pauseMs, undefined, { signal });
  }
}
