/**
 * What a candidate's `requirements.txt` adds. The set-up action has installed that of the base in an environment of its own; more is installed here, in a copy of it, which
 * commands then find in its place.
 */
import { treeOf } from '../../trees/repository.ts';
import { type Installable, JobError } from './environment.ts';
import { indexesOf } from './pip-indexes.ts';
import { withRequirements } from './pip-install.ts';
import { addedRequirements, otherReadings, REQUIREMENTS, strangeRequirements } from './pip-requirements.ts';
import { textsAt } from './texts.ts';
import { openFolders } from './wheel-files.ts';

/**
 * Has every command of the sandbox find what the tree's file asks for beside that of the base, from now on, and gives those lines. What is only added changes nothing for
 * another tree. @throws {JobError} where it cannot be had, or the file is none that may be followed; a {@link SetupError} where no index answers.
 */
export async function newRequirements(bench: Installable, tree: string): Promise<readonly string[]> {
  const { python } = bench.environment.sandbox;
  const { text: before, folders } = await baseOf(bench);
  const after = (await textsAt(tree, [REQUIREMENTS])).get(REQUIREMENTS) ?? '';
  refuse(otherReadings(before ?? after, after));
  const lines = addedRequirements(before ?? '', after);
  if (lines.length + addedRequirements(after, before ?? '').length === 0) return [];
  if (before === undefined || python === undefined) {
    if (lines.length > 0) bench.environment.log(notInstalled(lines));
    return [];
  }
  const indexes = indexesOf(before);
  refuse([...strangeRequirements(before, after), ...indexes.strange.filter(() => lines.length > 0)]);
  bench.environment.log(`${REQUIREMENTS} adds ${lines.join(', ')}`);
  const key = `${REQUIREMENTS}\n${lines.join('\n')}`;
  const required = { environment: python.place, lines, indexes, folders };
  const folder = bench.packages.get(key) ?? withRequirements(bench, required);
  bench.packages.set(key, folder);
  python.show(await folder);
  return lines;
}

function notInstalled(lines: readonly string[]): string {
  return `${REQUIREMENTS} adds ${lines.join(', ')}, which is not installed: there is no environment that the set-up action has made of the base's ${REQUIREMENTS}. Have it make one (\`loopwright init\` writes an action that does), or bring the packages to the default branch first.`;
}

const MOST_SHOWN = 5;

function refuse(clauses: readonly string[]): void {
  if (clauses.length > 0)
    throw new JobError(`\`${REQUIREMENTS}\` is not followed: ${clauses.slice(0, MOST_SHOWN).join('; ')}.`);
}

interface Base {
  /** Undefined where it has no such file. */
  readonly text: string | undefined;
  readonly folders: ReadonlySet<string>;
}

async function baseOf({ repository, brief }: Installable): Promise<Base> {
  const files = (await treeOf(repository, brief.base)).filter(({ mode }) => mode.startsWith('100'));
  const paths = files.map(({ path }) => path);
  const text = async () => String(await repository.git(['show', `${brief.base}:${REQUIREMENTS}`]));
  return { text: paths.includes(REQUIREMENTS) ? await text() : undefined, folders: openFolders(paths) };
}
