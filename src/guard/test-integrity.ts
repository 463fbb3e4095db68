/** Whether a change tampered with what judges it: existing tests, frozen tests, and the way in which tests are run. */

import { z } from 'zod';
import type { FrozenTests } from '../loop/brief.ts';
import type { Defect } from '../loop/measurement.ts';
import { RUNNERS, type RunnerName } from '../runners/runners.ts';
import type { AddedLine } from './added-lines.ts';
import { withoutTests } from './test-cases.ts';
import { digestOfTests } from './test-digest.ts';
import { isTestPath } from './test-paths.ts';
import { findingDefect } from './waivers.ts';

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
  /(^|\/)(conftest\.py|pytest\.ini|tox\.ini|noxfile\.py|sitecustomize\.py|usercustomize\.py|\.npmrc|\.mocharc[^/]*|node\.config\.json)$/;
/** Ways to leave tests out, as the runners spell them. */
const LEFT_OUT =
  /\b(?:test|it|describe|suite)\.(?:skip|only|todo)\b|\b[xf](?:it|describe)\s*\(|\b(?:skip|only|todo)\s*:\s*(?:true|['"`])|\b\w+\.(?:skip|todo)\s*\(|@unittest\.(?:skip|expectedFailure)|\bpytest\.(?:mark\.(?:skip|xfail)|importorskip)|\bself\.skipTest\s*\(|\braise\s+(?:unittest\.)?SkipTest\b/;
const SUGGESTION = 'Put it back as it was; a change is judged by tests that it did not touch.';

/** One blocking defect for each violation; empty when the tests can be relied on. */
export function integrityDefects(request: IntegrityRequest): readonly Defect[] {
  return [...existingTests(request), ...frozenTests(request), ...leftOut(request), ...runnerSetUp(request)].map(
    defectOf,
  );
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

/** Whether a line of a test leaves tests out, as any of the runners spells it. */
export function leavesOut(text: string): boolean {
  return LEFT_OUT.test(text);
}

function leftOut({ runner, added, head }: IntegrityRequest): readonly Violation[] {
  return added
    .filter(({ file, text }) => isTestPath(file, runner) && leavesOut(text))
    .map(({ file, line, text }) => ({
      rule: 'test-left-out',
      file,
      line,
      message: `${file}:${line} leaves tests out (skip, only, todo or an expected failure).`,
      bound: [text.trim(), head.get(file) ?? ''],
    }));
}

/** Whether any change of this file counts as tampering with the tests: what decides how they run. */
export function decidesTests(path: string, runner: RunnerName): boolean {
  return RUNNER_FILES.test(path) || RUNNERS[runner].settings.some((pattern) => pattern.test(path));
}

function runnerSetUp(request: IntegrityRequest): readonly Violation[] {
  const { base, head, runner } = request;
  const paths = [...new Set([...base.keys(), ...head.keys()])];
  const files = paths.filter((path) => decidesTests(path, runner) && base.get(path) !== head.get(path));
  const manifests = paths.filter((path) => /(^|\/)package\.json$/.test(path) && testScripts(request, path));
  const settings = paths.filter((path) => SETTINGS.test(path) && pytestSettings(request, path));
  return [...files, ...manifests, ...settings].map((file) => ({
    rule: 'test-runner',
    file,
    message: `${file} changes how the tests are run.`,
    bound: [base.get(file) ?? '', head.get(file) ?? ''],
  }));
}

/** Files that may hold pytest's settings beside others. */
const SETTINGS = /(^|\/)(?:pyproject\.toml|setup\.cfg)$/;

/** Whether the text of the file has to be known to judge a change. */
export function holdsSettings(path: string): boolean {
  return SETTINGS.test(path) || /(^|\/)package\.json$/.test(path);
}

function pytestSettings({ baseText, headText }: IntegrityRequest, path: string): boolean {
  return pytestSections(baseText(path) ?? '') !== pytestSections(headText(path) ?? '');
}

/** The sections that pytest reads, as they are written. */
function pytestSections(text: string): string {
  const sections = text.split(/^(?=[ \t]*\[)/m);
  return sections.filter((section) => /^[ \t]*\[\[?\s*["']?tool["']?\s*[.:]\s*["']?pytest\b/.test(section)).join('');
}

const manifest = z.looseObject({
  scripts: z.record(z.string(), z.unknown()).optional(),
  jest: z.unknown().optional(),
  vitest: z.unknown().optional(),
});

/** Whether the scripts that lead to the tests differ, or what a runner reads there. */
function testScripts({ baseText, headText }: IntegrityRequest, path: string): boolean {
  const [before, after] = [baseText(path), headText(path)];
  return before !== undefined && after !== before && scriptsOf(before) !== scriptsOf(after ?? '{}');
}

function scriptsOf(text: string): string {
  try {
    const { scripts = {}, jest, vitest } = manifest.parse(JSON.parse(text));
    const own = Object.entries(scripts).filter(([name]) => /^(?:pre|post)?test/.test(name));
    return JSON.stringify([own, jest, vitest]);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) return 'unreadable';
    throw error;
  }
}

function defectOf({ rule, file, line, message, bound }: Violation): Defect {
  const about = `${file}${line === undefined ? '' : `:${line}`}`;
  return findingDefect({ rule, about, file, line, message, suggestion: SUGGESTION, bound });
}
