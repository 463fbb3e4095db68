/** What a job stands on: whether its runner reaches the App, whether its token is one that the gateway takes, and whether the sandbox works. */
import { type Finding, ok, unknown, wrong } from '../doctor/finding.ts';
import { type JobRun, jobRunOf } from './job-run.ts';
import { INIT, type Probe } from './probe.ts';
import { isPassing, type RunnerReport, type ToldClaims } from './runner-report.ts';
import type { Scratch } from './scratch.ts';

export const JOB_PROBES: readonly Probe[] = [
  { area: 'job', subject: 'PUBLIC_URL', probe: reachesApp },
  { area: 'job', subject: 'token', probe: (scratch) => reported(scratch, tokenFinding) },
  { area: 'job', subject: 'sandbox', probe: (scratch) => reported(scratch, sandboxFinding) },
];

async function reachesApp(scratch: Scratch): Promise<Finding> {
  const run = await jobRunOf(scratch);
  const { publicUrl = '' } = scratch;
  if (run.type === 'reported') return ok(`Run ${run.runId} took its job and its brief from ${publicUrl}.`);
  const answered = run.type === 'silent' ? answerOfApp(run.log, publicUrl) : undefined;
  return answered === undefined
    ? withoutReport(run)
    : wrong(
        `The runner of run ${run.runId} did not get its job from the App: ${answered}`,
        'Let runners reach PUBLIC_URL, through whatever stands between, or take runners that do (`loopwright init --runs-on`).',
      );
}

/** As the workflow's own step says it: `<address> answered nothing: …`. */
function answerOfApp(log: string, publicUrl: string): string | undefined {
  const [, said] =
    log
      .split(`${publicUrl}/`)
      .find((part) => ANSWERED.test(part))
      ?.match(ANSWERED) ?? [];
  return said === undefined ? undefined : `${publicUrl}/${said.trim().slice(0, MOST)}`;
}

const ANSWERED = /^((?:jobs|briefs)\/\S+ answered .*)/;
const MOST = 500;

async function reported(
  scratch: Scratch,
  findingOf: (report: RunnerReport, scratch: Scratch) => Finding,
): Promise<Finding> {
  const run = await jobRunOf(scratch);
  return run.type === 'reported' ? findingOf(run.report, scratch) : withoutReport(run);
}

function withoutReport(run: Exclude<JobRun, { readonly type: 'reported' }>): Finding {
  return run.type === 'unfinished'
    ? unknown(
        `Run ${run.runId} did not end in time.`,
        'See whether a runner is free and nobody has to approve the environment; give it more time with --minutes.',
      )
    : unknown(`Run ${run.runId} ended as ${run.conclusion} without a report.`, 'Its log says why.');
}

function tokenFinding({ token }: RunnerReport, { branch }: Scratch): Finding {
  if (token.type === 'none') return wrong(`The job has no token that it could show: ${token.said}`, INIT);
  if (token.type === 'unheard') return unknown(`Nothing is known of the job's token: ${token.said}`, AGAIN);
  return untaken(token) ?? claimsFinding(token.claims, branch);
}

type Asked = Extract<RunnerReport['token'], { readonly type: 'asked' }>;

/** What fails or is limited for now has judged nothing. */
function untaken({ isApp, isUnawaited, status, said }: Asked): Finding | undefined {
  const told = `(${status}): ${said}`;
  if (isApp && isUnawaited) return undefined;
  if (isPassing(status))
    return isApp
      ? unknown(`The gateway did not judge the job's token ${told}`, AGAIN)
      : unknown(`What answered the job's call was not the App ${told}`, AGAIN);
  return isApp
    ? wrong(`The gateway does not take the job's token ${told}`, GATEWAY)
    : wrong(
        `What answered the job's call was not the App ${told}`,
        'Let what stands before the App pass POST /gateway/v1/chat/completions with its headers.',
      );
}

function claimsFinding(claims: ToldClaims, branch: string): Finding {
  if (claims.ref !== `refs/heads/${branch}`)
    return wrong(`The token's ref is ${JSON.stringify(claims.ref)}, not "refs/heads/${branch}".`, GATEWAY);
  const called = claims.job_workflow_ref === undefined ? ', and no job_workflow_ref' : '';
  return ok(
    `The token of the job in the environment \`${claims.environment}\` has the claims that the gateway asks for${called}.`,
  );
}

const AGAIN =
  "Probe again; if it stays so, see the App's log and whether runners reach GitHub's tokens and the gateway below PUBLIC_URL.";
const GATEWAY =
  'Do what the sentence says; where it says nothing, tell the maintainers: loops cannot ask a model here.';

function sandboxFinding({ sandbox: { works, said } }: RunnerReport): Finding {
  return works
    ? ok(`The sandbox works on the runner. ${said}`)
    : wrong(
        `The sandbox does not work on the runner: ${said}`,
        'On a hosted runner, tell the maintainers; on your own, install bubblewrap and allow user namespaces (`kernel.apparmor_restrict_unprivileged_userns=0`).',
      );
}
