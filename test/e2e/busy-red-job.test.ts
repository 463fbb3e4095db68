/** SHIP in a busy repository, where one of the jobs that appear late is red. Virtual is only the time of SHIP (see virtual-time.ts). */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { commanded, eventually, proposed } from './acts.ts';
import { CI_JOBS, LAST_JOB_ENDS, otherApp, runCi } from './busy-ci.ts';
import { createVirtualTime, patientWithChecks } from './virtual-time.ts';
import { withoutMistake } from './without-mistake.ts';
import { startWorld, type World } from './world.ts';

const RED = 'e2e (9)';
const time = createVirtualTime();
let world: World;
beforeAll(async () => {
  world = await startWorld({ script: withoutMistake, prepare: patientWithChecks, time });
});
afterAll(() => world.close());

const pullRow = z.object({ draft: z.boolean(), body: z.string(), mergeable: z.boolean().nullable() });

it('sends the loop back to BUILD with the name of the job, after the last of them has ended', async () => {
  const app = await otherApp(world, 'ci');
  const { ref, review } = await proposed(world, 'Search, with a red job');
  const { issue } = ref;
  await commanded(world, 'maria', issue, '/approve');
  await world.until(issue, ({ shipping }) => shipping?.promotedAt !== undefined);
  const jobs = CI_JOBS.map((job) => (job.name === RED ? { ...job, conclusion: 'failure' as const } : job));
  const pull = async () => pullRow.parse((await world.as('maria', 'GET', `/pulls/${review.pull}`)).body);
  const outcome = await runCi({ world, time, issue, app, jobs, pull });
  expect(outcome.readyAfterS).toBeUndefined();
  expect(outcome.leftAfterS).toBeGreaterThanOrEqual(LAST_JOB_ENDS);
  const back = await world.until(issue, ({ phase }) => phase === 'BUILD');
  expect(back).toMatchObject({ phase: 'BUILD', status: 'working', counters: { iterations: 2 } });
  expect(back.feedback.map(({ message }) => message)).toEqual([expect.stringMatching(/"e2e \(9\)" failed: failure/)]);
  const board = /Building in GitHub Actions.*The last try failed\..*e2e \(9\)/s;
  await eventually(async () => board.test((await pull()).body), 'the board names the job');
  expect((await pull()).draft).toBe(true);
});
