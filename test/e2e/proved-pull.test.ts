/** A pull request of a person is proved: by label, by `/prove`, by its check's own button; no loop, no model. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { commented, eventually, headOf, pushed } from './acts.ts';
import { startWorld, type World } from './world.ts';

const PROVING_MS = 1_000_000;
const CHECK = 'loopwright / proof';
/** What the guestbook shows of a long list, which nothing tested until now. */
const PAGE = 'src/page.js';
const TEST = 'test/count.test.js';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

const content = z.object({ content: z.string() });

async function textAt(path: string, ref = 'main'): Promise<string> {
  const { body } = await world.as('wout', 'GET', `/contents/${path}?ref=${ref}`);
  return Buffer.from(content.parse(body).content, 'base64').toString();
}

const TITLE = 'export const titleOf = (count) => (count === 1 ? "1 entry" : count + " entries");\n';
const CAREFUL = `import test from 'node:test';
import assert from 'node:assert/strict';
import { titleOf } from '../src/page.js';
test('one entry is told as one', () => assert.equal(titleOf(1), '1 entry'));
test('several are counted', () => { assert.equal(titleOf(0), '0 entries'); assert.equal(titleOf(2), '2 entries'); });
`;
const LOOSE = `import test from 'node:test';
import assert from 'node:assert/strict';
import { titleOf } from '../src/page.js';
test('entries are told', () => assert.match(titleOf(1), /entr/));
`;

/** Opens a pull request with these files on a branch of its own. */
async function opened(branch: string, files: Readonly<Record<string, string>>): Promise<number> {
  const main = await headOf(world, 'main');
  await world.as('wout', 'POST', '/git/refs', { ref: `refs/heads/${branch}`, sha: main });
  for (const [path, text] of Object.entries(files)) await pushed(world, 'wout', { branch, path, text });
  const { body } = await world.as('wout', 'POST', '/pulls', { title: branch, head: branch, base: 'main' });
  return z.object({ number: z.int() }).parse(body).number;
}

const label = (by: string, pull: number) => world.as(by, 'POST', `/issues/${pull}/labels`, { labels: ['prove'] });

async function checkOf(branch: string) {
  const sha = (await headOf(world, branch)) ?? '';
  return (await world.checks(sha)).findLast(({ name }) => name === CHECK);
}

type Check = Awaited<ReturnType<World['checks']>>[number];

/** The check run once it has ended; another than the one with this id. */
async function verdictOn(branch: string, other?: number): Promise<Check> {
  const seen: Check[] = [];
  await eventually(
    async () => {
      const check = await checkOf(branch);
      if (check?.status !== 'completed' || check.id === other) return false;
      seen.push(check);
      return true;
    },
    `a verdict on ${branch}`,
    PROVING_MS,
  );
  const [check] = seen;
  if (check === undefined) throw new Error('unreachable');
  return check;
}

const annotations = z.array(z.object({ path: z.string(), start_line: z.int(), message: z.string() }));

describe('a pull request of a person', () => {
  it(
    'is proved when somebody who may write labels it, and its weak tests are shown beside the code',
    async () => {
      const page = await textAt(PAGE);
      const pull = await opened('counts', { [PAGE]: page + TITLE, [TEST]: LOOSE });
      await label('maria', pull);
      const weak = await verdictOn('counts');
      expect(weak).toMatchObject({
        conclusion: 'neutral',
        output: { title: expect.stringMatching(/^Weakly proved: /) },
      });
      const { body } = await world.as('wout', 'GET', `/check-runs/${weak.id}/annotations`);
      const shown = annotations.parse(body);
      expect(shown.length).toBeGreaterThan(0);
      expect(shown.length).toBeLessThanOrEqual(7);
      expect(shown[0]).toMatchObject({ path: PAGE, message: expect.stringContaining('+++ b/src/page.js') });
      // The label stands: what somebody who may write pushes is proved too.
      await pushed(world, 'wout', { branch: 'counts', path: TEST, text: CAREFUL });
      expect(await verdictOn('counts')).toMatchObject({
        conclusion: 'success',
        output: {
          title: expect.stringMatching(/^Proved: 2 tests need the change; (\d+) of \1 faults noticed$/),
          summary: expect.stringContaining('other expectations, 2 of 2 tests that need the change are red'),
        },
      });
      expect(await world.comments(pull)).toEqual([]);
    },
    PROVING_MS * 2,
  );

  it(
    'is not proved by tests that pass without it; `/prove` asks, and the button asks again',
    async () => {
      const page = await textAt(PAGE);
      const pull = await opened('untested', {
        [PAGE]: page + TITLE,
        [TEST]: "import test from 'node:test';\nimport '../src/page.js';\ntest('it loads', () => {});\n",
      });
      const comment = await commented(world, 'wout', pull, 'Looks done to me.\n\n/prove\n');
      const red = await verdictOn('untested');
      expect(red).toMatchObject({ conclusion: 'failure', output: { title: expect.stringMatching(/^Not proved: /) } });
      expect(await world.reactions(comment)).toEqual(['+1']);
      await world.as('wout', 'POST', `/check-runs/${red.id}/rerequest`);
      const again = await verdictOn('untested', red.id);
      expect(again.external_id).toMatch(/^proof\/\d+\/\d+\/2$/);
    },
    PROVING_MS * 2,
  );

  it('is not proved for somebody who may only read; one comment says so, however often it is asked', async () => {
    const pull = await opened('stranger', { 'NOTES.md': 'x\n' });
    await commented(world, 'noah', pull, '/prove');
    await commented(world, 'noah', pull, '/prove');
    const told = async () => (await world.comments(pull)).filter(({ author }) => author !== 'noah');
    await eventually(async () => (await told()).length > 0, 'a sentence');
    expect((await told()).map(({ body }) => body)).toEqual([
      '`/prove` asks for a proof, which needs write access to this repository; `noah` does not have it. Somebody who has can comment `/prove`.',
    ]);
    expect(await checkOf('stranger')).toBeUndefined();
  });

  it('that changes no test is not judged or refused, and never passes', async () => {
    const pull = await opened('notes', { 'NOTES.md': 'x\n' });
    await commented(world, 'wout', pull, '/prove');
    expect((await verdictOn('notes')).conclusion).toMatch(/^(failure|action_required)$/);
  });
});
