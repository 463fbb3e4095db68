/** What each webhook means: a delivery becomes events of loops. State that decides is read back from the API, never taken from the payload. */
import { applyOnce } from './advance.ts';
import type { RepositoryRef } from './github-port.ts';
import { commandLines } from './guard/incoming.ts';
import { mayUse, parseCommands } from './loop/commands.ts';
import type { Event } from './loop/event.ts';
import type { Loop } from './loop/loop.ts';
import type { Actor, LoopRef, Role } from './loop/terms.ts';
import { checkButton, type Payload, payloadOf, type Repository } from './payloads.ts';
import { baseMove } from './phases/base-move.ts';
import { startingFacts } from './phases/start.ts';
import type { Ports, StoredLoop } from './ports.ts';

interface Meaning {
  readonly ref: LoopRef;
  readonly event: Event;
}

type Reader<Name extends Payload['name']> = (
  payload: Extract<Payload, { name: Name }>,
  at: string,
  ports: Ports,
) => Promise<readonly Meaning[]>;

type Readers = { readonly [Name in Payload['name']]: Reader<Name> };

const READERS: Readers = {
  async 'issues.labeled'({ repository, issue, label, sender }, at, ports) {
    if (label.name !== 'loop') return [];
    const ref = await refFor(repository, issue.number, ports);
    const facts = await startingFacts(ref, issue, ports);
    return [{ ref, event: { type: 'labelled', at, by: sender, role: await roleOf(ref, sender, ports), ...facts } }];
  },
  async 'issues.unlabeled'({ repository, issue, label, sender }, at, ports) {
    if (label.name !== 'loop' || sender.login === ports.self) return [];
    return ofNewest(repository, issue.number, ports, async (ref) => ({
      type: 'unlabelled',
      at,
      by: sender,
      role: await roleOf(ref, sender, ports),
    }));
  },
  async 'issues.closed'({ repository, issue, sender }, at, ports) {
    return ofNewest(repository, issue.number, ports, async (ref) => ({
      type: 'closed',
      at,
      by: sender,
      role: await roleOf(ref, sender, ports),
    }));
  },
  async 'issue_comment.created'({ repository, issue, comment, sender }, at, ports) {
    if (sender.type !== 'User') return [];
    const commands = parseCommands(commandLines(comment.body));
    if (commands.length === 0) return [];
    const ref =
      issue.pull_request === undefined
        ? await refOfComment(repository, issue.number, ports)
        : refOfStored(await ports.store.byPull(repository.id, issue.number), repository);
    if (ref === undefined) return [];
    const role = await roleOf(ref, sender, ports);
    const isAuthor = issue.pull_request === undefined && issue.user.id === sender.id;
    return commands.map(({ command, argument }) => ({
      ref,
      event: {
        type: 'commanded',
        at,
        by: sender,
        role,
        commentId: comment.id,
        command,
        argument,
        permitted: mayUse(command, role, isAuthor),
        createdAt: comment.created_at,
      },
    }));
  },
  async 'pull_request.closed'({ repository, pull_request, sender }, at, ports) {
    const how = pull_request.merged ? 'pull request merged' : 'pull request closed';
    return ofStored(await ports.store.byPull(repository.id, pull_request.number), repository, async () => ({
      type: 'ended',
      at,
      by: sender,
      role: 'none',
      how,
    }));
  },
  async 'pull_request_review.submitted'({ repository, pull_request, review, sender }, at, ports) {
    const state = review.state;
    if (state === 'dismissed' || sender.type !== 'User') return [];
    return ofStored(await ports.store.byPull(repository.id, pull_request.number), repository, async (ref) => ({
      type: 'reviewed',
      at,
      by: sender,
      role: await roleOf(ref, sender, ports),
      state,
      body: review.body ?? '',
    }));
  },
  async 'check_run.requested_action'({ repository, check_run, requested_action, sender }, at, ports) {
    const button = checkButton.safeParse(requested_action.identifier);
    const stored = await ofCheck(repository, check_run, ports);
    if (!button.success || sender.type !== 'User') return [];
    const digest =
      stored?.loop.packetDigest !== undefined && check_run.external_id.endsWith(stored.loop.packetDigest)
        ? stored.loop.packetDigest
        : check_run.external_id;
    return ofStored(stored, repository, async (ref) => ({
      type: 'pressed',
      at,
      by: sender,
      role: await roleOf(ref, sender, ports),
      button: button.data,
      digest,
    }));
  },
  async 'check_run.rerequested'({ repository, check_run, sender }, at, ports) {
    return ofStored(await ofCheck(repository, check_run, ports), repository, async (ref) => ({
      type: 'pressed',
      at,
      by: sender,
      role: await roleOf(ref, sender, ports),
      button: 'rerun',
      digest: '',
    }));
  },
  async 'check_run.completed'({ repository, check_run, sender }, at, ports) {
    if (sender.login === ports.self) return [];
    const open = await ports.store.list({ open: true });
    return open
      .filter(
        ({ loop }) =>
          loop.ref.repositoryId === repository.id && loop.phase === 'SHIP' && loop.head === check_run.head_sha,
      )
      .map(({ loop }) => ({ ref: loop.ref, event: { type: 'elapsed', at, entry: loop.entry, timer: 'checks' } }));
  },
  async 'workflow_run.completed'({ repository, workflow_run }, at, ports) {
    const { id: runId, conclusion } = workflow_run;
    return ofStored(await ports.store.byRun(repository.id, runId), repository, async () => ({
      type: 'completed',
      at,
      runId,
      conclusion: conclusion ?? 'unknown',
    }));
  },
  async push({ repository, ref: branchRef, after, before, sender }, at, ports) {
    if (sender.login === ports.self || !branchRef.startsWith('refs/heads/') || /^0+$/.test(after)) return [];
    const branch = branchRef.slice('refs/heads/'.length);
    if (branch === repository.default_branch) return onBaseMoved(repository, before, after, at, ports);
    return ofStored(await ports.store.byBranch(repository.id, branch), repository, async (ref) => {
      const paths = await ports.github.changedPaths(ref, before, after);
      return {
        type: 'pushed',
        at,
        by: sender,
        sha: after,
        codeTree: await ports.workspace.codeTree(ref, after),
        documentsChanged: paths.some((path) => path.startsWith('.loopwright/')),
      };
    });
  },
  async delete({ repository, ref: branch, ref_type, sender }, at, ports) {
    if (ref_type !== 'branch') return [];
    return ofStored(await ports.store.byBranch(repository.id, branch), repository, async () => ({
      type: 'ended',
      at,
      by: sender,
      role: 'none',
      how: 'branch deleted',
    }));
  },
};

/** Turns one stored delivery into events and applies them. Repeating it is harmless: what was applied is not applied again. */
export async function takeIn(deliveryId: string, ports: Ports): Promise<void> {
  const delivery = await ports.store.delivery(deliveryId);
  const payload = delivery === undefined ? undefined : payloadOf(delivery.name, delivery.payload);
  if (delivery === undefined || payload === undefined) return;
  const reader: (payload: never, at: string, ports: Ports) => Promise<readonly Meaning[]> = READERS[payload.name];
  const meanings: readonly Meaning[] = await Reflect.apply(reader, undefined, [payload, delivery.receivedAt, ports]);
  for (const { ref, event } of meanings) await applyOnce(ref, event, ports.store);
}

function repositoryRefOf({ id, name, owner, installationId }: Repository): RepositoryRef {
  return { installationId, repositoryId: id, owner: owner.login, repo: name };
}

/** Only accounts of people have a role; it is read afresh. */
async function roleOf(ref: RepositoryRef, { login, type }: Actor, { github }: Ports): Promise<Role> {
  return type === 'User' ? github.permission(ref, login) : 'none';
}

/** The loop that a label on the issue speaks to: the live or idle one, or a new one after the last has ended. */
async function refFor(repository: Repository, issue: number, { store }: Ports): Promise<LoopRef> {
  const newest = await store.newest(repository.id, issue);
  const ended = newest?.loop.status === 'succeeded' || newest?.loop.status === 'stopped';
  return { ...repositoryRefOf(repository), issue, n: (newest?.loop.ref.n ?? 1) + (ended ? 1 : 0) };
}

async function refOfComment(repository: Repository, issue: number, { store }: Ports): Promise<LoopRef> {
  const newest = await store.newest(repository.id, issue);
  return { ...repositoryRefOf(repository), issue, n: newest?.loop.ref.n ?? 1 };
}

/** The stored loop under the repository's present name. */
function refOfStored(stored: StoredLoop | undefined, repository: Repository): LoopRef | undefined {
  return stored === undefined ? undefined : { ...stored.loop.ref, ...repositoryRefOf(repository) };
}

async function ofStored(
  stored: StoredLoop | undefined,
  repository: Repository,
  read: (ref: LoopRef, loop: Loop) => Promise<Event>,
): Promise<readonly Meaning[]> {
  const ref = refOfStored(stored, repository);
  return ref === undefined || stored === undefined ? [] : [{ ref, event: await read(ref, stored.loop) }];
}

async function ofNewest(
  repository: Repository,
  issue: number,
  ports: Ports,
  read: (ref: LoopRef, loop: Loop) => Promise<Event>,
): Promise<readonly Meaning[]> {
  return ofStored(await ports.store.newest(repository.id, issue), repository, read);
}

/** Our check runs name their loop in `external_id`. */
async function ofCheck(
  repository: Repository,
  { external_id }: { readonly external_id: string },
  { store }: Ports,
): Promise<StoredLoop | undefined> {
  const [, id = ''] = /^(\d+\/\d+\/\d+)\//.exec(external_id) ?? [];
  return id.startsWith(`${repository.id}/`) ? store.load(id) : undefined;
}

async function onBaseMoved(
  repository: Repository,
  before: string,
  after: string,
  at: string,
  ports: Ports,
): Promise<readonly Meaning[]> {
  const open = (await ports.store.list({ open: true })).filter(
    ({ loop }) => loop.ref.repositoryId === repository.id && loop.status !== 'idle',
  );
  if (open.length === 0) return [];
  const event = await baseMove(repositoryRefOf(repository), { before, after, at }, ports);
  return open.map(({ loop }) => ({ ref: loop.ref, event }));
}
