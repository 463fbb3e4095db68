import { expect, test } from 'vitest';
import { currentReport, storedReport } from '../../src/documents/stored-report.ts';
import { digestOf } from '../../src/guard/digest.ts';
import { buildReport } from '../../src/loop/brief.ts';

const REPORT = {
  kind: 'build',
  version: 2,
  loop: 'acme/shop#12',
  entry: 5,
  candidate: 'a'.repeat(40),
  base: 'b'.repeat(40),
  sandbox: 'bubblewrap',
  measurements: [],
  defects: [],
  calls: [],
  failure: null,
  durationMs: 1,
  changes: [],
  tests: null,
  unfinished: [],
};
const { unfinished: _, ...REST } = REPORT;
const OLD = { ...REST, version: 1 };
const read = (value: unknown) => {
  const text = JSON.stringify(value);
  return storedReport({ blob: async () => Buffer.from(text) }, digestOf(text), buildReport);
};

test('a report that an earlier version stored is read as today: a loop outlives an upgrade of the App', async () => {
  expect(await read(OLD)).toEqual(REPORT);
  expect((await read({ ...OLD, failure: 'It broke.' }))?.failure).toEqual({
    cause: 'work',
    message: 'It broke.',
  });
});

test('what is no report of any version stays for the schema to refuse', async () => {
  expect(currentReport({ version: 3 })).toEqual({ version: 3 });
  await expect(read({ ...OLD, failure: 5 })).rejects.toThrow();
});

test('no digest is no report', async () => {
  expect(await storedReport({ blob: () => Promise.reject(new Error()) }, undefined, buildReport)).toBeUndefined();
});
