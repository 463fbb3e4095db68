/** How a repository calls what runs its tests: the command for its suite, and the scripts of its manifests. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Nothing where it is not there or no manifest: it may be there for a test. */
export function manifestIn(folder) {
  const file = join(folder, 'package.json');
  try {
    return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) ?? {}) : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

export const scriptsIn = (folder) =>
  Object.values(manifestIn(folder).scripts ?? {}).filter((text) => typeof text === 'string');

/** The folders from the test's own up to the root. */
export function foldersAbove(path, root) {
  const folders = [];
  for (let folder = dirname(resolve(root, path)); folder.startsWith(`${root}/`); folder = dirname(folder))
    folders.push(folder);
  return [...folders, root];
}

/** `npm test`, `pnpm run unit`, `yarn unit`: the script's name. */
const SCRIPT = /^(?:npm|pnpm|yarn)(?: run(?:-script)?)? ([\w:.-]+)/;
const VARIABLE = /^([A-Za-z_]\w*)=(.*)$/s;

/**
 * The part of a command that runs the tool in a folder: of the suite's command at the root, or of the script that it names; else of the folder's
 * own scripts. Beside it, what the suite's command says before the script's name, and behind its ` -- `.
 */
export function ownCommand(isOf, folder, { suite, root }) {
  const scripts = manifestIn(folder).scripts ?? {};
  const here = folder === root && !/\bcd\s/.test(suite) ? suite : '';
  const given = partsOf(here).find((part) => isOf(part) || isOf(String(scripts[scriptOf(part)]))) ?? '';
  const all = [given, scripts[scriptOf(given)], scripts.test, ...scriptsIn(folder)];
  const own = partsOf(all.find((text) => isOf(String(text))) ?? '').find(isOf) ?? '';
  if (own === given) return { words: wordsOf(own), before: [], after: [] };
  const [before, ...after] = given.split(' -- ');
  return { words: wordsOf(own), before: wordsOf(before), after: wordsOf(after.join(' ')) };
}

const partsOf = (command) => command.split(/&&|\|\||[;|]/).map((part) => part.trim());

export const wordsOf = (text) =>
  (text.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? []).map((word) => word.replaceAll(/["']/g, ''));

export const variablesIn = (words) =>
  Object.fromEntries(words.flatMap((word) => [VARIABLE.exec(word)?.slice(1)].filter(Boolean)));

/** The script that a command names; undefined where it names none. */
function scriptOf(command) {
  const words = wordsOf(command);
  const at = words.findIndex((word) => !VARIABLE.test(word));
  return SCRIPT.exec(words.slice(Math.max(0, at)).join(' '))?.[1];
}
