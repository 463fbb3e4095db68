/** Hands a stream on piece by piece, as fast as the job reads it, and tells once how it ended. */
import { createKeyWatch, KeyEchoError } from './key-watch.ts';
import type { Silence } from './silence.ts';

/** The answer came to its end, the job has gone, the answer broke off, or there was none. */
export type Ending = 'whole' | 'gone' | 'broken' | 'refused';

/** What the server says at the end of a stream that it cannot finish, before it closes the connection: no words of the upstream's. */
class BrokenOffError extends Error {
  override name = 'BrokenOffError';
  constructor(cause: unknown) {
    const isEcho = cause instanceof KeyEchoError;
    super(isEcho ? 'the answer held a secret of the App, and ends here' : 'the answer broke off at the upstream');
  }
}

export interface Relaying {
  /** Must not pass. */
  readonly key: string;
  readonly silence: Silence;
  /** Each piece as text, before it is handed on. */
  readonly take: (text: string) => void;
  /** Is waited for before the job sees the end, so that whoever sees it finds the call settled. */
  readonly ended: (ending: Ending) => Promise<void>;
}

export function relayed(
  source: ReadableStream<Uint8Array>,
  { key, silence, take, ended }: Relaying,
): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  const watch = createKeyWatch(key);
  const decoder = new TextDecoder();
  const end = once(ended);
  const next = async (): Promise<Uint8Array | undefined> => {
    for (;;) {
      const { done, value } = await silence.during(() => reader.read());
      if (done) return undefined;
      take(decoder.decode(value, { stream: true }));
      const bytes = watch.pass(value);
      if (bytes.length > 0) return bytes;
    }
  };
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    const bytes = await next();
    if (bytes !== undefined) return controller.enqueue(bytes);
    const rest = watch.rest();
    if (rest.length > 0) controller.enqueue(rest);
    await end('whole');
    controller.close();
  };
  return new ReadableStream(
    {
      pull: (controller) =>
        pull(controller).catch(async (error: unknown) => {
          await Promise.allSettled([end('broken'), reader.cancel(error)]);
          controller.error(new BrokenOffError(error));
        }),
      async cancel(reason) {
        await Promise.allSettled([end('gone'), reader.cancel(reason)]);
      },
    },
    // Nothing is read ahead: the upstream is held back by who reads.
    { highWaterMark: 0 },
  );
}

function once(tell: (ending: Ending) => Promise<void>): (ending: Ending) => Promise<void> {
  let told: Promise<void> | undefined;
  return (ending) => {
    told ??= tell(ending);
    return told;
  };
}
