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
