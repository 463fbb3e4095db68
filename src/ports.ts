/** What the App needs from the world, and nothing more. Adapters implement these. */
import type { Answer, AnswerName } from './loop/answers.ts';
import type { FileChange, ModelCall } from './loop/brief.ts';
import type { EffectLane, Event, Loop, LoopRef, Price, Role } from './loop/loop.ts';

/** Which installation and repository a request is for. */
export type RepositoryRef = Pick<LoopRef, 'installationId' | 'repositoryId' | 'owner' | 'repo'>;

/** Who asks the model what, as the X-Loopwright-* headers say it. */
export interface CallContext {
  readonly loop: string;
  readonly phase: string;
  readonly skill: string;
  readonly role: string;
  readonly attempt: number;
}

export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** JSON schema of the arguments. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON text as the model wrote it; not yet parsed. */
  readonly arguments: string;
}

export type Message =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string; readonly toolCalls: readonly ToolCall[] }
  | { readonly role: 'tool'; readonly toolCallId: string; readonly content: string };

export interface Model {
  /**
   * Asks for one structured artifact: `response_format: json_schema` named after it, parsed with its schema; a malformed answer is told to the model.
   * @throws {ModelError} after three tries (timeout, HTTP error, malformed); it carries the calls that were made.
   */
  answer<Name extends AnswerName>(request: {
    readonly name: Name;
    readonly context: CallContext;
    readonly system: string;
    readonly user: string;
  }): Promise<{ readonly answer: Answer<Name>; readonly calls: readonly ModelCall[] }>;
  /** One turn of a conversation with tools. @throws {ModelError} after three tries. */
  turn(request: {
    readonly context: CallContext;
    readonly messages: readonly Message[];
    readonly tools: readonly ToolDefinition[];
  }): Promise<{
    readonly content: string;
    readonly toolCalls: readonly ToolCall[];
    readonly calls: readonly ModelCall[];
  }>;
}

/** One webhook, reduced to what decides; stored before it is acknowledged. `body` is parsed by the intake. */
export interface Delivery {
  readonly id: string;
  readonly name: string;
  readonly receivedAt: string;
  readonly payload: unknown;
}

export interface StoredLoop {
  readonly loop: Loop;
  readonly version: number;
}

export interface Store {
  /** Stores a delivery and queues its intake in one transaction. False when its id was seen before. */
  receive(delivery: Delivery): Promise<boolean>;
  delivery(id: string): Promise<Delivery | undefined>;
  load(id: string): Promise<StoredLoop | undefined>;
  /** The newest loop of an issue. */
  newest(repositoryId: number, issue: number): Promise<StoredLoop | undefined>;
  byPull(repositoryId: number, pull: number): Promise<StoredLoop | undefined>;
  byBranch(repositoryId: number, branch: string): Promise<StoredLoop | undefined>;
  byRun(repositoryId: number, runId: number): Promise<StoredLoop | undefined>;
  /** All loops, newest first; `open` leaves out those that ended. */
  list(filter: { readonly open: boolean }): Promise<readonly StoredLoop[]>;
  /**
   * Saves the loop, appends the event and queues a wake for each lane, all in one transaction.
   * `expectedVersion` 0 inserts. @throws {ConflictError} when the stored version is another.
   */
  save(change: {
    readonly loop: Loop;
    readonly expectedVersion: number;
    readonly event: Event | undefined;
    readonly settled: string | undefined;
    readonly wakes: readonly EffectLane[];
  }): Promise<void>;
  /** Everything that was decided on, in order: events, and the settling of effects between them. Refolding gives the loop. */
  log(
    id: string,
  ): Promise<
    readonly { readonly seq: number; readonly event: Event | undefined; readonly settled: string | undefined }[]
  >;
  /** Stores text or bytes under their sha256 (`sha256:<hex>`); repeating it is harmless. */
  putBlob(content: string | Uint8Array): Promise<string>;
  /** @throws {StoreError} when nothing is stored under the digest. */
  blob(digest: string): Promise<Uint8Array>;
}

export type QueueItem =
  | { readonly type: 'intake'; readonly deliveryId: string }
  | { readonly type: 'wake'; readonly loopId: string; readonly lane: EffectLane }
  | {
      readonly type: 'elapse';
      readonly loopId: string;
      readonly key: string;
      readonly entry: number;
      readonly timer: 'run' | 'checks';
    };

export interface Queue {
  /**
   * Starts working. Items with the same key (delivery, or loop and lane) never run at the same time, across processes; an item that arrives while its key runs runs afterwards.
   * A handler that throws is tried again with a growing delay; a killed process's items run again.
   */
  start(handle: (item: QueueItem) => Promise<void>): Promise<void>;
  /** Queues an item, at once or after `delaySeconds`. An `elapse` with the same loop and key is sent once, even after it ran. */
  send(item: QueueItem, delaySeconds?: number): Promise<void>;
  stop(): Promise<void>;
}

export interface IssueComment {
  readonly id: number;
  readonly body: string;
}

export interface CheckRun {
  readonly name: string;
  readonly headSha: string;
  readonly externalId: string;
  readonly status: 'queued' | 'in_progress' | 'completed';
  readonly conclusion: 'success' | 'failure' | 'neutral' | 'action_required' | 'cancelled' | undefined;
  readonly title: string;
  readonly summary: string;
  readonly text: string;
  readonly actions: readonly { readonly label: string; readonly description: string; readonly identifier: string }[];
  readonly annotations: readonly {
    readonly path: string;
    readonly line: number;
    readonly level: 'notice' | 'warning' | 'failure';
    readonly message: string;
  }[];
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

/** GitHub, as far as the App may touch it. Every text goes through the outgoing filter before it leaves. Repeating a write with the same marker, key or content is harmless. */
export interface GitHub {
  /** Read afresh, never cached; `none` for strangers, ghosts and accounts that are not users. */
  permission(repository: RepositoryRef, login: string): Promise<Role>;
  repository(repository: RepositoryRef): Promise<{ readonly defaultBranch: string; readonly archived: boolean }>;
  /** The branch's head, or undefined when there is no such ref. `ref` is full: `refs/heads/main`. */
  head(repository: RepositoryRef, ref: string): Promise<string | undefined>;
  file(repository: RepositoryRef, path: string, ref: string): Promise<string | undefined>;
  issueState(
    repository: RepositoryRef,
    issue: number,
  ): Promise<{ readonly state: 'open' | 'closed'; readonly labels: readonly string[] }>;
  /** Creates or updates the App's comment that carries `marker` (an invisible HTML comment) and returns its id. */
  comment(
    repository: RepositoryRef,
    number: number,
    comment: {
      readonly marker: string;
      readonly body: string /** Logins that the text may mention; every other mention is broken. */;
      readonly mention?: readonly string[];
    },
  ): Promise<number>;
  react(repository: RepositoryRef, commentId: number, content: '+1' | 'confused' | 'eyes'): Promise<void>;
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
    readonly headSha: string;
    readonly mergeable: boolean | undefined;
  }>;
  markReady(repository: RepositoryRef, pullNodeId: string): Promise<void>;
  /** Creates or updates the check runs of these names, all on one head. */
  checks(repository: RepositoryRef, checks: readonly CheckRun[]): Promise<void>;
  /**
   * Commits through the Git Data API on top of `parent` and returns the commit and its tree; the tree is checked to be the one sent.
   * The same change on the same parent with the same message and date gives the same commit.
   */
  commit(
    repository: RepositoryRef,
    commit: {
      readonly parent: string;
      readonly changes: readonly FileChange[];
      readonly message: string;
      readonly date: string;
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
  changedPaths(repository: RepositoryRef, base: string, head: string): Promise<readonly string[]>;
}

/** Reads a repository's content without ever checking it out. */
export interface Workspace {
  /** All files of a commit. */
  files(
    repository: RepositoryRef,
    sha: string,
  ): Promise<
    readonly {
      readonly path: string;
      readonly mode: string;
      readonly type: 'blob' | 'commit';
      readonly sizeBytes: number;
    }[]
  >;
  /** Text of one file of a commit; undefined when missing, binary or larger than 256 KiB. */
  read(repository: RepositoryRef, sha: string, path: string): Promise<string | undefined>;
  /** The tree hash of a commit without `.loopwright/`. */
  codeTree(repository: RepositoryRef, sha: string): Promise<string>;
}

export interface Clock {
  now(): Date;
}

/** Job bundle and briefs, served to the runners under PUBLIC_URL. */
export interface Gateway {
  /** Makes a brief available and returns its sha256 (64 hex). */
  publish(brief: string): Promise<string>;
  /** sha256 (64 hex) of the job bundle. */
  readonly jobDigest: string;
  readonly url: string;
}

export interface Ports {
  /** Login of the App's own account, `loopwright[bot]`: what it does itself is no news. */
  readonly self: string;
  /** The model's name, its price where it is known, and whether its answers are authored (the demo's); that is said wherever it shows. */
  readonly modelFacts: {
    readonly name: string;
    readonly scripted: boolean;
    readonly price: Price | undefined /** Address for jobs, local mode only. */;
    readonly jobUrl: string | undefined;
    /** For one try, in jobs as in the App; 120 s unless given. */
    readonly timeoutMs?: number | undefined;
  };
  readonly github: GitHub;
  readonly model: Model;
  readonly store: Store;
  readonly queue: Queue;
  readonly workspace: Workspace;
  readonly gateway: Gateway;
  readonly clock: Clock;
  /** Skill texts by name, read from `skills/<name>/SKILL.md` at start. */
  readonly skills: ReadonlyMap<string, string>;
}
