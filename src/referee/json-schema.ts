/** Turns the schemas of an OpenAPI 3.0 description into JSON Schema that ajv can compile. */
import { type Fields, fieldsOf, isFields } from './json.ts';

/** Places where GitHub's description contradicts what GitHub sends; each is corrected here, in view, and nowhere else. */
export const DESCRIPTION_FLAWS: readonly {
  readonly schema: string;
  readonly required: string;
  readonly reason: string;
}[] = [
  { schema: 'team', required: 'type', reason: 'teams in requested_teams carry no type' },
  { schema: 'job', required: 'created_at', reason: 'jobs of older servers carry no created_at' },
];

/** Formats of GitHub's own, and `email`: the addresses of bots (`1+app[bot]@…`) and of commits are often none. */
export const UNCHECKED_FORMATS: readonly string[] = ['repo.nwo', 'timestamp', 'binary', 'uri-template', 'email'];

const VALUES = new Set(['example', 'examples', 'enum', 'default', 'const']);

/** A copy with `nullable` rewritten to a type union and the flaws corrected. */
export function toJsonSchema(description: Fields): Fields {
  const rewritten = fieldsOf(rewrite(description, false));
  const components = fieldsOf(rewritten.components);
  const schemas = { ...fieldsOf(components.schemas) };
  for (const { schema, required } of DESCRIPTION_FLAWS) {
    const flawed = schemas[schema];
    if (!isFields(flawed) || !Array.isArray(flawed.required)) continue;
    schemas[schema] = { ...flawed, required: flawed.required.filter((name) => name !== required) };
  }
  return { ...rewritten, components: { ...components, schemas } };
}

function rewrite(node: unknown, isPropertyMap: boolean): unknown {
  if (Array.isArray(node)) return node.map((entry) => rewrite(entry, false));
  if (!isFields(node)) return node;
  const entries = Object.entries(node).map(([key, value]) => [
    key,
    !isPropertyMap && VALUES.has(key) ? value : rewrite(value, !isPropertyMap && key === 'properties'),
  ]);
  const copy: Record<string, unknown> = Object.fromEntries(entries);
  return !isPropertyMap && copy.nullable === true ? withNull(copy) : copy;
}

function withNull({ nullable: _, ...schema }: Record<string, unknown>): unknown {
  if (typeof schema.type !== 'string') return { anyOf: [{ type: 'null' }, schema] };
  const values = schema.enum;
  const withNullValue = Array.isArray(values) && !values.includes(null) ? { enum: [...values, null] } : {};
  return { ...schema, ...withNullValue, type: [schema.type, 'null'] };
}
