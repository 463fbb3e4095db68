/** What is kept of a webhook: what payloads.ts reads of it, where it may decide anything, and else its id alone. Pure and cheap: the sender waits for it. */
import { z } from 'zod';
import type { Delivery } from '../ports.ts';
import { BRANCH_PREFIX } from '../settings/config.ts';
import { type Payload, payloadOf } from './payloads.ts';

export interface Webhook {
  readonly id: string;
  /** As in the header `x-github-event`. */
  readonly name: string;
  readonly payload: unknown;
  readonly receivedAt: string;
}

/** `self` is the login of the App's own account: what it does itself is no news. */
export function deliveryOf({ id, name, payload: whole, receivedAt }: Webhook, self: string): Delivery {
  const unread: Delivery = { id, name, receivedAt, repositoryId: undefined, payload: undefined, note: undefined };
  try {
    const payload = payloadOf(name, whole);
    if (payload === undefined || !mayDecide(payload, self)) return unread;
    return { ...unread, repositoryId: payload.repository.id, payload: reducedOf(payload) };
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    return { ...unread, note: `not readable: ${z.prettifyError(error).replaceAll(/\s+/g, ' ')}` };
  }
}

/** Reads back as the same payload. */
function reducedOf(payload: Payload): unknown {
  const [, action] = payload.name.split('.');
  return { ...payload, action, installation: { id: payload.repository.installationId } };
}

/** Our check runs name their loop. */
const OUR_CHECK = /^\d+\/\d+\/\d+\//;

/** The base of loops, or a branch that may be one's own. */
function isFollowed({ ref, repository }: Extract<Payload, { name: 'push' }>): boolean {
  return ref === `refs/heads/${repository.default_branch}` || ref.startsWith(`refs/heads/${BRANCH_PREFIX}`);
}

function mayDecide(payload: Payload, self: string): boolean {
  const { sender } = payload;
  switch (payload.name) {
    case 'issues.labeled':
      return payload.label.name === 'loop';
    case 'issues.unlabeled':
      return payload.label.name === 'loop' && sender.login !== self;
    case 'issue_comment.created':
      return sender.type === 'User' && /^\//m.test(payload.comment.body);
    case 'pull_request_review.submitted':
      return sender.type === 'User' && payload.review.state !== 'dismissed';
    case 'check_run.requested_action':
    case 'check_run.rerequested':
      return sender.type === 'User' && OUR_CHECK.test(payload.check_run.external_id);
    case 'check_run.completed':
      return sender.login !== self;
    case 'push':
      return sender.login !== self && isFollowed(payload) && !/^0+$/.test(payload.after);
    case 'delete':
      return payload.ref_type === 'branch' && payload.ref.startsWith(BRANCH_PREFIX);
    case 'issues.closed':
    case 'pull_request.closed':
    case 'workflow_run.completed':
      return true;
  }
}
