/** Errors that a port may throw; each says what failed, with which value, and what to do. */

/** A broken rule at a port. Subclasses name the port; `cause` keeps the original. */
export class LoopError extends Error {
  override name = 'LoopError';
}
