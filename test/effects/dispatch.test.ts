import { expect, it } from 'vitest';
import { dispatch } from '../../src/effects/dispatch.ts';
import type { ReviewedLoop } from '../../src/loop/stages.ts';
import { asReviewed } from '../../src/loop/stages.ts';
import type { Ports } from '../../src/ports.ts';
import { building } from '../loop/stands.ts';

it('a try whose run is known by its webhook meanwhile starts no further one', async () => {
  const loop: ReviewedLoop = { ...asReviewed(building()), phase: 'VERIFY' };
  const ports = { clock: { now: () => new Date(0) } } as Ports;
  const key = `${loop.entry}/dispatch`;
  const answer = await dispatch({ type: 'dispatch', key, job: 'verify', entry: loop.entry }, loop, ports, 2);
  expect(answer).toEqual({
    type: 'dispatched',
    at: '1970-01-01T00:00:00.000Z',
    entry: loop.entry,
    runId: loop.built.run?.id,
  });
});
