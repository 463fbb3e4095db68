/** Which changed files that decide how tests run are read, and what a link counts for. */
import { expect, test } from 'vitest';
import { harmlessSetUps } from '../../src/proof/harmless-set-ups.ts';
import { ownParsers } from '../../src/syntax/parsers.ts';

const FIXTURE = 'import pytest\n\n\n@pytest.fixture\ndef basket():\n    return 1\n';
const TEXTS: Readonly<Record<string, string>> = { aa: FIXTURE, bb: `${FIXTURE}\nprint(1)\n`, cc: '' };
const [FILE, LINK] = ['100644', '120000'];

async function found(base: Readonly<Record<string, string>>, head: Readonly<Record<string, string>>) {
  const asked: string[] = [];
  const repository = {
    ...{ gitDirectory: '', workspace: '', scratch: '' },
    // As `git cat-file --batch` answers.
    git: (_: readonly string[], { input = '' }: { readonly input?: string } = {}) => {
      const ids = input.split('\n').filter((id) => id !== '');
      asked.push(...ids);
      const told = ids.map((id) => `${id} blob ${Buffer.byteLength(TEXTS[id] ?? '')}\n${TEXTS[id] ?? ''}\n`);
      return Promise.resolve(Buffer.from(told.join('')));
    },
  };
  const change = { baseFiles: new Map(Object.entries(base)), headFiles: new Map(Object.entries(head)) };
  const harmless = await harmlessSetUps({ change, repository, parsers: await ownParsers(), product: '' });
  return { harmless: [...harmless], asked: asked.length };
}

test('a conftest.py that is new and holds fixtures is harmless, wherever it lies', async () => {
  expect(await found({}, { 'tests/conftest.py': `${FILE} aa` })).toMatchObject({ harmless: ['tests/conftest.py'] });
  expect(await found({}, { 'conftest.py': `${FILE} bb` })).toMatchObject({ harmless: [] });
});

test('a fixture that another conftest.py has already is not', async () => {
  const base = { 'conftest.py': `${FILE} aa` };
  expect(await found(base, { ...base, 'sub/conftest.py': `${FILE} aa` })).toMatchObject({ harmless: [] });
});

test.each([
  [{}, { 'conftest.py': `${LINK} cc` }],
  [{ 'conftest.py': `${FILE} cc` }, { 'conftest.py': `${LINK} cc` }],
  [{ 'conftest.py': `${LINK} cc` }, { 'conftest.py': `${FILE} aa` }],
  [{ 'conftest.py': `${FILE} cc` }, {}],
])('a link is not, nor is what is gone: %j, %j', async (base, head) => {
  expect(await found(base, head)).toMatchObject({ harmless: [] });
});

test('nothing is read where no such file changed', async () => {
  const same = { 'conftest.py': `${FILE} aa`, 'vite.config.ts': `${FILE} bb` };
  expect(await found({ ...same, 'a.py': `${FILE} aa` }, { ...same, 'a.py': `${FILE} bb` })).toEqual({
    ...{ harmless: [], asked: 0 },
  });
});
