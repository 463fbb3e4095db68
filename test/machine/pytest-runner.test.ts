import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runTests } from '../../src/test-runs/test-run.ts';
import { PYTEST_ATTACKS } from './pytest-attacks.ts';
import { openRunnerRoom, type RunnerRoom } from './runner-room.ts';

let room: RunnerRoom;
beforeAll(async () => {
  room = await openRunnerRoom('pytest-runner.py');
});
afterAll(() => room.close());

const PRODUCT = 'def two():\n    return 1\n\n\ndef boom():\n    raise KeyError("x")\n';
const one = (test: string) => room.run({ 'test_it.py': test, 'product.py': PRODUCT }, 'test_it.py');

const OUTCOMES: readonly (readonly [string, string, string, RegExp])[] = [
  [
    'a wrong assertion',
    'from product import two\ndef test_it(): assert two() == 2\n',
    'fail',
    /^AssertionError: assert 1 == 2/,
  ],
  [
    'an expected exception that is not raised',
    'import pytest\ndef test_it():\n  with pytest.raises(ValueError): pass\n',
    'fail',
    /DID NOT RAISE/,
  ],
  [
    'an exception of the product',
    'from product import boom\ndef test_it(): boom()\n',
    'error',
    /^KeyError: .*in the product, product\.py:6/,
  ],
  [
    'an exception of a fixture',
    'import pytest\n@pytest.fixture\ndef broken(): raise ValueError("no")\ndef test_it(broken): pass\n',
    'error',
    /^ValueError: no .*in the test, test_it\.py:3/,
  ],
  ['an exit', 'import sys\ndef test_it(): sys.exit(0)\n', 'error', /^SystemExit/],
  ['a skipped test', 'import pytest\n@pytest.mark.skip\ndef test_it(): pass\n', 'not-run', /skip/],
  [
    'a test that is expected to fail',
    'import pytest\n@pytest.mark.xfail\ndef test_it(): assert 0\n',
    'not-run',
    /expected to fail/,
  ],
  [
    'a test that is unexpectedly right',
    'import pytest\n@pytest.mark.xfail\ndef test_it(): pass\n',
    'not-run',
    /expected to fail/,
  ],
];

it.each(OUTCOMES)('tells %s', async (_name, test, outcome, message) => {
  const { outcomes, messages, isComplete } = await one(test);
  expect({ outcomes, isComplete }).toEqual({ outcomes: { test_it: outcome }, isComplete: true });
  expect(messages.test_it).toMatch(message);
});

it.each([
  ['a missing module', 'import nowhere\n'],
  ['a syntax error', 'def test_it(:\n'],
])('says that the file does not load because of %s', async (_name, test) => {
  const { lines, outcomes } = await one(test);
  expect(outcomes).toEqual({});
  expect(lines?.map(({ kind }) => kind)).toEqual(['begin', 'load', 'end']);
});

it('reports no test where none was collected', async () => {
  expect((await one('x = 1\n')).lines?.map(({ kind }) => kind)).toEqual(['begin', 'end']);
});

it.each([
  ['leaves', 'os._exit(0)'],
  ['kills itself', 'os.kill(os.getpid(), 9)'],
])('has no last line when the test %s', async (_name, end) => {
  const { lines, isComplete } = await one(`import os\ndef test_it(): ${end}\n`);
  expect({ kinds: lines?.map(({ kind }) => kind), isComplete }).toEqual({ kinds: ['begin'], isComplete: false });
});

it('keeps to its lines when the output is flooded', async () => {
  const { outcomes } = await one('import os\ndef test_it():\n  for _ in range(200): print("x" * 100000)\n');
  expect(outcomes).toEqual({ test_it: 'pass' });
});

it('runs what honest repositories have', async () => {
  const files = {
    'pyproject.toml':
      '[tool.pytest.ini_options]\npythonpath = ["src"]\naddopts = "-x -q --strict-markers -W error --maxfail=1"\n',
    'src/pack/__init__.py': 'def two():\n    return 2\n',
    'tests/conftest.py': 'import pytest\n@pytest.fixture(scope="session")\ndef deep(): return 2\n',
    'tests/unit/conftest.py': 'import pytest\n@pytest.fixture(scope="class")\ndef deeper(deep): return deep\n',
    'tests/unit/test_it.py': `import json, os, time, unittest, unittest.mock, warnings
import pytest
from pack import two
def test_first_fails(): assert two() == 3
def test_capsys(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(os, "getcwd", lambda: "here")
    print(os.getcwd())
    assert capsys.readouterr().out == "here\\n"
@pytest.mark.parametrize("value", ["a::b", "c.d[e]"])
def test_each(value): assert value
def test_mock():
    with unittest.mock.patch("json.dumps", return_value="s"), unittest.mock.patch("time.time", return_value=3):
        assert (json.dumps(1), time.time()) == ("s", 3)
def test_warns(): warnings.warn("old", DeprecationWarning)
class TestOuter:
    class TestInner:
        def test_deep(self, deeper): assert deeper == two()
class Case(unittest.TestCase):
    def setUp(self): self.two = two()
    def test_case(self): self.assertEqual(self.two, 2)
`,
  };
  const { outcomes, isComplete } = await room.run(files, 'tests/unit/test_it.py');
  expect(isComplete).toBe(true);
  expect(outcomes).toEqual({
    test_first_fails: 'fail',
    test_capsys: 'pass',
    'test_each[a::b]': 'pass',
    'test_each[c.d[e]]': 'pass',
    test_mock: 'pass',
    test_warns: 'error',
    'TestOuter.TestInner.test_deep': 'pass',
    'Case.test_case': 'pass',
  });
});

describe('many files', () => {
  const GOOD = 'def test_good(): assert True is not False\n';
  const ran = async (files: Readonly<Record<string, string>>, tellsApart = true) => {
    const directory = await mkdtemp(join(room.workspace, 'many-'));
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(directory, path)), { recursive: true });
      await writeFile(join(directory, path), text);
    }
    const expected = Object.entries(files).flatMap(([path, text]) =>
      [...text.matchAll(/def (test_\w+)/g)].map(([, name]) => `${path}::${name}`),
    );
    const { sandbox } = room;
    const limits = { timeoutMs: 120_000, outputBytes: 100_000, tellsApart };
    const run = await runTests({
      ...{ sandbox, directory, commands: { runner: 'pytest' }, files: Object.keys(files), expected, ...limits },
    });
    return { ...run, outcomes: Object.fromEntries([...run.results].map(([id, { outcome }]) => [id, outcome])) };
  };

  it('are one session: what belongs to all of it is set up once', async () => {
    const conftest =
      'import pytest\n@pytest.fixture(scope="session")\ndef where(tmp_path_factory): return tmp_path_factory.mktemp("s")\n';
    const each = (name: string) =>
      `def test_${name}(where):\n  assert not list(where.iterdir())\n  (where / "seen").touch()\n`;
    const { outcomes } = await ran({ 'conftest.py': conftest, 'test_a.py': each('a'), 'test_b.py': each('b') });
    expect(outcomes).toMatchObject({ 'test_a.py::test_a': 'pass', 'test_b.py::test_b': 'fail' });
  });

  it.each([
    ['does not load', 'import nowhere\n', 'load-error'],
    ['ends the process', 'import os\ndef test_bad(): os._exit(0)\n', 'load-error'],
    ['ends the session', 'import pytest\ndef test_bad(): pytest.exit("enough")\n', 'load-error'],
    ['ends the process while it is loaded', 'import os\nos._exit(0)\ndef test_bad(): pass\n', 'load-error'],
  ])('lose nothing by one that %s', async (_what, bad, outcome) => {
    const { outcomes, broken, trusted } = await ran({ 'test_a.py': GOOD, 'test_bad.py': bad, 'test_c.py': GOOD });
    expect(trusted).toBe(true);
    expect(outcomes).toMatchObject({ 'test_a.py::test_good': 'pass', 'test_c.py::test_good': 'pass' });
    expect(outcomes['test_bad.py::test_bad'] ?? outcome).toBe(outcome);
    expect([...broken.keys()]).toEqual(['test_bad.py']);
  });

  it.each([
    ['writes to another', ''],
    ['writes to another and puts it back', 'import atexit; atexit.register(lambda: open(PLACE, "w").write(TEXT))'],
  ])('are asked one by one where the product %s', async (_what, after) => {
    const product = `PLACE = "tests/test_b.py"\nTEXT = open(PLACE).read()\nopen(PLACE, "w").write("de" + "f test_b(): pass\\n")\n${after}\ndef two(): return 1\n`;
    const test = (name: string) => `from product import two\ndef test_${name}(): assert two() == 2\n`;
    const { outcomes } = await ran({
      'conftest.py': '',
      'product.py': product,
      'tests/test_a.py': test('a'),
      'tests/test_b.py': test('b'),
    });
    expect(outcomes).toMatchObject({ 'tests/test_a.py::test_a': 'fail', 'tests/test_b.py::test_b': 'fail' });
  });

  it('of one name in two folders run all the same', async () => {
    const { outcomes } = await ran({ 'one/test_a.py': GOOD, 'other/test_a.py': GOOD });
    expect(outcomes).toEqual({ 'one/test_a.py::test_good': 'pass', 'other/test_a.py::test_good': 'pass' });
  });

  it('are stopped together where nobody asks which of them it is', async () => {
    const files = { 'test_a.py': GOOD, 'test_bad.py': 'import os\ndef test_bad(): os._exit(0)\n', 'test_c.py': GOOD };
    expect((await ran(files, false)).outcomes).toMatchObject({
      'test_bad.py::test_bad': 'load-error',
      'test_c.py::test_good': 'load-error',
    });
  });
});

describe('a wrong product under pytest', () => {
  it.each(Object.keys(PYTEST_ATTACKS))('does not pass when it %s', async (name) => {
    const test = 'import pytest\nfrom product import two\ndef test_it(): assert two() == 2\n';
    const product = `${PYTEST_ATTACKS[name]}\ndef two():\n    lie()\n    return 1\n`;
    const { outcomes, isComplete } = await room.run({ 'test_it.py': test, 'product.py': product }, 'test_it.py');
    expect(isComplete && outcomes.test_it === 'pass').toBe(false);
  });
});
