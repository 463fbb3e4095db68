/** GraphQL, for the documents that are ever sent: out of draft, and back to it, and check runs. */
import { KNOWN_DOCUMENTS, knownRequest, type PullDocument } from '../../referee/graphql.ts';
import { judgeAccess } from '../access.ts';
import { startPullRuns } from '../actions/workflow-triggers.ts';
import { type Host, nodeIdOf } from '../host.ts';
import { HttpError } from '../http-error.ts';
import type { Pull, Repository } from '../records.ts';
import { type Actor, actorLabel, actorOf, loginOf } from '../tokens.ts';
import { emit } from '../webhooks/events.ts';
import { writeCheckRuns } from './graphql-checks.ts';
import { issueOfPull, pullFactsOf, pullPayload } from './pull-payloads.ts';

/** Answers one GraphQL request as GitHub does: a refusal is a 200 with errors. */
export async function answerGraphql(host: Host, request: Request): Promise<Response> {
  const begun = performance.now();
  let actor: Actor = { type: 'anonymous' };
  const respond = async (): Promise<Response> => {
    actor = actorOf(host, request.headers.get('authorization') ?? undefined);
    if (actor.type === 'anonymous') throw new HttpError(401, 'This endpoint requires you to be authenticated.');
    return Response.json(await perform(host, actor, await request.json()));
  };
  const response = await respond().catch((error: unknown) => {
    if (!(error instanceof HttpError)) throw error;
    return Response.json({ message: error.message }, { status: error.status });
  });
  const path = new URL(request.url).pathname;
  const durationMs = Math.round(performance.now() - begun);
  host.state.requests.insert({
    at: host.clock.now().toISOString(),
    actor: actorLabel(actor),
    method: 'POST',
    path,
    status: response.status,
    durationMs,
  });
  return response;
}

async function perform(host: Host, actor: Actor, body: unknown): Promise<unknown> {
  const asked = knownRequest(body);
  if (asked === undefined) return refusal(`This server answers ${KNOWN_DOCUMENTS.join(', ')} only.`, 'NOT_IMPLEMENTED');
  if (asked.document === 'checkRuns') return writeCheckRuns(host, actor, asked.inputs);
  const { document, pullRequestId } = asked;
  const pull = host.state.pulls.find({}).find(({ id }) => nodeIdOf('PullRequest', id) === pullRequestId);
  const repository = pull && host.state.repositories.get(pull.repositoryId);
  if (!pull || !repository)
    return refusal(`Could not resolve to a node with the global id of '${pullRequestId}'`, 'NOT_FOUND');
  const forbidden = forbiddenTo(host, actor, repository);
  if (forbidden !== undefined) return refusal(forbidden, 'FORBIDDEN');
  const { draft } = CHANGES[document];
  if (pull.draft !== draft) await change(host, { repository, pull, name: document, sender: loginOf(actor) ?? '' });
  return { data: { [document]: { pullRequest: { id: pullRequestId, number: pull.number, isDraft: draft } } } };
}

/** Why the caller may not change a pull request, if so. */
function forbiddenTo(host: Host, actor: Actor, repository: Repository): string | undefined {
  try {
    judgeAccess(host, { actor, need: { permission: 'pull_requests', level: 'write', people: 'write' }, repository });
    return undefined;
  } catch (error) {
    if (error instanceof HttpError) return error.message;
    throw error;
  }
}

/** What each document makes of a pull request, and how its webhook is called. */
const CHANGES = {
  markPullRequestReadyForReview: { draft: false, action: 'ready_for_review' },
  convertPullRequestToDraft: { draft: true, action: 'converted_to_draft' },
} as const satisfies Record<PullDocument, object>;

interface Change {
  readonly repository: Repository;
  readonly pull: Pull;
  readonly name: PullDocument;
  readonly sender: string;
}

async function change(host: Host, { repository, pull, name, sender }: Change): Promise<void> {
  const { draft, action } = CHANGES[name];
  const facts = await pullFactsOf(host, repository, pull);
  const payload = host.state.transaction(() => {
    const changed = host.state.pulls.update(pull.id, { draft });
    const fields = { number: pull.number, pull_request: pullPayload(host, repository, changed, facts) };
    return emit(host, { event: 'pull_request', action, repository, sender, fields });
  });
  const { title } = issueOfPull(host, pull);
  await startPullRuns(host, { repository, actor: sender, pull, title, action, payload });
}

function refusal(message: string, type: string): unknown {
  return { data: null, errors: [{ type, message }] };
}
