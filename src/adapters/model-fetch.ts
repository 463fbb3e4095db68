/** The HTTP of a model's call: bounded in time and in the bytes of the answer, and to the host that was named. */

type Fetch = typeof globalThis.fetch;

/** Far above any answer that can be used, far below what a process can hold. */
export const ANSWER_MIB = 16;
const ANSWER_BYTES = ANSWER_MIB * 1024 * 1024;

class AnswerTooLargeError extends Error {
  override name = 'AnswerTooLargeError';
}

/** A fetch that gives up after `timeoutMs`, the body included, and at an answer above `ANSWER_MIB`; it follows no redirect. */
export function boundedFetch(send: Fetch, timeoutMs: number): Fetch {
  return async (input, init) => {
    // The package's own timeout ends with the response's headers; this one covers the body too.
    const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(init?.signal ? [init.signal] : [])]);
    // A redirect that is followed would hand the whole prompt to a host that nobody named.
    return capped(await send(input, { ...init, signal, redirect: 'manual' }));
  };
}

/** Whether the answer was larger than allowed, as `boundedFetch` throws it or the package wraps it. */
export function isTooLarge(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error instanceof AnswerTooLargeError || isTooLarge(error.cause);
}

async function capped(response: Response): Promise<Response> {
  const { body, status, statusText, headers } = response;
  if (body === null) return response;
  if (Number(headers.get('content-length')) > ANSWER_BYTES) {
    await body.cancel();
    throw new AnswerTooLargeError();
  }
  return new Response(body.pipeThrough(byteLimit()), { status, statusText, headers });
}

/** Counts what is read, after decompression: a small answer on the wire may be a large one in memory. */
function byteLimit(): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > ANSWER_BYTES) controller.error(new AnswerTooLargeError());
      else controller.enqueue(chunk);
    },
  });
}
