/** What an iteration takes over of the one before it, when people have pushed to the loop branch meanwhile. */
import { execFileSync } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { BuildReport } from '../../../src/loop/brief.ts';
import {
  APPROVED,
  type Checkout,
  FROZEN_FILE,
  FROZEN_TEXT,
  GOOD,
  GREEN,
  numbersOf,
  PRODUCT,
  WRONG,
} from '../../jobs/build-fixture.ts';
import { jobOnRepository, previousOf, proposedIn, writing } from './job-on-repository.ts';

const LIMITED = `const limit = 10;\n\n${PRODUCT}`;
/** What the loop builds on it. */
const BUILT = `const limit = 10;\n\n${GOOD}`;

const { place, build } = jobOnRepository();

/** A commit on top of what is checked out, in a workspace that is as the next job finds it. */
async function pushed(files: Readonly<Record<string, string | null>>): Promise<Checkout> {
  const { workspace } = place();
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=maria', '-c', 'user.email=maria@example.org', ...args], {
      cwd: workspace,
    })
      .toString()
      .trim();
  git('reset', '-q', '--hard');
  git('clean', '-qfdx');
  for (const [path, text] of Object.entries(files))
    await (text === null ? rm(join(workspace, path)) : writeFile(join(workspace, path), text));
  git('add', '-A');
  git('commit', '-qm', 'by hand');
  return { ...place(), commit: git('rev-parse', 'HEAD') };
}

async function builtOn(start: Checkout, text: string): Promise<BuildReport> {
  return (await build({ turns: writing(text) }, { on: start, base: place().commit })).report;
}

/** The next iteration; its builder finds nothing to do. */
async function nextOn(head: Checkout, first: BuildReport, previousHead = first.candidate) {
  const { report, requests } = await build(
    { answers: APPROVED, turns: [] },
    { on: head, base: place().commit, iteration: 2, previous: previousOf(first, previousHead) },
  );
  const told = report.defects.filter(({ rule }) => rule === 'person-conflict');
  return { report, requests, proposed: (path: string) => proposedIn(report, path), told };
}

describe("a person's commit in a file that the loop has changed", () => {
  test('is kept by the next candidate, together with what the loop built', async () => {
    const start = await pushed({ 'src/greet.js': LIMITED });
    const first = await builtOn(start, BUILT);
    const head = await pushed({ 'src/greet.js': LIMITED.replace('10', '50') });
    const { report, proposed, told } = await nextOn(head, first);
    expect(proposed('src/greet.js')).toBe(BUILT.replace('10', '50'));
    expect(told).toEqual([]);
    expect(numbersOf(report)).toEqual(GREEN);
  });

  test('wins in lines that both changed; builder and people are told, and no finished task is lost for it', async () => {
    const start = await pushed({ 'src/greet.js': LIMITED });
    const first = await builtOn(start, BUILT.replace('10', '100'));
    const head = await pushed({ 'src/greet.js': LIMITED.replace('10', '50') });
    const { proposed, told, requests } = await nextOn(head, first);
    expect(proposed('src/greet.js')).toBe(BUILT.replace('10', '50'));
    expect(told).toMatchObject([{ file: 'src/greet.js', message: expect.stringContaining('const limit = 100;') }]);
    expect(requests[0]?.messages[1]?.content).toContain('was changed by people in the same lines; theirs stand');
  });

  test('on top of what was promoted is no conflict: they knew what they changed', async () => {
    const start = await pushed({ 'src/greet.js': LIMITED });
    const first = await builtOn(start, BUILT.replace('10', '100'));
    await pushed({ 'src/greet.js': BUILT.replace('10', '100'), [FROZEN_FILE]: FROZEN_TEXT });
    const head = await pushed({ 'src/greet.js': BUILT.replace('10', '50') });
    const { report, told } = await nextOn(head, first);
    expect(report.changes).toEqual([]);
    expect(told).toEqual([]);
  });

  test('of which the branch no longer has the beginning stays, and what was built is told as given up', async () => {
    const first = await builtOn(place(), GOOD);
    const head = await pushed({ 'src/greet.js': LIMITED });
    const { proposed, told } = await nextOn(head, first, 'f'.repeat(40));
    expect(proposed('src/greet.js')).toBeUndefined();
    expect(told).toMatchObject([{ file: 'src/greet.js', message: expect.stringContaining('rewrote the branch') }]);
  });
});

describe('a frozen test', () => {
  test('that people changed is put back, and they are told how to change it', async () => {
    const first = await builtOn(place(), WRONG);
    await pushed({ 'src/greet.js': WRONG, [FROZEN_FILE]: FROZEN_TEXT });
    const head = await pushed({ [FROZEN_FILE]: FROZEN_TEXT.replace('A, Hello', 'A; Hello') });
    const { proposed, told, report } = await nextOn(head, first);
    expect(proposed(FROZEN_FILE)).toBe(FROZEN_TEXT);
    expect(told).toMatchObject([{ file: FROZEN_FILE, message: expect.stringContaining('/reject plan:') }]);
    expect(report.tests).toEqual(first.tests);
    expect(numbersOf(report).test_failures).toBe(1);
  });

  test('that people changed is told of also when nothing else is left of the earlier work', async () => {
    const first = await builtOn(place(), WRONG);
    const head = await pushed({ [FROZEN_FILE]: FROZEN_TEXT.replace('A, Hello', 'A; Hello') });
    const { told } = await nextOn(head, { ...first, changes: [] });
    expect(told).toMatchObject([{ file: FROZEN_FILE }]);
  });
});

describe('a test that was frozen under a plan that people sent back', () => {
  const STALE = 'test/farewell.test.js';
  const TEXT = FROZEN_TEXT.replaceAll('A, Hello', 'A, Farewell');

  test('is taken away, because it asserts what nobody wants any more', async () => {
    const head = await pushed({ [STALE]: TEXT });
    const { report } = await build(
      { turns: writing(GOOD) },
      { on: head, base: place().commit, retired: [{ path: STALE, content: TEXT }] },
    );
    expect(report.changes).toContainEqual(expect.objectContaining({ path: STALE, content: null }));
    expect(report.defects).toEqual([]);
    expect(numbersOf(report)).toEqual(GREEN);
  });

  test('may give its place to one of the new plan', async () => {
    const head = await pushed({ [FROZEN_FILE]: TEXT });
    const { report, proposed } = await build(
      { turns: writing(GOOD) },
      { on: head, base: place().commit, retired: [{ path: FROZEN_FILE, content: TEXT }] },
    ).then(({ report: made }) => ({ report: made, proposed: proposedIn(made, FROZEN_FILE) }));
    expect(proposed).toBe(FROZEN_TEXT);
    expect(numbersOf(report)).toEqual(GREEN);
  });

  test('is a file of the base again where the plan had taken tests out of one', async () => {
    const one = '// One test was taken out.\n';
    const base = await pushed({ [STALE]: '// All.\n' });
    const head = await pushed({ [STALE]: one });
    const { report } = await build(
      { turns: writing(GOOD) },
      { on: head, base: base.commit, retired: [{ path: STALE, content: one }] },
    );
    expect(proposedIn(report, STALE)).toBe('// All.\n');
    expect(report.defects).toEqual([]);
    expect(numbersOf(report)).toEqual(GREEN);
  });

  test('stays where a person has changed it since', async () => {
    const head = await pushed({ [STALE]: TEXT });
    const { report } = await build(
      { turns: writing(GOOD) },
      { on: head, base: place().commit, retired: [{ path: STALE, content: `${TEXT}// Looked at by maria.\n` }] },
    );
    expect(report.changes.map(({ path }) => path)).not.toContain(STALE);
    expect(numbersOf(report).suite_failures).toBe(1);
  });
});

describe('a tree that was judged and failed', () => {
  test('is asked about nobody again where the builder leaves it as it is', async () => {
    const first = await builtOn(place(), GOOD);
    const { report, requests, outputs } = await build(
      { answers: APPROVED, turns: [] },
      { iteration: 2, previous: previousOf(first, first.candidate, true) },
    );
    expect(requests.map(({ name }) => name)).toEqual(['turn']);
    expect(report).toMatchObject({ unchanged: true, measurements: [], changes: first.changes, failure: null });
    expect(outputs).toBe('verdict=fail\n');
  });

  test('is measured and reviewed where the builder changed a line', async () => {
    const first = await builtOn(place(), GOOD);
    const { report } = await build(
      { answers: APPROVED, turns: writing(`${GOOD}// mended\n`) },
      { iteration: 2, previous: previousOf(first, first.candidate, true) },
    );
    expect(report.unchanged).toBeUndefined();
    expect(numbersOf(report)).toEqual(GREEN);
  });

  test('is measured and reviewed again where a person granted it', async () => {
    const first = await builtOn(place(), GOOD);
    const { report } = await nextOn(place(), first);
    expect(numbersOf(report)).toEqual(GREEN);
  });
});
