/** What one look at the repository's own checks means to SHIP: nothing is judged before all has ended, is quiet, and can be merged. */
import { describe, expect, test } from 'vitest';
import { inspect } from '../../src/effects/inspect.ts';
import type { CheckDetails, HeadCheck, HeadChecks } from '../../src/github/github-port.ts';
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

interface Elsewhere {
  /** What GitHub says of other commits. */
  readonly others?: Readonly<Record<string, readonly HeadCheck[]>>;
  /** The commit that brought the packet, and whether its code is the base's. */
  readonly packet?: { readonly head: string; readonly isBase: boolean };
  readonly details?: CheckDetails;
}

/** One look, at what GitHub says of the head and of the pull request. */
async function looked(
  checks: Partial<HeadChecks>,
  told: Partial<Pull> = {},
  { others = {}, packet, details = { annotations: [], logEnd: [] } }: Elsewhere = {},
) {
  const { ports: door } = await openDoor();
  const pull: Pull = {
    state: 'open',
    merged: false,
    draft: true,
    branch: 'loopwright/12',
    headSha: SHA,
    baseSha: 'b'.repeat(40),
    mergeable: true,
    ...told,
  };
  const headChecks = async (_: unknown, sha: string): Promise<HeadChecks> =>
    sha === SHA ? { ...complete, ...checks } : { ...complete, checks: others[sha] ?? [] };
  const codeTree = async (_: unknown, sha: string) =>
    packet?.isBase === false && sha === packet.head ? 'other' : 'base';
  const ports: Ports = {
    ...door,
    github: { ...door.github, headChecks, checkDetails: async () => details, pull: async () => pull },
    workspace: { ...door.workspace, codeTree },
  };
  const loop = asReviewed({ ...building(), phase: 'SHIP' });
  const { review } = loop;
  const published = { ...review, packet: { ...review.packet, ...(packet === undefined ? {} : { head: packet.head }) } };
  return inspect({ type: 'inspect', key: '9/inspect', entry: loop.entry }, { ...loop, review: published }, ports);
}

const BASE = asReviewed(building()).started.base.sha;
const PACKET = 'e'.repeat(40);
const red: HeadCheck = { ...dco, outcome: 'failed', detail: 'failure', checkRun: 5 };

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
    ['a conflict with the base', {}, false, 1, '1 checks of the repository'],
  ])('are judged with %s', async (_, checks, mergeable, value, source) => {
    const event = await looked(checks, { mergeable });
    expect(event).toMatchObject({ type: 'checked', measurements: [{ name: 'failed_checks', value, source }] });
    expect(event).toHaveProperty('defects.length', value);
  });

  test('that ended without a verdict are a person’s to run again, and blame nobody', async () => {
    const checks = [dco, { ...dco, name: 'e2e', outcome: 'cancelled' as const, detail: 'timed_out' }];
    expect(await looked({ checks })).toMatchObject({ type: 'deferred', waitsFor: [], rerun: ['e2e'] });
  });

  test('that ended without a verdict do not hide what the builder has to mend', async () => {
    const event = await looked({ checks: [red, { ...dco, name: 'e2e', outcome: 'cancelled' }] });
    expect(event).toMatchObject({ type: 'checked', defects: [{ id: 'repository-check:DCO' }] });
  });

  test.each<[string, Elsewhere, readonly object[]]>([
    ['at the base', { others: { [BASE]: [red] } }, [{ name: 'DCO', sha: BASE }]],
    [
      'at the packet, before there was code',
      { others: { [PACKET]: [red] }, packet: { head: PACKET, isBase: true } },
      [{ name: 'DCO', sha: PACKET }],
    ],
  ])('that are red %s too are told and blamed on nobody', async (_, elsewhere, excused) => {
    const event = await looked({ checks: [red] }, {}, elsewhere);
    expect(event).toMatchObject({ type: 'checked', excused, defects: [], measurements: [{ value: 0 }] });
  });

  test.each<[string, Elsewhere]>([
    ['only without a verdict there', { others: { [BASE]: [{ ...dco, outcome: 'cancelled' }] } }],
    [
      'at a packet on top of an earlier build',
      { others: { [PACKET]: [red] }, packet: { head: PACKET, isBase: false } },
    ],
    ['by another name there', { others: { [BASE]: [{ ...red, name: 'lint' }] } }],
  ])('that are red and %s are the builder’s', async (_, elsewhere) => {
    const event = await looked({ checks: [red] }, {}, elsewhere);
    expect(event).toMatchObject({ type: 'checked', defects: [{ id: 'repository-check:DCO' }] });
  });

  test('that the builder has to mend come with their annotations and the end of their log', async () => {
    const logEnd = Array.from({ length: 50 }, (_, index) => `line ${index} ${'x'.repeat(80)}`);
    const details = { annotations: ['src/a.js:7: unused'], logEnd: [...logEnd, '1 of 3 failed'] };
    const event = await looked({ checks: [red] }, {}, { details });
    const message = event?.type === 'checked' ? (event.defects[0]?.message ?? '') : '';
    expect(message).toMatch(
      /^The repository's check "DCO" failed: failure\nIts annotations:\nsrc\/a.js:7: unused\nThe end of its log:\n/,
    );
    expect(message).toMatch(/line 49 x+\n1 of 3 failed$/);
    expect(message.length).toBeLessThan(4000);
  });

  test('are the same failure when they fail alike twice, whatever their logs say', async () => {
    const once = await looked({ checks: [red] }, {}, { details: { annotations: [], logEnd: ['after 3 s'] } });
    const twice = await looked({ checks: [red] }, {}, { details: { annotations: [], logEnd: ['in /tmp/x7'] } });
    expect(once).toHaveProperty('signature', twice?.type === 'checked' ? twice.signature : '');
  });

  test('are not judged for another commit than the one that is there now', async () => {
    const hers = 'c'.repeat(40);
    expect(await looked({}, { headSha: hers })).toMatchObject({ type: 'pushed', sha: hers });
  });
});
