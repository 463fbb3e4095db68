/** The doctor's own door: the address of the App as anybody sees it. */

export type Reached =
  | { readonly status: number; readonly text: string }
  /** `ECONNREFUSED`, `ENOTFOUND`, `TimeoutError` … */
  | { readonly problem: string };

/** Far longer than what the App says. */
const MOST_CHARACTERS = 2000;

/** Reads an address without credentials, within a time, and follows no redirect. */
export async function reach(address: string, withinMs: number): Promise<Reached> {
  const send = globalThis.fetch;
  try {
    const response = await send(address, { redirect: 'manual', signal: AbortSignal.timeout(withinMs) });
    return { status: response.status, text: (await response.text()).slice(0, MOST_CHARACTERS) };
  } catch (error) {
    return { problem: codeOf(error) };
  }
}

/** What the machine or the network calls it, of the first error that has such a name, from the outermost to its causes. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ('code' in error && typeof error.code === 'string') return error.code;
  if (error.cause !== undefined) return codeOf(error.cause);
  return error.name === 'Error' ? error.message : error.name;
}
