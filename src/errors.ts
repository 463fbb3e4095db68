/** Errors that a port may throw; each says what failed, with which value, and what to do. */
import type { ModelCall } from './loop/brief.ts';

export interface LoopErrorOptions extends ErrorOptions {
  readonly status?: number | undefined;
}

/** A broken rule at a port. Subclasses name the port; `cause` keeps the original. */
export class LoopError extends Error {
  override name = 'LoopError';
  /** What GitHub answered; undefined when it gave no answer, or was not what failed. */
  readonly status: number | undefined;
  constructor(message: string, options: LoopErrorOptions = {}) {
    super(message, options);
    this.status = options.status;
  }
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

/** What was to be saved could not be read again, so it was not saved: trying again would not change it. */
export class UnreadableError extends StoreError {
  override name = 'UnreadableError';
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

/** Nothing is left for another model call; it was not made. `calls` are those that were made before it. */
export class BudgetError extends LoopError {
  override name = 'BudgetError';
  readonly calls: readonly ModelCall[];
  constructor(message: string, calls: readonly ModelCall[]) {
    super(message);
    this.calls = calls;
  }
}

/** GitHub refused a write (ruleset, push protection, conflict); the message holds GitHub's own text. */
export class WriteRefusedError extends LoopError {
  override name = 'WriteRefusedError';
}

/** A commit would have held a secret, so it was not made; the message names the file and never the secret. */
export class SecretError extends WriteRefusedError {
  override name = 'SecretError';
}

/** GitHub refused because the App may not, or no longer: `withheld` of the port says whether a right was taken, and which. */
export class WithheldError extends WriteRefusedError {
  override name = 'WithheldError';
}

/** What is asked for is not there, or no longer: GitHub answered 404, 410 or 451, or an issue moved to another repository. */
export class GoneError extends LoopError {
  override name = 'GoneError';
}

/** The repository has another name now; the write was not sent. `locate` says where the repository is. */
export class RelocatedError extends LoopError {
  override name = 'RelocatedError';
}

/** GitHub does not say yet what another of its answers has said already; it will in a moment. */
export class NotYetError extends LoopError {
  override name = 'NotYetError';
}

/** Something failed after model calls were made: they are paid for, whatever becomes of the effect. `cause` is what failed. */
export class PaidError extends LoopError {
  override name = 'PaidError';
  readonly calls: readonly ModelCall[];
  constructor(cause: unknown, calls: readonly ModelCall[]) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.calls = calls;
  }
}

export interface RetryOptions {
  /** The pause before it; without, the queue's own, which grows. */
  readonly seconds?: number | undefined;
  /** What the failed try is counted as: the next one is told how many there were of each kind. */
  readonly kind?: string | undefined;
  /** What was tried. Failures of another subject are no longer counted. */
  readonly of?: string | undefined;
}

/** What is to be tried again. */
export class RetryError extends LoopError {
  override name = 'RetryError';
  readonly seconds: number | undefined;
  readonly kind: string | undefined;
  readonly of: string | undefined;
  constructor(what: string, cause: unknown, { seconds, kind, of }: RetryOptions) {
    super(`${what} is tried again: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.seconds = seconds;
    this.kind = kind;
    this.of = of;
  }
}

/** GitHub gave no answer, or one that tells nothing (5xx), in all tries: nothing is known, and a write may have happened. */
export class UnansweredError extends LoopError {
  override name = 'UnansweredError';
}

/** GitHub takes no more requests of this installation for so many seconds; nothing was done. */
export class LimitedError extends LoopError {
  override name = 'LimitedError';
  readonly seconds: number;
  constructor(message: string, seconds: number, options?: LoopErrorOptions) {
    super(message, options);
    this.seconds = seconds;
  }
}

/** What is to be created waits for so many seconds, because others of the installation create as much as GitHub takes; all else goes on. */
export class CreationsLimitedError extends LimitedError {
  override name = 'CreationsLimitedError';
}

/** What a run delivered cannot be trusted or read. */
export class ArtifactError extends LoopError {
  override name = 'ArtifactError';
}

/** Generated code cannot be kept away from the machine, so it is not run. */
export class SandboxError extends LoopError {
  override name = 'SandboxError';
}

/** A job could not be told who it is, so that the App gives it no model; the message says why and what to do. */
export class IdentityError extends LoopError {
  override name = 'IdentityError';
}

/** What was asked for on a command line was not understood; the message says which word and what to do. */
export class UsageError extends LoopError {
  override name = 'UsageError';
}
