/** Files that the settings of a test runner name, and that are loaded before the tests. Pure: nothing is executed. */
import { posix } from 'node:path';

/** Where a loop's own command for the suite stands. */
const OWN = '.github/loopwright.yml';
const CONFIG = /(^|\/)(?:vite|vitest|jest)(?:[.-]\w+)*\.(?:config|workspace)\.(?:[cm]?[jt]s|json)$/;
const MANIFEST = /(^|\/)package\.json$/;

/** Whether values in the file may name others. */
export function namesSetUp(path: string): boolean {
  return CONFIG.test(path) || MANIFEST.test(path) || path === OWN;
}

const TEXT = /["'`]([^"'`\n]{1,300})["'`]/;
const TEXTS = new RegExp(TEXT, 'g');
/** A text, a list of them, or one call that makes a path of them. */
const VALUE = String.raw`\[[^\]]{0,2000}\]|${TEXT.source}|[\w.]{1,100}\([^\n]{0,300}?\)`;
/** Keys of Vitest and Jest with what they name. */
const KEYS = new RegExp(
  String.raw`\b(?:setupFiles(?:AfterEnv)?|setupTestFrameworkScriptFile|globalSetup|globalTeardown|testEnvironment|environment|testRunner|runner|reporters|snapshotSerializers|snapshotEnvironment|snapshotResolver|preset|resolver|testSequencer|testResultsProcessor)["']?\s*:\s*(${VALUE})`,
  'g',
);
const TRANSFORM = /\btransform["']?\s*:\s*(\{[^}]{0,2000}\})/g;
const ROOTS = /\b(?:root|rootDir)["']?\s*:\s*["'`]([^"'`\n]{1,300})["'`]/g;
/** What a script has Node, or a tool, load first. */
const OPTIONS =
  /(?:--(?:import|require|loader|experimental-loader|env-file(?:-if-exists)?|setupFiles|globalSetup)|(?<=\s)-r)[=\s]+([^\s"'\\]{1,300})/g;
const CONFIG_OPTIONS = /\b(?:vitest|jest)\b[^"\n]{0,500}?\s(?:--config|-c)[=\s]+([^\s"'\\]{1,300})/g;
const IMPORTS = /(?:\bfrom|\bimport|\brequire\(|\bimport\()\s*["'`](\.{1,2}\/[^"'`\n]{1,300})["'`]/g;

/** Of the scripts of a manifest, a line each, those that lead to tests. */
const RUNS_TESTS = /--test\b|\b(?:vitest|jest|mocha|tape|ava)\b|"(?:pre|post)?test\b/;

function aboutTests(path: string, text: string): string {
  if (!MANIFEST.test(path)) return text;
  return text
    .split('\n')
    .filter((line) => RUNS_TESTS.test(line))
    .join('\n');
}

/** Paths from the root, without their endings: what is named may leave its own out. With `isLoaded`, what the file itself loads too. */
export function setUpsNamedIn(path: string, text: string, isLoaded: boolean): readonly string[] {
  const all = (pattern: RegExp, within = text) => [...within.matchAll(pattern)].map(([, found = '']) => found);
  const values = [...all(KEYS), ...all(TRANSFORM)].flatMap((value) =>
    [...value.matchAll(TEXTS)].map(([, name = '']) => name),
  );
  const named = [...values, ...all(OPTIONS, aboutTests(path, text)), ...all(CONFIG_OPTIONS)].filter((name) =>
    isFile(name),
  );
  const folder = path === OWN ? '' : posix.dirname(path);
  const roots = [folder, ...all(ROOTS).map((root) => posix.join(folder, root))];
  const loaded = isLoaded && CONFIG.test(path) ? all(IMPORTS).map((name) => posix.join(folder, name)) : [];
  return [...named.flatMap((name) => roots.map((root) => posix.join(root, name.replace(/^<rootDir>/, '.')))), ...loaded]
    .filter((name) => !MANIFEST.test(name))
    .map(withoutEnding);
}

/** Else it is the name of a package. */
function isFile(name: string): boolean {
  return name.includes('/') || /\.[cm]?[jt]sx?$|^\.env\b/.test(name);
}

export function withoutEnding(path: string): string {
  return path.replace(/\.(?:[cm]?[jt]sx?|json)$/, '').replace(/\/index$/, '');
}
