/** The programs of this folder as texts: they run in the sandbox beside the code under test, and the job that brings them is one file. */
import { readFileSync } from 'node:fs';

/** By file name; the build puts them here. */
declare const PROGRAM_TEXTS: Readonly<Record<string, string>> | undefined;

/** @throws {Error} when there is no such program. */
export function programText(name: string): string {
  if (typeof PROGRAM_TEXTS === 'undefined') return readFileSync(new URL(name, import.meta.url), 'utf8');
  const text = PROGRAM_TEXTS[name];
  if (text === undefined) throw new Error(`this build holds no program ${JSON.stringify(name)}`);
  return text;
}
