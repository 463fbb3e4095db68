/** What a workflow or a job grants, as permissions of a token. */
import type { Permissions } from '../tokens.ts';
import type { GrantedPermissions } from './workflow-types.ts';

const ALL = ['contents', 'issues', 'pull_requests', 'checks', 'actions', 'statuses', 'id_token'];

/** The `permissions` of the workflow or the job; GitHub's restricted default where there are none: reading contents. */
export function permissionsOf(permissions: GrantedPermissions | undefined): Permissions {
  if (permissions === undefined) return { metadata: 'read', contents: 'read' };
  if (permissions === 'read-all') return Object.fromEntries(['metadata', ...ALL].map((name) => [name, 'read']));
  if (permissions === 'write-all') return Object.fromEntries(['metadata', ...ALL].map((name) => [name, 'write']));
  const granted = Object.entries(permissions).filter(([, level]) => level !== 'none');
  return {
    metadata: 'read',
    ...Object.fromEntries(granted.map(([name, level]) => [name.replaceAll('-', '_'), level])),
  };
}
