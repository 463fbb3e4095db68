import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from './acts.ts';
import { commentOn, openLabelledIssue } from './journey.ts';
import { type Processes, startProcesses } from './processes.ts';
import { isMarkedOn, pullsOf, reactionsTo, runsOf } from './seen.ts';

let processes: Processes;
beforeAll(async () => {
  processes = await startProcesses();
});
afterAll(() => processes.close());

test('an approval is taken in the moment in which the packet becomes visible, while the App does not know that yet', async () => {
  const visible = processes.toGitHub.hold(
    'answer',
    ({ method, body }) => method === 'POST' && body.includes('loopwright:packet/'),
  );
  const issue = await openLabelledIssue(processes);
  await eventually(() => isMarkedOn(processes, issue, 'ask/'), 'the questions');
  await commentOn(processes, issue, '/answer 1a 2a');
  await visible.reached;
  const [pull] = await pullsOf(processes);
  const approval = await commentOn(processes, pull?.number ?? 0, '/approve');
  // Longer than a whole second, in which GitHub's times are told, and long enough for the App to hear it.
  await sleep(2500);
  visible.release();
  await eventually(async () => (await reactionsTo(processes, approval)).length > 0, 'the reaction to /approve');
  expect(await reactionsTo(processes, approval)).toEqual(['+1']);
  await eventually(async () => (await runsOf(processes)).length > 0, 'the run of BUILD');
});
