/** What the App needs from the world, and nothing more. Adapters implement these. */
import type { GitHub, Merge, RepositoryRef } from './github/github-port.ts';
import type { Answer, AnswerName } from './loop/answers.ts';
import type { ModelCall } from './loop/brief.ts';
import type { CallContext } from './loop/call-headers.ts';
import type { Purse } from './loop/costs.ts';
import type { EffectLane } from './loop/effect.ts';
import type { Price } from './loop/terms.ts';
import type { AskedModel } from './onboarding/model.ts';
import type { Guardrails } from './settings/guardrails.ts';
import type { AdmissionLimits, KeepDays, Store } from './store-port.ts';

export type * from './overview-port.ts';
export type * from './store-port.ts';

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

/** The words of a call, without secrets. */
export interface Said {
  readonly request: string;
  readonly answer: string;
  /** Whether an answer came; else it holds why not. */
  readonly ending: 'whole' | 'broken';
}

/** Where each try is booked before it is made, with what it may cost, and after it with what it did. */
export interface CallBook {
  /** Gives the id that it is booked under. */
  reserve(call: ModelCall): Promise<string>;
  settle(id: string, call: ModelCall, said: Said): Promise<void>;
}

export interface Model {
  /**
   * Asks for one structured artifact: `response_format: json_schema` named after it, parsed with its schema; a malformed answer is told to the model.
   * @throws {ModelError} after three tries (timeout, HTTP error, malformed), {BudgetError} before a try that `purse` cannot pay; both carry the calls that were made.
   */
  answer<Name extends AnswerName>(request: {
    readonly name: Name;
    readonly context: CallContext;
    readonly system: string;
    readonly user: string;
    /** What may be spent on it; without, whatever it costs. */
    readonly purse?: Purse | undefined;
    /** Without, nothing is booked: what is told of its calls counts. */
    readonly book?: CallBook | undefined;
    /** For how long nothing may come; without, as long as the port lets every call. */
    readonly silenceMs?: number | undefined;
    /**
     * What is wrong with an answer that fits its schema, in the words of the tool that found it; told to the model in the same way.
     * An answer that is still wrong after the last try is given as it is: whoever asked judges it.
     */
    readonly check?: ((answer: Answer<Name>) => Promise<readonly string[]> | readonly string[]) | undefined;
  }): Promise<{ readonly answer: Answer<Name>; readonly calls: readonly ModelCall[] }>;
  /** One turn of a conversation with tools. @throws {ModelError} after three tries, {BudgetError} before a try that `purse` cannot pay. */
  turn(request: {
    readonly context: CallContext;
    readonly messages: readonly Message[];
    readonly tools: readonly ToolDefinition[];
    readonly purse?: Purse | undefined;
    readonly silenceMs?: number | undefined;
  }): Promise<{
    readonly content: string;
    readonly toolCalls: readonly ToolCall[];
    readonly calls: readonly ModelCall[];
  }>;
}

export type QueueItem =
  /** A repository has deliveries to be taken in. */
  | { readonly type: 'intake'; readonly repositoryId: number }
  /** A slot became free. */
  | { readonly type: 'admit' }
  /** The proof of a pull request has a step to take. */
  | { readonly type: 'prove'; readonly repositoryId: number; readonly pull: number }
  /** The onboarding of a repository has a step to take. */
  | { readonly type: 'onboard'; readonly repositoryId: number }
  | { readonly type: 'wake'; readonly loopId: string; readonly lane: EffectLane }
  | {
      readonly type: 'elapse';
      readonly loopId: string;
      readonly key: string;
      readonly entry: number;
      readonly timer: 'run' | 'checks';
    };

/** How often an item was tried. */
export interface Tries {
  /** This one, from 1. */
  readonly attempt: number;
  /** How many of the earlier ones ended with a RetryError, by its kind, */
  readonly failed: Readonly<Record<string, number>>;
  /** and what these tried: the `of` of the last RetryError. */
  readonly of?: string | undefined;
}

export interface Queue {
  /**
   * Starts working. Items with the same key (repository, or loop and lane) never run at the same time, across processes; an item that arrives while its key runs runs afterwards.
   * A handler that throws is tried again with a growing delay, or after the `seconds` of a RetryError; a killed process's items run again.
   */
  start(handle: (item: QueueItem, tries: Tries) => Promise<void>): Promise<void>;
  /**
   * Queues an item, at once or after `delaySeconds`. One that is queued already and has not begun is not queued again: it will see what was committed before it begins.
   * An `elapse` with the same loop and key is sent once, even after it ran.
   */
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
  /** The same of many files by their paths, at the cost of a few; what `read` has no text of is not among them. */
  texts(repository: RepositoryRef, sha: string, paths: readonly string[]): Promise<ReadonlyMap<string, string>>;
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
  /** Drops commits that nobody has read since (ISO), and returns how many; one that is asked for again is fetched again. */
  forget(before: string): Promise<number>;
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
    /** Where jobs ask. */
    readonly jobUrl: string;
    /** The App's address, where they ask by its gateway: it is what their token must be for, and the gateway books what they take. */
    readonly jobAudience: string | undefined;
    /** For how long a model may be silent, in jobs as in the App, whatever a repository's configuration says. */
    readonly silenceMs?: number | undefined;
  };
  readonly github: GitHub;
  readonly model: Model;
  /** Asks the model one question that belongs to no loop: whether it can be worked with. Undefined where answers are authored, which leaves nothing to ask. */
  readonly askModel?: (() => Promise<AskedModel>) | undefined;
  readonly store: Store;
  /** Labels of the machines that the jobs of a new repository run on; as our files say where nobody names any. */
  readonly runsOn?: readonly string[] | undefined;
  /** Who moves branches where the configuration does not say: on a person's own machine that person. */
  readonly promotesBy?: 'person' | undefined;
  readonly guardrails: Guardrails;
  /** How many loops may run. */
  readonly slots: AdmissionLimits;
  readonly keepDays: KeepDays;
  readonly queue: Queue;
  readonly workspace: Workspace;
  readonly gateway: Gateway;
  readonly clock: Clock;
  /** Skill texts by name, read from `skills/<name>/SKILL.md` at start. */
  readonly skills: ReadonlyMap<string, string>;
}
