/** The parts of webhook payloads that the App reads, parsed once at the door. */
import { z } from 'zod';
import { actor } from '../loop/terms.ts';

const account = z
  .object({ id: z.int(), login: z.string(), type: z.enum(['User', 'Bot', 'Organization']).catch('Bot') })
  .transform((value) => actor.parse(value));
const repository = z.object({
  id: z.int(),
  name: z.string(),
  owner: z.object({ login: z.string() }),
  default_branch: z.string(),
});
const envelope = {
  repository,
  installation: z.object({ id: z.int() }),
  sender: account,
};
const label = z.object({ name: z.string() });
const issue = z.object({
  number: z.int(),
  title: z.string(),
  body: z.string().nullable(),
  user: account,
  labels: z.array(label),
  pull_request: z.unknown().optional(),
});
export type Issue = z.infer<typeof issue>;
const pull_request = z.object({
  number: z.int(),
  merged: z.boolean().nullish(),
  head: z.object({ ref: z.string(), repo: z.object({ id: z.int() }).nullish() }),
});
export type Pull = z.infer<typeof pull_request>;
const check_run = z.object({
  external_id: z
    .string()
    .nullable()
    .transform((id) => id ?? ''),
  head_sha: z.string(),
});

/** Identifiers of our check-run buttons. */
export const checkButton = z.enum(['approve', 'rerun']);

const PAYLOADS = {
  'issues.labeled': z.object({ ...envelope, issue, label }),
  'issues.unlabeled': z.object({ ...envelope, issue, label }),
  'issues.closed': z.object({ ...envelope, issue }),
  'issue_comment.created': z.object({
    ...envelope,
    issue,
    comment: z.object({ id: z.int(), body: z.string(), created_at: z.string() }),
  }),
  'pull_request.closed': z.object({ ...envelope, pull_request }),
  'pull_request_review.submitted': z.object({
    ...envelope,
    pull_request,
    review: z.object({
      state: z.enum(['approved', 'changes_requested', 'commented', 'dismissed']),
      body: z.string().nullable(),
      submitted_at: z.string(),
    }),
  }),
  'check_run.requested_action': z.object({
    ...envelope,
    check_run,
    requested_action: z.object({ identifier: z.string() }),
  }),
  'check_run.rerequested': z.object({ ...envelope, check_run }),
  'check_run.completed': z.object({ ...envelope, check_run }),
  'workflow_run.completed': z.object({
    ...envelope,
    workflow_run: z.object({ id: z.int(), conclusion: z.string().nullable() }),
  }),
  push: z.object({ ...envelope, ref: z.string(), before: z.string(), after: z.string() }),
  delete: z.object({ ...envelope, ref: z.string(), ref_type: z.string() }),
} as const;

type PayloadName = keyof typeof PAYLOADS;
export type Repository = z.infer<typeof repository> & { readonly installationId: number };
export type Payload = {
  [Name in PayloadName]: Omit<z.infer<(typeof PAYLOADS)[Name]>, 'repository' | 'installation'> & {
    readonly name: Name;
    readonly repository: Repository;
  };
}[PayloadName];

/** Parses a delivery; undefined for what the App does not read. `name` is the event, its action comes from the payload. */
export function payloadOf(name: string, value: unknown): Payload | undefined {
  const action = z.object({ action: z.string() }).safeParse(value);
  const key = action.success && name !== 'push' && name !== 'delete' ? `${name}.${action.data.action}` : name;
  if (!isName(key)) return undefined;
  const parsed = PAYLOADS[key].parse(value);
  const { installation, ...rest } = parsed;
  const payload: unknown = { ...rest, name: key, repository: { ...rest.repository, installationId: installation.id } };
  return isPayload(payload) ? payload : undefined;
}

function isName(key: string): key is PayloadName {
  return Object.hasOwn(PAYLOADS, key);
}

/** The value was just parsed by the schema of its name; this only tells the compiler so. */
function isPayload(value: unknown): value is Payload {
  return (
    typeof value === 'object' &&
    value !== null &&
    'name' in value &&
    typeof value.name === 'string' &&
    isName(value.name)
  );
}
