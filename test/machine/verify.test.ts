/** `loopwright verify` as somebody types it, on what a real VERIFY job left: the real sandbox, and no App. */
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { childEnvironment } from '../../src/settings/env.ts';
import { typed } from '../cli/terminal.ts';
import { frozen, type Scene, scene, taskFor } from '../jobs/verify-fixture.ts';
import { JOB } from '../prepared.ts';

const TEST_FILE = 'test/add.test.js';
const TEST_TEXT = `import test from 'node:test';
import assert from 'node:assert/strict';
test('adds', async () => { const { add } = await import('../src/shop.js'); assert.equal(add(1, 2), 3); assert.equal(add(0, 5), 5); });
`;
const BASE = {
  'package.json': '{ "type": "module", "scripts": { "test": "node --test" } }',
  'src/shop.js': 'export const add = (a, b) => a - b;\n',
};
const FIX = { 'src/shop.js': 'export const add = (a, b) => a + b;\n', [TEST_FILE]: TEST_TEXT };

let made: Scene;
let artifact: string;
beforeAll(async () => {
  made = await scene(BASE, FIX, {
    requirements: [{ id: 'R-1', kind: 'change', statement: 'add(1, 2) is 3.' }],
    tasks: [taskFor(['R-1'], ['src/shop.js'])],
    tests: frozen({ [TEST_FILE]: TEST_TEXT }, [{ requirement: 'R-1', kind: 'change', file: TEST_FILE, name: 'adds' }]),
  });
  artifact = join(made.root, 'artifact');
  await mkdir(artifact);
  const brief = join(made.root, 'brief.json');
  await writeFile(brief, JSON.stringify({ ...made.brief, model: { name: 'any', scripted: false } }));
  await execa(process.execPath, [JOB, 'verify'], {
    extendEnv: false,
    env: {
      ...childEnvironment(),
      LOOPWRIGHT_BRIEF: brief,
      LOOPWRIGHT_WORKSPACE: made.environment.workspace,
      LOOPWRIGHT_OUTPUT: artifact,
    },
  });
});
afterAll(() => made.remove());

/** A copy of the artifact in which one file has another text. */
async function changed(file: string, change: (text: string) => string): Promise<string> {
  const copy = join(made.root, `changed-${Math.random().toString(16).slice(2)}`);
  await cp(artifact, copy, { recursive: true });
  await writeFile(join(copy, file), change(await readFile(join(copy, file), 'utf8')));
  return copy;
}

const again = (folder: string, ...more: readonly string[]) =>
  typed(['verify', folder, '--repo', made.environment.workspace, ...more]);

describe('what a run of VERIFY left', () => {
  test('is judged alike, and every verdict is printed', async () => {
    const { code, out } = await again(artifact);
    expect(out[0]).toBe(
      `${made.brief.candidate.slice(0, 10)} on top of ${made.brief.base.slice(0, 10)}, sandbox bubblewrap`,
    );
    expect(out.join('\n')).toMatch(/^ {2}test_integrity_violations +0, passed$/m);
    expect(out.join('\n')).toMatch(/^ {2}R-1 +proven$/m);
    expect(out.join('\n')).toMatch(/^ {2}R-1, faults +\d+ of \d+ noticed$/m);
    expect(out.at(-1)).toMatch(/^The same: \d+ verdicts\.$/);
    expect(code).toBe(0);
  });

  test('differs where its report was made better than it was: exit code 1, with what each says', async () => {
    const folder = await changed('report.json', (text) => {
      const report = JSON.parse(text);
      for (const row of report.evidence) row.proven = false;
      for (const one of report.measurements) if (one.name === 'security_findings') one.value = 3;
      return JSON.stringify(report);
    });
    const { code, out } = await again(folder, '--json');
    const { verdict, compared } = JSON.parse(out.join('\n'));
    expect(verdict).toBe('differs');
    expect(compared).toContainEqual({ what: 'R-1', before: 'not proven', now: 'proven' });
    expect(compared).toContainEqual({ what: 'security_findings', before: '3, not passed', now: '0, passed' });
    expect(code).toBe(1);
  });

  test('is not judged where a raw output is another one than the report was made from', async () => {
    const [raw = ''] = await readdir(join(artifact, 'raw'));
    const { code, out, err } = await again(await changed(join('raw', raw), (text) => `${text} `));
    expect({ code, out }).toEqual({ code: 2, out: [] });
    expect(err.join('\n')).toMatch(/^The raw output of \w+ was changed: .* has another digest than its name\.$/);
  });

  test.each([
    ['candidate', /^.* has no commit 0{40}; fetch it there: `git fetch origin 0{40}`/],
    ['base', /^.* has no commit 0{40}/],
  ])('is not judged where the checkout lacks the %s', async (which, sentence) => {
    const nowhere = (text: string) => text.replaceAll(made.brief[which as 'base'], '0'.repeat(40));
    const folder = await changed('brief.json', nowhere);
    await writeFile(join(folder, 'report.json'), nowhere(await readFile(join(folder, 'report.json'), 'utf8')));
    const { code, err } = await again(folder);
    expect({ code, said: err.at(-1) }).toEqual({ code: 2, said: expect.stringMatching(sentence) });
  });

  test('is not judged where report and brief are about different candidates', async () => {
    const folder = await changed('report.json', (text) => text.replace(made.brief.candidate, '1'.repeat(40)));
    const { code, err } = await again(folder);
    expect({ code, said: err.at(-1) }).toEqual({ code: 2, said: expect.stringContaining('is not about what its') });
  });
});

test('a folder without an artifact is refused with the line that makes one', async () => {
  const { code, err } = await again(join(made.root, 'nowhere'));
  expect(code).toBe(2);
  expect(err.at(-1)).toMatch(/ holds no brief\.json; .*`gh run download RUN --name verify --dir DIR`\.$/);
});

test('without a folder it says how it is used', async () => {
  const { code, err } = await typed(['verify']);
  expect({ code, said: err.at(-1) }).toEqual({ code: 2, said: expect.stringContaining('loopwright verify verify/') });
});
