/** The commands that come after the approval, through HTTP: one more try, the release by a person, the proposals of REFLECT. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asBuilt, asReviewed } from '../../src/loop/stages.ts';
import { commanded, eventually, headOf, historyOf, proposed, rightAtOnce } from './acts.ts';
import { put, startWorld, type World } from './world.ts';

const WHOLE_LOOP_MS = 1_000_000;
const CONFIG = '.github/loopwright.yml';
const DONE = { reactions: ['+1'], sentences: [] };
const refused = (sentence: string) => ({ reactions: ['confused'], sentences: [sentence] });

let world: World;
let issue: number;
beforeAll(async () => {
  const prepare = async (path: string): Promise<void> =>
    put(path, CONFIG, `${await readFile(join(path, CONFIG), 'utf8')}promotion: person\n`);
  world = await startWorld({ script: rightAtOnce, prepare });
  issue = (await proposed(world, 'Search, released by hand')).ref.issue;
});
afterAll(() => world.close());
const say = (body: string, login = 'wout') => commanded(world, login, issue, body);

describe('one more try', () => {
  it('is refused where nothing stopped', async () => {
    expect(await say('/rerun')).toEqual(
      refused('`/rerun` grants one more try after a stop; this loop has not stopped.'),
    );
  });

  it('is refused for a phase that does not exist, that is ahead, or that nobody approved', async () => {
    expect(await say('/stop')).toMatchObject({ reactions: ['+1'] });
    expect(await say('/rerun TESTS')).toEqual(
      refused(
        'There is no phase "TESTS"; the phases are DISCOVER, DEFINE, PLAN, ARCH_REVIEW, BUILD, SEED_DATA, VERIFY, SHIP, REFLECT.',
      ),
    );
    expect(await say('/rerun reflect')).toEqual(
      refused(
        'The loop stopped in ARCH_REVIEW, so REFLECT cannot be tried yet; say `/rerun` alone, or name an earlier phase.',
      ),
    );
    expect(await say('/rerun build')).toEqual(
      refused('No packet is approved, so nothing can be built; `/rerun PLAN` makes a new packet.'),
    );
    expect(await world.loop(issue)).toMatchObject({ status: 'stopped', counters: { grants: 0 } });
  });

  it('of PLAN makes a new packet, and of BUILD builds the approved one again', async () => {
    expect((await say('/rerun plan')).reactions).toEqual(['+1']);
    const packet = asReviewed(await world.until(issue, ({ waitingFor }) => waitingFor === 'approval'));
    expect(packet).toMatchObject({ counters: { grants: 1 } });
    expect((await say('/approve')).reactions).toEqual(['+1']);
    const first = await world.until(issue, ({ built }) => built.run !== undefined);
    expect((await say('/stop')).reactions).toEqual(['+1']);
    expect((await say('/rerun')).reactions).toEqual(['+1']);
    const second = await world.until(issue, ({ built, entry }) => built.run !== undefined && entry > first.entry);
    expect(second).toMatchObject({
      phase: 'BUILD',
      approval: { digest: packet.review.packet.digest },
      counters: { grants: 2 },
    });
    expect(second.built.run?.id).not.toBe(first.built.run?.id);
  });
});

describe('the release', () => {
  it('is refused while there is no verified candidate', async () => {
    expect(await say('/release')).toEqual(refused('There is no verified candidate to release now.'));
  });

  it(
    'is waited for where the configuration says that a person promotes: the branch has not moved',
    async () => {
      const { review, started } = asReviewed(await world.until(issue, () => true));
      const verified = await world.until(
        issue,
        ({ waitingFor, status }) => waitingFor === 'release' || status === 'stopped',
      );
      expect(verified, verified.note).toMatchObject({
        status: 'waiting',
        phase: 'SHIP',
        review: { head: review.head },
      });
      expect(await headOf(world, started.branch)).toBe(review.head);
      expect(await say('/accept 1', 'maria')).toEqual(refused('There is no proposal "1"; there are 0.'));
    },
    WHOLE_LOOP_MS,
  );

  it('is not taken from somebody without write permission, nor while the loop is paused', async () => {
    expect(await say('/release', 'tess')).toEqual(refused('`/release` needs write permission.'));
    expect(await say('/pause')).toEqual(DONE);
    expect(await say('/release')).toEqual(
      refused('The loop is paused, so nothing was decided; say `/resume` first, and then `/release` again.'),
    );
    expect(await say('/resume')).toEqual(DONE);
    expect(await world.loop(issue)).toMatchObject({ status: 'waiting', waitingFor: 'release' });
  });

  it(
    'moves the branch to the verified candidate',
    async () => {
      const { built, started, review } = asBuilt(await world.until(issue, () => true));
      expect((await say('/release')).reactions).toEqual(['+1']);
      const end = await world.until(issue, ({ status }) => status === 'succeeded' || status === 'stopped');
      expect(end, end.note).toMatchObject({ status: 'succeeded' });
      const done = asReviewed(end).review;
      expect(done.head).not.toBe(review.head);
      expect(await headOf(world, started.branch)).toBe(done.head);
      expect(await historyOf(world, done.head)).toContain(built.candidate.sha);
      expect(await say('/release')).toEqual(refused('There is no verified candidate to release now.'));
    },
    WHOLE_LOOP_MS,
  );
});

describe('a proposal of REFLECT', () => {
  const decisions = async () => (await world.loop(issue))?.proposals.map(({ decision, by }) => ({ decision, by }));

  it('is accepted or declined by who maintains, not by who only writes', async () => {
    expect(await decisions()).toEqual([{ decision: 'open', by: undefined }]);
    expect(await say('/accept 1')).toEqual(refused('`/accept` needs maintain permission.'));
    expect(await say('/decline 1')).toEqual(refused('`/decline` needs maintain permission.'));
    expect(await decisions()).toEqual([{ decision: 'open', by: undefined }]);
  });

  it('is decided by its number; another number is refused', async () => {
    expect(await say('/accept 2', 'maria')).toEqual(refused('There is no proposal "2"; there is 1.'));
    expect(await say('/accept', 'maria')).toEqual(refused('Say which proposal: `/accept 1`.'));
    expect(await say('/accept 1', 'maria')).toEqual({
      reactions: ['+1'],
      sentences: [expect.stringContaining('To have it from the next loop on, change the skill')],
    });
    expect(await decisions()).toEqual([{ decision: 'accepted', by: 'maria' }]);
    expect(await say('/decline 1', 'maria')).toEqual(DONE);
    expect(await decisions()).toEqual([{ decision: 'declined', by: 'maria' }]);
  });

  it('stands on the board with what was decided', async () => {
    const { pull } = asReviewed(await world.until(issue, () => true)).review;
    const board = async () => JSON.stringify((await world.as('maria', 'GET', `/pulls/${pull}`)).body);
    await eventually(async () => (await board()).includes('declined by maria'), 'the decision on the board');
  });
});
