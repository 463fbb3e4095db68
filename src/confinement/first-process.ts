/** Bubblewrap ends a moment before what it enclosed: waits for that moment, so that nothing runs any more where the host reads next. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

const told = z.object({ 'child-pid': z.int() });
const LONGEST_WAIT_MS = 5000;

/**
 * Resolves when the first process of the enclosure is gone, which the kernel lets it be only after all others there.
 * `text` is what bubblewrap said at its descriptor for it; where it said nothing, there is nobody to wait for.
 */
export async function firstProcessGone(text: string): Promise<void> {
  const parsed = told.safeParse(jsonOf(text));
  if (!parsed.success) return;
  const untilMs = Date.now() + LONGEST_WAIT_MS;
  while (isAlive(parsed.data['child-pid']) && Date.now() < untilMs) await sleep(2);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A process that has ended and that nobody has asked for yet (`Z`) runs no more. */
function isAlive(processId: number): boolean {
  try {
    return readFileSync(`/proc/${processId}/stat`, 'utf8').split(') ').at(-1)?.startsWith('Z') === false;
  } catch {
    return false;
  }
}
