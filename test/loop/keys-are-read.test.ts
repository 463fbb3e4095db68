/** Nothing is accepted without effect: every key that people or a model may write is read by code, or its schema refuses it. */
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { ANSWERS } from '../../src/loop/answers.ts';
import { goal } from '../../src/loop/goal.ts';
import { repositoryConfig } from '../../src/settings/config.ts';

const ROOT = join(import.meta.dirname, '..', '..');
/** Where the schemas stand: a key that only these name is read by nobody. */
const DECLARED =
  /^src\/(?:loop\/(?:answers|goal|brief|event|loop|terms)|documents\/(?:documents|step)|settings\/config)\.ts$/;

/** What a file reads: names behind a dot, and names that are taken apart. */
function readBy(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { type, computed, property, properties } of nodesIn(parseAst(text, { lang: 'ts' }))) {
    if (type === 'MemberExpression' && computed !== true) add(found, property);
    if (type === 'ObjectPattern' && Array.isArray(properties))
      for (const taken of properties) if (isNode(taken)) add(found, taken.key);
  }
  return found;
}

function add(found: Set<string>, named: unknown): void {
  if (isNode(named) && typeof named.name === 'string') found.add(named.name);
}

type Node = Readonly<Record<string, unknown>>;

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function* nodesIn(value: unknown): Generator<Node> {
  if (isNode(value)) yield value;
  if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) yield* nodesIn(inner);
}

const schemaNode: z.ZodType<SchemaNode> = z.lazy(() =>
  z.looseObject({
    properties: z.record(z.string(), schemaNode).optional(),
    items: schemaNode.optional(),
    anyOf: z.array(schemaNode).optional(),
    oneOf: z.array(schemaNode).optional(),
  }),
);
interface SchemaNode {
  readonly properties?: Readonly<Record<string, SchemaNode>> | undefined;
  readonly items?: SchemaNode | undefined;
  readonly anyOf?: readonly SchemaNode[] | undefined;
  readonly oneOf?: readonly SchemaNode[] | undefined;
}

/** Every key with the path that leads to it. */
function keysOf(
  { properties = {}, items, anyOf = [], oneOf = [] }: SchemaNode,
  path: readonly string[],
): readonly string[][] {
  const within = [...(items === undefined ? [] : [items]), ...anyOf, ...oneOf].flatMap((each) => keysOf(each, path));
  const own = Object.entries(properties).flatMap(([key, each]) => [[...path, key], ...keysOf(each, [...path, key])]);
  return [...own, ...within];
}

/** Its keys are walked all together, by a table that the compiler keeps complete. */
const WALKED = ['diagrams'];

const SCHEMAS: readonly (readonly [string, z.ZodType])[] = [
  ['goal', goal],
  ['config', repositoryConfig],
  ...Object.entries(ANSWERS)
    .filter(([name]) => !WALKED.includes(name))
    .map(([name, { schema }]) => [name, schema] as const),
];

const files = await Array.fromAsync(glob('src/**/*.ts', { cwd: ROOT }));
const reads = await Promise.all(
  files.filter((file) => !DECLARED.test(file)).map(async (file) => readBy(await readFile(join(ROOT, file), 'utf8'))),
);

/** A key counts as read where one file takes it, and takes or passes through what it stands in. */
function isRead(path: readonly string[]): boolean {
  const [key = '', parent] = path.toReversed();
  return reads.some(
    (names) =>
      names.has(key) && (parent === undefined || path.length < 3 || names.has(parent) || names.has(singular(parent))),
  );
}

function singular(name: string): string {
  return name.replace(/s$/, '');
}

it.each(SCHEMAS)('every key of %s is read by code', (name, schema) => {
  const keys = keysOf(schemaNode.parse(z.toJSONSchema(schema, { io: 'input' })), [name]);
  expect(keys.length).toBeGreaterThan(0);
  expect(keys.filter((path) => !isRead(path)).map((path) => path.join('.'))).toEqual([]);
});

it('a key that nobody reads is found', () => {
  expect(isRead(['goal', 'brilliance'])).toBe(false);
  expect(isRead(['goal', 'limits', 'brilliance'])).toBe(false);
  expect(isRead(['goal', 'limits', 'tokens'])).toBe(true);
});
