/** The four check runs, always on the pull request's current head. Only what passed its gates is ever a success. */
import { fitted, list, oneLine, table } from '../documents/markdown.ts';
import { advanceClause } from '../loop/behind.ts';
import type { VerifyReport } from '../loop/brief.ts';
import { type CheckRun, LOOP_CHECKS } from '../loop/check-run.ts';
import type { EntryRecord, Loop, Verdict } from '../loop/loop.ts';
import type { Defect } from '../loop/measurement.ts';
import { needsApproval } from '../loop/phases.ts';
import type { StartedLoop } from '../loop/stages.ts';
import { idOf, type PhaseName } from '../loop/terms.ts';
import { defectLine } from './defects.ts';
import { evidenceLegend, evidenceTable } from './evidence.ts';
import { type PhaseState, phaseStates } from './phase-states.ts';
import { strengthText } from './strength.ts';
import {
  costOf,
  gatesSentence,
  type ModelFacts,
  nowOf,
  shortDigest,
  thresholdText,
  valueText,
  warningsOf,
} from './words.ts';

/** Which phases each check run reports. */
const CHECKS: readonly { readonly name: string; readonly phases: readonly PhaseName[] }[] = [
  { name: LOOP_CHECKS.plan, phases: ['DISCOVER', 'DEFINE', 'PLAN', 'ARCH_REVIEW'] },
  { name: LOOP_CHECKS.build, phases: ['BUILD', 'SEED_DATA'] },
  { name: LOOP_CHECKS.verify, phases: ['VERIFY'] },
  { name: LOOP_CHECKS.evidence, phases: ['SHIP'] },
];

/** GitHub takes 50 annotations in one request. */
const MAX_ANNOTATIONS = 50;
/** Lines of what was found; the rest is in the report of the run. */
const MAX_FOUND = 40;

export interface CheckFacts extends ModelFacts {
  readonly headSha: string;
  /** Of VERIFY, once it has reported in this iteration. */
  readonly report?: VerifyReport | undefined;
}

export function checksOf(loop: StartedLoop, facts: CheckFacts): readonly CheckRun[] {
  const states = phaseStates(loop);
  return CHECKS.map(({ name, phases }) => {
    const own = states.filter(({ phase }) => phases.includes(phase));
    const progress = name === LOOP_CHECKS.evidence ? evidenceProgress(loop, own) : progressOf(loop, own);
    return {
      name,
      headSha: facts.headSha,
      externalId: externalId(loop, own),
      ...progress,
      summary: summaryOf(loop, own, facts),
      text: textOf(loop, own),
      actions: isAwaitingApproval(loop, own) ? BUTTONS : [],
      annotations: [...annotationsOf(loop, own), ...(name === LOOP_CHECKS.evidence ? survivorNotes(facts) : [])],
    };
  });
}

/** Proven, but on an older base, or by tests that notice few faults: nobody shall read that as a success without a word. */
function evidenceProgress(loop: Loop, own: readonly PhaseState[]): Progress {
  const progress = progressOf(loop, own);
  if (progress.conclusion === 'success' && loop.shipping?.outdated !== undefined)
    return completed('neutral', `Void: ${advanceClause(loop.shipping.outdated).replace('The', 'the')}`);
  const weak = lastOf(loop, 'VERIFY')?.gates.find(({ passed, advisory }) => !passed && advisory);
  if (progress.conclusion !== 'success' || weak === undefined) return progress;
  return completed(
    'neutral',
    `Weakly proved: ${weak.name} ${valueText(weak.value)}, wanted ${thresholdText(weak.threshold)}`,
  );
}

function lastOf(loop: Loop, wanted: PhaseName): EntryRecord | undefined {
  return loop.entries.findLast(({ phase }) => phase === wanted);
}

const MAX_SURVIVORS = 7;

/** Faults that no test noticed, each as a patch, where it can be made. */
function survivorNotes({ report }: CheckFacts): CheckRun['annotations'] {
  const survivors = (report?.strengths ?? []).filter(({ weak }) => weak).flatMap(({ survivors: own }) => own);
  return survivors.slice(0, MAX_SURVIVORS).map(({ file, line, sentence, patch }) => ({
    ...{ path: file, line, level: 'warning' },
    message: `No test notices this fault: ${sentence}. \`git apply\` it, and the tests stay green:\n\n${patch}`,
  }));
}

const BUTTONS: CheckRun['actions'] = [
  { label: 'Approve', description: 'Approve exactly this packet', identifier: 'approve' },
  { label: 'Re-run', description: 'Grant one more try after a stop', identifier: 'rerun' },
];

/** loop/phase/attempt/digest; a button is bound to the packet whose digest stands here. */
function externalId(loop: Loop, own: readonly PhaseState[]): string {
  const shown = own.findLast(({ state }) => state !== 'ahead') ?? own[0];
  const attempt = (shown?.entries.length ?? 0) + (shown?.state === 'working' || shown?.state === 'waiting' ? 1 : 0);
  return `${idOf(loop.ref)}/${shown?.phase ?? ''}/${attempt}/${loop.review?.packet.digest ?? 'none'}`;
}

function isAwaitingApproval(loop: Loop, own: readonly PhaseState[]): boolean {
  return loop.status === 'waiting' && loop.waitingFor === 'approval' && own.some(({ phase }) => phase === loop.phase);
}

type Progress = Pick<CheckRun, 'status' | 'conclusion' | 'title'>;

function progressOf(loop: Loop, own: readonly PhaseState[]): Progress {
  if (own.every(({ state }) => state === 'done')) return completed('success', doneTitle(loop, own));
  const current = own.find(({ phase }) => phase === loop.phase);
  if (current !== undefined && loop.status !== 'succeeded') return currentProgress(loop);
  if (own.some(({ state }) => state === 'unproven')) return completed('failure', 'Not every gate was passed');
  if (loop.status === 'stopped' || loop.status === 'succeeded') return completed('cancelled', 'Not reached');
  return { status: 'queued', conclusion: undefined, title: 'Not reached yet' };
}

function currentProgress(loop: Loop): Progress {
  const title = oneLine(nowOf(loop).replaceAll(/[`*]/g, ''), 200);
  switch (loop.status) {
    case 'waiting':
      return completed('action_required', title);
    case 'stopped':
      return completed('failure', title);
    case 'queued':
      return { status: 'queued', conclusion: undefined, title };
    case 'idle':
    case 'working':
    case 'paused':
    case 'succeeded':
      return { status: 'in_progress', conclusion: undefined, title };
  }
}

function completed(conclusion: NonNullable<CheckRun['conclusion']>, title: string): Progress {
  return { status: 'completed', conclusion, title };
}

function doneTitle({ approval }: Loop, own: readonly PhaseState[]): string {
  const reviewed = own.some(({ phase }) => phase === 'ARCH_REVIEW');
  return reviewed && approval !== undefined ? `Approved by ${approval.by.login}` : 'All gates passed';
}

function summaryOf(loop: StartedLoop, own: readonly PhaseState[], facts: CheckFacts): string {
  const rows = own.flatMap((state) => state.gates.map((gate) => gateRow(state, gate)));
  if (own.every(({ state }) => state === 'ahead'))
    return fitted([...warningsOf(loop, facts), needsOf(own)].map((text) => ({ text })));
  const gates =
    rows.length === 0 ? 'A person decides here.' : table(['phase', 'gate', 'value', 'needs', 'verdict'], rows);
  const judges = own.some(({ phase }) => needsApproval(phase));
  const candidate =
    judges && loop.built.candidate !== undefined ? [`Judged candidate: \`${loop.built.candidate.sha}\`.`] : [];
  const proves = own.some(({ phase }) => phase === 'SHIP') && facts.report !== undefined;
  const evidence = proves
    ? [evidenceTable(facts.report), evidenceLegend(facts.report), ...strengthText(facts.report)]
    : [];
  const packet = isAwaitingApproval(loop, own)
    ? [
        `**Approve** accepts the packet with digest \`${shortDigest(loop.review?.packet.digest)}\`, and building starts. A newer packet makes this button do nothing.`,
      ]
    : [];
  return fitted(
    [
      ...warningsOf(loop, facts),
      ...stopOf(loop, own),
      ...packet,
      ...evidence,
      gates,
      ...candidate,
      // Elsewhere it would change with what goes on here.
      ...(own.some(({ phase }) => phase === loop.phase) ? [`So far: ${costOf(loop)}.`] : []),
    ].map((text) => ({ text })),
  );
}

function gateRow(
  { phase, state }: PhaseState,
  { name, value, threshold, passed, advisory }: Verdict,
): readonly string[] {
  const isJudged = value !== undefined || state === 'done' || state === 'unproven' || state === 'stopped';
  const verdict = VERDICTS[advisory === true ? 'advisory' : 'blocking'][value === undefined ? 'unmeasured' : 'failed'];
  return [
    phase,
    name,
    isJudged ? valueText(value) : '',
    thresholdText(threshold),
    passed ? 'passed' : isJudged ? verdict : 'not yet',
  ];
}

/** Of a gate that was not passed. */
const VERDICTS = {
  blocking: { unmeasured: 'not measured, blocks', failed: 'failed' },
  advisory: { unmeasured: 'not measured, blocks nothing', failed: 'weak, blocks nothing' },
} as const;

/** The whole sentence; a title has room for its beginning only. */
function stopOf(loop: Loop, own: readonly PhaseState[]): readonly string[] {
  return loop.status === 'stopped' && own.some(({ phase }) => phase === loop.phase) ? [`**${nowOf(loop)}**`] : [];
}

/** What is not reached has no values to show. */
function needsOf(own: readonly PhaseState[]): string {
  return list(
    own.map(({ phase, gates }) => `${phase} ${gatesSentence(gates)}.`),
    '',
  );
}

/** Every ended entry, so that a later success does not hide the tries before it, and what the last failed one found. */
function textOf(loop: Loop, own: readonly PhaseState[]): string {
  const rows = own
    .flatMap(({ entries }) => entries)
    .toSorted((left, right) => left.entry - right.entry)
    .map(({ entry, phase, attempt, outcome, reason, startedAt, endedAt }) => [
      String(entry),
      phase,
      String(attempt),
      outcome,
      `${Math.round((Date.parse(endedAt) - Date.parse(startedAt)) / 1000)} s`,
      oneLine(reason),
    ]);
  if (rows.length === 0) return '';
  const found = foundOf(loop, own).slice(0, MAX_FOUND).map(defectLine);
  return fitted([
    { text: table(['entry', 'phase', 'try', 'outcome', 'took', 'why'], rows) },
    ...(found.length === 0 ? [] : [{ text: `### What the last failed try found\n\n${list(found, '')}` }]),
  ]);
}

const LEVELS = { blocker: 'failure', major: 'warning', minor: 'notice' } as const;

/** Defects of the last failed entry, where they point into the product. */
function annotationsOf(loop: Loop, own: readonly PhaseState[]): CheckRun['annotations'] {
  return foundOf(loop, own).flatMap(annotationOf).slice(0, MAX_ANNOTATIONS);
}

/** Defects of the last failed entry, when it was of these phases. */
function foundOf(loop: Loop, own: readonly PhaseState[]): readonly Defect[] {
  const failed = loop.entries.findLast(({ outcome }) => outcome === 'failed');
  return failed === undefined || own.every(({ phase }) => phase !== failed.phase) ? [] : loop.feedback;
}

function annotationOf({ file, line, severity, message, rule }: Defect): CheckRun['annotations'] {
  return file === null
    ? []
    : [{ path: file, line: line ?? 1, level: LEVELS[severity], message: `${rule}: ${message}` }];
}
