/** The report of a job that could not do its work: no numbers, so every gate blocks, and the reason. */
import type { Brief, JobFailure, ModelCall, Report } from '../../loop/brief.ts';
import { subjectOf } from './report-facts.ts';

/** A report without measurements whose `failure` says why. The sandbox counts as none, because nothing shows that there was one. */
export function failedReport(
  brief: Brief,
  job: {
    readonly kind: Report['kind'];
    readonly calls: readonly ModelCall[];
    readonly durationMs: number;
    readonly failure: JobFailure;
  },
): Report {
  const common = {
    ...subjectOf(brief),
    sandbox: 'none' as const,
    measurements: [],
    defects: [],
    calls: [...job.calls],
    failure: job.failure,
    durationMs: job.durationMs,
  };
  const reports = {
    build: { kind: 'build' as const, ...common, changes: [], tests: null, unfinished: [] },
    seed: { kind: 'seed' as const, ...common, changes: [], seed: null },
    verify: { kind: 'verify' as const, ...common, evidence: [], acceptance: [] },
  };
  return reports[job.kind];
}
