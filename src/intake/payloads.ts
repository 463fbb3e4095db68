/** The webhooks that the App listens to, and the parts of their payloads that it reads, parsed once at the door. */
import { z } from 'zod';
import { commitSha } from '../loop/measurement.ts';
import { actor, GHOST } from '../loop/terms.ts';

/** An account of a kind that is not known acts like a bot: it steers nothing. One that was deleted is `null`, and some webhooks have no sender: that is nobody. */
const account = z
  .object({ id: z.int(), login: z.string(), type: z.enum(['User', 'Bot', 'Organization']).catch('Bot') })
  .transform((value) => actor.parse(value))
  .nullish()
  .transform((value) => value ?? GHOST)
  .catch(GHOST);
/** Numbers of issues and pull requests are columns of the store. */
const number = z.int32().positive();
/** Refs, owners and repositories go into columns, paths and messages; git and GitHub allow no control character in any of them. */
const nameText = z.string().refine((name) => !/\p{Cc}/u.test(name), 'a name has no control character in it');
const time = z.iso.datetime({ offset: true });
/** Whether something is there, whatever stands in it; one that is not read is not stored either. */
const present = z
  .object({})
  .nullish()
  .catch({})
  .transform((value) => value ?? undefined)
  .optional();
const label = z.object({ name: z.string() });
const issue = z.object({
  number,
  title: z.string(),
  body: z.string().nullish(),
  user: account,
  labels: z.array(label).catch([]),
  updated_at: time.optional().catch(undefined),
  /** That it is one is all that counts. */
  pull_request: present,
});
export type Issue = z.infer<typeof issue>;
const pull_request = z.object({
  number,
  merged: z.boolean().nullish(),
  head: z.object({
    ref: nameText,
    sha: commitSha.optional().catch(undefined),
    repo: z.object({ id: z.int() }).nullish(),
  }),
  base: z.object({ ref: nameText }).optional().catch(undefined),
  labels: z.array(label).catch([]),
  updated_at: time.optional().catch(undefined),
});
/** What a merge queue is about to merge; refs are full. */
const merge_group = z.object({
  head_sha: commitSha,
  head_ref: nameText,
  base_ref: nameText.optional().catch(undefined),
});
/** The App that made a check; `slug` tells whether it is this one. */
const app = z.object({ slug: z.string().nullish() }).nullish();
const check_run = z.object({
  id: z.int().optional().catch(undefined),
  completed_at: time.nullish().catch(undefined),
  check_suite: z.object({ updated_at: time }).nullish().catch(undefined),
  external_id: z
    .string()
    .nullish()
    .transform((id) => id ?? ''),
  head_sha: commitSha,
  app,
});
const workflow_run = z.object({
  id: z.int(),
  conclusion: z.string().nullish(),
  path: z.string().nullish(),
  event: z.string(),
  head_sha: commitSha,
  display_title: z.string().nullish(),
  triggering_actor: account,
});

const origin = {
  /** As GitHub sends it; what is stored is read by it again. */
  action: z.string().optional(),
  installation: z.object({ id: z.int() }),
  sender: account,
};
const envelope = {
  ...origin,
  repository: z.object({
    id: z.int(),
    name: nameText,
    owner: z.object({ login: nameText }),
    default_branch: nameText.optional().catch(undefined),
  }),
};
/** Repositories of an installation come with their full name only. */
const repositories = z.array(z.object({ id: z.int(), full_name: nameText.regex(/^[^/]+\/[^/]+$/) }));

const payload = z.discriminatedUnion('name', [
  z.object({ name: z.literal('issues.labeled'), ...envelope, issue, label: label.optional() }),
  z.object({ name: z.literal('issues.unlabeled'), ...envelope, issue, label: label.optional() }),
  z.object({ name: z.literal('issues.closed'), ...envelope, issue }),
  z.object({ name: z.literal('issues.deleted'), ...envelope, issue }),
  z.object({ name: z.literal('issues.transferred'), ...envelope, issue }),
  z.object({
    name: z.literal('issue_comment.created'),
    ...envelope,
    issue,
    comment: z.object({ id: z.int(), body: z.string(), created_at: time, performed_via_github_app: present }),
  }),
  z.object({ name: z.literal('pull_request.opened'), ...envelope, pull_request }),
  z.object({ name: z.literal('pull_request.closed'), ...envelope, pull_request }),
  z.object({
    name: z.literal('pull_request.edited'),
    ...envelope,
    pull_request,
    changes: z.object({ base: present }).optional().catch(undefined),
  }),
  z.object({ name: z.literal('pull_request.reopened'), ...envelope, pull_request }),
  z.object({ name: z.literal('pull_request.labeled'), ...envelope, pull_request, label: label.optional() }),
  z.object({ name: z.literal('pull_request.synchronize'), ...envelope, pull_request }),
  z.object({
    name: z.literal('pull_request_review.submitted'),
    ...envelope,
    pull_request,
    review: z.object({ id: z.int().optional(), state: z.string(), body: z.string().nullish(), submitted_at: time }),
  }),
  z.object({
    name: z.literal('check_run.requested_action'),
    ...envelope,
    check_run,
    requested_action: z.object({ identifier: z.string() }).nullish(),
  }),
  z.object({ name: z.literal('merge_group.checks_requested'), ...envelope, merge_group }),
  z.object({ name: z.literal('check_run.rerequested'), ...envelope, check_run }),
  z.object({ name: z.literal('check_run.completed'), ...envelope, check_run }),
  z.object({
    name: z.literal('check_suite.completed'),
    ...envelope,
    check_suite: z.object({ head_sha: commitSha, app }),
  }),
  z.object({ name: z.literal('status'), ...envelope, sha: commitSha }),
  z.object({ name: z.literal('workflow_run.requested'), ...envelope, workflow_run }),
  z.object({ name: z.literal('workflow_run.in_progress'), ...envelope, workflow_run }),
  z.object({ name: z.literal('workflow_run.completed'), ...envelope, workflow_run }),
  z.object({ name: z.literal('push'), ...envelope, ref: nameText, after: z.string() }),
  z.object({ name: z.literal('delete'), ...envelope, ref: nameText, ref_type: z.string() }),
  z.object({ name: z.literal('repository.renamed'), ...envelope }),
  z.object({ name: z.literal('repository.transferred'), ...envelope }),
  z.object({ name: z.literal('repository.archived'), ...envelope }),
  z.object({ name: z.literal('repository.unarchived'), ...envelope }),
  z.object({ name: z.literal('repository.privatized'), ...envelope }),
  z.object({ name: z.literal('repository.publicized'), ...envelope }),
  z.object({ name: z.literal('installation.suspend'), ...origin }),
  z.object({ name: z.literal('installation.unsuspend'), ...origin }),
  z.object({ name: z.literal('installation.new_permissions_accepted'), ...origin }),
  z.object({ name: z.literal('installation_repositories.removed'), ...origin, repositories_removed: repositories }),
  z.object({ name: z.literal('installation.created'), ...origin, repositories: repositories.nullish() }),
  z.object({ name: z.literal('installation_repositories.added'), ...origin, repositories_added: repositories }),
]);

/** What a webhook says, as far as the App reads it. Parsing one again gives the same. */
export type Payload = z.infer<typeof payload>;
export type PayloadName = Payload['name'];
type Payloads = { readonly [One in Payload as One['name']]: One };
/** The payload of a name. Written so that a table by name and the payload for it are known to belong together. */
export type PayloadOf<Name extends PayloadName> = {
  [One in Name]: { readonly name: One } & Payloads[One];
}[Name];

/** Everything that the App listens to, as `issues.labeled` or `push`. */
export const WEBHOOKS: readonly PayloadName[] = payload.options.map(({ shape }) => shape.name.value);

/** Whether the App listens to a webhook, as `issues.labeled` or `push`. */
export function isHeard(name: string): boolean {
  return WEBHOOKS.some((webhook) => webhook === name);
}

/** Why a webhook that the App listens to cannot be read; one line. */
export interface Refusal {
  readonly refusal: string;
}

/** Parses a delivery, and never throws; undefined for what the App does not listen to. `name` is the event, its action comes from the payload. */
export function payloadOf(name: string, value: unknown): Payload | Refusal | undefined {
  const { action } = withAction.safeParse(value).data ?? {};
  const known = WEBHOOKS.find((webhook) => webhook === `${name}.${action}` || webhook === name);
  if (known === undefined) return undefined;
  const fields = z.record(z.string(), z.unknown()).safeParse(value);
  const parsed = payload.safeParse({ ...fields.data, name: known });
  return parsed.success ? parsed.data : { refusal: `${known} cannot be read: ${problemsOf(parsed.error)}` };
}

const withAction = z.object({ action: z.string() });

function problemsOf({ issues }: z.ZodError): string {
  const problems = issues.slice(0, 3).map(({ path, message }) => `${path.join('.')}: ${message}`);
  return problems.join('; ');
}
