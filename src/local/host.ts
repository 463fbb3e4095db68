/** What every part of the embedded GitHub is given. */
import { join } from 'node:path';
import type { Contract } from '../referee/contract.ts';
import type { JobGroups } from './actions/job-groups.ts';
import type { WorkflowExecution, WorkflowResult } from './actions/workflow-types.ts';
import type { Clock } from './clock.ts';
import type { Switches } from './controls/switches.ts';
import type { Credentials } from './credentials.ts';
import type { Faults } from './faults/faults.ts';
import { createGit, type Git } from './git/git.ts';
import type { Remembered } from './git/remembered.ts';
import type { SigningKeys } from './identity/signing-keys.ts';
import type { Profile } from './profile.ts';
import type { Repository } from './records.ts';
import type { State } from './state.ts';
import type { Outbox } from './webhooks/webhooks.ts';

export interface Host {
  readonly state: State;
  readonly contract: Contract;
  readonly profile: Profile;
  readonly credentials: Credentials;
  readonly outbox: Outbox;
  readonly switches: Switches;
  readonly clock: Clock;
  readonly faults: Faults;
  readonly dataDirectory: string;
  readonly remembered: Remembered;
  /** Secret of the printed address; without one everybody who reaches the server may act as anybody. */
  readonly key: string | undefined;
  /** Base address of the server, without a trailing slash. */
  readonly url: () => string;
  readonly executeWorkflow: (execution: WorkflowExecution) => Promise<WorkflowResult>;
  /** Runs the works of one repository one after another. */
  readonly serial: <T>(repositoryId: number, work: () => Promise<T>) => Promise<T>;
  readonly reportProblem: (subject: string, where: string, message: string) => void;
  /** Has the merge queue of a repository look again: a check there has changed. */
  readonly lookAtQueue: (repositoryId: number) => void;
  /** Aborted when the server closes. */
  readonly stopping: AbortController;
  /** The runs that are being performed, until each has ended. */
  readonly performances: Set<Promise<void>>;
  readonly signingKeys: SigningKeys;
  readonly jobGroups: JobGroups;
  /** Stops a running workflow run. */
  readonly running: Map<number, AbortController>;
}

export const OWN_SLUG = 'loopwright';
export const ACTIONS_SLUG = 'github-actions';
export const BOT_LOGIN = `${OWN_SLUG}[bot]`;
export const ACTIONS_LOGIN = `${ACTIONS_SLUG}[bot]`;

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
  return createGit(join(host.dataDirectory, 'git', gitDirectoryOf(repository)), host.remembered);
}

/** Where a repository's bare directory is, below `git` in the data directory. */
export function gitDirectoryOf({ directory, owner, name }: Repository): string {
  return directory ?? `${owner}/${name}.git`;
}

/** An id of GitHub's GraphQL kind: opaque, unique, and readable by us. */
export function nodeIdOf(kind: string, id: number): string {
  return Buffer.from(`${kind}:${id}`).toString('base64url');
}
