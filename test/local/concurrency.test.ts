/** Runs of one concurrency group: one at a time, one that waits, and the newest of those that wait. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { eventually, HERE, type Stage, startStage } from './server.ts';

const workflow = (cancels: string) => `run-name: \${{ inputs.group }} \${{ inputs.serial }}
on: { workflow_dispatch: { inputs: { group: { type: string }, serial: { type: string } } } }
concurrency: { group: 'of-\${{ inputs.group }}'${cancels} }
jobs: { one: { runs-on: ubuntu-latest, steps: [{ run: sleep 60 }] } }
`;

let stage: Stage;
const running = new Map<number, () => void>();
beforeAll(async () => {
  stage = await startStage({
    files: {
      '.github/workflows/waits.yml': workflow(''),
      '.github/workflows/cancels.yml': workflow(', cancel-in-progress: true'),
    },
    executeWorkflow: async ({ runId, signal }) => {
      await new Promise<void>((resolve) => {
        running.set(runId, resolve);
        signal.addEventListener('abort', () => resolve(), { once: true });
        if (signal.aborted) resolve();
      });
      running.delete(runId);
      return { title: '', conclusion: signal.aborted ? 'cancelled' : 'success', jobs: [] };
    },
  });
});
afterEach(async () => {
  await eventually(async () => {
    for (const end of running.values()) end();
    return (await told()).every(({ status }) => status === 'completed');
  }, 'all runs ended');
});
afterAll(() => stage.close());

async function told() {
  const { data } = await stage.as('alice').rest.actions.listWorkflowRunsForRepo({ ...HERE, per_page: 100 });
  return data.workflow_runs;
}

const dispatched = (file: string, group: string, serial: number) =>
  stage.as('alice').rest.actions.createWorkflowDispatch({
    ...HERE,
    workflow_id: file,
    ref: 'main',
    inputs: { group, serial: String(serial) },
  });
const stateOf = async (title: string) => {
  const run = (await told()).find(({ display_title }) => display_title === title);
  return run?.conclusion ?? run?.status;
};
const is = (title: string, state: string) =>
  eventually(async () => (await stateOf(title)) === state, `${title} is ${state}`, 10_000);

test('one runs, one waits, and a third takes the place of the one that waits', async () => {
  for (const serial of [1, 2, 3]) await dispatched('waits.yml', 'a', serial);
  await is('a 1', 'in_progress');
  await is('a 2', 'cancelled');
  expect(await stateOf('a 3')).toBe('queued');
  for (const end of running.values()) end();
  await is('a 1', 'success');
  await is('a 3', 'in_progress');
});

test('another group does not wait for it', async () => {
  await dispatched('waits.yml', 'b', 1);
  await dispatched('waits.yml', 'c', 1);
  await is('b 1', 'in_progress');
  await is('c 1', 'in_progress');
});

test('where the workflow says so, the one that runs is cancelled', async () => {
  await dispatched('cancels.yml', 'd', 1);
  await is('d 1', 'in_progress');
  await dispatched('cancels.yml', 'd', 2);
  await is('d 1', 'cancelled');
  await is('d 2', 'in_progress');
});
