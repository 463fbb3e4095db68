/** The order of the files: what takes longest first, so that nothing is left for one process alone; what opens a database last, because it makes its process large, and each program that is started from there costs more. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const FIRST = /e2e\/(?:loop|busy-repository|simulation)\.test|adapters\/(?:engine|queue)\.test/;
const WITH_DATABASE = /test\/(?:adapters\/(?:migrations|pglite|store)|engine\/admission|intake\/|server)/;

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((left, right) => rankOf(left) - rankOf(right));
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  if (FIRST.test(moduleId)) return 0;
  return WITH_DATABASE.test(moduleId) ? 2 : 1;
}
