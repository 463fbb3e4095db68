/** Reading JSON of unknown shape without casts. */

/** A JSON object whose fields are not known yet. */
export type Fields = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object: not an array, not null. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object itself, or an empty one when the value is anything else. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

/** The array itself, or an empty one when the value is anything else. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
