/** A repository to try GitHub in, and what a probe wrote there, to be taken back. */
import { setTimeout as sleep } from 'node:timers/promises';
import { LimitedError } from '../errors.ts';
import type { GitHub, RepositoryRef } from '../github/github-port.ts';
import type { Inspection } from '../github/inspection-port.ts';
import type { Probing } from '../github/probing.ts';
import type { Sent } from '../github/sent.ts';
import type { FileChange } from '../loop/brief.ts';
import type { CheckRun } from '../loop/check-run.ts';
import { BRANCH_PREFIX } from '../settings/config.ts';

export interface Scratch {
  readonly github: GitHub;
  readonly probing: Probing;
  readonly inspection: Inspection;
  /** All that `github` and `probing` have sent, in its order. */
  readonly sent: () => readonly Sent[];
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

/** Registers that it is taken back. One of which nobody knows whether it was made is looked for, because none that was never made is left. */
export function ownRef(
  { github, repository, probing, takesBack }: Scratch,
  ref: string,
): { readonly made: () => void } {
  let isMade = false;
  const isThere = () =>
    github.head(repository, ref).then(
      (sha) => sha !== undefined,
      () => true,
    );
  takesBack(`the ref ${ref}`, async () => {
    // A read may be late to tell one that was made just now.
    if (!isMade && (await github.head(repository, ref)) === undefined) return;
    await probing.removeRef(repository, ref).catch(async (error: unknown) => {
      // What was answered as failed may have been done.
      if (error instanceof LimitedError || (await isThere())) throw error;
    });
  });
  return {
    made() {
      isMade = true;
    },
  };
}

export interface Committed {
  /** The tip of the default branch, where it is not said. */
  readonly parent?: string;
  readonly change?: FileChange;
}

/** A commit of one file, and a ref on it. */
export async function commitOn(
  scratch: Scratch,
  ref: string,
  { parent = scratch.tip, change = ownFile(scratch) }: Committed = {},
): Promise<string> {
  const { github, repository } = scratch;
  const { made } = ownRef(scratch, ref);
  // By its ref too, so that no two of one second are the same commit.
  const own = { ref, parent, changes: [change], message: `${messageFor(scratch)} at ${ref}` };
  const { sha } = await github.commit(repository, own);
  await github.moveRef(repository, ref, sha);
  made();
  return sha;
}

/** A pull request of a commit of one file; with its branch it is closed. */
export async function pullFor(scratch: Scratch, purpose: string): Promise<{ number: number; nodeId: string }> {
  await commitOn(scratch, `refs/heads/${branchFor(scratch, purpose)}`);
  return openFor(scratch, purpose, { base: scratch.branch, isDraft: true });
}

/** A pull request of the branch that is there for the purpose. */
export function openFor(
  scratch: Scratch,
  purpose: string,
  into: { readonly base: string; readonly isDraft: boolean },
): Promise<{ number: number; nodeId: string }> {
  const { github, repository, mark } = scratch;
  const about = { title: `Probe ${mark}: ${purpose}`, body: 'Opened to see what GitHub does, and closed again.' };
  return github.openPull(repository, { branch: branchFor(scratch, purpose), ...into, ...about });
}

/** A check run that nothing was checked for. */
export function checkOf(name: string, headSha: string, said: Pick<CheckRun, 'status' | 'conclusion'>): CheckRun {
  const about = { title: 'A probe', summary: 'Written to see whether it can be.', text: '' };
  return { name, headSha, externalId: `probe/${name}`, ...said, ...about, actions: [], annotations: [] };
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

/** Asks until the answer is as wanted, or the time is over, and gives the last one: an old answer is only late. @throws {Error} when it is aborted. */
export async function settled<Answer>(
  scratch: Pick<Scratch, 'patienceMs' | 'signal'>,
  ask: () => Promise<Answer>,
  isWanted: (answer: Answer) => boolean,
): Promise<Answer> {
  let last = await ask();
  if (isWanted(last)) return last;
  await within(scratch, async () => {
    last = await ask();
    return isWanted(last) ? true : undefined;
  });
  return last;
}
