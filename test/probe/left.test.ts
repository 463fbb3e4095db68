/** What comes of a probe whatever GitHub does at its end, and what silence shows. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { json, type ProbeStage, startProbeStage, type Tampering } from './stage.ts';

let stage: ProbeStage;
beforeAll(async () => {
  stage = await startProbeStage();
});
afterAll(() => stage.close());

const answering =
  (status: number, message: string, isAbout: (request: Request) => boolean, headers = {}): Tampering =>
  (answer, request) =>
    isAbout(request) ? Response.json({ message }, { status, headers }) : answer;

const isRemoval = ({ method }: Request) => method === 'DELETE';

test('what was seen and what is left is told also where GitHub fails at the end', async () => {
  const fails = (request: Request) => isRemoval(request) || isTold;
  let isTold = false;
  const { rows, left, serverVersion } = await stage.probed(['signature'], {
    tampering: (answer, request) => {
      if (isRemoval(request)) isTold = true;
      return answering(500, 'Server Error', fails)(answer, request);
    },
  });
  expect([rows.map(({ state }) => state), serverVersion]).toEqual([['ok'], null]);
  expect(left).toEqual([expect.stringMatching(/^the ref refs\/loopwright\/probe\/\S+-signed is left: .*500/)]);
});

test('a removal that was done, though it was answered as failed, leaves nothing', async () => {
  const { left } = await stage.probed(['signature'], { tampering: answering(502, 'Server Error', isRemoval) });
  expect([left, await stage.leftovers()]).toEqual([[], ['main']]);
});

test('a removal that a short limit refuses is tried once more when it is over', async () => {
  let refusals = 0;
  const limited = answering(
    403,
    'You have exceeded a secondary rate limit.',
    (request) => isRemoval(request) && refusals++ === 0,
    { 'retry-after': '1' },
  );
  const { left } = await stage.probed(['signature'], { tampering: limited });
  expect([refusals, left, await stage.leftovers()]).toEqual([2, [], ['main']]);
});

test('a ref that was never made is not left, whatever is said of its removal', async () => {
  const { rows, left } = await stage.probed(['signature', 'quarantine'], {
    tampering: answering(
      403,
      'Resource not accessible by integration',
      (request) => isRemoval(request) || (request.method === 'POST' && request.url.endsWith('/git/commits')),
    ),
  });
  expect(rows.map(({ state }) => state)).toEqual(['unknown', 'unknown']);
  expect([left, await stage.leftovers()]).toEqual([[], ['main']]);
});

test('silence about a quarantined ref shows something only where a branch is heard of', async () => {
  const deaf = json(
    () => [],
    (path) => path.endsWith('/hook/deliveries'),
  );
  const untold = await stage.probed(['quarantine'], { tampering: deaf });
  expect(untold.rows[0]).toMatchObject({
    state: 'unknown',
    sentence: expect.stringMatching(/^A push to a branch was told by no webhook within 2 s/),
    remedy: expect.stringContaining('hears of `push`'),
  });
  const still = json(
    () => ({ total_count: 0, workflow_runs: [] }),
    (path) => path.endsWith('/actions/runs'),
  );
  const unstarted = await stage.probed(['quarantine'], { tampering: still });
  expect(unstarted.rows[0]).toMatchObject({
    state: 'unknown',
    sentence: expect.stringMatching(/sent no webhook within 2 s; one to a branch started no workflow either/),
    remedy: expect.stringContaining('Commit a workflow on `push`'),
  });
  expect(await stage.leftovers()).toEqual(['main']);
});
