import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { patchOf } from '../../src/syntax/fault-patch.ts';
import { type Fault, withFault } from '../../src/syntax/faults.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'patch-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

function faultAt(file: string, start: number, end: number, text: string): Fault {
  return { file, line: 1, scope: -1, kind: 'string', start, end, text, sentence: '' };
}

async function applied(file: string, text: string, patch: string): Promise<string> {
  await mkdir(dirname(join(directory, file)), { recursive: true });
  await writeFile(join(directory, file), text);
  await execa('git', ['apply', '--whitespace=nowarn', '-'], { cwd: directory, input: patch });
  return readFile(join(directory, file), 'utf8');
}

describe('the patch of a fault', () => {
  test('has three lines around what changes', () => {
    const text = 'a\nb\nc\nd\ne\nf\ng\nh\ni\n';
    expect(patchOf(text, faultAt('src/a.py', 8, 9, 'E'))).toBe(
      [
        'diff --git a/src/a.py b/src/a.py',
        '--- a/src/a.py',
        '+++ b/src/a.py',
        '@@ -2,7 +2,7 @@',
        ...[' b', ' c', ' d', '-e', '+E', ' f', ' g', ' h', ''],
      ].join('\n'),
    );
  });

  test.each(['a.js', 'with space/a b.js', 'ümläut.py', 'quo"te\\d.js', 'tab\tbed.js'])(
    'is taken by git for a file %j',
    async (file) => {
      const fault = faultAt(file, 0, 3, 'two');
      expect(await applied(file, 'one\n', patchOf('one\n', fault))).toBe('two\n');
    },
  );

  test('is taken by git, whatever lines the fault and the file have', async () => {
    const lines = fc.array(
      fc.constantFrom('a', 'b', '', ' ', '\r', 'a\r', '-x', '+x', '\\ No newline at end of file'),
      {
        maxLength: 12,
      },
    );
    const text = fc.tuple(lines, fc.constantFrom('', '\n')).map(([all, end]) => `${all.join('\n')}${end}`);
    await fc.assert(
      fc.asyncProperty(text, fc.nat(), fc.nat(8), lines, async (before, from, length, other) => {
        const start = from % (before.length + 1);
        const fault = faultAt('a.txt', start, Math.min(before.length, start + length), other.join('\n'));
        const after = withFault(before, fault);
        // A file that begins or ends to exist is no fault of it.
        fc.pre(after !== before && after !== '' && before !== '');
        expect(await applied('a.txt', before, patchOf(before, fault))).toBe(after);
      }),
      { numRuns: 60 },
    );
  });
});
