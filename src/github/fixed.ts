/** What GitHub cannot answer otherwise tomorrow: what a hash stands for. It is asked for once, as long as it is remembered. */
import { LRUCache } from 'lru-cache';
import type { TreeEntry } from './git-tree.ts';
import type { WorkflowRun } from './github-port.ts';
import type { RequiredCheck } from './inspection-port.ts';

export interface HeldCommit {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
}

/** By `<id of the repository>/<hash>`, and a file by its path behind that. */
export interface Fixed {
  readonly files: LRUCache<string, string>;
  readonly commits: LRUCache<string, HeldCommit>;
  readonly trees: LRUCache<string, readonly TreeEntry[]>;
  /** By id of the repository, for minutes: a run on another branch than the default one is paid nothing by the gateway. */
  readonly defaultBranches: LRUCache<string, string>;
  /** By id of the repository and branch; they know themselves how old they may be. */
  readonly rules: LRUCache<string, HeldRules>;
  /** Their names in GraphQL, by id of the repository. */
  readonly repositoryNodes: LRUCache<string, string>;
  /** That have ended, for a minute, by `<id of the repository>/<id of the run>`: of one run several reports are taken. */
  readonly runs: LRUCache<string, WorkflowRun>;
  /** What those left. */
  readonly artifacts: LRUCache<string, readonly HeldArtifact[]>;
}

/** What rules require, each source with the tag of its answer. */
export interface HeldRules {
  readonly askedMs: number;
  readonly sources: readonly { readonly tag: string | undefined; readonly required: readonly RequiredCheck[] }[];
}

export interface HeldArtifact {
  readonly id: number;
  readonly name: string;
  readonly bytes: number;
  readonly digest: string | undefined;
}

/** In characters of JSON, of each kind. */
const MOST = 10_000_000;
const LONGEST = 500_000;
const BRANCH_MS = 5 * 60_000;
const RUN_MS = 60_000;

export function createFixed(): Fixed {
  return {
    files: bounded<string>(),
    commits: bounded<HeldCommit>(),
    trees: bounded<readonly TreeEntry[]>(),
    defaultBranches: new LRUCache<string, string>({ max: 1000, ttl: BRANCH_MS, updateAgeOnGet: false }),
    rules: new LRUCache<string, HeldRules>({ max: 1000 }),
    repositoryNodes: new LRUCache<string, string>({ max: 1000 }),
    runs: new LRUCache<string, WorkflowRun>({ max: 1000, ttl: RUN_MS, updateAgeOnGet: false }),
    artifacts: new LRUCache<string, readonly HeldArtifact[]>({ max: 1000, ttl: RUN_MS, updateAgeOnGet: false }),
  };
}

function bounded<Value extends {}>(): LRUCache<string, Value> {
  const sizeCalculation = (value: Value): number => JSON.stringify(value).length;
  return new LRUCache<string, Value>({ maxSize: MOST, maxEntrySize: LONGEST, sizeCalculation });
}

/** What is not there is asked for again: GitHub may be late. So is what could not be asked. */
export async function once<Value extends {}, Answer extends Value | undefined>(
  known: LRUCache<string, Value>,
  key: string,
  ask: () => Promise<Answer>,
): Promise<Value | Answer> {
  const found = known.get(key);
  if (found !== undefined) return found;
  const value = await ask();
  if (value !== undefined) known.set(key, value);
  return value;
}

const HASH = /^[0-9a-f]{40}$/;

/** Whether a ref stands for the same for ever; a branch does not. */
export function isFixed(ref: string): boolean {
  return HASH.test(ref);
}
