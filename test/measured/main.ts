/** Whether measured strength tells careful tests from one case: each small task is proved with both. Prints a row a task, and exits with 1 where a goal is missed. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { shareOf } from '../../src/loop/strength.ts';
import { type Proof, proof } from '../../src/proof/proof.ts';
import { optionsOrEnd } from '../command-line.ts';
import { type Files, readTasks, type Task } from './task.ts';

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

const PROVE = join(import.meta.dirname, '..', '..', 'src', 'main.ts');

async function laid(root: string, task: Task, tests: Files): Promise<string> {
  const directory = await mkdtemp(join(root, `${task.name}-`));
  const git = (...argv: readonly string[]) =>
    execa('git', ['-c', 'user.name=measured', '-c', 'user.email=measured@example.test', ...argv], { cwd: directory });
  const commit = async (files: Files, message: string) => {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(directory, path)), { recursive: true });
      await writeFile(join(directory, path), text);
    }
    await git('add', '--all', '--force');
    await git('commit', '--quiet', '--message', message);
  };
  await git('init', '--quiet', '--initial-branch', 'main');
  await commit(task.base, 'base');
  await commit({ ...task.change, ...tests }, 'change');
  return directory;
}

async function proved(root: string, task: Task, tests: Files): Promise<Proof> {
  const directory = await laid(root, task, tests);
  const argv = [PROVE, 'prove', 'HEAD~1..HEAD', '--repo', directory, '--json'];
  const { stdout, stderr } = await execa(process.execPath, argv, { reject: false });
  await rm(directory, { recursive: true, force: true });
  if (stdout === '') throw new Error(`${task.name}: ${stderr}`);
  return proof.parse(JSON.parse(stdout));
}

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

const root = await realpath(await mkdtemp(join(tmpdir(), 'measured-')));
try {
  const rows: Row[] = [];
  for (const task of (await readTasks()).filter(({ name }) => name.includes(given.only))) {
    const row = await measured(root, task);
    rows.push(row);
    say(row);
  }
  const [careful, oneCase] = [mean(rows, 'careful'), mean(rows, 'oneCase')];
  const isTold = careful >= GOALS.careful && oneCase <= GOALS.oneCase;
  if (!given.json)
    process.stdout.write(
      `${rows.length} tasks: mean share with all cases ${careful.toFixed(3)} (at least ${GOALS.careful}), with one case ${oneCase.toFixed(3)} (at most ${GOALS.oneCase})\n`,
    );
  process.exitCode = isTold ? 0 : 1;
} finally {
  await rm(root, { recursive: true, force: true });
}
