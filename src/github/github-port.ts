/** What the App needs from GitHub, and nothing more. */
import type { FileChange } from '../loop/brief.ts';
import type { CheckRun } from '../loop/check-run.ts';
import type { ShownCheck, ShownComment } from '../loop/shown.ts';
import type { Actor, LoopRef, Role, Withheld } from '../loop/terms.ts';
import type { Server } from '../settings/setup-files.ts';
import type { CheckDetails, HeadChecks } from './head-facts.ts';
import type { EnvironmentFacts } from './inspection-port.ts';
import type { FailedDelivery, UnsentWebhook } from './webhook-facts.ts';

export type * from './head-facts.ts';
export type * from './webhook-facts.ts';

/** Which installation and repository a request is for. */
export type RepositoryRef = Pick<LoopRef, 'installationId' | 'repositoryId' | 'owner' | 'repo'>;

/** Where a repository is now. */
export interface Place {
  readonly owner: string;
  readonly repo: string;
  readonly installationId: number;
}

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

export interface OpenIssue {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly user: Actor;
  readonly labels: readonly { readonly name: string }[];
}

export interface OwnComment {
  readonly marker: string;
  readonly body: string;
  /** Logins that the text may mention; every other mention is broken. */
  readonly mention?: readonly string[];
  /** For sure none with the marker was ever sent, so it is not looked for. */
  readonly isNew?: boolean;
}

/** What a reviewer says about one place of the change. */
export interface ReviewComment {
  readonly file: string;
  /** In the file as the pull request has it; undefined for a line that it takes away, and for the file as a whole. */
  readonly line: number | undefined;
  readonly body: string;
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

/**
 * GitHub, as far as the App may touch it. Every text goes through the outgoing filter before it leaves. Repeating a write with the same marker, key or content
 * is harmless. Reads go by the repository's id, whatever its name is now.
 * @throws {RelocatedError} for a write under a former name, {GoneError} when there is nothing (any more) at the address, {UnansweredError} when GitHub
 * gave no answer that tells, so that a write may have happened, {WriteRefusedError} for a write that was refused; each method, beside what it says itself.
 */
export interface GitHub {
  /** Read afresh, never cached; `none` for strangers, ghosts and accounts that are not users. */
  permission(repository: RepositoryRef, login: string): Promise<Role>;
  /** The present place of the repository with this id, whatever its name was; undefined when no installation of the App has it. */
  locate(repository: RepositoryRef): Promise<Place | undefined>;
  /** What keeps the App from working in the repository, wherever it is now: suspended, taken out, archived, permissions; undefined where nothing does. */
  withheld(repository: RepositoryRef): Promise<Withheld | undefined>;
  repository(repository: RepositoryRef): Promise<{
    readonly defaultBranch: string;
    /** Where people see it. */
    readonly url: string;
    readonly server: Server;
  }>;
  /** The branch's head, or undefined when there is no such ref. `ref` is full: `refs/heads/main`. */
  head(repository: RepositoryRef, ref: string): Promise<string | undefined>;
  /** Names of all tags. */
  tags(repository: RepositoryRef): Promise<readonly string[]>;
  file(repository: RepositoryRef, path: string, ref: string): Promise<string | undefined>;
  /** The newest open issue that is no pull request, among the last twenty of both. */
  newestIssue(repository: RepositoryRef): Promise<OpenIssue | undefined>;
  /** Who may use an environment; undefined where there is none. */
  environment(repository: RepositoryRef, name: string): Promise<EnvironmentFacts | undefined>;
  /** With all its labels. @throws {GoneError} when the issue was deleted or moved to another repository. */
  issueState(
    repository: RepositoryRef,
    issue: number,
  ): Promise<{ readonly state: 'open' | 'closed'; readonly labels: readonly string[] }>;
  /**
   * What people said and did since a time to the issue of a loop and to its pull request, and what holds of it still, oldest first. Comments that were
   * changed since are not among it.
   */
  unsent(
    repository: RepositoryRef,
    of: { readonly issue: number; readonly pull: number | undefined; readonly since: string },
  ): Promise<readonly UnsentWebhook[]>;
  /** Creates or updates the App's comment that carries `marker` (an invisible HTML comment); returns its id and when GitHub last took its text. */
  comment(
    repository: RepositoryRef,
    number: number,
    comment: OwnComment,
  ): Promise<{ readonly id: number; readonly writtenAt: string }>;
  /** The same for one that is written often: where it is known it is neither looked for nor sent again as it is. */
  showComment(
    repository: RepositoryRef,
    number: number,
    comment: OwnComment,
    known: ShownComment | undefined,
  ): Promise<ShownComment>;
  react(repository: RepositoryRef, commentId: number, content: '+1' | 'confused'): Promise<void>;
  removeLabel(repository: RepositoryRef, issue: number, name: string): Promise<void>;
  /** Opens the pull request, as a draft unless it is said otherwise, or returns the one of this branch and brings its title and body up to date. */
  openPull(
    repository: RepositoryRef,
    pull: {
      readonly branch: string;
      readonly base: string;
      readonly title: string;
      readonly body: string;
      /** For sure none was opened, so it is not looked for. */
      readonly isNew?: boolean;
      readonly isDraft?: boolean;
      /** One that is there keeps its title and body. */
      readonly keepsText?: boolean;
    },
  ): Promise<{ readonly number: number; readonly nodeId: string }>;
  /** Brings title and body up to date and tells the head, where anything is sent; `known` is the digest of what was sent last. */
  showPull(
    repository: RepositoryRef,
    number: number,
    change: { readonly title: string; readonly body: string },
    known: string | undefined,
  ): Promise<{ readonly headSha?: string; readonly digest: string }>;
  pull(
    repository: RepositoryRef,
    number: number,
  ): Promise<{
    readonly state: 'open' | 'closed';
    readonly merged: boolean;
    readonly draft: boolean;
    /** Undefined when the branch is another repository's. */
    readonly branch: string | undefined;
    readonly headSha: string;
    /** The branch that it is to be merged into, as far as it is now. */
    readonly baseSha: string;
    /** Undefined while GitHub has not found out, which it does in the background after each push. */
    readonly mergeable: boolean | undefined;
  }>;
  markReady(repository: RepositoryRef, pullNodeId: string): Promise<void>;
  /** Back to draft, so that nobody merges it meanwhile. */
  markDraft(repository: RepositoryRef, pullNodeId: string): Promise<void>;
  /** What a review says line by line, of which its webhook tells nothing; the first 100. */
  reviewComments(repository: RepositoryRef, number: number, reviewId: number): Promise<readonly ReviewComment[]>;
  /** Creates or updates the check runs of these names, all on one head. They are looked for where it is not told which ones are there. */
  checks(
    repository: RepositoryRef,
    checks: readonly CheckRun[],
    known?: readonly ShownCheck[],
  ): Promise<readonly ShownCheck[]>;
  /** Creates the check runs of these names, all on one head, where it has none of ours; what is there stays as it is, whatever it says. */
  addChecks(repository: RepositoryRef, checks: readonly CheckRun[]): Promise<void>;
  /** Names of the checks of ours that the rules of a branch require, as they were a minute ago at most. */
  requiredChecks(repository: RepositoryRef, branch: string): Promise<readonly string[]>;
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
      /** Where the ref is, as far as known; without, that is asked first. */
      readonly known?: { readonly at: string | undefined };
    },
  ): Promise<{
    readonly sha: string;
    readonly tree: string;
    /** Where the ref was before it was made. */
    readonly before: string | undefined;
  }>;
  /** Creates the ref or moves it forward; never by force. @throws {WriteRefusedError} with GitHub's text when refused. */
  moveRef(
    repository: RepositoryRef,
    ref: string,
    sha: string,
    /** Where it is, as far as known; without, that is asked first. */
    known?: { readonly at: string | undefined },
  ): Promise<void>;
  /**
   * Starts the run of an entry once and returns its id; any further run of the same title is cancelled. `attempt` counts from 1: the first looks and
   * sends, the next five only look, later ones look and send again; one that is for sure new is sent at once. @throws {UnansweredError} while nobody knows
   * whether a run was started.
   */
  dispatch(
    repository: RepositoryRef,
    workflow: string,
    inputs: Readonly<Record<string, string>>,
    attempt: number | 'new',
  ): Promise<number>;
  run(repository: RepositoryRef, runId: number): Promise<WorkflowRun>;
  cancelRun(repository: RepositoryRef, runId: number): Promise<void>;
  /** Downloads the named artifact of a run; undefined when there is none. @throws {ArtifactError} when larger than `maxBytes` or its digest is wrong. */
  artifact(repository: RepositoryRef, runId: number, name: string, maxBytes: number): Promise<Uint8Array | undefined>;
  /** What everybody but us says about a commit by workflow runs, check runs and statuses. Suites without check runs are nobody's, and not waited for. */
  headChecks(repository: RepositoryRef, sha: string): Promise<HeadChecks>;
  checkDetails(repository: RepositoryRef, checkRun: number): Promise<CheckDetails>;
  /** The last lines of the log of the run's first job that did not succeed; none where there is no such job, or no log of it. */
  failedLogEnd(repository: RepositoryRef, runId: number): Promise<readonly string[]>;
  /** Undefined when more changed than GitHub lists: then some paths are unknown. */
  changedPaths(repository: RepositoryRef, base: string, head: string): Promise<readonly string[] | undefined>;
  /** A page of the webhooks to the App that did not arrive, newest first, of all installations; `next` is the cursor of the page after it. */
  failedDeliveries(
    cursor?: string,
  ): Promise<{ readonly deliveries: readonly FailedDelivery[]; readonly next: string | undefined }>;
  /** Asks GitHub to bring a webhook once more. @throws {LoopError} when GitHub no longer can. */
  redeliver(deliveryId: string): Promise<void>;
}
