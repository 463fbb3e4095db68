/** The doctor's own door: the address of the App as anybody sees it, and what a model's answer looks like on the wire. */

/** What came back on the wire, as far as it says how an endpoint answers. */
export interface Seen {
  readonly status: number;
  readonly isStream: boolean;
}

/** A fetch that tells of each answer that it brings. */
export function observedFetch(tell: (seen: Seen) => void): typeof globalThis.fetch {
  const send = globalThis.fetch;
  return async (input, init) => {
    const response = await send(input, init);
    const type = response.headers.get('content-type') ?? '';
    tell({ status: response.status, isStream: type.includes('text/event-stream') });
    return response;
  };
}

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
