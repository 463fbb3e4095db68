/** Virtual time: everything that happens is a step of one list, ordered by time; between two steps all promises have run as far as they can. */

/** Whoever waits for something: a process of the App. When it was killed, nothing of it goes on. */
export interface Life {
  alive: boolean;
}

export interface Scheduler {
  readonly nowMs: () => number;
  readonly now: () => Date;
  /** Does something later, unless `life` was killed by then. */
  readonly after: (delayMs: number, act: () => void, life?: Life) => void;
  /** Never settles for a life that was killed. */
  readonly sleep: (delayMs: number, life: Life) => Promise<void>;
  /** Performs the next step and what follows from it; false when nothing is planned. */
  readonly step: () => Promise<boolean>;
  /** While something real is at work (a database), a step is not over. */
  readonly during: <Value>(work: Promise<Value>) => Promise<Value>;
  readonly steps: () => number;
}

interface Planned {
  readonly atMs: number;
  readonly serial: number;
  readonly act: () => void;
  readonly life: Life | undefined;
}

export function createScheduler(startMs: number): Scheduler {
  const heap: Planned[] = [];
  let nowMs = startMs;
  let serial = 0;
  let steps = 0;
  let working = 0;
  const after: Scheduler['after'] = (delayMs, act, life) => {
    serial += 1;
    push(heap, { atMs: nowMs + Math.max(0, Math.round(delayMs)), serial, act, life });
  };
  return {
    nowMs: () => nowMs,
    now: () => new Date(nowMs),
    after,
    sleep: (delayMs, life) => new Promise((resolve) => after(delayMs, resolve, life)),
    async step() {
      const next = pop(heap);
      if (next === undefined) return false;
      steps += 1;
      nowMs = next.atMs;
      if (next.life?.alive === false) return true;
      next.act();
      do await settled();
      while (working > 0);
      return true;
    },
    async during(work) {
      working += 1;
      try {
        return await work;
      } finally {
        working -= 1;
      }
    },
    steps: () => steps,
  };
}

/** Two turns of the event loop: all promises that can go on have gone on, those too that gave way for one turn. */
async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
}

function isBefore(left: Planned, right: Planned): boolean {
  return left.atMs < right.atMs || (left.atMs === right.atMs && left.serial < right.serial);
}

function push(heap: Planned[], planned: Planned): void {
  let index = heap.push(planned) - 1;
  while (index > 0) {
    const parent = (index - 1) >> 1;
    const above = heap[parent];
    if (above === undefined || isBefore(above, planned)) break;
    heap[index] = above;
    index = parent;
  }
  heap[index] = planned;
}

function pop(heap: Planned[]): Planned | undefined {
  const [first] = heap;
  const last = heap.pop();
  if (first === undefined || last === undefined || heap.length === 0) return first;
  let index = 0;
  for (;;) {
    const child = lesserChild(heap, index);
    const below = child === undefined ? undefined : heap[child];
    if (child === undefined || below === undefined || isBefore(last, below)) break;
    heap[index] = below;
    index = child;
  }
  heap[index] = last;
  return first;
}

function lesserChild(heap: readonly Planned[], index: number): number | undefined {
  const [left, right] = [heap[2 * index + 1], heap[2 * index + 2]];
  if (left === undefined) return undefined;
  return right !== undefined && isBefore(right, left) ? 2 * index + 2 : 2 * index + 1;
}
