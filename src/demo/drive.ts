/** Drives a loop: opens and labels the issue, and tells the person what it waits for, until it rests. */
import { setTimeout as sleep } from 'node:timers/promises';
import { LoopError } from '../errors.ts';
import type { Loop } from '../loop/loop.ts';
import type { Store } from '../ports.ts';
import type { IssueText } from './demo-material.ts';
import type { Maintainer } from './maintainer.ts';
import type { Person } from './person.ts';
import type { Story } from './story.ts';

export interface Drive {
  readonly maintainer: Maintainer;
  readonly person: Person;
  readonly issue: IssueText;
  readonly store: Store;
  readonly story: Story;
  readonly untilMs: number;
  readonly interrupted: AbortSignal;
}

interface Place {
  readonly repositoryId: number;
  readonly number: number;
  /** Of a loop that an earlier label did not start. */
  readonly seq: number;
}

const POLL_MS = 150;

/** Returns the loop as it was when it ended, the time was over or the person interrupted; undefined when it had not started by the interruption. */
export async function drive(driven: Drive): Promise<Loop | undefined> {
  const { store, story, untilMs, interrupted } = driven;
  const place = await openOnce(driven);
  const said = new Set<string>();
  let loop: Loop | undefined;
  while (Date.now() < untilMs && !interrupted.aborted) {
    loop = (await store.newest(place.repositoryId, place.number))?.loop;
    if (loop !== undefined) {
      story.follow(loop);
      if (loop.status === 'succeeded' || loop.status === 'stopped') return settled(loop, driven, place);
      await turn({ loop, place, said, driven });
    }
    await sleep(POLL_MS);
  }
  if (loop === undefined && !interrupted.aborted)
    throw new LoopError('The loop did not start in time; give it more --minutes, or see why with LOG_LEVEL=debug.');
  return loop;
}

/** @throws {LoopError} where the label was refused. */
async function turn(now: Turn): Promise<void> {
  const { loop, place, driven } = now;
  if (loop.status === 'idle' && loop.seq > place.seq && loop.pending.length === 0)
    throw await notStarted(driven, place);
  driven.person.at(loop.review?.pull ?? place.number);
  await answer(now);
}

/** The label was refused, and the issue says why. */
async function notStarted({ maintainer }: Drive, { number }: Place): Promise<LoopError> {
  const why = await maintainer.lastSaid(number);
  return new LoopError(`The loop was not started: ${why ?? `the issue #${number} does not say why`}`);
}

/** In a kept directory the issue is there already, perhaps without its label; then the demo goes on with it. */
async function openOnce({ maintainer, issue, store, story }: Drive): Promise<Place> {
  const known = await maintainer.find(issue.title);
  const { repositoryId, number } = known ?? (await maintainer.open(issue));
  const loop = (await store.newest(repositoryId, number))?.loop;
  const isStarted = loop !== undefined && loop.status !== 'idle';
  if (!isStarted && known?.labelled !== true) await maintainer.label(number);
  story.opened({ number, title: issue.title, again: known !== undefined });
  return { repositoryId, number, seq: loop?.seq ?? 0 };
}

/** What people are told at the end is still on its way for a moment. */
async function settled(loop: Loop, { store, story }: Drive, { repositoryId, number }: Place): Promise<Loop> {
  for (let tries = 0; tries < 100; tries += 1) {
    const newest = (await store.newest(repositoryId, number))?.loop ?? loop;
    story.follow(newest);
    if (newest.pending.length === 0) return newest;
    await sleep(POLL_MS);
  }
  return loop;
}

interface Turn {
  readonly loop: Loop;
  readonly place: Place;
  readonly said: Set<string>;
  readonly driven: Drive;
}

/** One comment per thing that is waited for. */
async function answer({ loop, place, said, driven: { person } }: Turn): Promise<void> {
  const words = wordsFor(loop);
  const key = [loop.waitingFor, loop.entry, loop.counters.interviews, loop.review?.packet.digest].join('/');
  if (words === undefined || said.has(key)) return;
  said.add(key);
  await person.awaited(words, loop.waitingFor === 'answers' ? place.number : (loop.review?.pull ?? place.number));
}

/** Nobody answers what they cannot see yet: the comment that asks must stand. */
function wordsFor(loop: Loop): string | undefined {
  if (loop.status === 'paused' || loop.pending.some(({ type }) => type === 'ask')) return undefined;
  if (loop.waitingFor === 'approval') return '/approve';
  if (loop.waitingFor === 'release') return '/release';
  if (loop.waitingFor !== 'answers') return undefined;
  const options = loop.questions.map(({ number, options: [first] }) =>
    first === undefined ? undefined : `${number}${first.key}`,
  );
  return options.includes(undefined) ? '/auto' : `/answer ${options.join(' ')}`;
}
