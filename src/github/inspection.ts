/** What GitHub says about the App itself and about a repository's settings, for whoever wants to know what is missing: reads only, each tried once. */
import type { Octokit } from '@octokit/rest';
import { LoopError } from '../errors.ts';
import { createClient, enterpriseVersionIn, type GitHubOptions } from './github-client.ts';
import { type Attempts, attempt, unlessGone } from './github-errors.ts';
import { inside } from './inspection-inside.ts';
import type {
  AppFacts,
  DeliveryFacts,
  HookFacts,
  Inspection,
  InstallationFacts,
  Levels,
  NamedPlace,
  RepositoryFacts,
} from './inspection-port.ts';

const ONCE: Attempts = { most: 1, pauseMs: 0, renew: () => undefined };

export function createInspection(options: GitHubOptions): Inspection {
  const client = createClient({ ...options, pauseMs: 0 });
  const asApp = <Value>(ask: (octokit: Octokit) => Promise<Value>) => attempt(() => ask(client.app()), ONCE);
  return {
    app: () => asApp(readApp),
    hook: () => asApp(readHook),
    deliveries: () => asApp(readDeliveries),
    installation: (place) => unlessGone(asApp((octokit) => readInstallation(octokit, place))),
    repository: (place, installationId) =>
      attempt(async () => readRepository(await client.named({ ...place, installationId }), place), ONCE),
    inside: (place, installationId, { id: repositoryId, defaultBranch }) =>
      inside(
        (operation) =>
          attempt(async () => operation(await client.call({ ...place, installationId, repositoryId })), ONCE),
        defaultBranch,
      ),
  };
}

async function readApp(octokit: Octokit): Promise<AppFacts> {
  const { data, headers } = await octokit.rest.apps.getAuthenticated();
  // A page of whatever stands before GitHub comes with 200 too.
  if (typeof data?.id !== 'number')
    throw new LoopError('what answers GET /app is not GitHub; look what stands before it');
  const { slug, html_url: url, permissions, events } = data;
  return { slug, url, permissions: levelsOf(permissions), events, serverVersion: enterpriseVersionIn(headers) };
}

function levelsOf(permissions: object): Levels {
  return Object.fromEntries(Object.entries(permissions).map(([name, level]) => [name, String(level)]));
}

async function readHook(octokit: Octokit): Promise<HookFacts> {
  const { data } = await octokit.rest.apps.getWebhookConfigForApp();
  return {
    url: data.url || undefined,
    hasSecret: Boolean(data.secret),
    checksCertificate: String(data.insecure_ssl ?? '0') === '0',
  };
}

async function readDeliveries(octokit: Octokit): Promise<readonly DeliveryFacts[]> {
  const { data } = await octokit.rest.apps.listWebhookDeliveries({ per_page: 100 });
  return data.map(({ event, action, delivered_at: triedAt, status_code: status, status: outcome }) => ({
    name: action === null ? event : `${event}.${action}`,
    triedAt,
    status,
    outcome,
  }));
}

async function readInstallation(octokit: Octokit, place: NamedPlace): Promise<InstallationFacts> {
  const { data } = await octokit.rest.apps.getRepoInstallation({ ...place });
  const { id, html_url: url, permissions, events, suspended_at: suspendedAt } = data;
  return { id, url, permissions: levelsOf(permissions), events, isSuspended: suspendedAt !== null };
}

async function readRepository(octokit: Octokit, place: NamedPlace): Promise<RepositoryFacts> {
  const { data } = await octokit.rest.repos.get({ ...place });
  return {
    id: data.id,
    url: data.html_url,
    defaultBranch: data.default_branch,
    isPrivate: data.private,
    isArchived: data.archived,
    isDisabled: data.disabled,
    hasIssues: data.has_issues,
  };
}
