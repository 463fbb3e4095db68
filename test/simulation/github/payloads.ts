/** Webhooks as GitHub words them, with what the App may read and what it must bear: nulls, own acts, strangers. */
import {
  ACTIONS,
  type Account,
  APP,
  type Check,
  type Comment,
  type Hub,
  type Issue,
  type Pull,
  type Run,
} from './hub.ts';

type Payload = Readonly<Record<string, unknown>>;

function envelope({ repository }: Hub, sender: Account): Payload {
  const { id, name, owner, defaultBranch, installationId } = repository;
  return {
    repository: { id, name, full_name: `${owner}/${name}`, owner: { login: owner }, default_branch: defaultBranch },
    installation: { id: installationId },
    sender: accountOf(sender),
  };
}

function accountOf({ id, login, type }: Account): Payload {
  return { id, login, type };
}

function issueOf({ number, title, body, author, labels, state }: Issue): Payload {
  return {
    number,
    title,
    body: body === '' ? null : body,
    user: author === undefined ? null : accountOf(author),
    labels: [...labels].map((name) => ({ name })),
    state,
  };
}

/** A pull request as a comment on it shows it. */
function pullAsIssue({ number, title, body, state }: Pull, author: Account): Payload {
  return { number, title, body, user: accountOf(author), labels: [], state, pull_request: { url: 'x' } };
}

function pullOf({ repository }: Hub, { number, branch, merged, state, headSha }: Pull): Payload {
  return { number, state, merged, head: { ref: branch, sha: headSha, repo: { id: repository.id } } };
}

export function sendIssue(hub: Hub, action: string, issue: Issue, by: Account, label?: string): void {
  const more = label === undefined ? {} : { label: { name: label } };
  hub.deliveries.send('issues', { ...envelope(hub, by), action, issue: issueOf(issue), ...more });
}

export function sendComment(hub: Hub, comment: Comment, author: Account): void {
  const issue = hub.issues.get(comment.number);
  const pull = hub.pulls.get(comment.number);
  const shown = issue === undefined ? (pull === undefined ? {} : pullAsIssue(pull, author)) : issueOf(issue);
  const { id, body, createdMs, by } = comment;
  hub.deliveries.send('issue_comment', {
    ...envelope(hub, by),
    action: 'created',
    issue: shown,
    comment: { id, body, created_at: wholeSeconds(createdMs) },
  });
}

export function sendPull(hub: Hub, action: string, pull: Pull, by: Account): void {
  hub.deliveries.send('pull_request', { ...envelope(hub, by), action, pull_request: pullOf(hub, pull) });
}

export function sendReview(
  hub: Hub,
  pull: Pull,
  by: Account,
  review: { readonly id: number; readonly state: string; readonly body: string },
): void {
  hub.deliveries.send('pull_request_review', {
    ...envelope(hub, by),
    action: 'submitted',
    pull_request: pullOf(hub, pull),
    review: { ...review, submitted_at: wholeSeconds(hub.scheduler.nowMs()) },
  });
}

export function sendCheckRun(hub: Hub, action: string, check: Check, by: Account, identifier?: string): void {
  const { id, sha, name, externalId, status, conclusion, suite, changedMs } = check;
  hub.deliveries.send('check_run', {
    ...envelope(hub, by),
    action,
    check_run: {
      id,
      name,
      head_sha: sha,
      external_id: externalId === '' ? null : externalId,
      status,
      conclusion: conclusion ?? null,
      completed_at: status === 'completed' ? wholeSeconds(changedMs) : null,
      check_suite: { id: suite, updated_at: wholeSeconds(changedLast(hub, check)) },
    },
    ...(identifier === undefined ? {} : { requested_action: { identifier } }),
  });
}

/** When a check of the same maker on the same commit last changed. */
function changedLast(hub: Hub, { own, sha }: Check): number {
  const others = [...hub.checks.values()].filter((one) => one.own === own && one.sha === sha);
  return Math.max(...others.map(({ changedMs }) => changedMs));
}

export function sendSuite(hub: Hub, sha: string, by: Account, conclusion: string): void {
  hub.deliveries.send('check_suite', {
    ...envelope(hub, by),
    action: 'completed',
    check_suite: { id: 1, head_sha: sha, status: 'completed', conclusion },
  });
}

export function sendStatus(hub: Hub, sha: string, by: Account, state: string): void {
  hub.deliveries.send('status', { ...envelope(hub, by), sha, state, context: 'external', description: null });
}

/** Runs of Actions on the default branch: GitHub sends its own account, and names who had it started. */
export function sendRun(hub: Hub, action: 'requested' | 'in_progress' | 'completed', run: Run): void {
  const { defaultBranch } = hub.repository;
  hub.deliveries.send('workflow_run', {
    ...envelope(hub, ACTIONS),
    action,
    workflow_run: {
      id: run.id,
      status: run.status,
      conclusion: run.conclusion ?? null,
      path: `.github/workflows/${run.workflow}@refs/heads/${defaultBranch}`,
      event: 'workflow_dispatch',
      head_branch: defaultBranch,
      head_sha: hub.refs.get(`refs/heads/${defaultBranch}`) ?? '',
      display_title: run.title,
      actor: accountOf(APP),
      triggering_actor: accountOf(APP),
    },
  });
}

export function sendPush(hub: Hub, ref: string, before: string, after: string, by: Account): void {
  hub.deliveries.send('push', { ...envelope(hub, by), ref, before, after });
}

export function sendDelete(hub: Hub, branch: string, by: Account): void {
  hub.deliveries.send('delete', { ...envelope(hub, by), ref: branch, ref_type: 'branch' });
}

export function sendRepository(hub: Hub, action: string, by: Account): void {
  hub.deliveries.send('repository', { ...envelope(hub, by), action });
}

/** GitHub tells times in whole seconds. */
export function wholeSeconds(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
