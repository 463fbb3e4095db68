/** The HTTP of a model's call: bounded in the bytes of the answer, and to the host that was named. */

type Fetch = typeof globalThis.fetch;

/** Far above any answer that can be used, far below what a process can hold. */
export const ANSWER_MIB = 16;
export const ANSWER_BYTES = ANSWER_MIB * 1024 * 1024;
/** Streamed, each word comes in an envelope many times its size; of the envelopes nothing is kept. */
const STREAM_BYTES = 16 * ANSWER_BYTES;

export class AnswerTooLargeError extends Error {
  override name = 'AnswerTooLargeError';
}

/** A fetch that gives up at an answer above its limit and follows no redirect. `heard` is called with the answer's beginning, and with each piece of it. */
export function boundedFetch(send: Fetch): (heard: () => void) => Fetch {
  return (heard) => async (input, init) => {
    // A redirect that is followed would hand the whole prompt to a host that nobody named.
    const response = await send(input, { ...init, redirect: 'manual' });
    heard();
    return capped(response, heard);
  };
}

/** Whether the answer was larger than allowed, as `boundedFetch` throws it or the package wraps it. */
export function isTooLarge(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error instanceof AnswerTooLargeError || isTooLarge(error.cause);
}

async function capped(response: Response, heard: () => void): Promise<Response> {
  const { body, status, statusText, headers } = response;
  const isStream = headers.get('content-type')?.includes('text/event-stream') === true;
  const most = isStream ? STREAM_BYTES : ANSWER_BYTES;
  if (body === null) return response;
  if (Number(headers.get('content-length')) > most) {
    await body.cancel();
    throw new AnswerTooLargeError();
  }
  return new Response(body.pipeThrough(byteLimit(most, heard)), { status, statusText, headers });
}

/** Counts what is read, after decompression: a small answer on the wire may be a large one in memory. */
function byteLimit(most: number, heard: () => void): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      heard();
      bytes += chunk.byteLength;
      if (bytes > most) controller.error(new AnswerTooLargeError());
      else controller.enqueue(chunk);
    },
  });
}
