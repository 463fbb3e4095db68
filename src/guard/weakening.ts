/** What added lines do to the tests and to what else checks the code: tests that are left out or show nothing, tools that are kept quiet. Pure. */
import type { Defect } from '../loop/measurement.ts';
import type { AddedLine } from './added-lines.ts';
import { PYTHON, SCRIPT } from './line-rules.ts';
import { quotedCode } from './quoted-code.ts';
import type { TreeFindings } from './scan.ts';
import { isSilencing } from './silencing.ts';
import { findingDefect } from './waivers.ts';

interface Weakening {
  /** Follows the place. */
  readonly does: string;
  readonly remedy: string;
}

/** By name of the rule. */
const WEAKENINGS: Readonly<Record<string, Weakening>> = {
  'test-left-out': {
    does: 'leaves tests out (skip, only, todo or an expected failure)',
    remedy: 'Let every test run.',
  },
  'test-tautology': {
    does: 'asserts what is true whatever the product does',
    remedy: 'Assert on what the product gives.',
  },
  'test-empty': {
    does: 'declares a test that asks nothing of the product',
    remedy: 'Call the product in it and assert on what comes, or take the test out.',
  },
  'test-swallowed': {
    does: 'catches the failure of its own assertions, so that the test passes with it',
    remedy: 'Assert outside of what catches, or let the failure through.',
  },
  'check-silenced': {
    does: 'keeps a linter, a type checker or the coverage quiet',
    remedy: 'Mend what the tool finds there instead.',
  },
};

/** Ways to leave tests out, as the runners spell them, for files whose syntax cannot be read. */
const LEFT_OUT =
  /\b(?:test|it|describe|suite)\.(?:skip|only|todo)\b|\b[xf](?:it|describe)\s*\(|\b(?:skip|only|todo)\s*:\s*(?:true|['"`])|\b\w+\.(?:skip|todo)\s*\(|@unittest\.(?:skip|expectedFailure)|\bpytest\.(?:mark\.(?:skip|xfail)|importorskip)|\bself\.skipTest\s*\(|\braise\s+(?:unittest\.)?SkipTest\b/;

/** A change as these rules see it. */
export interface WeakenedChange {
  readonly added: readonly AddedLine[];
  /** What the syntax trees of changed files tell; files that have none are read by lines. */
  readonly trees: ReadonlyMap<string, TreeFindings>;
  readonly isTest: (file: string) => boolean;
  /** Ids of the files' contents, to which waivers are bound. */
  readonly head: ReadonlyMap<string, string>;
}

/** One blocking defect for each rule that an added line breaks. */
export function weakeningDefects({ added, trees, isTest, head }: WeakenedChange): readonly Defect[] {
  return added.flatMap((line) => {
    const tree = trees.get(line.file);
    const byLine = tree?.isWhole ? [] : brokenBy(line, isTest(line.file));
    const byTree = tree?.rules.get(line.line) ?? [];
    const codes = new Map([
      ...byLine.map((name) => [name, line.text] as const),
      ...byTree.map(({ name, code }) => [name, code] as const),
    ]);
    return [...codes].flatMap((broken) => findingOf(broken, line, head.get(line.file) ?? ''));
  });
}

function brokenBy({ file, text }: AddedLine, isTest: boolean): readonly string[] {
  const language = (SCRIPT.test(file) && 'script') || (PYTHON.test(file) && 'python');
  return [
    ...(isTest && LEFT_OUT.test(text) ? ['test-left-out'] : []),
    ...(language && isSilencing(text, language) ? ['check-silenced'] : []),
  ];
}

function findingOf(
  [rule, code]: readonly [string, string],
  { file, line, text }: AddedLine,
  id: string,
): readonly Defect[] {
  const known = WEAKENINGS[rule];
  if (known === undefined) return [];
  const about = `${file}:${line}`;
  const message = `${about} ${known.does}${quotedCode(code)}.`;
  return [findingDefect({ rule, about, file, line, message, suggestion: known.remedy, bound: [text.trim(), id] })];
}
