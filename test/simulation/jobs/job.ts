/** What runs in Actions: from a brief to the artifacts of its run, with the trees changed as the real jobs change them. */
import { strToU8, zipSync } from 'fflate';
import { digestOf } from '../../../src/guard/digest.ts';
import type { Conflict } from '../../../src/guard/merge-changes.ts';
import { type Brief, brief as briefSchema, type ModelCall, type Report, report } from '../../../src/loop/brief.ts';
import { isEmpty, leftAfter } from '../../../src/loop/costs.ts';
import { GATES, thresholdOf } from '../../../src/loop/gates.ts';
import type { Defect, Measurement } from '../../../src/loop/measurement.ts';
import type { PhaseName } from '../../../src/loop/terms.ts';
import type { Hub, Run } from '../github/hub.ts';
import type { Work } from '../github/runs.ts';
import { builtOn } from './builder.ts';

/** What a job did, for whoever judges the App afterwards. */
export interface Done {
  readonly run: Run;
  readonly brief: Brief;
  readonly calls: readonly ModelCall[];
  /** Files in which the builder could not keep both a person's lines and its own. */
  readonly conflicts: readonly Conflict[];
}

export interface Jobs {
  readonly work: Work;
  readonly done: readonly Done[];
}

export function createJobs(hub: Hub, briefs: ReadonlyMap<string, string>): Jobs {
  const done: Done[] = [];
  return {
    done,
    work(run) {
      const text = briefs.get(run.inputs.brief ?? '');
      if (text === undefined) return undefined;
      const brief = briefSchema.parse(JSON.parse(text));
      return brief.phase === 'BUILD' ? build(hub, run, brief, done) : verify(hub, run, brief, done);
    },
  };
}

function build(hub: Hub, run: Run, brief: Brief, done: Done[]): ReadonlyMap<string, Uint8Array> {
  const built = builtOn(hub, brief);
  const wanted = callsOf(hub, 'BUILD', hub.random.integer(4, 20));
  const calls = payable(brief, wanted);
  done.push({ run, brief, calls, conflicts: built.conflicts });
  const judged = judgedBy(hub, 'BUILD', brief);
  const unpaid = unpaidOf(calls, wanted);
  const died =
    !hub.calm && hub.random.chance(hub.odds.runDies * 0.1)
      ? { cause: 'model' as const, message: 'The model gave no answer.' }
      : null;
  const common = commonOf(brief);
  return new Map([
    [
      'build',
      zipped(
        {
          kind: 'build',
          ...common,
          ...judged,
          defects: [...built.defects, ...judged.defects],
          calls,
          failure: unpaid ?? died,
          changes: built.changes,
          unfinished: [],
          tests: built.tests,
        },
        judged.raws,
      ),
    ],
    ['seed', seedOf(hub, brief, calls)],
  ]);
}

/** The seed is paid from what the build of the same run left. */
function seedOf(hub: Hub, brief: Brief, spent: readonly ModelCall[]): Uint8Array {
  const wanted = callsOf(hub, 'SEED_DATA', 1);
  const calls = payable(brief, [...spent, ...wanted]).slice(spent.length);
  const judged = judgedBy(hub, 'SEED_DATA', brief);
  const seed = { needed: false, reason: 'Nothing is stored.', files: [], command: [], counts: [] };
  return zipped(
    {
      kind: 'seed',
      ...commonOf(brief),
      ...judged,
      calls,
      failure: unpaidOf(calls, wanted),
      changes: [],
      seed,
    },
    judged.raws,
  );
}

function verify(hub: Hub, run: Run, brief: Brief, done: Done[]): ReadonlyMap<string, Uint8Array> {
  done.push({ run, brief, calls: [], conflicts: [] });
  const judged = judgedBy(hub, 'VERIFY', brief);
  const evidence = brief.requirements.map(({ id, kind }) => ({
    requirement: id,
    kind,
    test: `test/${id}.test.js::${id}`,
    base: 'fail' as const,
    head: 'pass' as const,
    reverted: 'fail' as const,
    mutated: 'fail' as const,
    value: kind === 'metric' ? 12 : null,
    proven: true,
    reason: '',
  }));
  const acceptance = brief.acceptance.map(({ id, requirement }) => ({
    id,
    requirement,
    passed: true,
    detail: 'as expected',
  }));
  return new Map([
    [
      'verify',
      zipped(
        { kind: 'verify', ...commonOf(brief), ...judged, calls: [], failure: null, evidence, acceptance },
        judged.raws,
      ),
    ],
  ]);
}

function commonOf(brief: Brief) {
  const { loop, entry, candidate, base } = brief;
  return {
    version: 2 as const,
    loop: loop.id,
    entry,
    candidate,
    base,
    sandbox: 'bubblewrap' as const,
    durationMs: 1000,
  };
}

interface Judged {
  readonly measurements: Measurement[];
  readonly defects: Defect[];
  readonly raws: readonly string[];
}

/** The numbers of a phase; sometimes one of them is red. */
function judgedBy(hub: Hub, phase: PhaseName, brief: Brief): Judged {
  const { random, odds, calm } = hub;
  // The worlds' repositories have no linter and the like.
  const gates = GATES.filter((gate) => gate.phase === phase && gate.tool === undefined);
  const red = !calm && random.chance(odds.buildFails) ? random.integer(0, gates.length - 1) : -1;
  const raws = gates.map(({ name }) => `${name} of entry ${brief.entry}`);
  const measurements = gates.map(({ name, operator }, index): Measurement => {
    const threshold = thresholdOf({ phase, name }, brief.thresholds) ?? Number.NaN;
    const bad = operator === '<=' ? threshold + 1 : threshold - 0.5;
    return {
      name,
      value: index === red ? bad : threshold,
      unit: 'count',
      source: 'simulated job',
      raw: digestOf(raws[index] ?? ''),
    };
  });
  const gate = gates[red];
  return { measurements, raws, defects: gate === undefined ? [] : [defectOf(gate.name, random.integer(1, 5))] };
}

function defectOf(name: string, number: number): Defect {
  return {
    id: `${name}-${number}`,
    requirement: 'R-1',
    file: 'src/items.js',
    line: null,
    rule: name,
    severity: 'blocker',
    message: `${name} is red in way ${number}.`,
    suggestion: null,
  };
}

function unpaidOf(made: readonly ModelCall[], wanted: readonly ModelCall[]): Report['failure'] {
  return made.length < wanted.length ? { cause: 'budget', message: 'Nothing is left in the budget.' } : null;
}

/** The calls that the purse of the brief can pay. */
function payable({ purse }: Brief, wanted: readonly ModelCall[]): ModelCall[] {
  const first = wanted.findIndex((_, index) => isEmpty(leftAfter(purse ?? undefined, wanted.slice(0, index))));
  return wanted.slice(0, first === -1 ? undefined : first);
}

function callsOf({ random }: Hub, phase: string, count: number): ModelCall[] {
  return Array.from({ length: count }, () => ({
    phase,
    skill: 'incremental-implementation',
    role: 'builder',
    attempt: 1,
    promptTokens: random.integer(1000, 9000),
    completionTokens: random.integer(100, 1500),
    durationMs: 1000,
  }));
}

function zipped(content: Report & { readonly raws?: unknown }, raws: readonly string[]): Uint8Array {
  const { raws: _, ...told } = content;
  const files = Object.fromEntries(raws.map((raw) => [`raw/${digestOf(raw).slice('sha256:'.length)}`, strToU8(raw)]));
  return zipSync({ 'report.json': strToU8(JSON.stringify(report.parse(told))), ...files }, { level: 0 });
}
