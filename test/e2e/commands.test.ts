/** Every command through HTTP: one reaction, at most one sentence, and the effect that it names. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Loop } from '../../src/loop/loop.ts';
import { asReviewed } from '../../src/loop/stages.ts';
import {
  commanded,
  commented,
  commentedByApp,
  eventually,
  headOf,
  pressed,
  proposed,
  quiet,
  rightAtOnce,
  said,
} from './acts.ts';
import { startWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld({ script: rightAtOnce });
});
afterAll(() => world.close());

const STEERING = [
  '/approve',
  '/reject no',
  '/pause',
  '/resume',
  '/stop',
  '/rerun',
  '/context x',
  '/priority routine',
  '/budget +1',
];
const DONE = { reactions: ['+1'], sentences: [] };
const refused = (sentence: string) => ({ reactions: ['confused'], sentences: [sentence] });

describe('the interview', () => {
  let issue: number;
  beforeAll(async () => {
    issue = await world.labelled({ title: 'Search for the interview', by: 'noah' });
    await world.until(issue, ({ waitingFor }) => waitingFor === 'answers');
  });

  it('is not answered by somebody who neither wrote the issue nor may write', async () => {
    expect(await commanded(world, 'tess', issue, '/answer 1a 2a')).toEqual(
      refused('`/answer` needs write permission or the authorship of the issue.'),
    );
    expect((await world.loop(issue))?.questions.map(({ answer }) => answer)).toEqual([undefined, undefined]);
  });

  it('keeps a part of the answers and says which question is open', async () => {
    expect(await commanded(world, 'noah', issue, '/answer 1b')).toEqual({
      reactions: ['+1'],
      sentences: ['Still open: 2. Answer with `/answer`, or say `/auto` to take the safe defaults.'],
    });
    expect((await world.loop(issue))?.waitingFor).toBe('answers');
  });

  it('refuses a number that no question has, and names the open ones only', async () => {
    expect(await commanded(world, 'noah', issue, '/answer 4a')).toEqual(
      refused('There is no question 4; still open: 2.'),
    );
    expect(await commanded(world, 'noah', issue, '/answer perhaps')).toEqual(
      refused('Answer like this: `/answer 1b 2a 3: free text`. Still open: question 2 offers `2a`, `2b`.'),
    );
  });

  it('goes on by /auto with what the author answered and the safe default for the rest', async () => {
    expect((await commanded(world, 'noah', issue, '/auto')).reactions).toEqual(['+1']);
    const loop = await world.until(issue, ({ waitingFor }) => waitingFor === 'approval');
    expect(loop.questions.map(({ answer, assumed }) => ({ answer, assumed }))).toEqual([
      { answer: 'Messages only', assumed: false },
      { answer: '0 matches', assumed: true },
    ]);
  });

  it('costs the issue one sticky comment and one comment of questions, besides sentences that commands ask for', async () => {
    const bodies = (await world.comments(issue))
      .filter(({ author }) => author === 'loopwright[bot]')
      .map(({ body }) => body);
    expect(bodies.filter((body) => body.includes('@noah'))).toHaveLength(1);
    expect(bodies.filter((body) => body.includes('pull request: #'))).toHaveLength(1);
    expect(bodies).toHaveLength(2 + 4);
  });
});

describe('steering a loop that waits for approval', () => {
  let issue: number;
  beforeAll(async () => {
    issue = (await proposed(world, 'Search to be steered')).ref.issue;
  });
  const say = (body: string, login = 'wout') => commanded(world, login, issue, body);
  const loop = async (): Promise<Loop | undefined> => world.loop(issue);

  it('answers /status and /help once, to readers too', async () => {
    const status = await say('/status', 'noah');
    expect(status.reactions).toEqual(['+1']);
    expect(status.sentences).toHaveLength(1);
    expect(status.sentences[0]).toContain('is in ARCH_REVIEW (review round 1 of 5)');
    const help = await say('/help', 'noah');
    expect(help).toEqual({ reactions: ['+1'], sentences: [expect.stringContaining('`/reject <what to change>`')] });
  });

  it('pauses, refuses what makes no sense then, and resumes', async () => {
    expect(await say('/resume')).toEqual(refused('The loop is not paused.'));
    expect(await say('/pause')).toEqual(DONE);
    expect(await loop()).toMatchObject({ status: 'paused', note: 'Paused by @wout; `/resume` goes on.' });
    expect(await say('/pause')).toEqual(refused('Nothing is running that could be paused.'));
    for (const decision of ['/approve', '/reject no'])
      expect(await say(decision)).toEqual(
        refused(
          `The loop is paused, so nothing was decided; say \`/resume\` first, and then \`${decision.split(' ')[0]}\` again.`,
        ),
      );
    expect(await loop()).toMatchObject({ status: 'paused', waitingFor: 'approval' });
    expect(await say('/resume')).toEqual(DONE);
    expect(await loop()).toMatchObject({ status: 'waiting', waitingFor: 'approval' });
  });

  it('takes context, budget and priority', async () => {
    expect(await say('/context')).toEqual(refused('Say what the next step should know: `/context <text>`.'));
    expect(await say('/context Mind the escaping')).toEqual(DONE);
    expect(await say('/budget 5')).toEqual(
      refused(
        'Say by how many USD, below a million and to the cent: `/budget +2`; or, where the goal limits them, `/budget +50000 tokens` or `/budget +30 minutes`.',
      ),
    );
    expect(await say('/priority soon')).toEqual(
      refused('Say `/priority vulnerability`, `/priority incident` or `/priority routine`.'),
    );
    expect(await say('/priority incident')).toEqual(DONE);
    expect(await loop()).toMatchObject({ context: ['Mind the escaping'], priority: 'incident' });
  });

  it('renews the packet in its place when the budget is raised: what is approved is the sum that it states', async () => {
    const before = asReviewed(await world.until(issue, () => true));
    const stale = await planCheck(before);
    expect(await say('/budget +2')).toEqual(DONE);
    const after = asReviewed(
      await world.until(
        issue,
        ({ waitingFor, review }) => waitingFor === 'approval' && review?.packet.digest !== before.review.packet.digest,
      ),
    );
    expect(after).toMatchObject({ started: { limits: { usd: 5 } }, counters: { rounds: 1 } });
    expect(after.review.head).toBe(before.review.head);
    const packets = (await world.comments(after.review.pull)).filter(({ body }) => body.includes('read this packet'));
    expect(packets).toHaveLength(1);
    expect(packets[0]?.body).toContain('iterations and 5 USD');
    expect(packets[0]?.body).toContain(after.review.packet.digest.slice(7, 19));
    const earlier = (await said(world, issue)).length;
    await pressed(world, 'maria', stale, 'approve');
    await eventually(async () => (await said(world, issue)).length > earlier, 'a sentence');
    expect((await said(world, issue)).at(-1)?.body).toContain('That button belongs to an earlier packet');
    expect((await loop())?.approval).toBeUndefined();
  });

  it('takes no decision and no steering from anybody below write permission, and tells each of them so once', async () => {
    const before = await loop();
    const earlier = (await said(world, issue)).length;
    const answers = [
      ...(await Promise.all(STEERING.map((command) => say(command, 'tess')))),
      await say('/approve', 'noah'),
    ];
    expect(answers.map(({ reactions }) => reactions)).toEqual(answers.map(() => ['confused']));
    const sentences = (await said(world, issue)).slice(earlier).map(({ body }) => body);
    const toTess = sentences.filter((sentence) => sentence !== '`/approve` needs write permission.');
    expect(sentences).toHaveLength(2);
    expect(toTess.every((sentence) => /^`\/[a-z]+` needs (?:write|maintain) permission\.$/.test(sentence))).toBe(true);
    const { seq: _, pending: _p, courtesies: _c, ...after } = (await loop()) ?? {};
    expect(before).toMatchObject(after);
  });

  it('does nothing on /approve in a quote, in code, in HTML, in an edited comment or by a bot', async () => {
    const pull = (await loop())?.review?.pull ?? 0;
    const ids = [
      await commented(world, 'maria', pull, '> /approve'),
      await commented(world, 'maria', pull, '```\n/approve\n```'),
      await commented(world, 'maria', pull, 'Say `/approve` when it is right.\n\n    /approve'),
      await commented(world, 'maria', pull, '<div>\n/approve\n</div>'),
      await commentedByApp(world, pull, '/approve'),
    ];
    const edited = await commented(world, 'maria', pull, 'I am reading it.');
    await world.as('maria', 'PATCH', `/issues/comments/${edited}`, { body: '/approve' });
    // Deliveries leave in their order, so what is answered last shows that the others were read.
    expect((await say('/status')).reactions).toEqual(['+1']);
    for (const id of [...ids, edited]) expect(await world.reactions(id)).toEqual([]);
    expect((await loop())?.approval).toBeUndefined();
  });

  it('says in one sentence that a review "Approve" is not taken', async () => {
    const before = (await said(world, issue)).length;
    await world.as('maria', 'POST', `/pulls/${(await loop())?.review?.pull}/reviews`, { event: 'APPROVE' });
    await eventually(async () => (await said(world, issue)).length > before, 'a sentence');
    await quiet(world, issue);
    const fresh = (await said(world, issue)).slice(before).map(({ body }) => body);
    expect(fresh).toEqual([expect.stringContaining('A review "Approve" is not taken here')]);
    expect((await loop())?.approval).toBeUndefined();
  });

  it('goes back to the specification on /reject, and to the plan on /reject plan:', async () => {
    expect(await say('/reject')).toEqual(refused('Say what should change: `/reject <what to change>`.'));
    expect((await say('/reject R2: say "nothing found"')).reactions).toEqual(['+1']);
    const second = await nextPacket(issue, 2);
    expect(phasesOf(second, 'DEFINE')).toBe(2);
    expect((await say('/reject plan: fewer tasks')).reactions).toEqual(['+1']);
    const third = await nextPacket(issue, 3);
    expect([phasesOf(third, 'DEFINE'), phasesOf(third, 'PLAN')]).toEqual([2, 3]);
  });

  it('takes a review "Request changes" with a text as a rejection', async () => {
    await world.as('maria', 'POST', `/pulls/${(await loop())?.review?.pull}/reviews`, {
      event: 'REQUEST_CHANGES',
      body: 'plan: name the file differently',
    });
    const fourth = await nextPacket(issue, 4);
    expect(fourth.entries.filter(({ reason }) => reason === 'Rejected by @maria.')).toHaveLength(1);
  });

  it('posts one packet comment per review round, and nothing else of its own accord', async () => {
    const pull = (await loop())?.review?.pull ?? 0;
    const bodies = (await world.comments(pull)).map(({ body }) => body);
    expect(bodies.filter((body) => body.includes('read this packet'))).toHaveLength(4);
    expect(bodies.filter((body) => body.includes('read this packet') && body.includes('@maria'))).toHaveLength(4);
  });

  it('shows four check runs on the newest head, bound to the newest packet', async () => {
    const now = await loop();
    const checks = await world.checks((await headOf(world, now?.started?.branch ?? '')) ?? '');
    const own = checks.filter(({ name }) => name.startsWith('loopwright / '));
    expect(own.map(({ name }) => name).toSorted()).toEqual(
      ['build', 'evidence', 'plan', 'verify'].map((name) => `loopwright / ${name}`),
    );
    expect(own.every(({ external_id }) => external_id.endsWith(now?.review?.packet.digest ?? 'none'))).toBe(true);
  });
});

describe('the button on the check run', () => {
  let issue: number;
  let stale: number;
  beforeAll(async () => {
    const first = await proposed(world, 'Search by button');
    issue = first.ref.issue;
    stale = await planCheck(first);
    await commanded(world, 'wout', issue, '/reject plan: once more');
    await nextPacket(issue, 2);
  });

  it('of an earlier packet does nothing and says so', async () => {
    const before = (await said(world, issue)).length;
    expect(await pressed(world, 'maria', stale, 'approve')).toBe(201);
    await eventually(async () => (await said(world, issue)).length > before, 'a sentence');
    expect((await said(world, issue)).slice(before).map(({ body }) => body)).toEqual([
      'That button belongs to an earlier packet, so nothing was approved; use the newest packet.',
    ]);
    expect(await world.loop(issue)).toMatchObject({ waitingFor: 'approval' });
  });

  it('of the newest packet approves it for whoever may write, and /stop ends the run that follows', async () => {
    const loop = asReviewed(await world.until(issue, () => true));
    const newest = await planCheck(loop);
    expect(await pressed(world, 'tess', newest, 'approve')).toBe(403);
    expect(await pressed(world, 'wout', newest, 'approve')).toBe(201);
    const building = await world.until(issue, ({ built }) => built.run !== undefined);
    expect(building).toMatchObject({
      phase: 'BUILD',
      approval: { by: { login: 'wout' }, role: 'write', digest: loop.review.packet.digest },
    });
    expect((await commanded(world, 'wout', issue, '/stop')).reactions).toEqual(['+1']);
    expect(await world.loop(issue)).toMatchObject({ status: 'stopped', note: 'Stopped by @wout.' });
    const path = `/actions/runs/${building.built.run?.id}`;
    await eventually(
      async () => JSON.stringify((await world.as('maria', 'GET', path)).body).includes('"conclusion":"cancelled"'),
      'the run to be cancelled',
    );
    expect(await commanded(world, 'wout', issue, '/stop')).toEqual(refused('There is no live loop to stop.'));
  });
});

function nextPacket(issue: number, round: number): Promise<Loop> {
  return world.until(issue, ({ waitingFor, counters }) => waitingFor === 'approval' && counters.rounds === round);
}

function phasesOf({ entries }: Loop, name: string): number {
  return entries.filter(({ phase }) => phase === name).length;
}

async function planCheck(loop: Loop | undefined): Promise<number> {
  const head = loop?.review?.head ?? '';
  const found = (await world.checks(head)).filter(({ name }) => name === 'loopwright / plan').at(-1);
  return found?.id ?? 0;
}
