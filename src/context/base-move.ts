/** What a move of the default branch means to loops: which paths changed, which of them always need a person, and the configuration there. */
import { GoneError } from '../errors.ts';
import type { RepositoryRef } from '../github/github-port.ts';
import { bearsOnProof, isForPeople } from '../guard/product-files.ts';
import { isSensitive } from '../guard/sensitive.ts';
import { advanceOf } from '../loop/behind.ts';
import { shiftOf } from '../loop/branch-moves.ts';
import type { Event } from '../loop/event.ts';
import type { Outdated } from '../loop/shipping-record.ts';
import type { StartedLoop } from '../loop/stages.ts';
import type { Ports } from '../ports.ts';
import { WORKFLOWS } from '../settings/config.ts';
import { standingOf, workflowPath } from '../settings/setup-files.ts';
import { configDigestAt } from './repository-config.ts';

/** They run as the default branch has them at that moment, whatever commit a loop stands on. */
const OWN_WORKFLOWS: ReadonlyMap<string, string> = new Map(
  Object.values(WORKFLOWS).map((name) => [workflowPath(name), name]),
);

type Moved = Extract<Event, { type: 'moved' }>;

/** Reads it from GitHub, once for all loops of the repository that have the same base. */
export async function baseMove(
  repository: RepositoryRef,
  { before, after, at }: { readonly before: string; readonly after: string; readonly at: string },
  ports: Pick<Ports, 'github' | 'guardrails'>,
): Promise<Moved> {
  const listed = await ports.github.changedPaths(repository, before, after);
  const paths = [...(listed ?? [])];
  const asOurs = await ownAsWritten(repository, after, { paths, github: ports.github });
  return {
    type: 'moved',
    at,
    sha: after,
    paths,
    unlisted: listed === undefined,
    sensitive: paths.filter((path) => isSensitive(path, ports.guardrails.sensitive) && !asOurs.includes(path)),
    bearing: paths.filter(bearsOnProof),
    ...(paths.some(isForPeople) && { forPeople: true }),
    configDigest: await configDigestAt(repository, after, ports),
  };
}

/** So one that is missing can be added under an approval, or taken away; one with other rights than ours needs a person. */
async function ownAsWritten(
  repository: RepositoryRef,
  sha: string,
  { paths, github }: Pick<Ports, 'github'> & { readonly paths: readonly string[] },
): Promise<readonly string[]> {
  const own = [...OWN_WORKFLOWS].filter(([path]) => paths.includes(path));
  if (own.length === 0) return [];
  const { server } = await github.repository(repository);
  const standings = await Promise.all(
    own.map(async ([path, name]) => standingOf(await github.file(repository, path, sha), ['workflows', name], server)),
  );
  return own.filter((_, at) => standings[at] !== 'differs' && standings[at] !== 'foreign').map(([path]) => path);
}

type Reading = Pick<Ports, 'github' | 'guardrails' | 'clock'>;

/** The base as it is now, where something changed there that the loop is bound to; one reading of a ref where nothing moved. */
export async function movedUnder(loop: StartedLoop, ports: Reading): Promise<Moved | undefined> {
  const event = await moveSince(loop, ports);
  return event === undefined || shiftOf(loop, event) === undefined ? undefined : event;
}

/** The base as it is now, where it went on in what a proof may depend on. */
export async function advanceSince(loop: StartedLoop, ports: Reading): Promise<Outdated | undefined> {
  const event = await moveSince(loop, ports);
  return event && advanceOf(event);
}

/** The base as it is now, where it is another; one reading of a ref where it is not. */
async function moveSince(loop: StartedLoop, ports: Reading): Promise<Moved | undefined> {
  const before = loop.started.base.sha;
  const after = await baseTip(loop, ports);
  if (after === before) return undefined;
  return baseMove(loop.ref, { before, after, at: ports.clock.now().toISOString() }, ports);
}

/** Where the base branch is now. @throws {GoneError} when there is no such branch. */
async function baseTip(loop: StartedLoop, { github }: Pick<Ports, 'github'>): Promise<string> {
  const { branch } = loop.started.base;
  const tip = await github.head(loop.ref, `refs/heads/${branch}`);
  if (tip !== undefined) return tip;
  throw new GoneError(`The base branch ${branch} is gone; restore it.`, { status: 404 });
}

/** The newest commit of the base branch that a commit holds, where it is newer than the loop's base. */
export async function newerBaseIn(
  loop: StartedLoop,
  head: string,
  { github, workspace }: Pick<Ports, 'github' | 'workspace'>,
): Promise<string | undefined> {
  const { sha, branch } = loop.started.base;
  if (head === sha) return undefined;
  const tip = await github.head(loop.ref, `refs/heads/${branch}`);
  if (tip === undefined || tip === sha) return undefined;
  const merged = await workspace.mergeBase(loop.ref, head, tip);
  if (merged === undefined || merged === sha) return undefined;
  return (await workspace.mergeBase(loop.ref, sha, merged)) === sha ? merged : undefined;
}
