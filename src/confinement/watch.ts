/** Looks at a running command several times a second, and ends it when it uses more than it may. Needs no rights, unlike control groups. */
import type { DiskMeter } from './disk-meter.ts';
import { type LimitName, type Limits, limitSentence } from './limits.ts';
import { type ProcessTable, usageBelow } from './process-usage.ts';

export interface Watch {
  /** Looks for the last time and resolves to the sentence of the limit that was passed, if one was. */
  end(): Promise<string | undefined>;
}

export interface Watched {
  /** Writable working copy of the command. */
  readonly tree: string;
  readonly limits: Limits;
  readonly disk: DiskMeter;
  readonly table: ProcessTable;
}

/** What is done with what is seen. */
export interface Heard {
  /** A limit was passed. */
  readonly kill: () => void;
  /** Nothing of it has worked since the look before; may be heard often. */
  readonly waits?: (() => void) | undefined;
}

const INTERVAL_MS = 200;

/** Starts to watch what is below a process. */
export function watch(root: number, { tree, limits, disk, table }: Watched, { kill, waits }: Heard): Watch {
  let passed: LimitName | undefined;
  let ticks: number | undefined;
  const look = async (): Promise<void> => {
    const usage = usageBelow(root, limits.memoryBytes, table);
    if (usage.ticks === ticks && !usage.isAtWork) waits?.();
    ticks = usage.ticks;
    passed ??= passedOf(usage, limits) ?? (await disk.exceeded(tree, usage));
    if (passed !== undefined) kill();
  };
  let looking: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout;
  const later = () => {
    timer = setTimeout(() => {
      looking = look().then(() => (passed === undefined ? later() : undefined));
    }, INTERVAL_MS);
  };
  later();
  return {
    async end() {
      clearTimeout(timer);
      await looking;
      clearTimeout(timer);
      passed ??= await disk.exceeded(tree, { unnamedBytes: 0 });
      return passed && limitSentence(passed, limits);
    },
  };
}

function passedOf(usage: ReturnType<typeof usageBelow>, limits: Limits): LimitName | undefined {
  if (usage.memoryBytes > limits.memoryBytes) return 'memoryBytes';
  if (usage.processes > limits.processes) return 'processes';
  return usage.temporaryFiles > limits.files ? 'files' : undefined;
}
