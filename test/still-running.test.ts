import { expect, onTestFinished, test, vi } from 'vitest';
import { StillRunning } from './still-running.ts';

function reporter() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const said: string[] = [];
  const still = new StillRunning((line) => said.push(line));
  const file = { id: 'f', relativeModuleId: 'test/a.test.ts' } as Parameters<StillRunning['onTestModuleStart']>[0];
  const one = { id: 't', module: file, fullName: 'waits' } as Parameters<StillRunning['onTestCaseReady']>[0];
  still.onTestRunStart();
  still.onTestModuleStart(file);
  return { still, file, one, said };
}

test('a test that runs for long is named while it does, ever more seldom, and its file with it', () => {
  const { still, one, said } = reporter();
  vi.advanceTimersByTime(60_000);
  still.onTestCaseReady(one);
  vi.advanceTimersByTime(400_000);
  expect(said).toEqual([
    ' STILL  test/a.test.ts (120 s)\n',
    ' STILL  test/a.test.ts > waits (120 s)\n',
    ' STILL  test/a.test.ts (240 s)\n',
    ' STILL  test/a.test.ts > waits (240 s)\n',
  ]);
});

test('what is over is not named', () => {
  const { still, file, one, said } = reporter();
  still.onTestCaseReady(one);
  still.onTestCaseResult(one);
  vi.advanceTimersByTime(110_000);
  still.onTestModuleEnd(file);
  vi.advanceTimersByTime(900_000);
  still.onTestModuleStart(file);
  still.onTestRunEnd();
  vi.advanceTimersByTime(900_000);
  expect(said).toEqual([]);
});
