/** The order of the files: what takes longest first, so that nothing is left for one process alone; what opens a database last, because it makes its process large, and each program that is started from there costs more. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const FIRST = /e2e\/(?:loop|busy-repository|dead-effects|faults|simulation)\.test|adapters\/(?:engine|queue)\.test/;
const WITH_DATABASE = /test\/(?:adapters\/(?:migrations|pglite|store)|engine\/admission|intake\/|server)/;

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((left, right) => rankOf(left) - rankOf(right));
  }

  /** Dealt out like cards, so that the long ones are not all in one part. */
  override async shard(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { index, count } = this.ctx.config.shard ?? { index: 1, count: 1 };
    const inOrder = files.toSorted(
      (left, right) => rankOf(left) - rankOf(right) || left.moduleId.localeCompare(right.moduleId),
    );
    return inOrder.filter((_, place) => place % count === index - 1);
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  if (FIRST.test(moduleId)) return 0;
  return WITH_DATABASE.test(moduleId) ? 2 : 1;
}
