/** `loopwright loops`: what the App remembers of its loops, and what was said in their calls to models. */
import { join } from 'node:path';
import { openEngine } from '../adapters/database/database.ts';
import { lookAtDatabase } from '../adapters/database/database-look.ts';
import { createStore } from '../adapters/database/store.ts';
import { StoreError, UsageError } from '../errors.ts';
import { type Exchanged, transcript } from '../guard/transcript.ts';
import { nameOf } from '../loop/terms.ts';
import type { LoopCall, LoopOverview, Store } from '../ports.ts';
import { databaseEnvironment } from '../settings/env.ts';
import { type Command, optionsOf, type Terminal } from './command.ts';
import { callLines, loopLines, wordLines } from './loops-text.ts';

const OPTIONS = {
  data: {
    type: 'string',
    value: 'DIR',
    description:
      'the data directory of local mode, or of a demo that was kept; without it DATABASE_URL names the database',
  },
  words: { type: 'boolean', description: 'print what was asked and answered in each call' },
  open: { type: 'boolean', description: 'list only loops that have not ended' },
  json: { type: 'boolean', description: 'print one JSON object, and nothing else on standard output' },
} as const;

export const loops: Command = {
  summary: 'list the loops that the App remembers, or show what one of them asked models and was answered',
  usage: '[show owner/name#issue] [--words] [--open] [--data DIR] [--json]',
  options: OPTIONS,
  async run(argv, terminal) {
    const { values, positionals } = optionsOf({ command: 'loops', argv, options: OPTIONS, words: 2 });
    const name = nameIn(positionals);
    const url = values.data === undefined ? databaseEnvironment() : join(values.data, 'database');
    await assertReadable(url);
    const engine = await openEngine({ url });
    try {
      const store = createStore(engine);
      if (name === undefined) await list(store, values, terminal);
      else await show(store, { name, words: values.words === true, json: values.json === true }, terminal);
      return 0;
    } finally {
      await engine.close();
    }
  },
};

/** The loop that is to be shown; none where they are to be listed. @throws {UsageError} */
function nameIn([verb, name]: readonly string[]): string | undefined {
  if (verb === undefined) return undefined;
  if (verb === 'show' && name !== undefined && /^[^/#\s]+\/[^/#\s]+#\d+(?:-\d+)?$/.test(name)) return name;
  throw new UsageError(
    `loops: "${[verb, name].filter(Boolean).join(' ')}" is not understood; say nothing to list the loops, or as in \`show acme/shop#12\` which of them to show.`,
  );
}

/** A database that is not there is not made, and a server's of another version is left to its App; an embedded one that nobody uses is brought up to date as by `start`. @throws {StoreError} */
async function assertReadable(url: string): Promise<void> {
  const facts = await lookAtDatabase(url, WITHIN_MS);
  const problem = {
    'no address': () => 'that is no address of a database',
    unreachable: () => ('problem' in facts ? facts.problem : ''),
    new: () => 'nothing is there; name the database of the App by DATABASE_URL, or a data directory by --data',
    directory: () => undefined,
    'in use': () =>
      'an App is using it, and an embedded database has one user at a time; stop that one, or use PostgreSQL',
    'other version': () => 'it was made by another version of PostgreSQL',
    server: () => ('applied' in facts && isSame(facts.applied, facts.known) ? undefined : OTHER_VERSION),
  }[facts.type]();
  if (problem !== undefined) throw new StoreError(`The loops in ${withoutPassword(url)} cannot be read: ${problem}.`);
}

const WITHIN_MS = 10_000;
const OTHER_VERSION = 'it is of another version of Loopwright; use the version whose App works with it';

function isSame(one: readonly number[], other: readonly number[]): boolean {
  return new Set(one).symmetricDifference(new Set(other)).size === 0;
}

function withoutPassword(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null || parsed.password === '') return url;
  parsed.password = '…';
  return parsed.href;
}

/** In one answer of the store. */
const PAGE = 100;

async function* all(store: Store, open?: boolean): AsyncGenerator<LoopOverview> {
  let before: number | undefined;
  for (;;) {
    const page = await store.overview({ open, limit: PAGE, before });
    yield* page;
    before = page.at(-1)?.cursor;
    if (page.length < PAGE) return;
  }
}

async function list(
  store: Store,
  { open, json }: { readonly open?: boolean | undefined; readonly json?: boolean | undefined },
  { out }: Terminal,
): Promise<void> {
  const found = await Array.fromAsync(all(store, open === true ? true : undefined));
  if (json === true)
    out(JSON.stringify({ loops: found.map((loop) => ({ name: nameOf(loop.ref), ...loop })) }, null, 2));
  else for (const line of loopLines(found)) out(line);
}

interface Shown {
  readonly name: string;
  readonly words: boolean;
  readonly json: boolean;
}

async function show(store: Store, { name, words, json }: Shown, { out }: Terminal): Promise<void> {
  const loop = await found(store, name);
  const calls: Told[] = [];
  for (const call of await store.calls(loop.id)) calls.push({ ...call, ...(words ? await wordsOf(store, call) : {}) });
  const lines = json
    ? [JSON.stringify({ loop: { name, ...loop }, calls }, null, 2)]
    : [...loopLines([loop]), '', ...calls.flatMap(linesOf), ...(calls.length === 0 ? [NO_CALLS] : [])];
  for (const line of lines) out(line);
}

const NO_CALLS = 'It asked no model, or its log is no longer kept (KEEP_LOGS_DAYS).';

function linesOf(call: Told): readonly string[] {
  return [...callLines(call), ...(call.words === undefined ? [] : wordLines(call.words))];
}

type Told = LoopCall & { readonly words?: Exchanged | null };

async function found(store: Store, name: string): Promise<LoopOverview> {
  for await (const loop of all(store)) if (nameOf(loop.ref).toLowerCase() === name.toLowerCase()) return loop;
  throw new UsageError(`There is no loop ${name}; \`loops\` lists those that there are.`);
}

/** Null where nothing was kept of the call, as of one that never ended. */
async function wordsOf(store: Store, call: LoopCall): Promise<{ readonly words: Exchanged | null }> {
  if (call.transcript === undefined) return { words: null };
  const text = Buffer.from(await store.blob(call.transcript)).toString('utf8');
  return { words: transcript.parse(JSON.parse(text)) };
}
