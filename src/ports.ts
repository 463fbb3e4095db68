/** What the App needs from the world, and nothing more. Adapters implement these. */
import type { GitHub, Merge, RepositoryRef } from './github/github-port.ts';
import type { Answer, AnswerName } from './loop/answers.ts';
import type { ModelCall } from './loop/brief.ts';
import type { EffectLane } from './loop/effect.ts';
import type { Event } from './loop/event.ts';
import type { Loop } from './loop/loop.ts';
import type { Price } from './loop/terms.ts';

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
   * A handler that throws is tried again with a growing delay, or after the `retryAfterSeconds` of a RetryError; a killed process's items run again.
   * `attempt` counts the tries of an item from 1.
   */
  start(handle: (item: QueueItem, attempt: number) => Promise<void>): Promise<void>;
  /** Queues an item, at once or after `delaySeconds`. An `elapse` with the same loop and key is sent once, even after it ran. */
  send(item: QueueItem, delaySeconds?: number): Promise<void>;
  stop(): Promise<void>;
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
  /** The newest commit that both hold; undefined when they share no history. */
  mergeBase(repository: RepositoryRef, left: string, right: string): Promise<string | undefined>;
  /** What merging `base` into `head` gives; where people must merge, the files in which the two conflict. */
  merge(
    repository: RepositoryRef,
    head: string,
    base: string,
  ): Promise<{ readonly conflicts: readonly string[] } | Merge>;
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
    readonly price: Price | undefined;
    /** Address for jobs, local mode only. */
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
