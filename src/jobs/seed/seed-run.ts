/** Runs a seed command twice in a copy of the product and compares what it leaves and what it counts. */
import { createHash } from 'node:crypto';
import { lstat, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { SeedData } from '../../loop/answers.ts';
import { readRegular } from '../../sandbox/inside.ts';
import type { CommandResult } from '../../sandbox/sandbox.ts';
import { onCopy } from '../build/settle.ts';
import { parseJson } from '../report/json.ts';
import { cut, said } from '../report/said.ts';
import type { Bench } from '../workspace/environment.ts';
import { install } from '../workspace/install.ts';

/** What went wrong, as sentences, and the whole output of both runs. */
export interface SeedRuns {
  readonly errors: readonly string[];
  readonly drift: readonly string[];
  readonly mismatches: readonly string[];
  readonly output: string;
}

interface Run {
  readonly error: string | undefined;
  readonly counts: Readonly<Record<string, number>>;
  readonly digest: string;
  readonly output: string;
}

const lastLine = z.strictObject({ counts: z.record(z.string(), z.int().nonnegative()) });
const NOT_COMPARED: ReadonlySet<string> = new Set(['.git', 'node_modules', '__pycache__']);

/** Runs the command of the seed twice in one copy of the workspace. @throws {JobError} when the copy cannot be installed. */
export function runTwice(bench: Bench, seed: SeedData): Promise<SeedRuns> {
  return onCopy(bench, async (copy) => {
    await install(bench, copy);
    const first = await runOnce(bench, seed, copy);
    const second = await runOnce(bench, seed, copy);
    const errors = [first, second].flatMap(({ error }, index) =>
      error === undefined ? [] : [`Run ${index + 1} of the seed command failed: ${error}`],
    );
    return {
      errors,
      drift: errors.length === 0 ? driftOf(first, second) : [],
      mismatches: mismatchesOf(seed, first),
      output: `first run\n${first.output}\n\nsecond run\n${second.output}\n`,
    };
  });
}

async function runOnce({ brief, environment }: Bench, seed: SeedData, directory: string): Promise<Run> {
  const { commandTimeoutMs: timeoutMs, outputBytes } = brief.limits;
  const env = { PYTHONDONTWRITEBYTECODE: '1' };
  const result = await environment.sandbox.run({ argv: seed.command, directory, env, timeoutMs, outputBytes });
  const digest = await digestOfFolder(directory);
  const output = `${seed.command.join(' ')}\n${said(result, outputBytes)}\nfiles afterwards: ${digest}`;
  return { ...readCounts(result), digest, output };
}

function readCounts(result: CommandResult): Pick<Run, 'error' | 'counts'> {
  if (result.exitCode !== 0) return { error: cut(said(result, 2000), 3000), counts: {} };
  const line = result.stdout.trimEnd().split('\n').at(-1) ?? '';
  const parsed = lastLine.safeParse(parseJson(line));
  if (parsed.success) return { error: undefined, counts: parsed.data.counts };
  const wanted = '{"counts": {"name": number}}';
  return { error: `its last line must be ${wanted}, but it is ${JSON.stringify(cut(line, 300))}`, counts: {} };
}

function driftOf(first: Run, second: Run): readonly string[] {
  const counts = [first, second].map((run) => JSON.stringify(Object.entries(run.counts).toSorted()));
  return [
    ...(first.digest === second.digest ? [] : ['The second run of the seed command changed files again.']),
    ...(counts[0] === counts[1] ? [] : [`The second run counted ${counts[1]}, the first ${counts[0]}.`]),
  ];
}

function mismatchesOf(seed: SeedData, run: Run): readonly string[] {
  const declared = new Map(seed.counts.map(({ name, count }) => [name, count]));
  const names = new Set([...declared.keys(), ...Object.keys(run.counts)]);
  return [...names].flatMap((name) => {
    const [wanted, actual] = [declared.get(name), run.counts[name]];
    return wanted === actual
      ? []
      : [
          `The seed declares ${wanted ?? 'no count'} for ${JSON.stringify(name)}, its run counted ${actual ?? 'nothing'}.`,
        ];
  });
}

/** Digest over all files below a folder with their names and modes; links count by their target. */
async function digestOfFolder(folder: string): Promise<string> {
  const hash = createHash('sha256');
  for (const path of await pathsBelow(folder, '')) {
    const stats = await lstat(join(folder, path));
    hash.update(`${path}\0${stats.mode}\0`);
    if (stats.isSymbolicLink()) hash.update(await readlink(join(folder, path)));
    if (stats.isFile())
      hash.update(
        createHash('sha256')
          .update(await readRegular(join(folder, path)))
          .digest(),
      );
  }
  return `sha256:${hash.digest('hex')}`;
}

async function pathsBelow(folder: string, prefix: string): Promise<readonly string[]> {
  const paths: string[] = [];
  const entries = await readdir(join(folder, prefix), { withFileTypes: true });
  for (const entry of entries.toSorted((left, right) => (left.name < right.name ? -1 : 1))) {
    if (NOT_COMPARED.has(entry.name)) continue;
    const path = prefix === '' ? entry.name : `${prefix}/${entry.name}`;
    if (entry.isDirectory()) paths.push(...(await pathsBelow(folder, path)));
    else paths.push(path);
  }
  return paths;
}
