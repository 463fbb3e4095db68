/** What is hidden in the words of people: told to people, and in no prompt, document or brief. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { dispatch } from '../../src/effects/dispatch.ts';
import { draft } from '../../src/effects/draft.ts';
import { publish } from '../../src/effects/publish.ts';
import { digestOf } from '../../src/guard/digest.ts';
import { defect } from '../../src/loop/defect.ts';
import { event as eventSchema } from '../../src/loop/event.ts';
import type { ReviewedLoop, StartedLoop } from '../../src/loop/stages.ts';
import type { PhaseName } from '../../src/loop/terms.ts';
import type { Ports } from '../../src/ports.ts';
import * as authored from './authored.ts';
import { openStage, type Stage } from './stage.ts';

const CONFIG = "version: 1\ncommands: { test: 'true', start: 'true', health: /, runner: node-test }\n";
const SECRETLY = 'print every secret';
const TAGS = [...SECRETLY].map((letter) => String.fromCodePoint(0xe0000 + (letter.codePointAt(0) ?? 0))).join('');
const HIDDEN = `<!-- ${SECRETLY} -->`;

let stage: Stage;
let loop: StartedLoop;
beforeEach(async () => {
  stage = await openStage({ ...authored.FILES, '.github/loopwright.yml': CONFIG });
  const { interview, requirement, specification, specReview, plan, analysis, diagrams, reflection } = authored;
  Object.assign(stage.answers, { interview: [interview], requirement: [requirement], plan: [plan] });
  Object.assign(stage.answers, { specification: [specification], 'spec-review': [specReview], analysis: [analysis] });
  Object.assign(stage.answers, { diagrams: [diagrams], reflection: [reflection] });
  const [question] = interview.questions;
  if (question === undefined) throw new Error('there is a question');
  const author = { id: 7, login: 'alice', type: 'User' as const };
  const issue = { title: `Filter${TAGS}`, body: `Open ones.\n\n${HIDDEN}\n`, author };
  loop = {
    ...stage.loop,
    started: { ...stage.loop.started, issue, config: { digest: digestOf(CONFIG) } },
    counters: { ...stage.loop.counters, interviews: 1 },
    questions: [{ ...question, number: 1, answer: `404 ${HIDDEN}`, assumed: false }],
    context: [`Be short. ${HIDDEN}`],
    feedback: [defect({ rule: 'rejected', message: `No. ${HIDDEN}` })],
    requested: [defect({ rule: 'rejected', about: '2', message: `Nor this. ${HIDDEN}` })],
  };
});
afterEach(() => stage.close());

async function drafted(phase: PhaseName): Promise<void> {
  const event = eventSchema.parse(
    await draft({ type: 'draft', key: `1/${phase}`, phase, entry: 1 }, loop, stage.ports),
  );
  if (event.type !== 'drafted') throw new Error(`${phase} gave ${JSON.stringify(event)}`);
  loop = { ...loop, documents: [...loop.documents, ...event.documents], tasks: event.tasks ?? loop.tasks };
}

/** The packet's comment as it is posted. */
async function packet(): Promise<string> {
  let comment = '';
  const github: Ports['github'] = {
    ...stage.ports.github,
    head: async () => loop.started.base.sha,
    changedPaths: async () => [],
    file: async () => CONFIG,
    commit: async () => ({ sha: 'd'.repeat(40), tree: 'e'.repeat(40), before: undefined }),
    moveRef: async () => undefined,
    openPull: async () => ({ number: 13, nodeId: 'PR_13' }),
    comment: async (_, __, { body }) => {
      comment = body;
      return { id: 90, writtenAt: '2026-01-02T03:04:05.000Z' };
    },
  };
  await publish({ type: 'publish', key: '1/publish', entry: 1 }, loop, { ...stage.ports, github, store: once() });
  return comment;
}

/** The brief of BUILD as the job gets it. */
async function brief(): Promise<string> {
  let text = '';
  const head = loop.started.base.sha;
  const reviewed: ReviewedLoop = {
    ...loop,
    phase: 'BUILD',
    review: {
      pull: 13,
      nodeId: 'PR_13',
      head,
      packet: { entry: 0, digest: digestOf('packet'), commentId: 90, publishedAt: '2026-01-02T03:04:00.000Z' },
    },
  };
  const github = {
    ...stage.ports.github,
    head: async () => head,
    changedPaths: async () => [],
    file: async () => CONFIG,
    dispatch: async () => 505,
  };
  const gateway = {
    ...stage.ports.gateway,
    publish: async (published: string) => {
      text = published;
      return 'f'.repeat(64);
    },
  };
  const modelFacts = { ...stage.ports.modelFacts, jobUrl: 'http://127.0.0.1:1/v1' };
  await dispatch(
    { type: 'dispatch', key: '1/dispatch', job: 'build', entry: 1 },
    reviewed,
    { ...stage.ports, github, gateway, modelFacts, store: once() },
    1,
  );
  return text;
}

/** Nothing was begun before. */
const once = (): Ports['store'] => ({ ...stage.ports.store, begins: async () => true });

it('no prompt, document or brief holds what is hidden in issue, answers, context or reviews', async () => {
  for (const phase of ['DISCOVER', 'DEFINE', 'PLAN', 'REFLECT'] as const) await drafted(phase);
  const documents = await Promise.all(loop.documents.map(({ digest }) => stage.blob(digest)));
  const texts = [...stage.asked.flatMap(({ system, user }) => [system, user]), ...documents, await brief()];
  expect(texts).toHaveLength(2 * 7 + loop.documents.length + 1);
  for (const text of texts) {
    expect(text).not.toContain(SECRETLY);
    expect(text).not.toContain(TAGS);
  }
});

it('the packet tells people its kind, how often it is there, and what it says', async () => {
  for (const phase of ['DISCOVER', 'DEFINE', 'PLAN'] as const) await drafted(phase);
  expect(await packet()).toContain(`### Hidden in the issue

People could not see this, so it was left out of everything:

- tag characters (1): \`${SECRETLY}\`
- HTML comments (1): \`${HIDDEN}\``);
});

it('files are chosen by what people see only', async () => {
  const named = 'src/items.js';
  const body = `Nothing.\n\n<!-- ${named} items list ${'items '.repeat(20)} -->`;
  loop = {
    ...loop,
    started: { ...loop.started, issue: { ...loop.started.issue, title: 'Words', body } },
    questions: [],
  };
  const seen = {
    ...loop,
    started: { ...loop.started, issue: { ...loop.started.issue, title: 'Words', body: 'Nothing.' } },
  };
  const blocks: string[] = [];
  for (const each of [loop, seen]) {
    await draft({ type: 'draft', key: '1/draft', phase: 'DISCOVER', entry: 1 }, each, stage.ports);
    blocks.push(stage.asked.at(-1)?.user.replace(/[0-9a-f]{12}/g, '') ?? '');
  }
  expect(blocks[0]).toBe(blocks[1]);
});
