/** How the test tools that tell their results are called, where they are installed, and how the repository calls them itself. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { foldersAbove, manifestIn, ownCommand, scriptsIn, variablesIn } from './own-command.mjs';

const cases = (token) => [
  `test('${token} passes', () => { expect('${token}').toBe('${token}'); });`,
  `test('${token} fails', () => { expect('${token}').toBe('not ${token}'); });`,
];

/** Paths are as the tool takes them; what is said later on a command line counts. */
export const TOOLS = {
  vitest: {
    preload: [],
    config: /^(?:vitest|vite)\.config\.[cm]?[jt]s$/,
    argv: ({ paths, report }) => [
      ...['run', ...paths, '--reporter=json', `--outputFile=${report}`],
      ...['--no-coverage', '--retry=0', '--bail=0'],
    ],
    sentinel: (token) => ["import { expect, test } from 'vitest';", ...cases(token), ''].join('\n'),
  },
  jest: {
    preload: ['--require', join(import.meta.dirname, 'bare-arguments.cjs')],
    config: /^jest\.config\.(?:[cm]?[jt]s|json)$/,
    argv: ({ paths, report }) => [
      ...['--ci', '--json', `--outputFile=${report}`, '--coverage=false', '--bail=0', '--watchAll=false'],
      // What a test left open must not hold the results back.
      '--forceExit',
      ...['--runTestsByPath', ...paths],
    ],
    sentinel: (token) => [...cases(token), ''].join('\n'),
  },
};

/** Options of the repository's own script that say how tests are run; the others say which, or what is printed. */
const KEPT =
  /^(?:-c|--(?:config|root|rootDir|dir|environment|env|testEnvironment|project|projects|globals|dom|preset|selectProjects|pool|runner|testRunner|experimental-vm-modules|import|loader|require))(?:=|$)/;
const TAKES_NO_VALUE = /^--(?:globals|dom|experimental-vm-modules)$/;

const runs = (tool) => new RegExp(`(?:^|[\\s/])${tool}(?:\\.[cm]?js)?(?:\\s|$)`);

/** The nearest folder that the tool is set up in; the root where none is. */
export function homeOf(tool, path, root) {
  const isHome = (folder) =>
    manifestIn(folder)[tool] !== undefined ||
    scriptsIn(folder).some((script) => runs(tool).test(script)) ||
    readdirSync(folder).some((name) => TOOLS[tool].config.test(name));
  return foldersAbove(path, root).find(isHome) ?? root;
}

/** The tool's program as it is installed for this folder. @throws {Error} where it is not. */
export function programOf(tool, folder, root) {
  const installed = foldersAbove(join(folder, 'x'), root)
    .map((above) => join(above, 'node_modules', tool))
    .find((place) => existsSync(join(place, 'package.json')));
  if (installed === undefined) throw new Error(`${tool} is not installed in node_modules`);
  const { bin } = manifestIn(installed);
  return join(installed, typeof bin === 'string' ? bin : bin[tool]);
}

/** How the repository runs the tool in a folder: variables before it, options for Node, options for the tool. */
export function ownOptions(tool, folder, suite, root) {
  const { words, before, after } = ownCommand((text) => runs(tool).test(text), folder, { suite, root });
  const at = words.findIndex((word) => runs(tool).test(word));
  const first = words.slice(0, Math.max(0, at));
  return {
    env: { ...variablesIn(first), ...variablesIn(before) },
    forNode: optionsIn(first),
    forTool: [...optionsIn(words.slice(at + 1)), ...optionsIn(after)],
  };
}

function optionsIn(words) {
  return words.flatMap((word, index) => {
    if (!KEPT.test(word)) return [];
    const next = words[index + 1];
    const isApart = !word.includes('=') && !TAKES_NO_VALUE.test(word) && next !== undefined && !next.startsWith('-');
    return isApart ? [word, next] : [word];
  });
}
