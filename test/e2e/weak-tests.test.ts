/** The test designer's first tests look at little: VERIFY says so, further tests come, and the loop ends with both. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import type { Script } from '../../src/demo/script.ts';
import { asReviewed, type ReviewedLoop } from '../../src/loop/stages.ts';
import { walked } from './acts.ts';
import { startWorld, type World } from './world.ts';

let world: World;
let loop: ReviewedLoop;

const design = z.looseObject({ files: z.array(z.looseObject({ content: z.string() })) });

/** Of the page only the input is asked for at first, and one search; the second design, in another file, is the demo's own. */
function weakAtFirst(script: Script): Script {
  const [first, ...others] = script.answers['acceptance-tests'] ?? [];
  const { files, ...rest } = design.parse(first);
  const weak = files.map((file) => ({
    ...file,
    content: file.content
      .replace(/(?<=value="tea"\/\);\n)[\s\S]*?(?=\}\);)/, '')
      .replaceAll(/ *assert\.deepEqual\(await idsOf\('\/api\/entries\?q=(?:bob|zzz)'\), .*\n/g, ''),
  }));
  expect(weak[0]?.content.length).toBeLessThan(files[0]?.content.length ?? 0);
  return { ...script, answers: { ...script.answers, 'acceptance-tests': [{ ...rest, files: weak }, ...others] } };
}

beforeAll(async () => {
  world = await startWorld({ script: weakAtFirst });
  loop = asReviewed(await walked(world));
});
afterAll(() => world.close());

it('goes back for tests once, asks no builder again, and is proved better', () => {
  expect(loop.status, loop.note).toBe('succeeded');
  expect(loop.entries.map(({ phase, outcome }) => `${phase} ${outcome}`).slice(4)).toEqual([
    'BUILD failed',
    'BUILD passed',
    'SEED_DATA passed',
    'VERIFY failed',
    'BUILD passed',
    'SEED_DATA passed',
    'VERIFY passed',
    'SHIP passed',
    'REFLECT passed',
  ]);
  const shares = loop.entries.flatMap(({ phase, measurements }) =>
    phase === 'VERIFY' ? (measurements.find(({ name }) => name === 'mutation_score')?.value ?? []) : [],
  );
  expect(shares[0]).toBeLessThan(0.8);
  expect(shares[1]).toBeGreaterThanOrEqual(0.8);
});

it('tells people which tests were added, and why', async () => {
  const { body } = await world.as('maria', 'GET', `/commits/${loop.review.head}/check-runs`);
  const shown = z
    .object({ check_runs: z.array(z.object({ name: z.string(), output: z.looseObject({}) })) })
    .parse(body);
  const texts = Object.fromEntries(shown.check_runs.map(({ name, output }) => [name, JSON.stringify(output)]));
  expect(texts['loopwright / verify']).toContain('the tests notice too few faults');
  expect(texts['loopwright / evidence']).toContain('test/find.test.js');
  const { body: tree } = await world.as('maria', 'GET', `/git/trees/${loop.review.head}?recursive=1`);
  const paths = z
    .object({ tree: z.array(z.object({ path: z.string() })) })
    .parse(tree)
    .tree.map(({ path }) => path);
  expect(paths).toEqual(expect.arrayContaining(['test/search.test.js', 'test/find.test.js']));
});
