/** What every part of the embedded GitHub is given. */
import { join } from 'node:path';
import type { Contract } from '../referee/contract.ts';
import type { WorkflowExecution, WorkflowResult } from './actions/workflow-types.ts';
import type { Credentials } from './credentials.ts';
import { createGit, type Git } from './git/git.ts';
import type { Repository } from './records.ts';
import type { State } from './state.ts';
import type { Outbox } from './webhooks/webhooks.ts';

export interface Host {
  readonly state: State;
  readonly contract: Contract;
  readonly credentials: Credentials;
  readonly outbox: Outbox;
  readonly dataDirectory: string;
  /** Base address of the server, without a trailing slash. */
  readonly url: () => string;
  readonly executeWorkflow: (execution: WorkflowExecution) => Promise<WorkflowResult>;
  /** Runs the works of one repository one after another. */
  readonly serial: <T>(repositoryId: number, work: () => Promise<T>) => Promise<T>;
  readonly reportProblem: (subject: string, where: string, message: string) => void;
  /** Aborted when the server closes. */
  readonly stopping: AbortController;
  /** The runs that are being performed, until each has ended. */
  readonly performances: Set<Promise<void>>;
  /** Stops a running workflow run. */
  readonly running: Map<number, AbortController>;
}

export const BOT_LOGIN = 'loopwright[bot]';
export const ACTIONS_LOGIN = 'github-actions[bot]';

/** Base address of the REST API. */
export function apiUrlOf(host: Host): string {
  return `${host.url()}/api/v3`;
}

/** REST address of a repository. */
export function repositoryUrlOf(host: Host, { owner, name }: Repository): string {
  return `${apiUrlOf(host)}/repos/${owner}/${name}`;
}

/** Address of a repository's pages. */
export function repositoryHtmlUrlOf(host: Host, { owner, name }: Repository): string {
  return `${host.url()}/${owner}/${name}`;
}

/** Git on the repository's bare directory. */
export function gitOf(host: Host, repository: Repository): Git {
  return createGit(join(host.dataDirectory, 'git', repository.owner, `${repository.name}.git`));
}

/** The time as GitHub writes it: UTC, whole seconds. */
export function now(): string {
  return `${new Date().toISOString().slice(0, 19)}Z`;
}

/** An id of GitHub's GraphQL kind: opaque, unique, and readable by us. */
export function nodeIdOf(kind: string, id: number): string {
  return Buffer.from(`${kind}:${id}`).toString('base64url');
}
