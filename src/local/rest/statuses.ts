/** Commit statuses: https://docs.github.com/rest/commits/statuses */
import { z } from 'zod';
import { type Need, PUBLIC } from '../access.ts';
import { now } from '../clock.ts';
import { repositoryUrlOf } from '../host.ts';
import { HttpError } from '../http-error.ts';
import { emit } from '../webhooks/events.ts';
import { statusPayload } from './check-payloads.ts';
import { shaOf } from './checks.ts';
import { commitOf, commitPayload } from './commits.ts';
import {
  actingLogin,
  type Call,
  created,
  type Endpoints,
  list,
  parseBody,
  repositoryOf,
  textParameter,
} from './endpoint.ts';
import { gitOfCall } from './git-data.ts';
import { repositoryPayload } from './payloads.ts';

const STATUS: Need = { permission: 'statuses', level: 'write', people: 'write' };
const OF_COMMIT = '/repos/{owner}/{repo}/commits/{ref}';

export const statusEndpoints: Endpoints = {
  'POST /repos/{owner}/{repo}/statuses/{sha}': { need: STATUS, answer: createStatus },
  [`GET ${OF_COMMIT}/status`]: { need: PUBLIC, answer: combinedStatus },
  [`GET ${OF_COMMIT}/statuses`]: { need: PUBLIC, answer: listStatuses },
};

const newStatus = z.object({
  state: z.enum(['error', 'failure', 'pending', 'success']),
  context: z.string().default('default'),
  description: z.string().nullish(),
  target_url: z.string().nullish(),
});

async function createStatus(call: Call) {
  const { host } = call;
  const repository = repositoryOf(call);
  const commit = await commitOf(gitOfCall(call), textParameter(call, 'sha'));
  if (!commit) throw new HttpError(422, `No commit found for SHA: ${textParameter(call, 'sha')}`);
  const creator = actingLogin(call);
  const { state, context, description, target_url: targetUrl } = parseBody(call, newStatus);
  return host.state.transaction(() => {
    const status = host.state.statuses.insert({
      repositoryId: repository.id,
      sha: commit.sha,
      state,
      context,
      description: description ?? undefined,
      targetUrl: targetUrl ?? undefined,
      creator,
      createdAt: now(host),
    });
    const fields = {
      ...statusPayload(host, repository, status),
      sha: commit.sha,
      name: `${repository.owner}/${repository.name}`,
      branches: branchesAt(call, commit.sha),
      commit: commitPayload(host, repository, commit),
    };
    host.lookAtQueue(repository.id);
    emit(host, { event: 'status', repository, sender: creator, fields });
    return created(statusPayload(host, repository, status));
  });
}

/** The branches that a commit is the head of. */
function branchesAt(call: Call, sha: string) {
  const { host } = call;
  const repository = repositoryOf(call);
  const heads = host.state.announcedRefs.find({ repositoryId: repository.id, sha });
  return heads
    .filter(({ ref }) => ref.startsWith('refs/heads/'))
    .map(({ ref }) => ({
      name: ref.replace('refs/heads/', ''),
      commit: { sha, url: `${repositoryUrlOf(host, repository)}/commits/${sha}` },
      protected: false,
    }));
}

async function listStatuses(call: Call) {
  const sha = await shaOf(call);
  const statuses = call.host.state.statuses.find({ repositoryId: repositoryOf(call).id, sha }).toReversed();
  return list(statuses.map((status) => statusPayload(call.host, repositoryOf(call), status)));
}

/** The newest status of each context; pending while there is none: https://docs.github.com/rest/commits/statuses#get-the-combined-status-for-a-specific-reference */
async function combinedStatus(call: Call) {
  const { host } = call;
  const repository = repositoryOf(call);
  const sha = await shaOf(call);
  const statuses = [
    ...new Map(
      host.state.statuses.find({ repositoryId: repository.id, sha }).map((status) => [status.context, status]),
    ).values(),
  ];
  const states = statuses.map(({ state }) => state);
  const failed = states.some((state) => state === 'failure' || state === 'error');
  const passed = states.length > 0 && states.every((state) => state === 'success');
  const payloads = statuses.map((status) => statusPayload(host, repository, status));
  const common = {
    state: failed ? 'failure' : passed ? 'success' : 'pending',
    sha,
    total_count: statuses.length,
    repository: repositoryPayload(host, repository),
    commit_url: `${repositoryUrlOf(host, repository)}/commits/${sha}`,
    url: `${repositoryUrlOf(host, repository)}/commits/${sha}/status`,
  };
  return list(payloads, (page) => ({ ...common, statuses: page }));
}
