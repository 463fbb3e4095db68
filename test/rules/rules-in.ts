/** Which rules a file breaks whose lines are all added. */
import { scanChange } from '../../src/rules/scan-change.ts';
import { installedParsers, loadParsers } from '../../src/syntax/parsers.ts';

export type RulesIn = (text: string, file: string) => readonly string[];

export async function loadRules(): Promise<RulesIn> {
  const parsers = await loadParsers(installedParsers());
  return (text, file) => {
    const added = text.split('\n').map((line, index) => ({ file, line: index + 1, text: line }));
    const { defects } = scanChange(parsers, added, new Map([[file, text]]));
    return [...new Set(defects.map(({ rule }) => rule))];
  };
}
