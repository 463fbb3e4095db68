/** What the embedded GitHub remembers, kind by kind. */
import { z } from 'zod';
import { requestFault, webhookFault } from './faults/fault-rules.ts';
import { manifestSchema } from './registration/manifest.ts';

const id = z.number();
const text = z.string();
const repositoryId = z.number();

export const ROLES = ['read', 'triage', 'write', 'maintain', 'admin'] as const;
export const roleSchema = z.enum(ROLES);
export type Role = z.infer<typeof roleSchema>;

export const accountSchema = z.object({
  id,
  login: text,
  type: z.enum(['User', 'Bot']),
  /** Role on every repository, for the people named at start. */
  role: roleSchema.optional(),
  token: text.optional(),
  createdAt: text,
});
export type Account = z.infer<typeof accountSchema>;

export const repositorySchema = z.object({
  id,
  owner: text,
  name: text,
  /** Below `git` in the data directory; where it is absent, `<owner>/<name>.git`. A rename does not move it. */
  directory: text.optional(),
  defaultBranch: text,
  nextNumber: z.number(),
  createdAt: text,
  pushedAt: text,
});
export type Repository = z.infer<typeof repositorySchema>;

/** A name that a repository had; it leads to the repository until another takes the name. */
export const formerNameSchema = z.object({ id, repositoryId, owner: text, name: text });

export const collaboratorSchema = z.object({ id, repositoryId, login: text, role: roleSchema });

export const issueSchema = z.object({
  id,
  repositoryId,
  number: z.number(),
  isPull: z.boolean(),
  title: text,
  body: text.optional(),
  state: z.enum(['open', 'closed']),
  stateReason: z.enum(['completed', 'reopened', 'not_planned', 'duplicate']).optional(),
  author: text,
  labels: z.array(text),
  createdAt: text,
  updatedAt: text,
  closedAt: text.optional(),
  closedBy: text.optional(),
});
export type Issue = z.infer<typeof issueSchema>;

/** The number of an issue that was deleted, or moved to where the two last fields say. */
export const goneIssueSchema = z.object({
  id,
  repositoryId,
  number: z.number(),
  toRepositoryId: z.number().optional(),
  toNumber: z.number().optional(),
});

export const issueEventSchema = z.object({
  id,
  repositoryId,
  number: z.number(),
  actor: text,
  event: text,
  label: text.optional(),
  createdAt: text,
});
export type IssueEvent = z.infer<typeof issueEventSchema>;

export const labelSchema = z.object({ id, repositoryId, name: text, color: text, description: text.optional() });
export type Label = z.infer<typeof labelSchema>;

export const commentSchema = z.object({
  id,
  repositoryId,
  number: z.number(),
  author: text,
  byApp: z.boolean(),
  body: text,
  createdAt: text,
  updatedAt: text,
});
export type Comment = z.infer<typeof commentSchema>;

/** A version of a comment that an edit replaced. */
export const commentEditSchema = z.object({ id, commentId: z.number(), editor: text, body: text, editedAt: text });

export const REACTIONS = ['+1', '-1', 'laugh', 'confused', 'heart', 'hooray', 'rocket', 'eyes'] as const;
export const reactionSchema = z.object({
  id,
  repositoryId,
  subject: z.enum(['issue', 'comment']),
  subjectId: z.number(),
  content: z.enum(REACTIONS),
  user: text,
  createdAt: text,
});
export type Reaction = z.infer<typeof reactionSchema>;

export const pullSchema = z.object({
  id,
  repositoryId,
  number: z.number(),
  head: text,
  base: text,
  headSha: text,
  baseSha: text,
  /** When head or base moved last; GitHub finds out a while later whether they still merge. */
  movedAt: text.optional(),
  draft: z.boolean(),
  mergedAt: text.optional(),
  mergedBy: text.optional(),
  mergeCommitSha: text.optional(),
});
export type Pull = z.infer<typeof pullSchema>;

/** A pull request that waits in the merge queue of its base. */
export const queueEntrySchema = z.object({
  id,
  repositoryId,
  number: z.number(),
  /** Of the pull request when it was queued. */
  headSha: text,
  /** What the queue made of it, once it is its turn; `ref` is full. */
  group: z.object({ sha: text, ref: text, baseSha: text }).optional(),
});
export type QueueEntry = z.infer<typeof queueEntrySchema>;

export const reviewSchema = z.object({
  id,
  repositoryId,
  number: z.number(),
  user: text,
  state: z.enum(['APPROVED', 'CHANGES_REQUESTED', 'COMMENTED']),
  body: text,
  commitId: text,
  submittedAt: text,
});
export type Review = z.infer<typeof reviewSchema>;

/** What a review says about one line of the change. */
export const reviewCommentSchema = z.object({
  id,
  repositoryId,
  number: z.number(),
  reviewId: z.number(),
  user: text,
  body: text,
  path: text,
  line: z.number(),
  side: z.enum(['LEFT', 'RIGHT']),
  hunk: text,
  position: z.number(),
  commitId: text,
  createdAt: text,
});
export type ReviewComment = z.infer<typeof reviewCommentSchema>;

/** A registration of our App from a manifest, as a person confirmed it: it holds once somebody has brought the code. */
export const registrationSchema = z.object({
  id,
  manifest: manifestSchema,
  /** The account that the App belongs to. */
  owner: text,
  /** Only the code's digest is kept, until it is used. */
  codeDigest: text.optional(),
  expiresAt: text,
  registeredAt: text.optional(),
});
export type Registration = z.infer<typeof registrationSchema>;

/** An App beside ours that was registered under `/_local`; it exists on this machine only. */
export const appSchema = z.object({ id, slug: text, name: text });
export type ForeignApp = z.infer<typeof appSchema>;

/** A token that the server minted; only its digest is kept. */
export const tokenSchema = z.object({
  id,
  digest: text,
  kind: z.enum(['installation', 'job']),
  /** The App of an installation's token; absent: ours. */
  app: text.optional(),
  permissions: z.record(z.string(), z.string()),
  /** Absent: every repository. */
  repositoryIds: z.array(z.number()).optional(),
  runId: z.number().optional(),
  expiresAt: text,
});
export type Minted = z.infer<typeof tokenSchema>;

/** A ref as the outside was last told; the difference to git is what has to be announced. */
export const announcedRefSchema = z.object({ id, repositoryId, ref: text, sha: text });

/** A write of refs that has begun: after a crash its actor is still known. */
export const refIntentSchema = z.object({ id, repositoryId, actor: text, byJob: z.boolean() });

/** Commits that the App made through the API; GitHub signs these. */
export const signedCommitSchema = z.object({ id, repositoryId, sha: text });

export const deliverySchema = z.object({
  id,
  guid: text,
  event: text,
  action: text.optional(),
  repositoryId: z.number(),
  payload: text,
  /** `held` by a fault: it is pending later. */
  state: z.enum(['held', 'pending', 'delivered', 'failed']),
  statusCode: z.number(),
  outcome: text,
  durationMs: z.number(),
  redelivery: z.boolean(),
  deliveredAt: text,
});
export type Delivery = z.infer<typeof deliverySchema>;

export const requestSchema = z.object({
  id,
  at: text,
  actor: text,
  method: text,
  path: text,
  status: z.number(),
  durationMs: z.number(),
});

/** A switch under `/_local` that was set; see `controls/switches.ts` for what it may be. */
export const switchSchema = z.object({ id, name: text, value: z.unknown() });

/** A fault that was armed under `/_local/faults`: how many it has seen, by what it counts, and how many of each kind it struck. */
export const faultRecordSchema = z.object({
  id,
  fault: z.union([webhookFault, requestFault]),
  passed: z.record(text, z.number()),
  struck: z.record(text, z.number()),
});
export type FaultRecord = z.infer<typeof faultRecordSchema>;

export const problemSchema = z.object({ id, at: text, subject: text, where: text, message: text });
