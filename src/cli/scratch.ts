/** A folder for what a command makes meanwhile; it is gone afterwards, also where somebody interrupts. */
import { rmSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Terminal } from './command.ts';
import { INTERRUPTED, interruption, STOPPING } from './interruption.ts';

/** Runs something with the folder. Whoever interrupts ends the process and with it what runs in a sandbox; what comes after it is not cut short. */
export async function inScratch<Result>(
  name: string,
  terminal: Pick<Terminal, 'fail'>,
  run: (scratch: string) => Promise<Result>,
): Promise<Result> {
  const scratch = await realpath(await mkdtemp(join(tmpdir(), `loopwright-${name}-`)));
  const work = { isOver: false };
  interruption(() => {
    if (work.isOver) return;
    terminal.fail(STOPPING);
    rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
    process.exit(INTERRUPTED);
  });
  try {
    return await run(scratch);
  } finally {
    await rm(scratch, { recursive: true, force: true });
    work.isOver = true;
  }
}
