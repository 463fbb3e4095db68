/** Everything that a job or a workflow does with Python; it needs Python, and so is not among the tests that every machine can run. */
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { performAcceptance } from '../../src/jobs/verify/acceptance.ts';
import { APPROVED, briefFor, checkout, command, GREEN, numbersOf, runBuild, write } from '../jobs/build-fixture.ts';
import { PYTHON_HEAD, rowFor } from '../jobs/evidence-world.ts';
import { commandsOf } from '../jobs/plain-brief.ts';
import { openRunnerWorld, type RunnerWorld } from '../jobs/runner-world.ts';
import { benchOf, scene } from '../jobs/verify-fixture.ts';
import { oneJob, removeTemporaryDirectories, runWorkflow } from '../local/workflow-kit.ts';

let world: RunnerWorld;
beforeAll(async () => {
  world = await openRunnerWorld();
});
afterAll(() => world.close());

const PYTHON = 'import unittest\n';

describe('unittest results', () => {
  it('tells an assertion from any other failure', async () => {
    await world.write({
      'product.py': 'def one():\n    return 1\n',
      'tests/test_a.py': `${PYTHON}import product
class A(unittest.TestCase):
    def test_pass(self): self.assertEqual(product.one(), 1)
    def test_fail(self): self.assertEqual(product.one(), 2, "one is not two")
    def test_bare(self): assert product.one() == 2
    def test_error(self): product.two()
    def test_import(self): import nowhere
    @unittest.skip("later")
    def test_skip(self): pass
    @unittest.expectedFailure
    def test_expected(self): self.fail()
    def test_subtests(self):
        for value in (1, 2):
            with self.subTest(value=value): self.assertEqual(product.one(), value)
class B(unittest.TestCase):
    @classmethod
    def setUpClass(cls): raise ValueError("no")
    def test_never(self): pass
`,
    });
    const names = ['pass', 'fail', 'bare', 'error', 'import', 'skip', 'expected', 'subtests'].map(
      (name) => `A.test_${name}`,
    );
    const { outcomes, trusted, results } = await world.run('unittest', {
      'tests/test_a.py': [...names, 'B.test_never', 'A.test_none'],
    });
    expect(trusted).toBe(true);
    expect(outcomes).toEqual({
      'A.test_pass': 'pass',
      'A.test_fail': 'fail',
      'A.test_bare': 'fail',
      'A.test_error': 'load-error',
      'A.test_import': 'load-error',
      'A.test_skip': 'not-run',
      'A.test_expected': 'not-run',
      'A.test_subtests': 'fail',
      'B.test_never': 'not-run',
      'A.test_none': 'not-run',
    });
    expect(results.get('tests/test_a.py::A.test_fail')?.message).toContain('1 != 2 : one is not two');
  });

  it.each([
    ['has a syntax error', 'def (:', /SyntaxError/],
    ['imports a missing module', 'import nowhere', /ModuleNotFoundError/],
    ['holds no test', 'x = 1', /no tests were found/],
    ['leaves at once', 'import os; os._exit(0)', /ended before its tests/],
  ])('calls it a load error when the file %s', async (_name, text, message) => {
    await world.write({
      'test_b.py': text,
      'test_good.py': `${PYTHON}class G(unittest.TestCase):\n    def test_good(self): pass\n`,
    });
    const { results, trusted } = await world.run('unittest', {
      'test_b.py': ['T.test_t'],
      'test_good.py': ['G.test_good'],
    });
    expect(trusted).toBe(true);
    expect(results.get('test_b.py::T.test_t')).toEqual({
      outcome: 'load-error',
      message: expect.stringMatching(message),
    });
    expect(results.get('test_good.py::G.test_good')?.outcome).toBe('pass');
  });

  it('stops a file that hangs and believes the others', async () => {
    await world.write({
      'test_hang.py': `${PYTHON}import time\nclass H(unittest.TestCase):\n    def test_hang(self): time.sleep(60)\n`,
      'test_open.py': `${PYTHON}import threading, time\nthreading.Thread(target=lambda: time.sleep(60)).start()\nclass O(unittest.TestCase):\n    def test_open(self): pass\n`,
    });
    const { outcomes } = await world.run(
      'unittest',
      { 'test_hang.py': ['H.test_hang'], 'test_open.py': ['O.test_open'] },
      9000,
    );
    expect(outcomes).toEqual({ 'H.test_hang': 'load-error', 'O.test_open': 'pass' });
  });
});

describe('evidence', () => {
  it('of a change is a test that is red on the base and without the change', async () => {
    const test = `import unittest\nimport price\nclass New(unittest.TestCase):\n    def test_discounts(self):\n        discounted = getattr(price, "discounted", None)\n        self.assertIsNotNone(discounted)\n        self.assertEqual(discounted(100), 90)\n`;
    const row = await rowFor({
      change: PYTHON_HEAD,
      kind: 'change',
      name: 'New.test_discounts',
      test,
      runner: 'unittest',
    });
    expect(row).toMatchObject({ base: 'fail', head: 'pass', reverted: 'fail', proven: true });
  });

  it('of a change is none when it sees only that a module loads', async () => {
    const test = (body: string) => `import unittest
class Discounts(unittest.TestCase):
    def test_discounts(self):
        try:
            from price import discounted
        except ImportError:
            self.fail('no discount')
        ${body}
`;
    const given = {
      change: PYTHON_HEAD,
      kind: 'change',
      name: 'Discounts.test_discounts',
      runner: 'unittest',
    } as const;
    expect(await rowFor({ ...given, test: test('self.assertTrue(discounted)') })).toMatchObject({
      ...{ base: 'fail', head: 'pass', reverted: 'fail', mutated: 'pass', proven: false },
    });
    expect(await rowFor({ ...given, test: test('self.assertEqual(discounted(100), 90)') })).toMatchObject({
      ...{ mutated: 'fail', proven: true },
    });
  });

  it('of behaviour that stays is a test that notices a mutation', async () => {
    const test =
      'import unittest\nimport price\nclass Old(unittest.TestCase):\n    def test_adds(self):\n        self.assertEqual(price.total([1, 2]), 3)\n';
    const row = await rowFor({ change: PYTHON_HEAD, kind: 'keep', name: 'Old.test_adds', test, runner: 'unittest' });
    expect(row).toMatchObject({ base: 'pass', head: 'pass', mutated: 'fail', proven: true });
  });
});

test('a Python repository is built with unittest, and the byte code that running it leaves is never proposed', async () => {
  const text = `import importlib
import unittest


class GreetAll(unittest.TestCase):
    def test_all(self):
        greet = importlib.import_module('greet')
        self.assertEqual(getattr(greet, 'greet_all', lambda names: None)(['A', 'B']), 'Hello A, Hello B')

    def test_one(self):
        greet = importlib.import_module('greet')
        self.assertEqual(greet.greet('C'), 'Hello C')
`;
  const one = "def greet(name):\n    return 'Hello ' + name\n";
  const all = `${one}\n\ndef greet_all(names):\n    return ', '.join(greet(name) for name in names)\n`;
  const file = 'tests/test_greet_all.py';
  const design = {
    files: [{ path: file, content: text }],
    tests: [
      { requirement: 'R-1', kind: 'change', file, name: 'GreetAll.test_all' },
      { requirement: 'R-2', kind: 'keep', file, name: 'GreetAll.test_one' },
    ],
  };
  const python = await checkout({ 'greet.py': one, 'tests/__init__.py': '' });
  const brief = briefFor(python);
  const [task] = brief.tasks;
  const { report } = await runBuild(
    python,
    {
      ...brief,
      commands: { ...brief.commands, test: 'python3 -m unittest discover -s tests -t .', runner: 'unittest' },
      tasks: task === undefined ? [] : [{ ...task, files: ['greet.py'] }],
    },
    {
      answers: { 'acceptance-tests': [design], ...APPROVED },
      turns: [
        [write('greet.py', all), command('env -u PYTHONDONTWRITEBYTECODE python3 -c "import greet"; ls __pycache__')],
      ],
    },
  );
  await python.remove();
  expect(report.failure).toBeNull();
  expect(report.defects).toEqual([]);
  expect(numbersOf(report)).toEqual(GREEN);
  expect(report.changes.map(({ path }) => path)).toEqual(['greet.py', file]);
});

test('a function is called, and what it returns compared', async () => {
  const call = (id: string, name: string, equals: string) => ({
    id,
    requirement: 'R-1',
    kind: 'change' as const,
    title: 'It works',
    steps: [{ type: 'call' as const, module: 'shapes.py', function: name, arguments: '[3]', expected: { equals } }],
  });
  const commands = commandsOf({ test: 'true', runner: 'unittest' });
  const files = { 'shapes.py': 'def area(side):\n    return {"area": side * side}\n' };
  const acceptance = [call('A-1', 'area', '{"area": 9}'), call('A-2', 'area', '{"area": 8}'), call('A-3', 'none', '1')];
  const place = await scene(files, {}, { surface: 'library', acceptance, commands });
  const { rows } = await performAcceptance(await benchOf(place), place.environment.workspace);
  await place.remove();
  expect(rows.map(({ passed }) => passed)).toEqual([true, false, false]);
  expect(rows[1]?.detail).toContain('expected {"area": 8}, actual {"area":9}');
});

test('a workflow has the shell python, and the set-up action says its version', async () => {
  const { log } = await runWorkflow(
    oneJob(`
- run: import sys; print("python", sys.version_info[0])
  shell: python
- id: python
  uses: actions/setup-python@v6
- run: echo "version \${{ steps.python.outputs.python-version }}"
`),
  );
  expect(log('only')).toContain('python 3');
  expect(log('only')).toMatch(/Z version 3\./);
  await removeTemporaryDirectories();
});

test('a build takes a superseded method out of its class, and is green', async () => {
  const file = 'tests/test_greet.py';
  const head = `${PYTHON}from greet import greet\n\n\nclass Greet(unittest.TestCase):\n`;
  const old = '    def test_hello(self):\n        self.assertEqual(greet("A"), "Hello A")\n\n';
  const kept = '    def test_name(self):\n        self.assertTrue(greet("A").endswith(" A"))\n';
  const product = 'def greet(name):\n    return "Hello " + name\n';
  const place = await checkout({
    'greet.py': product,
    'tests/__init__.py': '',
    [file]: `${head}${old}${kept}`,
  });
  const polite = `${PYTHON}from greet import greet\n\n\nclass Polite(unittest.TestCase):\n    def test_polite(self):\n        self.assertEqual(greet("A"), "Good day A")\n`;
  const design = {
    files: [{ path: 'tests/test_polite.py', content: polite }],
    tests: [{ requirement: 'R-1', kind: 'change', file: 'tests/test_polite.py', name: 'Polite.test_polite' }],
  };
  try {
    const brief = briefFor(place, {
      commands: commandsOf({ test: 'python3 -m unittest', runner: 'unittest' }),
      requirements: [{ id: 'R-1', kind: 'change', statement: 'greet("A") is "Good day A".' }],
      tasks: briefFor(place).tasks.map((task) => ({ ...task, requirements: ['R-1'], files: ['greet.py'] })),
      supersededTests: [{ file, name: 'Greet.test_hello', requirement: 'R-1', why: 'R-1 asks for "Good day".' }],
    });
    const { report } = await runBuild(place, brief, {
      answers: { 'acceptance-tests': [design], ...APPROVED },
      turns: [[write('greet.py', product.replace('Hello', 'Good day'))]],
    });
    expect(report.failure).toBeNull();
    expect(numbersOf(report)).toEqual(GREEN);
    const content = report.changes.find(({ path }) => path === file)?.content ?? '';
    expect(Buffer.from(content, 'base64').toString()).toBe(`${head}${kept}`);
  } finally {
    await place.remove();
  }
});
