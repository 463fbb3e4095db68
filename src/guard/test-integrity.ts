/** Whether a change tampered with what judges it: existing tests, frozen tests, and the way in which tests are run. */

import { z } from 'zod';
import type { FrozenTests } from '../loop/brief.ts';
import type { Defect } from '../loop/measurement.ts';
import { RUNNERS, type RunnerName } from '../runners/runners.ts';
import type { AddedLine } from './added-lines.ts';
import { namesSetUp, setUpsNamedIn, withoutEnding } from './named-set-up.ts';
import type { TreeFindings } from './scan.ts';
import { withoutTests } from './test-cases.ts';
import { digestOfTests } from './test-digest.ts';
import { isTestFile, isTestPath } from './test-paths.ts';
import { findingDefect } from './waivers.ts';
import { weakeningDefects } from './weakening.ts';

export interface IntegrityRequest {
  readonly runner: RunnerName;
  /** All files of the base and of the head, by path, with a digest or id of their content. */
  readonly base: ReadonlyMap<string, string>;
  readonly head: ReadonlyMap<string, string>;
  /** The text of a file in either tree; undefined when it is not there. */
  readonly baseText: (path: string) => string | undefined;
  readonly headText: (path: string) => string | undefined;
  readonly frozen: FrozenTests | undefined;
  /** Tests of the base that people approved to be taken out; nothing else of their files may change. */
  readonly supersededTests: readonly { readonly file: string; readonly name: string }[];
  readonly added: readonly AddedLine[];
  /** What the syntax trees of changed files tell; files that have none are read by lines. */
  readonly trees: ReadonlyMap<string, TreeFindings>;
}

interface Violation {
  readonly rule: string;
  readonly file: string;
  readonly line?: number;
  readonly message: string;
  /** What a person who lifts it has looked at. */
  readonly bound: readonly string[];
}

/** Files that decide what a test runner does, beside the tests themselves. */
const RUNNER_FILES =
  /(^|\/)(conftest\.py|\.?pytest\.(?:ini|toml)|[^/]+\.(?:dist|egg)-info\/entry_points\.txt|tox\.ini|noxfile\.py|sitecustomize\.py|usercustomize\.py|\.npmrc|\.mocharc[^/]*|node\.config\.json)$/;
/** Files that say what coverage has to reach and what it counts. */
const COVERAGE_FILES = /(^|\/)(?:\.coveragerc|\.(?:nyc|c8)rc(?:\.\w+)?|nyc\.config\.\w+)$/;
const SUGGESTION = 'Put it back as it was; a change is judged by tests that it did not touch.';

/** One blocking defect for each violation; empty when the tests can be relied on. */
export function integrityDefects(request: IntegrityRequest): readonly Defect[] {
  const { added, trees, head, runner } = request;
  return [
    ...[...existingTests(request), ...frozenTests(request)].map(defectOf),
    ...weakeningDefects({ added, trees, head, isTest: (file) => isTestPath(file, runner) }),
    ...setUps(request).map(defectOf),
  ];
}

function existingTests(request: IntegrityRequest): readonly Violation[] {
  const { runner, base, head, headText } = request;
  return [...base].flatMap(([path, id]): readonly Violation[] => {
    if (!isTestPath(path, runner) || head.get(path) === id) return [];
    const allowed = withoutSuperseded(request, path);
    if (allowed !== undefined && headText(path) === allowed) return [];
    const now = head.get(path);
    const bound = [id, now ?? ''];
    return now === undefined
      ? [{ rule: 'test-deleted', file: path, message: `The existing test file ${path} was deleted.`, bound }]
      : [{ rule: 'test-changed', file: path, message: `The existing test file ${path} was changed.`, bound }];
  });
}

/** The only other text that an existing test may have. */
function withoutSuperseded({ runner, supersededTests, baseText }: IntegrityRequest, path: string): string | undefined {
  const names = supersededTests.filter(({ file }) => file === path).map(({ name }) => name);
  const text = baseText(path);
  return names.length === 0 || text === undefined ? undefined : withoutTests(text, names, runner);
}

function frozenTests({ frozen, headText }: IntegrityRequest): readonly Violation[] {
  if (frozen === undefined) return [];
  const changed = frozen.files.flatMap(({ path, content }): readonly Violation[] => {
    const text = headText(path);
    if (text === content) return [];
    const what = text === undefined ? 'is missing' : 'is not as the test designer wrote it';
    return [{ rule: 'frozen-test', file: path, message: `The frozen test file ${path} ${what}.`, bound: [] }];
  });
  const actual = digestOfTests(frozen.files);
  if (actual === frozen.digest) return changed;
  const message = `The frozen tests have the digest ${actual}, but ${frozen.digest} was frozen.`;
  return [...changed, { rule: 'frozen-test', file: frozen.files[0]?.path ?? '', message, bound: [] }];
}

/** Whether any change of this file counts as tampering with the tests: what decides how they run. */
export function decidesTests(path: string, runner: RunnerName): boolean {
  return RUNNER_FILES.test(path) || RUNNERS[runner].settings.some((pattern) => pattern.test(path));
}

function runnerSetUp(request: IntegrityRequest): readonly Violation[] {
  const { base, head, runner } = request;
  const paths = [...new Set([...base.keys(), ...head.keys()])];
  const files = paths.filter((path) => decidesTests(path, runner) && base.get(path) !== head.get(path));
  const manifests = paths.filter((path) => MANIFEST.test(path) && isOther(request, path, scriptsOf));
  const settings = paths.filter((path) => SETTINGS.test(path) && isOther(request, path, pytestSections));
  return [...new Set([...files, ...manifests, ...settings, ...namedSetUps(request, paths)])].map((file) => ({
    rule: 'test-runner',
    file,
    message: `${file} changes how the tests are run.`,
    bound: [base.get(file) ?? '', head.get(file) ?? ''],
  }));
}

/** Changed files that the settings of either tree have loaded before the tests. */
function namedSetUps(
  { base, head, baseText, headText, runner }: IntegrityRequest,
  paths: readonly string[],
): readonly string[] {
  const named = paths.filter(namesSetUp).flatMap((path) => {
    const isLoaded = decidesTests(path, runner);
    return [baseText(path), headText(path)].flatMap((text) => setUpsNamedIn(path, text ?? '', isLoaded));
  });
  return paths.filter((path) => base.get(path) !== head.get(path) && named.includes(withoutEnding(path)));
}

/** Files that may hold pytest's settings beside others. */
const SETTINGS = /(^|\/)(?:pyproject\.toml|setup\.cfg)$/;
const MANIFEST = /(^|\/)package\.json$/;

/** Whether the text of the file has to be known to judge a change. */
export function holdsSettings(path: string): boolean {
  return SETTINGS.test(path) || MANIFEST.test(path) || namesSetUp(path);
}

/** A file is told of once, by what weighs more. */
function setUps(request: IntegrityRequest): readonly Violation[] {
  const runners = runnerSetUp(request);
  const told = new Set(runners.map(({ file }) => file));
  return [...runners, ...coverageSetUp(request).filter(({ file }) => !told.has(file))];
}

function coverageSetUp(request: IntegrityRequest): readonly Violation[] {
  const { base, head } = request;
  const paths = [...new Set([...base.keys(), ...head.keys()])].filter((path) => base.get(path) !== head.get(path));
  const changed = paths.filter(
    (path) =>
      COVERAGE_FILES.test(path) ||
      (MANIFEST.test(path) && isOther(request, path, coverageKeys)) ||
      (SETTINGS.test(path) && isOther(request, path, coverageSections)),
  );
  return changed.map((file) => ({
    rule: 'coverage-settings',
    file,
    message: `${file} changes what coverage has to reach, or what it counts.`,
    bound: [base.get(file) ?? '', head.get(file) ?? ''],
  }));
}

/** Whether what is read of the file is another thing than before. */
function isOther(request: IntegrityRequest, path: string, read: (text: string) => string): boolean {
  const { baseText, headText } = request;
  const before = baseText(path);
  if (before === undefined && MANIFEST.test(path) && !standsAboveTests(request, path)) return false;
  return read(before ?? '') !== read(headText(path) ?? '');
}

/** A manifest of a new package says nothing about the tests that were there, nor does the first one at the root. */
function standsAboveTests({ base, runner }: IntegrityRequest, path: string): boolean {
  const folder = path.replace(/[^/]+$/, '');
  return folder !== '' && [...base.keys()].some((file) => file.startsWith(folder) && isTestFile(file, runner));
}

/** The sections of these headings, as they are written, but for what is around them. */
function sectionsOf(text: string, heading: RegExp): string {
  return text
    .split(/^(?=[ \t]*\[)/m)
    .filter((section) => heading.test(section))
    .map((section) => section.trimEnd())
    .join('\n');
}

const pytestSections = (text: string): string => {
  const sections = sectionsOf(text, /^[ \t]*\[\[?\s*["']?tool["']?\s*[.:]\s*["']?pytest\b/);
  return LONG_TEXT.test(sections) ? sections : sections.replace(MARKERS, '');
};
/** In one of TOML's texts over several lines anything may stand. */
const LONG_TEXT = /"""|'''/;
/** Names that tests may be marked with: a list of TOML, or lines that stand further in. What is marked is run all the same. */
const MARKERS = /\nmarkers[ \t]*=[ \t]*(?:\[[^[\]]*\][^\n]*|(?:\n[ \t]+[^\n]*)+)(?=\n|$)/g;
/** `[tool.coverage.report]` and `[coverage:report]`. */
const coverageSections = (text: string): string =>
  sectionsOf(text, /^[ \t]*\[\[?\s*(?:["']?tool["']?\s*\.\s*)?["']?coverage\b/);

const manifest = z.looseObject({
  scripts: z.record(z.string(), z.unknown()).optional(),
  jest: z.unknown().optional(),
  vitest: z.unknown().optional(),
  nyc: z.unknown().optional(),
  c8: z.unknown().optional(),
});

const LEADS = /^(?:pre|post)?test/;
const RUNS = /\b(?:node|tsx)\b.*\s--test\b|(?:^|[\s/])(?:vitest|jest|mocha|ava|pytest)(?:\.[cm]?js)?(?:\s|$)/;

/** The scripts that lead to the tests, and what a runner reads there. A file that is not there has none. */
function scriptsOf(text: string): string {
  return readManifest(text, ({ scripts = {}, jest, vitest }) => [
    Object.entries(scripts).filter(([name, command]) => LEADS.test(name) || RUNS.test(String(command))),
    jest,
    vitest,
  ]);
}

const coverageKeys = (text: string): string => readManifest(text, ({ nyc, c8 }) => [nyc, c8]);

function readManifest(text: string, read: (found: z.infer<typeof manifest>) => unknown): string {
  try {
    return JSON.stringify(read(manifest.parse(JSON.parse(text === '' ? '{}' : text))));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) return 'unreadable';
    throw error;
  }
}

function defectOf({ rule, file, line, message, bound }: Violation): Defect {
  const about = `${file}${line === undefined ? '' : `:${line}`}`;
  return findingDefect({ rule, about, file, line, message, suggestion: SUGGESTION, bound });
}
