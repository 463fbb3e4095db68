/** Proves real fixes of other people's libraries, and what must not pass for them: the tests alone, and half of the fix. Prints a row each, and the rates. */
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { z } from 'zod';
import { type Proof, proof } from '../../src/proof/proof.ts';
import { installedParsers, loadParsers } from '../../src/syntax/parsers.ts';
import { existingFolder, optionsOrEnd, UsageError } from '../command-line.ts';
import { respelt, SPELLINGS } from '../measured/refactors.ts';
import { type Judged, keptRows, rateLines } from './rates.ts';

const given = optionsOrEnd({
  typed: 'npm run corpus --',
  purpose:
    'Proves real fixes, and what must not pass for them. A folder of fixes holds one folder each, as its README says.',
  options: {
    from: { value: 'DIR', meaning: 'the folder of fixes' },
    only: { value: 'TEXT', meaning: 'only those whose folder or runner is named so' },
    installed: {
      value: 'DIR',
      meaning: 'keeps what was installed; a folder for temporary files unless told otherwise',
    },
    state: { value: 'FILE', meaning: 'keeps a row for each case that was judged, and goes on from there' },
    spelling: {
      value: 'NAME',
      meaning: `proves the fixes alone, with their files in another spelling that does the same: ${Object.keys(SPELLINGS).join(', ')}`,
    },
    json: { meaning: 'one JSON object a row' },
  },
  read: ({ from, only, installed, state, spelling, json }) => ({
    from: existingFolder('from', from, '../shared/corpus'),
    only: typeof only === 'string' ? only : '',
    installed: resolve(typeof installed === 'string' ? installed : join(tmpdir(), 'loopwright-corpus')),
    state: typeof state === 'string' ? resolve(state) : undefined,
    spelling: spelling === undefined ? undefined : spellingOf(String(spelling)),
    json: json === true,
  }),
});

const meta = z.looseObject({
  repository: z.string(),
  runner: z.string(),
  install: z.string().optional(),
  half: z.boolean(),
  testEnv: z.record(z.string(), z.string()).optional(),
});

const PROVE = join(import.meta.dirname, '..', '..', 'src', 'main.ts');
/** What tells the outcomes of a tool that we have no runner for, and what has to be installed with it. */
const TOLD: Readonly<Record<string, { readonly packages: string; readonly options: readonly string[] }>> = {
  tape: {
    packages: 'tap-xunit@2.4.1',
    options: [
      ...['--runner', 'junit'],
      ...['--junit-command', 'node_modules/.bin/tape {files} | node_modules/.bin/tap-xunit > {report}'],
      ...['--junit-sentinel', join(import.meta.dirname, 'tape-sentinel.txt')],
    ],
  },
};
/** What the base, the tests and the fix become: the whole fix must be proved, nothing less may be. */
const CASES = [
  { name: 'fix', patches: ['product.patch', 'tests.patch'], isRight: true },
  { name: 'tests', patches: ['tests.patch'], isRight: false },
  { name: 'half', patches: ['half.patch', 'tests.patch'], isRight: false },
] as const;

/** In another spelling no half of a fix is one: only the whole is asked. */
const asked = given.spelling === undefined ? CASES : [{ ...CASES[0], name: given.spelling }];
const parsers = await loadParsers(installedParsers());

function spellingOf(name: string): Exclude<Judged['case'], 'fix' | 'tests' | 'half'> {
  const known = (['flipped', 'named', 'negated', 'written'] as const).find((one) => one === name);
  if (known === undefined) throw new UsageError(`--spelling ${name} is none of ${Object.keys(SPELLINGS).join(', ')}.`);
  return known;
}

/** Whether anything in the files of the fix could be written otherwise. */
async function respell(directory: string, paths: readonly string[]): Promise<boolean> {
  const spelling = SPELLINGS[given.spelling ?? ''];
  if (spelling === undefined) return true;
  let isOther = false;
  for (const path of paths) {
    const text = await readFile(join(directory, path), 'utf8').catch(() => '');
    const other = respelt(parsers, path, text, spelling);
    if (other === undefined) continue;
    await writeFile(join(directory, path), other);
    isOther = true;
  }
  return isOther;
}

/** Rows of earlier runs. */
const kept = given.state === undefined ? [] : keptRows(await readFile(given.state, 'utf8').catch(() => ''));
// Without a line that was cut off, which the next one would be written behind.
if (given.state !== undefined) await writeFile(given.state, kept.map(lineOf).join(''));

/** What is known of a case is not asked again. */
const knownOf = (folder: string, name: string) => kept.find((row) => row.folder === folder && row.case === name);

async function judgedFolder(name: string, root: string): Promise<readonly Judged[]> {
  const folder = join(given.from, name);
  const { runner, install, half, repository } = meta.parse(
    JSON.parse(await readFile(join(folder, 'meta.json'), 'utf8')),
  );
  if (!`${name} ${runner}`.includes(given.only)) return [];
  const cases = asked.filter((one) => one.name !== 'half' || half);
  const known = cases.flatMap((one) => knownOf(name, one.name) ?? []);
  if (known.length === cases.length) return known;
  const told = TOLD[runner];
  const command = told === undefined || install === undefined ? install : `${install} ${told.packages}`;
  const modules = command ? await installedModules(repository, command) : undefined;
  const judged: Judged[] = [...known];
  for (const one of cases.filter((one) => knownOf(name, one.name) === undefined)) {
    const directory = await mkdtemp(join(root, `${name}-${one.name}-`));
    const git = (...argv: readonly string[]) =>
      execa('git', ['-c', 'user.name=corpus', '-c', 'user.email=corpus@example.test', ...argv], { cwd: directory });
    await execa('tar', ['xzf', join(folder, 'base.tar.gz'), '-C', directory]);
    await git('init', '--quiet', '--initial-branch', 'main');
    await git('add', '--all', '--force');
    await git('commit', '--quiet', '--message', 'base');
    for (const patch of one.patches) await git('apply', '--index', join(folder, patch));
    const { stdout } = await git('apply', '--numstat', join(folder, 'product.patch'));
    const isOther = await respell(
      directory,
      stdout.split('\n').map((line) => line.split('\t')[2] ?? ''),
    );
    // Without it the tests alone would be refused for changing nothing else.
    await writeFile(join(directory, 'CHANGED.txt'), 'a change beside the fix\n');
    await git('add', '--all');
    await git('commit', '--quiet', '--message', one.name);
    if (modules !== undefined) await symlink(modules, join(directory, 'node_modules'));
    if (isOther) {
      const found = await provedIn(directory, told?.options ?? []);
      const row = { folder: name, runner, case: one.name, isRight: one.isRight, ...found };
      judged.push(row);
      if (given.state !== undefined) await appendFile(given.state, lineOf(row));
      say(row);
    }
    await rm(directory, { recursive: true, force: true });
  }
  return judged;
}

async function provedIn(
  directory: string,
  options: readonly string[],
): Promise<Pick<Judged, 'verdict' | 'reason' | 'seconds'>> {
  const started = Date.now();
  const { stdout, stderr, signal } = await execa(
    process.execPath,
    [PROVE, 'prove', 'HEAD~1..HEAD', '--repo', directory, '--json', ...options],
    { reject: false },
  );
  // Who ends it has heard nothing of the case.
  if (signal !== undefined) throw new Error(`The proof in ${directory} was ended by ${signal}; start again to go on.`);
  const seconds = Math.round((Date.now() - started) / 1000);
  const found: Pick<Proof, 'verdict' | 'reasons'> =
    stdout === '' ? { verdict: 'not judged', reasons: [stderr] } : proof.parse(JSON.parse(stdout));
  return { verdict: found.verdict, reason: found.reasons[0] ?? '', seconds };
}

/** Installed once for each repository and command, in a folder that holds nothing else: in the tree itself npm finds no way for some. */
async function installedModules(repository: string, command: string): Promise<string> {
  const directory = join(given.installed, `${repository}-${command}`.replaceAll(/[^\w.@-]+/g, '-'));
  const modules = join(directory, 'node_modules');
  try {
    await readdir(modules);
  } catch {
    await mkdir(directory, { recursive: true });
    await writeFile(join(directory, 'package.json'), '{"private":true}');
    await execa('bash', ['-c', command], { cwd: directory });
  }
  return modules;
}

function lineOf(row: Judged): string {
  return `${JSON.stringify(row)}\n`;
}

function say(row: Judged): void {
  const { folder, runner, case: name, verdict, seconds, reason } = row;
  process.stdout.write(
    given.json
      ? lineOf(row)
      : `${folder.padEnd(26)} ${runner.padEnd(9)} ${name.padEnd(5)} ${verdict.padEnd(13)} ${`${seconds} s`.padStart(6)}  ${reason.replaceAll(/\s+/g, ' ').slice(0, 140)}\n`,
  );
}

const root = await mkdtemp(join(tmpdir(), 'corpus-'));
try {
  const folders = (await readdir(given.from, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  const rows: Judged[] = [];
  for (const { name } of folders) rows.push(...(await judgedFolder(name, root)));
  if (!given.json) process.stdout.write(`\n${rateLines(rows).join('\n')}\n`);
} finally {
  await rm(root, { recursive: true, force: true });
}
