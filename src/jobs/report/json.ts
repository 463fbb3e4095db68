/** JSON texts that come from elsewhere. */

/** The value of a JSON text, not yet trusted; undefined when it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
