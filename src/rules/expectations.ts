/** Tests that expect something else than they were written to: each literal that an assertion compares with is another. Pure. */
import { withFault } from '../syntax/faults.ts';
import type { Node, Replacement } from '../syntax/language.ts';
import { languageOf, type Parsers } from '../syntax/parsers.ts';
import { PYTHON_EXPECTATIONS } from './python-expectations.ts';
import { SCRIPT_EXPECTATIONS } from './script-expectations.ts';
import { named } from './tree-rule.ts';

/** How the assertions of a language are read. */
export interface Expectations {
  /** What a node adds to the names of the tests in it, with `ANY` for what is put in; null where that cannot be told, undefined where it adds nothing. */
  readonly titleOf: (node: Node) => string | null | undefined;
  /** Between the titles of a test's name, as its runner reports it. */
  readonly joint: string;
  /** What the assertion of equality expects: the first literal that can be another, or those of a table's column; none for all else. */
  readonly expectedIn: (node: Node) => readonly Replacement[];
  /** What of a node has to be ended by something thrown: an assertion in it may well never be reached. */
  readonly thrownFrom: (node: Node) => Node | undefined;
}

/** By name of the language. */
const EXPECTATIONS: Readonly<Record<string, Expectations>> = {
  JavaScript: SCRIPT_EXPECTATIONS,
  TypeScript: SCRIPT_EXPECTATIONS,
  TSX: SCRIPT_EXPECTATIONS,
  Python: PYTHON_EXPECTATIONS,
};

export interface Altered {
  readonly text: string;
  /** Lines of the altered assertions, by the name of the test whose own they are, as `isNamedBy` reads it; of a name that stands for two tests nothing is told. */
  readonly lines: ReadonlyMap<string, readonly number[]>;
}

interface Place {
  readonly node: Node;
  readonly names: readonly string[] | null;
}

interface Found {
  readonly test: string;
  readonly line: number;
  readonly others: readonly Replacement[];
}

/** The text of a test file with other expectations; undefined where it holds none that can be read. */
export function withOtherExpectations(parsers: Parsers, file: string, text: string): Altered | undefined {
  const language = languageOf(file);
  const expectations = language && EXPECTATIONS[language.name];
  if (language === undefined || expectations === undefined) return undefined;
  const tree = parsers.parse(language, text);
  try {
    const { found, tests } = read(tree.rootNode, expectations);
    const telling = found.filter(({ test }) => tests.get(test) === 1);
    if (telling.length === 0) return undefined;
    // Several assertions may compare with one cell.
    const byStart = new Map(telling.flatMap(({ others }) => others.map((other) => [other.start, other] as const)));
    const replacements = [...byStart.values()].toSorted((one, next) => next.start - one.start);
    return {
      text: replacements.reduce(withFault, text),
      lines: new Map([...Map.groupBy(telling, ({ test }) => test)].map(([test, all]) => [test, all.map(lineOf)])),
    };
  } finally {
    tree.delete();
  }
}

const lineOf = ({ line }: Found): number => line;

/** Goes down from the top: to ask each node for what is around it takes as long as it lies deep. */
function read(root: Node, expectations: Expectations) {
  const found: Found[] = [];
  const tests = new Map<string, number>();
  const thrownFrom = new Set<number | undefined>();
  const left: Place[] = [{ node: root, names: [] }];
  for (let place = left.pop(); place !== undefined; place = left.pop()) {
    const { node, names } = namedAt(place, expectations);
    thrownFrom.add(expectations.thrownFrom(node)?.id);
    const test = names?.join(expectations.joint) ?? '';
    if (names !== place.names) addTo(tests, test);
    const others = test === '' ? [] : expectations.expectedIn(node);
    // What stands in an assertion belongs to it.
    if (others.length === 0) left.push(...reachedIn(node, thrownFrom).map((child) => ({ node: child, names })));
    else found.push({ test, line: node.startPosition.row + 1, others });
  }
  return { found, tests };
}

function addTo(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

const reachedIn = (node: Node, thrownFrom: ReadonlySet<number | undefined>): readonly Node[] =>
  named(node).filter(({ id }) => !thrownFrom.has(id));

/** With its own title; what stands in a test of whose name nothing is known is nobody's. */
function namedAt({ node, names }: Place, { titleOf }: Expectations): Place {
  const title = titleOf(node);
  if (title === undefined || names === null) return { node, names };
  return { node, names: title === null ? null : [...names, title] };
}
