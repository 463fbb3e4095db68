/** What somebody arranges on GitHub's settings pages, and what the App is told of it: https://docs.github.com/webhooks/webhook-events-and-payloads#installation */
import type { Arranged } from '../controls/arranged.ts';
import type { Host } from '../host.ts';
import type { Repository } from '../records.ts';
import { installationPayload } from '../rest/app-endpoints.ts';
import { accountPayload } from '../rest/payloads.ts';
import { grantedTo } from '../tokens.ts';
import { deliver, emit } from './events.ts';
import { announceInstalled } from './installed.ts';

/** Sets all of it at once, and tells what changed. */
export function rearrange(host: Host, arranged: Arranged): void {
  host.state.transaction(() => {
    const before = host.switches.values().arranged;
    const granted = grantedTo(host);
    host.switches.set({ arranged });
    tellOfInstallation(host, before);
    if (hasMore(granted, grantedTo(host))) tell(host, 'new_permissions_accepted');
    for (const repository of host.state.repositories.find({})) tellOfRepository(host, repository, before);
  });
}

function tellOfInstallation(host: Host, before: Arranged): void {
  const { isSuspended, removed } = host.switches.values().arranged;
  if (isSuspended !== before.isSuspended) tell(host, isSuspended ? 'suspend' : 'unsuspend');
  announce(host, without(removed, before.removed), 'removed');
  announce(host, without(before.removed, removed), 'added');
}

const without = (ids: readonly number[], others: readonly number[]) => ids.filter((id) => !others.includes(id));

/** Of what is taken away GitHub tells nothing. */
function hasMore(before: Readonly<Record<string, string>>, after: Readonly<Record<string, string>>): boolean {
  return Object.entries(after).some(([name, level]) => level !== before[name] && before[name] !== 'write');
}

function announce(host: Host, ids: readonly number[], action: 'added' | 'removed'): void {
  const repositories = host.state.repositories.find({}).filter(({ id }) => ids.includes(id));
  const [first] = repositories;
  if (first) announceInstalled(host, { repositories, sender: first.owner }, action);
}

/** What is said of the installation leaves in the order of the first repository. */
function tell(host: Host, action: 'suspend' | 'unsuspend' | 'new_permissions_accepted'): void {
  const [repository] = host.state.repositories.find({});
  if (!repository) return;
  const values = { installation: installationPayload(host), sender: accountPayload(host, repository.owner) };
  deliver(host, { event: 'installation', action, repository, values });
}

function tellOfRepository(host: Host, repository: Repository, before: Arranged): void {
  const { isArchived, isPrivate } = host.switches.values().arranged;
  const told = (action: string) =>
    emit(host, { event: 'repository', action, repository, sender: repository.owner, fields: {} });
  if (isArchived !== before.isArchived) told(isArchived ? 'archived' : 'unarchived');
  if (isPrivate !== before.isPrivate) told(isPrivate ? 'privatized' : 'publicized');
}
