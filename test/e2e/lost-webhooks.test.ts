import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from './acts.ts';
import { commentOn, openLabelledIssue } from './journey.ts';
import { type Processes, startProcesses } from './processes.ts';
import { isMarkedOn, lost, pullsOf, reactionsTo, undelivered } from './seen.ts';

let processes: Processes;
beforeAll(async () => {
  processes = await startProcesses();
});
afterAll(() => processes.close());

test('what people say while the App is down is taken in when it is up again, once', async () => {
  const issue = await openLabelledIssue(processes);
  await eventually(() => isMarkedOn(processes, issue, 'ask/'), 'the questions');
  await processes.kill('app');
  const answer = await commentOn(processes, issue, '/answer 1a 2a');
  // The whole body: the questions quote the command.
  const body = JSON.stringify('/answer 1a 2a');
  await lost(processes, 'issue_comment.created', body);
  await processes.startApp();
  await eventually(async () => (await reactionsTo(processes, answer)).length > 0, 'the reaction to /answer');
  await eventually(async () => (await pullsOf(processes)).length > 0, 'the packet');
  expect(await reactionsTo(processes, answer)).toEqual(['+1']);
  const said = undelivered(processes).filter(({ payload }) => payload.includes(body));
  expect(said.map(({ redelivery, outcome }) => ({ redelivery, outcome }))).toEqual([
    { redelivery: false, outcome: 'failed to connect to host' },
  ]);
});
