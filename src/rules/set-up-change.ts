/** Whether a change of a file that decides how tests run decides nothing: told on the syntax trees of before and after. Pure. */
import type { Node } from '../syntax/language.ts';
import { languageOf, type Parsers } from '../syntax/parsers.ts';
import { fixtureName, isFixtureOnly, isHelperOnly, isImportOnly, isSameFixture, isText } from './python-set-up.ts';
import { objectOf, settingsOf } from './script-set-up.ts';
import { named } from './tree-rule.ts';

export interface SetUpChange {
  readonly path: string;
  /** Empty where it is not there. */
  readonly before: string;
  readonly after: string;
  /** Of the base, all that pytest loads. */
  readonly conftests: readonly string[];
  /** What is changed beside tests, one text. */
  readonly product: string;
}

const CONFTEST = /(?:^|\/)conftest\.py$/;
const VITE = /(?:^|\/)vite\.config\.[cm]?[jt]s$/;

export function isConftest(path: string): boolean {
  return CONFTEST.test(path);
}

/** Whether the file may hold a change that decides nothing. */
export function mayBeHarmless(path: string): boolean {
  return isConftest(path) || VITE.test(path);
}

/** A conftest.py that only gains fixtures and what those use, or Vite's settings that only build or serve otherwise. */
export function isHarmlessSetUp(parsers: Parsers, change: SetUpChange): boolean {
  if (isConftest(change.path)) return onTrees(parsers, change, (...roots) => gainsFixtures(change, roots));
  if (VITE.test(change.path)) return onTrees(parsers, change, (...roots) => isSameForTests(roots));
  return false;
}

function onTrees(
  parsers: Parsers,
  { path, before, after }: SetUpChange,
  judge: (before: Node, after: Node) => boolean,
): boolean {
  const language = languageOf(path);
  if (language === undefined) return false;
  const trees = [before, after].map((text) => parsers.parse(language, text));
  try {
    const [first, second] = trees.map(({ rootNode }) => rootNode);
    if (first === undefined || second === undefined || first.hasError || second.hasError) return false;
    return judge(first, second);
  } finally {
    for (const tree of trees) tree.delete();
  }
}

/** What was there stands there still, in its order, or is the same fixture with another body, which its tests are asked about. */
function gainsFixtures({ conftests, product }: SetUpChange, [before, after]: readonly [Node, Node]): boolean {
  const old = named(before);
  let kept = 0;
  const gained = named(after).filter((node) => {
    const was = old[kept];
    const isOld = was !== undefined && (node.text === was.text || isSameFixture(was, node));
    if (isOld) kept += 1;
    return !isOld;
  });
  const there = { conftests, product };
  const isHarmless = (one: Node) =>
    isText(one) || isImportOnly(one, there) || isFixtureOnly(one, there) || isHelperOnly(one, there);
  return kept === old.length && gained.every(isHarmless);
}

/** The fixtures of a conftest.py that are others now, and those that ask for them, there or in others like it. */
export function changedFixtures(
  parsers: Parsers,
  {
    before,
    after,
    others = [],
  }: { readonly before: string; readonly after: string; readonly others?: readonly string[] },
): ReadonlySet<string> {
  const [old, now] = [before, after].map((text) => fixturesIn(parsers, text));
  const changed = new Set([...(old ?? [])].flatMap(([name, text]) => (now?.get(name) === text ? [] : [name])));
  const all = [...(now ?? []), ...others.flatMap((text) => [...fixturesIn(parsers, text)])];
  for (let count = -1; count !== changed.size; ) {
    count = changed.size;
    const asks = [...changed].map((name) => new RegExp(`\\b${name}\\b`));
    for (const [name, text] of all) if (asks.some((one) => one.test(text))) changed.add(name);
  }
  return changed;
}

function fixturesIn(parsers: Parsers, text: string): ReadonlyMap<string, string> {
  const language = languageOf('conftest.py');
  if (language === undefined) return new Map();
  const tree = parsers.parse(language, text);
  try {
    return new Map(named(tree.rootNode).flatMap((node) => entryOf(node)));
  } finally {
    tree.delete();
  }
}

function entryOf(node: Node): readonly (readonly [string, string])[] {
  const name = fixtureName(node);
  return name === undefined ? [] : [[name, node.text]];
}

function isSameForTests([before, after]: readonly [Node, Node]): boolean {
  const [first, second] = [before, after].map(objectOf);
  if (first === undefined || second === undefined) return false;
  const around = (root: Node, object: Node) => [
    root.text.slice(0, object.startIndex - root.startIndex),
    root.text.slice(object.endIndex - root.startIndex),
  ];
  const isSame = JSON.stringify(around(before, first)) === JSON.stringify(around(after, second));
  return isSame && settingsOf(first) === settingsOf(second) && settingsOf(second) !== undefined;
}
