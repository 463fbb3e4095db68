/** The App has been given repositories, or no longer has them: https://docs.github.com/webhooks/webhook-events-and-payloads#installation_repositories */
import type { Fields } from '../../referee/json.ts';
import { type Host, nodeIdOf } from '../host.ts';
import type { Repository } from '../records.ts';
import { installationPayload } from '../rest/app-endpoints.ts';
import { accountPayload } from '../rest/payloads.ts';
import { deliver } from './events.ts';

export interface Installed {
  readonly repositories: readonly Repository[];
  /** Login of whoever chose them. */
  readonly sender: string;
}

/** Tells the App, as when somebody chooses repositories on the page of the installation: once, in the order of the first of them. */
export function announceInstalled(
  host: Host,
  { repositories, sender }: Installed,
  action: 'added' | 'removed' = 'added',
): void {
  const [repository] = repositories;
  if (!repository) return;
  deliver(host, {
    event: 'installation_repositories',
    action,
    repository,
    values: {
      installation: { ...installationPayload(host), repository_selection: 'selected' },
      repository_selection: 'selected',
      repositories_added: [],
      repositories_removed: [],
      [`repositories_${action}`]: repositories.map((one) => shortPayload(host, one)),
      requester: null,
      sender: accountPayload(host, sender),
    },
  });
}

/** A repository as webhooks of installations have it. */
function shortPayload(host: Host, { id, owner, name }: Repository): Fields {
  const { isPrivate } = host.switches.values().arranged;
  return { id, node_id: nodeIdOf('Repository', id), name, full_name: `${owner}/${name}`, private: isPrivate };
}
