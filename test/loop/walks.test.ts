import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { edgesOf } from '../../src/loop/graph.ts';
import { LIMITS, PHASES } from '../../src/loop/phases.ts';
import { isAtRest, type Odds, randomOf, refold, walk } from './random-walk.ts';

const odds = fc.record<Odds>({
  passes: fc.double({ min: 0, max: 1, noNaN: true }),
  fails: fc.double({ min: 0, max: 0.3, noNaN: true }),
  approves: fc.double({ min: 0, max: 1, noNaN: true }),
  interferes: fc.double({ min: 0, max: 0.3, noNaN: true }),
});

describe('walks through the phases', () => {
  it('always end: counters open only under a new plan or round, and both are bounded', () => {
    fc.assert(
      fc.property(fc.integer(), odds, (seed, chances) => {
        const { loop } = walk(randomOf(seed), chances);
        expect(isAtRest(loop), `${loop.status} in ${loop.phase} after ${loop.seq} events`).toBe(true);
        expect(loop.counters.plans).toBeLessThanOrEqual(LIMITS.plans);
      }),
      { numRuns: 300 },
    );
  });

  it('never enter BUILD without an approval event that stands before it in the log, and none that was voided since', () => {
    fc.assert(
      fc.property(fc.integer(), odds, (seed, chances) => {
        const { loop, log } = walk(randomOf(seed), chances);
        const approvals = log.filter(({ event }) => event?.type === 'commanded' && event.command === 'approve').length;
        const plansBuilt = loop.entries.filter(
          ({ phase, outcome }) => phase === 'ARCH_REVIEW' && outcome === 'passed',
        ).length;
        expect(plansBuilt).toBeLessThanOrEqual(approvals);
        let approved = false;
        for (const { phase, outcome } of loop.entries) {
          if (phase === 'ARCH_REVIEW') approved = outcome === 'passed';
          if (phase === 'DEFINE' || phase === 'PLAN') approved = false;
          if (phase === 'BUILD') expect(approved).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('take no way that the table does not know, but to where a person sets a stopped loop going again', () => {
    const known = new Set(edgesOf(PHASES).map(({ from, to }) => `${from} → ${to}`));
    const taken = new Set<string>();
    for (let seed = 0; seed < 400; seed += 1) {
      const { loop } = walk(randomOf(seed), { passes: 0.7, fails: 0.1, approves: 0.8, interferes: 0.2 });
      for (const [index, { phase }] of loop.entries.slice(1).entries()) {
        const from = loop.entries[index];
        const isGrant = from?.outcome === 'cancelled' && from.phase === phase;
        if (!isGrant) taken.add(`${from?.phase} → ${phase}`);
      }
    }
    expect([...taken].filter((way) => !known.has(way))).toEqual([]);
    expect(taken.size).toBeGreaterThan(15);
  });

  it('replay byte-identically from their log', () => {
    fc.assert(
      fc.property(fc.integer(), odds, (seed, chances) => {
        const { loop, log } = walk(randomOf(seed), chances);
        expect(JSON.stringify(refold(log))).toBe(JSON.stringify(loop));
      }),
      { numRuns: 100 },
    );
  });

  it('reach success when everything passes and the packet is approved', () => {
    const { loop } = walk(randomOf(1), { passes: 1, fails: 0, approves: 1, interferes: 0 });
    expect(loop.status).toBe('succeeded');
    expect(loop.entries.map(({ phase }) => phase)).toEqual([
      'DISCOVER',
      'DEFINE',
      'PLAN',
      'ARCH_REVIEW',
      'BUILD',
      'SEED_DATA',
      'VERIFY',
      'SHIP',
      'REFLECT',
    ]);
  });

  it('number their entries without repeating one', () => {
    fc.assert(
      fc.property(fc.integer(), odds, (seed, chances) => {
        const numbers = walk(randomOf(seed), chances).loop.entries.map(({ entry }) => entry);
        expect(numbers).toEqual([...new Set(numbers)]);
      }),
      { numRuns: 100 },
    );
  });
});
