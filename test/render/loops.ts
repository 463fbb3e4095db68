/** Loops in the situations that people read about. */
import { verifyReport } from '../../src/loop/brief.ts';
import { type EntryRecord, newLoop, type Review, type Started, type Verdict } from '../../src/loop/loop.ts';
import type { Defect } from '../../src/loop/measurement.ts';
import type { ReviewedLoop, StartedLoop } from '../../src/loop/stages.ts';
import type { PhaseName } from '../../src/loop/terms.ts';
import { GUARDRAILS } from '../guardrails.ts';

export const MODEL = { name: 'some-model', scripted: false };
export const DIGEST = `sha256:${'0123456789abcdef'.repeat(4)}`;
const ALICE = { id: 7, login: 'alice', type: 'User' as const };

export function record(
  entry: number,
  phase: PhaseName,
  gates: readonly Verdict[],
  change: Partial<EntryRecord> = {},
): EntryRecord {
  return {
    entry,
    phase,
    attempt: 1,
    startedAt: '2026-01-02T03:00:00.000Z',
    endedAt: '2026-01-02T03:00:09.000Z',
    outcome: 'passed',
    gates: [...gates],
    measurements: [],
    reason: '',
    ...change,
  };
}

export const DRAFTED = [
  record(1, 'DISCOVER', [
    { name: 'goal_metrics', value: 2, threshold: '>= 1', passed: true },
    { name: 'open_questions', value: 0, threshold: '<= 0', passed: true },
  ]),
  record(2, 'DEFINE', [{ name: 'spec_confidence', value: 0.95238, threshold: '>= 0.9', passed: true }]),
  record(3, 'PLAN', [
    { name: 'arch_uncertainty', value: 0.25, threshold: '<= 0.8', passed: true },
    { name: 'uncovered_requirements', value: 0, threshold: '<= 0', passed: true },
    { name: 'diagram_errors', value: 0, threshold: '<= 0', passed: true },
  ]),
];

const STARTED: Started = {
  at: '2026-01-02T03:00:00.000Z',
  by: ALICE,
  issue: { title: 'Filter items by state', body: 'Open ones only.', author: ALICE },
  base: { branch: 'main', sha: 'b'.repeat(40) },
  config: { digest: `sha256:${'c'.repeat(64)}` },
  lane: 'feature',
  branch: 'loopwright/12',
  limits: { iterations: 3, usd: 3, checksQuietSeconds: 120, runMinutes: 60 },
  thresholds: GUARDRAILS.thresholds,
  price: { prompt: 5, completion: 15 },
};

export function startedLoop(change: Partial<StartedLoop> = {}): StartedLoop {
  const loop = newLoop({ installationId: 1, repositoryId: 2, owner: 'acme', repo: 'shop', issue: 12, n: 1 });
  return {
    ...loop,
    status: 'working',
    entry: 1,
    started: STARTED,
    surface: 'http',
    counters: { ...loop.counters, rounds: 1 },
    spent: { calls: 7, callsOutsideBuild: 7, promptTokens: 38_000, completionTokens: 3_200, usd: 0.31 },
    ...change,
  };
}

const REVIEW: Review = {
  pull: 13,
  nodeId: 'PR_13',
  head: 'a'.repeat(40),
  packet: { entry: 4, digest: DIGEST, commentId: 90, publishedAt: '2026-01-02T03:05:00.000Z' },
};

/** The packet is posted and waits for a person. */
export function waitingLoop(change: Partial<ReviewedLoop> = {}): ReviewedLoop {
  const loop = startedLoop({
    status: 'waiting',
    waitingFor: 'approval',
    phase: 'ARCH_REVIEW',
    entry: 4,
    entries: DRAFTED,
    tasks: [
      {
        id: 'T-1',
        title: 'Filter the list',
        requirements: ['R-1'],
        files: ['src/items.js'],
        dependsOn: [],
        detail: 'Add a function.',
      },
    ],
  });
  return { ...loop, review: REVIEW, ...change };
}

const APPROVAL = record(
  4,
  'ARCH_REVIEW',
  [{ name: 'approval', value: 1, threshold: 'by a person, for 0123456789ab', passed: true }],
  {
    reason: 'Approved by @alice.',
  },
);

/** What the failed BUILD found. */
export const RED: Defect = {
  id: 'd-1',
  requirement: 'R-1',
  file: 'src/items.js',
  line: 4,
  rule: 'frozen-test',
  severity: 'blocker',
  message: 'open items only: expected 1 item, got 2.',
  suggestion: 'Compare the state before listing.',
};

/** The second iteration is being built, after the first failed in BUILD. */
export function buildingLoop(change: Partial<StartedLoop> = {}): StartedLoop {
  const waiting = waitingLoop();
  const { waitingFor: _, ...rest } = waiting;
  const failed = record(5, 'BUILD', [{ name: 'test_failures', value: 1, threshold: '<= 0', passed: false }], {
    outcome: 'failed',
    reason: 'BUILD: test_failures 1 (needs <= 0).',
  });
  return {
    ...rest,
    status: 'working',
    phase: 'BUILD',
    entry: 6,
    approval: { by: ALICE, role: 'write', at: '2026-01-02T03:10:00.000Z', digest: DIGEST },
    counters: { ...waiting.counters, plans: 1, iterations: 2 },
    entries: [...DRAFTED, APPROVAL, failed],
    feedback: [RED],
    ...change,
  };
}

/** The loop stopped while building. */
export function stoppedLoop(): StartedLoop {
  const note =
    'The approved plan did not lead to a verified candidate in 3 iterations. BUILD: test_failures 1 (needs <= 0).';
  const building = buildingLoop();
  const last = record(6, 'BUILD', [{ name: 'test_failures', value: 1, threshold: '<= 0', passed: false }], {
    outcome: 'failed',
    attempt: 2,
    reason: 'BUILD: test_failures 1 (needs <= 0).',
  });
  return { ...building, status: 'stopped', note, entries: [...building.entries, last] };
}

/** What VERIFY reported: one requirement of each kind, one of them not proven. */
export const VERIFIED = verifyReport.parse({
  kind: 'verify',
  version: 2,
  loop: 'acme/shop#12',
  entry: 8,
  candidate: 'a'.repeat(40),
  base: 'b'.repeat(40),
  sandbox: 'bubblewrap',
  measurements: [{ name: 'uat_pass_rate', value: 1, unit: 'ratio', source: 'verify', raw: `sha256:${'d'.repeat(64)}` }],
  defects: [],
  calls: [],
  failure: null,
  durationMs: 1,
  evidence: [
    {
      requirement: 'R-1',
      kind: 'change',
      test: 'test/a.test.js::open only',
      base: 'fail',
      head: 'pass',
      reverted: 'fail',
      mutated: 'not-run',
      value: null,
      proven: true,
      reason: '',
    },
    {
      requirement: 'R-2',
      kind: 'keep',
      test: 'test/a.test.js::all',
      base: 'pass',
      head: 'pass',
      reverted: 'pass',
      mutated: 'pass',
      value: null,
      proven: false,
      reason: 'no mutation turned it red',
    },
    {
      requirement: 'R-3',
      kind: 'metric',
      test: 'p95_ms',
      base: 'not-run',
      head: 'not-run',
      reverted: 'not-run',
      mutated: 'not-run',
      value: 12.5,
      proven: true,
      reason: '',
    },
  ],
  acceptance: [{ id: 'A-1', requirement: 'R-1', passed: true, detail: 'as expected' }],
});
