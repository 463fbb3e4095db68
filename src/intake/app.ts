/** The table of contents: which webhooks the App listens to. Each is stored before it is acknowledged; intake.ts says what it means. */
import type { Probot } from 'probot';
import type { Ports } from '../ports.ts';

const WEBHOOKS = [
  'issues.labeled',
  'issues.unlabeled',
  'issues.closed',
  'issue_comment.created',
  'pull_request.closed',
  'pull_request_review.submitted',
  'check_run.requested_action',
  'check_run.rerequested',
  'check_run.completed',
  'workflow_run.completed',
  'push',
  'delete',
] as const;

/** Whether the App listens to a webhook, as `issues.labeled` or `push`. */
export function isHeard(name: string): boolean {
  return WEBHOOKS.some((webhook) => webhook === name);
}

export function register(
  app: Probot,
  { store, clock }: Pick<Ports, 'clock'> & { readonly store: Pick<Ports['store'], 'receive'> },
): void {
  app.on([...WEBHOOKS], async ({ id, name, payload }) => {
    await store.receive({ id, name, payload, receivedAt: clock.now().toISOString() });
  });
}
