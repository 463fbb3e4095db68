/** Reads, writes and removals that no loop needs: what shows whether GitHub does what a loop takes for granted. Each is tried once. */
import type { RepositoryRef } from './github-port.ts';

export interface CommitFacts {
  readonly isVerified: boolean;
  /** Why, in GitHub's word. */
  readonly reason: string;
  /** Who it says wrote it. */
  readonly author: string;
}

/** What an answer says of GitHub's limit, by the names of its headers. */
export type LimitHeaders = Readonly<Record<string, string | undefined>>;

export interface ReadTwice {
  readonly first: LimitHeaders;
  readonly second: LimitHeaders;
  /** Whether the second answer was 304. */
  readonly isUnchanged: boolean;
}

export interface Probing {
  /** Of the GitHub Enterprise Server that answers; undefined where none does. */
  serverVersion(): Promise<string | undefined>;
  /** Names of the workflows that run, or ran, on a commit. */
  runsOn(repository: RepositoryRef, sha: string): Promise<readonly string[]>;
  /** How many pushes of a ref the App was told of, among its newest deliveries. */
  pushesToldOf(ref: string): Promise<number>;
  commitFacts(repository: RepositoryRef, sha: string): Promise<CommitFacts>;
  /** Names of the App's check runs on a commit, as REST has them. */
  checkNames(repository: RepositoryRef, sha: string): Promise<readonly string[]>;
  /** What a path below the repository answers by its name, and by its id. */
  twoWays(repository: RepositoryRef, path: string): Promise<readonly [byName: unknown, byId: unknown]>;
  /** When a run was asked for, and when a runner began the first of its jobs; undefined while none has. */
  beginnings(
    repository: RepositoryRef,
    runId: number,
  ): Promise<{ readonly askedAt: string; readonly begunAt: string | undefined }>;
  /** Runs of a workflow that have this title. */
  runsCalled(
    repository: RepositoryRef,
    workflow: string,
    title: string,
  ): Promise<readonly { readonly id: number; readonly isCompleted: boolean }[]>;
  isDraft(repository: RepositoryRef, pull: number): Promise<boolean>;
  /** How GitHub says that a pull request stands before a merge: `blocked`, `clean`, `unstable`; `unknown` while it finds out. */
  mergeableState(repository: RepositoryRef, pull: number): Promise<string>;
  /** Types of the rules that hold for a branch, whether it is there or not: `creation`, `required_signatures` … */
  rulesOn(repository: RepositoryRef, branch: string): Promise<readonly string[]>;
  /** The newest commit of a branch that changed something below a path and has a parent, and its first parent. */
  newestChange(
    repository: RepositoryRef,
    branch: string,
    path: string,
  ): Promise<{ readonly sha: string; readonly parent: string } | undefined>;
  /** A commit with the tree of its parent that names its author, so that GitHub does not sign it; no ref is on it. */
  unsignedCommit(repository: RepositoryRef, parent: string, message: string): Promise<string>;
  comment(repository: RepositoryRef, issue: number, body: string): Promise<void>;
  /** Reviews a pull request by one comment on a line of what it adds; gives the id of the review. */
  review(
    repository: RepositoryRef,
    pull: number,
    comment: { readonly path: string; readonly line: number; readonly body: string },
  ): Promise<number>;
  /** Reads the repository, and once more only if it changed. */
  readTwice(repository: RepositoryRef): Promise<ReadTwice>;
  /** What the jobs of a run have logged, one after the other. */
  logOf(repository: RepositoryRef, runId: number): Promise<string>;
  /** `refs/heads/x`, in full. */
  removeRef(repository: RepositoryRef, ref: string): Promise<void>;
}
