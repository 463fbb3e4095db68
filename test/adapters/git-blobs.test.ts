import { describe, expect, it } from 'vitest';
import { type ByteReader, blobTexts } from '../../src/adapters/git-blobs.ts';

const MEBIBYTE = 1024 * 1024;
const idOf = (index: number) => String(index).padStart(40, '0');

/** Answers as `git cat-file --batch` does, and notes what each was asked for. */
function gitWith(contents: ReadonlyMap<string, Buffer>): { readonly read: ByteReader; readonly asked: string[][] } {
  const asked: string[][] = [];
  const read: ByteReader = async (_, more) => {
    const ids = String(more?.input).trimEnd().split('\n');
    asked.push(ids);
    const answers = ids.flatMap((id) => {
      const content = contents.get(id);
      if (content === undefined) return [Buffer.from(`${id} missing\n`)];
      return [Buffer.from(`${id} blob ${content.length}\n`), content, Buffer.from('\n')];
    });
    return Buffer.concat(answers);
  };
  return { read, asked };
}

describe('texts of many files', () => {
  it('come from as many gits as their size asks for, each file once', async () => {
    const contents = new Map(
      [15, 15, 15, 40, 1].map((size, index) => [idOf(index), Buffer.alloc(size * MEBIBYTE, String(index))]),
    );
    const git = gitWith(contents);
    const blobs = [...contents].map(([id, { length: sizeBytes }]) => ({ id, sizeBytes }));
    const texts = await blobTexts(git.read, [...blobs, ...blobs]);
    expect(git.asked).toEqual([[idOf(0), idOf(1)], [idOf(2)], [idOf(3)], [idOf(4)]]);
    expect([...texts].map(([id, text]) => [id, text.length, text[0]])).toEqual(
      [15, 15, 15, 40, 1].map((size, index) => [idOf(index), size * MEBIBYTE, String(index)]),
    );
  });

  it('are not guessed where git has not all of them', async () => {
    const git = gitWith(new Map([[idOf(1), Buffer.from('one')]]));
    const blobs = [1, 2].map((index) => ({ id: idOf(index), sizeBytes: 3 }));
    await expect(blobTexts(git.read, blobs)).rejects.toThrow(`git does not tell what the object ${idOf(2)} holds`);
  });
});
