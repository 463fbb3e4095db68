/** Which code is mutated: whole files, or single lines that a seed draws. */
import { createHash } from 'node:crypto';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';

export interface Place {
  readonly file: string;
  /** From 1. */
  readonly line: number;
}

/** What every mutant's fate depends on. */
const DECISIVE = ['src/**/*.ts', 'test/**/*.ts', 'package-lock.json'];

/** Files below the patterns, in order. */
export async function filesOf(root: string, patterns: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const file of glob([...patterns], { cwd: root })) found.push(file);
  return [...new Set(found)].toSorted();
}

/** Lines that hold code, drawn without repetition; the same seed draws the same lines of the same code. */
export async function drawnLines(
  root: string,
  { files, count, seed }: { readonly files: readonly string[]; readonly count: number; readonly seed: number },
): Promise<readonly Place[]> {
  const places: Place[] = [];
  for (const file of files) {
    const lines = (await readFile(join(root, file), 'utf8')).split('\n');
    for (const [index, text] of lines.entries()) if (isCode(text)) places.push({ file, line: index + 1 });
  }
  const length = Math.min(count, places.length);
  return (
    fc.sample(fc.shuffledSubarray(places, { minLength: length, maxLength: length }), { seed, numRuns: 1 })[0] ?? []
  );
}

function isCode(text: string): boolean {
  return /\w/.test(text) && !/^\s*(?:\/\/|\/?\*|import |export \* |\} from )/.test(text);
}

/** Results are kept under it: after a change of code or tests they say nothing any more. */
export async function digestOf(root: string): Promise<string> {
  const hash = createHash('sha256');
  for (const file of await filesOf(root, DECISIVE)) hash.update(file).update(await readFile(join(root, file)));
  return hash.digest('hex').slice(0, 16);
}
