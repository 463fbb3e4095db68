/** How often an honest change is refused: small tasks as they were written, and in other spellings that do the same. Prints a row each, and the rate. */
import { readFile, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { installedParsers, loadParsers } from '../../src/syntax/parsers.ts';
import { optionsOrEnd } from '../command-line.ts';
import { boundsOf } from '../corpus/rates.ts';
import { proved, withRoom } from './laid.ts';
import { respelt, SPELLINGS } from './refactors.ts';
import { type Files, readTasks, type Task } from './task.ts';

const given = optionsOrEnd({
  typed: 'npm run honest --',
  purpose:
    'Proves small tasks as they were written and in other spellings that do the same, and counts how often they are refused.',
  options: {
    only: { value: 'TEXT', meaning: 'only tasks whose name holds this' },
    state: { value: 'FILE', meaning: 'keeps what was proved, and goes on from there' },
    busy: { meaning: 'keeps two processors busy meanwhile' },
  },
  read: ({ only, state, busy }) => ({
    only: typeof only === 'string' ? only : '',
    state: typeof state === 'string' ? state : undefined,
    busy: busy === true,
  }),
});

/** At most so many of a hundred honest changes may be refused. */
const MOST_REFUSED = 0.03;

const parsers = await loadParsers(installedParsers());

/** The task as it is, and once in each spelling that it can take. */
function versionsOf(task: Task): readonly Task[] {
  const others = Object.entries(SPELLINGS).flatMap(([name, spelling]) => {
    const changed = Object.entries(task.change).map(
      ([path, text]) => [path, respelt(parsers, path, text, spelling)] as const,
    );
    if (changed.every(([, text]) => text === undefined)) return [];
    const change: Files = {
      ...task.change,
      ...Object.fromEntries(changed.filter((entry): entry is readonly [string, string] => entry[1] !== undefined)),
    };
    return [{ ...task, name: `${task.name} ${name}`, change }];
  });
  return [task, ...others];
}

const verdicts = z.record(z.string(), z.object({ verdict: z.string(), reason: z.string() }));
type Verdicts = z.infer<typeof verdicts>;

async function known(): Promise<Verdicts> {
  if (given.state === undefined) return {};
  return verdicts.parse(JSON.parse(await readFile(given.state, 'utf8').catch(() => '{}')));
}

await withRoom(given.busy, async (root) => {
  const found = await known();
  const tasks = (await readTasks()).filter(({ name }) => name.includes(given.only)).flatMap(versionsOf);
  for (const task of tasks) {
    const { name } = task;
    const told = found[name] ?? (await verdictOf(root, task));
    found[name] = told;
    process.stdout.write(`${name.padEnd(28)} ${told.verdict}  ${told.reason}\n`);
    if (given.state !== undefined) await writeFile(given.state, JSON.stringify(found, undefined, 1));
  }
  const refused = tasks.filter(({ name }) => !/^(?:weakly )?proved$/.test(found[name]?.verdict ?? ''));
  const [low, high] = boundsOf(refused.length, tasks.length).map((share) => `${(100 * share).toFixed(1)} %`);
  process.stdout.write(
    `${refused.length} of ${tasks.length} honest changes refused (95 % bounds ${low} to ${high}; at most ${100 * MOST_REFUSED} %)\n`,
  );
  process.exitCode = refused.length > MOST_REFUSED * tasks.length ? 1 : 0;
});

async function verdictOf(root: string, task: Task): Promise<Verdicts[string]> {
  const { verdict, reasons } = await proved(root, task, task.careful);
  return { verdict, reason: (reasons[0] ?? '').replaceAll(/\s+/g, ' ').slice(0, 160) };
}
