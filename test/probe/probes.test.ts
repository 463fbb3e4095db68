/** Each probe on the embedded GitHub, where what it is about is so, and where it is not. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PROBES } from '../../src/probe/probes.ts';
import { changeWorkflow, json, type ProbeStage, personOn, startProbeStage, type Tampering } from './stage.ts';

let stage: ProbeStage;
beforeAll(async () => {
  stage = await startProbeStage();
});
afterAll(() => stage.close());

/** By jobs of the runner; they have tests of their own. */
const BY_JOB = PROBES.filter(({ area }) => area === 'job').map(({ subject }) => subject);
/** Where the App may write workflows it may do more than it asks for; that it has what it asks for has a test of its own. */
const HERE_SEEN = PROBES.map(({ subject }) => subject).filter(
  (subject) => !BY_JOB.includes(subject) && subject !== 'as registered',
);

test('where all is as a loop takes it for granted every row says so, and what was written is taken back', async () => {
  await changeWorkflow(stage);
  await stage.local('PATCH', '/faults/limits', { requestsPerMinute: 1000, creationsPerMinute: 100 }, 'alice');
  const say = personOn(stage);
  const report = await stage.probed(HERE_SEEN, { mayLoad: true, hasPerson: true, say });
  await stage.local('PATCH', '/faults/limits', { requestsPerMinute: null, creationsPerMinute: null }, 'alice');
  expect(report.rows.map(({ subject, state, sentence }) => [subject, state, state === 'ok' || sentence])).toEqual(
    HERE_SEEN.map((subject) => [subject, 'ok', true]),
  );
  expect(report.told).toEqual(HERE_SEEN);
  expect([report.serverVersion, report.left]).toEqual([null, []]);
  expect(Date.now() - Date.parse(report.at)).toBeLessThan(120_000);
  expect(await stage.leftovers()).toEqual(['main']);
});

test('an interruption ends the waiting, tries nothing more, and takes back what was written', async () => {
  const stopping = new AbortController();
  const report = await stage.probed(undefined, {
    signal: stopping.signal,
    tampering: (answer, { method, url }) => {
      if (method === 'GET' && url.includes('/actions/runs')) stopping.abort();
      return answer;
    },
  });
  expect(report.told).toEqual(['quarantine']);
  expect(report.rows.map(({ state }) => state)).toEqual(['unknown']);
  expect(report.left).toEqual([]);
  expect(await stage.leftovers()).toEqual(['main']);
});

const refusedTogether: Tampering = (answer, { url }) =>
  url.endsWith('/graphql')
    ? Response.json({
        data: null,
        errors: [{ type: 'UNDEFINED', message: "Field 'createCheckRun' doesn't exist on type 'Mutation'" }],
      })
    : answer;

const withoutChecks = json(
  () => ({ total_count: 0, check_runs: [] }),
  (path) => /\/commits\/[^/]+\/check-runs$/.test(path),
);

test('check runs that GitHub refused together, and made, are not known to be taken', async () => {
  const report = await stage.probed(['several at once'], { tampering: refusedTogether });
  expect(report.rows[0]).toMatchObject({
    state: 'unknown',
    sentence: 'GitHub refused two check runs in one request, and made both.',
  });
});

describe('what is not so is told', () => {
  test.each<[string, RegExp, Tampering]>([
    [
      'quarantine',
      /started CI: what lies there before it is proved is not out of reach\.$/,
      json(
        (body: object) => ({
          ...body,
          total_count: 1,
          workflow_runs: [{ name: 'CI', path: '.github/workflows/ci.yml' }],
        }),
        (path) => path.endsWith('/actions/runs'),
      ),
    ],
    [
      'signature',
      /not Verified \(unsigned\)/,
      json(
        (body: object) => ({ ...body, verification: { verified: false, reason: 'unsigned' } }),
        (path) => /\/git\/commits\/[0-9a-f]{40}$/.test(path),
      ),
    ],
    [
      'several at once',
      /^GitHub did not take two check runs by one request: they are written one by one\.$/,
      async (answer, request) => withoutChecks(await refusedTogether(answer, request), request),
    ],
    [
      'by id',
      /^These answer with no JSON: \/pulls\?state=all&per_page=5, /,
      (answer, { method, url }) =>
        method === 'GET' && /\/(?:repos\/alice\/toys|repositories\/\d+)\/(?!git\/matching-refs)/.test(url)
          ? Object.defineProperty(new Response('<html>', { headers: { 'content-type': 'text/html' } }), 'url', {
              value: answer.url,
            })
          : answer,
    ],
    [
      'by id',
      /answer otherwise than by its name: \/pulls\?state=all&per_page=5\.$/,
      json(
        (body: object[]) => [...body, {}],
        (path) => /\/repositories\/\d+\/pulls$/.test(path),
      ),
    ],
    [
      'draft and back',
      /was ready, then ready, then ready; wanted/,
      json(
        (body: object) => ({ ...body, draft: false }),
        (path) => /\/pulls\/\d+$/.test(path),
      ),
    ],
  ])('%s', async (subject, sentence, tampering) => {
    const report = await stage.probed([subject], { tampering });
    const [row] = report.rows;
    expect(row).toMatchObject({ subject, state: 'wrong', sentence: expect.stringMatching(sentence) });
    expect(row?.remedy).toBeTruthy();
    expect(await stage.leftovers()).toEqual(['main']);
  });

  test.each([
    ['queued', { status: 'queued' }],
    ['waiting for a person', { status: 'waiting', runner_id: null, runner_name: null }],
    ['skipped', { status: 'completed', conclusion: 'skipped', runner_id: 0, runner_name: '' }],
    ['cancelled before', { status: 'completed', conclusion: 'cancelled', runner_id: null, runner_name: null }],
  ])('a run whose job is %s was begun by no runner', async (_, told) => {
    const report = await stage.probed(['dispatch'], {
      tampering: json(
        (body: { jobs: object[] }) => ({ ...body, jobs: body.jobs.map((job) => ({ ...job, ...told })) }),
        (path) => path.endsWith('/jobs'),
      ),
    });
    expect(report.rows[0]).toMatchObject({ state: 'unknown', sentence: expect.stringContaining('no runner began it') });
  });

  test('what GitHub refuses is not known, and what could not be taken back is said', async () => {
    const refused = (path: string) => path.endsWith('/git/commits') || /\/git\/refs\/loopwright/.test(path);
    const report = await stage.probed(['quarantine'], {
      tampering: (answer, request) => {
        if (request.method === 'GET' || !refused(new URL(request.url).pathname)) return answer;
        return Response.json({ message: 'Resource not accessible by integration' }, { status: 403 });
      },
    });
    expect(report.rows[0]).toMatchObject({ state: 'unknown', sentence: expect.stringContaining('not accessible') });
    expect(report.counts).toEqual({ ok: 0, missing: 0, wrong: 0, unknown: 1 });
  });
});
