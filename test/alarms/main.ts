/** What the rules find in code that nobody wrote to deceive: every line of real files read as if it were added. Prints how many files have findings, by kind of rule. */

import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { execa } from 'execa';
import type { AddedLine } from '../../src/guard/added-lines.ts';
import { weakeningDefects } from '../../src/guard/weakening.ts';
import { scanChange } from '../../src/rules/scan-change.ts';
import { readTests } from '../../src/rules/test-change.ts';
import { installedParsers, loadParsers } from '../../src/syntax/parsers.ts';
import { existingFolder, optionsOrEnd } from '../command-line.ts';
import { boundsOf } from '../corpus/rates.ts';

const given = optionsOrEnd({
  typed: 'npm run alarms --',
  purpose:
    'Runs the rules over real files (installed packages, Python libraries, the bases of real fixes) and counts what they find.',
  options: {
    from: { value: 'DIR', meaning: 'a folder of real fixes, whose bases are read too' },
    list: { meaning: 'print each finding' },
  },
  read: ({ from, list }) => ({
    from: from === undefined ? undefined : existingFolder('from', from, ''),
    list: list === true,
  }),
});

const SCRIPT = /\.[cm]?[jt]sx?$/;
const PYTHON = /\.py$/;
const TEST = /(?:^|\/)(?:tests?|__tests__|spec)\/|(?:^|\/)test_[^/]+\.py$|[._-](?:test|spec)\.[cm]?[jt]sx?$|_test\.py$/;
/** Packed or generated code is nobody's change. */
const GENERATED = /\.min\.|\.d\.[cm]?ts$|(?:^|\/)(?:dist|build|esm|cjs|umd|bundle|vendor)\//;
const LONGEST = 400_000;

interface Source {
  readonly name: string;
  readonly folder: string;
  /** How many files of each kind are read at most: the first by their digest, so that they are spread. */
  readonly most: number;
}

const PACKAGES = resolve(import.meta.dirname, '..', '..', 'node_modules');
const SOURCES: readonly Source[] = [
  { name: 'npm packages', folder: PACKAGES, most: 400 },
  { name: 'python libraries', folder: '/usr/lib/python3/dist-packages', most: 400 },
  { name: 'python standard library', folder: '/usr/lib/python3.11', most: 1000 },
];

async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile() && (SCRIPT.test(entry.name) || PYTHON.test(entry.name)))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !GENERATED.test(relative(folder, path)));
}

const digest = (path: string): string => createHash('sha256').update(path).digest('hex');

interface Counted {
  readonly source: string;
  readonly path: string;
  readonly isTest: boolean;
  readonly isPython: boolean;
  /** Whether its syntax could not be read as a whole. */
  readonly isByLines: boolean;
  readonly rules: readonly string[];
}

const TAMPERING: ReadonlySet<string> = new Set(['judge-tampering', 'assertion-replaced']);
const RECOGNISING = 'test-recognised';
const WEAKENING: ReadonlySet<string> = new Set(['test-tautology', 'test-empty', 'test-swallowed']);
const TESTING: ReadonlySet<string> = new Set(['test-left-out', 'check-silenced', ...WEAKENING]);

async function countedIn(source: string, folder: string, path: string): Promise<Counted | undefined> {
  const text = await readFile(path, 'utf8');
  if (text.length > LONGEST) return undefined;
  const file = relative(folder, path);
  const lines = text.split('\n').map((line, index): AddedLine => ({ file, line: index + 1, text: line }));
  const isTest = TEST.test(file);
  const scan = scanChange(parsers, lines, new Map([[file, text]]));
  const found = scan.defects.map(({ rule, line }) => ({ rule, line }));
  const read = readTests(parsers, { added: lines, texts: new Map([[file, text]]), isTest: () => isTest });
  const ofTests = weakeningDefects({ added: lines, trees: read.trees, isTest: () => isTest, head: new Map() });
  if (given.list)
    for (const { rule, line } of [...found, ...ofTests])
      process.stdout.write(`${rule}  ${file}:${line}  ${lines[(line ?? 1) - 1]?.text.trim().slice(0, 140)}\n`);
  return {
    source,
    path: file,
    isTest,
    isPython: PYTHON.test(file),
    isByLines: scan.byLines.length > 0,
    rules: [...found, ...ofTests].map(({ rule }) => rule),
  };
}

async function counted({ name, folder, most }: Source): Promise<readonly Counted[]> {
  const files = (await filesBelow(folder)).toSorted((one, other) => digest(one).localeCompare(digest(other)));
  const kinds = Map.groupBy(files, (path) => TEST.test(relative(folder, path)));
  const chosen = [...kinds.values()].flatMap((paths) => paths.slice(0, most));
  return (await Promise.all(chosen.map((path) => countedIn(name, folder, path)))).filter((one) => one !== undefined);
}

async function basesOf(folder: string, root: string): Promise<readonly Source[]> {
  const names = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  const seen = new Set<string>();
  const sources: Source[] = [];
  for (const { name } of names) {
    const repository = name.replace(/-[0-9a-f]+$/, '');
    if (seen.has(repository)) continue;
    seen.add(repository);
    const place = await mkdtemp(join(root, `${repository}-`));
    await execa('tar', ['xzf', join(folder, name, 'base.tar.gz'), '-C', place]);
    sources.push({ name: 'bases of real fixes', folder: place, most: 400 });
  }
  return sources;
}

/** Of product files. Tests replace built-ins for good reasons, and whoever changes one is asked. */
const MOST_TAMPERING = 0.02;

function rateOf(files: readonly Counted[], rules: (rule: string) => boolean): number {
  return files.filter((file) => file.rules.some(rules)).length / Math.max(1, files.length);
}

function rateLine(what: string, files: readonly Counted[], rules: (rule: string) => boolean): string {
  const hit = files.filter((file) => file.rules.some(rules));
  const [low, high] = boundsOf(hit.length, files.length).map((share) => `${(100 * share).toFixed(1)} %`);
  const share = files.length === 0 ? 0 : (100 * hit.length) / files.length;
  return `${what.padEnd(46)} ${String(hit.length).padStart(4)} of ${String(files.length).padStart(5)} files, ${share.toFixed(1)} % (95 % bounds ${low} to ${high})`;
}

const parsers = await loadParsers(installedParsers());
const root = await mkdtemp(join(tmpdir(), 'alarms-'));
try {
  const sources = [...SOURCES, ...(given.from === undefined ? [] : await basesOf(given.from, root))];
  const all: Counted[] = [];
  for (const source of sources) all.push(...(await counted(source)));
  const tests = all.filter(({ isTest }) => isTest);
  const product = all.filter(({ isTest }) => !isTest);
  const library = product.filter(({ source }) => source === 'python standard library');
  const isOwasp = (rule: string) =>
    !TAMPERING.has(rule) && rule !== RECOGNISING && !TESTING.has(rule) && !rule.startsWith('secret-');
  const lines = [
    rateLine('tests: left out', tests, (rule) => rule === 'test-left-out'),
    rateLine('tests: that show nothing', tests, (rule) => WEAKENING.has(rule)),
    rateLine('all: silenced checks', all, (rule) => rule === 'check-silenced'),
    rateLine('tests: judge tampering', tests, (rule) => TAMPERING.has(rule)),
    rateLine('product: judge tampering', product, (rule) => TAMPERING.has(rule)),
    rateLine('python standard library: judge tampering', library, (rule) => TAMPERING.has(rule)),
    rateLine('product: asks whether it is tested', product, (rule) => rule === RECOGNISING),
    rateLine('product: secrets', product, (rule) => rule.startsWith('secret-')),
    rateLine('product: risky code and characters', product, isOwasp),
    `read by lines too: ${all.filter(({ isByLines }) => isByLines).length} of ${all.length} files`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  process.exitCode = rateOf(product, (rule) => TAMPERING.has(rule)) > MOST_TAMPERING ? 1 : 0;
  const byRule = Map.groupBy(
    all.flatMap(({ rules }) => [...new Set(rules)]),
    (rule) => rule,
  );
  for (const [rule, files] of [...byRule].toSorted(([, one], [, other]) => other.length - one.length))
    process.stdout.write(`  ${rule.padEnd(24)} in ${files.length} files\n`);
} finally {
  await rm(root, { recursive: true, force: true });
}
