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
export type Body =
  | {
      readonly pieces: readonly Buffer[];
      /** Gives the memory of the pieces to other bodies, as soon as nobody reads them any more. A second call changes nothing. */
      release(): void;
    }
  | { readonly refusal: Answer };

/** Each piece costs as much work as some kilobytes: so many may be smaller than this on an average, of which no sender on the way from GitHub makes any. */
const FINE = { pieces: 256, bytes: 64 };

/** Reads a body; each piece is given to `onBytes` as it comes. Never throws. After a refusal nothing more is read, and nothing of the body is held. */
export type ReadBody = (request: IncomingMessage, onBytes: (bytes: Buffer) => void) => Promise<Body>;

const TOO_SLOW: Answer = { status: 408, text: 'The body did not come in time.\n' };
const NO_ROOM: Answer = { status: 503, text: 'Too much arrives at the same time; send it again later.\n' };
const TOO_FINE: Answer = { status: 400, text: 'The body comes in pieces that are too small.\n' };
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
  // Blocks that nobody reads any more are used again: thrown away, they would stay in memory until somebody looks after it.
  const spare: Buffer[] = [];
  let held = 0;
  const release = (pieces: Pieces): void => void spare.push(...pieces.takeBlocks());
  const makeRoom = (): void => {
    while (held > limits.mostHeld) {
      const [first, ...others] = all;
      if (first === undefined) return;
      others.reduce((one, other) => (other.pieces.held > one.pieces.held ? other : one), first).end(NO_ROOM);
    }
  };
  const given = (pieces: Pieces, refusal: Answer): Body => {
    release(pieces);
    return { refusal };
  };
  const read = (pieces: Pieces): Body => ({ pieces: pieces.all(), release: () => release(pieces) });
  return (request, onBytes) =>
    new Promise((resolve) => {
      const take = (bytes: Buffer): void => {
        held += reading.pieces.add(bytes);
        const refusal = refusalOf(reading.pieces, limits);
        if (refusal !== undefined) {
          reading.end(refusal);
          return;
        }
        onBytes(bytes);
        makeRoom();
      };
      const onEnd = (): void => reading.end(undefined);
      const onCut = (): void => reading.end(CUT);
      const timer = setTimeout(() => reading.end(TOO_SLOW), limits.withinMs);
      const reading: Reading = {
        pieces: createPieces(spare),
        end(refusal) {
          if (!all.delete(reading)) return;
          held -= reading.pieces.held;
          clearTimeout(timer);
          request.off('data', take).off('end', onEnd).off('close', onCut);
          stop(request, refusal);
          resolve(refusal === undefined ? read(reading.pieces) : given(reading.pieces, refusal));
        },
      };
      all.add(reading);
      // The listener for errors stays: a connection may break later, too.
      request.on('error', onCut).on('data', take).on('end', onEnd).on('close', onCut);
    });
}

/** Pieces that are too small are cut at once and without an answer: to go on for one would cost what is to be saved. */
function stop(request: IncomingMessage, refusal: Answer | undefined): void {
  if (refusal === TOO_FINE) request.resume().socket.destroy();
  else request.pause();
}

function refusalOf({ length, count }: Pieces, limits: BodyLimits): Answer | undefined {
  if (length > limits.most) return tooLarge(limits);
  return count > FINE.pieces && length < count * FINE.bytes ? TOO_FINE : undefined;
}

/** What a body has brought so far. */
interface Pieces {
  readonly count: number;
  readonly length: number;
  /** Bytes of memory, at most twice the length and a little. */
  readonly held: number;
  /** Gives the bytes of memory that were added. */
  add(bytes: Buffer): number;
  all(): readonly Buffer[];
  /** The whole blocks of memory that can be used again; they are given once, or a block would belong to two bodies. */
  takeBlocks(): readonly Buffer[];
}

const FIRST_BLOCK = 1024;
const LARGEST_BLOCK = 64 * 1024;

/** Bytes are copied together into blocks, because a sender that brings them one by one would have each of them cost an object. */
function createPieces(spare: Buffer[]): Pieces {
  const blocks: Buffer[] = [];
  let count = 0;
  let filled = 0;
  let length = 0;
  let held = 0;
  const next = (wanted: number): Buffer => {
    const fitting = Math.max(FIRST_BLOCK, wanted, 2 * (blocks.at(-1)?.length ?? 0));
    const size = fitting > LARGEST_BLOCK / 4 ? LARGEST_BLOCK : fitting;
    const block = (size === LARGEST_BLOCK ? spare.pop() : undefined) ?? Buffer.allocUnsafeSlow(size);
    blocks.push(block);
    filled = 0;
    held += size;
    return block;
  };
  return {
    get count() {
      return count;
    },
    get length() {
      return length;
    },
    get held() {
      return held;
    },
    add(bytes) {
      const before = held;
      count += 1;
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
    takeBlocks: () => blocks.splice(0).filter(({ length: size }) => size === LARGEST_BLOCK),
  };
}
