/** The maintainer of the demo: says what a person would say, through the REST API, and tells what happens. */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { LoopError } from '../errors.ts';
import type { EntryRecord, Loop } from '../loop/loop.ts';
import type { Store } from '../ports.ts';

export interface Maintainer {
  /** Creates the issue and returns its number and the repository's id. */
  open(issue: {
    readonly title: string;
    readonly body: string;
  }): Promise<{ readonly number: number; readonly repositoryId: number }>;
  /** The first issue or pull request of the repository, if there is any. */
  oldest(): Promise<number | undefined>;
  /** Makes the label `loop` known to the repository, so that people can choose it. */
  createLabel(): Promise<void>;
  label(issue: number): Promise<void>;
  comment(number: number, body: string): Promise<void>;
}

const created = z.object({ number: z.int() });

export function createMaintainer({
  githubUrl,
  fullName,
  token,
}: {
  readonly githubUrl: string;
  readonly fullName: string;
  readonly token: string;
}): Maintainer {
  const call = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(`${githubUrl}/api/v3/repos/${fullName}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok)
      throw new LoopError(`${method} ${path} as the maintainer was answered ${response.status}: ${text.slice(0, 300)}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  return {
    async open(issue) {
      const { number } = created.parse(await call('POST', '/issues', issue));
      const { id } = z.object({ id: z.int() }).parse(await call('GET', ''));
      return { number, repositoryId: id };
    },
    async oldest() {
      const [first] = z.array(created).parse(await call('GET', '/issues?state=all&direction=asc&per_page=1'));
      return first?.number;
    },
    async createLabel() {
      await call('POST', '/labels', { name: 'loop', color: '2f5bd8', description: 'Starts Loopwright on an issue' });
    },
    async label(issue) {
      await call('POST', `/issues/${issue}/labels`, { labels: ['loop'] });
    },
    async comment(number, body) {
      await call('POST', `/issues/${number}/comments`, { body });
    },
  };
}

export interface Drive {
  readonly maintainer: Maintainer;
  readonly issue: { readonly title: string; readonly body: string };
  readonly store: Store;
  readonly say: (line: string) => void;
  readonly untilMs: number;
}

const POLL_MS = 150;

/** Opens and labels the issue, answers, approves and releases until the loop rests or the time is over; returns its last state. */
export async function drive({ maintainer, issue, store, say, untilMs }: Drive): Promise<Loop> {
  const { number, repositoryId } = await openOnce({ maintainer, issue, store });
  say(`#${number} ${issue.title}: labelled \`loop\` by @maria`);
  const told = new Set<string>();
  let loop: Loop | undefined;
  while (Date.now() < untilMs) {
    loop = (await store.newest(repositoryId, number))?.loop;
    if (loop !== undefined) await follow({ loop, number, maintainer, told, say });
    if (loop?.status === 'succeeded' || loop?.status === 'stopped')
      return settled(loop, { store, repositoryId, number });
    await sleep(POLL_MS);
  }
  if (loop === undefined)
    throw new LoopError('the loop did not start in time; run the demo with LOG_LEVEL=debug to see why');
  return loop;
}

/** Tells what is new, and answers what is waited for. */
async function follow(turn: Turn): Promise<void> {
  for (const line of newsOf(turn.loop).filter((text) => !turn.told.has(text))) {
    turn.told.add(line);
    turn.say(line);
  }
  await answer(turn);
}

/** A kept directory has the issue already; then the demo goes on with its loop. */
async function openOnce({ maintainer, issue, store }: Pick<Drive, 'maintainer' | 'issue' | 'store'>) {
  const [kept] = await store.list({ open: true });
  if (kept !== undefined) return { number: kept.loop.ref.issue, repositoryId: kept.loop.ref.repositoryId };
  const opened = await maintainer.open(issue);
  await maintainer.label(opened.number);
  return opened;
}

/** What people are told at the end is still on its way for a moment. */
async function settled(
  loop: Loop,
  { store, repositoryId, number }: { readonly store: Store; readonly repositoryId: number; readonly number: number },
): Promise<Loop> {
  for (let tries = 0; tries < 100; tries += 1) {
    const newest = (await store.newest(repositoryId, number))?.loop;
    if (newest === undefined || newest.pending.length === 0) return newest ?? loop;
    await sleep(POLL_MS);
  }
  return loop;
}

interface Turn {
  readonly loop: Loop;
  readonly number: number;
  readonly maintainer: Maintainer;
  readonly told: Set<string>;
  readonly say: (line: string) => void;
}

/** One comment per thing that is waited for. */
async function answer({ loop, number, maintainer, told, say }: Turn): Promise<void> {
  const words = wordsFor(loop);
  const key = `${loop.waitingFor}/${loop.entry}/${loop.counters.interviews}`;
  if (words === undefined || told.has(key)) return;
  told.add(key);
  say(`             @maria: ${words}`);
  await maintainer.comment(loop.waitingFor === 'answers' ? number : (loop.pull ?? number), words);
}

function wordsFor(loop: Loop): string | undefined {
  if (loop.waitingFor === 'approval') return '/approve';
  if (loop.waitingFor === 'release') return '/release';
  if (loop.waitingFor !== 'answers') return undefined;
  const options = loop.questions.map(({ number, options: [first] }) =>
    first === undefined ? undefined : `${number}${first.key}`,
  );
  return options.includes(undefined) ? '/auto' : `/answer ${options.join(' ')}`;
}

function newsOf(loop: Loop): readonly string[] {
  const pull = loop.pull === undefined ? [] : [`             pull request #${loop.pull} (draft) with the packet`];
  return [...loop.entries.map(entryLine), ...pull.filter(() => loop.phase === 'ARCH_REVIEW')];
}

function entryLine({ phase, outcome, gates, attempt, reason }: EntryRecord): string {
  const values = gates.map(
    ({ name, value, threshold }) =>
      `${name} ${value === undefined ? 'not measured' : Number(value.toFixed(3))} (${threshold})`,
  );
  return `${outcome === 'passed' ? '✓' : '✗'} ${phase.padEnd(11)}${attempt > 1 ? `try ${attempt}: ` : ''}${outcome === 'passed' ? values.join(', ') : reason}`;
}
