/** Whether the App may still do its work in a repository, asked of GitHub itself: a refusal alone does not tell a right that was taken from a rule. */
import { z } from 'zod';
import type { Withheld } from '../loop/terms.ts';
import type { Client } from './github-client.ts';
import type { RepositoryRef } from './github-port.ts';
import { type Ask, installationOf } from './relocation.ts';

/** As app.yml has them, but for `merge_queues`: without it the App is not told of groups, and all else goes on. */
export const NEEDED: Readonly<Record<string, string>> = {
  metadata: 'read',
  contents: 'write',
  issues: 'write',
  pull_requests: 'write',
  checks: 'write',
  actions: 'write',
  statuses: 'read',
};
const LEVELS = ['read', 'write', 'admin'];

const installation = z.object({
  id: z.int(),
  html_url: z.string(),
  suspended_at: z.string().nullish(),
  permissions: z.record(z.string(), z.string()),
});

/** What keeps the App from working there, the greatest first; undefined where nothing does. Tokens of before are forgotten. */
export async function withheld(client: Client, repository: RepositoryRef, ask: Ask): Promise<Withheld | undefined> {
  const name = `${repository.owner}/${repository.repo}`;
  const found = await installationOf(client, repository.repositoryId, ask);
  if (found === undefined)
    return { reason: `The App is not installed on ${name} any more: add ${name} to its installation.`, isWhole: true };
  const { id: installationId, html_url: url, suspended_at: suspendedAt, permissions } = installation.parse(found);
  if (suspendedAt)
    return {
      reason: `The installation of the App on ${name} is suspended: unsuspend it on ${url}.`,
      isWhole: true,
      since: suspendedAt,
    };
  const here = { ...repository, installationId };
  client.renew(here);
  const { data } = await ask(async () => {
    const call = await client.call(here);
    return call.octokit.rest.repos.get(call.here);
  });
  if (data.archived)
    return {
      reason: `${name} is archived and takes no writes: unarchive it on ${data.html_url}/settings.`,
      isWhole: true,
    };
  const missing = missingIn(permissions);
  return missing.length === 0
    ? undefined
    : {
        reason: `The installation of the App on ${name} lacks ${missing.join(', ')}: grant it on ${url}.`,
        isWhole: false,
      };
}

function missingIn(permissions: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(NEEDED).flatMap(([name, level]) =>
    LEVELS.indexOf(permissions[name] ?? '') < LEVELS.indexOf(level) ? [`\`${name}: ${level}\``] : [],
  );
}
