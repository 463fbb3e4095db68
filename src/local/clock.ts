/** The embedded GitHub's one clock: this machine's, moved by an offset. Whatever is stamped or expires goes by it. */
import type { Switches } from './controls/switches.ts';

export interface Clock {
  readonly now: () => Date;
  /** A moment that this machine's clock told, as this clock tells it. */
  readonly translated: (machineTime: string) => string;
}

/** A clock whose offset is a switch. */
export function createClock(switches: Switches): Clock {
  const moved = (ms: number): Date => new Date(ms + switches.values().clockOffsetMs);
  return {
    now: () => moved(Date.now()),
    translated: (machineTime) => moved(Date.parse(machineTime)).toISOString(),
  };
}

/** The time as GitHub writes it: UTC, whole seconds. */
export function now({ clock }: { readonly clock: Clock }): string {
  return `${clock.now().toISOString().slice(0, 19)}Z`;
}
