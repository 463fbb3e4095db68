/** What webhooks mean to the onboarding of a repository. */
import { describe, expect, it } from 'vitest';
import { NotYetError } from '../../src/errors.ts';
import type { Onboarding } from '../../src/onboarding/onboarding.ts';
import { AT, BASE, type Door, doors, from, MARIA, REF, STRANGER } from './door.ts';

const openDoor = doors();
const NEWER = 'c'.repeat(40);
const LATER = '2026-01-09T23:50:00.000Z';
const ID = REF.repositoryId;
const ITEM = { type: 'onboard', repositoryId: ID };
const PLACE = { installationId: 1, repositoryId: ID, owner: 'acme', repo: 'shop', at: AT };

async function keep({ ports }: Door, more: Partial<Onboarding> = {}): Promise<void> {
  const onboarding: Onboarding = { ...PLACE, stage: 'waiting', pull: 4, trials: 0, unasked: 0, ...more };
  await ports.store.saveOnboarding({ onboarding, expectedVersion: 0 });
}

const stored = async ({ ports }: Door) => (await ports.store.onboarding(ID))?.onboarding;

const repository = { id: ID, name: 'shop', owner: { login: 'acme' }, default_branch: 'main' };
const push = (branch: string, after = BASE) => ({ ...from(MARIA), repository, ref: `refs/heads/${branch}`, after });
const closed = { ...from(MARIA), action: 'closed', pull_request: { number: 4, head: { ref: 'loopwright/setup' } } };

describe('an installation', () => {
  const added = (id: number) => ({
    ...{ action: 'added', installation: { id }, sender: MARIA },
    repositories_added: [{ id: ID, full_name: 'acme/shop' }],
  });

  it('begins an onboarding of each repository, by either webhook', async () => {
    for (const [name, list, action] of [
      ['installation', 'repositories', 'created'],
      ['installation_repositories', 'repositories_added', 'added'],
    ] as const) {
      const door = await openDoor();
      const repositories = [7, 8].map((id) => ({ id, full_name: `acme/shop-${id}` }));
      await door.deliver(name, { action, installation: { id: 1 }, sender: MARIA, [list]: repositories });
      expect((await door.ports.store.onboarding(7))?.onboarding).toMatchObject({ repo: 'shop-7', stage: 'asked' });
      expect((await door.ports.store.onboarding(8))?.onboarding).toMatchObject({ repo: 'shop-8', stage: 'asked' });
    }
  });

  it('that is told again changes nothing, and another one asks anew', async () => {
    const door = await openDoor();
    await door.deliver('installation_repositories', added(1));
    await door.ports.store.saveOnboarding({
      onboarding: { ...PLACE, stage: 'declined', trials: 0, unasked: 0 },
      expectedVersion: 1,
    });
    await door.deliver('installation_repositories', added(1));
    expect((await stored(door))?.stage).toBe('declined');
    await door.deliver('installation_repositories', added(2));
    expect(await stored(door)).toMatchObject({ stage: 'asked', installationId: 2 });
  });
});

describe('a push', () => {
  it('to the default branch, or to the branch of the pull request, has it looked at', async () => {
    const door = await openDoor();
    await keep(door);
    door.world.heads['refs/heads/loopwright/setup'] = BASE;
    await door.deliver('push', push('main'));
    await door.deliver('push', push('loopwright/setup'));
    expect(door.queued).toEqual([ITEM, ITEM]);
  });

  it.each<[string, Partial<Onboarding>]>([
    ['is being looked at', { stage: 'asked' }],
    ['awaits a run', { stage: 'trying', run: { id: 9, until: AT } }],
  ])('has a repository looked at once more that %s', async (_, more) => {
    const door = await openDoor();
    await keep(door, more);
    await door.deliver('push', push('main'));
    expect(door.queued).toEqual([ITEM]);
  });

  it('that GitHub does not show yet is waited for, and then its answer holds', async () => {
    const door = await openDoor();
    await keep(door);
    door.world.now = AT;
    await expect(door.deliver('push', push('main', NEWER))).rejects.toThrow(NotYetError);
    expect(door.queued).toEqual([]);
    await door.deliver('push', push('main', NEWER), LATER);
    expect(door.queued).toEqual([ITEM]);
  });

  it.each<[string, Partial<Onboarding>]>([
    ['is ready', { stage: 'ready' }],
    ['was declined', { stage: 'declined' }],
  ])('means nothing to a repository that %s', async (_, more) => {
    const door = await openDoor();
    await keep(door, more);
    await door.deliver('push', push('main'));
    expect([door.queued, door.asked]).toEqual([[], []]);
  });

  it('means nothing where nobody is set up, nor to another branch', async () => {
    const door = await openDoor();
    await door.deliver('push', push('main'));
    await keep(door);
    await door.deliver('push', push('feature'));
    expect(door.queued).toEqual([]);
  });
});

describe('a pull request that is closed', () => {
  it('is looked at where it is the one that sets the repository up', async () => {
    const door = await openDoor();
    await keep(door);
    await door.deliver('pull_request', closed);
    await door.deliver('pull_request', { ...closed, pull_request: { ...closed.pull_request, number: 5 } });
    expect(door.queued).toEqual([ITEM]);
  });

  it('counts after it was closed before, where it is merged after all', async () => {
    const door = await openDoor();
    await keep(door, { stage: 'declined' });
    await door.deliver('pull_request', closed);
    expect((await stored(door))?.stage).toBe('declined');
    await door.deliver('pull_request', { ...closed, pull_request: { ...closed.pull_request, merged: true } });
    expect(await stored(door)).toMatchObject({ stage: 'asked', pull: 4 });
  });

  it('and reopened is looked at again, each time, once GitHub shows it as open', async () => {
    const door = await openDoor();
    const reopened = { ...closed, action: 'reopened' };
    await keep(door, { stage: 'declined', unasked: 3 });
    await door.deliver('pull_request', { ...reopened, pull_request: { ...closed.pull_request, number: 5 } });
    expect((await stored(door))?.stage).toBe('declined');
    door.world.now = AT;
    await expect(door.deliver('pull_request', reopened)).rejects.toThrow(NotYetError);
    door.world.pull = 'open';
    await door.deliver('pull_request', reopened);
    expect(await stored(door)).toMatchObject({ stage: 'asked', pull: 4, unasked: 0 });
    await door.ports.store.saveOnboarding({
      onboarding: { ...PLACE, stage: 'declined', pull: 4, trials: 0, unasked: 0 },
      expectedVersion: 2,
    });
    await door.deliver('pull_request', reopened, LATER);
    expect((await stored(door))?.stage).toBe('asked');
  });

  it('as it says that it is unneeded, and reopened, is looked at again', async () => {
    const door = await openDoor();
    await keep(door, { unneeded: true });
    door.world.pull = 'open';
    await door.deliver('pull_request', { ...closed, action: 'reopened' });
    expect([door.queued, (await stored(door))?.stage]).toEqual([[ITEM], 'waiting']);
  });

  it('that GitHub shows as open is waited for', async () => {
    const door = await openDoor();
    await keep(door);
    door.world.pull = 'open';
    door.world.now = AT;
    await expect(door.deliver('pull_request', closed)).rejects.toThrow(NotYetError);
  });
});

describe('a button of the check', () => {
  const check = (action: string, more: object = {}) => ({
    ...from(MARIA),
    action,
    check_run: { id: 3, external_id: `setup/${ID}/0`, head_sha: BASE, app: { slug: 'loopwright' } },
    ...more,
  });
  const preview = { requested_action: { identifier: 'preview' } };

  it('looks again, or shows what would be asked, for whoever may write', async () => {
    const door = await openDoor();
    await keep(door, { stage: 'ready' });
    await door.deliver('check_run', check('requested_action', preview));
    expect(await stored(door)).toMatchObject({ stage: 'ready', preview: 'asked' });
    await door.deliver('check_run', check('rerequested'));
    expect((await stored(door))?.stage).toBe('asked');
  });

  it.each([
    ['by a stranger', { sender: STRANGER }],
    ['by a bot', { sender: { id: 3, login: 'maria', type: 'Bot' } }],
    ['of another repository', { check_run: { id: 3, external_id: 'setup/8/0', head_sha: BASE } }],
    ['of another check', { check_run: { id: 3, external_id: `proof/${ID}/4/1`, head_sha: BASE } }],
  ])('does nothing where it is pressed %s', async (_, more) => {
    const door = await openDoor();
    await keep(door);
    const before = await stored(door);
    for (const payload of [check('rerequested', more), check('requested_action', { ...preview, ...more })])
      await door.deliver('check_run', payload);
    expect(await stored(door)).toEqual(before);
  });
});

it('the end of a run is told where it is the one that is awaited', async () => {
  const door = await openDoor();
  await keep(door, { stage: 'trying', trials: 1, base: BASE, run: { id: 9, until: AT } });
  const run = (id: number) => ({
    ...from(MARIA),
    action: 'completed',
    workflow_run: {
      ...{ id, event: 'workflow_dispatch', path: '.github/workflows/loopwright-verify.yml', head_sha: BASE },
      triggering_actor: { id: 4, login: 'loopwright[bot]', type: 'Bot' },
    },
  });
  await door.deliver('workflow_run', run(8));
  expect(door.queued).toEqual([]);
  await door.deliver('workflow_run', run(9));
  expect(door.queued).toEqual([ITEM]);
});
