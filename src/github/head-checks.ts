/** What the repository's own checks say about a head: workflow runs, check suites of other Apps, statuses, check runs. Asked in this order, until one kind is at work. */
import type { RestEndpointMethodTypes } from '@octokit/rest';
import { WORKFLOWS } from '../settings/config.ts';
import type { Call } from './github-client.ts';
import type { HeadCheck, HeadChecks } from './github-port.ts';
import type { Operation } from './github-talk.ts';

type Methods = RestEndpointMethodTypes;
type WorkflowRun = Methods['actions']['listWorkflowRunsForRepo']['response']['data']['workflow_runs'][number];
type Suite = Methods['checks']['listSuitesForRef']['response']['data']['check_suites'][number];
type CheckRun = Methods['checks']['listForRef']['response']['data']['check_runs'][number];
type Status = Methods['repos']['getCombinedStatusForRef']['response']['data']['statuses'][number];

/** Costs one to three requests while something is at work, and three or four when nothing is; more only where there are further pages. */
export const headChecks: Operation<'headChecks'> = async (call, sha) => {
  const runs = await workflowRuns(call, sha);
  const changes = runs.theirs.map((run) => run.updated_at);
  const working = runs.theirs.filter((run) => run.status !== 'completed');
  if (working.length > 0) return pending(working.map(nameOfRun), changes);

  const suites = (await checkSuites(call, sha)).filter(({ id }) => !runs.ownSuites.has(id));
  changes.push(...suites.map((suite) => suite.updated_at ?? ''));
  const open = suites.filter((suite) => suite.status !== 'completed');
  if (open.length > 0) return pending(open.map(nameOfSuite), changes);

  const statuses = await newestStatuses(call, sha);
  changes.push(...statuses.map((status) => status.updated_at));
  const awaited = statuses.filter(({ state }) => state === 'pending');
  if (awaited.length > 0) return pending(awaited.map(contextOf), changes);

  const listed = suites.length === 0 ? [] : await checkRuns(call, sha);
  const left = new Set([...runs.ownSuites, ...runs.replacedSuites]);
  const theirs = listed.filter((run) => !left.has(run.check_suite?.id ?? 0));
  changes.push(...theirs.map((run) => run.completed_at ?? run.started_at ?? ''));
  const begun = theirs.filter(({ status }) => status !== 'completed');
  if (begun.length > 0) return pending(begun.map(nameOfCheckRun), changes);
  const told = runs.standing.filter((run) => !speaksInJobs(run, theirs)).map(checkOfRun);
  const checks = [...told, ...theirs.map(checkOfCheckRun), ...statuses.map(checkOfStatus)];
  return { state: 'complete', changedAt: newest(changes), waitsFor: [], checks };
};

function pending(waitsFor: readonly string[], changes: readonly string[]): HeadChecks {
  return { state: 'pending', changedAt: newest(changes), waitsFor: [...new Set(waitsFor)], checks: [] };
}

function newest(moments: readonly string[]): string | undefined {
  const times = moments.map((moment) => Date.parse(moment)).filter((time) => !Number.isNaN(time));
  return times.length === 0 ? undefined : new Date(Math.max(...times)).toISOString();
}

interface Runs {
  /** All of the repository's, whatever became of them. */
  readonly theirs: readonly WorkflowRun[];
  /** Those that a later run did not replace. */
  readonly standing: readonly WorkflowRun[];
  readonly replacedSuites: ReadonlySet<number>;
  /** Of the workflows that we dispatch, which judge candidates and are no checks of the repository. */
  readonly ownSuites: ReadonlySet<number>;
}

const OWN_FILES: readonly string[] = Object.values(WORKFLOWS);

async function workflowRuns({ octokit, here }: Call, sha: string): Promise<Runs> {
  const runs = await octokit.paginate(octokit.rest.actions.listWorkflowRunsForRepo, {
    ...here,
    head_sha: sha,
    per_page: 100,
  });
  const isOwn = ({ path }: WorkflowRun): boolean => OWN_FILES.includes(fileOf(path));
  const theirs = runs.filter((run) => !isOwn(run));
  const groups = Map.groupBy(theirs, (run) => `${run.workflow_id} ${run.event}`);
  const standing = [...groups.values()].flatMap(lastWord);
  return {
    theirs,
    standing,
    replacedSuites: suitesOf(theirs.filter((run) => !standing.includes(run))),
    ownSuites: suitesOf(runs.filter(isOwn)),
  };
}

/** The newest run of a workflow for an event; one that was skipped says nothing about the commit, so it replaces none. */
function lastWord(runs: readonly WorkflowRun[]): readonly WorkflowRun[] {
  const byAge = runs.toSorted((left, right) => right.id - left.id);
  return [byAge.find(({ conclusion }) => conclusion !== 'skipped') ?? byAge[0]].filter((run) => run !== undefined);
}

/** GitHub may add the ref: `.github/workflows/x.yml@main`. */
function fileOf(path: string): string {
  return path.split('@', 1)[0]?.split('/').at(-1) ?? '';
}

function suitesOf(runs: readonly WorkflowRun[]): ReadonlySet<number> {
  return new Set(runs.map((run) => run.check_suite_id ?? 0));
}

/** Those with check runs: GitHub makes a suite for every App that may check, and one of an App that never does stays queued for ever. */
async function checkSuites({ octokit, here, self }: Call, sha: string): Promise<readonly Suite[]> {
  const suites = await octokit.paginate(octokit.rest.checks.listSuitesForRef, { ...here, ref: sha, per_page: 100 });
  return suites.filter(({ app, latest_check_runs_count: runs }) => app?.id !== self.appId && runs > 0);
}

async function checkRuns({ octokit, here, self }: Call, sha: string): Promise<readonly CheckRun[]> {
  const wanted = { ...here, ref: sha, filter: 'latest', per_page: 100 } as const;
  const runs = await octokit.paginate(octokit.rest.checks.listForRef, wanted);
  return runs.filter(({ app }) => app?.id !== self.appId);
}

/** The newest status of each context. */
async function newestStatuses({ octokit, here }: Call, sha: string): Promise<readonly Status[]> {
  const found: Status[] = [];
  for (let page = 1; ; page += 1) {
    const { data } = await octokit.rest.repos.getCombinedStatusForRef({ ...here, ref: sha, per_page: 100, page });
    found.push(...data.statuses);
    if (data.statuses.length === 0 || found.length >= data.total_count) return found;
  }
}

function nameOfRun({ name, path }: WorkflowRun): string {
  return name ?? fileOf(path);
}

function nameOfSuite({ app }: Suite): string {
  return app?.name ?? 'an App that is no more';
}

function nameOfCheckRun({ name }: CheckRun): string {
  return name;
}

function contextOf({ context }: Status): string {
  return context;
}

/** A run speaks by its jobs, unless it has none (it could not start) or ended otherwise than all of them (it was cancelled between two). */
function speaksInJobs(run: WorkflowRun, checks: readonly CheckRun[]): boolean {
  const jobs = checks.filter((check) => check.check_suite?.id === run.check_suite_id);
  if (jobs.length === 0) return run.conclusion === 'skipped';
  return outcomeOf(run.conclusion) === 'passed' || jobs.some(({ conclusion }) => outcomeOf(conclusion) !== 'passed');
}

/** Everything that is not listed failed: an unknown word is never a pass. */
const OUTCOMES: Readonly<Record<string, HeadCheck['outcome']>> = {
  success: 'passed',
  neutral: 'passed',
  skipped: 'passed',
  cancelled: 'cancelled',
  timed_out: 'cancelled',
  startup_failure: 'cancelled',
  stale: 'cancelled',
  action_required: 'cancelled',
};

function outcomeOf(conclusion: string | null): HeadCheck['outcome'] {
  return OUTCOMES[conclusion ?? ''] ?? 'failed';
}

function checkOfRun(run: WorkflowRun): HeadCheck {
  return { name: nameOfRun(run), outcome: outcomeOf(run.conclusion), detail: run.conclusion ?? 'no conclusion' };
}

function checkOfCheckRun({ id, name, conclusion, output }: CheckRun): HeadCheck {
  const detail = sentence(conclusion ?? 'no conclusion', output.title);
  return { name, outcome: outcomeOf(conclusion), detail, checkRun: id };
}

function checkOfStatus({ context, state, description }: Status): HeadCheck {
  return { name: context, outcome: outcomeOf(state), detail: sentence(state, description) };
}

function sentence(word: string, more: string | null): string {
  return more ? `${word}: ${more}` : word;
}
