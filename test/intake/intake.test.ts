/** What webhooks mean to loops: they come late, twice, in another order and about places that moved; GitHub as it is decides. */
import { describe, expect, it } from 'vitest';
import { NotYetError } from '../../src/errors.ts';
import { decide } from '../../src/loop/decide.ts';
import type { Loop } from '../../src/loop/loop.ts';
import { asReviewed, asStarted } from '../../src/loop/stages.ts';
import { atReview, building, SHA } from '../loop/stands.ts';
import { command, timeOf } from '../loop/world.ts';
import { AT, BASE, commentOf, type Door, doors, from, issueOf, labelled, MARIA, REF, STRANGER } from './door.ts';

const openDoor = doors();

const unlabelled = (sender: unknown = MARIA) =>
  from(sender, { action: 'unlabeled', label: { name: 'loop' }, issue: issueOf({ labels: [] }) });
const closed = from(MARIA, { action: 'closed', issue: issueOf() });
const stopped = (): Loop => decide(building(), command('stop', '', timeOf(60))).loop;
const startedAt = (loop: Loop, at: string): Loop => ({ ...loop, started: { ...asStarted(loop).started, at } });
const onIssue = 'the issue has the label and is open';

describe('a label', () => {
  it('starts a loop also on the issue of an account that was deleted', async () => {
    const door = await openDoor();
    await door.deliver('issues', labelled({ issue: { user: null } }));
    expect(await door.loop()).toMatchObject({
      status: 'working',
      started: { issue: { author: { login: 'ghost' } } },
    });
  });

  it('that was taken away before it is told starts nothing', async () => {
    const door = await openDoor();
    door.world.issue = { state: 'open', labels: [] };
    await door.deliver('issues', labelled());
    expect(await door.loop()).toBeUndefined();
  });

  it('on an issue that is gone starts nothing', async () => {
    const door = await openDoor();
    door.world.issue = undefined;
    await door.deliver('issues', labelled());
    expect(await door.loop()).toBeUndefined();
  });

  it('on a closed issue is refused in one sentence', async () => {
    const door = await openDoor();
    door.world.issue = { state: 'closed', labels: ['loop'] };
    await door.deliver('issues', labelled());
    const { status, pending = [] } = (await door.loop()) ?? {};
    expect(status).toBe('idle');
    expect(pending).toContainEqual(
      expect.objectContaining({ text: 'The issue is closed; reopen it and set the label again.' }),
    );
  });

  it('that a loop answered which has ended since starts no other, however late it is told', async () => {
    const door = await openDoor();
    await door.keep(startedAt(stopped(), '2026-01-09T12:00:00.000Z'));
    await door.deliver('issues', labelled({ issue: { updated_at: '2026-01-09T11:59:00Z' } }));
    expect(await door.loop({ n: 2 })).toBeUndefined();
    await door.deliver('issues', labelled({ issue: { updated_at: undefined } }), '2026-01-09T12:00:00.000Z');
    expect(await door.loop({ n: 2 })).toBeUndefined();
    await door.deliver('issues', labelled({ issue: { updated_at: '2026-01-09T12:01:00Z' } }));
    expect(await door.loop({ n: 2 })).toMatchObject({ status: 'working' });
  });
});

describe('taking the label away, or closing', () => {
  it.each([
    ['taking the label away', onIssue, 'waiting'],
    ['taking the label away', 'the issue has no label', 'paused'],
    ['taking the label away', 'there is no such issue', 'paused'],
    ['closing', onIssue, 'waiting'],
    ['closing', 'the issue is closed', 'paused'],
    ['closing', 'there is no such issue', 'paused'],
  ])('is what it has come to: %s, where %s by now, leaves the loop %s', async (what, state, status) => {
    const door = await openDoor();
    await door.keep(atReview());
    door.world.issue = stateOf(state);
    await door.deliver('issues', what === 'closing' ? closed : unlabelled());
    expect(await door.loop()).toMatchObject({ status });
  });

  it.each([
    ['set and taken away', 'the issue has no label', undefined],
    ['taken away and set', onIssue, 'working'],
  ])('the label, %s, ends the same in whatever order it is told', async (_, state, status) => {
    for (const order of [
      [labelled(), unlabelled()],
      [unlabelled(), labelled()],
    ]) {
      const door = await openDoor();
      door.world.issue = stateOf(state);
      for (const payload of order) await door.deliver('issues', payload);
      expect((await door.loop())?.status).toBe(status);
    }
  });

  it('asks GitHub nothing where no loop is live', async () => {
    const door = await openDoor();
    await door.deliver('issues', unlabelled());
    await door.keep(stopped());
    await door.deliver('issues', closed);
    expect(door.asked).toEqual([]);
  });
});

function stateOf(state: string): Door['world']['issue'] {
  if (state === 'there is no such issue') return undefined;
  return {
    state: state === 'the issue is closed' ? 'closed' : 'open',
    labels: state === 'the issue has no label' ? [] : ['loop'],
  };
}

describe('an account that was deleted', () => {
  it('is answered to by others: their commands hold on its issue', async () => {
    const door = await openDoor();
    await door.keep(atReview());
    await door.deliver('issue_comment', commentOf('/pause', { issue: { user: null } }));
    expect(await door.loop()).toMatchObject({ status: 'paused' });
  });

  it('says nothing, also not as the author of the issue', async () => {
    const door = await openDoor();
    await door.keep(atReview());
    await door.deliver('issue_comment', commentOf('/auto\n/stop', { issue: { user: null }, sender: null }));
    expect(await door.told()).toEqual([]);
    expect(door.asked).toEqual([]);
  });
});

describe('on an issue without a loop', () => {
  it.each([
    ['a stranger', '/approve\n/hold\n/stop'],
    ['a stranger', '/help\n/status'],
    ['somebody who may write', '/approve\n/stop\n/context x'],
  ])('what %s says is left alone: %j', async (who, body) => {
    const sender = who === 'a stranger' ? STRANGER : MARIA;
    const door = await openDoor();
    await door.deliver('issue_comment', commentOf(body, { sender }));
    expect(await door.loop()).toBeUndefined();
    if (body.startsWith('/approve')) expect(door.asked).toEqual([]);
  });

  it('/help and /status of somebody who may write are answered', async () => {
    const door = await openDoor();
    await door.deliver('issue_comment', commentOf('/approve\n/help\n/status'));
    const { status, pending = [] } = (await door.loop()) ?? {};
    expect(status).toBe('idle');
    expect(pending.map(({ type }) => type)).toEqual(['tell', 'react', 'tell', 'react']);
  });

  it('a label that was refused leaves it so, and a loop before it is still spoken to', async () => {
    const door = await openDoor();
    await door.keep(stopped());
    await door.keep({ ...stopped(), ref: { ...REF, n: 2 }, status: 'idle' });
    await door.deliver('issue_comment', commentOf('/rerun'));
    expect(await door.loop()).toMatchObject({ status: 'working' });
    const other = await openDoor();
    await other.keep({ ...stopped(), status: 'idle' });
    await other.deliver('issue_comment', commentOf('/approve'));
    expect(await other.told()).toEqual([]);
  });
});

describe('a push to the branch of a loop', () => {
  const push = (after: string, over: object = {}) =>
    from({ ...MARIA, login: 'wout' }, { ref: 'refs/heads/loopwright/12', before: BASE, after, ...over });
  const ONE = '1'.repeat(40);
  const TWO = '2'.repeat(40);
  const at = (door: Door, head: string | undefined) => {
    door.world.heads['refs/heads/loopwright/12'] = head;
  };

  it.each([
    ['in their order', [push(ONE), push(TWO)]],
    ['in the other order', [push(TWO), push(ONE)]],
    ['twice', [push(ONE), push(TWO), push(ONE)]],
  ])('is where the branch is: two pushes told %s', async (_, pushes) => {
    const door = await openDoor();
    await door.keep(building());
    at(door, TWO);
    door.world.merged = ONE;
    for (const payload of pushes) await door.deliver('push', payload);
    expect(await door.loop()).toMatchObject({ review: { head: TWO } });
    expect((await door.told()).filter((type) => type === 'pushed')).toHaveLength(1);
  });

  it('that is told long after says nothing', async () => {
    const door = await openDoor();
    await door.keep(building());
    at(door, SHA);
    door.world.merged = ONE;
    await door.deliver('push', push(ONE));
    expect(await door.told()).toEqual([]);
  });

  it('that GitHub itself does not show yet is read again for five minutes, and then says nothing', async () => {
    const door = await openDoor();
    await door.keep(building());
    at(door, SHA);
    await expect(door.deliver('push', push(ONE))).rejects.toThrow(NotYetError);
    expect(await door.told()).toEqual([]);
    await door.deliver('push', push(ONE), '2026-01-09T23:55:00.000Z');
    expect(await door.told()).toEqual([]);
    at(door, ONE);
    await door.deliver('push', push(ONE));
    expect(await door.loop()).toMatchObject({ review: { head: ONE } });
  });

  it('by force, to before the documents, voids the approval', async () => {
    const door = await openDoor();
    await door.keep(building());
    at(door, ONE);
    // GitHub compares from the last common commit, which is the new head itself.
    door.world.paths = { [`${ONE}...${SHA}`]: ['.loopwright/12/spec.md'] };
    await door.deliver('push', push(ONE, { forced: true }));
    expect(await door.loop()).toMatchObject({ review: { head: ONE }, phase: 'DEFINE' });
  });

  it.each([
    { name: 'push', payload: push('0'.repeat(40), { deleted: true }) },
    { name: 'delete', payload: from({ ...MARIA, login: 'wout' }, { ref: 'loopwright/12', ref_type: 'branch' }) },
  ])('that took the branch away stops it, by $name', async ({ name, payload }) => {
    const door = await openDoor();
    await door.keep(building());
    await door.deliver(name, payload);
    expect(await door.loop()).toMatchObject({ status: 'stopped', note: 'Stopped: branch deleted by @wout.' });
  });

  it('that took away a branch that is there again does not', async () => {
    const door = await openDoor();
    await door.keep(building());
    at(door, SHA);
    await door.deliver('delete', from(MARIA, { ref: 'loopwright/12', ref_type: 'branch' }));
    expect(await door.loop()).toMatchObject({ status: 'working' });
  });

  it("is left to the App's own outcome while the App moves the branch itself", async () => {
    const door = await openDoor();
    const promoting: Loop = {
      ...building(),
      phase: 'SHIP',
      pending: [{ type: 'promote', key: '9/promote', entry: building().entry }],
    };
    await door.keep(promoting);
    at(door, TWO);
    await door.deliver('push', push(ONE));
    expect(await door.told()).toEqual([]);
    await door.deliver('push', push(TWO));
    expect(await door.told()).toEqual(['pushed']);
  });
});

describe('a repository that moved', () => {
  const moved = { installationId: 2, owner: 'globex', repo: 'store' };
  const at = { repository: { id: 7, name: 'store', owner: { login: 'globex' } }, installation: { id: 2 } };

  it.each([
    { name: 'repository', action: 'renamed', body: { ...from(MARIA), ...at } },
    { name: 'repository', action: 'transferred', body: { ...from(MARIA), ...at } },
    { name: 'installation', action: 'created', body: installed('repositories') },
    { name: 'installation_repositories', action: 'added', body: installed('repositories_added') },
  ])('is told to its open loops by $name $action', async ({ name, action, body }) => {
    const payload = { ...body, action };
    const door = await openDoor();
    door.world.place = moved;
    await door.keep(building());
    await door.keep({ ...building(), ref: { ...REF, issue: 13 } });
    await door.keep({ ...building(), ref: { ...REF, repositoryId: 8 } });
    await door.deliver(name, payload);
    expect((await door.loop())?.ref).toEqual({ ...REF, ...moved });
    expect((await door.loop({ issue: 13 }))?.ref).toMatchObject(moved);
    expect((await door.loop({ repositoryId: 8 }))?.ref).toMatchObject({ owner: 'acme', repo: 'shop' });
    expect(door.asked.filter((request) => request.startsWith('locate'))).toHaveLength(1);
  });

  function installed(list: string): object {
    return { installation: { id: 2 }, sender: MARIA, [list]: [{ id: 7, full_name: 'globex/store' }] };
  }

  it('is known to a loop before what any other webhook says to it, also to one that ended', async () => {
    const door = await openDoor();
    door.world.place = moved;
    await door.keep(stopped());
    await door.deliver('issue_comment', { ...commentOf('/rerun'), ...at });
    expect(await door.told()).toEqual(['relocated', 'commanded']);
    expect(await door.loop()).toMatchObject({ ref: { ...REF, ...moved }, status: 'working' });
    expect(door.asked).toContain('permission globex/store');
  });

  it('is not sent back by a webhook from before the move', async () => {
    const door = await openDoor();
    door.world.place = moved;
    await door.keep({ ...atReview(), ref: { ...REF, ...moved } });
    await door.deliver('issue_comment', commentOf('/pause'));
    expect(await door.loop()).toMatchObject({ ref: { ...REF, ...moved }, status: 'paused' });
    expect(door.asked).toEqual(['locate acme/shop', 'permission globex/store']);
  });

  it('is looked for where a webhook names a place that is no longer there, and the webhook read again', async () => {
    const door = await openDoor();
    door.world.place = moved;
    door.world.gone = 'acme/shop';
    expect(await door.deliver('issues', labelled())).toBeUndefined();
    expect(await door.loop()).toMatchObject({ ref: { ...REF, ...moved }, status: 'working' });
  });

  it('out of reach of the App ends what is said of it, with a reason', async () => {
    const door = await openDoor();
    door.world.place = undefined;
    door.world.gone = 'acme/shop';
    expect(await door.deliver('issues', labelled())).toMatch(
      /^issues\.labeled was left alone, because the App no longer reaches acme\/shop: /,
    );
    expect(await door.loop()).toBeUndefined();
  });
});

describe('checks that end', () => {
  const shipping = (over: Partial<Loop> = {}, head = SHA): Loop => {
    const loop = asReviewed(building());
    return {
      ...loop,
      phase: 'SHIP',
      shipping: {
        promotion: { by: 'auto', why: 'no secrets' },
        promotedAt: timeOf(60),
        asked: 0,
        waitsFor: [],
        checks: [],
      },
      review: { ...loop.review, head },
      ...over,
    };
  };
  const run = (over: object) => ({
    id: 900,
    conclusion: 'success',
    path: '.github/workflows/ci.yml',
    event: 'pull_request',
    head_sha: SHA,
    display_title: 'CI',
    triggering_actor: MARIA,
    ...over,
  });
  const heard = [[2, '7/12/1', { type: 'heard', at: AT, sha: SHA }]];
  const own = { slug: 'loopwright' };

  it.each([
    ['a check run', 'check_run', { action: 'completed', check_run: { head_sha: SHA, external_id: null } }],
    ['a suite', 'check_suite', { action: 'completed', check_suite: { head_sha: SHA, app: { slug: 'dco' } } }],
    ['a status', 'status', { sha: SHA, name: 'acme/shop', state: 'pending' }],
    ['a workflow run', 'workflow_run', { action: 'completed', workflow_run: run({}) }],
  ])('are heard by the loop that awaits this commit, and by no other: %s', async (_, name, body) => {
    const door = await openDoor();
    await door.keep(shipping());
    await door.keep(shipping({ ref: { ...REF, issue: 13 } }, BASE));
    await door.keep({ ...asReviewed(building()), ref: { ...REF, issue: 14 }, phase: 'VERIFY' });
    await door.keep(shipping({ ref: { ...REF, issue: 15 }, status: 'stopped' }));
    await door.keep(shipping({ ref: { ...REF, repositoryId: 8 } }));
    expect(await door.said(name, from(MARIA, body))).toEqual(heard);
    await door.deliver(name, from(MARIA, body));
    expect(await door.told()).toEqual(['heard']);
    expect(door.asked).toEqual([]);
  });

  it.each([
    ['check_run', MARIA, { action: 'completed', check_run: { head_sha: SHA, external_id: 'x', app: own } }],
    ['check_suite', MARIA, { action: 'completed', check_suite: { head_sha: SHA, app: own } }],
    ['status', { ...MARIA, login: 'loopwright[bot]', type: 'Bot' }, { sha: SHA }],
  ])('of the App itself are no news: %s', async (name, sender, body) => {
    const door = await openDoor();
    await door.keep(shipping());
    expect(await door.said(name, from(sender, body))).toEqual([]);
  });
});

describe('a run of our own workflows', () => {
  const BOT = { id: 3, login: 'loopwright[bot]', type: 'Bot' };
  const run = (over: object = {}) => ({
    id: 900,
    conclusion: null,
    path: '.github/workflows/loopwright-build.yml@main',
    event: 'workflow_dispatch',
    head_sha: BASE,
    display_title: 'loopwright-build acme/old-name#12 entry 5 (BUILD)',
    triggering_actor: BOT,
    ...over,
  });
  const said = async (action: string, over: object = {}) => {
    const door = await openDoor();
    await door.keep(building());
    return door.said('workflow_run', from(MARIA, { action, workflow_run: run(over) }));
  };

  it.each(['requested', 'in_progress'])(
    'that no loop waits for is told to the loop in its title: %s',
    async (action) => {
      expect(await said(action)).toEqual([[2, '7/12/1', { type: 'surfaced', at: AT, runId: 900, entry: 5 }]]);
    },
  );

  it.each([
    ['that its loop waits for', { id: building().built.run?.id }],
    ['that somebody else started', { triggering_actor: MARIA }],
    ['under the same title, of another workflow', { path: '.github/workflows/ci.yml' }],
    ['of a loop that is not here', { display_title: 'loopwright-build acme/shop#99 entry 5 (BUILD)' }],
    ['with a title of its own', { display_title: 'Build' }],
  ])('%s is not', async (_, over) => {
    expect(await said('requested', over)).toEqual([]);
  });

  it('that ends is told to the loop that waits for it, and to nobody where none does', async () => {
    const runId = building().built.run?.id;
    expect(await said('completed', { id: runId, conclusion: 'success' })).toEqual([
      [2, '7/12/1', { type: 'completed', at: AT, runId, conclusion: 'success' }],
    ]);
    expect(await said('completed')).toEqual([]);
  });
});

describe('the number of a meaning', () => {
  it('is that of the command in its comment, whether or not the others are heard, and a move comes before it', async () => {
    const door = await openDoor();
    const ordinals = async () => (await door.said('issue_comment', commentOf('/approve\n/help\n/status'))) as unknown;
    expect(await ordinals()).toMatchObject([
      [3, '7/12/1', { command: 'help' }],
      [4, '7/12/1', { command: 'status' }],
    ]);
    await door.keep({ ...atReview(), ref: { ...REF, repo: 'old' } });
    expect(await ordinals()).toMatchObject([
      [0, '7/12/1', { type: 'relocated' }],
      [2, '7/12/1', { command: 'approve' }],
      [3, '7/12/1', { command: 'help' }],
      [4, '7/12/1', { command: 'status' }],
    ]);
  });

  it('of a push is the same whether the base has been heard of or not', async () => {
    const door = await openDoor();
    const next = '1'.repeat(40);
    door.world.heads = { 'refs/heads/loopwright/12': next, 'refs/heads/main': '2'.repeat(40) };
    door.world.merged = '2'.repeat(40);
    await door.keep(building());
    const push = from(MARIA, { ref: 'refs/heads/loopwright/12', after: next });
    expect(await door.said('push', push)).toMatchObject([
      [1, '7/12/1', { type: 'moved' }],
      [2, '7/12/1', { type: 'pushed' }],
    ]);
    door.world.heads['refs/heads/main'] = building().started?.base.sha;
    expect(await door.said('push', push)).toMatchObject([[2, '7/12/1', { type: 'pushed' }]]);
  });
});

it('a pull request that is open again does not end its loop', async () => {
  const door = await openDoor();
  await door.keep(building());
  const pull_request = { number: 13, merged: false, head: { ref: 'loopwright/12', repo: { id: 7 } } };
  door.world.pull = 'open';
  await door.deliver('pull_request', from(MARIA, { action: 'closed', pull_request }));
  expect(await door.loop()).toMatchObject({ status: 'working' });
  door.world.pull = 'closed';
  await door.deliver('pull_request', from(MARIA, { action: 'closed', pull_request }));
  expect(await door.loop()).toMatchObject({ status: 'stopped' });
});

describe('where GitHub answers otherwise than the webhook says', () => {
  const pull_request = { number: 13, merged: false, head: { ref: 'loopwright/12', repo: { id: 7 } } };
  it.each([
    ['issues', labelled(), { issue: { state: 'open', labels: [] } }],
    ['issues', unlabelled(), { issue: { state: 'open', labels: ['loop'] } }],
    ['issues', closed, { issue: { state: 'open', labels: [] } }],
    ['delete', from(MARIA, { ref: 'loopwright/12', ref_type: 'branch' }), {}],
    ['pull_request', from(MARIA, { action: 'closed', pull_request }), { pull: 'open' }],
  ] as const)('it may be behind, and is asked again for a moment: %s %#', async (name, payload, world) => {
    const door = await openDoor();
    await door.keep(building());
    Object.assign(door.world, world, { now: AT });
    door.world.heads['refs/heads/loopwright/12'] = SHA;
    await expect(door.deliver(name, payload)).rejects.toThrow(NotYetError);
    expect(door.asked.filter((request) => request.startsWith('locate'))).toEqual([]);
    door.world.now = '2026-01-10T00:00:15.000Z';
    await door.deliver(name, payload);
    expect(await door.told()).toEqual([]);
  });
});
