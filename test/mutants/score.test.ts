import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawnLines } from './places.ts';
import { type Outcome, scoreOf, scoreText, survivorsOf } from './score.ts';

const ROOT = `${import.meta.dirname}/../..`;
const made = (status: string, file = 'src/loop/a.ts', line = 1): Outcome => ({
  ...{ file, line, status },
  ...{ mutator: 'BooleanLiteral', replacement: 'false' },
});

describe('the score of mutants', () => {
  it.each([
    ['Killed', 100],
    ['Timeout', 100],
    ['Survived', 0],
    ['NoCoverage', 0],
    ['Pending', 0],
  ])('counts one that is %s as %i %', (status, percent) => {
    expect(scoreOf([made(status)]).percent).toBe(percent);
  });

  it('is unknown, and not 100, where nothing was mutated', () => {
    expect(scoreOf([]).percent).toBeUndefined();
    expect(scoreOf([made('Ignored'), made('RuntimeError')]).percent).toBeUndefined();
  });

  it('counts a line with many mutants as one line', () => {
    const long = Array.from({ length: 30 }, () => made('Survived', 'src/guard/scan.ts', 38));
    expect(scoreOf([...long, made('Killed'), made('Survived')])).toEqual({ noticed: 1, missed: 31, percent: 25 });
  });

  it('lists each survivor with its place before the scores of the files', () => {
    const outcomes = [made('Survived', 'src/loop/b.ts', 7), made('Killed', 'src/loop/b.ts'), made('NoCoverage')];
    expect(survivorsOf(outcomes).map(({ file, line }) => `${file}:${line}`)).toEqual([
      'src/loop/a.ts:1',
      'src/loop/b.ts:7',
    ]);
    expect(scoreText(outcomes).split('\n')).toEqual([
      'src/loop/a.ts:1 BooleanLiteral (NoCoverage): false',
      'src/loop/b.ts:7 BooleanLiteral: false',
      '',
      '  0.0%  src/loop/a.ts',
      ' 50.0%  src/loop/b.ts',
      ' 33.3%  all: 1 of 3 mutants noticed, each line counting the same',
    ]);
  });
});

describe('lines that a seed draws', () => {
  it('are the same for the same seed, none twice, and no comments or imports', async () => {
    const files = ['test/mutants/score.ts'];
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const drawn = await drawnLines(ROOT, { files, count: 9, seed });
        expect(drawn).toEqual(await drawnLines(ROOT, { files, count: 9, seed }));
        expect(new Set(drawn.map(({ line }) => line)).size).toBe(9);
        expect(drawn.every(({ line }) => line > 2)).toBe(true);
      }),
      { numRuns: 20 },
    );
  });
});
