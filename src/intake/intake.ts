/** What each webhook means: a delivery becomes events of loops. State that decides is read back from the API, never taken from the payload. */
import { applyOnce } from '../engine/advance.ts';
import type { RepositoryRef } from '../github/github-port.ts';
import { commandLines } from '../guard/incoming.ts';
import { isCommand, mayUse, parseCommands } from '../loop/commands.ts';
import type { Event } from '../loop/event.ts';
import type { Loop } from '../loop/loop.ts';
import { type Actor, idOf, type LoopRef, type Role } from '../loop/terms.ts';
import type { Delivery, Ports } from '../ports.ts';
import { type Meaning, newerLoop, ofCheck, ofPull, ofStored, refFor, refOfComment } from './loop-lookup.ts';
import { checkButton, type Payload, type Pull, payloadOf, type Repository } from './payloads.ts';
import { onBaseMoved, onBranchPushed } from './pushes.ts';
import { startingFacts } from './start.ts';

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
    const commands = parseCommands(commandLines(comment.body, isCommand));
    if (commands.length === 0) return [];
    const ref = await refOfComment(repository, issue, ports);
    if (ref === undefined) return [];
    const role = await roleOf(ref, sender, ports);
    const isAuthor = issue.pull_request === undefined && issue.user.id === sender.id;
    const newer = await newerLoop(ref, ports);
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
        ...(newer === undefined ? {} : { newer: newer.review === undefined ? {} : { pull: newer.review.pull } }),
      },
    }));
  },
  async 'pull_request.closed'({ repository, pull_request, sender }, at, ports) {
    const how = pull_request.merged ? 'pull request merged' : 'pull request closed';
    return ofStored(await ofPull(repository, pullOf(repository, pull_request), ports), repository, async () => ({
      type: 'ended',
      at,
      by: sender,
      how,
    }));
  },
  async 'pull_request_review.submitted'({ repository, pull_request, review, sender }, at, ports) {
    const state = review.state;
    if (state === 'dismissed' || sender.type !== 'User') return [];
    return ofStored(await ofPull(repository, pullOf(repository, pull_request), ports), repository, async (ref) => ({
      type: 'reviewed',
      at,
      by: sender,
      role: await roleOf(ref, sender, ports),
      state,
      body: review.body ?? '',
      submittedAt: review.submitted_at,
    }));
  },
  async 'check_run.requested_action'({ repository, check_run, requested_action, sender }, at, ports) {
    const button = checkButton.safeParse(requested_action.identifier);
    const stored = await ofCheck(repository, check_run, ports);
    if (!button.success || sender.type !== 'User') return [];
    const shown = stored?.loop.review?.packet.digest;
    const digest = shown !== undefined && check_run.external_id.endsWith(shown) ? shown : check_run.external_id;
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
    const open = await ports.store.awaitingChecks(repository.id, check_run.head_sha);
    return open.map(({ loop }) => ({ ref: loop.ref, event: { type: 'heard', at, sha: check_run.head_sha } }));
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
  async push({ repository, ref: branchRef, after, sender }, at, ports) {
    if (sender.login === ports.self || !branchRef.startsWith('refs/heads/') || /^0+$/.test(after)) return [];
    const branch = branchRef.slice('refs/heads/'.length);
    if (branch === repository.default_branch) return onBaseMoved(repository, at, ports);
    return onBranchPushed(await ports.store.byBranch(repository.id, branch), repository, { sender, at }, ports);
  },
  async delete({ repository, ref: branch, ref_type, sender }, at, ports) {
    if (ref_type !== 'branch') return [];
    return ofStored(await ports.store.byBranch(repository.id, branch), repository, async () => ({
      type: 'ended',
      at,
      by: sender,
      how: 'branch deleted',
    }));
  },
};

/** Turns one stored delivery into events and applies them. Repeating it is harmless: what was applied is not applied again. */
export async function takeIn(delivery: Delivery, ports: Ports): Promise<void> {
  const payload = payloadOf(delivery.name, delivery.payload);
  if (payload === undefined) return;
  const reader: (payload: never, at: string, ports: Ports) => Promise<readonly Meaning[]> = READERS[payload.name];
  const meanings: readonly Meaning[] = await Reflect.apply(reader, undefined, [payload, delivery.receivedAt, ports]);
  const told = new Map<string, number>();
  for (const { ref, event } of meanings) {
    // Counted per loop: which other loops a delivery speaks to may be another thing when it is taken in again.
    const ordinal = told.get(idOf(ref)) ?? 0;
    told.set(idOf(ref), ordinal + 1);
    await applyOnce(ref, event, { delivery: delivery.id, ordinal }, ports);
  }
}

/** Only accounts of people have a role; it is read afresh. */
async function roleOf(ref: RepositoryRef, { login, type }: Actor, { github }: Ports): Promise<Role> {
  return type === 'User' ? github.permission(ref, login) : 'none';
}

function pullOf({ id }: Repository, { number, head }: Pull): Parameters<typeof ofPull>[1] {
  return { number, branchOf: async () => (head.repo?.id === id ? head.ref : undefined) };
}

async function ofNewest(
  repository: Repository,
  issue: number,
  ports: Ports,
  read: (ref: LoopRef, loop: Loop) => Promise<Event>,
): Promise<readonly Meaning[]> {
  return ofStored(await ports.store.newest(repository.id, issue), repository, read);
}
