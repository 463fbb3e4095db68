/** Errors that a port may throw; each says what failed, with which value, and what to do. */
import type { ModelCall } from './loop/brief.ts';

/** A broken rule at a port. Subclasses name the port; `cause` keeps the original. */
export class LoopError extends Error {
  override name = 'LoopError';
}

/** The configuration or the environment is not usable; the message names file, line, key and remedy. */
export class ConfigError extends LoopError {
  override name = 'ConfigError';
}

/** Another save of the same loop came first: load and decide again. */
export class ConflictError extends LoopError {
  override name = 'ConflictError';
}

export class StoreError extends LoopError {
  override name = 'StoreError';
}

/** The model did not give a usable answer within its tries. `calls` are those that were made and cost money. */
export class ModelError extends LoopError {
  override name = 'ModelError';
  readonly calls: readonly ModelCall[];
  constructor(message: string, calls: readonly ModelCall[], options?: ErrorOptions) {
    super(message, options);
    this.calls = calls;
  }
}

/** GitHub refused a write (ruleset, push protection, conflict); the message holds GitHub's own text. */
export class WriteRefusedError extends LoopError {
  override name = 'WriteRefusedError';
}

/** GitHub no longer has what was asked for: 404, 410 or 451, in GitHub's words. */
export class GoneError extends LoopError {
  override name = 'GoneError';
  readonly status: 404 | 410 | 451;
  constructor(message: string, status: 404 | 410 | 451, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

/** GitHub gave no answer, or failed itself; a write may have happened all the same. */
export class UnansweredError extends LoopError {
  override name = 'UnansweredError';
}

/** The repository has another name, owner or installation by now; its id stays. */
export class RelocatedError extends LoopError {
  override name = 'RelocatedError';
}

/** GitHub does not say yet what another of its answers has said already; it will in a moment. */
export class NotYetError extends LoopError {
  override name = 'NotYetError';
}

/** An effect is to be tried again: after `retryAfterSeconds`, or after the queue's own growing pause. */
export class RetryError extends LoopError {
  override name = 'RetryError';
  readonly retryAfterSeconds: number | undefined;
  constructor(what: string, cause: unknown, retryAfterSeconds: number | undefined) {
    super(`${what} is tried again: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** What a run delivered cannot be trusted or read. */
export class ArtifactError extends LoopError {
  override name = 'ArtifactError';
}

/** Generated code cannot be kept away from the machine, so it is not run. */
export class SandboxError extends LoopError {
  override name = 'SandboxError';
}

/** What was asked for on a command line was not understood; the message says which word and what to do. */
export class UsageError extends LoopError {
  override name = 'UsageError';
}
