/**
 * `npm run bench:job`: how long a job takes until its own program speaks, beside what its checkouts take: the runner's own steps, the set-up, job and brief from the App, and the program's start.
 * By the times in the logs of runs, on a runner that is a process of its own. What GitHub's runners take besides only they show.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { optionsOrEnd } from '../command-line.ts';
import { type Processes, startProcesses } from '../e2e/processes.ts';
import { prepare } from '../prepared.ts';
import { median } from './median.ts';

const json = optionsOrEnd({
  typed: 'npm run bench:job --',
  purpose: 'Measures how long a job takes until its own program speaks, beside its checkouts.',
  options: { json: { meaning: 'one JSON object instead of text' } },
  read: (given) => given.json === true,
});
const RUNS = 7;
/** Of them, to warm what all need. */
const FIRST_RUNS = 2;
const GOAL_S = 3;
const PATIENCE_MS = 120_000;

const runs = z.object({
  workflow_runs: z.array(z.object({ id: z.int(), status: z.string(), display_title: z.string() })),
});
const jobs = z.object({ jobs: z.array(z.object({ id: z.int() })) });
const checks = z.object({
  check_runs: z.array(z.object({ status: z.string(), external_id: z.string().nullable() })),
});
const identified = z.object({ number: z.int() });

const proofsOf = async ({ as }: Processes) =>
  runs
    .parse(await as('GET', '/actions/runs?per_page=100'))
    .workflow_runs.filter(({ display_title: title }) => title.includes('/proof'));

/** A pull request whose proof is short: nothing in it is a test. */
async function opened({ as }: Processes): Promise<number> {
  const main = z.object({ object: z.object({ sha: z.string() }) }).parse(await as('GET', '/git/ref/heads/main'));
  await as('POST', '/git/refs', { ref: 'refs/heads/notes', sha: main.object.sha });
  const content = Buffer.from('A note.\n').toString('base64');
  await as('PUT', '/contents/NOTES.md', { message: 'Add a note', branch: 'notes', content });
  return identified.parse(await as('POST', '/pulls', { title: 'Add a note', head: 'notes', base: 'main' })).number;
}

async function isTold({ as }: Processes, serial: number): Promise<boolean> {
  const { check_runs: found } = checks.parse(await as('GET', '/commits/notes/check-runs?filter=all&per_page=100'));
  return found.some(({ status, external_id: id }) => status === 'completed' && id?.endsWith(`/${serial}`) === true);
}

/** Asks for one more proof, and gives the log of its job. */
async function logOfOneMore(processes: Processes, pull: number, githubUrl: string): Promise<string> {
  const before = new Set((await proofsOf(processes)).map(({ id }) => id));
  await processes.as('POST', `/issues/${pull}/comments`, { body: '/prove' });
  const untilMs = Date.now() + PATIENCE_MS;
  while (Date.now() < untilMs) {
    const ended = (await proofsOf(processes)).find(({ id, status }) => !before.has(id) && status === 'completed');
    // What was asked for before the App has told of the last one would be another step of that.
    if (ended !== undefined && (await isTold(processes, before.size + 1))) {
      const [job] = jobs.parse(await processes.as('GET', `/actions/runs/${ended.id}/jobs`)).jobs;
      const address = `${githubUrl}/api/v3/repos/acme/guestbook/actions/jobs/${job?.id}/logs`;
      return (await fetch(address, { headers: { authorization: 'Bearer maria-token' } })).text();
    }
    await delay(100);
  }
  throw new Error(`no proof of #${pull} ended within ${PATIENCE_MS / 1000} s`);
}

interface Start {
  /** From the job's first line to its program's, in seconds. */
  readonly wholeS: number;
  /** Of them, what the checkouts took. */
  readonly checkoutsS: number;
}

const LINE = /^(\d{4}-\d\d-\d\dT[\d:.]+Z) (.*)$/;

/** @throws {Error} for a log in which the program says nothing. */
function startIn(log: string): Start {
  const lines = log.split('\n').flatMap((line) => {
    const [, at, text] = LINE.exec(line) ?? [];
    return at === undefined || text === undefined ? [] : [{ ms: Date.parse(at), text }];
  });
  const spoke = lines.findIndex(({ text }) => /^\d\d:\d\d:\d\d sandbox: /.test(text));
  const [first, last] = [lines[0], lines[spoke]];
  if (first === undefined || last === undefined) throw new Error(`the program said nothing:\n${log.slice(-2000)}`);
  const steps = lines.slice(0, spoke + 1).filter(({ text }) => text.startsWith('##[group]Run '));
  const checkoutsMs = steps.reduce((sum, { ms, text }, index) => {
    const isCheckout = text.startsWith('##[group]Run actions/checkout@');
    return isCheckout ? sum + (steps[index + 1] ?? last).ms - ms : sum;
  }, 0);
  return { wholeS: (last.ms - first.ms) / 1000, checkoutsS: checkoutsMs / 1000 };
}

await prepare();
const processes = await startProcesses();
try {
  const pull = await opened(processes);
  const starts: Start[] = [];
  for (let run = 0; run < RUNS; run += 1)
    starts.push(startIn(await logOfOneMore(processes, pull, processes.githubUrl)));
  const kept = starts.slice(FIRST_RUNS);
  const besideS = median(kept.map(({ wholeS, checkoutsS }) => wholeS - checkoutsS));
  const checkoutsS = median(kept.map(({ checkoutsS: each }) => each));
  const result = { runs: kept.length, besideS, checkoutsS, goalS: GOAL_S };
  const mark = besideS <= GOAL_S ? 'holds' : 'MISSED';
  process.stdout.write(
    json
      ? `${JSON.stringify(result)}\n`
      : `a job's program speaks after ${besideS.toFixed(2)} s beside ${checkoutsS.toFixed(2)} s of checkouts, the middle of ${kept.length} runs (goal ${GOAL_S}): ${mark}\n`,
  );
} finally {
  await processes.close();
}
