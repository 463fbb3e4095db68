/** The App has been given a repository: https://docs.github.com/webhooks/webhook-events-and-payloads#installation_repositories */
import type { Fields } from '../../referee/json.ts';
import { type Host, nodeIdOf } from '../host.ts';
import type { Repository } from '../records.ts';
import { installationPayload } from '../rest/app-endpoints.ts';
import { accountPayload } from '../rest/payloads.ts';
import { deliver } from './events.ts';

/** Tells the App, as when the owner chooses the repository on the page of the installation. */
export function announceInstalled(host: Host, repository: Repository): void {
  deliver(host, {
    event: 'installation_repositories',
    action: 'added',
    repository,
    values: {
      installation: { ...installationPayload(host), repository_selection: 'selected' },
      repository_selection: 'selected',
      repositories_added: [shortPayload(host, repository)],
      repositories_removed: [],
      requester: null,
      sender: accountPayload(host, repository.owner),
    },
  });
}

/** A repository as webhooks of installations have it. */
function shortPayload(host: Host, { id, owner, name }: Repository): Fields {
  const { isPrivate } = host.switches.values().arranged;
  return { id, node_id: nodeIdOf('Repository', id), name, full_name: `${owner}/${name}`, private: isPrivate };
}
