/** What the rules find that weakens tests and checks, and what they let pass. */
import { beforeAll, describe, expect, it } from 'vitest';
import { newLinesOf } from '../../src/guard/added-lines.ts';
import { weakeningDefects } from '../../src/guard/weakening.ts';
import { readTests } from '../../src/rules/test-change.ts';
import { installedParsers, loadParsers, type Parsers } from '../../src/syntax/parsers.ts';

let parsers: Parsers;
beforeAll(async () => {
  parsers = await loadParsers(installedParsers());
});

const isTest = (file: string): boolean => /(^|\/)test/.test(file);

/** `rule:line` of what is found in a file of which every line is added. */
function foundIn(file: string, text: string, before?: string): readonly string[] {
  const added = newLinesOf(file, before, text);
  const { trees } = readTests(parsers, { added, texts: new Map([[file, text]]), isTest });
  return weakeningDefects({ added, trees, isTest, head: new Map() }).map(({ rule, line }) => `${rule}:${line}`);
}

describe('tests that are left out', () => {
  it.each([
    "test.skip('a', () => check());",
    "describe.only('a', () => check());",
    "it.concurrent.only('a', () => check());",
    "test.todo('a');",
    "xit('a', () => check());",
    "fdescribe('a', () => check());",
    "test('a', { skip: true }, () => check());",
    "test('a', {\n  todo: 'later' }, () => check());",
    "test('a', (t) => { t.skip('why'); });",
    "it.fails('a', () => check());",
    "test\n  .skip('a', () => check());",
  ])('are found in %j', (text) => {
    expect(foundIn('test/a.test.ts', text).map((one) => one.split(':')[0])).toEqual(['test-left-out']);
  });

  it.each([
    '@unittest.skip("why")\ndef test_a(self):\n    check()',
    '@pytest.mark.skipif(True, reason="why")\ndef test_a():\n    check()',
    '@pytest.mark.xfail\ndef test_a():\n    check()',
    'def test_a(self):\n    self.skipTest("why")',
    'def test_a():\n    raise unittest.SkipTest("why")',
    'from pytest import mark\n@mark.skip\ndef test_a():\n    check()',
    'from unittest import expectedFailure\n@expectedFailure\ndef test_a(self):\n    check()',
    'class TestA:\n    __test__ = False\n',
    'collect_ignore = ["test_b.py"]',
  ])('are found in %j', (text) => {
    expect(foundIn('tests/test_a.py', text).map((one) => one.split(':')[0])).toEqual(['test-left-out']);
  });

  it.each([
    ['test/a.test.js', "test('never test.skip(x)', () => check('it.only'));"],
    ['test/a.test.js', '// test.skip is not used here\ntest("a", () => check(/it.only(x)/));'],
    ['test/a.test.js', "test('a', () => { rows.skip(3); queue.todo(x); });"],
    ['test/a.test.js', 'render({ skip: true }, () => { check(); });'],
    ['tests/test_a.py', 'def test_a():\n    """Not pytest.mark.skip."""\n    check("self.skipTest(1)")'],
    ['tests/test_a.py', 'import unittest\nfrom unittest import skipIf\n'],
    ['src/rows.js', "test.skip('a', () => check());"],
  ])('are not seen where there are none: %s with %j', (file, text) => {
    expect(foundIn(file, text)).toEqual([]);
  });
});

describe('assertions of what is always true', () => {
  it.each([
    ['test/a.test.js', "test('a', () => { add(1); expect(true).toBe(true); });"],
    ['test/a.test.js', "test('a', () => { add(1); expect('a').toEqual('a'); });"],
    ['test/a.test.js', "test('a', () => { add(1); expect(1).toBeTruthy(); });"],
    ['test/a.test.js', "test('a', () => { add(1); assert.ok(true); });"],
    ['test/a.test.js', "test('a', () => { add(1); assert.strictEqual(\n  2, 2); });"],
    ['test/a.test.js', "test('a', () => { add(1); assert(1); });"],
    ['tests/test_a.py', 'def test_a():\n    add(1)\n    assert True'],
    ['tests/test_a.py', 'def test_a():\n    add(1)\n    assert (add(1) == 3, "why")'],
    ['tests/test_a.py', 'def test_a():\n    add(1)\n    assert 1 == 1'],
    ['tests/test_a.py', 'def test_a(self):\n    add(1)\n    self.assertTrue(True)'],
    ['tests/test_a.py', 'def test_a(self):\n    add(1)\n    self.assertEqual("a", "a")'],
  ])('are found: %s with %j', (file, text) => {
    expect(foundIn(file, text).map((one) => one.split(':')[0])).toEqual(['test-tautology']);
  });

  it.each([
    ['test/a.test.js', "test('a', () => { expect(add(1)).toBe(true); });"],
    ['test/a.test.js', "test('a', () => { try { add(); assert(false); } catch (error) { expect(error).toBe(1); } });"],
    ['test/a.test.js', "test('a', () => { assert.notEqual(1, 2, add(1)); });"],
    ['test/a.test.js', `test("a", () => { expect(\`$\{add(1)}\`).toBe(\`$\{add(1)}\`); });`],
    ['tests/test_a.py', 'def test_a():\n    assert add(1) == 1'],
    ['tests/test_a.py', 'def test_a():\n    if not add(1):\n        assert False, "why"'],
    ['tests/test_a.py', 'def test_a():\n    assert f"{add(1)}" == f"{add(1)}"'],
  ])('are not seen in honest ones: %s with %j', (file, text) => {
    expect(foundIn(file, text)).toEqual([]);
  });
});

describe('tests that ask nothing', () => {
  it.each([
    ['test/a.test.js', "test('a', () => {});"],
    ['test/a.test.js', "it('a', async () => {\n  const a = 1;\n  console.log('done');\n});"],
    ['tests/test_a.py', 'def test_a():\n    pass'],
    ['tests/test_a.py', 'def test_a(self):\n    """Adds."""\n    print("done")'],
  ])('are found: %s with %j', (file, text) => {
    expect(foundIn(file, text)).toEqual(['test-empty:1']);
  });

  it.each([
    ['test/a.test.js', "test('a', () => { add(1); });"],
    ['test/a.test.js', "test('a', function (done) { done; });"],
    ['test/a.test.js', "test('a', shared);"],
    ['tests/test_a.py', 'def test_a():\n    with opened(1):\n        pass'],
    ['tests/test_a.py', 'def testing(a):\n    pass'],
  ])('are not seen in honest ones: %s with %j', (file, text) => {
    expect(foundIn(file, text)).toEqual([]);
  });
});

describe('assertions whose failure is caught', () => {
  it.each([
    ['test/a.test.js', "test('a', () => {\n  try { expect(add(1)).toBe(2); } catch {}\n});"],
    ['test/a.test.js', "test('a', () => {\n  try { assert.equal(add(1), 2); } catch (e) { console.log(e); }\n});"],
    [
      'tests/test_a.py',
      'def test_a():\n    try:\n        assert add(1) == 2\n    except AssertionError:\n        pass',
    ],
    ['tests/test_a.py', 'def test_a():\n    try:\n        assert add(1) == 2\n    except:\n        pass'],
    ['tests/test_a.py', 'def test_a():\n    with contextlib.suppress(Exception):\n        assert add(1) == 2'],
  ])('are found: %s with %j', (file, text) => {
    const rules = foundIn(file, text).map((one) => one.split(':')[0]);
    expect([...new Set(rules)]).toEqual(['test-swallowed']);
  });

  it.each([
    ['test/a.test.js', "test('a', () => { try { add(); } catch {}\n  expect(1 + x).toBe(2); });"],
    ['test/a.test.js', "test('a', () => { try { assert.equal(add(1), 2); } finally { close(); } });"],
    ['test/a.test.js', "test('a', () => { try { expect(add(1)).toBe(2); } catch (e) { fail(e); } });"],
    ['tests/test_a.py', 'def test_a():\n    try:\n        assert add(1) == 2\n    except ValueError:\n        pass'],
    ['tests/test_a.py', 'def test_a():\n    with pytest.raises(AssertionError):\n        assert add(1) == 2'],
  ])('are not seen in honest ones: %s with %j', (file, text) => {
    expect(foundIn(file, text)).toEqual([]);
  });
});

describe('checks that are kept quiet', () => {
  it.each([
    ['src/a.ts', '// @ts-ignore\nconst a = 1;'],
    ['src/a.ts', '/* eslint-disable */\nconst a = 1;'],
    ['src/a.js', '/* eslint no-console: "off" */\nconst a = 1;'],
    ['src/a.tsx', 'const a = <b>{/* biome-ignore lint/a: b */}</b>;'],
    ['src/a.js', '/* istanbul ignore next */\nconst a = 1;'],
    ['src/a.py', 'a = 1  # type: ignore[assignment]'],
    ['src/a.py', 'a = 1  # noqa: E501'],
    ['src/a.py', 'if a:  # pragma: no cover\n    b()'],
    ['test/a.test.js', '// eslint-disable-next-line\ncheck();'],
  ])('are found: %s with %j', (file, text) => {
    expect(foundIn(file, text)).toEqual(['check-silenced:1']);
  });

  it.each([
    ['src/a.js', "const help = '// eslint-disable-next-line';"],
    ['src/a.py', 'help = "# noqa"\n'],
    ['src/a.js', '// The rule eslint-disable names is off.\ncheck();'],
  ])('are not seen in texts and prose: %s with %j', (file, text) => {
    expect(foundIn(file, text)).toEqual([]);
  });

  it('count only where the comment was added', () => {
    const before = '// @ts-ignore\nconst a = 1;\n';
    expect(foundIn('src/a.ts', `${before}const b = 1;\n`, before)).toEqual([]);
  });
});

describe('a file whose syntax has an error', () => {
  it.each([
    ['test/a.test.js', "test.skip('a', () => {\nconst = ;\n", ['test-left-out:1']],
    ['tests/test_a.py', '@unittest.skip\ndef test_a(:\n  x = # noqa\n', ['test-left-out:1', 'check-silenced:3']],
  ])('is read by lines too: %s', (file, text, found) => {
    expect(foundIn(file, text)).toEqual(found);
  });
});

describe('a file in which everything lies in something else', () => {
  const DEEP = 7000;
  it.each([
    ['test/a.test.js', `${'try{'.repeat(DEEP)}expect(add(1))${'}catch{}'.repeat(DEEP)}`],
    ['test/a.test.js', `${"test('a',()=>{".repeat(DEEP)}${'})'.repeat(DEEP)}`],
  ])('is read once, not once for each: %s', (file, text) => {
    expect(foundIn(file, text)).toHaveLength(1);
  });
});
