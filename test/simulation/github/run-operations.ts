/** Workflow runs of the App, as the port has them. */
import { UnansweredError } from '../../../src/errors.ts';
import type { GitHub } from '../../../src/github/github-port.ts';
import type { Access } from './github-port.ts';
import type { Hub, Run } from './hub.ts';
import { notFound } from './requests.ts';
import { cancel, listedRuns, startRun } from './runs.ts';

type Runs = Pick<GitHub, 'dispatch' | 'run' | 'cancelRun' | 'artifact'>;

/** As in the adapter: by then a list that does not show a run will not show it. */
const SENDS_AGAIN_FROM = 7;
/** The API may be behind the webhook. */
const STALE_MS = 10_000;

export function runOperations({ hub, wire, work }: Access): Runs {
  const runNumbered = (id: number): Run => {
    const run = hub.runs.get(id);
    if (run === undefined) throw notFound(`GET actions/runs/${id}`);
    return run;
  };
  const cancelRun: GitHub['cancelRun'] = (target, id) =>
    wire.request(target, {
      count: 1,
      writes: true,
      what: `POST actions/runs/${id}/cancel`,
      perform() {
        const run = runNumbered(id);
        hub.note(`the App cancels run ${id}`);
        if (run.status !== 'completed') cancel(hub, run);
      },
    });
  return {
    async dispatch(target, workflow, inputs, attempt) {
      const { loop = '', entry = '', phase = '' } = inputs;
      const title = `${workflow.replace(/\.ya?ml$/, '')} ${loop} entry ${entry} (${phase})`;
      const look = () =>
        wire.request(target, {
          count: attempt === 1 ? 1 : 2,
          writes: false,
          what: `GET actions/workflows/${workflow}/runs`,
          perform() {
            if (hub.missingWorkflows.has(workflow)) throw notFound(`GET actions/workflows/${workflow}/runs`);
            return listedRuns(hub, title);
          },
        });
      const [known, ...more] = attempt === 'new' ? [] : await look();
      for (const further of more) if (further.status !== 'completed') await cancelRun(target, further.id);
      if (known !== undefined) return known.id;
      // An attempt that got no answer may have started a run that no list shows yet.
      if (attempt !== 'new' && attempt > 1 && attempt < SENDS_AGAIN_FROM)
        throw new UnansweredError(`Attempt ${attempt}: no run called "${title}" is listed yet.`);
      const started = await wire.request(target, {
        count: 2,
        writes: true,
        what: `POST actions/workflows/${workflow}/dispatches`,
        unanswered: hub.odds.startUnanswered,
        perform() {
          if (hub.missingWorkflows.has(workflow)) throw notFound(`POST actions/workflows/${workflow}/dispatches`);
          return startRun(hub, workflow, inputs, work).id;
        },
      });
      return started;
    },
    run: (target, id) =>
      wire.request(target, {
        count: 1,
        writes: false,
        what: `GET actions/runs/${id}`,
        perform: () => seen(hub, runNumbered(id)),
      }),
    cancelRun,
    artifact: (target, id, name) =>
      wire.request(target, {
        count: 2,
        writes: false,
        what: `GET actions/runs/${id}/artifacts`,
        perform: () => runNumbered(id).artifacts.get(name),
      }),
  };
}

function seen(hub: Hub, run: Run): Awaited<ReturnType<GitHub['run']>> {
  const agoMs = hub.scheduler.nowMs() - run.completedMs;
  const isBehind = !hub.calm && run.status === 'completed' && agoMs < STALE_MS && hub.random.chance(hub.odds.stale);
  return {
    id: run.id,
    status: isBehind ? 'in_progress' : run.status,
    conclusion: isBehind ? undefined : run.conclusion,
    path: `.github/workflows/${run.workflow}`,
    event: 'workflow_dispatch',
    headSha: hub.refs.get('refs/heads/main') ?? '',
    attempt: 1,
  };
}
