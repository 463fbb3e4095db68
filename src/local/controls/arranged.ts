/** What people arrange on GitHub's own settings pages: REST tells it here as GitHub would, and `/_local/switches` sets it. What is obeyed too says so. */
import { z } from 'zod';

const words = (text: string): string[] => text.split(' ');
const permissions = z.record(z.string(), z.string());

/** What the App asks for and is granted; it does not ask for `workflows`. */
const APP_PERMISSIONS = {
  metadata: 'read',
  contents: 'write',
  issues: 'write',
  pull_requests: 'write',
  checks: 'write',
  actions: 'write',
  statuses: 'read',
  merge_queues: 'read',
};
const APP_EVENTS = words(
  'issues issue_comment pull_request pull_request_review check_run check_suite status workflow_run push delete merge_group repository',
);

export const arrangedSchema = z.strictObject({
  /** Of the App's registration; its tokens have no others. */
  permissions: permissions.default(APP_PERMISSIONS),
  /** Those of them that the installation has accepted; all where it is absent. Obeyed, also for tokens that were made before. */
  accepted: permissions.optional(),
  events: z.array(z.string()).default(APP_EVENTS),
  hasWebhookSecret: z.boolean().default(true),
  checksCertificate: z.boolean().default(true),
  /** Obeyed, as the four that follow. */
  isInstalled: z.boolean().default(true),
  /** Ids of the repositories that were taken out of the installation. */
  removed: z.array(z.int()).default([]),
  /** Then no token of the installation is taken, and no webhook comes but its own. */
  isSuspended: z.boolean().default(false),
  /** All repositories here: nobody writes to them. */
  isArchived: z.boolean().default(false),
  /** All repositories here: nobody sees them but who has a role on them, and the installation where it has them. */
  isPrivate: z.boolean().default(false),
  hasIssues: z.boolean().default(true),
  /** Of one ruleset on the default branch: https://docs.github.com/rest/repos/rules#get-rules-for-a-branch */
  rules: z.array(z.looseObject({ type: z.string() })).default([]),
  /** Whether the App may do what the ruleset forbids. */
  canBypass: z.enum(['always', 'pull_requests_only', 'never', 'exempt']).default('never'),
  /** Of a third ruleset, for branches that begin with the prefix; null: there is none. Obeyed as far as it requires checks. */
  branchRules: z
    .strictObject({ prefix: z.string().min(1), rules: z.array(z.looseObject({ type: z.string() })) })
    .nullable()
    .default(null),
  /** What branches begin with that, by another ruleset, nobody creates by REST but people; null: there is no such ruleset. */
  restricted: z.string().min(1).nullable().default(null),
  /** Checks that a protection of the old kind requires of the default branch; null: there is none. */
  protectedBy: z.array(z.string()).nullable().default(null),
  actions: z
    .strictObject({ enabled: z.boolean(), allowed_actions: z.enum(['all', 'local_only', 'selected']).optional() })
    .default({ enabled: true, allowed_actions: 'all' }),
  /** File names of workflows that somebody has switched off. */
  workflowsOff: z.array(z.string()).default([]),
});
export type Arranged = z.infer<typeof arrangedSchema>;
