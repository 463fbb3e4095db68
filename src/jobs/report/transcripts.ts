/** Keeps conversations in the artifact for people who look into a run; nobody else reads them, so they stay small. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Message } from '../../ports.ts';
import { cut } from './said.ts';

/** Of one conversation. Twenty tasks with two revisions each then fit into an artifact beside everything that the App reads. */
export const TRANSCRIPT_CHARACTERS = 60_000;
const LONGEST_MESSAGE = 6_000;

/** Writes `transcripts/<name>.json`, whole or with its middle left out; the same name again replaces it. */
export async function saveTranscript(output: string, name: string, messages: readonly Message[]): Promise<void> {
  const folder = join(output, 'transcripts');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${name}.json`), JSON.stringify(abridged(messages), null, 1));
}

/** The beginning and the end of a conversation, with a line that says how much lay between. */
export function abridged(messages: readonly Message[]): readonly unknown[] {
  const short = messages.map((message) => {
    const content = cut(message.content, LONGEST_MESSAGE);
    if (message.role !== 'assistant') return { ...message, content };
    const toolCalls = message.toolCalls.map((call) => ({ ...call, arguments: cut(call.arguments, LONGEST_MESSAGE) }));
    return { ...message, content, toolCalls };
  });
  const sizes = short.map((message) => JSON.stringify(message).length);
  const begin = fitting(sizes, TRANSCRIPT_CHARACTERS / 3);
  const end = Math.min(fitting(sizes.toReversed(), (TRANSCRIPT_CHARACTERS * 2) / 3), short.length - begin);
  const missing = short.length - begin - end;
  if (missing <= 0) return short;
  return [...short.slice(0, begin), { note: `${missing} messages left out` }, ...short.slice(short.length - end)];
}

/** How many of these sizes, from the first on, fit together. */
function fitting(sizes: readonly number[], most: number): number {
  let sum = 0;
  const first = sizes.findIndex((size) => {
    sum += size;
    return sum > most;
  });
  return first < 0 ? sizes.length : first;
}
