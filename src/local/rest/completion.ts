/** Fills an answer or a webhook up to the shape of GitHub's description: what the server does not model gets the neutral value that the description allows. */
import type { Contract } from '../../referee/contract.ts';
import { type Fields, fieldsOf, isFields, listOf } from '../../referee/json.ts';
import { isReviewed } from './filled.ts';

interface Place {
  readonly contract: Contract;
  /** Name of the property, from which an address is made. */
  readonly name: string;
  /** Address of the nearest object that has one. */
  readonly url: string;
  /** Name of the schema that the object is in. */
  readonly schema: string;
  readonly forgotten: Set<string>;
}

export const FORGOTTEN = 'a required field was filled with a neutral value, and is not on the reviewed list';

export interface Completion {
  readonly contract: Contract;
  readonly schema: Fields;
  /** Stands for a schema without a name. */
  readonly subject: string;
  readonly value: unknown;
  readonly url: string;
}

export interface Completed {
  readonly value: unknown;
  /** What was filled and is not on the reviewed list, as `schema field`. */
  readonly forgotten: readonly string[];
}

/** `value` with everything that `schema` requires; what is there already is never changed. */
export function complete({ contract, schema, subject, value, url }: Completion): Completed {
  const forgotten = new Set<string>();
  const whole = completeAt({ contract, name: '', url, schema: subject, forgotten }, schema, value);
  return { value: whole, forgotten: [...forgotten] };
}

function completeAt(outer: Place, unresolved: Fields, value: unknown): unknown {
  const place = within(outer, unresolved);
  const schema = place.contract.resolve(unresolved);
  const choices = [...listOf(schema.anyOf), ...listOf(schema.oneOf)].map(fieldsOf);
  if (choices.length > 0) return completeChoice(place, choices, value);
  const parts = listOf(schema.allOf).map(fieldsOf);
  if (parts.length > 0) return parts.reduce((filled: unknown, part) => completeAt(place, part, filled), value);
  if (value === null) return null;
  if (value === undefined && typesOf(schema).includes('null')) return null;
  if (isObjectSchema(schema) && (value === undefined || isFields(value)))
    return completeObject(place, schema, fieldsOf(value));
  if (Array.isArray(value)) return value.map((entry) => completeAt(place, fieldsOf(schema.items), entry));
  return value === undefined ? neutralValue(place, schema) : value;
}

/** The place in the schema that a reference leads to. */
function within(place: Place, { $ref }: Fields): Place {
  return typeof $ref === 'string' ? { ...place, schema: $ref.split('/').at(-1) ?? '' } : place;
}

function completeChoice(place: Place, choices: readonly Fields[], value: unknown): unknown {
  const typesIn = (choice: Fields) => typesOf(place.contract.resolve(choice));
  if (value === undefined && choices.some((choice) => typesIn(choice).includes('null'))) return null;
  const kind = typeNameOf(value);
  const fitting =
    choices.find((choice) => value === undefined || typesIn(choice).includes(kind)) ??
    choices.find((choice) => !place.contract.resolve(choice).type);
  return fitting ? completeAt(place, fitting, value) : value;
}

function completeObject(place: Place, schema: Fields, value: Fields): Fields {
  const url = typeof value.url === 'string' ? value.url : place.url;
  const properties = fieldsOf(schema.properties);
  const required = new Set(listOf(schema.required).map(String));
  const result: Record<string, unknown> = {};
  for (const name of new Set([...Object.keys(value), ...required])) {
    if (value[name] === undefined && !required.has(name)) continue;
    const property = properties[name];
    if (value[name] === undefined && !isReviewed(place.schema, name)) place.forgotten.add(`${place.schema} ${name}`);
    result[name] = isFields(property) ? completeAt({ ...place, name, url }, property, value[name]) : value[name];
  }
  return result;
}

const NEUTRAL: Readonly<Record<string, unknown>> = { boolean: false, integer: 0, number: 0, array: [], object: {} };

function neutralValue({ name, url }: Place, schema: Fields): unknown {
  const [first] = listOf(schema.enum);
  if (first !== undefined) return first;
  const type = typesOf(schema)[0] ?? '';
  if (type in NEUTRAL) return NEUTRAL[type];
  if (schema.format === 'date-time') return '1970-01-01T00:00:00Z';
  return schema.format === 'uri' || name.endsWith('url') ? `${url}/${name.replace(/_?url$/, '')}` : '';
}

function isObjectSchema(schema: Fields): boolean {
  return typesOf(schema).includes('object') || isFields(schema.properties);
}

function typesOf(schema: Fields): readonly string[] {
  const { type } = schema;
  if (Array.isArray(type)) return type.map(String);
  if (typeof type === 'string') return [type];
  return isFields(schema.properties) ? ['object'] : [];
}

function typeNameOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value;
}
