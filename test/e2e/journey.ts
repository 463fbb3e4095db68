/** What people do to the processes: open a labelled issue, and say what is needed until the loop has succeeded. */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Processes } from './processes.ts';
import { checksOn, isMarkedOn, type Pull, pullsOf, type Seen, storyOf } from './seen.ts';

const numbered = z.object({ number: z.int() });
const identified = z.object({ id: z.int() });
const LOOK_PAUSE_MS = 400;

/** What the demo's answers are for. */
const SEARCH = { title: 'Let visitors search the guestbook', body: 'By name and message, please.' };

export async function openLabelledIssue({ as }: Pick<Processes, 'as'>, issue = SEARCH): Promise<number> {
  const { number } = numbered.parse(await as('POST', '/issues', issue));
  await as('POST', `/issues/${number}/labels`, { labels: ['loop'] });
  return number;
}

/** Writes a comment as the maintainer; returns its id. */
export async function commentOn({ as }: Pick<Processes, 'as'>, number: number, body: string): Promise<number> {
  return identified.parse(await as('POST', `/issues/${number}/comments`, { body })).id;
}

/** Says what a person would say, once each, until the pull request is ready and tells that the loop has succeeded. */
export async function finish(processes: Seen, issue: number, patienceMs: number): Promise<void> {
  const said = new Set<string>();
  const endMs = Date.now() + patienceMs;
  while (Date.now() < endMs) {
    const [pull] = await pullsOf(processes);
    if (pull !== undefined && (await isFinished(processes, pull))) return;
    await speak(processes, { issue, pull: pull?.number, said });
    await sleep(LOOK_PAUSE_MS);
  }
  throw new Error(`the loop did not succeed within ${patienceMs / 1000} s:\n${await storyOf(processes, issue)}`);
}

/** The last check run is written after the pull request's text. */
async function isFinished(processes: Seen, { draft, state, body, head }: Pull): Promise<boolean> {
  if (draft || state !== 'open' || !body.includes('All gates passed.')) return false;
  const checks = await checksOn(processes, head.sha, 'latest');
  return checks.some(({ name, conclusion }) => name === 'loopwright / evidence' && conclusion === 'success');
}

async function speak(
  processes: Seen,
  { issue, pull, said }: { readonly issue: number; readonly pull: number | undefined; readonly said: Set<string> },
): Promise<void> {
  if (!said.has('answers') && (await isMarkedOn(processes, issue, 'ask/'))) {
    said.add('answers');
    await commentOn(processes, issue, '/answer 1a 2a');
  }
  if (pull !== undefined && !said.has('approve') && (await isMarkedOn(processes, pull, 'packet/'))) {
    said.add('approve');
    await commentOn(processes, pull, '/approve');
  }
}
