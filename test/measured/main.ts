/** Whether measured strength tells careful tests from one case: each small task is proved with both. Prints a row a task, and exits with 1 where a goal is missed. */
import { shareOf } from '../../src/loop/strength.ts';
import type { Proof } from '../../src/proof/proof.ts';
import { optionsOrEnd } from '../command-line.ts';
import { proved, withRoom } from './laid.ts';
import { readTasks, type Task } from './task.ts';

const given = optionsOrEnd({
  typed: 'npm run measured --',
  purpose:
    'Proves small tasks once with careful tests and once with one case, and compares how many faults these notice.',
  options: {
    only: { value: 'TEXT', meaning: 'only tasks whose name holds this' },
    survivors: { meaning: 'print what careful tests do not notice' },
    json: { meaning: 'one JSON object a row' },
  },
  read: ({ only, survivors, json }) => ({
    only: typeof only === 'string' ? only : '',
    survivors: survivors === true,
    json: json === true,
  }),
});

/** Of the means over all tasks. */
const GOALS = { careful: 0.95, oneCase: 0.75 } as const;

interface Row {
  readonly task: string;
  readonly made: number;
  readonly careful: number;
  readonly oneCase: number;
  readonly verdicts: readonly [Proof['verdict'], Proof['verdict']];
}

/** What no test reaches is not noticed either: with one case that is most of what is missed. */
function noticedShare({ strength }: Proof, all: number): number {
  return strength === null ? 0 : strength.noticed / Math.max(1, all);
}

async function measured(root: string, task: Task): Promise<Row> {
  const careful = await proved(root, task, task.careful);
  const oneCase = await proved(root, task, task.oneCase);
  const made = careful.strength?.made ?? 0;
  if (given.survivors)
    for (const { file, line, sentence } of careful.strength?.survivors ?? [])
      process.stderr.write(`${task.name} ${file}:${line} ${sentence}\n`);
  return {
    task: task.name,
    made,
    careful: careful.strength === null ? 0 : (shareOf(careful.strength) ?? 0),
    oneCase: noticedShare(oneCase, made),
    verdicts: [careful.verdict, oneCase.verdict],
  };
}

const mean = (rows: readonly Row[], of: 'careful' | 'oneCase'): number =>
  rows.reduce((sum, row) => sum + row[of], 0) / Math.max(1, rows.length);

function say(row: Row): void {
  const { task, made, careful, oneCase, verdicts } = row;
  process.stdout.write(
    given.json
      ? `${JSON.stringify(row)}\n`
      : `${task.padEnd(18)} ${String(made).padStart(3)} faults  all cases ${careful.toFixed(2)} ${verdicts[0].padEnd(13)}  one case ${oneCase.toFixed(2)} ${verdicts[1]}\n`,
  );
}

await withRoom(false, async (root) => {
  const rows: Row[] = [];
  for (const task of (await readTasks()).filter(({ name }) => name.includes(given.only))) {
    const row = await measured(root, task);
    rows.push(row);
    say(row);
  }
  const [careful, oneCase] = [mean(rows, 'careful'), mean(rows, 'oneCase')];
  if (!given.json)
    process.stdout.write(
      `${rows.length} tasks: mean share with all cases ${careful.toFixed(3)} (at least ${GOALS.careful}), with one case ${oneCase.toFixed(3)} (at most ${GOALS.oneCase})\n`,
    );
  process.exitCode = careful >= GOALS.careful && oneCase <= GOALS.oneCase ? 0 : 1;
});
