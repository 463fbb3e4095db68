/** A repository with a linter of its own: what it finds in a candidate sends the loop back, until a person lifts it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Loop } from '../../src/loop/loop.ts';
import { asReviewed } from '../../src/loop/stages.ts';
import { commanded, rightAtOnce, walked } from './acts.ts';
import { put, startWorld, type World } from './world.ts';

/** Finds one place in the base, and one more in what the demo's builder writes. */
const LINTER = `import { readFileSync } from 'node:fs';
const found = ['src/page.js', 'src/search.js'].flatMap((file) => {
  let text = '';
  try { text = readFileSync(file, 'utf8'); } catch {}
  return text.split('\\n').flatMap((line, index) => (/text\\.toLowerCase|<h1>/.test(line) ? [file + ':' + (index + 1) + ':1: not allowed'] : []));
});
console.log(found.join('\\n'));
process.exitCode = found.length > 0 ? 1 : 0;
`;

let world: World;
let loop: Loop;

beforeAll(async () => {
  world = await startWorld({
    script: rightAtOnce,
    async prepare(path) {
      await put(path, 'lint.mjs', LINTER);
      const config = join(path, '.github/loopwright.yml');
      const text = await readFile(config, 'utf8');
      await put(path, '.github/loopwright.yml', text.replace('commands:\n', 'commands:\n  lint: node lint.mjs\n'));
    },
  });
  loop = await walked(world);
});
afterAll(() => world.close());

const verifies = ({ entries }: Loop) => entries.filter(({ phase }) => phase === 'VERIFY');

it('goes back with the place that the candidate brought, and not with that of the base', () => {
  expect(loop.status, loop.note).toBe('stopped');
  expect(verifies(loop).map(({ reason }) => reason)).toEqual(['VERIFY: lint_findings 1 (needs <= 0).']);
  expect(loop.feedback).toMatchObject([
    { rule: 'lint', file: 'src/search.js', message: expect.stringContaining('not allowed') },
  ]);
});

it('goes on where a person lifts the finding by its name', async () => {
  const finding = /W-[0-9a-f]{12}/.exec(loop.feedback[0]?.message ?? '')?.[0] ?? '';
  const { issue } = loop.ref;
  const { reactions } = await commanded(world, 'maria', issue, `/waive ${finding} Names are searched in any case.`);
  expect(reactions).toEqual(['+1']);
  await commanded(world, 'maria', issue, '/rerun');
  const end = await world.until(issue, ({ status }) => status === 'succeeded' || status === 'stopped');
  expect(end.status, end.note).toBe('succeeded');
  const gates = verifies(end)
    .at(-1)
    ?.gates.find(({ name }) => name === 'lint_findings');
  expect(gates).toMatchObject({ value: 0, passed: true });
  expect(asReviewed(end).review.pull).toBe(asReviewed(loop).review.pull);
});
