/** The texts of many files by one git: starting one for each takes longer than all that they read. */
import { LoopError } from '../errors.ts';
import { type GitCommand, textOfOutput } from './git-reader.ts';

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
const NEWLINE = 0x0a;

/** By object id; what is binary is not among them. @throws {LoopError} where git does not give all that it was asked for. */
export async function blobTexts(read: ByteReader, blobs: readonly Blob[]): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const ids of portionsOf(blobs)) {
    const output = await read(['cat-file', '--batch'], { input: ids.map((id) => `${id}\n`).join('') });
    let at = 0;
    for (const id of ids) {
      const start = output.indexOf(NEWLINE, at) + 1;
      const end = start + sizeIn(textOfOutput(output.subarray(at, start)), id);
      const text = textOfOutput(output.subarray(start, end));
      if (!text.includes('\0')) texts.set(id, text);
      at = end + 1;
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

/** Reads `<object> blob <size>`. */
function sizeIn(header: string, id: string): number {
  const [found, type, size] = header.trimEnd().split(' ');
  if (found !== id || type !== 'blob')
    throw new LoopError(`git cat-file was asked for ${id} and said "${header.trim()}"`);
  return Number(size);
}
