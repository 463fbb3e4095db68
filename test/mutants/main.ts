/** Makes faults in the pure rules, one at a time, and tells which of them no test notices. What a whole file gave is kept until code or tests change, so that an interrupted run goes on with the next file. */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Stryker } from '@stryker-mutator/core';
import { z } from 'zod';
import { optionsOrEnd, wholeNumber } from '../command-line.ts';
import { digestOf, drawnLines, filesOf } from './places.ts';
import { type Outcome, outcome, scoreOf, scoreText, survivorsOf } from './score.ts';

const ROOT = join(import.meta.dirname, '..', '..');

const given = optionsOrEnd({
  typed: 'npm run test:mutants --',
  purpose: 'Makes faults in the pure rules, one at a time, and tells which of them no test notices.',
  options: {
    files: { value: 'GLOB', meaning: 'what is mutated; src/{loop,guard}/**/*.ts unless told otherwise' },
    sample: { value: 'N', meaning: 'only N lines, drawn by the seed' },
    seed: { value: 'S', meaning: 'what the lines are drawn by; 1 unless told otherwise' },
    floor: { value: 'PERCENT', meaning: 'exit code 1 where a smaller share of the mutants is noticed' },
    json: { meaning: 'one JSON object as the last line' },
  },
  read: ({ files, sample, seed, floor, json }) => ({
    files: typeof files === 'string' ? files : 'src/{loop,guard}/**/*.ts',
    sample: sample === undefined ? undefined : wholeNumber('sample', sample, { least: 1, otherwise: 120 }),
    seed: wholeNumber('seed', seed, { least: 0, otherwise: 1 }),
    floor: wholeNumber('floor', floor, { least: 0, otherwise: 0 }),
    json: json === true,
  }),
});

/** Mutates these files, or lines of files as `file:from-to`, and runs the tests that reach each mutant. */
async function mutated(places: readonly string[]): Promise<readonly Outcome[]> {
  const stryker = new Stryker({
    mutate: [...places],
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    vitest: { configFile: 'test/mutants/vitest.config.ts' },
    coverageAnalysis: 'perTest',
    concurrency: 2,
    reporters: ['progress-append-only'],
    // That mutants of what a file makes when it is loaded take long is nobody's to mend.
    warnings: false,
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
  const lines = await drawnLines(ROOT, { files, count, seed: given.seed });
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

const files = await filesOf(ROOT, [given.files]);
const outcomes = given.sample === undefined ? await whole(files) : await sampled(files, given.sample);
process.stdout.write(`${scoreText(outcomes)}\n`);
const score = scoreOf(outcomes);
if (given.json) process.stdout.write(`${JSON.stringify({ ...score, survivors: survivorsOf(outcomes) })}\n`);
if (score.percent === undefined || score.percent < given.floor) {
  process.stderr.write(`At least ${given.floor} % of the mutants must be noticed, and ${score.percent ?? 'no'} are.\n`);
  process.exitCode = 1;
}
