import { defineConfig } from 'vitest/config';

// Two projects: `unit` needs Node, npm and git only; `machine` needs what the README's apt line installs.
// biome-ignore lint/style/noDefaultExport: Vitest reads the default export.
export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    projects: [
      { extends: true, test: { name: 'unit', include: ['test/**/*.test.ts'], exclude: ['test/machine/**'] } },
      {
        extends: true,
        test: {
          name: 'machine',
          include: ['test/machine/**/*.test.ts'],
          globalSetup: ['test/machine/requirements.ts'],
        },
      },
    ],
  },
});
