/** How much commands have added to working copies, walked through when the file system says that it could be too much, and else now and then. */
import { execFile } from 'node:child_process';
import { statfs } from 'node:fs/promises';
import type { Limits } from './limits.ts';

interface Room {
  readonly bytes: number;
  readonly files: number;
}

export interface DiskMeter {
  /** Which limit the working copy is beyond, with `unnamedBytes` in files that no walk finds. */
  exceeded(tree: string, asked: { readonly unnamedBytes: number }): Promise<'diskBytes' | 'files' | undefined>;
}

/** A walk through all files takes time; so seldom it is made without a sign that it is needed: what others give free meanwhile hides what was added. */
const WALK_EVERY_MS = 5000;

interface Seen {
  readonly tree: Room;
  readonly system: Room;
  readonly walkedAtMs: number;
}

/** Measures the workspace once: it, and copies of it elsewhere, may grow from there. */
export async function openDiskMeter(
  { workspace, copies }: { readonly workspace: string; readonly copies: string },
  limits: Limits,
): Promise<DiskMeter> {
  const start = await walked(workspace, { bytes: 0, files: 0 });
  const most: Room = { bytes: start.bytes + limits.diskBytes, files: start.files + limits.files };
  const seen = new Map<string, Seen>([
    [workspace, { tree: start, system: await usedOn(workspace), walkedAtMs: Date.now() }],
  ]);
  // A copy that has not been seen yet was made after this moment, so it is part of what the file system grew by.
  const fresh = { tree: { bytes: 0, files: 0 }, system: await usedOn(copies) };
  // Its clock begins when it is looked at first: most copies are gone before it is due, and a walk costs as much as a short test.
  const firstSeen = (tree: string): Seen => {
    const now = { ...fresh, walkedAtMs: Date.now() };
    seen.set(tree, now);
    return now;
  };
  return {
    async exceeded(tree, { unnamedBytes }) {
      const before = seen.get(tree) ?? firstSeen(tree);
      const system = await usedOn(tree);
      const atMost: Room = {
        bytes: before.tree.bytes + Math.max(0, system.bytes - before.system.bytes),
        files: before.tree.files + Math.max(0, system.files - before.system.files),
      };
      const due = Date.now() - before.walkedAtMs > WALK_EVERY_MS;
      if (!due && beyond(atMost, most) === undefined) return undefined;
      const now = await walked(tree, atMost);
      seen.set(tree, { tree: now, system, walkedAtMs: Date.now() });
      return beyond({ bytes: now.bytes + unnamedBytes, files: now.files }, most);
    },
  };
}

function beyond(room: Room, most: Room): 'diskBytes' | 'files' | undefined {
  if (room.bytes > most.bytes) return 'diskBytes';
  return room.files > most.files ? 'files' : undefined;
}

async function usedOn(folder: string): Promise<Room> {
  const { bsize, blocks, bfree, files, ffree } = await statfs(folder);
  return { bytes: (blocks - bfree) * bsize, files: files - ffree };
}

/** By `du`, which counts a file with several names once; where it cannot look everywhere, what the file system says counts. */
async function walked(folder: string, atMost: Room): Promise<Room> {
  const [bytes, files] = await Promise.all([du(folder, '--block-size=1'), du(folder, '--inodes')]);
  return {
    bytes: bytes.whole ? bytes.count : Math.max(bytes.count, atMost.bytes),
    files: files.whole ? files.count : Math.max(files.count, atMost.files),
  };
}

/** Files come and go meanwhile, which `du` complains of as of folders that it may not read; both make the answer a lower bound. */
function du(folder: string, unit: string): Promise<{ readonly count: number; readonly whole: boolean }> {
  return new Promise((resolve) => {
    execFile('du', ['--summarize', '--one-file-system', unit, folder], (error, stdout) =>
      resolve({ count: Number.parseInt(stdout, 10) || 0, whole: error === null }),
    );
  });
}
