/** What people do unasked, at any moment, as a table: how often, and what. */
import type { StartedLoop } from '../../../src/loop/stages.ts';
import { deleteComment, deleteIssue, outage, removeWorkflow, rename } from './accidents.ts';
import {
  type Crowd,
  changeConfig,
  closeIssue,
  closePull,
  label,
  mergeBase,
  mergePull,
  press,
  pullOf,
  pushLine,
  type Review,
  removeBranch,
  reopenIssue,
  review,
  say,
  unlabel,
} from './crowd.ts';

interface Act {
  readonly name: string;
  readonly weight: number;
  readonly perform: (crowd: Crowd, loop: StartedLoop) => void;
}

const PLANNED = ['src/items.js', 'src/server.js'];

const REVIEWS: readonly Review[] = [
  { state: 'approved', body: '' },
  { state: 'changes_requested', body: 'Make it smaller.' },
  { state: 'changes_requested', body: '', comments: [{ file: 'src/items.js', line: 2, body: 'Why this one?' }] },
  { state: 'commented', body: 'Nice.' },
];

function command(name: string, weight: number, texts: readonly string[]): Act {
  return {
    name,
    weight,
    perform(crowd, loop) {
      const { random } = crowd.hub;
      const by = random.chance(0.7) ? crowd.people.maria : crowd.people.otto;
      const number = loop.review?.pull !== undefined && random.chance(0.7) ? loop.review?.pull : loop.ref.issue;
      say(crowd, number, by, random.pick(texts));
    },
  };
}

export const ACTS: readonly Act[] = [
  command('pause', 4, ['/pause']),
  command('resume', 5, ['/resume']),
  command('stop', 2, ['/stop']),
  command('steer', 5, ['/context Look at the edge cases.', '/budget +1', '/priority incident', '/status', '/help']),
  command('twice in one comment', 1, ['/budget +2\n/budget +2', '/pause\n/resume', '/context a\n/context b']),
  command('decide', 4, [
    '/approve',
    '/reject R-1 is unclear',
    '/reject plan: smaller',
    '/reject spec: say what is out of scope',
    '/release',
    '/auto',
    '/answer 1a',
  ]),
  command('reject with a list', 1, ['/reject The plan misses things:\n- a\n- b']),
  command('rerun', 3, ['/rerun', '/rerun PLAN', '/rerun BUILD']),
  {
    name: 'a stranger commands',
    weight: 2,
    perform: (crowd, loop) => void say(crowd, loop.ref.issue, crowd.people.stranger, '/approve'),
  },
  {
    name: 'push into a planned file',
    weight: 6,
    perform: (crowd, loop) =>
      pushLine(
        crowd,
        loop.started.branch,
        crowd.people.maria,
        crowd.hub.random.pick(PLANNED),
        crowd.hub.random.pick(['setting', 'end']),
      ),
  },
  {
    name: 'push beside the plan',
    weight: 3,
    perform: (crowd, loop) =>
      pushLine(crowd, loop.started.branch, crowd.people.otto, `docs/hand-${crowd.serial}.md`, 'end'),
  },
  {
    name: 'two pushes one after another',
    weight: 2,
    perform(crowd, loop) {
      pushLine(crowd, loop.started.branch, crowd.people.otto, 'docs/guide.md', 'end');
      const path = crowd.hub.random.pick(PLANNED);
      crowd.hub.scheduler.after(crowd.hub.random.around(3000), () =>
        pushLine(crowd, loop.started.branch, crowd.people.maria, path, 'end'),
      );
    },
  },
  {
    name: 'push into the documents',
    weight: 1,
    perform: (crowd, loop) =>
      pushLine(crowd, loop.started.branch, crowd.people.maria, `.loopwright/${loop.ref.issue}/spec.md`, 'end'),
  },
  {
    name: 'merge the base',
    weight: 3,
    perform: (crowd, loop) => mergeBase(crowd, loop.started.branch, crowd.people.otto),
  },
  {
    name: 'push to the base',
    weight: 3,
    perform: (crowd) => pushLine(crowd, 'main', crowd.people.otto, 'docs/guide.md', 'end'),
  },
  {
    name: 'push a planned file to the base',
    weight: 1.5,
    perform: (crowd) =>
      pushLine(crowd, 'main', crowd.people.otto, crowd.hub.random.pick([...PLANNED, 'src/auth/login.js']), 'setting'),
  },
  { name: 'change the configuration', weight: 0.5, perform: changeConfig },
  {
    name: 'unlabel',
    weight: 2,
    perform(crowd, loop) {
      const issue = crowd.hub.issues.get(loop.ref.issue);
      if (issue === undefined) return;
      unlabel(crowd, issue, crowd.people.maria);
      if (crowd.hub.random.chance(0.6))
        crowd.hub.scheduler.after(crowd.hub.random.around(30_000), () => label(crowd, issue, crowd.people.maria));
    },
  },
  {
    name: 'label',
    weight: 2,
    perform(crowd, loop) {
      const issue = crowd.hub.issues.get(loop.ref.issue);
      if (issue !== undefined) label(crowd, issue, crowd.people.otto);
    },
  },
  {
    name: 'close and reopen',
    weight: 1,
    perform(crowd, loop) {
      const issue = crowd.hub.issues.get(loop.ref.issue);
      if (issue === undefined) return;
      closeIssue(crowd, issue, crowd.people.maria);
      crowd.hub.scheduler.after(crowd.hub.random.around(60_000), () => reopenIssue(crowd, issue, crowd.people.maria));
    },
  },
  {
    name: 'review',
    weight: 2,
    perform(crowd, loop) {
      const pull = pullOf(crowd, loop);
      if (pull !== undefined) review(crowd, pull, crowd.people.otto, crowd.hub.random.pick(REVIEWS));
    },
  },
  {
    name: 'press a button',
    weight: 2,
    perform(crowd, loop) {
      const pull = pullOf(crowd, loop);
      const by = crowd.hub.random.pick([crowd.people.maria, crowd.people.rita]);
      if (pull !== undefined) press(crowd, pull, by, crowd.hub.random.pick(['approve', 'approve', 'rerun'] as const));
    },
  },
  {
    name: 'close the pull request',
    weight: 0.4,
    perform(crowd, loop) {
      const pull = pullOf(crowd, loop);
      if (pull !== undefined) closePull(crowd, pull, crowd.people.maria);
    },
  },
  {
    name: 'merge the pull request',
    weight: 0.4,
    perform(crowd, loop) {
      const pull = pullOf(crowd, loop);
      if (pull !== undefined && !pull.draft) mergePull(crowd, pull, crowd.people.maria);
    },
  },
  { name: 'delete the branch', weight: 0.4, perform: (crowd, loop) => removeBranch(crowd, loop, crowd.people.maria) },
  { name: 'delete a comment', weight: 3, perform: deleteComment },
  { name: 'rename the repository', weight: 0.4, perform: rename },
  { name: 'remove a workflow file', weight: 0.6, perform: removeWorkflow },
  { name: 'outage', weight: 0.8, perform: outage },
  { name: 'delete the issue', weight: 0.15, perform: deleteIssue },
];

/** What takes the ground from under an effect that is under way. */
export const POUNCES: readonly Act[] = [
  ...ACTS.filter(({ name }) =>
    [
      'pause',
      'stop',
      'push into a planned file',
      'push into the documents',
      'push a planned file to the base',
    ].includes(name),
  ),
  {
    name: 'approve what they have read before',
    weight: 4,
    perform(crowd, loop) {
      if (loop.review !== undefined) say(crowd, loop.review.pull, crowd.people.maria, '/approve');
    },
  },
];
