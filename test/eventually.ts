/** Waiting for what others do; patience is no measurement, so there is enough of it for a machine that does much else. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until something holds. @throws {Error} that says what was waited for. */
export async function eventually(
  check: () => boolean | Promise<boolean>,
  what: string,
  timeoutMs = 180_000,
): Promise<void> {
  const endMs = Date.now() + timeoutMs;
  while (!(await check())) {
    if (Date.now() > endMs) throw new Error(`waited ${timeoutMs} ms in vain until ${what}`);
    await sleep(20);
  }
}
