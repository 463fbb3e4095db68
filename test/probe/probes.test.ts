/** Each probe on the embedded GitHub, where what it is about is so, and where it is not. */
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGitHub } from '../../src/github/github.ts';
import type { RepositoryRef } from '../../src/github/github-port.ts';
import { createProbing } from '../../src/github/probing.ts';
import { wire } from '../../src/github/wire.ts';
import { probeAll } from '../../src/probe/probe-all.ts';
import { PROBES } from '../../src/probe/probes.ts';
import { setupText } from '../../src/settings/setup-files.ts';
import { HERE, type Stage, startStage } from '../local/server.ts';
import { executeHere } from '../local/workflow-kit.ts';

let stage: Stage;
let repository: RepositoryRef;
beforeAll(async () => {
  const verify = await setupText(['workflows', 'loopwright-verify.yml'], 'github.com');
  const ci = 'name: CI\non: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps: [{ run: echo ok }]\n';
  const files = {
    'README.md': '# Toys\n',
    '.github/workflows/loopwright-verify.yml': verify,
    '.github/workflows/ci.yml': ci,
  };
  stage = await startStage({ files, executeWorkflow: executeHere });
  const { data } = await stage.as('alice').rest.repos.get(HERE);
  repository = { installationId: stage.server.credentials.installationId, repositoryId: data.id, ...HERE };
});
afterAll(() => stage.close());

type Tampering = (answer: Response, request: Request) => Response | Promise<Response>;

async function probed(
  subject: string | undefined,
  tampering: Tampering = (answer) => answer,
  stopping = new AbortController(),
) {
  const { appId, privateKey } = stage.server.credentials;
  const apiUrl = `${stage.server.url}/api/v3`;
  const through = wire({ apiUrl, checked: true, probes: true });
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    return tampering(await through(request.clone()), request);
  };
  const options = { appId, privateKey, apiUrl, fetch, pauseMs: 1, log: pino({ level: 'silent' }) };
  const told: string[] = [];
  const report = await probeAll({
    ...{ github: createGitHub(options), probing: createProbing(options), repository },
    ...{ patienceMs: 1500, signal: stopping.signal, now: () => new Date() },
    tell: (probe) => void told.push(probe.subject),
    probes: PROBES.filter((probe) => subject === undefined || probe.subject === subject),
  });
  return { ...report, told };
}

/** What is there that nobody but a probe makes. */
async function leftovers() {
  const { rest } = stage.as('alice');
  const { data: refs } = await rest.git.listMatchingRefs({ ...HERE, ref: 'loopwright/' });
  const { data: branches } = await rest.repos.listBranches({ ...HERE, per_page: 100 });
  const { data: pulls } = await rest.pulls.list({ ...HERE, state: 'open' });
  return [...refs.map(({ ref }) => ref), ...branches.map(({ name }) => name), ...pulls.map(({ title }) => title)];
}

test('where all is as a loop takes it for granted every row says so, and what was written is taken back', async () => {
  const report = await probed(undefined);
  expect(report.rows.map(({ subject, state }) => [subject, state])).toEqual(
    PROBES.map(({ subject }) => [subject, 'ok']),
  );
  expect(report.told).toEqual(PROBES.map(({ subject }) => subject));
  expect([report.serverVersion, report.left]).toEqual([null, []]);
  expect(Date.now() - Date.parse(report.at)).toBeLessThan(120_000);
  expect(await leftovers()).toEqual(['main']);
});

test('an interruption ends the waiting, tries nothing more, and takes back what was written', async () => {
  const stopping = new AbortController();
  const report = await probed(
    undefined,
    (answer, { method, url }) => {
      if (method === 'GET' && url.includes('/actions/runs')) stopping.abort();
      return answer;
    },
    stopping,
  );
  expect(report.told).toEqual(['quarantine']);
  expect(report.rows.map(({ state }) => state)).toEqual(['unknown']);
  expect(report.left).toEqual([]);
  expect(await leftovers()).toEqual(['main']);
});

describe('what is not so is told', () => {
  const json = (change: (body: never, request: Request) => unknown, isAbout: (path: string) => boolean): Tampering => {
    return async (answer, request) => {
      if (!isAbout(new URL(request.url).pathname) || !answer.ok) return answer;
      const changed = Response.json(change((await answer.json()) as never, request), { status: answer.status });
      return Object.defineProperty(changed, 'url', { value: answer.url });
    };
  };

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
      /are not both there/,
      json(
        (body: { check_runs: object[] }) => ({ ...body, check_runs: body.check_runs.slice(0, 1) }),
        (path) => path.endsWith('/check-runs'),
      ),
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
    const report = await probed(subject, tampering);
    const [row] = report.rows;
    expect(row).toMatchObject({ subject, state: 'wrong', sentence: expect.stringMatching(sentence) });
    expect(row?.remedy).toBeTruthy();
    expect(await leftovers()).toEqual(['main']);
  });

  test('a run that no runner begins is not known to begin', async () => {
    const report = await probed(
      'dispatch',
      json(
        (body: { jobs: object[] }) => ({ ...body, jobs: body.jobs.map((job) => ({ ...job, status: 'queued' })) }),
        (path) => path.endsWith('/jobs'),
      ),
    );
    expect(report.rows[0]).toMatchObject({ state: 'unknown', sentence: expect.stringContaining('no runner began it') });
  });

  test('what GitHub refuses is not known, and what could not be taken back is said', async () => {
    const refused = (path: string) => path.endsWith('/git/commits') || /\/git\/refs\/loopwright/.test(path);
    const report = await probed('quarantine', (answer, request) => {
      if (request.method === 'GET' || !refused(new URL(request.url).pathname)) return answer;
      return Response.json({ message: 'Resource not accessible by integration' }, { status: 403 });
    });
    expect(report.rows[0]).toMatchObject({ state: 'unknown', sentence: expect.stringContaining('not accessible') });
    expect(report.counts).toEqual({ ok: 0, missing: 0, wrong: 0, unknown: 1 });
  });
});
