/** What is sent in GraphQL is what GitHub describes; whatever is not one of the documents is not known. */
import { schema as described } from '@octokit/graphql-schema';
import { buildSchema, type ExecutionResult, type GraphQLSchema, getVariableValues, parse, validate } from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  type CheckRunAlias,
  type CheckRunInput,
  checkRunsDocument,
  knownRequest,
  MARK_READY_FOR_REVIEW,
  PULL_DOCUMENTS,
} from '../../src/referee/graphql.ts';

let schema: GraphQLSchema;
beforeAll(() => {
  schema = buildSchema(described.idl, { assumeValidSDL: true });
}, 60_000);

const TOLD = {
  repositoryId: 'R_1',
  externalId: '1/2/PLAN/1/digest',
  status: 'COMPLETED',
  conclusion: 'FAILURE',
  output: {
    title: 'Not every gate was passed',
    summary: 'One failed.',
    text: 'More.',
    annotations: [
      {
        path: 'a.js',
        location: { startLine: 1, endLine: 1 },
        annotationLevel: 'WARNING',
        message: 'No test notices it',
      },
    ],
  },
  actions: [{ label: 'Approve', description: 'Approve exactly this packet', identifier: 'approve' }],
} as const satisfies Partial<CheckRunInput>;
const CREATED: CheckRunInput = { name: 'loopwright / plan', headSha: 'a'.repeat(40), ...TOLD };
const CHANGED: CheckRunInput = { checkRunId: 'CR_1', ...TOLD };
const INPUTS: Readonly<Record<CheckRunAlias, CheckRunInput>> = { create0: CREATED, update1: CHANGED };
const DOCUMENT = checkRunsDocument(['create0', 'update1']);

/** What GitHub would say of the document, or of what goes with it. */
function complaints(query: string, variables: Readonly<Record<string, unknown>>): readonly string[] {
  const document = parse(query);
  const wrong = validate(schema, document);
  if (wrong.length > 0) return wrong.map(({ message }) => message);
  const [operation] = document.definitions;
  if (operation?.kind !== 'OperationDefinition') return ['no operation'];
  const { errors = [] }: Pick<ExecutionResult, 'errors'> = getVariableValues(
    schema,
    operation.variableDefinitions ?? [],
    variables,
  );
  return errors.map(({ message }) => message);
}

test("documents and what goes with them are right by GitHub's own schema", () => {
  for (const document of Object.values(PULL_DOCUMENTS))
    expect(complaints(document, { pullRequestId: 'PR_1' })).toEqual([]);
  expect(complaints(DOCUMENT, INPUTS)).toEqual([]);
  expect(complaints(DOCUMENT, { ...INPUTS, create0: TOLD })).toHaveLength(2);
});

describe('a request', () => {
  test('is known by its document and what goes with it, however it is spaced', () => {
    const body = { query: MARK_READY_FOR_REVIEW.replaceAll('\n', ' '), variables: { pullRequestId: 'PR_1' } };
    expect(knownRequest(body)).toEqual({ document: 'markPullRequestReadyForReview', pullRequestId: 'PR_1' });
    expect(knownRequest({ query: DOCUMENT, variables: INPUTS })).toEqual({
      document: 'checkRuns',
      inputs: [
        ['create0', CREATED],
        ['update1', CHANGED],
      ],
    });
  });

  test.each<[string, unknown]>([
    ['no check run', { query: checkRunsDocument([]), variables: {} }],
    ['another order', { query: checkRunsDocument(['update1', 'create0']), variables: INPUTS }],
    ['one that is not sent along', { query: DOCUMENT, variables: { create0: CREATED } }],
    ['one that the document does not name', { query: checkRunsDocument(['create0']), variables: INPUTS }],
    [
      'what is made in place of what is changed',
      { query: DOCUMENT, variables: { create0: CREATED, update1: CREATED } },
    ],
    [
      'a field that is not ours',
      { query: DOCUMENT, variables: { ...INPUTS, create0: { ...CREATED, detailsUrl: 'x' } } },
    ],
    [
      'a mutation beside',
      { query: DOCUMENT.replace('}', '} other: mergePullRequest { clientMutationId }'), variables: INPUTS },
    ],
    [
      'an alias of another kind',
      { query: DOCUMENT.replaceAll('create0', 'delete0'), variables: { delete0: CREATED, update1: CHANGED } },
    ],
    ['something beside', { query: DOCUMENT, variables: INPUTS, operationName: 'checkRuns' }],
    ['no document', { query: 'query { viewer { login } }', variables: {} }],
    ['no request', 'mutation'],
  ])('with %s is not known', (_, body) => {
    expect(knownRequest(body)).toBeUndefined();
  });
});
