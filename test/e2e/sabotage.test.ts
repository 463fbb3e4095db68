/** What the demo lets a visitor break is refused, for the reason that the visitor made, and no code of it reaches the branch. */
import { afterEach, expect, it } from 'vitest';
import { SABOTAGES, type SabotageName } from '../../src/demo/sabotage.ts';
import { asReviewed } from '../../src/loop/stages.ts';
import { headOf, walked } from './acts.ts';
import { startWorld, type World } from './world.ts';

let world: World;
afterEach(() => world.close());

it.each<[SabotageName, string, string]>([
  ['product', 'test_failures', 'has the outcome fail'],
  ['test', 'test_failures', 'has the outcome pass on the base, but must fail there by assertion'],
])(
  '%s',
  async (name, gate, defect) => {
    world = await startWorld({ script: SABOTAGES[name].broken });
    const loop = await walked(world);
    expect(loop).toMatchObject({ status: 'stopped', phase: 'BUILD' });
    expect(loop.entries.at(-1)?.gates.find((verdict) => verdict.name === gate)?.passed).toBe(false);
    expect(loop.feedback.map(({ message }) => message).join('\n')).toContain(defect);
    const { review } = asReviewed(loop);
    const head = await headOf(world, loop.started?.branch ?? '');
    expect(head).toBe(review.head);
    expect((await world.as('maria', 'GET', `/contents/src/search.js?ref=${head}`)).status).toBe(404);
  },
  300_000,
);
