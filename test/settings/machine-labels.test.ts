/** Which machines the jobs of new repositories run on, as whoever runs the App says it. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { runsOn } from '../../src/settings/env.ts';
import { onMachines } from '../../src/settings/machine-labels.ts';

afterEach(() => vi.unstubAllEnvs());

describe('RUNS_ON', () => {
  test('names labels with commas between', () => {
    vi.stubEnv('RUNS_ON', 'self-hosted, linux,arm64');
    expect(runsOn()).toEqual(['self-hosted', 'linux', 'arm64']);
  });

  test('that is left out leaves the workflows as they are', () => {
    expect(runsOn()).toBeUndefined();
    expect(onMachines('    runs-on: ubuntu-latest\n', undefined)).toBe('    runs-on: ubuntu-latest\n');
  });

  test.each(['a b', 'linux,,arm64', '{{ machine }}', 'x\n  steps: []'])('is refused as %j', (text) => {
    vi.stubEnv('RUNS_ON', text);
    expect(() => runsOn()).toThrow('write labels of your machines with a comma between');
  });
});

test('every job of a workflow gets the labels', () => {
  const workflow = 'jobs:\n  a:\n    runs-on: x\n  b:\n    runs-on: [y, z]\n';
  expect(onMachines(workflow, ['big'])).toBe('jobs:\n  a:\n    runs-on: big\n  b:\n    runs-on: big\n');
  expect(onMachines(workflow, ['self-hosted', 'arm64'])).toContain('a:\n    runs-on: [self-hosted, arm64]\n');
});
