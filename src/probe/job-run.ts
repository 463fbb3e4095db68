/** The one run that shows how jobs stand on their runner, dispatched once for all probes that ask for it. */
import { NotLookedError, needed } from '../doctor/finding.ts';
import { reach } from '../doctor/outside.ts';
import { MAX_ZIP_BYTES, unpack } from '../effects/artifact.ts';
import { LoopError } from '../errors.ts';
import { CHAT_BASE } from '../gateway/dialects.ts';
import { WORKFLOWS } from '../settings/config.ts';
import { dispatchOwn } from './own-run.ts';
import { PROBE_BRIEF, PROBE_BRIEF_DIGEST, type RunnerReport, runnerReport } from './runner-report.ts';
import { type Scratch, within } from './scratch.ts';

export type JobRun =
  | { readonly type: 'reported'; readonly runId: number; readonly report: RunnerReport }
  /** `log` is of all its jobs. */
  | { readonly type: 'silent'; readonly runId: number; readonly conclusion: string; readonly log: string }
  | { readonly type: 'unfinished'; readonly runId: number };

const begun = new WeakMap<Scratch, Promise<JobRun>>();

/** @throws {NotLookedError} where there is no App that its jobs could come from. */
export function jobRunOf(scratch: Scratch): Promise<JobRun> {
  const known = begun.get(scratch) ?? jobRun(scratch);
  begun.set(scratch, known);
  return known;
}

async function jobRun(scratch: Scratch): Promise<JobRun> {
  const { github, probing, repository, tip, mark, longPatienceMs } = scratch;
  const app = needed(scratch.publicUrl, 'PUBLIC_URL');
  const job = await jobOfferedAt(app);
  const inputs = {
    ...{ loop: `probe ${mark}`, entry: '1', phase: 'PROBE', candidate: tip, base: tip },
    ...{ job, brief: PROBE_BRIEF_DIGEST, app, model: `${app}${CHAT_BASE}` },
  };
  const { own: runId } = await dispatchOwn(scratch, WORKFLOWS.build, inputs);
  if (runId === undefined) throw new LoopError('no run with the title of the one that was dispatched is listed.');
  const ended = await within({ ...scratch, patienceMs: longPatienceMs }, async () => {
    const run = await github.run(repository, runId);
    return run.status === 'completed' ? run : undefined;
  });
  if (ended === undefined) return { type: 'unfinished', runId };
  const zip = await github.artifact(repository, runId, 'build', MAX_ZIP_BYTES);
  const report = zip && runnerReport.safeParse(unpack(zip).report).data;
  if (report !== undefined) return { type: 'reported', runId, report };
  const log = await probing.logOf(repository, runId);
  return { type: 'silent', runId, conclusion: ended.conclusion ?? 'unknown', log };
}

const WITHIN_MS = 10_000;
/** A name of none: the App says in its own words which one it has. */
const NO_JOB = `/jobs/job-${'0'.repeat(64)}.mjs`;
const OWN_JOB = /its own is job-(?<digest>[0-9a-f]{64})\.mjs/;

/** Jobs come from the App that runs there, whichever build of it that is. */
async function jobOfferedAt(app: string): Promise<string> {
  const answer = await reach(`${app}${NO_JOB}`, WITHIN_MS);
  const digest = 'text' in answer ? OWN_JOB.exec(answer.text)?.groups?.digest : undefined;
  if (digest === undefined) {
    const seen = 'problem' in answer ? answer.problem : `status ${answer.status}`;
    throw new NotLookedError(
      `no App answers at ${app} from here (${seen})`,
      'Start the App with `npm start`, or correct PUBLIC_URL; then probe again.',
    );
  }
  const brief = await reach(`${app}/briefs/brief-${PROBE_BRIEF_DIGEST}.json`, WITHIN_MS);
  if ('text' in brief && brief.text === PROBE_BRIEF) return digest;
  throw new NotLookedError(
    `the App at ${app} has no brief for it, so it is of another version`,
    'Run the same version there and here, and probe again.',
  );
}
