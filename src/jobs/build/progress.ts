/** Remembers what the finished tasks of a build have made, so that a failure in a later one does not cost it. */
import type { Task } from '../../documents/documents.ts';
import type { BuildReport, FileChange, FrozenTests } from '../../loop/brief.ts';
import { applyChanges, changesOf, restorePaths } from '../workspace/changes.ts';
import type { Bench } from '../workspace/environment.ts';
import { settle } from './settle.ts';

export interface Progress {
  /** The tasks that are not done yet, in their order. */
  readonly open: () => readonly Task[];
  /** The task came to its end; what lies in the workspace now is kept. */
  readonly finish: (task: Task) => Promise<void>;
  /** After a failure: what the finished tasks made, as it may land, and which tasks are left. The workspace is set back to that. */
  readonly rest: (tests: FrozenTests) => Promise<Pick<BuildReport, 'changes' | 'unfinished'>>;
}

/** Begins with what earlier iterations left in the workspace. */
export async function beginProgress(bench: Bench, tasks: readonly Task[]): Promise<Progress> {
  const { brief, repository } = bench;
  const present = async (): Promise<readonly FileChange[]> =>
    (await changesOf(repository, brief.candidate, brief.policy.maxBytes)).changes;
  let left = tasks;
  let kept = await present();
  return {
    open: () => left,
    async finish(task) {
      left = left.filter((other) => other !== task);
      kept = await present();
    },
    async rest(tests) {
      const half = await present();
      await restorePaths(
        repository,
        brief.candidate,
        half.map(({ path }) => path),
      );
      await applyChanges(repository.workspace, kept);
      const { changes } = await settle(bench, tests);
      return { changes: [...changes], unfinished: left.map(({ id }) => id) };
    },
  };
}
