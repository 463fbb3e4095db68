/** What a move of the default branch means to loops: which paths changed, which of them always need a person, and the configuration there. */
import type { RepositoryRef } from '../github-port.ts';
import { isSensitive } from '../guard/sensitive.ts';
import type { Event } from '../loop/event.ts';
import type { Ports } from '../ports.ts';
import { configDigestAt } from './repository-config.ts';

type Moved = Extract<Event, { type: 'moved' }>;

/** Reads it from GitHub, once for all loops of the repository. */
export async function baseMove(
  repository: RepositoryRef,
  { before, after, at }: { readonly before: string; readonly after: string; readonly at: string },
  ports: Pick<Ports, 'github'>,
): Promise<Moved> {
  const listed = await ports.github.changedPaths(repository, before, after);
  const paths = [...(listed ?? [])];
  return {
    type: 'moved',
    at,
    sha: after,
    paths,
    unlisted: listed === undefined,
    sensitive: paths.filter((path) => isSensitive(path)),
    configDigest: await configDigestAt(repository, after, ports),
  };
}
