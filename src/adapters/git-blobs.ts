/** The texts of many files by one git: starting one for each takes longer than all that they read. */
import { LoopError } from '../errors.ts';
import { contentsIn } from '../trees/contents.ts';
import type { GitCommand } from './git-reader.ts';

/** Runs one git command in the repository that holds the files. */
export type ByteReader = (
  argv: readonly string[],
  more?: Pick<GitCommand, 'input' | 'mayAnswerNo'>,
) => Promise<Uint8Array>;

export interface Blob {
  readonly id: string;
  readonly sizeBytes: number;
}

/** One git gives out no more than this: all of them may be more than its output may hold. */
const AT_ONCE_BYTES = 32 * 1024 * 1024;

/** By object id; what is binary is not among them. @throws {LoopError} where git does not give all that it was asked for. */
export async function blobTexts(read: ByteReader, blobs: readonly Blob[]): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const ids of portionsOf(blobs)) {
    const output = await read(['cat-file', '--batch'], { input: ids.map((id) => `${id}\n`).join('') });
    const found = new Map(contentsIn(output).map(({ id, content }) => [id, content]));
    for (const id of ids) {
      const content = found.get(id);
      if (content === undefined) throw new LoopError(`git does not tell what the object ${id} holds`);
      if (!content.includes('\0')) texts.set(id, content);
    }
  }
  return texts;
}

function portionsOf(blobs: readonly Blob[]): readonly (readonly string[])[] {
  const portions: string[][] = [];
  let left = 0;
  for (const [id, { sizeBytes }] of new Map(blobs.map((blob) => [blob.id, blob]))) {
    if (portions.length === 0 || sizeBytes > left) {
      portions.push([]);
      left = AT_ONCE_BYTES;
    }
    portions.at(-1)?.push(id);
    left -= sizeBytes;
  }
  return portions;
}
