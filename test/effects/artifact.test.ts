import { strToU8, zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { unpack } from '../../src/effects/artifact.ts';
import { digestOf } from '../../src/guard/digest.ts';

const OUTPUT = 'all tests pass';
const RAW = `raw/${digestOf(OUTPUT).slice('sha256:'.length)}`;
const zipped = (files: Readonly<Record<string, string | Uint8Array>>) =>
  zipSync(
    Object.fromEntries(
      Object.entries(files).map(([name, text]) => [name, typeof text === 'string' ? strToU8(text) : text]),
    ),
  );

describe('an artifact', () => {
  test('is read as its report and its raw outputs by digest', () => {
    const { report, raw } = unpack(zipped({ 'report.json': '{"kind":"build"}', [RAW]: OUTPUT, 'raw/../x': 'no' }));
    expect(report).toEqual({ kind: 'build' });
    expect([...raw].map(([digest, bytes]) => [digest, digestOf(bytes)])).toEqual([
      [digestOf(OUTPUT), digestOf(OUTPUT)],
    ]);
  });

  test('may hold transcripts of any size and number, because nobody reads them here', () => {
    const transcripts = Object.fromEntries(
      Array.from({ length: 600 }, (_, index) => [`transcripts/T-${index}.json`, 'x']),
    );
    const long = { 'transcripts/T-long.json': new Uint8Array(17_000_000) };
    expect(unpack(zipped({ ...transcripts, ...long, 'report.json': '{}' })).report).toEqual({});
  });

  test.each([
    ['too many bytes', { 'report.json': new Uint8Array(17_000_000) }, /at least 17000000 bytes in 1 file;/],
    [
      'too many raw outputs',
      Object.fromEntries(Array.from({ length: 501 }, (_, index) => [`raw/${String(index).padStart(64, '0')}`, ''])),
      /in 501 files/,
    ],
  ])('with %s in what is read is refused as a whole', (_, files, sentence) => {
    expect(() => unpack(zipped(files))).toThrow(sentence);
  });

  test('that is no zip file is refused, and a report that is no JSON is none', () => {
    expect(() => unpack(strToU8('PK'))).toThrow('not a readable zip file');
    expect(unpack(zipped({ 'report.json': '{' })).report).toBeUndefined();
  });
});
