import { defineConfig } from 'vitest/config';

/** The tests that need no process, no network and no repository: what Stryker runs for each mutant of `src/loop` and `src/guard`. */
const PURE = [
  'test/{loop,guard,render,documents}/**/*.test.ts',
  'test/effects/signature.test.ts',
  'test/drafting/{lint,plan-checks}.test.ts',
];
/** Starts git, or reads the repository's own files, which are others in Stryker's copy. */
const IMPURE = ['test/guard/{wire,added-lines}.test.ts', 'test/loop/keys-are-read.test.ts'];

export default defineConfig({
  test: { include: PURE, exclude: IMPURE, isolate: false, pool: 'threads', maxWorkers: 1, testTimeout: 180_000 },
});
