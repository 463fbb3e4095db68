/** The draft pull request, as the port has it. */
import { LoopError, WriteRefusedError } from '../../../src/errors.ts';
import type { GitHub } from '../../../src/github/github-port.ts';
import type { Access } from './github-port.ts';
import { APP, type Hub, nextNumber, type Pull, pullOfBranch, refAt } from './hub.ts';
import { sendPull } from './payloads.ts';
import { notFound } from './requests.ts';
import { markdown, plain } from './texts.ts';

type Pulls = Pick<GitHub, 'openPull' | 'showPull' | 'pull' | 'markReady' | 'markDraft' | 'reviewComments'>;

export function pullOperations({ hub, wire }: Access): Pulls {
  const pullNumbered = (number: number): Pull => {
    const found = hub.pulls.get(number);
    if (found === undefined) throw notFound(`GET pulls/${number}`);
    return found;
  };
  return {
    async openPull(target, { branch, title, body, isNew }) {
      const text = { title: plain(title), body: markdown(body) };
      // Where it is thought to be new, it is looked for when GitHub refuses to open another.
      const existing =
        isNew === true && pullOfBranch(hub, branch) === undefined
          ? undefined
          : await wire.request(target, {
              count: isNew === true ? 2 : 1,
              writes: false,
              what: 'GET pulls',
              perform: () => pullOfBranch(hub, branch),
            });
      if (existing !== undefined) {
        if (existing.title !== text.title || existing.body !== text.body)
          await wire.request(target, {
            count: 1,
            writes: true,
            what: 'PATCH pulls',
            perform: () => void Object.assign(existing, text),
          });
        return existing;
      }
      return wire.request(target, {
        count: 1,
        writes: true,
        what: 'POST pulls',
        perform: () => open(hub, branch, text),
      });
    },
    async showPull(target, number, change, known) {
      const text = { title: plain(change.title), body: markdown(change.body) };
      const digest = JSON.stringify(text);
      if (known === digest) return { digest };
      return wire.request(target, {
        count: 1,
        writes: true,
        what: `PATCH pulls/${number}`,
        perform() {
          const pull = pullNumbered(number);
          Object.assign(pull, text);
          return { headSha: pull.headSha, digest };
        },
      });
    },
    pull: (target, number) =>
      wire.request(target, {
        count: 1,
        writes: false,
        what: `GET pulls/${number}`,
        perform() {
          const { state, merged, draft, branch, headSha } = pullNumbered(number);
          const baseSha = hub.refs.get('refs/heads/main') ?? headSha;
          return { state, merged, draft, branch, headSha, baseSha, mergeable: mergeableOf(hub, pullNumbered(number)) };
        },
      }),
    markReady: (target, nodeId) =>
      wire.request(target, {
        count: 1,
        writes: true,
        what: 'POST graphql',
        perform() {
          const pull = [...hub.pulls.values()].find((one) => one.nodeId === nodeId);
          if (pull === undefined || pull.state !== 'open')
            throw new LoopError(
              `GitHub did not take the pull request ${nodeId} out of draft: Could not resolve to a node`,
            );
          if (!pull.draft) return;
          pull.draft = false;
          hub.note(`#${pull.number} is ready`);
          for (const told of hub.onReady) told(pull);
          sendPull(hub, 'ready_for_review', pull, APP);
        },
      }),
    markDraft: (target, nodeId) =>
      wire.request(target, {
        count: 1,
        writes: true,
        what: 'POST graphql',
        perform() {
          const pull = [...hub.pulls.values()].find((one) => one.nodeId === nodeId);
          if (pull === undefined || pull.state !== 'open')
            throw new LoopError(`GitHub did not turn the pull request ${nodeId} back to draft: it is not open`);
          pull.draft = true;
          hub.note(`#${pull.number} is a draft again`);
          sendPull(hub, 'converted_to_draft', pull, APP);
        },
      }),
    reviewComments: (target, number, reviewId) =>
      wire.request(target, {
        count: 1,
        writes: false,
        what: `GET pulls/${number}/reviews/${reviewId}/comments`,
        perform: () => hub.reviewComments.get(reviewId) ?? [],
      }),
  };
}

function open(hub: Hub, branch: string, text: { readonly title: string; readonly body: string }): Pull {
  const headSha = hub.refs.get(`refs/heads/${branch}`);
  if (headSha === undefined)
    throw new WriteRefusedError('GitHub answered 422 to POST pulls: Validation Failed: head is invalid');
  if (pullOfBranch(hub, branch) !== undefined)
    throw new WriteRefusedError('GitHub answered 422 to POST pulls: A pull request already exists');
  const number = nextNumber(hub);
  const nodeId = `PR_${number}`;
  const pull: Pull = { number, nodeId, branch, ...text, state: 'open', merged: false, draft: true, headSha };
  hub.pulls.set(number, pull);
  return pull;
}

/** Undefined while GitHub computes it: for some seconds after either branch moved. */
export function mergeableOf(hub: Hub, pull: Pull): boolean | undefined {
  const [head, base] = [hub.refs.get(`refs/heads/${pull.branch}`), hub.refs.get('refs/heads/main')];
  if (head === undefined || base === undefined) return undefined;
  const agoMs = hub.scheduler.nowMs() - hub.odds.mergeableMs;
  const isFresh =
    refAt(hub, `refs/heads/${pull.branch}`, agoMs) !== head || refAt(hub, 'refs/heads/main', agoMs) !== base;
  return isFresh ? undefined : !('conflicts' in hub.commits.merge(head, base));
}
