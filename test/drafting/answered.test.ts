/** A draft that failed leaves what it was answered to the next one, which asks, and pays, only for the rest. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { draft } from '../../src/effects/draft.ts';
import type { StartedLoop } from '../../src/loop/stages.ts';
import * as authored from './authored.ts';
import { openStage, type Stage } from './stage.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await openStage(authored.FILES);
  Object.assign(stage.answers, { interview: [{ questions: [] }], requirement: ['no JSON at all'] });
});
afterEach(() => stage.close());

const discover = (loop: StartedLoop) =>
  draft({ type: 'draft', key: 'd', phase: 'DISCOVER', entry: loop.entry }, loop, stage.ports);

it('asks for the same once only', async () => {
  const failed = await discover(stage.loop);
  if (failed.type !== 'failed') throw new Error(`DISCOVER gave ${failed.type}`);
  expect(failed).toMatchObject({ cause: 'model', answered: [{}] });
  expect(stage.asked.map(({ name }) => name)).toEqual(['interview', 'requirement', 'requirement', 'requirement']);
  stage.answers.requirement = [authored.requirement];
  const again = await discover({ ...stage.loop, answered: failed.answered ?? [] });
  expect(again).toMatchObject({ type: 'drafted', calls: [{ skill: 'requirement-writing' }] });
  expect(stage.asked.slice(4).map(({ name }) => name)).toEqual(['requirement']);
});

it('asks again where what is said to the model is not the same any more', async () => {
  const failed = await discover(stage.loop);
  if (failed.type !== 'failed') throw new Error(`DISCOVER gave ${failed.type}`);
  stage.answers.requirement = [authored.requirement];
  await discover({ ...stage.loop, answered: failed.answered ?? [], context: ['Mind the locale.'] });
  expect(stage.asked.slice(4).map(({ name }) => name)).toEqual(['interview', 'requirement']);
});
