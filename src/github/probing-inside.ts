/** What probes ask of a repository, beside what loops do. */
import { z } from 'zod';
import type { Call } from './github-client.ts';
import { hasStatus } from './github-errors.ts';
import type { CommitFacts, LimitHeaders, ReadTwice } from './probing-port.ts';

export async function runsOn({ octokit, here }: Call, head_sha: string): Promise<readonly string[]> {
  const { data } = await octokit.rest.actions.listWorkflowRunsForRepo({ ...here, head_sha });
  return data.workflow_runs.map(({ name, path }) => name ?? path);
}

export async function commitFacts({ octokit, here }: Call, commit_sha: string): Promise<CommitFacts> {
  const { author, verification } = (await octokit.rest.git.getCommit({ ...here, commit_sha })).data;
  return { isVerified: verification.verified, reason: verification.reason, author: author.name };
}

export async function checkNames({ octokit, here, self }: Call, ref: string): Promise<readonly string[]> {
  const { data } = await octokit.rest.checks.listForRef({ ...here, ref, app_id: self.appId, per_page: 100 });
  return data.check_runs.map(({ name }) => name);
}

export async function beginnings({ octokit, here }: Call, run_id: number) {
  const { created_at: askedAt } = (await octokit.rest.actions.getWorkflowRun({ ...here, run_id })).data;
  const { jobs } = (await octokit.rest.actions.listJobsForWorkflowRun({ ...here, run_id })).data;
  return { askedAt, begunAt: jobs.find(isBegun)?.started_at };
}

/** A job that waits for a person, was skipped or was cancelled in the queue has had no runner. */
function isBegun({ status, runner_name }: { readonly status: string; readonly runner_name: string | null }): boolean {
  return (status === 'in_progress' || status === 'completed') && Boolean(runner_name);
}

export async function runsCalled({ octokit, here }: Call, workflow_id: string, title: string) {
  const asked = { ...here, workflow_id, event: 'workflow_dispatch', per_page: 100 };
  const { data } = await octokit.rest.actions.listWorkflowRuns(asked);
  return data.workflow_runs
    .filter(({ display_title }) => display_title === title)
    .map(({ id, status }) => ({ id, isCompleted: status === 'completed' }));
}

export async function isDraft({ octokit, here }: Call, pull_number: number): Promise<boolean> {
  return (await octokit.rest.pulls.get({ ...here, pull_number })).data.draft === true;
}

export async function mergeableState({ octokit, here }: Call, pull_number: number): Promise<string> {
  return (await octokit.rest.pulls.get({ ...here, pull_number })).data.mergeable_state;
}

export async function rulesOn({ octokit, here }: Call, branch: string): Promise<readonly string[]> {
  const { data } = await octokit.rest.repos.getBranchRules({ ...here, branch, per_page: 100 });
  return [...new Set(data.map(({ type }) => type))];
}

export async function newestChange({ octokit, here }: Call, branch: string, path: string) {
  const { data } = await octokit.rest.repos.listCommits({ ...here, sha: branch, path, per_page: 30 });
  const [found] = data.flatMap(({ sha, parents: [parent] }) =>
    parent === undefined ? [] : [{ sha, parent: parent.sha }],
  );
  return found;
}

export async function unsignedCommit({ octokit, here }: Call, parent: string, message: string): Promise<string> {
  const { tree } = (await octokit.rest.git.getCommit({ ...here, commit_sha: parent })).data;
  const author = { name: 'Loopwright probe', email: 'probe@loopwright.invalid' };
  const made = { message, tree: tree.sha, parents: [parent], author };
  return (await octokit.rest.git.createCommit({ ...here, ...made })).data.sha;
}

export async function comment({ octokit, here, markdown }: Call, issue_number: number, body: string): Promise<void> {
  await octokit.rest.issues.createComment({ ...here, issue_number, body: markdown(body) });
}

export async function review(
  { octokit, here, markdown }: Call,
  pull_number: number,
  { path, line, body }: { readonly path: string; readonly line: number; readonly body: string },
): Promise<number> {
  const comments = [{ path, line, side: 'RIGHT', body: markdown(body) }];
  return (await octokit.rest.pulls.createReview({ ...here, pull_number, event: 'COMMENT', comments })).data.id;
}

const REPOSITORY = 'GET /repos/{owner}/{repo}';

export async function readTwice({ octokit, here }: Call): Promise<ReadTwice> {
  const { headers } = await octokit.request(REPOSITORY, here);
  const again = { ...here, headers: { 'if-none-match': headers.etag } };
  const second = await octokit.request(REPOSITORY, again).catch((error: unknown) => {
    const { data } = notModified.safeParse(error);
    if (data === undefined) throw error;
    return data.response;
  });
  return { first: limitsIn(headers), second: limitsIn(second.headers), isUnchanged: Number(second.status) === 304 };
}

/** Octokit takes it for an error. */
const notModified = z.object({
  status: z.literal(304),
  response: z.object({ status: z.literal(304), headers: z.record(z.string(), z.unknown()) }),
});

const LIMIT_HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];

function limitsIn(headers: object): LimitHeaders {
  const all = new Map<string, unknown>(Object.entries(headers));
  return Object.fromEntries(
    LIMIT_HEADERS.map((name) => {
      const value = all.get(name);
      return [name, value === undefined ? undefined : String(value)];
    }),
  );
}

export async function logOf({ octokit, here }: Call, run_id: number): Promise<string> {
  const { jobs } = (await octokit.rest.actions.listJobsForWorkflowRun({ ...here, run_id })).data;
  const logs: string[] = [];
  for (const { id: job_id } of jobs) {
    const log = octokit.request('GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs', { ...here, job_id });
    // Of a job that never began there is none.
    logs.push(
      await log.then(
        ({ data }) => String(data),
        (error: unknown) => {
          if (hasStatus(error, 404, 410)) return '';
          throw error;
        },
      ),
    );
  }
  return logs.join('\n');
}

export async function removeRef({ octokit, here }: Call, ref: string): Promise<void> {
  await octokit.rest.git.deleteRef({ ...here, ref: ref.replace(/^refs\//, '') });
}
