/** How a repository starts Node for its tests: what its own command says of how code is loaded. */
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { foldersAbove, ownCommand, scriptsIn, variablesIn, wordsOf } from './own-command.mjs';

const TESTS = /(?:^|[\s/])(?:node|tsx)\s(?:.*\s)?--test(?=[\s=]|$)/;
const PROGRAM = /(?:^|\/)(node|tsx)$/;

/** What is loaded before the test, by its way. */
const PRELOADS = {
  '--require': 'require',
  '-r': 'require',
  '--import': 'import',
  '--loader': 'loader',
  '--experimental-loader': 'loader',
};
/** As Node loads them. */
const ORDER = ['require', 'loader', 'import'];
const ENV_FILE = /^--env-file(?:-if-exists)?$/;
const CONDITION = /^(?:--conditions|-C)$/;
/** Not those that name more options, coverage, or other ways to look into the process. */
const FLAG =
  /^--(?:(?:no-)?experimental-(?!config|default|sea|test-(?:coverage|isolation)|inspect|network|worker|storage|print|report|permission)[\w-]+|enable-source-maps|expose[-_]gc|preserve-symlinks)$/;

/**
 * For a test file, by its path from the root: the folder whose script it is, variables, options for Node, and what is loaded first, in that order.
 * What Node would load by itself is not among the options, so that the runner can be locked before.
 */
export function nodeOptions(path, suite, root) {
  const folder = foldersAbove(path, root).find((above) => scriptsIn(above).some((text) => TESTS.test(text))) ?? root;
  const { words, before, after } = ownCommand((text) => TESTS.test(text), folder, { suite, root });
  const at = words.findIndex((word) => PROGRAM.test(word));
  const given = { ...variablesIn(words.slice(0, Math.max(0, at))), ...variablesIn(before) };
  const isTsx = PROGRAM.exec(words[at] ?? '')?.[1] === 'tsx';
  const said = [...(isTsx ? ['--import', 'tsx'] : []), ...words.slice(at + 1), ...after];
  const own = optionsIn([...wordsOf(given.NODE_OPTIONS ?? ''), ...(at === -1 ? [] : said)]);
  const env = { ...variablesOf(own, folder), ...given };
  const named = own.flatMap(({ name, value }) => {
    const kind = PRELOADS[name];
    return kind === undefined || value === undefined ? [] : [{ kind, name: placed(value, folder) }];
  });
  return {
    folder,
    env: Object.fromEntries(Object.entries(env).filter(([name, value]) => isHarmless(name, value))),
    argv: own.flatMap(({ name, value }) => {
      if (CONDITION.test(name)) return value === undefined ? [] : [`--conditions=${value}`];
      return FLAG.test(name) && isKnown(name) && PRELOADS[name] === undefined ? [name] : [];
    }),
    preloads: ORDER.flatMap((kind) => named.filter((one) => one.kind === kind)),
  };
}

/** Node ends at once by an option that this version does not know. */
const isKnown = (name) => process.allowedNodeEnvironmentFlags.has(name) || name === '--experimental-test-module-mocks';

const TAKES_VALUE = (name) => PRELOADS[name] !== undefined || ENV_FILE.test(name) || CONDITION.test(name);

function optionsIn(words) {
  return words.flatMap((word, index) => {
    const [, name, inline] = /^(--?[A-Za-z][\w-]*)(?:=(.*))?$/s.exec(word) ?? [];
    if (name === undefined) return [];
    return [{ name, value: inline ?? (TAKES_VALUE(name) ? words[index + 1] : undefined) }];
  });
}

/** What files of variables say; of two that name one the later counts. */
function variablesOf(options, folder) {
  const files = options.flatMap(({ name, value }) => (ENV_FILE.test(name) && value ? [resolve(folder, value)] : []));
  return Object.assign({}, ...files.filter(existsSync).map((file) => parseEnv(readFileSync(file, 'utf8'))));
}

const placed = (name, folder) => (/^\.{1,2}\//.test(name) ? resolve(folder, name) : name);

/** Not what changes Node itself, where its programs lie, or what only a shell could say. */
function isHarmless(name, value) {
  if (/[$`]/.test(value) || /^(?:PATH|HOME|TMPDIR|LD_.*|DYLD_.*|OPENSSL_.*|SSL_.*)$/.test(name)) return false;
  return !name.startsWith('NODE_') || /^NODE_(?:ENV|PATH|NO_WARNINGS|CONFIG.*|APP.*)$/.test(name);
}
