/** The draft pull request of a loop: opened once, kept up to date, taken out of draft; never merged, never re-targeted. */
import { MARK_READY_FOR_REVIEW } from '../referee/requests.ts';
import type { Call } from './github-client.ts';
import { graphqlErrorOf } from './github-errors.ts';
import type { Operation } from './github-talk.ts';

/** GitHub lists at most this many files of a comparison, and says nothing about more. */
const LISTED_FILES = 300;

export const openPull: Operation<'openPull'> = async (call, { branch, base, title, body }) => {
  const { octokit, here } = call;
  const { data: open } = await octokit.rest.pulls.list({ ...here, state: 'open', head: `${here.owner}:${branch}` });
  const existing = open.find(({ head }) => head.ref === branch);
  if (existing) {
    await bringUpToDate(call, existing, { title, body });
    return { number: existing.number, nodeId: existing.node_id };
  }
  const text = textOf(call, { title, body });
  const { data } = await octokit.rest.pulls.create({ ...here, head: branch, base, draft: true, ...text });
  return { number: data.number, nodeId: data.node_id };
};

export const updatePull: Operation<'updatePull'> = async (call, number, change) => {
  const { data } = await call.octokit.rest.pulls.get({ ...call.here, pull_number: number });
  await bringUpToDate(call, data, change);
  return { headSha: data.head.sha };
};

interface PullText {
  readonly title: string;
  readonly body: string;
}

function textOf(call: Call, { title, body }: PullText): PullText {
  return { title: call.plain(title), body: call.markdown(body) };
}

async function bringUpToDate(
  { octokit, here, ...call }: Call,
  existing: { readonly number: number; readonly title: string; readonly body: string | null },
  change: PullText,
): Promise<void> {
  const { title, body } = textOf({ octokit, here, ...call }, change);
  if (existing.title === title && (existing.body ?? '').replaceAll('\r', '').trim() === body.trim()) return;
  await octokit.rest.pulls.update({ ...here, pull_number: existing.number, title, body });
}

export const pull: Operation<'pull'> = async ({ octokit, here }, number) => {
  const { data } = await octokit.rest.pulls.get({ ...here, pull_number: number });
  return {
    state: data.state,
    draft: data.draft ?? false,
    branch: data.head.repo?.id === data.base.repo.id ? data.head.ref : undefined,
    headSha: data.head.sha,
    mergeable: data.mergeable ?? undefined,
  };
};

export const markReady: Operation<'markReady'> = async ({ octokit }, pullNodeId) => {
  try {
    await octokit.graphql(MARK_READY_FOR_REVIEW, { pullRequestId: pullNodeId });
  } catch (error) {
    throw graphqlErrorOf(error, `GitHub did not take the pull request ${pullNodeId} out of draft`) ?? error;
  }
};

export const changedPaths: Operation<'changedPaths'> = async ({ octokit, here }, base, head) => {
  const { data } = await octokit.rest.repos.compareCommitsWithBasehead({ ...here, basehead: `${base}...${head}` });
  const files = data.files ?? [];
  if (files.length >= LISTED_FILES) return undefined;
  return files.flatMap(({ filename, previous_filename: before }) =>
    before === undefined ? [filename] : [before, filename],
  );
};
