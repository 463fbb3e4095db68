/** What is dispatched for a probe: known by its title, ended by it, and nothing of anybody else's. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { HERE } from '../local/server.ts';
import { json, type ProbeStage, startProbeStage, type Tampering } from './stage.ts';

let stage: ProbeStage;
beforeAll(async () => {
  stage = await startProbeStage();
});
afterAll(() => stage.close());

const DISPATCH = /\/dispatches$/;
const CANCEL = /\/actions\/runs\/(\d+)\/cancel$/;
const pathOf = ({ url }: Request) => new URL(url).pathname;

let cancelled: number[] = [];
beforeEach(() => {
  cancelled = [];
});

/** Runs of tests may have ended before they could be cancelled, so they are told as at work. */
const asAtWork: Tampering = async (answer, request) => {
  const [, id] = CANCEL.exec(pathOf(request)) ?? [];
  if (id !== undefined) {
    cancelled.push(Number(id));
    return Response.json({}, { status: 202 });
  }
  return json(
    (body: { workflow_runs: object[] }) => ({
      ...body,
      workflow_runs: body.workflow_runs.map((one) => ({ ...one, status: 'in_progress', conclusion: null })),
    }),
    (path) => path.endsWith('/runs'),
  )(answer, request);
};

const both =
  (one: Tampering): Tampering =>
  async (answer, request) =>
    asAtWork(await one(answer, request), request);

async function verifyRuns(): Promise<readonly number[]> {
  const { data } = await stage
    .as('alice')
    .rest.actions.listWorkflowRuns({ ...HERE, workflow_id: 'loopwright-verify.yml' });
  return data.workflow_runs.map(({ id }) => id);
}

async function dispatched(tampering: Tampering) {
  const before = await verifyRuns();
  const { rows, left } = await stage.probed(['dispatch'], { tampering: both(tampering) });
  const own = (await verifyRuns()).filter((id) => !before.includes(id));
  const [row] = rows;
  expect(row?.state === 'ok' || Boolean(row?.remedy)).toBe(true);
  return { row, left, own };
}

const unchanged: Tampering = (answer) => answer;
const refused = (status: number, message: string): Tampering => {
  return (answer, request) => (DISPATCH.test(pathOf(request)) ? Response.json({ message }, { status }) : answer);
};

test('the run that a dispatch has started is the one that its answer names, and that one alone is ended', async () => {
  const { row, left, own } = await dispatched(unchanged);
  expect(own).toHaveLength(1);
  expect(row).toMatchObject({ state: 'ok', sentence: expect.stringContaining(`Run ${own[0]} was dispatched`) });
  expect([cancelled, left]).toEqual([own, []]);
});

test('an answer that names another run is told with both, and that other one is left alone', async () => {
  const [other = 0] = (await dispatched(unchanged)).own;
  cancelled = [];
  const naming = json(
    (body: object) => ({ ...body, workflow_run_id: other }),
    (path) => DISPATCH.test(path),
  );
  const { row, left, own } = await dispatched(naming);
  expect(row).toMatchObject({
    state: 'wrong',
    sentence: `The answer to a dispatch names run ${other}; the run that it started is ${own[0]}.`,
  });
  expect([cancelled, left]).toEqual([own, []]);
});

test('an answer that names no run is told, though the run is found', async () => {
  const nameless: Tampering = (answer, request) =>
    DISPATCH.test(pathOf(request)) ? new Response(null, { status: 204 }) : answer;
  const { row, left, own } = await dispatched(nameless);
  expect(row).toMatchObject({
    state: 'wrong',
    sentence: expect.stringContaining(`run ${own[0]} was found from the list`),
  });
  expect([cancelled, left]).toEqual([own, []]);
});

test('a GitHub that does not know the question is told, but where it is an older server', async () => {
  const asOlder = (version: Readonly<Record<string, string>>): Tampering => {
    let asked = 0;
    return (answer, request) => {
      if (!DISPATCH.test(pathOf(request))) {
        const headers = { ...Object.fromEntries(answer.headers), ...version };
        const changed = new Response(answer.body, { status: answer.status, headers });
        return Object.defineProperty(changed, 'url', { value: answer.url });
      }
      asked += 1;
      return asked === 1
        ? Response.json({ message: '"return_run_details" is not a permitted key.' }, { status: 422 })
        : new Response(null, { status: 204 });
    };
  };
  const onGitHub = await dispatched(asOlder({}));
  expect(onGitHub.row).toMatchObject({
    state: 'wrong',
    sentence: expect.stringContaining('from the list, as the question was refused'),
  });
  expect(onGitHub.left).toEqual([]);
  const onServer = await dispatched(asOlder({ 'x-github-enterprise-version': '3.20.0' }));
  expect(onServer.row).toMatchObject({ state: 'ok' });
  expect(new Set(cancelled)).toEqual(new Set([...onGitHub.own, ...onServer.own]));
});

test('a run that was started though the dispatch was answered as failed is ended', async () => {
  const { row, left, own } = await dispatched(refused(502, 'Server Error'));
  expect(own).toHaveLength(1);
  expect(row?.state).toBe('unknown');
  expect([cancelled, left]).toEqual([own, []]);
});

test('a run that cannot be ended, or is not listed, is left', async () => {
  const kept: Tampering = (answer, request) =>
    CANCEL.test(pathOf(request)) ? Response.json({ message: 'Forbidden' }, { status: 403 }) : answer;
  const { left } = await stage.probed(['dispatch'], {
    tampering: async (answer, request) =>
      CANCEL.test(pathOf(request)) ? kept(answer, request) : asAtWork(answer, request),
  });
  expect(left).toEqual([
    expect.stringMatching(/^the run "loopwright-verify probe \S+ entry 1 \(PROVE\)" is left: .*403/),
  ]);
  const hidden = json(
    (body: object) => ({ ...body, workflow_runs: [] }),
    (path) => path.endsWith('/runs'),
  );
  const unlisted = await dispatched(hidden);
  expect(unlisted.row).toMatchObject({ state: 'unknown', sentence: expect.stringContaining('no run with the title') });
  expect(unlisted.left).toEqual([expect.stringMatching(/is left: GitHub may have started it/)]);
});

test.each([
  [404, 'Not Found'],
  [422, 'Unexpected inputs provided: ["model"]'],
])(
  'a dispatch that is refused with %d started nothing, and the workflow files are to be written',
  async (status, message) => {
    const from = Date.now();
    const none = json(
      () => ({ total_count: 0, workflow_runs: [] }),
      (path) => path.endsWith('/runs'),
    );
    const { row, left } = await dispatched(async (answer, request) =>
      none(await refused(status, message)(answer, request), request),
    );
    expect(row).toMatchObject({
      state: 'unknown',
      sentence: expect.stringContaining(message),
      remedy: 'Write the workflow files with `loopwright init --force` and merge them.',
    });
    expect([cancelled, left]).toEqual([[], []]);
    expect(Date.now() - from).toBeLessThan(10_000);
  },
);
