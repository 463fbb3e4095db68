/** Which heads lack a required check of ours, from the webhook to the port. */
import { beforeEach, describe, expect, it } from 'vitest';
import { WriteRefusedError } from '../../src/errors.ts';
import type { RepositoryRef } from '../../src/github/github-port.ts';
import { deliveryOf } from '../../src/intake/reduce.ts';
import type { CheckRun } from '../../src/loop/check-run.ts';
import { asReviewed } from '../../src/loop/stages.ts';
import { finished } from '../loop/finished.ts';
import { atReview } from '../loop/stands.ts';
import { AT, type Door, doors, from, MARIA, REF } from './door.ts';

const openDoor = doors();
const HEAD = '1'.repeat(40);
const BOT = { id: 9, login: 'renovate[bot]', type: 'Bot' };
const SELF = { id: 8, login: 'loopwright[bot]', type: 'Bot' };
const EVIDENCE = 'loopwright / evidence';

interface Seen {
  readonly asked: string[];
  readonly written: CheckRun[];
  /** Whatever is there already. */
  readonly replaced: CheckRun[];
}

let door: Door;
let seen: Seen;
let required: readonly string[];
let refusal: Error | undefined;
beforeEach(async () => {
  door = await openDoor();
  seen = { asked: [], written: [], replaced: [] };
  required = [EVIDENCE];
  refusal = undefined;
  Object.assign(door.ports.github, {
    requiredChecks: async ({ repo }: RepositoryRef, branch: string) => {
      seen.asked.push(`${repo} ${branch}`);
      return required;
    },
    addChecks: async (_: RepositoryRef, checks: readonly CheckRun[]) => {
      if (refusal !== undefined) throw refusal;
      seen.written.push(...checks);
    },
    checks: async (_: RepositoryRef, checks: readonly CheckRun[]) => {
      seen.replaced.push(...checks);
      return [];
    },
  });
});

interface Pull {
  readonly number?: number;
  readonly branch?: string;
  readonly base?: string;
  readonly repositoryId?: number | null;
  readonly labels?: readonly string[];
  readonly sender?: unknown;
  readonly sha?: string;
}

function pull(
  action: string,
  {
    number = 40,
    branch = 'mine',
    base,
    repositoryId = REF.repositoryId,
    labels = [],
    sender = MARIA,
    sha = HEAD,
  }: Pull = {},
): object {
  const repo = repositoryId === null ? null : { id: repositoryId };
  const repository = { id: REF.repositoryId, name: REF.repo, owner: { login: REF.owner }, default_branch: 'trunk' };
  return from(sender, {
    action,
    repository,
    pull_request: {
      number,
      head: { ref: branch, sha, repo },
      ...(base === undefined ? {} : { base: { ref: base } }),
      labels: labels.map((name) => ({ name })),
    },
  });
}

const names = () => seen.written.map(({ name }) => name);

describe('the head of a pull request that is no loop’s', () => {
  it.each([
    ['opened by a person', pull('opened')],
    ['opened by a bot', pull('opened', { sender: BOT })],
    ['opened from a fork', pull('opened', { repositoryId: 99 })],
    ['opened from a fork that is gone', pull('opened', { repositoryId: null })],
    ['opened again', pull('reopened', { sender: BOT })],
    ['pushed to', pull('synchronize', { sender: BOT })],
  ])('%s gets what is required, neutral', async (_, payload) => {
    expect(
      deliveryOf({ id: 'x', name: 'pull_request', payload, receivedAt: AT }, 'loopwright[bot]').payload,
    ).toBeDefined();
    expect(await door.deliver('pull_request', payload)).toBeUndefined();
    expect(seen.asked).toEqual(['shop trunk']);
    expect(seen.written).toMatchObject([
      {
        name: EVIDENCE,
        headSha: HEAD,
        status: 'completed',
        conclusion: 'neutral',
        summary: "This pull request is no loop's, so there is nothing to judge.",
      },
    ]);
  });

  it('gets what the branch requires that it is to be merged into', async () => {
    await door.deliver('pull_request', pull('opened', { base: 'release/1.0' }));
    expect(seen.asked).toEqual(['shop release/1.0']);
  });

  it('gets what another branch requires when it is to be merged into that one', async () => {
    const retargeted = { ...pull('edited', { base: 'release/1.0' }), changes: { base: { ref: { from: 'trunk' } } } };
    const renamed = { ...pull('edited'), changes: { title: { from: 'Mine' } } };
    const kept = [retargeted, renamed].map(
      (payload) => deliveryOf({ id: 'x', name: 'pull_request', payload, receivedAt: AT }, 'loopwright[bot]').payload,
    );
    expect(kept).toEqual([expect.anything(), undefined]);
    await door.deliver('pull_request', retargeted);
    expect(seen.asked).toEqual(['shop release/1.0']);
    expect(names()).toEqual([EVIDENCE]);
  });

  it('gets no `loopwright / proof` where one was asked for, whatever came of it, or where the label asks', async () => {
    required = [EVIDENCE, 'loopwright / proof'];
    await door.deliver('pull_request', pull('opened', { number: 41 }));
    expect(names()).toEqual(required);
    expect(seen.written[1]?.summary).toMatch(/^Nobody has asked for a proof/);
    seen.written.length = 0;
    const { store } = door.ports;
    const proof = { ...REF, pull: 42, at: AT, by: MARIA, serial: 1, stage: 'ended' } as const;
    const { issue: _, n: __, ...asked } = proof;
    await store.savePullProof({ proof: asked, expectedVersion: 0 });
    await door.deliver('pull_request', pull('synchronize', { number: 42 }));
    await door.deliver('pull_request', pull('opened', { number: 43, labels: ['Prove'] }));
    expect(names()).toEqual([EVIDENCE, EVIDENCE]);
  });

  it('that sets the repository up has its own check, and the others from here', async () => {
    required = [EVIDENCE, 'loopwright / setup'];
    const payload = pull('opened', { branch: 'loopwright/setup', sender: SELF });
    expect(
      deliveryOf({ id: 'x', name: 'pull_request', payload, receivedAt: AT }, 'loopwright[bot]').payload,
    ).toBeDefined();
    await door.deliver('pull_request', payload);
    expect(names()).toEqual([EVIDENCE]);
    // Another repository's branch of that name is nobody's.
    seen.written.length = 0;
    await door.deliver('pull_request', pull('opened', { branch: 'loopwright/setup', repositoryId: 99 }));
    expect(names()).toEqual(required);
  });

  it('that GitHub takes no check for is told in one line, and not tried again', async () => {
    refusal = new WriteRefusedError('GitHub answered 403: Repository was archived so is read-only.', { status: 403 });
    expect(await door.deliver('pull_request', pull('opened'))).toBe(
      `no check was written on ${HEAD} of acme/shop: GitHub answered 403: Repository was archived so is read-only.`,
    );
  });

  it('that the App opened itself for a loop is not even looked at', () => {
    const payload = pull('opened', { branch: 'loopwright/12', sender: SELF });
    expect(
      deliveryOf({ id: 'x', name: 'pull_request', payload, receivedAt: AT }, 'loopwright[bot]').payload,
    ).toBeUndefined();
  });
});

describe('the branch of a loop', () => {
  it.each([
    ['at review', atReview],
    ['finished', finished],
  ])('%s gets nothing by a second pull request while its own is open', async (_, stand) => {
    const loop = asReviewed(stand());
    await door.keep(loop);
    const second = pull('synchronize', { number: 99, branch: loop.started.branch });
    door.world.pull = 'open';
    await door.deliver('pull_request', second);
    expect(seen).toMatchObject({ written: [], replaced: [] });
    // Whoever takes the branch over can merge.
    door.world.pull = 'closed';
    await door.deliver('pull_request', second);
    expect(names()).toEqual([EVIDENCE]);
  });

  it('that is pushed to after the pull request was ready has its checks fail, whatever the commit was given elsewhere', async () => {
    required = [EVIDENCE, 'loopwright / proof'];
    const loop = asReviewed(finished());
    await door.keep(loop);
    const { pull: number, head: sha } = loop.review;
    const own = { number, branch: loop.started.branch };
    await door.deliver('pull_request', pull('reopened', { ...own, sha }));
    expect(seen.replaced).toEqual([]);
    await door.deliver('pull_request', pull('opened', { number: 98, branch: 'elsewhere' }));
    expect(names()).toEqual(required);
    await door.deliver('pull_request', pull('synchronize', own));
    expect(seen.replaced).toMatchObject([
      {
        name: EVIDENCE,
        headSha: HEAD,
        conclusion: 'failure',
        summary: `The loop judged \`${sha.slice(0, 7)}\`, and \`1111111\` came after it; \`/reject <what>\` sends pull request #${number} back, and what is there is built on and judged.`,
      },
    ]);
  });

  it('that is pushed to while the loop is at work is left to the loop', async () => {
    const loop = asReviewed(atReview());
    await door.keep(loop);
    await door.deliver('pull_request', pull('synchronize', { number: loop.review.pull, branch: loop.started.branch }));
    expect(seen).toMatchObject({ written: [], replaced: [] });
  });
});

describe('the head of a merge group', () => {
  const group = (ref: string, base: string | undefined = undefined) =>
    from(BOT, { action: 'checks_requested', merge_group: { head_sha: HEAD, head_ref: ref, base_ref: base } });

  it('gets what the branch requires that it is merged into', async () => {
    const ref = `refs/heads/gh-readonly-queue/release/1.0/pr-41-${'a'.repeat(40)}`;
    await door.deliver('merge_group', group(ref, 'refs/heads/release/1.0'));
    expect(seen.asked).toEqual(['shop release/1.0']);
  });

  it.each([
    [`refs/heads/gh-readonly-queue/main/pr-40-${'a'.repeat(40)}`, /^Pull request #40 is no loop's/],
    [`refs/heads/gh-readonly-queue/release/1.0/pr-41-${'a'.repeat(40)}`, /^Pull request #41 is no loop's/],
    ['refs/heads/gh-readonly-queue/main/of-some-day', /^This merge group names no pull request/],
  ])('%s gets what is required, neutral', async (ref, sentence) => {
    await door.deliver('merge_group', group(ref));
    expect(seen.written).toMatchObject([
      { name: EVIDENCE, headSha: HEAD, conclusion: 'neutral', summary: expect.stringMatching(sentence) },
    ]);
  });

  it.each([
    ['as the loop judged it', 'neutral', /^`loopwright \/ evidence` of pull request #\d+ says "All gates passed"/],
    [
      'pushed to since',
      'failure',
      /says "Not judged: pushed after the pull request was ready" on its own head `1111111`/,
    ],
  ])('of a loop’s pull request, %s, is %s', async (how, conclusion, sentence) => {
    const ended = finished();
    const loop = asReviewed({ ...ended, built: { ...ended.built, reports: {} } });
    await door.keep(loop);
    const headSha = how === 'pushed to since' ? '1'.repeat(40) : loop.review.head;
    Object.assign(door.ports.github, { pull: async () => ({ state: 'open', headSha }) });
    await door.deliver(
      'merge_group',
      group(`refs/heads/gh-readonly-queue/main/pr-${loop.review.pull}-${'a'.repeat(40)}`),
    );
    expect(seen.written).toMatchObject([{ conclusion, summary: expect.stringMatching(sentence) }]);
  });

  it('that is required nothing gets nothing', async () => {
    required = [];
    await door.deliver('merge_group', group(`refs/heads/gh-readonly-queue/main/pr-40-${'a'.repeat(40)}`));
    expect(seen.written).toEqual([]);
  });
});
