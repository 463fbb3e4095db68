/** What git said once of objects that were named by their ids: it would say the same for ever, and each question is a process. */
import type { GitResult } from '../../git-process/run-git.ts';

/** The answer to a question of a repository, by asking only where it may have changed or was never asked. The parameters are the whole question. */
export type Remembered = (
  directory: string,
  parameters: readonly string[],
  ask: () => Promise<GitResult>,
) => Promise<GitResult>;

/** Commands that only read. `cat-file` and `merge-tree` are no such: one is asked whether something is there, the other writes the tree. */
const READS = ['log', 'rev-parse', 'rev-list', 'merge-base', 'ls-tree', 'diff', 'diff-tree'];
const ID = '[0-9a-f]{40}';
const OBJECTS = new RegExp(`^${ID}(?:\\.{2,3}${ID}|\\^\\{(?:commit|tree)\\})?$`);
/** These bring in what moves: refs, what stands on standard input or in a file, and logs of refs. */
const MOVING =
  /^(?:-g|--(?:all|not|branches|tags|remotes|glob|exclude|stdin|reflog|walk-reflogs|bisect|merge|alternate-refs|indexed-objects|pathspec-from-file)(?:=.*)?)$/;

const MOST_ANSWERS = 4096;
const MOST_BYTES = 16 * 1024;

/** Forgets the oldest first, and keeps no long answer. */
export function createRemembered(): Remembered {
  const answers = new Map<string, GitResult>();
  return async (directory, parameters, ask) => {
    if (!isForEver(parameters)) return ask();
    const key = [directory, ...parameters].join('\0');
    const known = answers.get(key);
    if (known !== undefined) return known;
    const answer = await ask();
    if (isSaid(parameters, answer) && answer.stdout.length <= MOST_BYTES) answers.set(key, answer);
    const [oldest] = answers.keys();
    if (answers.size > MOST_ANSWERS && oldest !== undefined) answers.delete(oldest);
    return answer;
  };
}

/** Whether the question names objects by their ids and nothing else but options and, after those, paths. */
function isForEver([command = '', ...rest]: readonly string[]): boolean {
  if (!READS.includes(command)) return false;
  const end = rest.indexOf('--');
  const before = end === -1 ? rest : rest.slice(0, end);
  if (before.some((part) => MOVING.test(part))) return false;
  const named = before.filter((part) => !part.startsWith('-'));
  const objects = command === 'ls-tree' ? named.slice(0, 1) : named;
  return objects.length > 0 && objects.every((part) => OBJECTS.test(part));
}

/** Two commits without a common ancestor never get one; whatever else failed may go well the next time. */
function isSaid([command]: readonly string[], { exitCode }: GitResult): boolean {
  return exitCode === 0 || (command === 'merge-base' && exitCode === 1);
}
