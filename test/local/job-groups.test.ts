/** Jobs of one concurrency group, whichever runs they are in: one at a time, one that waits, and the newest of those that wait. */
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createJobGroups } from '../../src/local/actions/job-groups.ts';
import { eventually, HERE, type Stage, startStage } from './server.ts';
import { executeHere } from './workflow-kit.ts';

const REPLACED = "Canceling since a higher priority waiting request for 'g' exists";

describe('of a group', () => {
  function groups(isHeldByRun = () => false) {
    const happened: string[] = [];
    const all = createJobGroups({ isHeldByRun, freed: () => happened.push('freed') });
    const stop = new AbortController();
    const enter = (jobId: number, more: { group?: string; repositoryId?: number; cancelsRunning?: boolean } = {}) => {
      const claim = {
        group: 'g',
        repositoryId: 1,
        cancelsRunning: false,
        runId: jobId * 10,
        signal: stop.signal,
        ...more,
      };
      const cancel = (reason: string) => happened.push(`end ${jobId}: ${reason}`);
      void all.enter({ ...claim, jobId, cancel }).then((reason) => happened.push(`${jobId}: ${reason ?? 'begins'}`));
    };
    /** All that has happened since it was asked last. */
    const since = async () => {
      await new Promise(setImmediate);
      return happened.splice(0);
    };
    return { ...all, enter, stop, since };
  }

  test('one job runs, one waits, and a third takes the place of the one that waits', async () => {
    const { enter, leave, since } = groups();
    for (const job of [1, 2, 3]) enter(job);
    expect(await since()).toEqual(['1: begins', `2: ${REPLACED}`]);
    leave(2);
    expect(await since()).toEqual([]);
    leave(1);
    expect(await since()).toEqual(['freed', '3: begins']);
  });

  test('jobs of another group or repository do not wait for it', async () => {
    const { enter, since } = groups();
    enter(1);
    enter(2, { group: 'h' });
    enter(3, { repositoryId: 2 });
    expect(await since()).toEqual(['1: begins', '2: begins', '3: begins']);
  });

  test('where the new one says so, the one that runs is ended, and the new one begins when it has', async () => {
    const { enter, leave, isHeld, since } = groups();
    enter(1);
    enter(2, { cancelsRunning: true });
    expect(await since()).toEqual([`end 1: ${REPLACED}`, '1: begins']);
    leave(1);
    expect(await since()).toEqual(['freed', '2: begins']);
    expect([isHeld({ repositoryId: 1, group: 'g' }), isHeld({ repositoryId: 2, group: 'g' })]).toEqual([true, false]);
  });

  test('one that waits goes when its run is cancelled, and one that runs stays until it has ended', async () => {
    const { enter, leave, stop, isHeld, since } = groups();
    enter(1);
    enter(2);
    stop.abort();
    expect(await since()).toEqual(['1: begins', '2: ']);
    expect(isHeld({ repositoryId: 1, group: 'g' })).toBe(true);
    leave(1);
    enter(3);
    expect(await since()).toEqual(['freed', '3: ']);
  });

  test('it waits for a run of the same group', async () => {
    let isHeld = true;
    const { enter, wake, since } = groups(() => isHeld);
    enter(1);
    expect(await since()).toEqual([]);
    isHeld = false;
    wake();
    expect(await since()).toEqual(['1: begins']);
  });
});

const hold = (keys: string) =>
  `{ runs-on: ubuntu-latest, ${keys} steps: [{ run: 'touch "$PLACE/begun"; until [ -e "$PLACE/go" ]; do sleep 0.1; done' }] }`;
const workflow = (top: string, keys: string) => `run-name: \${{ inputs.title }}
on: { workflow_dispatch: { inputs: { place: { type: string }, title: { type: string } } } }
env: { PLACE: '\${{ inputs.place }}' }
${top}jobs: { one: ${hold(keys)} }
`;
const GROUP = `'Site-\${{ github.ref_name }}'`;
const FILES = {
  'README.md': '# Toys\n',
  '.github/workflows/job.yml': workflow('', `concurrency: ${GROUP},`),
  '.github/workflows/cancels.yml': workflow('', `concurrency: { group: ${GROUP}, cancel-in-progress: true },`),
  '.github/workflows/run.yml': workflow(`concurrency: ${GROUP}\n`, ''),
  '.github/workflows/run-cancels.yml': workflow(`concurrency: { group: ${GROUP}, cancel-in-progress: true }\n`, ''),
  '.github/workflows/both.yml': workflow(`concurrency: ${GROUP}\n`, `concurrency: ${GROUP},`),
};

describe('runs', () => {
  let stage: Stage;
  const places = new Map<string, string>();
  beforeAll(async () => {
    stage = await startStage({ files: FILES, executeWorkflow: executeHere });
  });
  afterAll(() => stage.close());

  async function dispatch(file: string, title: string): Promise<void> {
    const place = mkdtempSync(join(stage.directory, 'place-'));
    places.set(title, place);
    const inputs = { place, title };
    await stage.as('bob').rest.actions.createWorkflowDispatch({ ...HERE, workflow_id: file, ref: 'main', inputs });
  }
  const end = (title: string) => writeFileSync(join(places.get(title) ?? '', 'go'), '');
  const hasBegun = (title: string) => existsSync(join(places.get(title) ?? '', 'begun'));
  const begins = (title: string) => eventually(async () => hasBegun(title), `${title} begins`, 60_000);
  async function jobOf(title: string) {
    const { actions } = stage.as('alice').rest;
    const { data } = await actions.listWorkflowRunsForRepo(HERE);
    const run = data.workflow_runs.find(({ display_title }) => display_title === title);
    const { data: listed } = await actions.listJobsForWorkflowRun({ ...HERE, run_id: run?.id ?? 0 });
    const [job] = listed.jobs;
    return { run: run?.conclusion ?? run?.status, job: job?.conclusion ?? job?.status, id: job?.id ?? 0 };
  }
  const becomes = (title: string, state: string) =>
    eventually(async () => (await jobOf(title)).run === state, `${title} is ${state}`, 60_000);
  const notesOf = async (title: string) => {
    const { id } = await jobOf(title);
    const { data } = await stage.as('alice').rest.checks.listAnnotations({ ...HERE, check_run_id: id });
    return data.map(({ message }) => message);
  };

  test('a job waits, queued, until the job of another run has ended', async () => {
    await dispatch('job.yml', 'a');
    await begins('a');
    await dispatch('job.yml', 'b');
    await eventually(async () => (await jobOf('b')).job === 'queued', 'b waits', 60_000);
    expect(hasBegun('b')).toBe(false);
    end('a');
    await begins('b');
    await becomes('a', 'success');
    end('b');
    await becomes('b', 'success');
  });

  test('a job ends the one that runs where its file says so, with GitHub’s sentence', async () => {
    await dispatch('job.yml', 'c');
    await begins('c');
    await dispatch('cancels.yml', 'd');
    await becomes('c', 'cancelled');
    expect(await notesOf('c')).toEqual(["Canceling since a higher priority waiting request for 'site-main' exists"]);
    await begins('d');
    end('d');
    await becomes('d', 'success');
  });

  test('a run and a job of one group wait for each other', async () => {
    await dispatch('run.yml', 'e');
    await begins('e');
    await dispatch('job.yml', 'f');
    await eventually(async () => (await jobOf('f')).job === 'queued', 'f waits', 60_000);
    await dispatch('run.yml', 'g');
    expect(hasBegun('f')).toBe(false);
    end('e');
    await begins('f');
    expect((await jobOf('g')).run).toBe('queued');
    end('f');
    await begins('g');
    end('g');
    await becomes('g', 'success');
  });

  test('each ends the other where its file says so', async () => {
    await dispatch('run.yml', 'i');
    await begins('i');
    await dispatch('cancels.yml', 'j');
    await becomes('i', 'cancelled');
    await begins('j');
    await dispatch('run-cancels.yml', 'k');
    await becomes('j', 'cancelled');
    await begins('k');
    end('k');
    await becomes('k', 'success');
  });

  test('a job that would wait for its own run is cancelled', async () => {
    await dispatch('both.yml', 'h');
    await becomes('h', 'cancelled');
    expect(await notesOf('h')).toEqual([
      "Canceling since a deadlock for concurrency group 'site-main' was detected between 'top level workflow' and 'one'",
    ]);
  });
});
