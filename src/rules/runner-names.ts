/** By which names a program knows that tests are run, and of what it could read them. Pure. */

/** What only runners of tests set. */
export const SET_BY_RUNNERS: RegExp =
  /^(?:VITEST(?:_WORKER_ID|_POOL_ID|_MODE)?|JEST_WORKER_ID|__vitest_(?:worker|environment|index|mocker)__|PYTEST_(?:CURRENT_TEST|VERSION|XDIST_WORKER)|_called_from_test)$/;
/** In what a program was started with. */
export const STARTED_BY_TESTS: RegExp =
  /[._]test\b|[._]spec\b|\btest_|__tests__|(?:vi|py|unit)test|\bjest\b|\bmocha\b|node:test|--test\b/;
/** On a stack, where no commands stand. */
export const CALLED_BY_TESTS: RegExp = new RegExp(String.raw`${STARTED_BY_TESTS.source}|\b(?:tests?|specs?)\b`);

/** Longer ways up a tree than from an expression to its statement nobody writes. */
const HIGHEST = 100;

interface Above<Node> {
  readonly type: string;
  readonly parent: Node | null;
}

/** The nearest node of one of these types around a node, or what is uppermost. */
export function around<Node extends Above<Node>>(node: Node, types: ReadonlySet<string>): Node {
  const inner = below(node, types);
  return inner.parent ?? inner;
}

/** What lies right below the nearest node of one of these types: of a statement its condition or its value. */
export function below<Node extends Above<Node>>(node: Node, types: ReadonlySet<string>): Node {
  let found = node;
  for (let height = 0; height < HIGHEST && found.parent !== null && !types.has(found.parent.type); height += 1)
    found = found.parent;
  return found;
}
