/** The stages of a loop's life, as types: whoever works on a stage takes a loop that has reached it. Pure. */
import type { Loop } from './loop.ts';

/** A label has started it: it has an issue, a base, limits and a branch. */
export type StartedLoop = Loop & { readonly started: NonNullable<Loop['started']> };

/** It has a pull request with a packet. */
export type ReviewedLoop = StartedLoop & { readonly review: NonNullable<Loop['review']> };

/** It has a candidate that was landed. */
export type BuiltLoop = ReviewedLoop & {
  readonly built: Loop['built'] & { readonly candidate: NonNullable<Loop['built']['candidate']> };
};

/** The loop was asked for what its stage does not have; a fault of ours, and the message names it. */
export class StageError extends Error {
  override name = 'StageError';
}

export function isStarted(loop: Loop): loop is StartedLoop {
  return loop.started !== undefined;
}

export function isReviewed(loop: Loop): loop is ReviewedLoop {
  return isStarted(loop) && loop.review !== undefined;
}

export function isBuilt(loop: Loop): loop is BuiltLoop {
  return isReviewed(loop) && loop.built.candidate !== undefined;
}

/** @throws {StageError} when no label has started the loop. */
export function asStarted(loop: Loop): StartedLoop {
  if (isStarted(loop)) return loop;
  throw new StageError(`the loop of issue #${loop.ref.issue} was never started; label the issue \`loop\``);
}

/** @throws {StageError} when the loop has no pull request yet. */
export function asReviewed(loop: Loop): ReviewedLoop {
  if (isReviewed(loop)) return loop;
  throw new StageError(
    `the loop of issue #${loop.ref.issue} has no pull request yet; \`/rerun PLAN\` makes its packet`,
  );
}

/** @throws {StageError} when no candidate was landed. */
export function asBuilt(loop: Loop): BuiltLoop {
  if (isBuilt(loop)) return loop;
  throw new StageError(`the loop of issue #${loop.ref.issue} has no candidate yet; \`/rerun\` builds one`);
}
