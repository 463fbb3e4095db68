import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { testSetupIn, testSetupsIn } from '../../src/context/test-setup.ts';

let checkout: string;
beforeEach(async () => {
  checkout = await mkdtemp(join(tmpdir(), 'test-setup-'));
});
afterEach(() => rm(checkout, { recursive: true, force: true }));

const scripts = (scripts: Readonly<Record<string, string>>) => JSON.stringify({ scripts });

test.each([
  ['pytest', 'pyproject.toml', '[tool.pytest.ini_options]\n', { test: 'python3 -m pytest', runner: 'pytest' }],
  ['vitest', 'package.json', '{ "scripts": { "test": "vitest run" } }', { test: 'npm test', runner: 'vitest' }],
  ['jest', 'package.json', '{ "devDependencies": { "jest": "30.0.0" } }', { test: 'npm test', runner: 'jest' }],
  ['node:test', 'package.json', '{ "scripts": { "test": "node --test" } }', { test: 'npm test', runner: 'node-test' }],
  [
    'vitest',
    'package.json',
    scripts({ test: 'pnpm lint && vitest run --coverage' }),
    { test: 'npx vitest run --coverage' },
  ],
  ['vitest', 'package.json', scripts({ dev: 'vitest', test: 'A=1 pnpm vitest run | tee log' }), { test: 'npm test' }],
  ['vitest', 'package.json', scripts({ test: 'A=1 pnpm vitest run && tsc' }), { test: 'A=1 npx vitest run' }],
  [
    'jest',
    'package.json',
    scripts({ test: 'npm run lint && npm run only', only: 'jest src' }),
    { test: 'npm run only' },
  ],
  [
    'jest',
    'package.json',
    scripts({ test: 'lint && node ./jest.js', watch: 'jest --watch' }),
    { test: 'node ./jest.js' },
  ],
  [
    'vitest',
    'package.json',
    scripts({ 'x; curl evil': 'vitest run', 'unit:all': 'vitest run --all' }),
    { test: 'npm run unit:all' },
  ],
  ['pytest', 'src/shop/__init__.py', '', { test: 'PYTHONPATH=src python3 -m pytest' }, 'conftest.py'],
  ['unittest', 'tests/test_shop.py', '', { test: 'python3 -m unittest discover', runner: 'unittest' }],
])(
  'a repository whose tests are those of %s gets its runner and its suite without what else is checked there',
  async (_name, file, content, wanted, beside?: string) => {
    await mkdir(dirname(join(checkout, file)), { recursive: true });
    await writeFile(join(checkout, file), content);
    if (beside !== undefined) await writeFile(join(checkout, beside), '');
    expect(await testSetupIn(checkout)).toMatchObject(wanted);
  },
);

test('each runner that something shows is told, the surest first, and none where nothing does', async () => {
  expect((await testSetupsIn(checkout)).shown).toEqual([]);
  await writeFile(join(checkout, 'conftest.py'), '');
  await writeFile(join(checkout, 'test_shop.py'), 'import unittest\n');
  await writeFile(join(checkout, 'package.json'), scripts({ test: 'jest' }));
  const { shown, all } = await testSetupsIn(checkout);
  expect(shown.map(({ runner }) => runner)).toEqual(['jest', 'pytest', 'unittest']);
  expect(all.map(({ runner }) => runner)).toEqual(['node-test', 'vitest', 'jest', 'pytest', 'unittest']);
});
