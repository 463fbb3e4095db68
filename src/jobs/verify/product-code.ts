/** The code of the candidate in which faults can be made. */
import { isTestPath } from '../../guard/test-paths.ts';
import { languageOf } from '../../syntax/parsers.ts';
import type { Work } from './trial.ts';

/** Files of the product that the requirement's tasks name. */
export function taskFiles({ bench }: Pick<Work, 'bench'>, requirement: string): readonly string[] {
  const { tasks, commands } = bench.brief;
  const files = tasks.filter(({ requirements }) => requirements.includes(requirement)).flatMap((task) => task.files);
  return [...new Set(files)].filter((path) => !isTestPath(path, commands.runner));
}

/** Whether faults can be made in the file. */
export function isCode(path: string): boolean {
  return languageOf(path) !== undefined;
}

/** All files of the head in which faults can be made; a link is no code of its own. */
export function codeFiles({ bench, trees }: Work): readonly string[] {
  const { runner } = bench.brief.commands;
  return [...trees.headFiles].flatMap(([path, entry]) => {
    const isOurs = entry.startsWith('100') && isCode(path) && !isTestPath(path, runner);
    return isOurs && !path.startsWith('.loopwright/') ? [path] : [];
  });
}

/** The texts of the head's files. */
export async function textsOf({ bench }: Work, paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const path of paths)
    texts.set(path, (await bench.repository.git(['show', `${bench.brief.candidate}:${path}`])).toString('utf8'));
  return texts;
}
