/** What a job works with: places, the sandbox, the model and where its outputs go. */
import { ModelError } from '../errors.ts';
import type { ModelCall } from '../loop/brief.ts';
import type { Model } from '../ports.ts';
import type { RawStore } from './raw.ts';
import type { Sandbox } from './sandbox.ts';

export interface JobEnvironment {
  /** The checked-out candidate with its history; generated code may write here. */
  readonly workspace: string;
  /** The sandbox may read it; working copies for judging are below it. */
  readonly scratch: string;
  /** Becomes the artifact: the report, raw outputs and transcripts. */
  readonly output: string;
  /** The artifact of the job before this one; undefined when there is none. */
  readonly input: string | undefined;
  readonly sandbox: Sandbox;
  readonly model: Model;
  readonly raw: RawStore;
  /** Path of this job's own program, for what runs inside the sandbox. */
  readonly bundle: string;
  readonly log: (line: string) => void;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** A model that remembers every call it made, failed ones included. */
export function countCalls(model: Model): { readonly model: Model; readonly calls: readonly ModelCall[] } {
  const calls: ModelCall[] = [];
  const count = async <Result extends { readonly calls: readonly ModelCall[] }>(asked: Promise<Result>) => {
    try {
      const result = await asked;
      calls.push(...result.calls);
      return result;
    } catch (error) {
      if (error instanceof ModelError) calls.push(...error.calls);
      throw error;
    }
  };
  return {
    model: { answer: (request) => count(model.answer(request)), turn: (request) => count(model.turn(request)) },
    calls,
  };
}
