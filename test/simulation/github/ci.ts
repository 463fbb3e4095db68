/** The repository's own CI: what starts when a branch moves, says what it says when it says it, and knows nothing of loops. */
import { ACTIONS, type Account, type Check, type Hub, type Suite } from './hub.ts';
import { sendCheckRun, sendStatus, sendSuite } from './payloads.ts';

const SIGNER: Account = { id: 902, login: 'dco[bot]', type: 'Bot' };

interface Job {
  readonly name: string;
  /** Jobs that must end before this one gets a check run at all. */
  readonly needs: readonly string[];
}

/** Starts the CI whenever a branch moves; quarantine refs start nothing. */
export function installCi(hub: Hub): void {
  const jobs = drawJobs(hub);
  hub.onPush.push((ref, sha) => {
    if (!ref.startsWith('refs/heads/')) return;
    const soon = hub.random.between(500, 3000);
    if (jobs.length > 0) hub.scheduler.after(soon, () => startSuite(hub, sha, jobs));
    if (hub.odds.silentSuite) hub.scheduler.after(soon, () => void addSuite(hub, sha, 'silent', false));
    if (hub.odds.quickStatus) hub.scheduler.after(3000, () => sayStatus(hub, sha));
  });
}

function drawJobs({ odds, random }: Hub): readonly Job[] {
  return Array.from({ length: odds.ciJobs }, (_, index) => ({
    name: `job ${index + 1}`,
    needs: index > 0 && random.chance(0.5) ? [`job ${random.integer(1, index)}`] : [],
  }));
}

function addSuite(hub: Hub, sha: string, name: string, speaks: boolean): Suite {
  const atMs = hub.scheduler.nowMs();
  const suite: Suite = {
    id: hub.nextId(),
    sha,
    name,
    startedMs: atMs,
    speaks,
    status: 'queued',
    conclusion: undefined,
    changedMs: atMs,
  };
  hub.suites.set(suite.id, suite);
  return suite;
}

function startSuite(hub: Hub, sha: string, jobs: readonly Job[]): void {
  if ([...hub.suites.values()].some((suite) => suite.sha === sha && suite.speaks)) return;
  const suite = addSuite(hub, sha, 'ci', true);
  suite.status = 'in_progress';
  startReady(hub, suite, jobs);
}

/** Gives a check run to each job whose needs have ended well; the others are skipped with them. */
function startReady(hub: Hub, suite: Suite, jobs: readonly Job[]): void {
  const known = new Map(checksOf(hub, suite).map((check) => [check.name, check]));
  for (const job of jobs) {
    const needed = job.needs.map((name) => known.get(name));
    if (known.has(job.name) || needed.some((check) => check?.status !== 'completed')) continue;
    const isSkipped = needed.some((check) => check?.conclusion !== 'success');
    startJob(hub, suite, jobs, job.name, isSkipped);
  }
  finishWhereDone(hub, suite, jobs);
}

function startJob(hub: Hub, suite: Suite, jobs: readonly Job[], name: string, isSkipped: boolean): void {
  const { random, odds, scheduler } = hub;
  const check: Check = {
    id: hub.nextId(),
    sha: suite.sha,
    name,
    suite: suite.id,
    own: false,
    status: 'in_progress',
    conclusion: undefined,
    changedMs: scheduler.nowMs(),
    externalId: '',
    text: '',
  };
  hub.checks.set(check.id, check);
  if (!isSkipped && !hub.calm && random.chance(odds.ciStalls)) return;
  const conclusion = isSkipped ? 'skipped' : !hub.calm && random.chance(odds.ciFails) ? 'failure' : 'success';
  scheduler.after(isSkipped ? 100 : 15_000 + random.around(90_000), () => {
    check.status = 'completed';
    check.conclusion = conclusion;
    check.changedMs = scheduler.nowMs();
    suite.changedMs = scheduler.nowMs();
    sendCheckRun(hub, 'completed', check, ACTIONS);
    scheduler.after(random.between(500, 6000), () => startReady(hub, suite, jobs));
  });
}

function finishWhereDone(hub: Hub, suite: Suite, jobs: readonly Job[]): void {
  const checks = checksOf(hub, suite);
  if (suite.status === 'completed' || checks.length < jobs.length) return;
  if (checks.some(({ status }) => status !== 'completed')) return;
  suite.status = 'completed';
  suite.conclusion = checks.some(({ conclusion }) => conclusion === 'failure') ? 'failure' : 'success';
  suite.changedMs = hub.scheduler.nowMs();
  sendSuite(hub, suite.sha, ACTIONS, suite.conclusion);
}

function checksOf(hub: Hub, suite: Suite): readonly Check[] {
  return [...hub.checks.values()].filter((check) => check.suite === suite.id);
}

function sayStatus(hub: Hub, sha: string): void {
  const check: Check = {
    id: hub.nextId(),
    sha,
    name: 'DCO',
    suite: undefined,
    own: false,
    status: 'completed',
    conclusion: 'success',
    changedMs: hub.scheduler.nowMs(),
    externalId: '',
    text: '',
  };
  hub.checks.set(check.id, check);
  sendStatus(hub, sha, SIGNER, 'success');
}

/**
 * Whether everything that began on a commit has ended, and none of it badly: what a careful person would look at before they call it ready.
 * What is red at a commit without the change too is no news.
 */
export function ciVerdictOf(hub: Hub, sha: string, without: readonly string[]): 'green' | 'red' | 'unfinished' {
  const suites = [...hub.suites.values()].filter((suite) => suite.sha === sha && suite.speaks);
  const checks = [...hub.checks.values()].filter((check) => check.sha === sha && !check.own);
  const known = [...hub.checks.values()].filter(
    (check) => without.includes(check.sha) && check.conclusion === 'failure',
  );
  const isNews = ({ name }: Check): boolean => known.every((check) => check.name !== name);
  if (checks.some((check) => check.conclusion === 'failure' && isNews(check))) return 'red';
  const isOpen =
    suites.some(({ status }) => status !== 'completed') || checks.some(({ status }) => status !== 'completed');
  return isOpen ? 'unfinished' : 'green';
}
