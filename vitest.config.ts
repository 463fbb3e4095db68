import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/order.ts';
import { StillRunning } from './test/still-running.ts';

// `unit` and `apart` are `npm test`. They and `e2e` need Node, npm and git only, `machine` what the README's apt line installs. `e2e` are the long journeys through HTTP and
// through whole processes, kept apart so that `npm test` stays short; one whole loop stays in it. Files that are theirs too stand in the rooms that they test.
const LONG_JOURNEYS = [
  'test/e2e/**/!(loop).test.ts',
  'test/adapters/workspace.test.ts',
  'test/doctor/{command,doctor}.test.ts',
  'test/github/{dispatch,github,github-actions}.test.ts',
  'test/jobs/{changes,forged-results,main,settle}.test.ts',
  'test/local/{pulls,pulls-ending,runner,workflow-checkout,workflow-execution}.test.ts',
  'test/probe/{job,left,probes,required-checks,runs,told}.test.ts',
];
// Of `npm test` too, in processes of their own: they mostly wait, and leave a large process behind.
const APART = ['test/e2e/loop.test.ts', 'test/adapters/{database,queue}.test.ts'];
const PREPARED = 'test/prepared.ts';
// A whole loop, before the first of its tests: on a machine that does much else it took five minutes.
const WHOLE_LOOP_MS = 1_000_000;
// Each of the others takes seconds, so that one that waits for ever need not keep `npm test` for a quarter of an hour.
const WAITING = { testTimeout: 300_000, hookTimeout: 300_000 };

export default defineConfig({
  test: {
    // No measurements: a machine that does much else is waited for. What waits for ever is named meanwhile.
    testTimeout: 1_000_000,
    hookTimeout: 1_200_000,
    reporters: ['default', new StillRunning()],
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    unstubEnvs: true,
    restoreMocks: true,
    // They import JSON as bundlers take it, and Node does not.
    server: { deps: { inline: [/@actions\/(?:languageservice|workflow-parser)/] } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          ...WAITING,
          include: ['test/**/*.test.ts'],
          exclude: ['test/machine/**', ...LONG_JOURNEYS, ...APART],
          // Files share a process, which loads our modules once: that halves what the short ones cost. No module of ours keeps state, and
          // what a test replaces (clock, environment, functions) it puts back.
          isolate: false,
          globalSetup: [PREPARED],
        },
      },
      {
        extends: true,
        test: { name: 'apart', ...WAITING, hookTimeout: WHOLE_LOOP_MS, include: APART, globalSetup: [PREPARED] },
      },
      { extends: true, test: { name: 'e2e', include: LONG_JOURNEYS, globalSetup: [PREPARED] } },
      {
        extends: true,
        test: {
          name: 'machine',
          include: ['test/machine/**/*.test.ts'],
          // Loops that live at the same time in one file; each is several processes, and another file runs beside it.
          maxConcurrency: 3,
          globalSetup: ['test/machine/requirements.ts', PREPARED],
        },
      },
    ],
  },
});
