/** SHIP: what the repository's own checks say about the promoted head. */
import { pushOf } from '../context/branch-push.ts';
import type { HeadCheck, HeadChecks } from '../github/github-port.ts';
import { defect } from '../loop/defect.ts';
import type { EffectOf } from '../loop/effect.ts';
import type { Event, EventOf } from '../loop/event.ts';
import type { Defect, ExcusedCheck } from '../loop/measurement.ts';
import type { ReviewedLoop } from '../loop/stages.ts';
import type { Ports } from '../ports.ts';
import { checkDefect, NO_DETAILS } from './check-defect.ts';
import { redAnyway } from './red-anyway.ts';
import { signatureOf } from './signature.ts';

/**
 * The checks' result, once all that began have ended, none has changed for the quiet time, and GitHub says whether the branch can be merged;
 * until then what is awaited.
 */
export async function inspect({ entry }: EffectOf<'inspect'>, loop: ReviewedLoop, ports: Ports): Promise<Event> {
  const { github, clock } = ports;
  const { head, pull: number } = loop.review;
  const at = clock.now().toISOString();
  const found = await github.headChecks(loop.ref, head);
  const { checks, changedAt } = found;
  const told = { type: 'deferred', at, entry, ...(changedAt === undefined ? {} : { changedAt }) } as const;
  if (found.state === 'pending') return { ...told, waitsFor: [...found.waitsFor] };
  if (!isQuiet(found, at, loop.started.limits.checksQuietSeconds)) return { ...told, waitsFor: [] };
  const { mergeable, headSha } = await github.pull(loop.ref, number);
  if (headSha !== head) return pushOf(loop, { head: headSha, at, by: undefined }, ports);
  if (mergeable === undefined) return { ...told, waitsFor: ['whether it can be merged'] };
  const unfinished = checks.filter(({ outcome }) => outcome === 'cancelled').map(({ name }) => name);
  const failed = checks.filter(({ outcome }) => outcome === 'failed');
  const excused = await redAnyway(failed, loop, ports);
  const blamed = failed.filter(({ name }) => excused.every((one) => one.name !== name));
  const isForPerson = unfinished.length > 0 && blamed.length === 0 && mergeable;
  if (isForPerson) return { ...told, waitsFor: [], rerun: unfinished.toSorted() };
  return checkedEvent({ at, entry, head, checks, blamed, excused, mergeable }, loop, ports);
}

/** A check that has just ended may start another one: a workflow that follows a workflow, a bot that follows a status. */
function isQuiet({ changedAt }: HeadChecks, at: string, quietSeconds: number): boolean {
  return changedAt === undefined || Date.parse(at) - Date.parse(changedAt) >= quietSeconds * 1000;
}

interface Inspected {
  readonly at: string;
  readonly entry: number;
  readonly head: string;
  readonly checks: readonly HeadCheck[];
  readonly blamed: readonly HeadCheck[];
  readonly excused: readonly ExcusedCheck[];
  readonly mergeable: boolean;
}

async function checkedEvent(
  { at, entry, head, checks, blamed, excused, mergeable }: Inspected,
  { ref }: ReviewedLoop,
  { github, store }: Pick<Ports, 'github' | 'store'>,
): Promise<EventOf<'checked'>> {
  const detailed = blamed.map(async (check) =>
    checkDefect(check, check.checkRun === undefined ? NO_DETAILS : await github.checkDetails(ref, check.checkRun)),
  );
  const conflict = mergeable ? [] : [CONFLICT];
  const defects = [...(await Promise.all(detailed)), ...conflict];
  const raw = await store.putBlob(JSON.stringify({ head, checks, excused, mergeable }, null, 2));
  const source =
    checks.length === 0
      ? 'no checks of the repository within the quiet time'
      : `${checks.length} checks of the repository`;
  return {
    type: 'checked',
    at,
    entry,
    measurements: [{ name: 'failed_checks', value: defects.length, unit: 'count', source, raw }],
    defects,
    // A log is never twice the same.
    signature: signatureOf('ship', [...blamed.map((check) => checkDefect(check, NO_DETAILS)), ...conflict]),
    ...(excused.length === 0 ? {} : { excused: [...excused] }),
  };
}

const CONFLICT: Defect = defect({
  rule: 'base-conflict',
  message: 'The base branch moved and now conflicts with the candidate.',
  suggestion: 'Build the change on the current base.',
});
