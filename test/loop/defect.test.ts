import { readdir, readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { defect } from '../../src/loop/defect.ts';
import { defect as schema } from '../../src/loop/measurement.ts';

describe('a defect', () => {
  test('needs a rule and a message only; everything else is empty, and it blocks', () => {
    expect(defect({ rule: 'build', message: 'It failed.' })).toEqual({
      id: 'build',
      requirement: null,
      file: null,
      line: null,
      rule: 'build',
      severity: 'blocker',
      message: 'It failed.',
      suggestion: null,
    });
  });

  test('is known by its rule and by what it is about', () => {
    const found = defect({
      rule: 'test',
      about: 'a.test.js::adds',
      message: 'm',
      file: 'a.test.js',
      severity: 'minor',
    });
    expect(found).toMatchObject({ id: 'test:a.test.js::adds', file: 'a.test.js', severity: 'minor' });
  });

  test('fits into a report whatever a tool wrote, and never holds half a character', () => {
    const long = fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }).map((text) => text.repeat(2000));
    fc.assert(
      fc.property(long, fc.option(long, { nil: undefined }), (message, suggestion) => {
        const found = schema.parse(defect({ rule: 'suite', about: message, message, suggestion }));
        expect(found.message.isWellFormed() && (found.suggestion ?? '').isWellFormed()).toBe(true);
      }),
    );
  });

  test('is made here only: nobody else fills in what may be left out', async () => {
    const source = new URL('../../src/', import.meta.url);
    const files = (await readdir(source, { recursive: true })).filter((file) => file.endsWith('.ts'));
    const texts = await Promise.all(files.map(async (file) => [file, await readFile(new URL(file, source), 'utf8')]));
    const makers = texts.filter(([, text = '']) => /\b(?:suggestion|requirement): null\b/.test(text));
    expect(makers.map(([file]) => file)).toEqual([]);
  });
});
