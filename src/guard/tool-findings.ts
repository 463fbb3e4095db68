/** What linters, type checkers and scanners printed, and what of it a change brought. Pure. */

import { z } from 'zod';
import { jsonOf } from '../documents/json.ts';

export interface ToolFinding {
  /** From the root of the repository. */
  readonly file: string;
  readonly line: number | null;
  /** As the tool says it, with its rule where it tells one. */
  readonly message: string;
}

interface Form {
  /** One finding a match, with the groups `file`, `line` and `message`; a file that stands above has the group `above`. */
  readonly pattern: RegExp;
}

const PLACE = String.raw`(?<file>[^\s:()][^:()\n]*?\.\w+)`;
/** As the tools print by default; colours are gone before. */
const FORMS: readonly Form[] = [
  // tsc: src/a.ts(3,7): error TS2322: …
  { pattern: new RegExp(String.raw`^${PLACE}\((?<line>\d+),\d+\): (?<message>.+)$`) },
  // ruff: F401 [*] … and then the place behind an arrow
  { pattern: new RegExp(String.raw`^ *--> ${PLACE}:(?<line>\d+):\d+$`) },
  // mypy, flake8, pylint, pyright, biome, and eslint in the form unix: src/a.py:3:7: …
  { pattern: new RegExp(String.raw`^ *${PLACE}:(?<line>\d+)(?::\d+)?(?::? +-? ?|: )(?<message>\S.*)$`) },
];
/** eslint, in its form stylish, names the file once and the places below. */
const STYLISH_FILE = /^(?<file>\S.*\.\w+)$/;
const STYLISH_PLACE = /^ +(?<line>\d+):\d+ +(?:error|warning) +(?<message>.+)$/;
/** What is no finding though it has the form of one. */
const NOTE = /^(?:note|info|information)\b/i;

// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what colours are.
const COLOUR = /\u001b\[[0-9;]*m/g;

/** The findings in what a tool printed, by file and line; empty where nothing of it is known. `root` is where it ran. */
export function printedFindings(text: string, root: string): readonly ToolFinding[] {
  const findings: ToolFinding[] = [];
  let above: string | undefined;
  let before = '';
  for (const line of text.replaceAll(COLOUR, '').split(/\r?\n/)) {
    const found = printedIn(line, { above, before });
    if (found !== undefined && !NOTE.test(found.message)) findings.push({ ...found, file: fromRoot(found.file, root) });
    if (line.trim() === '') above = undefined;
    else if (STYLISH_FILE.test(line)) above = line;
    if (line.trim() !== '') before = line.trim();
  }
  return findings;
}

function printedIn(
  text: string,
  { above, before }: { readonly above: string | undefined; readonly before: string },
): ToolFinding | undefined {
  const stylish = STYLISH_PLACE.exec(text)?.groups;
  if (above !== undefined && stylish !== undefined) return findingFrom({ ...stylish, file: above });
  for (const { pattern } of FORMS) {
    const groups = pattern.exec(text)?.groups;
    if (groups !== undefined) return findingFrom({ ...groups, message: groups.message ?? before });
  }
  return undefined;
}

function findingFrom({ file = '', line, message = '' }: Partial<Record<string, string>>): ToolFinding {
  return { file, line: Number(line), message: message.replaceAll(/[━─]+/g, '').replaceAll(/\s+/g, ' ').trim() };
}

function fromRoot(file: string, root: string): string {
  const inside = file.startsWith(`${root}/`) ? file.slice(root.length + 1) : file;
  return inside.replace(/^\.\//, '');
}

const location = z.looseObject({
  physicalLocation: z
    .looseObject({
      artifactLocation: z.looseObject({ uri: z.string().optional() }).optional(),
      region: z.looseObject({ startLine: z.int().optional() }).optional(),
    })
    .optional(),
});
/** SARIF 2.1.0, as far as findings are read from it. Source: OASIS, sarif-v2.1.0. */
const sarif = z.looseObject({
  version: z.literal('2.1.0'),
  runs: z.array(
    z.looseObject({
      invocations: z.array(z.looseObject({ executionSuccessful: z.boolean() })).optional(),
      results: z.array(
        z.looseObject({
          ruleId: z.string().optional(),
          level: z.enum(['none', 'note', 'warning', 'error']).optional(),
          message: z.looseObject({ text: z.string().optional() }),
          locations: z.array(location).optional(),
          suppressions: z.array(z.unknown()).optional(),
        }),
      ),
    }),
  ),
});

/** The errors and warnings of a SARIF file; undefined where it is none, or its tool says that it did not succeed. */
export function sarifFindings(text: string, root: string): readonly ToolFinding[] | undefined {
  const parsed = sarif.safeParse(jsonOf(text));
  if (!parsed.success) return undefined;
  const { runs } = parsed.data;
  if (runs.some(({ invocations = [] }) => invocations.some(({ executionSuccessful }) => !executionSuccessful)))
    return undefined;
  const results = runs.flatMap((run) => run.results);
  const standing = results.filter(({ level = 'warning' }) => level === 'error' || level === 'warning');
  return standing.map(({ ruleId, message, locations }) => {
    const { artifactLocation, region } = locations?.[0]?.physicalLocation ?? {};
    const file = decodeURI(artifactLocation?.uri ?? '').replace(/^file:\/\//, '');
    const said = (message.text ?? '').replaceAll(/\s+/g, ' ').trim();
    return {
      file: fromRoot(file, root),
      line: region?.startLine ?? null,
      message: ruleId === undefined ? said : `${said} (${ruleId})`,
    };
  });
}

/** The text of a line; undefined where it is not known. */
export type LineOf = (file: string, line: number) => string | undefined;

/**
 * The findings of the head that the base has none like: of the same file and message, on a line of the same text. A line that only moved brings
 * nothing, and of three alike where two were one is new.
 */
export function newFindings(
  base: { readonly findings: readonly ToolFinding[]; readonly lineOf: LineOf },
  head: { readonly findings: readonly ToolFinding[]; readonly lineOf: LineOf },
): readonly ToolFinding[] {
  const left = new Map<string, number>();
  for (const finding of base.findings) {
    const key = keyOf(finding, base.lineOf);
    left.set(key, (left.get(key) ?? 0) + 1);
  }
  return head.findings.filter((finding) => {
    const key = keyOf(finding, head.lineOf);
    const known = left.get(key) ?? 0;
    left.set(key, known - 1);
    return known <= 0;
  });
}

/** Numbers of lines and columns in a message change where code moves. */
function keyOf({ file, line, message }: ToolFinding, lineOf: LineOf): string {
  const text = line === null ? undefined : lineOf(file, line)?.trim();
  return JSON.stringify([file, message.replaceAll(/\b(?:line|column) \d+/g, ''), text ?? '']);
}

/** Files that say nothing else than what the tools find. */
const SETTINGS =
  /(?:^|\/)(?:biome\.jsonc?|\.eslintrc(?:\.\w+)?|eslint\.config\.[cm]?[jt]s|\.eslintignore|tslint\.json|tsconfig[\w.-]*\.json|\.?ruff\.toml|\.?mypy\.ini|\.flake8|\.?pylintrc|pyrightconfig\.json|\.golangci\.ya?ml|\.semgrepignore|\.oxlintrc\.json)$/;
const MANIFEST_KEYS = ['eslintConfig', 'eslintIgnore', 'biome', 'xo', 'standard'];
/** Of the sections of `pyproject.toml`, `setup.cfg` and `tox.ini`. */
const SECTION = /^\[(?:tool\.)?(?:ruff|mypy|pylint|flake8|pyright|bandit|pycodestyle)\b/;

/** What a file says of the tools; undefined where it is none of those that do. */
export function settingsText(path: string, text: string): string | undefined {
  if (SETTINGS.test(path)) return text;
  if (/(?:^|\/)package\.json$/.test(path)) {
    const manifest = z.record(z.string(), z.unknown()).safeParse(jsonOf(text));
    return JSON.stringify(MANIFEST_KEYS.map((key) => (manifest.success ? manifest.data[key] : undefined) ?? null));
  }
  if (/(?:^|\/)(?:pyproject\.toml|setup\.cfg|tox\.ini)$/.test(path))
    return text
      .split(/^(?=\[)/m)
      .filter((section) => SECTION.test(section))
      .join('');
  return undefined;
}
