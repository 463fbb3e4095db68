/** The App about itself: installations, tokens and webhook deliveries: https://docs.github.com/rest/apps */
import { z } from 'zod';
import type { Fields } from '../../referee/json.ts';
import { JWT, type Need, PUBLIC } from '../access.ts';
import { now } from '../clock.ts';
import { apiUrlOf, BOT_LOGIN, type Host, nodeIdOf } from '../host.ts';
import { found, HttpError, notFound } from '../http-error.ts';
import type { Delivery, Repository } from '../records.ts';
import { isInstalledOn, judgeSuspension } from '../standing.ts';
import { grantedTo, mintToken, type Permissions } from '../tokens.ts';
import { type Call, created, type Endpoints, list, numberParameter, ok, parseBody } from './endpoint.ts';
import { accountPayload, appPayload, permissionsPayload, repositoryPayload } from './payloads.ts';

const INSTALLATION: Need = { permission: 'metadata', level: 'read', people: 'app' };
const SIGNED_IN: Need = { permission: 'metadata', level: 'read', people: 'signed in' };
const TOKEN_LIFETIME_MS = 3_600_000;
const LIMIT = { limit: 5000, used: 0, remaining: 5000, reset: 0 };

export const appEndpoints: Endpoints = {
  'GET /app': { need: JWT, answer: ({ host }) => ok({ ...appPayload(host), installations_count: 1 }) },
  'GET /app/installations': { need: JWT, answer: ({ host }) => list([installationPayload(host)]) },
  'GET /app/installations/{installation_id}': {
    need: JWT,
    answer: (call) => {
      judgeInstallation(call);
      return ok(installationPayload(call.host));
    },
  },
  'POST /app/installations/{installation_id}/access_tokens': { need: JWT, answer: createToken },
  'GET /repos/{owner}/{repo}/installation': { need: JWT, answer: getInstallation },
  'GET /installation/repositories': { need: INSTALLATION, answer: listRepositories },
  'GET /app/hook/config': { need: JWT, answer: getHook },
  'GET /app/hook/deliveries': { need: JWT, answer: listDeliveries },
  'GET /app/hook/deliveries/{delivery_id}': {
    need: JWT,
    answer: (call) => ok(fullDeliveryPayload(call, deliveryOf(call))),
  },
  'POST /app/hook/deliveries/{delivery_id}/attempts': {
    need: JWT,
    answer: (call) => {
      call.host.outbox.redeliver(deliveryOf(call));
      return { status: 202, body: {} };
    },
  },
  'GET /rate_limit': { need: PUBLIC, answer: () => ok({ resources: { core: LIMIT, search: LIMIT }, rate: LIMIT }) },
  'GET /user': { need: SIGNED_IN, answer: currentUser },
};

function currentUser({ host, actor }: Call) {
  if (actor.type !== 'user') throw new HttpError(403, 'Resource not accessible by integration');
  const { login, createdAt } = actor.account;
  return ok({ ...accountPayload(host, login), name: login, created_at: createdAt, updated_at: createdAt });
}

const tokenBody = z.object({
  permissions: z.record(z.string(), z.string()).optional(),
  repositories: z.array(z.string()).optional(),
  repository_ids: z.array(z.number()).optional(),
});

function createToken(call: Call) {
  judgeInstallation(call);
  const { host } = call;
  const wanted = parseBody(call, tokenBody);
  const permissions = narrowed(grantedTo(host), wanted.permissions);
  const chosen = chosenRepositories(host, wanted);
  const { token, expiresAt } = mintToken(host, {
    kind: 'installation',
    permissions,
    repositoryIds: chosen?.map(({ id }) => id),
    lifetimeMs: TOKEN_LIFETIME_MS,
  });
  const repositories = chosen ? { repositories: chosen.map((repository) => repositoryPayload(host, repository)) } : {};
  return created({
    token,
    expires_at: expiresAt,
    permissions,
    repository_selection: chosen ? 'selected' : 'all',
    ...repositories,
  });
}

/** A token never gets more than the App was granted. */
function narrowed(all: Permissions, wanted: Permissions | undefined): Permissions {
  if (!wanted) return all;
  for (const [name, level] of Object.entries(wanted)) {
    const granted = all[name];
    if (granted === undefined || (granted === 'read' && level !== 'read')) {
      throw new HttpError(422, 'The permissions requested are not granted to this installation.');
    }
  }
  return { metadata: 'read', ...wanted };
}

interface Wanted {
  readonly repositories?: readonly string[] | undefined;
  readonly repository_ids?: readonly number[] | undefined;
}

function chosenRepositories(
  host: Host,
  { repositories, repository_ids: ids }: Wanted,
): readonly Repository[] | undefined {
  if (!repositories && !ids) return undefined;
  const all = host.state.repositories.find({}).filter((one) => isInstalledOn(host, one));
  const chosen = all.filter(({ id, name }) => ids?.includes(id) === true || repositories?.includes(name) === true);
  if (chosen.length < new Set([...(repositories ?? []), ...(ids ?? [])]).size) {
    throw new HttpError(
      422,
      'There is at least one repository that does not exist or is not accessible to the parent installation.',
    );
  }
  return chosen;
}

function listRepositories({ host, actor }: Call) {
  const ids = actor.type === 'installation' ? actor.repositoryIds : undefined;
  const repositories = host.state.repositories.find({}).filter(({ id }) => ids?.includes(id) ?? true);
  const payloads = repositories.map((repository) => ({
    ...repositoryPayload(host, repository),
    permissions: permissionsPayload(host, repository, BOT_LOGIN),
  }));
  return list(payloads, (page, total) => ({ total_count: total, repositories: page }));
}

function judgeInstallation(call: Call): void {
  const { installationId } = call.host.credentials;
  const { isInstalled } = call.host.switches.values().arranged;
  if (numberParameter(call, 'installation_id') !== installationId || !isInstalled) throw notFound();
  if (call.method === 'POST') judgeSuspension(call.host);
}

function getInstallation({ host, repository }: Call) {
  if (!repository || !isInstalledOn(host, repository)) throw notFound();
  return ok(installationPayload(host));
}

/** The secret itself is never told: https://docs.github.com/rest/apps/webhooks#get-a-webhook-configuration-for-an-app */
function getHook({ host }: Call) {
  const { hasWebhookSecret, checksCertificate } = host.switches.values().arranged;
  const url = host.outbox.url();
  return ok({
    ...(url === undefined ? {} : { url }),
    content_type: 'json',
    insecure_ssl: checksCertificate ? '0' : '1',
    ...(hasWebhookSecret ? { secret: '********' } : {}),
  });
}

/** The App's one installation as GitHub describes it. */
export function installationPayload(host: Host): Fields {
  const { installationId, appId, slug } = host.credentials;
  const owner = host.state.repositories.find({})[0]?.owner ?? BOT_LOGIN;
  const { isSuspended } = host.switches.values().arranged;
  const url = `${apiUrlOf(host)}/app/installations/${installationId}`;
  return {
    id: installationId,
    account: accountPayload(host, owner),
    access_tokens_url: `${url}/access_tokens`,
    repositories_url: `${apiUrlOf(host)}/installation/repositories`,
    html_url: `${host.url()}/settings/installations/${installationId}`,
    repository_selection: 'all',
    app_id: appId,
    app_slug: slug,
    target_id: 1,
    target_type: 'User',
    permissions: grantedTo(host),
    events: host.switches.values().arranged.events,
    created_at: now(host),
    updated_at: now(host),
    single_file_name: null,
    suspended_at: isSuspended ? now(host) : null,
    suspended_by: isSuspended ? accountPayload(host, owner) : null,
    client_id: `Iv1.local${appId}`,
    node_id: nodeIdOf('Installation', installationId),
  };
}

function deliveryOf(call: Call): Delivery {
  return found(call.host.state.deliveries.get(numberParameter(call, 'delivery_id')));
}

const STATES: Readonly<Record<string, Delivery['state']>> = { success: 'delivered', failure: 'failed' };

/** Those that were tried, newest first, by cursor: https://docs.github.com/rest/apps/webhooks#list-deliveries-for-an-app-webhook */
function listDeliveries({ host, query }: Call) {
  const size = Math.min(Number(query.get('per_page') ?? 30) || 30, 100);
  const before = Number(query.get('cursor') ?? Number.MAX_SAFE_INTEGER);
  const wanted = query.get('status');
  const deliveries = host.state.deliveries
    .find({})
    .filter(
      ({ id, state }) =>
        id < before && state !== 'pending' && state !== 'held' && (!wanted || STATES[wanted] === state),
    )
    .toReversed();
  const page = deliveries.slice(0, size);
  const cursor = page.at(-1)?.id;
  const next =
    deliveries.length > size
      ? { link: `<${apiUrlOf(host)}/app/hook/deliveries?per_page=${size}&cursor=${cursor}>; rel="next"` }
      : {};
  return { status: 200, body: page.map((delivery) => deliveryPayload(host, delivery)), headers: next };
}

function deliveryPayload(host: Host, delivery: Delivery): Fields {
  const { id, guid, event, action, repositoryId, statusCode, outcome, durationMs, redelivery, deliveredAt } = delivery;
  return {
    id,
    guid,
    delivered_at: deliveredAt,
    redelivery,
    duration: durationMs / 1000,
    status: outcome,
    status_code: statusCode,
    event,
    action: action ?? null,
    installation_id: host.credentials.installationId,
    // It leaves in the order of a repository, and is about the installation.
    repository_id: event.startsWith('installation') ? null : repositoryId,
    throttled_at: null,
  };
}

function fullDeliveryPayload({ host }: Call, delivery: Delivery): Fields {
  const { payload } = delivery;
  return {
    ...deliveryPayload(host, delivery),
    url: '',
    request: { headers: null, payload: JSON.parse(payload) },
    response: { headers: null, payload: null },
  };
}
