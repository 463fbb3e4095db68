/** What people did to the installation and to repositories, on GitHub's settings pages: suspended, taken out, archived, made private. */
import type { Host } from './host.ts';
import { HttpError } from './http-error.ts';
import type { Repository } from './records.ts';

/** GitHub's words to whoever writes to an archived repository. */
export const ARCHIVED = 'Repository was archived so is read-only.';

/** @throws HttpError 403 while the installation is suspended: for its tokens, and to whoever asks for one */
export function judgeSuspension(host: Host): void {
  if (host.switches.values().arranged.isSuspended) throw new HttpError(403, 'This installation has been suspended');
}

/** Nobody writes to what is archived; its settings can be changed. @throws HttpError 403 */
export function judgeArchived(host: Host, need: { readonly permission: string; readonly level: string }): void {
  const { isArchived } = host.switches.values().arranged;
  if (isArchived && need.level === 'write' && need.permission !== 'administration') throw new HttpError(403, ARCHIVED);
}

/** Whether the installation of our App has the repository. */
export function isInstalledOn(host: Host, { id }: Pick<Repository, 'id'>): boolean {
  const { isInstalled, removed } = host.switches.values().arranged;
  return isInstalled && !removed.includes(id);
}

/** Whether GitHub tells the App of what happens in the repository. */
export function isTold(host: Host, repository: Repository): boolean {
  return isInstalledOn(host, repository) && !host.switches.values().arranged.isSuspended;
}

/** Of the repositories that a token was made for (absent: all), those that the installation still has; absent where nothing was taken out. */
export function stillReached(host: Host, ids: readonly number[] | undefined): readonly number[] | undefined {
  const { removed } = host.switches.values().arranged;
  if (removed.length === 0) return ids;
  return (ids ?? host.state.repositories.find({}).map(({ id }) => id)).filter((id) => !removed.includes(id));
}

/** What reading needs where a repository is private, by the beginning of what follows its name: https://docs.github.com/rest/authentication/permissions-required-for-github-apps */
const READS: readonly (readonly [RegExp, string])[] = [
  [/^\/commits\/[^/]+\/check-|^\/check-/, 'checks'],
  [/^\/commits\/[^/]+\/status|^\/statuses/, 'statuses'],
  [/^\/(?:contents|git|commits|branches|compare)\b/, 'contents'],
  [/^\/(?:issues|labels)\b/, 'issues'],
  [/^\/pulls\b/, 'pull_requests'],
  [/^\/(?:actions|environments)\b/, 'actions'],
];

/** The permission that a token needs to read below this route of a private repository. */
export function readPermissionOf(route: string): string {
  const below = route.replace(/^\/repos\/\{owner\}\/\{repo\}/, '');
  return READS.find(([beginning]) => beginning.test(below))?.[1] ?? 'metadata';
}
