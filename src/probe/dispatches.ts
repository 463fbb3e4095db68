/** Whether a dispatch tells which run it has started, and how long a runner takes to begin it. */
import { type Finding, ok, unknown, wrong } from '../doctor/finding.ts';
import { WORKFLOWS } from '../settings/config.ts';
import { dispatchOwn, type OwnRun } from './own-run.ts';
import { TELL } from './probe.ts';
import { type Scratch, within } from './scratch.ts';

const NOTHING = '0'.repeat(64);

/** The run finds no job under the digest, and ends at once where the App answers: the runs after it may wait for the same runner. */
export async function dispatched(scratch: Scratch): Promise<Finding> {
  const { probing, repository, tip, mark, patienceMs, publicUrl = 'http://127.0.0.1' } = scratch;
  const inputs = {
    ...{ loop: `probe ${mark}`, entry: '1', phase: 'PROVE', candidate: tip, base: tip },
    ...{ job: NOTHING, brief: NOTHING, app: publicUrl },
  };
  const run = await dispatchOwn(scratch, WORKFLOWS.verify, inputs);
  const untold = await misled(scratch, run);
  if (untold !== undefined) return untold;
  const { told: runId, how } = run;
  const begun = await within(scratch, async () => {
    const { askedAt, begunAt } = await probing.beginnings(repository, runId);
    return begunAt === undefined ? undefined : Math.max(0, Date.parse(begunAt) - Date.parse(askedAt));
  });
  const found = `Run ${runId} was dispatched and found ${how}`;
  return begun === undefined
    ? unknown(
        `${found}, and no runner began it within ${Math.round(patienceMs / 1000)} s.`,
        'See whether a runner with the label of `runs-on` is online, and whether the run waits for a person.',
      )
    : ok(`${found}, and a runner began it after ${Math.round(begun / 1000)} s.`);
}

/** What loops would take for their run, and is not, or found by another way than the one that is taken for granted. */
async function misled({ probing }: Scratch, { own, told, how }: OwnRun): Promise<Finding | undefined> {
  if (own === undefined)
    return unknown(
      `The answer to a dispatch names run ${told}, and no run with the title of it is listed.`,
      'See whether the `run-name` of the workflow file is as `loopwright init` writes it; give GitHub more time with --wait.',
    );
  if (own !== told)
    return wrong(`The answer to a dispatch names run ${told}; the run that it started is ${own}.`, TELL);
  // An older server does not know the question; the list is its way.
  if (how === 'by its answer' || (await isOldServer(probing, how))) return undefined;
  return wrong(
    `The answer to a dispatch does not say which run it started, though it was asked with return_run_details; run ${own} was found ${how}.`,
    'Tell the maintainers; loops find their runs in the list, a little later.',
  );
}

async function isOldServer(probing: Scratch['probing'], how: OwnRun['how']): Promise<boolean> {
  return how === 'from the list, as the question was refused' && (await probing.serverVersion()) !== undefined;
}
