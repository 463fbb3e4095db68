/** Payloads made from GitHub's own schemas: everything that they allow, and what GitHub may add without notice. */
import fc from 'fast-check';
import type { Contract } from '../../src/referee/contract.ts';
import { type Fields, fieldsOf, isFields } from '../../src/referee/json.ts';

/** Nothing that lies deeper is read. */
const DEEPEST = 6;

/** Values of a schema: null where it may be, optional fields missing, words that no enumeration has, and ids beyond what a number holds. */
export function arbitraryOf(contract: Pick<Contract, 'resolve'>, schema: Fields): fc.Arbitrary<unknown> {
  // By depth, because what is made in the depth lacks what lies deeper still.
  const made = Array.from({ length: DEEPEST }, () => new Map<Fields, fc.Arbitrary<unknown>>());
  const make = (given: Fields, depth: number): fc.Arbitrary<unknown> => {
    const node = contract.resolve(given);
    const known = depth < DEEPEST ? made[depth]?.get(node) : fc.constant(null);
    if (known !== undefined) return known;
    const fresh = makeFresh(node, depth);
    made[depth]?.set(node, fresh);
    return fresh;
  };
  const makeFresh = (node: Fields, depth: number): fc.Arbitrary<unknown> => {
    if (Array.isArray(node.enum)) return withUnknownWord(node.enum);
    const choices = [node.oneOf, node.anyOf].find((each) => Array.isArray(each));
    if (Array.isArray(choices)) return fc.oneof(...choices.map((one) => make(fieldsOf(one), depth + 1)));
    if (Array.isArray(node.allOf)) return allOf(node.allOf.map((one) => make(fieldsOf(one), depth + 1)));
    const types = Array.isArray(node.type) ? node.type : [node.type ?? (isFields(node.properties) ? 'object' : 'any')];
    return fc.oneof(...types.map((type) => ofType(String(type), node, depth)));
  };
  const ofType = (type: string, node: Fields, depth: number): fc.Arbitrary<unknown> => {
    if (type === 'object') return objectOf(node, depth);
    if (type === 'array') return fc.array(make(fieldsOf(node.items), depth + 1), { maxLength: 2 });
    if (type === 'string') return textOf(node.format);
    if (type === 'integer' || type === 'number') return NUMBER;
    if (type === 'boolean') return fc.boolean();
    return type === 'null' ? fc.constant(null) : fc.constantFrom<unknown>(null, 'any', 1, {});
  };
  const objectOf = (node: Fields, depth: number): fc.Arbitrary<unknown> => {
    const properties = Object.entries(fieldsOf(node.properties));
    const required = new Set(Array.isArray(node.required) ? node.required.map(String) : []);
    const model = Object.fromEntries(
      properties.map(([name, one]) => [name, SHA.test(name) ? sha : make(fieldsOf(one), depth + 1)]),
    );
    const requiredKeys = properties.map(([name]) => name).filter((name) => required.has(name));
    return fc.record(model, { requiredKeys });
  };
  return make(schema, 0);
}

/** The description calls them strings; one that is no commit is GitHub's mistake, and rare. */
const SHA = /^(?:head_)?sha$|^after$/;
const sha = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom('a'.repeat(40), '0'.repeat(40)) },
  { weight: 1, arbitrary: fc.constantFrom('', 'a'.repeat(64), 'a\0') },
);

const NUMBER = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 1, max: 2 ** 31 - 1 }) },
  { weight: 1, arbitrary: fc.constantFrom(0, -1, 2 ** 31, 2 ** 40, Number.MAX_SAFE_INTEGER, 2 ** 60) },
);

function textOf(format: unknown): fc.Arbitrary<string> {
  if (format === 'date-time')
    return fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }).map((date) => date.toISOString());
  return fc.oneof(
    fc.constantFrom('', 'loop', 'main', 'refs/heads/main', `${'a'.repeat(40)}`, '/help', '/approve\n/reject\n- a\0b'),
    fc.string({ maxLength: 20, unit: 'binary' }),
  );
}

function withUnknownWord(words: readonly unknown[]): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...words) },
    { weight: 1, arbitrary: fc.constant('a_word_of_next_year') },
  );
}

function allOf(parts: readonly fc.Arbitrary<unknown>[]): fc.Arbitrary<unknown> {
  return fc.tuple(...parts).map((values) => Object.assign({}, ...values.map(fieldsOf)));
}
