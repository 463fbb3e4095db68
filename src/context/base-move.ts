/** What a move of the default branch means to loops: which paths changed, which of them always need a person, and the configuration there. */
import { ConfigError } from '../errors.ts';
import type { RepositoryRef } from '../github/github-port.ts';
import { isSensitive } from '../guard/sensitive.ts';
import type { Event } from '../loop/event.ts';
import { shiftOf } from '../loop/ground.ts';
import type { Loop } from '../loop/loop.ts';
import type { Ports } from '../ports.ts';
import { configDigestAt } from './repository-config.ts';

type Moved = Extract<Event, { type: 'moved' }>;

/** Reads it from GitHub, once for all loops of the repository that have the same base. */
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

/** The base as it is now, where something changed there that the loop is bound to; one reading of a ref where nothing moved. */
export async function movedUnder(loop: Loop, ports: Pick<Ports, 'github' | 'clock'>): Promise<Moved | undefined> {
  const before = baseOf(loop).sha;
  const after = await baseTip(loop, ports);
  if (after === before) return undefined;
  const event = await baseMove(loop.ref, { before, after, at: ports.clock.now().toISOString() }, ports);
  return shiftOf(loop, event) === undefined ? undefined : event;
}

/** Where the base branch is now. @throws {ConfigError} when there is no such branch any more. */
async function baseTip(loop: Loop, { github }: Pick<Ports, 'github'>): Promise<string> {
  const { branch } = baseOf(loop);
  const tip = await github.head(loop.ref, `refs/heads/${branch}`);
  if (tip !== undefined) return tip;
  throw new ConfigError(`The base branch ${branch} is gone; restore it, or label the issue \`loop\` again.`);
}

/** The newest commit of the base branch that a commit holds, where it is newer than the loop's base. */
export async function newerBaseIn(
  loop: Loop,
  head: string,
  { github, workspace }: Pick<Ports, 'github' | 'workspace'>,
): Promise<string | undefined> {
  const { sha, branch } = baseOf(loop);
  const tip = await github.head(loop.ref, `refs/heads/${branch}`);
  if (tip === undefined || tip === sha) return undefined;
  const merged = await workspace.mergeBase(loop.ref, head, tip);
  if (merged === undefined || merged === sha) return undefined;
  return (await workspace.mergeBase(loop.ref, sha, merged)) === sha ? merged : undefined;
}

/** @throws {ConfigError} when the loop was never started. */
export function baseOf({ base, ref }: Loop): NonNullable<Loop['base']> {
  if (base === undefined) throw new ConfigError(`Issue #${ref.issue} has no base commit; label it \`loop\` again.`);
  return base;
}
