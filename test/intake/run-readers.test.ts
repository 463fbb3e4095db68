/** What runs of our own workflows mean, to the loop that waits for them or is in their title. */
import { describe, expect, it } from 'vitest';
import { building } from '../loop/stands.ts';
import { AT, BASE, doors, from, MARIA } from './door.ts';

const openDoor = doors();

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
