import { describe, expect, it } from 'vitest';
import { decide, settle } from '../../src/loop/decide.ts';
import type { Loop } from '../../src/loop/loop.ts';
import type { CommandName } from '../../src/loop/people/commands.ts';
import { asStarted } from '../../src/loop/stages.ts';
import {
  asking,
  atReview,
  awaitingRelease,
  building,
  driven,
  press,
  published,
  review,
  sentences,
  started,
  upTo,
} from './stands.ts';
import { command, timeOf } from './world.ts';

describe('a command of somebody who may not give it', () => {
  it.each<[CommandName, string, Loop, string]>([
    ['auto', '', asking(), '`/auto` needs write permission or the authorship of the issue.'],
    ['answer', '1a', asking(), '`/answer` needs write permission or the authorship of the issue.'],
    ['approve', '', atReview(), '`/approve` needs write permission.'],
    ['accept', '1', atReview(), '`/accept` needs maintain permission.'],
  ])('/%s %s is answered with what it needs', (name, argument, loop, sentence) => {
    const heard = decide(loop, command(name, argument, timeOf(60), { permitted: false, role: 'read' })).loop;
    expect(sentences(heard)).toEqual([sentence]);
  });
});

describe('what sets a loop going', () => {
  const waiting = (stand: () => Loop): Loop => decide(stand(), command('pause', '', timeOf(55))).loop;

  it.each<[CommandName, string, Loop]>([
    ['resume', 'when the tests pass', waiting(building)],
    ['release', 'tomorrow', awaitingRelease()],
    ['auto', 'for 2 only', asking()],
  ])('is said alone: /%s %s does nothing', (name, argument, loop) => {
    const after = decide(loop, command(name, argument, timeOf(60))).loop;
    expect({ ...after, pending: [], seq: 0 }).toEqual({ ...loop, pending: [], seq: 0 });
    expect(sentences(after).at(-1)).toBe(
      `\`/${name}\` takes nothing else, and "${argument}" follows it, so nothing was done; say \`/${name}\` alone.`,
    );
  });

  it.each<[CommandName, string]>([
    ['stop', 'stopped'],
    ['pause', 'paused'],
  ])('is not what holds it back: /%s is obeyed whatever follows', (name, status) => {
    expect(decide(building(), command(name, 'and look at the logs', timeOf(60))).loop.status).toBe(status);
  });
});

describe('an answer', () => {
  const spoken = (over: Parameters<typeof command>[3]) =>
    decide(atReview(), command('status', '', timeOf(60), over)).effects.find(({ type }) => type === 'tell');

  it('is given where somebody asked', () => {
    expect(spoken({ onIssue: true })).toMatchObject({ target: 'issue' });
    expect(spoken({})).not.toHaveProperty('target');
    const refused = decide(atReview(), command('waive', '', timeOf(60), { onIssue: true })).effects;
    expect(refused).toContainEqual(expect.objectContaining({ type: 'reply', target: 'issue' }));
  });

  it('tells of the commands that were too many for one comment', () => {
    const after = decide(building(), command('context', 'ten', timeOf(60), { position: 9, unread: 2 })).loop;
    expect(sentences(after)).toEqual([
      'Of one comment the first ten commands are read; 2 more in that one were not, so say them in another comment.',
    ]);
  });
});

describe('what a loop is told by /context', () => {
  const tell = (loop: Loop, text: string): Loop => decide(loop, command('context', text, timeOf(51))).loop;

  it('is kept as it was said, one after another', () => {
    expect(tell(tell(building(), 'Mind the escaping.'), 'And\nthe dates.').context).toEqual([
      'Mind the escaping.',
      'And\nthe dates.',
    ]);
  });

  it('is 20,000 characters at the most, because every prompt holds all of them', () => {
    const full = tell(building(), 'x'.repeat(20_000));
    expect(full.context).toHaveLength(1);
    const more = tell(full, 'y');
    expect(more.context).toEqual(full.context);
    expect(sentences(more).at(-1)).toBe(
      'With this the loop would have 20001 characters of `/context`, and every step reads them all; 20000 are the most, so nothing was added. Put the text into a file of the repository, and say where it is.',
    );
  });
});

describe('the budget of a packet', () => {
  it.each([`+${'9'.repeat(400)}`, '+1000000', '+0.001', '+1e9', '-2'])('is not raised by %s', (amount) => {
    const after = decide(building(), command('budget', amount, timeOf(51))).loop;
    expect(asStarted(after).started.limits.usd).toBe(3);
    expect(sentences(after).join()).toContain('below a million');
  });

  const raise = (loop: Loop) => decide(loop, command('budget', '+2', timeOf(51))).loop;

  it('that is raised while the packet waits renews the packet, and the earlier one cannot be approved', () => {
    const raised = raise(atReview());
    expect(raised).toMatchObject({
      status: 'working',
      started: { limits: { usd: 5 } },
      note: '@maria raised the budget to 5 USD, so the packet was renewed; that one is to be approved.',
    });
    expect(raised.pending.map(({ type }) => type).filter((type) => type !== 'show')).toEqual(['publish', 'react']);
    for (const event of [command('approve', '', timeOf(52)), press]) {
      const after = decide(raised, event).loop;
      expect(after).toMatchObject({ phase: 'ARCH_REVIEW', status: 'working' });
      expect(after.approval).toBeUndefined();
    }
    const renewed = driven(raised);
    expect(renewed).toMatchObject({ waitingFor: 'approval', entry: raised.entry, counters: { rounds: 1 } });
    expect(decide(renewed, command('approve', '', timeOf(53))).loop).toMatchObject({ phase: 'BUILD' });
  });

  it('that was raised is not approved by what was written in the same second, which may mean the sum before', () => {
    const renewed = driven(raise(atReview()));
    const visible = published(renewed).at;
    const approve = (createdAt: string) => decide(renewed, command('approve', '', timeOf(53), { createdAt })).loop;
    expect(sentences(approve(visible))).toEqual([
      'The packet changed after that comment was written; read the newest one and say `/approve` again.',
    ]);
    expect(approve(new Date(Date.parse(visible) + 1000).toISOString())).toMatchObject({ phase: 'BUILD' });
  });

  it('that was raised while the packet was published is never approved unseen: the packet is published again', () => {
    const publishing = upTo(started(), 'publish');
    const [effect] = publishing.pending.filter(({ type }) => type === 'publish');
    const late = settle(raise(publishing), effect?.key ?? '', published(publishing)).loop;
    expect(late).toMatchObject({ phase: 'ARCH_REVIEW', status: 'working' });
    expect(late.pending.filter(({ type }) => type === 'publish')).toHaveLength(1);
    expect(driven(late)).toMatchObject({ status: 'waiting', waitingFor: 'approval', started: { limits: { usd: 5 } } });
  });

  it('that is raised while the loop is paused renews the packet when it is resumed', () => {
    const paused = raise(decide(atReview(), command('pause', '', timeOf(50))).loop);
    expect(paused).toMatchObject({ status: 'paused', pausedFrom: 'working' });
    const resumed = decide(paused, command('resume', '', timeOf(52))).loop;
    expect(resumed.status).toBe('working');
    expect(driven(resumed)).toMatchObject({ status: 'waiting', waitingFor: 'approval' });
  });

  it.each([
    ['before there is a packet', started],
    ['while the approved plan is built', building],
  ])('that is raised %s is only granted', (_, stand) => {
    const loop = stand();
    const raised = raise(loop);
    expect(raised).toMatchObject({ started: { limits: { usd: 5 } }, status: loop.status, phase: loop.phase });
    expect(raised.pending.filter(({ type }) => type === 'publish')).toEqual([]);
    expect(raised.approval).toEqual(loop.approval);
  });
});

describe('a paused loop', () => {
  it.each([
    ['a comment /approve', atReview, command('approve', '', timeOf(56)), '/approve'],
    ['a comment /reject', atReview, command('reject', 'clearer', timeOf(56)), '/reject'],
    ['a button', atReview, press, 'press it'],
    ['a review "Request changes"', atReview, review(), 'request the changes'],
    ['a comment /release', awaitingRelease, command('release', '', timeOf(56)), '/release'],
    ['a comment /answer', asking, command('answer', '1: this', timeOf(56)), '/answer'],
    ['a comment /auto', asking, command('auto', '', timeOf(56)), '/auto'],
  ])('is not set going by %s: one sentence says to resume first, and nothing is decided', (_, stand, event, again) => {
    const paused = decide(stand(), command('pause', '', timeOf(55))).loop;
    const after = decide(paused, event).loop;
    expect({ ...after, pending: [], seq: 0 }).toEqual({ ...paused, pending: [], seq: 0 });
    expect(sentences(after)).toEqual([
      `The loop is paused, so nothing was decided; say \`/resume\` first, and then ${again.startsWith('/') ? `\`${again}\`` : again} again.`,
    ]);
    expect(decide(after, command('resume', '', timeOf(57))).loop).toMatchObject({
      status: 'waiting',
      waitingFor: stand().waitingFor,
    });
  });

  it('says nothing to a review that decides nothing, of a packet that does not wait or by somebody without the permission', () => {
    const paused = (loop: Loop) => decide(loop, command('pause', '', timeOf(55))).loop;
    expect(sentences(decide(paused(atReview()), review({ state: 'commented' })).loop)).toEqual([]);
    expect(sentences(decide(paused(atReview()), review({ role: 'read' })).loop)).toEqual([]);
    expect(sentences(decide(paused(building()), review()).loop)).toEqual([]);
  });
});

describe('a loop that another one of its issue followed', () => {
  const stopped = decide(building(), command('stop', '', timeOf(51))).loop;
  const said = (loop: Loop, name: CommandName, argument: string, newer: { pull?: number }) =>
    decide(loop, command(name, argument, timeOf(52), { newer, role: 'maintain' })).loop;

  it.each<[CommandName, string]>([
    ['rerun', 'PLAN'],
    ['approve', ''],
    ['reject', 'smaller'],
    ['release', ''],
    ['answer', '1a'],
    ['auto', ''],
    ['pause', ''],
    ['resume', ''],
    ['stop', ''],
    ['context', 'look here'],
    ['priority', 'incident'],
    ['budget', '+2'],
    ['waive', 'scan-1'],
  ])('is not steered by /%s any more, and says where the newer one is', (name, argument) => {
    const after = said(stopped, name, argument, { pull: 15 });
    expect({ ...after, pending: [], seq: 0 }).toEqual({ ...stopped, pending: [], seq: 0 });
    expect(sentences(after)).toEqual([
      `A newer loop of #12 took its place, so this one does not go on; say \`/${name}\` on its pull request #15.`,
    ]);
    expect(sentences(said(stopped, name, argument, {}))).toEqual([
      `A newer loop of #12 took its place, so this one does not go on; say \`/${name}\` on the issue #12.`,
    ]);
  });

  it('still takes decisions on what it proposed, and still says how it stands', () => {
    const proposal = { type: 'skill', target: 't', change: 'c', evidence: 'e', decision: 'open' } as const;
    const done: Loop = { ...stopped, status: 'succeeded', proposals: [proposal] };
    expect(said(done, 'accept', '1', { pull: 15 }).proposals).toMatchObject([{ decision: 'accepted', by: 'maria' }]);
    expect(sentences(said(done, 'accept', '1', { pull: 15 })).at(-1)).toBe(
      "To have it from the next loop on, change the skill `t` in the directory that `SKILLS_DIR` names (a copy of the package's `skills`): c",
    );
    expect(said(done, 'decline', '1', { pull: 15 }).proposals).toMatchObject([{ decision: 'declined', by: 'maria' }]);
    for (const name of ['status', 'help'] as const)
      expect(said(done, name, '', { pull: 15 }).pending).toContainEqual(
        expect.objectContaining({ type: 'tell', what: name }),
      );
  });
});

describe('one more try', () => {
  const stoppedIn = (loop: Loop) => decide(loop, command('stop', '', timeOf(55))).loop;
  const rerun = (loop: Loop, phase: string) => decide(stoppedIn(loop), command('rerun', phase, timeOf(60))).loop;

  it.each([
    ['', building, 'BUILD'],
    ['verify', building, 'BUILD'],
    ['plan', building, 'PLAN'],
    ['DEFINE', atReview, 'DEFINE'],
    ['', started, 'DISCOVER'],
  ])('"/rerun %s" goes on where the loop was, or in an earlier phase', (argument, stand, phase) => {
    expect(rerun(stand(), argument)).toMatchObject({ status: 'working', phase, counters: { grants: 1 } });
  });

  it.each([
    ['REFLECT', building],
    ['REFLECT', started],
    ['ARCH_REVIEW', started],
    ['PLAN', started],
    ['DEFINE', started],
  ])('"/rerun %s" never skips what was not passed yet', (argument, stand) => {
    const stopped = stoppedIn(stand());
    const after = rerun(stand(), argument);
    expect(after).toMatchObject({ status: 'stopped', phase: stopped.phase, counters: { grants: 0 } });
    expect(sentences(after)).toEqual([
      `The loop stopped in ${stopped.phase}, so ${argument} cannot be tried yet; say \`/rerun\` alone, or name an earlier phase.`,
    ]);
  });

  it.each(['DISCOVER', 'DEFINE', 'PLAN', 'ARCH_REVIEW'])(
    'of %s takes the approval back: its documents are made anew, and building waits for the new packet',
    (phase) => {
      const again = rerun(building(), phase);
      expect(again.approval).toBeUndefined();
      const stopped = stoppedIn(again);
      expect(sentences(decide(stopped, command('rerun', 'BUILD', timeOf(65))).loop)).toEqual([
        'No packet is approved, so nothing can be built; `/rerun PLAN` makes a new packet.',
      ]);
    },
  );
});

it.each(['e', 'z'])('an option %s that a question does not offer is no answer', (option) => {
  const asked = asking();
  const [question] = asked.questions;
  const offering: Loop = {
    ...asked,
    questions: asked.questions.map((one) => ({
      ...one,
      options: [
        { key: 'a', text: 'Names' },
        { key: 'b', text: 'All' },
      ],
    })),
  };
  const heard = decide(offering, command('answer', `${question?.number}${option}`, timeOf(60))).loop;
  expect(heard.questions.map(({ answer }) => answer)).toEqual(asked.questions.map(({ answer }) => answer));
  const vague = decide(offering, command('answer', 'perhaps', timeOf(60))).loop;
  expect(sentences(vague).at(-1)).toBe(
    'Answer like this: `/answer 1b 2a 3: free text`. Still open: question 1 offers `1a`, `1b`.',
  );
  expect(sentences(heard).at(-1)).toBe(
    'Question 1 offers `1a`, `1b`; say it in words of your own with `/answer 1: …`.',
  );
});
