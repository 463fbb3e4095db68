/** Dispatches a run for a probe, and takes it back: by its title, which is nobody else's, whatever the answer to the dispatch was. */
import { NotLookedError } from '../doctor/finding.ts';
import { LoopError } from '../errors.ts';
import { runTitle } from '../github/run-title.ts';
import type { Sent } from '../github/sent.ts';
import { INIT } from './probe.ts';
import { type Scratch, within } from './scratch.ts';

export interface OwnRun {
  /** The one with our title; undefined where no list shows it. */
  readonly own: number | undefined;
  /** The one that the port took for it. */
  readonly told: number;
  /** How the port came to it. Anything but `by its answer` goes without what `return_run_details` asks for. */
  readonly how: 'by its answer' | 'from the list' | 'from the list, as the question was refused';
}

/** @throws {NotLookedError} where GitHub refuses the dispatch for how the workflow is. */
export async function dispatchOwn(
  scratch: Scratch,
  workflow: string,
  inputs: Readonly<Record<string, string>>,
): Promise<OwnRun> {
  const { github, repository, sent, takesBack } = scratch;
  const title = runTitle(workflow, inputs);
  const from = sent().length;
  takesBack(`the run "${title}"`, async () => {
    if (mayHaveBegun(scratch, from, workflow)) await endOwn(scratch, workflow, title);
  });
  const told = await github.dispatch(repository, workflow, inputs, 'new').catch((error: unknown) => {
    if (error instanceof LoopError && (error.status === 404 || error.status === 422))
      throw new NotLookedError(`the dispatch of ${workflow} was refused: ${error.message.replace(/\.$/, '')}`, INIT);
    throw error;
  });
  const how = howFound(scratch, from);
  const own = await within(scratch, async () => {
    const runs = await runsOf(scratch, workflow, title);
    // Two are ours where what was answered as refused has started one all the same.
    return (runs.find(({ id }) => id === told) ?? runs[0])?.id;
  });
  return { own, told, how };
}

const runsOf = ({ probing, repository }: Scratch, workflow: string, title: string) =>
  probing.runsCalled(repository, workflow, title);

const DISPATCH = /\/dispatches$/;
const LIST = /\/actions\/(?:workflows\/[^/]+\/)?runs$/;

const isDispatch = ({ method, path }: Sent): boolean => method === 'POST' && DISPATCH.test(path);

/** An answer from 500 on, or none, leaves it open. What was dispatched later of another workflow says nothing of it. */
function mayHaveBegun({ sent }: Scratch, from: number, workflow: string): boolean {
  const own = sent()
    .slice(from)
    .filter((one) => isDispatch(one) && one.path.endsWith(`/${encodeURIComponent(workflow)}/dispatches`));
  return own.some(({ status = 500 }) => status < 400 || status >= 500);
}

/** A list that was read before the dispatch that was taken has told nothing of its run. */
function howFound({ sent }: Scratch, from: number): OwnRun['how'] {
  const since = sent().slice(from);
  const after = since.slice(since.findLastIndex(isDispatch) + 1);
  if (!after.some(({ method, path }) => method === 'GET' && LIST.test(path))) return 'by its answer';
  const isRefused = since.some((one) => isDispatch(one) && (one.status === 400 || one.status === 422));
  return isRefused ? 'from the list, as the question was refused' : 'from the list';
}

/** @throws {LoopError} where it is not there to be cancelled. */
async function endOwn(scratch: Scratch, workflow: string, title: string): Promise<void> {
  // An interruption does not keep it from being taken back.
  const signal = new AbortController().signal;
  const runs = await within({ ...scratch, signal }, async () => {
    const found = await runsOf(scratch, workflow, title);
    return found.length > 0 ? found : undefined;
  });
  if (runs === undefined) throw new LoopError('GitHub may have started it, and does not list it yet.');
  for (const { id, isCompleted } of runs) if (!isCompleted) await scratch.github.cancelRun(scratch.repository, id);
}
