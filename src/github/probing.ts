/** Reads and removals that no loop needs: what shows whether GitHub does what a loop takes for granted. Each is tried once. */
import type { Octokit } from '@octokit/rest';
import { type Call, createClient, enterpriseVersionIn, type GitHubOptions } from './github-client.ts';
import { type Attempts, attempt } from './github-errors.ts';
import type { RepositoryRef } from './github-port.ts';

export interface CommitFacts {
  readonly isVerified: boolean;
  /** Why, in GitHub's word. */
  readonly reason: string;
  /** Who it says wrote it. */
  readonly author: string;
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
  /** When a run was asked for, and when its first job began; undefined while none has. */
  beginnings(
    repository: RepositoryRef,
    runId: number,
  ): Promise<{ readonly askedAt: string; readonly begunAt: string | undefined }>;
  isDraft(repository: RepositoryRef, pull: number): Promise<boolean>;
  /** `refs/heads/x`, in full. */
  removeRef(repository: RepositoryRef, ref: string): Promise<void>;
}

const ONCE: Attempts = { most: 1, pauseMs: 0, renew: () => undefined };
/** Of the newest deliveries, so many are looked into. */
const MOST_PUSHES = 20;

export function createProbing(options: GitHubOptions): Probing {
  const client = createClient({ ...options, pauseMs: 0 });
  const asApp = <Value>(ask: (octokit: Octokit) => Promise<Value>) => attempt(() => ask(client.app()), ONCE);
  const within = <Value>(repository: RepositoryRef, ask: (call: Call) => Promise<Value>) =>
    attempt(async () => ask(await client.call(repository)), ONCE);
  return {
    serverVersion: () =>
      asApp(async (octokit) => enterpriseVersionIn((await octokit.rest.apps.getAuthenticated()).headers)),
    runsOn: (repository, head_sha) =>
      within(repository, async ({ octokit, here }) => {
        const { data } = await octokit.rest.actions.listWorkflowRunsForRepo({ ...here, head_sha });
        return data.workflow_runs.map(({ name, path }) => name ?? path);
      }),
    pushesToldOf: (ref) => asApp((octokit) => pushesToldOf(octokit, ref)),
    commitFacts: (repository, commit_sha) =>
      within(repository, async ({ octokit, here }) => {
        const { author, verification } = (await octokit.rest.git.getCommit({ ...here, commit_sha })).data;
        return { isVerified: verification.verified, reason: verification.reason, author: author.name };
      }),
    checkNames: (repository, ref) =>
      within(repository, async ({ octokit, here, self }) => {
        const { data } = await octokit.rest.checks.listForRef({ ...here, ref, app_id: self.appId, per_page: 100 });
        return data.check_runs.map(({ name }) => name);
      }),
    twoWays: (repository, path) =>
      attempt(async () => {
        // A call's own reads all go by the id.
        const octokit = await client.named(repository);
        const ask = async (place: string): Promise<unknown> => (await octokit.request(`GET ${place}${path}`)).data;
        const { owner, repo, repositoryId } = repository;
        return [await ask(`/repos/${owner}/${repo}`), await ask(`/repositories/${repositoryId}`)];
      }, ONCE),
    beginnings: (repository, run_id) =>
      within(repository, async ({ octokit, here }) => {
        const { created_at: askedAt } = (await octokit.rest.actions.getWorkflowRun({ ...here, run_id })).data;
        const { jobs } = (await octokit.rest.actions.listJobsForWorkflowRun({ ...here, run_id })).data;
        return { askedAt, begunAt: jobs.find(({ status }) => status !== 'queued')?.started_at };
      }),
    isDraft: (repository, pull_number) =>
      within(repository, async ({ octokit, here }) => {
        return (await octokit.rest.pulls.get({ ...here, pull_number })).data.draft === true;
      }),
    removeRef: (repository, ref) =>
      within(repository, async ({ octokit, here }) => {
        await octokit.rest.git.deleteRef({ ...here, ref: ref.replace(/^refs\//, '') });
      }),
  };
}

async function pushesToldOf(octokit: Octokit, ref: string): Promise<number> {
  const { data } = await octokit.rest.apps.listWebhookDeliveries({ per_page: 100 });
  const pushes = data.filter(({ event }) => event === 'push' || event === 'create').slice(0, MOST_PUSHES);
  let told = 0;
  for (const { id } of pushes) {
    const delivery = (await octokit.rest.apps.getWebhookDelivery({ delivery_id: id })).data;
    const payload: { readonly ref?: unknown } = delivery.request.payload ?? {};
    if (payload.ref === ref || payload.ref === ref.replace(/^refs\//, '')) told += 1;
  }
  return told;
}
