/** The state of the simulated GitHub: one repository with its issues, pull requests, runs and checks, and what happened to it. */

import type { ReviewComment } from '../../../src/github/github-port.ts';
import type { Role } from '../../../src/loop/terms.ts';
import type { Odds } from '../world/odds.ts';
import type { Random } from '../world/random.ts';
import type { Scheduler } from '../world/scheduler.ts';
import { type Commit, type Commits, createCommits } from './commits.ts';
import type { Delivering } from './deliveries.ts';

export interface Account {
  readonly id: number;
  readonly login: string;
  readonly type: 'User' | 'Bot';
}

export interface Person extends Account {
  role: Role;
}

export const APP: Account = { id: 900, login: 'loopwright[bot]', type: 'Bot' };
export const ACTIONS: Account = { id: 901, login: 'github-actions[bot]', type: 'Bot' };

export interface Comment {
  readonly id: number;
  readonly number: number;
  readonly by: Account;
  readonly createdMs: number;
  body: string;
  updatedMs: number;
  deleted: boolean;
  readonly reactions: Set<string>;
}

export interface Issue {
  readonly number: number;
  readonly title: string;
  body: string;
  /** Undefined for a deleted account. */
  readonly author: Person | undefined;
  readonly labels: Set<string>;
  state: 'open' | 'closed';
}

export interface Pull {
  readonly number: number;
  readonly nodeId: string;
  readonly branch: string;
  title: string;
  body: string;
  state: 'open' | 'closed';
  merged: boolean;
  draft: boolean;
  headSha: string;
}

/** A run of one of the App's workflows. */
export interface Run {
  readonly id: number;
  readonly workflow: string;
  readonly title: string;
  readonly inputs: Readonly<Record<string, string>>;
  readonly startedMs: number;
  status: 'queued' | 'in_progress' | 'completed';
  conclusion: string | undefined;
  completedMs: number;
  cancelAskedMs: number | undefined;
  readonly artifacts: Map<string, Uint8Array>;
}

/** A check run, or (with `app` undefined) a commit status. */
export interface Check {
  readonly id: number;
  readonly sha: string;
  readonly name: string;
  readonly suite: number | undefined;
  readonly own: boolean;
  status: 'queued' | 'in_progress' | 'completed';
  conclusion: string | undefined;
  changedMs: number;
  externalId: string;
  text: string;
}

/** A check suite; those of Actions belong to a workflow run, whose jobs appear as check runs when their turn comes. */
export interface Suite {
  readonly id: number;
  readonly sha: string;
  readonly name: string;
  readonly startedMs: number;
  /** False for an App that was told of the push and never says anything. */
  readonly speaks: boolean;
  status: 'queued' | 'in_progress' | 'completed';
  conclusion: string | undefined;
  changedMs: number;
}

export interface RefMove {
  readonly ref: string;
  readonly sha: string | undefined;
  readonly atMs: number;
  readonly by: string;
}

export interface Hub {
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly odds: Odds;
  readonly commits: Commits;
  readonly repository: {
    readonly id: number;
    readonly owner: string;
    name: string;
    readonly defaultBranch: string;
    readonly installationId: number;
    readonly formerNames: Set<string>;
  };
  readonly people: readonly Person[];
  readonly refs: Map<string, string>;
  readonly moves: RefMove[];
  readonly issues: Map<number, Issue>;
  readonly comments: Map<number, Comment>;
  readonly pulls: Map<number, Pull>;
  /** What reviews say line by line, by the id of the review. */
  readonly reviewComments: Map<number, readonly ReviewComment[]>;
  readonly runs: Map<number, Run>;
  readonly checks: Map<number, Check>;
  readonly suites: Map<number, Suite>;
  readonly deliveries: Delivering;
  /** Workflow files that are missing on the default branch for now. */
  readonly missingWorkflows: Set<string>;
  /** While true, nothing goes wrong by chance any more. */
  calm: boolean;
  /** Until then every request fails. */
  outageUntilMs: number;
  readonly nextId: () => number;
  /** Told to whoever looks for the cause of a failure. */
  readonly note: (text: string) => void;
  readonly onPush: ((ref: string, sha: string) => void)[];
  readonly onDispatch: ((run: Run) => void)[];
  readonly onReady: ((pull: Pull) => void)[];
}

export function createHub(
  given: Pick<Hub, 'scheduler' | 'random' | 'odds' | 'people' | 'deliveries' | 'note'>,
  files: Commit['files'],
): Hub {
  const commits = createCommits();
  let id = 1000;
  const hub: Hub = {
    ...given,
    commits,
    repository: {
      id: 7,
      owner: 'acme',
      name: 'shop',
      defaultBranch: 'main',
      installationId: 5,
      formerNames: new Set(),
    },
    refs: new Map(),
    moves: [],
    issues: new Map(),
    comments: new Map(),
    pulls: new Map(),
    reviewComments: new Map(),
    runs: new Map(),
    checks: new Map(),
    suites: new Map(),
    missingWorkflows: new Set(),
    calm: false,
    outageUntilMs: 0,
    nextId: () => {
      id += 1;
      return id;
    },
    onPush: [],
    onDispatch: [],
    onReady: [],
  };
  const first = commits.add({ parents: [], files, message: 'Start', by: 'maria', atMs: given.scheduler.nowMs() });
  setRef(hub, 'refs/heads/main', first.sha, 'maria');
  return hub;
}

/** Moves, makes or deletes a ref, and remembers who did it. */
export function setRef(hub: Hub, ref: string, sha: string | undefined, by: string): void {
  if (sha === undefined) hub.refs.delete(ref);
  else hub.refs.set(ref, sha);
  hub.moves.push({ ref, sha, atMs: hub.scheduler.nowMs(), by });
}

/** Where a ref was at a moment of the past. */
export function refAt(hub: Hub, ref: string, atMs: number): string | undefined {
  return hub.moves.findLast((move) => move.ref === ref && move.atMs <= atMs)?.sha;
}

export function nextNumber(hub: Hub): number {
  return Math.max(0, ...hub.issues.keys(), ...hub.pulls.keys()) + 1;
}

export function pullOfBranch(hub: Hub, branch: string): Pull | undefined {
  return [...hub.pulls.values()].find((pull) => pull.state === 'open' && pull.branch === branch);
}
