/**
 * What GitHub told nobody: of a suspended installation, and of a repository that was taken out of it, it sends no webhooks, and keeps none to be had
 * later. Read from what it shows, in the form in which its webhooks would have said it.
 */
import { GoneError } from '../errors.ts';
import type { Call } from './github-client.ts';
import { hasStatus } from './github-errors.ts';
import type { UnsentWebhook } from './github-port.ts';
import type { Operation } from './github-talk.ts';

export const unsent: Operation<'unsent'> = async (call, { issue, pull, since }) => {
  const told = [...(await ofIssue(call, issue, since)), ...(pull === undefined ? [] : await ofPull(call, pull, since))];
  return told.toSorted((left, right) => Date.parse(left.at) - Date.parse(right.at));
};

async function ofIssue(call: Call, number: number, since: string): Promise<readonly UnsentWebhook[]> {
  const issue = await issueThere(call, number);
  if (issue === undefined) {
    const payload = { action: 'deleted', issue: { number, title: '', user: null }, sender: null };
    return [{ id: `deleted-${number}`, name: 'issues', at: since, payload }];
  }
  const labels = new Set(issue.labels.map((label) => (typeof label === 'string' ? label : (label.name ?? ''))));
  const events = (await eventsOf(call, number, since)).filter(({ event, label }) =>
    event === 'closed' ? issue.state === 'closed' : event === 'unlabeled' && !labels.has(label?.name ?? ''),
  );
  const done = events.map(({ id, event, actor, created_at: at, label }) => ({
    id: `event-${id}`,
    name: 'issues',
    at,
    payload: { action: event, issue, label, sender: actor },
  }));
  return [...done, ...(await commentsOn(call, issue, since))];
}

/** Undefined where it was deleted, or another repository has it now: that is thrown on the way, and Octokit wraps it. */
async function issueThere({ octokit, here, ifThere }: Call, number: number) {
  try {
    return (await ifThere(() => octokit.rest.issues.get({ ...here, issue_number: number })))?.data;
  } catch (error) {
    const isElsewhere = error instanceof Error && error.cause instanceof GoneError;
    if (!isElsewhere && !hasStatus(error, 410)) throw error;
    return undefined;
  }
}

async function ofPull(call: Call, number: number, since: string): Promise<readonly UnsentWebhook[]> {
  const { octokit, here, ifThere } = call;
  const pull = (await ifThere(() => octokit.rest.pulls.get({ ...here, pull_number: number })))?.data;
  if (pull === undefined) return [];
  const closings = (await eventsOf(call, number, since)).filter(({ event }) => event === 'closed');
  const closed = closings
    .slice(pull.state === 'closed' ? -1 : closings.length)
    .map(({ id, actor, created_at: at }) => ({
      id: `event-${id}`,
      name: 'pull_request',
      at,
      payload: { action: 'closed', pull_request: pull, sender: actor },
    }));
  const issue = { number, title: pull.title, user: pull.user, pull_request: {} };
  return [...closed, ...(await commentsOn(call, issue, since)), ...(await reviewsOf(call, pull, since))];
}

type Event = Awaited<ReturnType<Call['octokit']['rest']['issues']['listEvents']>>['data'][number];
type Happened = Pick<Event, 'id' | 'event' | 'actor' | 'created_at'> & {
  readonly label?: { readonly name?: string | null };
};

async function eventsOf({ octokit, here }: Call, number: number, since: string): Promise<readonly Happened[]> {
  const asked = { ...here, issue_number: number, per_page: 100 };
  const events: readonly Happened[] = await octokit.paginate(octokit.rest.issues.listEvents, asked);
  return events.filter(({ created_at: at }) => isSince(at, since));
}

/** One that was changed is left out: what it said when it was made nobody knows any more, and others may have changed it. */
async function commentsOn(
  { octokit, here }: Call,
  issue: { readonly number: number },
  since: string,
): Promise<readonly UnsentWebhook[]> {
  const asked = { ...here, issue_number: issue.number, since, per_page: 100 };
  const comments = await octokit.paginate(octokit.rest.issues.listComments, asked);
  return comments
    .filter(({ created_at: at, updated_at: changedAt }) => at === changedAt && isSince(at, since))
    .map((comment) => ({
      id: `comment-${comment.id}`,
      name: 'issue_comment',
      at: comment.created_at,
      payload: { action: 'created', issue, comment, sender: comment.user },
    }));
}

/** Their states are written in capitals here, and otherwise in webhooks. */
async function reviewsOf(
  { octokit, here }: Call,
  pull: { readonly number: number },
  since: string,
): Promise<readonly UnsentWebhook[]> {
  const asked = { ...here, pull_number: pull.number, per_page: 100 };
  const reviews = await octokit.paginate(octokit.rest.pulls.listReviews, asked);
  return reviews.flatMap((review) => {
    const { id, user, state, submitted_at: at } = review;
    if (at === undefined || !isSince(at, since)) return [];
    const said = { ...review, state: state.toLowerCase() };
    const payload = { action: 'submitted', pull_request: pull, review: said, sender: user };
    return [{ id: `review-${id}`, name: 'pull_request_review', at, payload }];
  });
}

function isSince(at: string, since: string): boolean {
  return Date.parse(at) >= Date.parse(since);
}
