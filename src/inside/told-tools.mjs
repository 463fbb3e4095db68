/** How the test tools that tell their results are called, where they are installed, and how the repository calls them itself. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const cases = (token) => [
  `test('${token} passes', () => { expect('${token}').toBe('${token}'); });`,
  `test('${token} fails', () => { expect('${token}').toBe('not ${token}'); });`,
];

/** Paths are as the tool takes them; what is said later on a command line counts. */
export const TOOLS = {
  vitest: {
    config: /^(?:vitest|vite)\.config\.[cm]?[jt]s$/,
    argv: ({ paths, report }) => [
      ...['run', ...paths, '--reporter=json', `--outputFile=${report}`],
      ...['--no-coverage', '--retry=0', '--bail=0'],
    ],
    sentinel: (token) => ["import { expect, test } from 'vitest';", ...cases(token), ''].join('\n'),
  },
  jest: {
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
const VARIABLE = /^([A-Za-z_]\w*)=(.*)$/s;

const runs = (tool) => new RegExp(`(?:^|[\\s/])${tool}(?:\\.[cm]?js)?(?:\\s|$)`);

function manifestIn(folder) {
  const file = join(folder, 'package.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}

const scriptsIn = (folder) =>
  Object.values(manifestIn(folder).scripts ?? {}).filter((text) => typeof text === 'string');

/** The folders from the test's own up to the root. */
function foldersAbove(path, root) {
  const folders = [];
  for (let folder = dirname(resolve(root, path)); folder.startsWith(`${root}/`); folder = dirname(folder))
    folders.push(folder);
  return [...folders, root];
}

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

/** `npm test`, `pnpm run unit`, `yarn unit`: the script's name. */
const SCRIPT = /^(?:npm|pnpm|yarn)(?: run(?:-script)?)? ([\w:.-]+)/;

/**
 * How the repository runs the tool in a folder: variables before it, options for Node, options for the tool. At the root the command for the whole
 * suite says it first, by itself or by the script that it names; else the folder's own scripts do.
 */
export function ownOptions(tool, folder, suite, root) {
  const scripts = manifestIn(folder).scripts ?? {};
  const isOf = (text) => runs(tool).test(String(text));
  const here = folder === root && !/\bcd\s/.test(suite) ? suite : '';
  const given = partsOf(here).find((part) => isOf(part) || isOf(scripts[scriptOf(part)])) ?? '';
  const all = [given, scripts[scriptOf(given)], scripts.test, ...scriptsIn(folder)];
  const own = partsOf(all.find(isOf) ?? '').find(isOf) ?? '';
  const { env, forNode, forTool } = readIn(own, tool);
  if (own === given) return { env, forNode, forTool };
  const [before, ...after] = given.split(' -- ');
  return {
    env: { ...env, ...variablesIn(wordsOf(before)) },
    forNode,
    forTool: [...forTool, ...optionsIn(wordsOf(after.join(' ')))],
  };
}

const partsOf = (command) => command.split(/&&|\|\||[;|]/).map((part) => part.trim());
const wordsOf = (text) =>
  (text.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? []).map((word) => word.replaceAll(/["']/g, ''));

/** The script that a command names; undefined where it names none. */
function scriptOf(command) {
  const words = wordsOf(command);
  const at = words.findIndex((word) => !VARIABLE.test(word));
  return SCRIPT.exec(words.slice(Math.max(0, at)).join(' '))?.[1];
}

function readIn(command, tool) {
  const words = wordsOf(command);
  const at = words.findIndex((word) => runs(tool).test(word));
  const before = words.slice(0, Math.max(0, at));
  return { env: variablesIn(before), forNode: optionsIn(before), forTool: optionsIn(words.slice(at + 1)) };
}

const variablesIn = (words) =>
  Object.fromEntries(words.flatMap((word) => [VARIABLE.exec(word)?.slice(1)].filter(Boolean)));

function optionsIn(words) {
  return words.flatMap((word, index) => {
    if (!KEPT.test(word)) return [];
    const next = words[index + 1];
    const isApart = !word.includes('=') && !TAKES_NO_VALUE.test(word) && next !== undefined && !next.startsWith('-');
    return isApart ? [word, next] : [word];
  });
}
