/** What is kept of a webhook: what payloads.ts reads of it, where it may decide anything, and else its id alone. Pure and cheap: the sender waits for it. */
import { isPerson } from '../loop/terms.ts';
import { SETUP_BRANCH } from '../onboarding/onboarding.ts';
import type { Delivery } from '../ports.ts';
import { BRANCH_PREFIX } from '../settings/config.ts';
import { isOwnCheck } from './check-readers.ts';
import { isWritten } from './comment-reader.ts';
import { isOurLabel } from './issue-readers.ts';
import type { HeadName } from './lacking-checks.ts';
import { type Payload, type PayloadName, type PayloadOf, payloadOf } from './payloads.ts';
import { isProveLabel } from './proof-asks.ts';
import { isOwnRun } from './run-readers.ts';

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
  const payload = payloadOf(name, whole);
  if (payload === undefined) return unread;
  if ('refusal' in payload) return { ...unread, note: payload.refusal };
  if (!mayDecide(payload, self)) return unread;
  return { ...unread, repositoryId: repositoryIdOf(payload), payload };
}

/** What is said of a whole installation is taken in beside all repositories, in an order of its own. */
const NO_REPOSITORY = 0;

function repositoryIdOf(payload: Payload): number {
  return 'repository' in payload ? payload.repository.id : NO_REPOSITORY;
}

/** Our check runs name their loop. */
const OUR_CHECK = /^(?:\d+\/\d+\/\d+\/|proof\/|setup\/)/;

/** The base of loops, or a branch that may be one's own. */
function isFollowed({ ref, repository: { default_branch: base } }: PayloadOf<'push'>): boolean {
  return base === undefined || ref === `refs/heads/${base}` || ref.startsWith(`refs/heads/${BRANCH_PREFIX}`);
}

type Decides = { readonly [Name in PayloadName]: (payload: PayloadOf<Name>, self: string) => boolean };

/** What can be told from a payload alone: whether it may mean anything to a loop. */
const DECIDES: Decides = {
  'issues.labeled': ({ label }) => isOurLabel(label?.name),
  'issues.unlabeled': ({ label, sender }, self) => isOurLabel(label?.name) && sender.login !== self,
  'issues.closed': () => true,
  'issues.deleted': () => true,
  'issues.transferred': () => true,
  'issue_comment.created': ({ sender, comment }) => isWritten({ sender, comment }) && /^\//m.test(comment.body),
  'pull_request.opened': mayLackChecks,
  'pull_request.edited': (payload, self) => payload.changes?.base !== undefined && mayLackChecks(payload, self),
  'pull_request.closed': () => true,
  'pull_request.reopened': mayLackChecks,
  'pull_request.labeled': ({ label, sender }) => isProveLabel(label?.name) && isPerson(sender),
  'pull_request.synchronize': mayLackChecks,
  'merge_group.checks_requested': () => true,
  'pull_request_review.submitted': ({ sender }) => isPerson(sender),
  'check_run.requested_action': isPressed,
  'check_run.rerequested': isPressed,
  'check_run.completed': ({ sender, check_run }, self) => !isOwnCheck(sender, check_run.app, self),
  'check_suite.completed': ({ sender, check_suite }, self) => !isOwnCheck(sender, check_suite.app, self),
  status: ({ sender }, self) => !isOwnCheck(sender, undefined, self),
  'workflow_run.requested': isOwnRun,
  'workflow_run.in_progress': isOwnRun,
  'workflow_run.completed': () => true,
  push: (payload, self) => payload.sender.login !== self && isFollowed(payload),
  delete: ({ ref_type, ref }) => ref_type === 'branch' && ref.startsWith(BRANCH_PREFIX),
  'repository.renamed': () => true,
  'repository.transferred': () => true,
  'repository.archived': () => true,
  'repository.unarchived': () => true,
  'repository.privatized': () => true,
  'repository.publicized': () => true,
  'installation.suspend': () => true,
  'installation.unsuspend': () => true,
  'installation.new_permissions_accepted': () => true,
  'installation_repositories.removed': () => true,
  'installation.created': () => true,
  'installation_repositories.added': () => true,
};

/** Of its own pull requests the App hears nothing new by it, but that which sets a repository up is no loop's. */
function mayLackChecks({ pull_request, sender }: PayloadOf<HeadName>, self: string): boolean {
  return sender.login !== self || pull_request.head.ref === SETUP_BRANCH;
}

function isPressed({ sender, check_run }: PayloadOf<'check_run.requested_action' | 'check_run.rerequested'>): boolean {
  return isPerson(sender) && OUR_CHECK.test(check_run.external_id);
}

function mayDecide<Name extends PayloadName>(payload: PayloadOf<Name>, self: string): boolean {
  return DECIDES[payload.name](payload, self);
}
