/** What an iteration takes over of the one before it, when people have pushed to the loop branch meanwhile. */
import { execFileSync } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { BuildReport } from '../../../src/loop/brief.ts';
import {
  APPROVED,
  briefFor,
  type Checkout,
  checkout,
  DESIGN,
  FROZEN_FILE,
  FROZEN_TEXT,
  GOOD,
  GREEN,
  numbersOf,
  PRODUCT,
  runBuild,
  WRONG,
  write,
} from '../../jobs/build-fixture.ts';

const LIMITED = `const limit = 10;\n\n${PRODUCT}`;
/** What the loop builds on it. */
const BUILT = `const limit = 10;\n\n${GOOD}`;

let place: Checkout;
beforeEach(async () => {
  place = await checkout();
});
afterEach(() => place.remove());

/** A commit on top of what is checked out, in a workspace that is as the next job finds it. */
async function pushed(files: Readonly<Record<string, string | null>>): Promise<Checkout> {
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=maria', '-c', 'user.email=maria@example.org', ...args], {
      cwd: place.workspace,
    })
      .toString()
      .trim();
  git('reset', '-q', '--hard');
  git('clean', '-qfdx');
  for (const [path, text] of Object.entries(files))
    await (text === null ? rm(join(place.workspace, path)) : writeFile(join(place.workspace, path), text));
  git('add', '-A');
  git('commit', '-qm', 'by hand');
  return { ...place, commit: git('rev-parse', 'HEAD') };
}

async function builtOn(start: Checkout, text: string): Promise<BuildReport> {
  const brief = briefFor(start, { base: place.commit });
  const script = { answers: { 'acceptance-tests': [DESIGN], ...APPROVED }, turns: [[write('src/greet.js', text)]] };
  return (await runBuild(start, brief, script)).report;
}

/** The next iteration; its builder finds nothing to do. */
async function nextOn(head: Checkout, first: BuildReport, previousHead = first.candidate) {
  const { changes, tests, unfinished } = first;
  const brief = briefFor(head, {
    base: place.commit,
    iteration: 2,
    previous: { head: previousHead, changes, tests, unfinished },
    defects: [],
  });
  const { report, requests } = await runBuild(head, brief, { answers: APPROVED, turns: [] });
  const proposed = (path: string) => {
    const content = report.changes.find((change) => change.path === path)?.content;
    return typeof content === 'string' ? Buffer.from(content, 'base64').toString() : undefined;
  };
  const told = report.defects.filter(({ rule }) => rule === 'person-conflict');
  return { report, requests, proposed, told };
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
    const first = await builtOn(place, GOOD);
    const head = await pushed({ 'src/greet.js': LIMITED });
    const { proposed, told } = await nextOn(head, first, 'f'.repeat(40));
    expect(proposed('src/greet.js')).toBeUndefined();
    expect(told).toMatchObject([{ file: 'src/greet.js', message: expect.stringContaining('rewrote the branch') }]);
  });
});

describe('a frozen test', () => {
  test('that people changed is put back, and they are told how to change it', async () => {
    const first = await builtOn(place, WRONG);
    await pushed({ 'src/greet.js': WRONG, [FROZEN_FILE]: FROZEN_TEXT });
    const head = await pushed({ [FROZEN_FILE]: FROZEN_TEXT.replace('A, Hello', 'A; Hello') });
    const { proposed, told, report } = await nextOn(head, first);
    expect(proposed(FROZEN_FILE)).toBe(FROZEN_TEXT);
    expect(told).toMatchObject([{ file: FROZEN_FILE, message: expect.stringContaining('/reject plan:') }]);
    expect(report.tests).toEqual(first.tests);
    expect(numbersOf(report).test_failures).toBe(1);
  });

  test('that people changed is told of also when nothing else is left of the earlier work', async () => {
    const first = await builtOn(place, WRONG);
    const head = await pushed({ [FROZEN_FILE]: FROZEN_TEXT.replace('A, Hello', 'A; Hello') });
    const { told } = await nextOn(head, { ...first, changes: [] });
    expect(told).toMatchObject([{ file: FROZEN_FILE }]);
  });
});
