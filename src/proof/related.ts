/** Untouched test files that name a changed file of the tests (a helper, data, a snapshot), or a fixture that is another: what they ask changes with it. */
import { posix } from 'node:path';
import { isTestFile } from '../guard/test-paths.ts';
import { changedFixtures, isConftest } from '../rules/set-up-change.ts';
import type { RunnerName } from '../runners/runners.ts';
import { languageOf, type Parsers } from '../syntax/parsers.ts';
import { type Repository, textsIn } from '../trees/repository.ts';
import type { Change } from './change.ts';

/** Paths that are on both sides, as they were. */
export async function relatedTests(
  { repository, parsers, runner }: { repository: Repository; parsers: Parsers; runner: RunnerName },
  { tests, baseFiles, headFiles }: Change,
): Promise<ReadonlySet<string>> {
  if (tests.length === 0) return new Set();
  const asksFor = await fixtureAsked({ repository, parsers }, { tests, baseFiles, headFiles });
  const untouched = [...headFiles].flatMap(([path, id]) =>
    isTestFile(path, runner) && baseFiles.get(path) === id ? [path] : [],
  );
  const owners = new Set(tests.map(ownerOf));
  const texts = await textsIn(repository, headFiles, untouched);
  return new Set(
    untouched.filter((path) => {
      const text = texts.get(path) ?? '';
      return owners.has(path) || names(path, text, tests) || asksFor(path, text);
    }),
  );
}

/** Whether the text of a test file, by its path, names a fixture that a conftest.py above it makes otherwise now. */
async function fixtureAsked(
  { repository, parsers }: { readonly repository: Repository; readonly parsers: Parsers },
  { tests, baseFiles, headFiles }: Pick<Change, 'tests' | 'baseFiles' | 'headFiles'>,
): Promise<(path: string, text: string) => boolean> {
  const conftests = tests.filter((path) => isConftest(path) && baseFiles.has(path));
  const [before, after] = [
    await textsIn(repository, baseFiles, conftests),
    await textsIn(repository, headFiles, conftests),
  ];
  const others = [...(await textsIn(repository, headFiles, [...headFiles.keys()].filter(isConftest))).values()];
  const fixtures = conftests.map((path) => {
    const change = { before: before.get(path) ?? '', after: after.get(path) ?? '', others };
    const names = [...changedFixtures(parsers, change)];
    return { below: path.slice(0, -'conftest.py'.length), asked: names.map((name) => new RegExp(`\\b${name}\\b`)) };
  });
  return (path, text) =>
    fixtures.some(({ below, asked }) => path.startsWith(below) && asked.some((name) => name.test(text)));
}

/** Of snapshots, as Jest and Vitest, syrupy and node:test keep them: `test/__snapshots__/a.test.js.snap` is that of `test/a.test.js`. */
function ownerOf(path: string): string {
  if (path.endsWith('.snapshot')) return path.slice(0, -'.snapshot'.length);
  return posix.join(path, '..', '..', posix.basename(path, '.snap').replace(/\.ambr$/, '.py'));
}

const QUOTED = /["'`]([^"'`\n]{1,200})["'`]/g;
const IMPORTED = /^[ \t]*(?:from|import)[ \t][^\n]*/gm;

/** Whether a test file imports one of these paths, or reads it by its path or, where it is no code, by its name, its folder or a pattern. */
export function names(file: string, text: string, paths: readonly string[]): boolean {
  const quoted = [...text.matchAll(QUOTED)].map(([, said = '']) => said);
  const imported = quoted.filter((said) => said.startsWith('.')).map((said) => posix.join(posix.dirname(file), said));
  const meant = new Set([...imported, ...quoted.filter((said) => said.includes('/'))].map(stemOf));
  const isPython = file.endsWith('.py');
  const modules = new Set(isPython ? (text.match(IMPORTED) ?? []).flatMap((line) => line.split(/[\s.,()]+/)) : []);
  return paths.some((path) => {
    const isCode = languageOf(path) !== undefined;
    if (isPython && isCode) return modules.has(posix.basename(path, '.py'));
    return meant.has(stemOf(path)) || (!isCode && quoted.some((said) => isDataOf(file, said, path)));
  });
}

/** What is put into a text, or stands in a pattern for anything. */
const FILLED = /\$?\{[^}]*\}|\*+|%\w/;

/** Whether a test that says this may read the data: by its name, as one of a folder below the test, or by what a name near the test is made of. */
function isDataOf(file: string, said: string, path: string): boolean {
  const [folder, name] = [posix.dirname(path), posix.basename(path)];
  const last = posix.basename(said);
  if (last === name) return true;
  const way = posix.relative(posix.dirname(file), folder).split('/');
  const literal = said.split('/').filter((part) => part !== '' && !FILLED.test(part));
  if (way.includes(literal.at(-1) ?? '')) return true;
  const isNear = way.filter((part) => part === '..').length < 2;
  return isNear && /^\.\w|[^.]\.\w/.test(last) && patternOf(last).test(name);
}

/** `${name}.json`, `*.json` and `.json` stand for all names that end so. */
function patternOf(said: string): RegExp {
  const parts = said.split(new RegExp(FILLED, 'g')).map(RegExp.escape);
  return new RegExp(`^${said.startsWith('.') ? '.+' : ''}${parts.join('.*')}$`);
}

/** An import may leave out the end of the name, or have that of another language. */
function stemOf(path: string): string {
  return path.replace(/\.[cm]?[jt]sx?$/, '');
}
