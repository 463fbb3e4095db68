/** Check runs by GraphQL, one after the other, as their aliases stand: https://docs.github.com/graphql/reference/mutations#createcheckrun */
import type { CheckRunAlias, CheckRunInput } from '../../referee/graphql.ts';
import { judgeAccess } from '../access.ts';
import { gitOf, type Host, nodeIdOf } from '../host.ts';
import { HttpError } from '../http-error.ts';
import type { Repository } from '../records.ts';
import { type Actor, loginOf } from '../tokens.ts';
import { type CheckChange, checkChange, createCheckRun, updateCheckRun } from './check-changes.ts';
import { APP_ONLY, appOf } from './checks.ts';
import { commitOf } from './commits.ts';

interface Refusal {
  readonly type: string;
  readonly message: string;
  readonly path: readonly string[];
}

/** Each that is refused is null, with an error at its alias; those before and behind it are written all the same. */
export async function writeCheckRuns(
  host: Host,
  actor: Actor,
  inputs: readonly (readonly [CheckRunAlias, CheckRunInput])[],
): Promise<unknown> {
  const data: Record<string, unknown> = {};
  const errors: Refusal[] = [];
  for (const [alias, input] of inputs) {
    try {
      const { id } = await write(host, actor, input);
      data[alias] = { checkRun: { id: nodeIdOf('CheckRun', id), databaseId: id } };
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      data[alias] = null;
      errors.push({ type: TYPES[error.status] ?? 'UNPROCESSABLE', message: error.message, path: [alias] });
    }
  }
  return errors.length === 0 ? { data } : { data, errors };
}

const TYPES: Readonly<Record<number, string>> = { 401: 'FORBIDDEN', 403: 'FORBIDDEN', 404: 'NOT_FOUND' };

async function write(host: Host, actor: Actor, input: CheckRunInput): Promise<{ readonly id: number }> {
  const repository = host.state.repositories
    .find({})
    .find(({ id }) => nodeIdOf('Repository', id) === input.repositoryId);
  if (repository === undefined) throw unresolved(input.repositoryId);
  judgeAccess(host, { actor, need: APP_ONLY, repository });
  const { data: change, error } = checkChange.safeParse(changeOf(input));
  if (change === undefined) throw new HttpError(422, error.message);
  const given = { repository, sender: loginOf(actor) ?? '', change };
  return 'checkRunId' in input
    ? updateCheckRun(host, { ...given, run: runOf(host, { actor, repository, checkRunId: input.checkRunId }) })
    : createCheckRun(host, { ...given, headSha: await headOf(host, repository, input.headSha), app: appOf({ actor }) });
}

function runOf(
  host: Host,
  {
    actor,
    repository,
    checkRunId,
  }: { readonly actor: Actor; readonly repository: Repository; readonly checkRunId: string },
) {
  const run = host.state.checkRuns
    .find({ repositoryId: repository.id })
    .find(({ id }) => nodeIdOf('CheckRun', id) === checkRunId);
  if (run === undefined) throw unresolved(checkRunId);
  if (run.app !== appOf({ actor })) throw new HttpError(403, 'Resource not accessible by integration');
  return run;
}

async function headOf(host: Host, repository: Repository, sha: string): Promise<string> {
  if (await commitOf(gitOf(host, repository), sha)) return sha;
  throw new HttpError(422, `No commit found for SHA: ${sha}`);
}

function unresolved(node: string): HttpError {
  return new HttpError(404, `Could not resolve to a node with the global id of '${node}'`);
}

/** The same as REST has it. */
function changeOf({ externalId, status, conclusion, output, actions, ...input }: CheckRunInput): CheckChange {
  const annotations = output.annotations?.map(({ path, location, annotationLevel, message }) => ({
    path,
    start_line: location.startLine,
    end_line: location.endLine,
    annotation_level: lower(annotationLevel),
    message,
  }));
  return {
    ...('name' in input ? { name: input.name } : {}),
    external_id: externalId,
    status: lower(status),
    ...(conclusion === undefined ? {} : { conclusion: lower(conclusion) }),
    output: { ...output, annotations },
    actions: [...actions],
  };
}

function lower<Name extends string>(name: Name): Lowercase<Name> {
  // @ts-expect-error -- TypeScript gives text for what is in lower case.
  return name.toLowerCase();
}
