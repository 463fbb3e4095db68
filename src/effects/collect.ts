/** Pulls what a run delivered, trusts none of it before it is checked, and turns it into an event. */
import { currentReport } from '../documents/stored-report.ts';
import { ArtifactError, NotYetError } from '../errors.ts';
import type { WorkflowRun } from '../github/github-port.ts';
import { digestOf } from '../guard/digest.ts';
import { cleanedReport } from '../guard/model-text.ts';
import { type ModelCall, type Report, report as reportSchema } from '../loop/brief.ts';
import type { EffectOf } from '../loop/effect.ts';
import type { Event } from '../loop/event.ts';
import type { ReviewedLoop } from '../loop/stages.ts';
import { nameOf, type PhaseName } from '../loop/terms.ts';
import type { Ports, Store } from '../ports.ts';
import { WORKFLOWS } from '../settings/config.ts';
import { type ArtifactFiles, MAX_ZIP_BYTES, unpack } from './artifact.ts';
import { assertOurs } from './our-run.ts';
import { withOwnScan } from './own-scan.ts';
import { assertProposal } from './proposal-checks.ts';
import { signatureOf } from './signature.ts';

type Collect = EffectOf<'collect'>;
type Failed = Extract<Event, { type: 'failed' }>;
type Reported = Extract<Event, { type: 'reported' }>;

/** The job whose run delivers a report; an artifact is called as its report. */
const JOB_OF = { build: 'build', seed: 'build', verify: 'verify' } as const;

/**
 * Reads the run afresh, its artifact by the run id that we dispatched, and checks digest, size, schema, identity and path policy.
 * @throws {ArtifactError} when any of it is not as it must be.
 */
export async function collect(effect: Collect, loop: ReviewedLoop, ports: Ports): Promise<Event> {
  const at = ports.clock.now().toISOString();
  const failed = (cause: Failed['cause'], reason: string, calls: readonly ModelCall[] = []): Failed => ({
    type: 'failed',
    at,
    entry: effect.entry,
    cause,
    reason,
    calls: [...calls],
  });
  const run = await ports.github.run(loop.ref, effect.runId);
  if (run.status !== 'completed') return failed('work', await overdue(run, effect, { loop, ports }));
  assertOurs(run, { purpose: effect.phase, workflow: WORKFLOWS[JOB_OF[effect.report]] });
  if (run.conclusion === 'cancelled')
    return failed('cancelled', `The ${effect.phase} run ${run.id} was cancelled before it delivered.`);
  const zip = await ports.github.artifact(loop.ref, run.id, effect.report, MAX_ZIP_BYTES);
  if (zip === undefined) return failed(...unreported(run, effect.phase));
  const files = unpack(zip);
  const told = reportOf(files, effect, loop);
  await assertProposal(told, loop, ports);
  await storeRaw(told, files, ports.store);
  const report = await withOwnScan(told, loop, ports);
  const { failure } = report;
  // The gateway has booked each call as the endpoint stated it; told by both, it would count twice.
  const calls = ports.modelFacts.jobAudience === undefined ? report.calls : [];
  // A job that could not keep generated code in says so itself; nothing that it may have made is taken over.
  const isContained = report.sandbox !== 'none' || ports.modelFacts.scripted;
  if (failure !== null)
    return {
      ...failed(failure.cause, failure.message, calls),
      ...(isContained ? await remainsOf(report, ports.store) : {}),
    };
  if (!isContained)
    throw new ArtifactError(
      `The ${effect.phase} report says that generated code ran without a sandbox. Nothing of it was taken over.`,
    );
  return { ...(await resultOf({ ...report, run: run.id }, ports.store)), calls: [...calls], at, entry: effect.entry };
}

async function resultOf(report: Report, store: Pick<Store, 'putBlob'>): Promise<Omit<Reported, 'at' | 'entry'>> {
  const { kind, measurements, defects, calls, sandbox } = report;
  return {
    type: 'reported',
    measurements,
    defects: defects.slice(0, 100),
    calls,
    sandbox,
    report: await store.putBlob(JSON.stringify(report)),
    signature: signatureOf(kind, defects),
    ...(report.kind === 'verify' && report.tools !== undefined ? { tools: report.tools } : {}),
    ...(report.kind === 'build' && report.unchanged === true ? { unchanged: true } : {}),
  };
}

/** A job reports whatever comes of the work, so a run that ended without one says nothing about it, unless the work took all the time there was. */
function unreported({ id, conclusion }: WorkflowRun, phase: PhaseName): readonly [Failed['cause'], string] {
  const cause = conclusion === 'timed_out' ? 'work' : 'cancelled';
  return [cause, `The ${phase} run ${id} ended as ${conclusion ?? 'unknown'} without a report; its log says why.`];
}

/** A run that has not ended is given up when its time is up. @throws {NotYetError} when GitHub said that it ended. */
async function overdue(
  { id, status }: WorkflowRun,
  { because, phase }: Collect,
  { loop, ports }: { readonly loop: ReviewedLoop; readonly ports: Ports },
): Promise<string> {
  if (because === 'ended') throw new NotYetError(`GitHub told that run ${id} ended, and still calls it ${status}.`);
  await ports.github.cancelRun(loop.ref, id);
  return `The ${phase} run ${id} did not finish within ${loop.started.limits.runMinutes} minutes and was cancelled.`;
}

/** What a failed build leaves for the next one: the tasks that were done, with the tests that they were built against. */
async function remainsOf(report: Report, store: Pick<Store, 'putBlob'>): Promise<Pick<Failed, 'report'>> {
  const isWorth = report.kind === 'build' && report.tests !== null && report.changes.length > 0;
  return isWorth ? { report: await store.putBlob(JSON.stringify(report)) } : {};
}

function reportOf(files: ArtifactFiles, effect: Collect, loop: ReviewedLoop): Report {
  const value = files.report;
  if (value === undefined)
    throw new ArtifactError(`The ${effect.phase} artifact has no readable report.json. Nothing of it was taken over.`);
  const parsed = reportSchema.safeParse(cleanedReport(currentReport(value)));
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new ArtifactError(
      `The ${effect.phase} report breaks its schema at "${issue?.path.join('.') || 'report.json'}": ${issue?.message ?? 'unknown'}. Nothing of it was taken over.`,
    );
  }
  const report = parsed.data;
  const expected = effect.report === 'verify' ? loop.built.candidate?.sha : loop.review.head;
  const base = loop.started.base.sha;
  const runEntry = loop.built.run?.entry ?? effect.entry;
  // The name changes when the repository is renamed, the issue and its loop's number do not.
  const isOfLoop = report.loop.replace(/^.*#/, '#') === nameOf(loop.ref).replace(/^.*#/, '#');
  if (
    !isOfLoop ||
    report.kind !== effect.report ||
    report.entry !== runEntry ||
    report.candidate !== expected ||
    report.base !== base
  ) {
    throw new ArtifactError(
      `The ${effect.phase} report speaks of another run: ${subjectOf(report)}, expected ${subjectOf({ kind: effect.report, entry: runEntry, candidate: expected ?? 'nothing', base })}. Nothing of it was taken over.`,
    );
  }
  return report;
}

function subjectOf({ kind, entry, candidate, base }: Pick<Report, 'kind' | 'entry' | 'candidate' | 'base'>): string {
  return `${kind} of entry ${entry} for ${candidate.slice(0, 7)} on ${base.slice(0, 7)}`;
}

/** Keeps every raw output; a measurement without one is no measurement. */
async function storeRaw(report: Report, files: ArtifactFiles, store: Store): Promise<void> {
  for (const { name, raw } of report.measurements) {
    const bytes = files.raw.get(raw);
    if (bytes === undefined || digestOf(bytes) !== raw)
      throw new ArtifactError(
        `The measurement ${name} has no raw output with digest ${raw.slice(0, 19)}…; a value without it is none. Nothing of it was taken over.`,
      );
    await store.putBlob(bytes);
  }
}
