/** The GitHub port: what the App may read and write there, each operation repeatable. */
import type { Octokit } from '@octokit/rest';
import type { AppStanding } from './app-standing.ts';
import { checkDetails, failedLogEnd } from './check-details.ts';
import { artifact, cancelRun, dispatch, run } from './github-actions.ts';
import { addChecks, checks } from './github-checks.ts';
import { type Call, createClient, type GitHubOptions, PAUSE_MS } from './github-client.ts';
import { commit, file, head, moveRef, tags } from './github-commits.ts';
import { failedDeliveries, redeliver } from './github-deliveries.ts';
import { type Attempts, attempt } from './github-errors.ts';
import type { GitHub, RepositoryRef } from './github-port.ts';
import { changedPaths, markDraft, markReady, openPull, pull, reviewComments, showPull } from './github-pulls.ts';
import {
  comment,
  issueState,
  newestIssue,
  permission,
  react,
  removeLabel,
  repository,
  showComment,
} from './github-talk.ts';
import { headChecks } from './head-checks.ts';
import { environment } from './inspection-inside.ts';
import { locate } from './relocation.ts';
import { requiredChecks } from './required-checks.ts';
import { withheld } from './standing.ts';
import { unsent } from './unsent.ts';

export type { GitHubOptions } from './github-client.ts';

/** What git needs to fetch a repository. */
export interface GitAccess {
  readonly gitUrlOf: (repository: RepositoryRef) => string;
  readonly tokenOf: (repository: RepositoryRef) => Promise<string>;
  /** Forgets that token: GitHub no longer takes it. */
  readonly renewToken: (repository: RepositoryRef) => void;
}

/** Connects the port to a GitHub as an installed App. Failures that pass are tried again. */
export function createGitHub(options: GitHubOptions): GitHub & GitAccess & Pick<AppStanding, 'obstacle'> {
  const client = createClient(options);
  const { pauseMs = PAUSE_MS, pause } = options;
  const times = { pauseMs, ...(pause && { pause }) };
  const renewing = (target: RepositoryRef): Attempts => ({ ...times, renew: () => client.renew(target) });
  const perform = performing(client, renewing);
  return {
    gitUrlOf: ({ owner, repo }) => `${client.webUrl}/${owner}/${repo}.git`,
    tokenOf: (target) => attempt(() => client.token(target), renewing(target)),
    renewToken: client.renew,
    obstacle: client.obstacle,
    locate: (target) => locate(client, target, (operation) => attempt(operation, renewing(target))),
    withheld: (target) => withheld(client, target, (operation) => attempt(operation, renewing(target))),
    permission: perform(permission),
    repository: perform(repository),
    head: perform(head),
    tags: perform(tags),
    file: perform(file),
    newestIssue: perform(newestIssue),
    environment: perform(environment),
    issueState: perform(issueState),
    unsent: perform(unsent),
    comment: perform(comment),
    showComment: perform(showComment),
    react: perform(react),
    removeLabel: perform(removeLabel),
    openPull: perform(openPull),
    showPull: perform(showPull),
    pull: perform(pull),
    markReady: perform(markReady),
    markDraft: perform(markDraft),
    reviewComments: perform(reviewComments),
    commit: perform(commit),
    moveRef: perform(moveRef),
    dispatch: perform(dispatch),
    run: perform(run),
    cancelRun: perform(cancelRun),
    artifact: perform(artifact),
    changedPaths: perform(changedPaths),
    ...checksBy(perform),
    ...deliveriesOf(client, times),
  };
}

function checksBy(
  perform: ReturnType<typeof performing>,
): Pick<GitHub, 'checks' | 'addChecks' | 'requiredChecks' | 'headChecks' | 'checkDetails' | 'failedLogEnd'> {
  return {
    checks: perform(checks),
    addChecks: perform(addChecks),
    requiredChecks: perform(requiredChecks),
    headChecks: perform(headChecks),
    checkDetails: perform(checkDetails),
    failedLogEnd: perform(failedLogEnd),
  };
}

/** What is asked as the App itself, of all its installations. */
function deliveriesOf(
  client: ReturnType<typeof createClient>,
  times: Omit<Attempts, 'renew'>,
): Pick<GitHub, 'failedDeliveries' | 'redeliver'> {
  const asApp = <Result>(operation: (octokit: Octokit) => Promise<Result>): Promise<Result> =>
    attempt(() => operation(client.app()), { ...times, renew: () => undefined });
  return {
    failedDeliveries: (cursor) => asApp((octokit) => failedDeliveries(octokit, cursor)),
    redeliver: (deliveryId) => asApp((octokit) => redeliver(octokit, deliveryId)),
  };
}

/** An operation on one repository as a method of the port: with a token that is renewed where it is over, and tried again where that may help. */
function performing(client: ReturnType<typeof createClient>, renewing: (target: RepositoryRef) => Attempts) {
  return <Rest extends readonly unknown[], Result>(operation: (call: Call, ...rest: Rest) => Promise<Result>) =>
    (target: RepositoryRef, ...rest: Rest): Promise<Result> => {
      let isFirst = true;
      return attempt(async () => {
        const call = { ...(await client.call(target)), isFirst };
        isFirst = false;
        return operation(call, ...rest);
      }, renewing(target));
    };
}
