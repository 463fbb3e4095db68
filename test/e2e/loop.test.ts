import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyReport } from '../../src/loop/brief.ts';
import { asBuilt, type BuiltLoop } from '../../src/loop/stages.ts';
import { idOf } from '../../src/loop/terms.ts';
import { refold } from '../loop/random-walk.ts';
import { walked } from './acts.ts';
import { evidenceTable } from './evidence-table.ts';
import { withoutMistake } from './without-mistake.ts';
import { REPOSITORY, startWorld, type World } from './world.ts';

let world: World;
let loop: BuiltLoop;
let mainBefore: string;

const mainSha = async () => JSON.stringify((await world.as('noah', 'GET', '/git/ref/heads/main')).body);

beforeAll(async () => {
  world = await startWorld({ script: withoutMistake });
  mainBefore = await mainSha();
  const end = await walked(world);
  expect(end.status, end.note).toBe('succeeded');
  loop = asBuilt(end);
});
afterAll(() => world.close());

describe('a labelled issue', () => {
  it('becomes a verified pull request', () => {
    expect(loop.note).toBe('All gates passed. The pull request is ready for review; a person merges it.');
    expect(loop.entries.map(({ phase, outcome }) => `${phase} ${outcome}`)).toEqual([
      'DISCOVER passed',
      'DEFINE passed',
      'PLAN passed',
      'ARCH_REVIEW passed',
      'BUILD passed',
      'SEED_DATA passed',
      'VERIFY passed',
      'SHIP passed',
      'REFLECT passed',
    ]);
    expect(loop.spent.callsOutsideBuild).toBeLessThanOrEqual(10);
  });

  it('is proved requirement by requirement', async () => {
    const report = verifyReport.parse(
      JSON.parse(Buffer.from(await world.composed.ports.store.blob(loop.built.reports.verify ?? '')).toString()),
    );
    const stability = report.measurements.find(({ name }) => name === 'flakiness');
    expect(stability).toMatchObject({ value: 0, source: '5 runs of 3 frozen tests on the head' });
    expect(evidenceTable(report.evidence)).toEqual([
      'R-1 | change | fail | pass | fail | fail | proven',
      'R-2 | change | fail | pass | fail | fail | proven',
      'R-3 | keep | pass | pass | not-run | fail | proven',
      'R-4 | metric | not-run | not-run | not-run | not-run | proven',
    ]);
  });

  it('leaves main untouched, and its branch cloned by git passes its tests', async () => {
    expect(await mainSha()).toBe(mainBefore);
    const clone = join(world.directory, 'clone');
    await execa('git', [
      'clone',
      '--quiet',
      '--branch',
      loop.started.branch,
      `${world.github.url}/${REPOSITORY}.git`,
      clone,
    ]);
    const { stdout } = await execa(process.execPath, ['--test'], { cwd: clone, env: { NODE_TEST_CONTEXT: undefined } });
    expect(stdout).toMatch(/pass 6\n/);
    expect(stdout).toMatch(/fail 0\n/);
  });

  it('can be refolded from its log to the very same state', async () => {
    const { store } = world.composed.ports;
    const log = await store.log(idOf(loop.ref));
    const stored = await store.load(idOf(loop.ref));
    // The first label may find an empty store, so the fold begins with the loop's own reference.
    expect(refold(log, loop.ref)).toEqual(stored?.loop);
  });

  it('shows four green checks on the head of a pull request that is no draft', async () => {
    const pull = (await world.as('noah', 'GET', `/pulls/${loop.review.pull}`)).body;
    expect(pull).toMatchObject({ draft: false, state: 'open', merged: false, head: { sha: loop.review.head } });
    const ours = (await world.checks(loop.review.head)).filter(({ name }) => name.startsWith('loopwright / '));
    expect(ours.map(({ name, conclusion }) => `${name} ${conclusion}`).sort()).toEqual([
      'loopwright / build success',
      'loopwright / evidence success',
      'loopwright / plan success',
      'loopwright / verify success',
    ]);
  });
});
