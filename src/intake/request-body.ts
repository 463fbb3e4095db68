/** Bodies of requests while nobody has vouched for them: each is bounded in bytes and in time, and all of them together in bytes. */
import type { IncomingMessage } from 'node:http';
import type { Answer } from './answer.ts';

export interface BodyLimits {
  /** Bytes of one body. */
  readonly most: number;
  /** Bytes of all bodies that are being read. Above it the largest of them is given up, so that small ones still get in. */
  readonly mostHeld: number;
  /** For a whole body, from its first look on. */
  readonly withinMs: number;
}

/** A body in pieces, in order; or why it was not read to its end. */
export type Body = { readonly pieces: readonly Buffer[] } | { readonly refusal: Answer };

/** Reads a body; each piece is given to `onBytes` as it comes. Never throws. After a refusal nothing more is read, and nothing of the body is held. */
export type ReadBody = (request: IncomingMessage, onBytes: (bytes: Buffer) => void) => Promise<Body>;

const TOO_SLOW: Answer = { status: 408, text: 'The body did not come in time.\n' };
const NO_ROOM: Answer = { status: 503, text: 'Too much arrives at the same time; send it again later.\n' };
const CUT: Answer = { status: 400, text: 'The body ended before its end.\n' };

export function tooLarge({ most }: Pick<BodyLimits, 'most'>): Answer {
  return { status: 413, text: `A body has at most ${most} bytes.\n` };
}

/** A body that is being read. */
interface Reading {
  readonly pieces: Pieces;
  /** Ends the reading at once; a second call changes nothing. */
  end(refusal: Answer | undefined): void;
}

export function createBodyReader(limits: BodyLimits): ReadBody {
  const all = new Set<Reading>();
  let held = 0;
  const makeRoom = (): void => {
    while (held > limits.mostHeld) {
      const [first, ...others] = all;
      if (first === undefined) return;
      others.reduce((one, other) => (other.pieces.held > one.pieces.held ? other : one), first).end(NO_ROOM);
    }
  };
  return (request, onBytes) =>
    new Promise((resolve) => {
      const take = (bytes: Buffer): void => {
        held += reading.pieces.add(bytes);
        if (reading.pieces.length > limits.most) {
          reading.end(tooLarge(limits));
          return;
        }
        onBytes(bytes);
        makeRoom();
      };
      const onEnd = (): void => reading.end(undefined);
      const onCut = (): void => reading.end(CUT);
      const timer = setTimeout(() => reading.end(TOO_SLOW), limits.withinMs);
      const reading: Reading = {
        pieces: createPieces(),
        end(refusal) {
          if (!all.delete(reading)) return;
          held -= reading.pieces.held;
          clearTimeout(timer);
          request.off('data', take).off('end', onEnd).off('close', onCut).pause();
          resolve(refusal === undefined ? { pieces: reading.pieces.all() } : { refusal });
        },
      };
      all.add(reading);
      // The listener for errors stays: a connection may break later, too.
      request.on('error', onCut).on('data', take).on('end', onEnd).on('close', onCut);
    });
}

/** What a body has brought so far. */
interface Pieces {
  readonly length: number;
  /** Bytes of memory, at most twice the length and a little. */
  readonly held: number;
  /** Gives the bytes of memory that were added. */
  add(bytes: Buffer): number;
  all(): readonly Buffer[];
}

const FIRST_BLOCK = 1024;
const LARGEST_BLOCK = 64 * 1024;

/** Bytes are copied together into blocks, because a sender that brings them one by one would have each of them cost an object. */
function createPieces(): Pieces {
  const blocks: Buffer[] = [];
  let filled = 0;
  let length = 0;
  let held = 0;
  const next = (wanted: number): Buffer => {
    const size = Math.min(LARGEST_BLOCK, Math.max(FIRST_BLOCK, wanted, 2 * (blocks.at(-1)?.length ?? 0)));
    const block = Buffer.allocUnsafeSlow(size);
    blocks.push(block);
    filled = 0;
    held += size;
    return block;
  };
  return {
    get length() {
      return length;
    },
    get held() {
      return held;
    },
    add(bytes) {
      const before = held;
      for (let from = 0; from < bytes.length; ) {
        const last = blocks.at(-1);
        const block = last === undefined || filled === last.length ? next(bytes.length - from) : last;
        const copied = bytes.copy(block, filled, from);
        filled += copied;
        from += copied;
      }
      length += bytes.length;
      return held - before;
    },
    all: () => blocks.map((block, index) => (index === blocks.length - 1 ? block.subarray(0, filled) : block)),
  };
}
