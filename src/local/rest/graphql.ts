/** GraphQL, for the one document that is ever sent: leaving draft. */
import { z } from 'zod';
import { MARK_READY_FOR_REVIEW } from '../../referee/requests.ts';
import { judgeAccess } from '../access.ts';
import { startPullRuns } from '../actions/workflow-triggers.ts';
import { type Host, nodeIdOf } from '../host.ts';
import { HttpError } from '../http-error.ts';
import { type Actor, actorLabel, actorOf, loginOf } from '../tokens.ts';
import { emit } from '../webhooks/events.ts';
import { issueOfPull, pullFactsOf, pullPayload } from './pull-payloads.ts';

const bodySchema = z.object({ query: z.string(), variables: z.object({ pullRequestId: z.string() }) });

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
  const parsed = bodySchema.safeParse(body);
  if (!parsed.success || squeeze(parsed.data.query) !== squeeze(MARK_READY_FOR_REVIEW)) {
    return refusal('This server answers markPullRequestReadyForReview only.', 'NOT_IMPLEMENTED');
  }
  const { pullRequestId } = parsed.data.variables;
  const pull = host.state.pulls.find({}).find(({ id }) => nodeIdOf('PullRequest', id) === pullRequestId);
  const repository = pull && host.state.repositories.get(pull.repositoryId);
  if (!pull || !repository)
    return refusal(`Could not resolve to a node with the global id of '${pullRequestId}'`, 'NOT_FOUND');
  try {
    judgeAccess(host, { actor, need: { permission: 'pull_requests', level: 'write', people: 'write' }, repository });
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    return refusal(error.message, 'FORBIDDEN');
  }
  const sender = loginOf(actor) ?? '';
  if (pull.draft) {
    const facts = await pullFactsOf(host, repository, pull);
    const payload = host.state.transaction(() => {
      const ready = host.state.pulls.update(pull.id, { draft: false });
      const fields = { number: pull.number, pull_request: pullPayload(host, repository, ready, facts) };
      return emit(host, { event: 'pull_request', action: 'ready_for_review', repository, sender, fields });
    });
    await startPullRuns(host, {
      repository,
      actor: sender,
      pull,
      title: issueOfPull(host, pull).title,
      action: 'ready_for_review',
      payload,
    });
  }
  const pullRequest = { id: pullRequestId, number: pull.number, isDraft: false };
  return { data: { markPullRequestReadyForReview: { pullRequest } } };
}

function refusal(message: string, type: string): unknown {
  return { data: null, errors: [{ type, message }] };
}

function squeeze(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
