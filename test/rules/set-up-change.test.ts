/** Changes of files that decide how tests run, which decide nothing. */
import { describe, expect, test } from 'vitest';
import { changedFixtures, isHarmlessSetUp } from '../../src/rules/set-up-change.ts';
import { ownParsers } from '../../src/syntax/parsers.ts';

interface Change {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  readonly beside?: readonly string[];
  readonly product?: string;
}

async function isHarmless({ path, before, after, beside = [], product = '' }: Change): Promise<boolean> {
  return isHarmlessSetUp(await ownParsers(), { path, before, after, conftests: [before, ...beside], product });
}

const BASE = 'import pytest\n\n\n@pytest.fixture\ndef shop():\n    return 1\n';
const FIXTURE = '\n\n@pytest.fixture\ndef basket(shop, tmp_path):\n    """Two."""\n    yield [(100, shop)]\n';

describe('a conftest.py', () => {
  const conftest = (after: string, more: Partial<Change> = {}) =>
    isHarmless({ path: 'tests/conftest.py', before: BASE, after, ...more });

  test.each([
    ['a fixture', BASE + FIXTURE],
    [
      'a fixture before others, with what it imports',
      `import json\nfrom shop.price import Price as P\n${FIXTURE}\n${BASE}`,
    ],
    [
      'one with a scope and values',
      `${BASE}\n@pytest.fixture(scope="module", params=[-1, 2])\ndef count(request):\n    return request.param\n`,
    ],
    ['one that waits', `${BASE}\n@pytest.fixture\nasync def later() -> list[int] | None:\n    return 1\n`],
    ['a helper', `${BASE}\n\ndef basket_of(*goods):\n    return list(goods)\n`],
    ['a constant, and what is made of it', `LIMITS = {"small": -1, "big": 100}\n${BASE}\n${FIXTURE}`],
    ['a comment and a docstring', `"""Of the shop."""\n# of the shop\n${BASE}`],
  ])('may gain %s', async (_, after) => {
    expect(await conftest(after)).toBe(true);
  });

  test('may make a fixture anew, and tells which ones are others then', async () => {
    const made = BASE.replace('def shop():\n    return 1', 'def shop(tmp_path):\n    return 2');
    expect(await conftest(made)).toBe(true);
    const parsers = await ownParsers();
    const changed = (before: string, after: string, ...others: readonly string[]) => [
      ...changedFixtures(parsers, { before, after, others }),
    ];
    expect(changed(BASE + FIXTURE, made + FIXTURE)).toEqual(['shop', 'basket']);
    expect(changed(BASE, made, FIXTURE)).toEqual(['shop', 'basket']);
    expect(changed(BASE, BASE + FIXTURE)).toEqual([]);
  });

  test('may not gain a helper or a constant by a name that it uses already', async () => {
    const before = `from shop.tools import *\n${BASE.replace('return 1', 'return made()')}`;
    for (const gained of ['def made():\n    return 2\n', 'made = None\n'])
      expect(await isHarmless({ path: 'conftest.py', before, after: `${before}\n${gained}` })).toBe(false);
  });

  test('may be new', async () => {
    const other = BASE.replace('import pytest', 'import shop.tools as pytest');
    expect(await isHarmless({ path: 'conftest.py', before: '', after: other })).toBe(false);
    expect(await isHarmless({ path: 'conftest.py', before: '', after: BASE })).toBe(true);
  });

  test.each([
    ['a hook', `${BASE}\ndef pytest_runtest_setup(item):\n    pass\n`],
    ['a hook that calls itself a fixture', `${BASE}\n@pytest.fixture\ndef pytest_runtest_setup(item):\n    pass\n`],
    ['a hook by import', `from shop.tools import pytest_runtest_setup\n${BASE}`],
    ['a hook by another name', `from shop.tools import setup as pytest_runtest_setup\n${BASE}`],
    ['everything of a module', `from shop.tools import *\n${BASE}`],
    ['plugins', `${BASE}\npytest_plugins = ["shop.tools"]\n`],
    ['code', `${BASE}\nprint(1)\n`],
    ['a helper that code makes', `${BASE}\ndef one(goods=patch()):\n    return 2\n`],
    ['a helper with a decorator', `${BASE}\n@patched\ndef one():\n    return 2\n`],
    ['a constant that code makes', `${BASE}\nLIMIT = patch()\n`],
    ['a constant that leaves files out', `${BASE}\ncollect_ignore = ["test_a.py"]\n`],
    ['marks', `${BASE}\npytestmark = skip\n`],
    ['another value of something', `${BASE}\nshop.price = 3\n`],
    ['a fixture that no test asks for', `${BASE}\n@pytest.fixture(autouse=True)\ndef patched():\n    yield\n`],
    ['code in a decorator', `${BASE}\n@pytest.fixture(params=[patch()])\ndef a():\n    yield\n`],
    ['options that are not told', `${BASE}\n@pytest.fixture(**OPTIONS)\ndef a():\n    yield\n`],
    ['a second decorator', `${BASE}\n@patched\n@pytest.fixture\ndef a():\n    yield\n`],
    ['code in a default', `${BASE}\n@pytest.fixture\ndef a(shop=patch()):\n    yield\n`],
    ['code in an annotation', `${BASE}\n@pytest.fixture\ndef a() -> patch():\n    yield\n`],
    ['a fixture in place of another', `${BASE}\n@pytest.fixture\ndef shop():\n    return 2\n`],
    ['a fixture that works unasked now', BASE.replace('fixture\n', 'fixture(autouse=True)\n')],
    ['another scope', BASE.replace('fixture\n', 'fixture(scope="session")\n')],
    ['code in a default now', BASE.replace('def shop()', 'def shop(a=patch())')],
    ["a fixture in place of pytest's", `${BASE}\n@pytest.fixture\ndef monkeypatch():\n    yield\n`],
    ['a fixture by another name', `${BASE}\n@pytest.fixture(name="shop")\ndef other():\n    return 2\n`],
    ['a module in place of a fixture', `${BASE}\nimport json as shop\n`],
    ['a module in place of what makes fixtures', `${BASE}\nimport shop.tools as pytest\n`],
    ['what makes fixtures from another module', BASE.replace('import pytest', 'import shop.tools as pytest') + FIXTURE],
    ['what makes fixtures from a product', `from shop import pytest\n${BASE}`],
    ['less', 'import pytest\n'],
    ['what cannot be read', `${BASE}\n@pytest.fixture\ndef (\n`],
  ])('may not gain %s', async (_, after) => {
    expect(await conftest(after)).toBe(false);
  });

  test('may gain no fixture that another one has already', async () => {
    expect(await conftest(BASE + FIXTURE, { beside: ['@fixture\ndef basket():\n    pass\n'] })).toBe(false);
  });

  test('may import no name from a product that makes fixtures', async () => {
    const after = `from shop.tools import patched\n${BASE}`;
    expect(await conftest(after, { product: 'import pytest\n' })).toBe(false);
    expect(await conftest(after, { product: 'def patched():\n    pass\n' })).toBe(true);
  });
});

describe("Vite's settings", () => {
  const vite = (before: string, after: string) => isHarmless({ path: 'vite.config.ts', before, after });
  const config = (text: string) =>
    `import { defineConfig } from 'vite';\n\nexport default defineConfig({ ${text} });\n`;

  test.each([
    ['how it is built', config("build: { target: 'es2020' }"), config("build: { target: ['es2022'], minify: false }")],
    ['how it is served', config('test: { globals: true }'), config('test: { globals: true }, server: { port: 80 }')],
    ['an object alone', 'export default { build: { lib: 1 } };', 'export default { preview: {} };'],
    ['modules of the old kind', 'module.exports = { build: {} };', "module.exports = { 'build': { lib: -1 } };"],
  ])('may change in %s', async (_, before, after) => {
    expect(await vite(before, after)).toBe(true);
  });

  test.each([
    ['in how tests are run', config('build: {}'), config("test: { setupFiles: 'x' }")],
    ['in what modules are', config('build: {}'), config("build: {}, resolve: { alias: { a: 'b' } }")],
    ['in code', config('build: {}'), config('build: { target: patch() }')],
    ['in a getter', config('build: {}'), config('get build() { return patch(); }')],
    ['in a getter within', config('build: {}'), config('build: { get target() { return patch(); } }')],
    ['in what is spread', config('build: {}'), config('build: {}, ...other')],
    ['in a computed name', config('build: {}'), config("['build']: {}, [patch()]: {}")],
    ['beside it', config('build: {}'), `${config('build: { lib: 1 }')}patch();\n`],
    ['in what makes it', config('build: {}'), config('build: { lib: 1 }').replaceAll('defineConfig', 'patched')],
    ['by a function', 'export default () => ({ build: {} });', 'export default () => ({ build: { lib: 1 } });'],
    ['to what cannot be read', config('build: {}'), config('build: {')],
    ['by coming', '', config('build: {}')],
    ['by going', config('build: {}'), ''],
  ])('may not change %s', async (_, before, after) => {
    expect(await vite(before, after)).toBe(false);
  });
});

test('other set-up is never harmless', async () => {
  expect(await isHarmless({ path: 'tox.ini', before: 'a', after: 'b' })).toBe(false);
});
