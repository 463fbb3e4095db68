/** Reading and writing in a job's folder from outside, where its steps may have left links: never through one that leads out. */
import { constants } from 'node:fs';
import { lstat, open, realpath } from 'node:fs/promises';
import { dirname, sep } from 'node:path';
import type { JobState } from './frame.ts';

/**
 * The path itself, which is in the job's folder also when every link on the way is followed; what is not there yet counts as its folder.
 * Holds as long as no process of the job runs: those of an enclosed step end with it.
 * @throws Error when it leads elsewhere.
 */
export async function insideJob({ directory }: Pick<JobState, 'directory'>, path: string): Promise<string> {
  const [root, real] = await Promise.all([realpath(directory), realPlaceOf(path)]);
  if (real === root || real.startsWith(root + sep)) return path;
  throw new Error(`${path} leads out of the job's folder through a link.`);
}

/** Reads a regular file of the job whole. @throws Error when it leads out, or is something else. */
export async function readInside(job: Pick<JobState, 'directory'>, path: string): Promise<Buffer> {
  await insideJob(job, path);
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile()) throw new Error(`${path} is not a regular file.`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** A link that leads nowhere would lead a writer to a new file, so it counts as leading out. */
async function realPlaceOf(path: string): Promise<string> {
  const there = await lstat(path).catch(() => undefined);
  return there === undefined ? realPlaceOf(dirname(path)) : realpath(path).catch(() => '');
}
