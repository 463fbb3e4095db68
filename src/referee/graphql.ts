/** The only GraphQL documents that are ever sent, and what goes with them: https://docs.github.com/graphql/reference/mutations */
import { z } from 'zod';

/** Out of draft, and back to it: REST has no field for either. */
export const MARK_READY_FOR_REVIEW = `mutation markPullRequestReadyForReview($pullRequestId: ID!) {
  markPullRequestReadyForReview(input: { pullRequestId: $pullRequestId }) {
    pullRequest { id number isDraft }
  }
}`;

export const CONVERT_TO_DRAFT = `mutation convertPullRequestToDraft($pullRequestId: ID!) {
  convertPullRequestToDraft(input: { pullRequestId: $pullRequestId }) {
    pullRequest { id number isDraft }
  }
}`;

/** By what they do. */
export const PULL_DOCUMENTS = {
  markPullRequestReadyForReview: MARK_READY_FOR_REVIEW,
  convertPullRequestToDraft: CONVERT_TO_DRAFT,
} as const;
export type PullDocument = keyof typeof PULL_DOCUMENTS;

/** Several check runs in one request, where REST takes one each: `create0`, `update1` and so on are aliases, and variables with an input each. */
const MUTATIONS = {
  create: { name: 'createCheckRun', input: 'CreateCheckRunInput' },
  update: { name: 'updateCheckRun', input: 'UpdateCheckRunInput' },
} as const;

export const checkRunAlias = z.templateLiteral([z.enum(['create', 'update']), z.int().min(0).max(9)]);
export type CheckRunAlias = z.infer<typeof checkRunAlias>;

export function kindOf(alias: CheckRunAlias): keyof typeof MUTATIONS {
  return alias.startsWith('create') ? 'create' : 'update';
}

/** The document for check runs by these names, in this order. */
export function checkRunsDocument(aliases: readonly CheckRunAlias[]): string {
  const variables = aliases.map((alias) => `$${alias}: ${MUTATIONS[kindOf(alias)].input}!`);
  const fields = aliases.map(
    (alias) => `  ${alias}: ${MUTATIONS[kindOf(alias)].name}(input: $${alias}) { checkRun { id databaseId } }`,
  );
  return `mutation checkRuns(${variables.join(', ')}) {\n${fields.join('\n')}\n}`;
}

const output = z.strictObject({
  title: z.string(),
  summary: z.string(),
  text: z.string().optional(),
  annotations: z
    .array(
      z.strictObject({
        path: z.string(),
        location: z.strictObject({ startLine: z.int(), endLine: z.int() }),
        annotationLevel: z.enum(['FAILURE', 'NOTICE', 'WARNING']),
        message: z.string(),
      }),
    )
    .readonly()
    .optional(),
});

const told = {
  repositoryId: z.string(),
  externalId: z.string(),
  status: z.enum(['QUEUED', 'IN_PROGRESS', 'COMPLETED']),
  conclusion: z
    .enum(['ACTION_REQUIRED', 'CANCELLED', 'FAILURE', 'NEUTRAL', 'SKIPPED', 'STALE', 'SUCCESS', 'TIMED_OUT'])
    .optional(),
  output,
  actions: z.array(z.strictObject({ label: z.string(), description: z.string(), identifier: z.string() })).readonly(),
} as const;

export const createCheckRunInput = z.strictObject({ name: z.string(), headSha: z.string(), ...told });
export type CreateCheckRunInput = z.infer<typeof createCheckRunInput>;
export const updateCheckRunInput = z.strictObject({ checkRunId: z.string(), ...told });
export type UpdateCheckRunInput = z.infer<typeof updateCheckRunInput>;

/** What is sent with each, by alias. */
export type CheckRunInputs = Readonly<Record<CheckRunAlias, CreateCheckRunInput | UpdateCheckRunInput>>;

const pullRequest = z.strictObject({
  query: z.string(),
  variables: z.strictObject({ pullRequestId: z.string() }),
});
const checkRunsRequest = z.strictObject({
  query: z.string(),
  variables: z.record(z.string(), z.union([createCheckRunInput, updateCheckRunInput])),
});

export type KnownRequest =
  | { readonly document: PullDocument; readonly pullRequestId: string }
  | { readonly document: 'checkRuns'; readonly inputs: readonly (readonly [CheckRunAlias, CheckRunInput])[] };
export type CheckRunInput = CreateCheckRunInput | UpdateCheckRunInput;

export const KNOWN_DOCUMENTS: readonly string[] = [...Object.keys(PULL_DOCUMENTS), 'checkRuns'];

/** What the body of a request asks, where it is one of the documents with what belongs to it, however it is spaced. */
export function knownRequest(body: unknown): KnownRequest | undefined {
  return knownPull(body) ?? knownCheckRuns(body);
}

function knownPull(body: unknown): KnownRequest | undefined {
  const { query, variables } = pullRequest.safeParse(body).data ?? {};
  if (query === undefined || variables === undefined) return undefined;
  const names = ['markPullRequestReadyForReview', 'convertPullRequestToDraft'] as const;
  const document = names.find((name) => squeezed(PULL_DOCUMENTS[name]) === squeezed(query));
  return document && { document, pullRequestId: variables.pullRequestId };
}

function knownCheckRuns(body: unknown): KnownRequest | undefined {
  const { query, variables } = checkRunsRequest.safeParse(body).data ?? {};
  if (query === undefined || variables === undefined) return undefined;
  const inputs = Object.entries(variables).flatMap(([name, input]) => {
    const alias = checkRunAlias.safeParse(name).data;
    const isItsOwn = alias !== undefined && 'checkRunId' in input === (kindOf(alias) === 'update');
    return isItsOwn ? [[alias, input] as const] : [];
  });
  const isWhole = inputs.length > 0 && inputs.length === Object.keys(variables).length;
  const isKnown = isWhole && squeezed(checkRunsDocument(inputs.map(([alias]) => alias))) === squeezed(query);
  return isKnown ? { document: 'checkRuns', inputs } : undefined;
}

function squeezed(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
