/** What must hold wherever a loop stops in BUILD: one sentence in every place, and nothing of the try on GitHub. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { z } from 'zod';
import type { Loop } from '../../src/loop/loop.ts';
import { asReviewed, type ReviewedLoop } from '../../src/loop/stages.ts';
import { quiet, said } from './acts.ts';
import type { World } from './world.ts';

const reference = z.object({ object: z.object({ sha: z.string() }) });
const artifacts = z.object({ artifacts: z.array(z.object({ size_in_bytes: z.int() })) });

export interface Expected {
  /** The loop as it waited for approval. */
  readonly packet: ReviewedLoop;
  readonly sentence: string;
  readonly remedy: string;
}

/** Checks problem report, board, check run, record, branch and quarantine. */
export async function expectStopped(world: World, loop: Loop, { packet, sentence, remedy }: Expected): Promise<void> {
  const stopped = asReviewed(loop);
  const { issue } = stopped.ref;
  const reason = await filled(world, stopped, sentence);
  expect(stopped).toMatchObject({ status: 'stopped', phase: 'BUILD', note: `${reason} ${remedy}` });
  expect(stopped.review.head).toBe(packet.review.head);
  expect(stopped.entries.at(-1)).toMatchObject({ phase: 'BUILD', outcome: 'failed', reason });
  expect(stopped.built.candidate).toBeUndefined();
  expect(stopped.built.reports.build).toBeUndefined();
  await quiet(world, issue);
  await told(world, stopped, shown(`${reason} ${remedy}`));

  const branch = reference.parse((await world.as('maria', 'GET', `/git/ref/heads/${stopped.started.branch}`)).body);
  expect(branch.object.sha).toBe(packet.review.head);
  const quarantine = await world.as('maria', 'GET', `/git/matching-refs/loopwright/${issue}/`);
  expect(quarantine).toEqual({ status: 200, body: [] });
  await sleep(200);
  expect((await world.loop(issue))?.entry).toBe(stopped.entry);
}

/** As it stands on GitHub: an address of another host is no link there. */
export function shown(text: string): string {
  return text.replaceAll(/http:\/\/[\w.:/]+/g, '`$&`');
}

async function told(world: World, { ref, review: { pull, head } }: ReviewedLoop, note: string): Promise<void> {
  const reports = (await said(world, ref.issue)).filter(({ body }) => body.includes('### What to do'));
  expect(reports.at(-1)?.body.split('\n\n')[0]).toBe(`**Stopped, needs a person.** ${note}`);
  const { body: board } = z.object({ body: z.string() }).parse((await world.as('maria', 'GET', `/pulls/${pull}`)).body);
  expect(board).toContain(`**Stopped, needs a person. ${note}**`);
  const check = (await world.checks(head)).find(({ name }) => name === 'loopwright / build');
  expect(check).toMatchObject({ status: 'completed', conclusion: 'failure' });
  const title = `Stopped, needs a person. ${note}`.replaceAll(/[`*]/g, '');
  expect(check?.output.title).toBe(title.length > 200 ? `${title.slice(0, 199).trimEnd()}…` : title);
  expect(check?.output.summary).toContain(`**Stopped, needs a person. ${note}**`);
}

/** The sentence with what only this run could know. */
async function filled(
  world: World,
  { built: { run }, entry, review: { head }, started: { base } }: ReviewedLoop,
  sentence: string,
): Promise<string> {
  const listed = artifacts.parse((await world.as('maria', 'GET', `/actions/runs/${run?.id}/artifacts`)).body);
  return sentence
    .replaceAll('{run}', String(run?.id))
    .replaceAll('{entry}', String(entry))
    .replaceAll('{head}', head.slice(0, 7))
    .replaceAll('{base}', base.sha.slice(0, 7))
    .replaceAll('{bytes}', String(listed.artifacts[0]?.size_in_bytes));
}
