/** The demo's result as one JSON object, read from the store and the embedded GitHub's request log. */
import { z } from 'zod';
import type { LocalMode } from '../local-mode/local-mode.ts';
import { type EvidenceRow, type VerifyReport, verifyReport } from '../loop/brief.ts';
import type { EntryRecord, Loop, Verdict } from '../loop/loop.ts';
import type { RequirementStrength } from '../loop/strength.ts';
import { nameOf, type PhaseName, phaseName } from '../loop/terms.ts';
import type { Store } from '../ports.ts';
import { type RequestCount, requestCount } from './request-count.ts';

const STATUS = {
  idle: 'failed',
  working: 'failed',
  paused: 'waiting',
  waiting: 'waiting',
  queued: 'waiting',
  succeeded: 'succeeded',
  stopped: 'stopped',
} as const;
const requestRows = z.array(z.object({ id: z.int(), actor: z.string(), method: z.string(), path: z.string() }));

export interface DemoSummary {
  readonly status: 'succeeded' | 'stopped' | 'waiting' | 'failed';
  /** `owner/name#issue`. */
  readonly loop: string;
  /** Gates of the phase's last entry; those of earlier entries in `history`. */
  readonly phases: readonly PhaseSummary[];
  readonly pull: { readonly number: number; readonly url: string; readonly headSha: string | undefined } | undefined;
  readonly evidence: readonly Evidence[];
  readonly modelCalls: { readonly total: number; readonly outsideBuild: number };
  readonly tokens: number;
  /** Undefined where nobody stated the model's price. */
  readonly costUsd: number | undefined;
  readonly github: RequestCount;
  readonly sandbox: Loop['built']['sandbox'];
  readonly durationMs: number;
  /** Why it stopped, in the loop's words. */
  readonly reason: string | undefined;
}

/** `value` is null where nothing was measured; then the gate never passed. */
type Gate = Omit<Verdict, 'value'> & { readonly value: number | null };

interface PhaseSummary {
  readonly name: string;
  readonly attempts: number;
  /** In all its entries, waiting included. */
  readonly seconds: number;
  readonly gates: readonly Gate[];
  readonly history: readonly (readonly Gate[])[];
}

interface Evidence extends Omit<EvidenceRow, 'trust'> {
  readonly trust: 'told' | 'sealed';
  /** Of all tests of the requirement; undefined where no fault was made in its change. */
  readonly strength: Pick<RequirementStrength, 'made' | 'noticed' | 'unmeasured' | 'survivors'> | null;
}

/** What of local mode the numbers are read from. */
type Local = Pick<LocalMode, 'githubUrl' | 'key'> & { readonly ports: { readonly store: Pick<Store, 'blob'> } };

/** Numbers of a finished demo: gates of each phase's last entry, earlier ones in `history`. */
export async function summaryOf({
  loop,
  local,
  startedMs,
}: {
  readonly loop: Loop;
  readonly local: Local;
  readonly startedMs: number;
}): Promise<DemoSummary> {
  const { spent } = loop;
  return {
    status: STATUS[loop.status],
    loop: nameOf(loop.ref),
    phases: phaseName.options.flatMap((name) => phaseSummary(name, loop.entries)),
    pull:
      loop.review === undefined
        ? undefined
        : {
            number: loop.review.pull,
            url: `${local.githubUrl}/${loop.ref.owner}/${loop.ref.repo}/pull/${loop.review.pull}`,
            headSha: loop.review.head,
          },
    evidence: evidenceOf(await verifiedOf(loop, local)),
    modelCalls: { total: spent.calls, outsideBuild: spent.callsOutsideBuild },
    tokens: spent.promptTokens + spent.completionTokens,
    costUsd: loop.started?.price === undefined ? undefined : spent.usd,
    github: await requestsOf(local),
    sandbox: loop.built.sandbox,
    durationMs: Date.now() - startedMs,
    reason: loop.status === 'stopped' ? loop.note : undefined,
  };
}

function phaseSummary(name: PhaseName, entries: readonly EntryRecord[]): readonly PhaseSummary[] {
  const mine = entries.filter(({ phase }) => phase === name);
  const last = mine.at(-1);
  return last === undefined
    ? []
    : [
        {
          name,
          attempts: mine.length,
          seconds: Math.round(mine.reduce((sum, entry) => sum + durationMsOf(entry), 0) / 1000),
          gates: gatesOf(last),
          history: mine.slice(0, -1).map(gatesOf),
        },
      ];
}

function durationMsOf({ startedAt, endedAt }: EntryRecord): number {
  return Date.parse(endedAt) - Date.parse(startedAt);
}

function gatesOf({ gates }: EntryRecord): readonly Gate[] {
  return gates.map(({ name, value, threshold, passed }) => ({ name, value: value ?? null, threshold, passed }));
}

/** What VERIFY said of each requirement; empty before it reported. */
export async function provenOf(loop: Loop, local: Pick<Local, 'ports'>): Promise<readonly EvidenceRow[]> {
  return (await verifiedOf(loop, local))?.evidence ?? [];
}

async function verifiedOf(loop: Loop, { ports }: Pick<Local, 'ports'>): Promise<VerifyReport | undefined> {
  if (loop.built.reports.verify === undefined) return undefined;
  return verifyReport.parse(
    JSON.parse(Buffer.from(await ports.store.blob(loop.built.reports.verify)).toString('utf8')),
  );
}

function evidenceOf(report: VerifyReport | undefined): readonly Evidence[] {
  const strengths = new Map(report?.strengths?.map((strength) => [strength.requirement, strength]));
  return (report?.evidence ?? []).map((row) => ({
    ...row,
    trust: row.trust ?? 'sealed',
    strength: strengthIn(strengths.get(row.requirement)),
  }));
}

function strengthIn(strength: RequirementStrength | undefined): Evidence['strength'] {
  if (strength === undefined) return null;
  const { made, noticed, unmeasured, survivors } = strength;
  return { made, noticed, unmeasured, survivors };
}

/** What the App asked of GitHub, as GitHub's own log has it. */
async function requestsOf(local: Pick<Local, 'githubUrl' | 'key'>): Promise<RequestCount> {
  return requestCount((await requestsAfter(local, 0)).filter(({ actor }) => actor === 'app'));
}

/** The log comes in pages; an empty one is the end. */
async function requestsAfter(
  local: Pick<Local, 'githubUrl' | 'key'>,
  id: number,
): Promise<z.infer<typeof requestRows>> {
  const page = requestRows.parse(
    await (
      await fetch(`${local.githubUrl}/_local/requests?after=${id}`, {
        headers: { authorization: `Bearer ${local.key}` },
      })
    ).json(),
  );
  const last = page.at(-1);
  return last === undefined ? page : [...page, ...(await requestsAfter(local, last.id))];
}
