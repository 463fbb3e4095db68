/** What one look at the repository's own checks means to SHIP: nothing is judged before all has ended, is quiet, and can be merged. */
import { describe, expect, test } from 'vitest';
import { inspect } from '../../src/effects/inspect.ts';
import type { HeadCheck, HeadChecks } from '../../src/github/github-port.ts';
import { asReviewed } from '../../src/loop/stages.ts';
import type { Ports } from '../../src/ports.ts';
import { doors } from '../intake/door.ts';
import { building, SHA } from '../loop/stands.ts';

const openDoor = doors();
const QUIET_SECONDS = 120;
const NOW = '2026-01-10T00:01:00.000Z';
const before = (seconds: number): string => new Date(Date.parse(NOW) - seconds * 1000).toISOString();
const dco: HeadCheck = { name: 'DCO', outcome: 'passed', detail: 'success' };
const complete: HeadChecks = { state: 'complete', changedAt: before(QUIET_SECONDS), waitsFor: [], checks: [dco] };

type Pull = Awaited<ReturnType<Ports['github']['pull']>>;

/** One look, at what GitHub says of the head and of the pull request. */
async function looked(checks: Partial<HeadChecks>, told: Partial<Pull> = {}) {
  const { ports: door } = await openDoor();
  const pull: Pull = {
    state: 'open',
    merged: false,
    draft: true,
    branch: 'loopwright/12',
    headSha: SHA,
    mergeable: true,
    ...told,
  };
  const headChecks = async () => ({ ...complete, ...checks });
  const ports: Ports = { ...door, github: { ...door.github, headChecks, pull: async () => pull } };
  const loop = asReviewed({ ...building(), phase: 'SHIP' });
  return inspect({ type: 'inspect', key: '9/inspect', entry: loop.entry }, loop, ports);
}

describe('the checks of the repository', () => {
  test.each<[string, Partial<HeadChecks>, readonly string[]]>([
    ['one is green and others are at work', { state: 'pending', waitsFor: ['build (linux)'] }, ['build (linux)']],
    ['all are green, and one of them has just ended', { changedAt: before(QUIET_SECONDS - 1) }, []],
  ])('are awaited further where %s', async (_, checks, waitsFor) => {
    expect(await looked(checks)).toMatchObject({ type: 'deferred', waitsFor });
  });

  test('are awaited further while GitHub has not found out whether the branch can be merged', async () => {
    expect(await looked({}, { mergeable: undefined })).toMatchObject({
      type: 'deferred',
      waitsFor: ['whether it can be merged'],
    });
  });

  test.each<[string, Partial<HeadChecks>, boolean, number, string]>([
    ['one that passed, and the quiet time is over', {}, true, 0, '1 checks of the repository'],
    ['none at all', { changedAt: undefined, checks: [] }, true, 0, 'no checks of the repository within the quiet time'],
    ['one that failed', { checks: [dco, { ...dco, outcome: 'failed' }] }, true, 1, '2 checks of the repository'],
    ['one that was cancelled', { checks: [{ ...dco, outcome: 'cancelled' }] }, true, 1, '1 checks of the repository'],
    ['a conflict with the base', {}, false, 1, '1 checks of the repository'],
  ])('are judged with %s', async (_, checks, mergeable, value, source) => {
    const event = await looked(checks, { mergeable });
    expect(event).toMatchObject({ type: 'checked', measurements: [{ name: 'failed_checks', value, source }] });
    expect(event).toHaveProperty('defects.length', value);
  });

  test('are not judged for another commit than the one that is there now', async () => {
    const hers = 'c'.repeat(40);
    expect(await looked({}, { headSha: hers })).toMatchObject({ type: 'pushed', sha: hers });
  });
});
