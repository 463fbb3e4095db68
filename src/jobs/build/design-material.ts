/** What of the repository the test designer is shown: the files that will change, and tests to take the style from. */
import { isTestFile } from '../../guard/test-paths.ts';
import type { TreeEntry } from '../../trees/repository.ts';
import { cut } from '../report/said.ts';
import type { Bench } from '../workspace/environment.ts';
import { filesText, material } from './prompt.ts';

const FILE_CHARACTERS = 6000;
const SOURCES_CHARACTERS = 24_000;
const EXAMPLES_CHARACTERS = 15_000;
const MOST_EXAMPLES = 3;
/** Tests that are read to find those worth showing. */
const MOST_READ = 60;

interface File {
  readonly path: string;
  readonly content: string;
}

/** Sections with the sources that the plan names and with existing tests, as they are on the candidate. */
export async function repositorySections(bench: Bench, existing: readonly TreeEntry[]): Promise<string> {
  const { tasks, commands, supersededTests, candidate } = bench.brief;
  const named = new Set(tasks.flatMap(({ files }) => files));
  const sources = await read(
    bench,
    existing.filter(({ path }) => named.has(path)),
  );
  const superseded = new Set(supersededTests.map(({ file }) => file));
  const tests = existing.filter(({ path }) => isTestFile(path, commands.runner));
  const first = tests.toSorted((left, right) => Number(superseded.has(right.path)) - Number(superseded.has(left.path)));
  const examples = ranked(await read(bench, first.slice(0, MOST_READ)), { named, superseded });
  const from = `the repository at ${candidate.slice(0, 7)}`;
  return [
    material('Source files that the plan names, as they are today', from, shown(sources, SOURCES_CHARACTERS)),
    material('Existing tests, for style', from, shown(examples.slice(0, MOST_EXAMPLES), EXAMPLES_CHARACTERS)),
  ].join('');
}

async function read({ repository }: Bench, entries: readonly TreeEntry[]): Promise<readonly File[]> {
  const files: File[] = [];
  for (const { path, mode, id } of entries) {
    if (mode !== '100644' && mode !== '100755') continue;
    files.push({ path, content: (await repository.git(['cat-file', 'blob', id])).toString('utf8') });
  }
  return files.filter(({ content }) => content.trim() !== '' && !content.includes('\0'));
}

interface Wanted {
  readonly named: ReadonlySet<string>;
  readonly superseded: ReadonlySet<string>;
}

/** Those that lose a test first, then those that speak of a file of the plan; the order of paths decides the rest. */
function ranked(tests: readonly File[], { named, superseded }: Wanted): readonly File[] {
  const modules = [...named].map((path) => path.slice(path.lastIndexOf('/') + 1).replace(/\.\w+$/, ''));
  const worth = ({ path, content }: File): number =>
    (superseded.has(path) ? 100 : 0) + modules.filter((name) => content.includes(name)).length;
  return tests.toSorted((left, right) => worth(right) - worth(left));
}

/** Each file cut by itself; those for which no room is left are named only. */
function shown(files: readonly File[], limit: number): string {
  const kept: File[] = [];
  let room = limit;
  for (const { path, content } of files) {
    const text = cut(content, FILE_CHARACTERS);
    if (text.length > room) continue;
    kept.push({ path, content: text });
    room -= text.length;
  }
  const left = files.filter(({ path }) => !kept.some((file) => file.path === path)).map(({ path }) => path);
  return [filesText(kept), left.length === 0 ? '' : `Not shown: ${left.join(', ')}`].join('\n\n').trim();
}
