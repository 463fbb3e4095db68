/** What probes ask of GitHub; each is tried once. */
import type { Octokit } from '@octokit/rest';
import { type Call, createClient, enterpriseVersionIn, type GitHubOptions } from './github-client.ts';
import { type Attempts, attempt } from './github-errors.ts';
import type { RepositoryRef } from './github-port.ts';
import * as inside from './probing-inside.ts';
import type { Probing } from './probing-port.ts';

export type * from './probing-port.ts';

const ONCE: Attempts = { most: 1, pauseMs: 0, renew: () => undefined };
/** Of the newest deliveries, so many are looked into. */
const MOST_PUSHES = 20;

export function createProbing(options: GitHubOptions): Probing {
  const client = createClient({ ...options, pauseMs: 0 });
  const asApp = <Value>(ask: (octokit: Octokit) => Promise<Value>) => attempt(() => ask(client.app()), ONCE);
  const within =
    <Asked extends readonly unknown[], Value>(ask: (call: Call, ...asked: Asked) => Promise<Value>) =>
    (repository: RepositoryRef, ...asked: Asked) =>
      attempt(async () => ask(await client.call(repository), ...asked), ONCE);
  return {
    serverVersion: () =>
      asApp(async (octokit) => enterpriseVersionIn((await octokit.rest.apps.getAuthenticated()).headers)),
    pushesToldOf: (ref) => asApp((octokit) => pushesToldOf(octokit, ref)),
    twoWays: (repository, path) =>
      attempt(async () => {
        // A call's own reads all go by the id.
        const octokit = await client.named(repository);
        const ask = async (place: string): Promise<unknown> => (await octokit.request(`GET ${place}${path}`)).data;
        const { owner, repo, repositoryId } = repository;
        return [await ask(`/repos/${owner}/${repo}`), await ask(`/repositories/${repositoryId}`)];
      }, ONCE),
    runsOn: within(inside.runsOn),
    commitFacts: within(inside.commitFacts),
    checkNames: within(inside.checkNames),
    beginnings: within(inside.beginnings),
    runsCalled: within(inside.runsCalled),
    isDraft: within(inside.isDraft),
    mergeableState: within(inside.mergeableState),
    rulesOn: within(inside.rulesOn),
    newestChange: within(inside.newestChange),
    unsignedCommit: within(inside.unsignedCommit),
    comment: within(inside.comment),
    review: within(inside.review),
    readTwice: within(inside.readTwice),
    logOf: within(inside.logOf),
    removeRef: within(inside.removeRef),
  };
}

async function pushesToldOf(octokit: Octokit, ref: string): Promise<number> {
  const { data } = await octokit.rest.apps.listWebhookDeliveries({ per_page: 100 });
  const pushes = data.filter(({ event }) => event === 'push' || event === 'create').slice(0, MOST_PUSHES);
  let told = 0;
  for (const { id } of pushes) {
    const delivery = (await octokit.rest.apps.getWebhookDelivery({ delivery_id: id })).data;
    const payload: { readonly ref?: unknown } = delivery.request.payload ?? {};
    if (payload.ref === ref || payload.ref === ref.replace(/^refs\//, '')) told += 1;
  }
  return told;
}
