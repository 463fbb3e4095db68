/** Merges: https://docs.github.com/rest/pulls/pulls#merge-a-pull-request */
import { z } from 'zod';
import { CONTENTS_WRITE, PUBLIC } from '../access.ts';
import { HttpError, notFound } from '../http-error.ts';
import { isQueued, lackingCheck } from '../queue/required.ts';
import type { Pull } from '../records.ts';
import { actingLogin, type Call, type Endpoints, noContent, ok, parseBody, repositoryOf } from './endpoint.ts';
import { environmentOf, gitOfCall, ownSignature } from './git-data.ts';
import { closeMerged } from './pull-changes.ts';
import { issueOfPull } from './pull-payloads.ts';
import { pullOf } from './pulls.ts';
import { writeRefsOf } from './refs.ts';

const ONE = '/repos/{owner}/{repo}/pulls/{pull_number}';

export const mergeEndpoints: Endpoints = {
  [`GET ${ONE}/merge`]: {
    need: PUBLIC,
    answer: (call) => {
      if (pullOf(call).mergedAt === undefined) throw notFound();
      return noContent;
    },
  },
  // `contents: write` includes merging, on GitHub too: nothing here keeps the App from it.
  [`PUT ${ONE}/merge`]: { need: CONTENTS_WRITE, answer: merge },
};

const mergeBody = z.object({
  sha: z.string().optional(),
  merge_method: z.enum(['merge', 'squash', 'rebase']).default('merge'),
  commit_title: z.string().optional(),
  commit_message: z.string().optional(),
});
type Wish = z.infer<typeof mergeBody>;

async function merge(call: Call) {
  const wish = parseBody(call, mergeBody);
  const sha = await writeRefsOf(call, async () => {
    const pull = pullOf(call);
    judgeMerge(call, pull, wish);
    judgeRules(call, pull);
    const merged = await writeMerge(call, pull, wish);
    await closeMerged(call.host, {
      repository: repositoryOf(call),
      sender: actingLogin(call),
      pull,
      mergeCommitSha: merged,
    });
    return merged;
  });
  return ok({ sha, merged: true, message: 'Pull Request successfully merged' });
}

function judgeMerge(call: Call, pull: Pull, { sha, merge_method: method }: Wish): void {
  if (pull.draft) throw new HttpError(405, 'Pull Request is still a draft');
  if (issueOfPull(call.host, pull).state === 'closed') throw new HttpError(405, 'Pull Request is not mergeable');
  if (sha !== undefined && sha !== pull.headSha)
    throw new HttpError(409, 'Head branch was modified. Review and try the merge again.');
  if (method === 'rebase') throw new HttpError(405, 'Rebase merges are not allowed on this repository.');
}

/** What the ruleset asks of everybody but an App that may bypass it. @throws HttpError 405 */
function judgeRules({ host, actor }: Call, pull: Pull): void {
  if (actor.type === 'installation' && host.switches.values().arranged.canBypass === 'always') return;
  const broken = isQueued(host, pull)
    ? 'Changes must be made through the merge queue'
    : lackingCheck(host, pull, pull.headSha);
  if (broken !== undefined) throw new HttpError(405, `Repository rule violations found\n\n${broken}\n\n`);
}

/** The base branch moves to a commit with both parents, or, squashed, with the base alone. */
async function writeMerge(call: Call, pull: Pull, wish: Wish): Promise<string> {
  const git = gitOfCall(call);
  const ref = `refs/heads/${pull.base}`;
  const base = await git.text(['rev-parse', ref]);
  const tree = await git.attempt(['merge-tree', '--write-tree', base, pull.headSha]);
  if (tree === undefined) throw new HttpError(405, 'Pull Request is not mergeable');
  const parents = wish.merge_method === 'squash' ? [base] : [base, pull.headSha];
  const own = ownSignature(call);
  const sha = await git.text(['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent])], {
    input: messageOf(call, pull, wish),
    environment: environmentOf(call.host, own, own),
  });
  // Before the branch moves: a squashed head is not in it, so that a process that dies now could not tell that it was merged.
  call.host.state.pulls.update(pull.id, { mergeCommitSha: sha });
  await git.text(['update-ref', ref, sha, base]);
  return sha;
}

function messageOf(call: Call, pull: Pull, wish: Wish): string {
  const { title } = issueOfPull(call.host, pull);
  const squashed = wish.merge_method === 'squash';
  const subject = squashed
    ? `${title} (#${pull.number})`
    : `Merge pull request #${pull.number} from ${repositoryOf(call).owner}/${pull.head}`;
  return `${wish.commit_title ?? subject}\n\n${wish.commit_message ?? (squashed ? '' : title)}`.trim();
}
