/**
 * `npm run test:mutants`: makes faults in the pure rules, one at a time, and tells which of them no test notices.
 *
 *   --files GLOB     what is mutated, any number of times; `src/{loop,guard}/**` by default
 *   --sample N       only N lines, drawn by --seed S (1 by default)
 *   --floor PERCENT  exit code 1 where a smaller share of the mutants is noticed
 *   --json           one JSON object as the last line
 *
 * What a whole file gave is kept until code or tests change, so that an interrupted run goes on with the next file.
 */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { z } from 'zod';
import { digestOf, drawnLines, filesOf } from './places.ts';
import { type Outcome, outcome, scoreOf, scoreText, survivorsOf } from './score.ts';

const ROOT = join(import.meta.dirname, '..', '..');

const options = z
  .object({
    files: z.array(z.string()).default(['src/{loop,guard}/**/*.ts']),
    sample: z.coerce.number().int().positive().optional(),
    seed: z.coerce.number().int().default(1),
    floor: z.coerce.number().min(0).max(100).default(0),
    json: z.boolean().default(false),
  })
  .parse(
    parseArgs({
      options: {
        files: { type: 'string', multiple: true },
        sample: { type: 'string' },
        seed: { type: 'string' },
        floor: { type: 'string' },
        json: { type: 'boolean' },
      },
    }).values,
  );

/** Mutates these files, or lines of files as `file:from-to`, and runs the tests that reach each mutant. */
async function mutated(places: readonly string[]): Promise<readonly Outcome[]> {
  const stryker = new Stryker({
    mutate: [...places],
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    vitest: { configFile: 'test/mutants/vitest.config.ts' },
    coverageAnalysis: 'perTest',
    concurrency: 2,
    reporters: [],
    // Stryker would rewrite it by TypeScript's old interface, which version 7 has no more; there is nothing in it to rewrite.
    tsconfigFile: 'none',
    ignorePatterns: ['dist', '.data', 'skills'],
    tempDirName: '.stryker',
    cleanTempDir: 'always',
  });
  const results = await stryker.runMutationTest();
  return results.map(({ fileName, location, mutatorName, replacement, status }) => ({
    file: fileName.replace(`${ROOT}/`, ''),
    line: location.start.line,
    mutator: mutatorName,
    replacement: replacement ?? '',
    status,
  }));
}

async function sampled(files: readonly string[], count: number): Promise<readonly Outcome[]> {
  const lines = await drawnLines(ROOT, { files, count, seed: options.seed });
  return mutated(lines.map(({ file, line }) => `${file}:${line}-${line}`));
}

/** One file after the other; what was done before is not done again. */
async function whole(files: readonly string[]): Promise<readonly Outcome[]> {
  const kept = join(ROOT, 'node_modules', '.cache', 'loopwright', `mutants-${await digestOf(ROOT)}`);
  await mkdir(kept, { recursive: true });
  const outcomes: Outcome[] = [];
  for (const [index, file] of files.entries()) {
    const place = join(kept, `${file.replaceAll('/', '.')}.json`);
    const own = (await keptIn(place)) ?? (await mutated([file]));
    await writeFile(`${place}.new`, JSON.stringify(own));
    await rename(`${place}.new`, place);
    process.stderr.write(`${index + 1} of ${files.length}: ${file} ${scoreOf(own).percent ?? '—'}\n`);
    outcomes.push(...own);
  }
  return outcomes;
}

async function keptIn(place: string): Promise<readonly Outcome[] | undefined> {
  const text = await readFile(place, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  });
  return text === undefined ? undefined : z.array(outcome).parse(JSON.parse(text));
}

const files = await filesOf(ROOT, options.files);
const outcomes = options.sample === undefined ? await whole(files) : await sampled(files, options.sample);
process.stdout.write(`${scoreText(outcomes)}\n`);
const score = scoreOf(outcomes);
if (options.json) process.stdout.write(`${JSON.stringify({ ...score, survivors: survivorsOf(outcomes) })}\n`);
if (score.percent === undefined || score.percent < options.floor) {
  process.stderr.write(
    `At least ${options.floor} % of the mutants must be noticed, and ${score.percent ?? 'no'} are.\n`,
  );
  process.exitCode = 1;
}
