/** Names what has been running for long, while it does: a run that somebody ends from outside then has said what it waited for. */
import type { Reporter, TestCase, TestModule } from 'vitest/node';

const FIRST_MS = 120_000;

/** Of each test and file that runs: since when, and after how long it is named next. */
interface Running {
  readonly name: string;
  readonly sinceMs: number;
  namedAtMs: number;
}

export class StillRunning implements Reporter {
  readonly #running = new Map<string, Running>();
  readonly #say: (line: string) => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(say: (line: string) => void = (line) => void process.stdout.write(line)) {
    this.#say = say;
  }

  onTestRunStart(): void {
    this.#timer ??= setInterval(() => this.#name(Date.now()), 10_000).unref();
  }

  onTestRunEnd(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#running.clear();
  }

  /** Files too: their hooks, and what they load, can wait as well. */
  onTestModuleStart({ id, relativeModuleId }: Pick<TestModule, 'id' | 'relativeModuleId'>): void {
    this.#begin(id, relativeModuleId);
  }

  onTestModuleEnd({ id }: Pick<TestModule, 'id'>): void {
    this.#running.delete(id);
  }

  onTestCaseReady({ id, module, fullName }: Pick<TestCase, 'id' | 'module' | 'fullName'>): void {
    this.#begin(id, `${module.relativeModuleId} > ${fullName}`);
  }

  onTestCaseResult({ id }: Pick<TestCase, 'id'>): void {
    this.#running.delete(id);
  }

  #begin(id: string, name: string): void {
    this.#running.set(id, { name, sinceMs: Date.now(), namedAtMs: FIRST_MS });
  }

  /** Each time after twice as long, so that a long suite stays readable. */
  #name(nowMs: number): void {
    for (const running of this.#running.values()) {
      const forMs = nowMs - running.sinceMs;
      if (forMs < running.namedAtMs) continue;
      running.namedAtMs = forMs * 2;
      this.#say(` STILL  ${running.name} (${Math.round(forMs / 1000)} s)\n`);
    }
  }
}
