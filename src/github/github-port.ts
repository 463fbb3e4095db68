/** What the App needs from GitHub, and nothing more. */
import type { FileChange } from '../loop/brief.ts';
import type { CheckRun } from '../loop/check-run.ts';
import type { LoopRef, Role } from '../loop/terms.ts';

/** Which installation and repository a request is for. */
export type RepositoryRef = Pick<LoopRef, 'installationId' | 'repositoryId' | 'owner' | 'repo'>;

/** An entry of a tree that GitHub holds already; `sha` null takes the path away. */
export interface HeldEntry {
  readonly path: string;
  readonly mode: '100644' | '100755' | '120000' | '160000';
  readonly sha: string | null;
}

/** What a merge has other than the commit that is merged in: what that commit lacks, and what only the merge made. */
export interface Merge {
  /** The commit that is merged in. */
  readonly parent: string;
  readonly held: readonly HeldEntry[];
  readonly made: readonly FileChange[];
}

export interface WorkflowRun {
  readonly id: number;
  readonly status: string;
  readonly conclusion: string | undefined;
  readonly path: string;
  readonly event: string;
  readonly headSha: string;
  readonly attempt: number;
}

/** One try of GitHub to bring a webhook, which failed. */
export interface FailedDelivery {
  /** Of this try; digits, because it may be too large for a number. */
  readonly id: string;
  /** Of the webhook: the same in every try, and the id under which it is stored. */
  readonly guid: string;
  /** `issues.labeled` */
  readonly name: string;
  readonly triedAt: string;
}

/** GitHub, as far as the App may touch it. Every text goes through the outgoing filter before it leaves. Repeating a write with the same marker, key or content is harmless. */
export interface GitHub {
  /** Read afresh, never cached; `none` for strangers, ghosts and accounts that are not users. */
  permission(repository: RepositoryRef, login: string): Promise<Role>;
  repository(repository: RepositoryRef): Promise<{ readonly defaultBranch: string; readonly archived: boolean }>;
  /** The branch's head, or undefined when there is no such ref. `ref` is full: `refs/heads/main`. */
  head(repository: RepositoryRef, ref: string): Promise<string | undefined>;
  file(repository: RepositoryRef, path: string, ref: string): Promise<string | undefined>;
  /** Where the repository with this id is by now; undefined when the App does not reach it any more. */
  locate(repository: RepositoryRef): Promise<Pick<RepositoryRef, 'installationId' | 'owner' | 'repo'> | undefined>;
  /** The issue as it is; undefined when it was deleted or is in another repository now. */
  issueState(
    repository: RepositoryRef,
    issue: number,
  ): Promise<{ readonly state: 'open' | 'closed'; readonly labels: readonly string[] } | undefined>;
  /** Creates or updates the App's comment that carries `marker` (an invisible HTML comment); returns its id and when GitHub last took its text. */
  comment(
    repository: RepositoryRef,
    number: number,
    comment: {
      readonly marker: string;
      readonly body: string;
      /** Logins that the text may mention; every other mention is broken. */
      readonly mention?: readonly string[];
    },
  ): Promise<{ readonly id: number; readonly writtenAt: string }>;
  react(repository: RepositoryRef, commentId: number, content: '+1' | 'confused'): Promise<void>;
  removeLabel(repository: RepositoryRef, issue: number, name: string): Promise<void>;
  /** Opens the draft pull request, or returns the one of this branch and brings its title and body up to date. */
  openPull(
    repository: RepositoryRef,
    pull: { readonly branch: string; readonly base: string; readonly title: string; readonly body: string },
  ): Promise<{ readonly number: number; readonly nodeId: string }>;
  updatePull(
    repository: RepositoryRef,
    number: number,
    change: { readonly title: string; readonly body: string },
  ): Promise<{ readonly headSha: string }>;
  pull(
    repository: RepositoryRef,
    number: number,
  ): Promise<{
    readonly state: 'open' | 'closed';
    readonly draft: boolean;
    /** Undefined when the branch is another repository's. */
    readonly branch: string | undefined;
    readonly headSha: string;
    readonly mergeable: boolean | undefined;
  }>;
  markReady(repository: RepositoryRef, pullNodeId: string): Promise<void>;
  /** Creates or updates the check runs of these names, all on one head. */
  checks(repository: RepositoryRef, checks: readonly CheckRun[]): Promise<void>;
  /**
   * Commits through the Git Data API on top of `parent` and returns the commit and its tree; the tree is checked to be the one sent. GitHub names the
   * author and signs it. Where `ref` is at this very commit already (same parent, tree and message, or nothing left to change), that one is returned.
   */
  commit(
    repository: RepositoryRef,
    commit: {
      /** Full; where the commit is to go, by `moveRef`. */
      readonly ref: string;
      readonly parent: string;
      readonly changes: readonly FileChange[];
      readonly message: string;
      /** Makes a merge: `parent` comes first, and `changes` go on top of what is merged. */
      readonly merge?: Merge | undefined;
    },
  ): Promise<{ readonly sha: string; readonly tree: string }>;
  /** Creates the ref or moves it forward; never by force. @throws {WriteRefusedError} with GitHub's text when refused. */
  moveRef(repository: RepositoryRef, ref: string, sha: string): Promise<void>;
  dispatch(repository: RepositoryRef, workflow: string, inputs: Readonly<Record<string, string>>): Promise<number>;
  run(repository: RepositoryRef, runId: number): Promise<WorkflowRun>;
  cancelRun(repository: RepositoryRef, runId: number): Promise<void>;
  /** Downloads the named artifact of a run; undefined when there is none. @throws {ArtifactError} when larger than `maxBytes` or its digest is wrong. */
  artifact(repository: RepositoryRef, runId: number, name: string, maxBytes: number): Promise<Uint8Array | undefined>;
  /** Check runs of other Apps and commit statuses on a commit. */
  foreignChecks(
    repository: RepositoryRef,
    sha: string,
  ): Promise<
    readonly { readonly name: string; readonly status: 'pending' | 'passed' | 'failed'; readonly detail: string }[]
  >;
  /** Undefined when more changed than GitHub lists: then some paths are unknown. */
  changedPaths(repository: RepositoryRef, base: string, head: string): Promise<readonly string[] | undefined>;
  /** A page of the webhooks to the App that did not arrive, newest first, of all installations; `next` is the cursor of the page after it. */
  failedDeliveries(
    cursor?: string,
  ): Promise<{ readonly deliveries: readonly FailedDelivery[]; readonly next: string | undefined }>;
  /** Asks GitHub to bring a webhook once more. @throws {LoopError} when GitHub no longer can. */
  redeliver(deliveryId: string): Promise<void>;
}
