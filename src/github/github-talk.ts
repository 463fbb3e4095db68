/** Issues and people: comments, reactions, labels, and who may do what. */
import { z } from 'zod';
import { digestOf } from '../guard/digest.ts';
import { type Actor, actor, GHOST, type Role, role } from '../loop/terms.ts';
import { type Call, enterpriseVersionIn } from './github-client.ts';
import { hasStatus, textOf } from './github-errors.ts';
import type { GitHub, OwnComment } from './github-port.ts';

type Without<Method> = Method extends (repository: never, ...rest: infer Rest) => infer Result
  ? (call: Call, ...rest: Rest) => Result
  : never;
/** A method of the port with the repository's Octokit in place of the repository. */
export type Operation<Name extends keyof GitHub> = Without<GitHub[Name]>;

function startOf({ marker }: OwnComment): string {
  return `<!-- loopwright:${marker.replace(/[^A-Za-z0-9/._:-]|--+/g, '-')} -->\n`;
}

/** Only the own comment with the marker is ever written; the same marker in a stranger's comment means nothing. */
export const comment: Operation<'comment'> = async (call, number, wanted) => {
  const start = startOf(wanted);
  const text = start + call.markdown(wanted.body, wanted.mention);
  const existing = wanted.isNew === true && call.isFirst ? undefined : await ownComment(call, number, start.trim());
  if (existing === undefined) {
    const { data } = await call.octokit.rest.issues.createComment({ ...call.here, issue_number: number, body: text });
    return { id: data.id, writtenAt: data.created_at };
  }
  if (normal(existing.body) === normal(text)) return { id: existing.id, writtenAt: existing.writtenAt };
  const { data } = await call.octokit.rest.issues.updateComment({
    ...call.here,
    comment_id: existing.id,
    body: text,
  });
  return { id: data.id, writtenAt: data.updated_at };
};

export const showComment: Operation<'showComment'> = async (call, number, wanted, known) => {
  const body = startOf(wanted) + call.markdown(wanted.body, wanted.mention);
  const digest = digestOf(body);
  if (known?.digest === digest) return known;
  const { here, ifThere, octokit } = call;
  const isChanged =
    known !== undefined &&
    (await ifThere(() => octokit.rest.issues.updateComment({ ...here, comment_id: known.id, body }))) !== undefined;
  return { id: isChanged ? known.id : (await comment(call, number, wanted)).id, digest };
};

interface Found {
  readonly id: number;
  readonly body: string;
  readonly writtenAt: string;
}

async function ownComment({ octokit, here, self }: Call, number: number, start: string): Promise<Found | undefined> {
  const { listComments } = octokit.rest.issues;
  const comments = octokit.paginate.iterator(listComments, { ...here, issue_number: number, per_page: 100 });
  for await (const { data } of comments) {
    const found = data.find(
      ({ body, performed_via_github_app: app }) => app?.id === self.appId && body?.startsWith(start),
    );
    if (found) return { id: found.id, body: found.body ?? '', writtenAt: found.updated_at };
  }
  return undefined;
}

function normal(text: string): string {
  return text.replaceAll('\r', '').trim();
}

export const react: Operation<'react'> = async ({ octokit, here }, commentId, content) => {
  await octokit.rest.reactions.createForIssueComment({ ...here, comment_id: commentId, content });
};

/** One that is not there need not be taken away. */
export const removeLabel: Operation<'removeLabel'> = async ({ octokit, here }, issue, name) => {
  try {
    await octokit.rest.issues.removeLabel({ ...here, issue_number: issue, name });
  } catch (error) {
    if (!hasStatus(error, 404) || !textOf(error).includes('Label does not exist')) throw error;
  }
};

export const issueState: Operation<'issueState'> = async ({ octokit, here }, issue) => {
  const { data } = await octokit.rest.issues.get({ ...here, issue_number: issue });
  const labels = data.labels.flatMap((label) => (typeof label === 'string' ? [label] : (label.name ?? [])));
  return { state: data.state === 'open' ? 'open' : 'closed', labels };
};

const access = z.object({
  permission: z.string(),
  role_name: z.string().optional(),
  user: z.object({ type: z.string() }).nullish(),
});

export const permission: Operation<'permission'> = async ({ octokit, here, ifThere }, login) => {
  // `ghost` stands for every deleted account, and is an account that somebody has.
  if (login === '' || login.toLowerCase() === 'ghost' || login.endsWith('[bot]')) return 'none';
  const answer = await ifThere(() => octokit.rest.repos.getCollaboratorPermissionLevel({ ...here, username: login }));
  return answer === undefined ? 'none' : roleOf(access.parse(answer.data));
};

/** An organisation's own role has a name of its own; then the permission that it is built on counts. */
function roleOf({ permission: level, role_name: name, user }: z.infer<typeof access>): Role {
  if (user?.type !== 'User') return 'none';
  return role.safeParse(name).data ?? role.safeParse(level).data ?? 'none';
}

export const repository: Operation<'repository'> = async ({ octokit, here, fixed, repositoryId }) => {
  const { data, headers } = await octokit.rest.repos.get(here);
  fixed.defaultBranches.set(String(repositoryId), data.default_branch);
  fixed.repositoryNodes.set(String(repositoryId), data.node_id);
  const server = enterpriseVersionIn(headers) === undefined ? 'github.com' : 'enterprise-server';
  return { defaultBranch: data.default_branch, url: data.html_url, server };
};

/** Of both issues and pull requests: GitHub lists them together. */
const LISTED = 20;

export const newestIssue: Operation<'newestIssue'> = async ({ octokit, here }) => {
  const { data } = await octokit.rest.issues.listForRepo({ ...here, state: 'open', per_page: LISTED });
  const found = data.find((one) => one.pull_request === undefined);
  if (found === undefined) return undefined;
  const { number, title, body, user, labels } = found;
  const named = labels.map((label) => ({ name: typeof label === 'string' ? label : (label.name ?? '') }));
  return { number, title, body: body ?? '', user: accountOf(user), labels: named };
};

/** Of an account that is gone GitHub names nobody. */
function accountOf(account: { readonly id: number; readonly login: string; readonly type: string } | null): Actor {
  if (account === null) return GHOST;
  const { id, login, type } = account;
  return actor.catch(GHOST).parse({ id, login, type });
}
