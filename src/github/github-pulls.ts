/** The draft pull request of a loop: opened once, kept up to date, taken out of draft, and back to it where it is sent back; never merged, never re-targeted. */
import { digestOfValue } from '../guard/digest.ts';
import { PULL_DOCUMENTS, type PullDocument } from '../referee/graphql.ts';
import type { Call } from './github-client.ts';
import { graphqlErrorOf, hasStatus } from './github-errors.ts';
import type { GitHub, ReviewComment } from './github-port.ts';
import type { Operation } from './github-talk.ts';

/** GitHub lists at most this many files of a comparison, and says nothing about more. */
const LISTED_FILES = 300;

export const openPull: Operation<'openPull'> = async (call, wanted) => {
  const existing = wanted.isNew === true && call.isFirst ? undefined : await openedBefore(call, wanted);
  if (existing !== undefined) return existing;
  try {
    return await create(call, wanted);
  } catch (error) {
    // Where the branch has one of an earlier loop, or a person's, GitHub opens no other.
    const found = wanted.isNew === true && hasStatus(error, 422) ? await openedBefore(call, wanted) : undefined;
    if (found === undefined) throw error;
    return found;
  }
};

type Opened = Awaited<ReturnType<GitHub['openPull']>>;
type Wanted = Parameters<GitHub['openPull']>[1];

async function create(call: Call, { branch, base, title, body, isDraft = true }: Wanted): Promise<Opened> {
  const text = textOf(call, { title, body });
  const { data } = await call.octokit.rest.pulls.create({ ...call.here, head: branch, base, draft: isDraft, ...text });
  return { number: data.number, nodeId: data.node_id };
}

/** One to another base is somebody's own. */
async function openedBefore(
  call: Call,
  { branch, base: into, title, body, keepsText }: Wanted,
): Promise<Opened | undefined> {
  const { octokit, here } = call;
  const { data: open } = await octokit.rest.pulls.list({ ...here, state: 'open', head: `${here.owner}:${branch}` });
  const existing = open.find(({ head, base }) => head.ref === branch && base.ref === into);
  if (existing === undefined) return undefined;
  if (keepsText !== true) await bringUpToDate(call, existing, { title, body });
  return { number: existing.number, nodeId: existing.node_id };
}

export const showPull: Operation<'showPull'> = async (call, number, change, known) => {
  const { octokit, here } = call;
  const text = textOf(call, change);
  const digest = digestOfValue(text);
  if (known === digest) return { digest };
  const { data } = await octokit.rest.pulls.update({ ...here, pull_number: number, ...text });
  return { headSha: data.head.sha, digest };
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
    merged: data.merged,
    draft: data.draft ?? false,
    branch: data.head.repo?.id === data.base.repo.id ? data.head.ref : undefined,
    headSha: data.head.sha,
    baseSha: data.base.sha,
    mergeable: data.mergeable ?? undefined,
  };
};

export const markReady: Operation<'markReady'> = (call, pullNodeId) =>
  send(call, 'markPullRequestReadyForReview', {
    pullNodeId,
    failure: `GitHub did not take the pull request ${pullNodeId} out of draft`,
  });

export const markDraft: Operation<'markDraft'> = (call, pullNodeId) =>
  send(call, 'convertPullRequestToDraft', {
    pullNodeId,
    failure: `GitHub did not turn the pull request ${pullNodeId} back to draft`,
  });

async function send(
  { octokit }: Call,
  name: PullDocument,
  { pullNodeId, failure }: { readonly pullNodeId: string; readonly failure: string },
): Promise<void> {
  try {
    await octokit.graphql(PULL_DOCUMENTS[name], { pullRequestId: pullNodeId });
  } catch (error) {
    throw graphqlErrorOf(error, failure) ?? error;
  }
}

export const reviewComments: Operation<'reviewComments'> = async ({ octokit, here }, number, reviewId) => {
  const asked = { ...here, pull_number: number, review_id: reviewId, per_page: 100 };
  const { data } = await octokit.rest.pulls.listCommentsForReview(asked);
  return data.map(reviewCommentOf);
};

type Commented = Pick<
  Awaited<ReturnType<Call['octokit']['rest']['pulls']['listCommentsForReview']>>['data'][number],
  'path' | 'body' | 'line' | 'side' | 'diff_hunk'
>;

/** In the comments of one review GitHub may leave the line out; what it always tells is the hunk, which ends at that line. */
function reviewCommentOf({ path, body, line, side, diff_hunk: hunk }: Commented): ReviewComment {
  const read = lastLineOf(hunk);
  const isRemoved = side === undefined ? read.isRemoved : side === 'LEFT';
  return { file: path, line: isRemoved ? undefined : (line ?? read.line), body };
}

/** The line on which a hunk ends, in the file as the change leaves it. */
function lastLineOf(hunk: string): { readonly line: number | undefined; readonly isRemoved: boolean } {
  const [head = '', ...lines] = hunk.split('\n');
  const [, first] = /^@@ -\d+(?:,\d+)? \+(\d+)/.exec(head) ?? [];
  const kept = lines.filter((line) => line.startsWith('+') || line.startsWith(' '));
  const isThere = first !== undefined && kept.length > 0;
  return {
    line: isThere ? Number(first) + kept.length - 1 : undefined,
    isRemoved: lines.at(-1)?.startsWith('-') === true,
  };
}

export const changedPaths: Operation<'changedPaths'> = async ({ octokit, here }, base, head) => {
  const { data } = await octokit.rest.repos.compareCommitsWithBasehead({ ...here, basehead: `${base}...${head}` });
  const files = data.files ?? [];
  if (files.length >= LISTED_FILES) return undefined;
  return files.flatMap(({ filename, previous_filename: before }) =>
    before === undefined ? [filename] : [before, filename],
  );
};
