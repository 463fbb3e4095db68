/** What a product may try against unittest, which needs Python. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRunnerWorld, type RunnerWorld } from '../jobs/runner-world.ts';
import { UNITTEST_ATTACKS } from './unittest-attacks.ts';

let world: RunnerWorld;
beforeAll(async () => {
  world = await openRunnerWorld();
});
afterAll(() => world.close());

const SAYS_ONE = 'armed = [False]\ndef two():\n    armed[0] = True\n    lie()\n    return 1\n';

/** Where the product is caught, or ends its own test; every other lets the test reach its end, or it would show nothing. */
const ENDS: Readonly<Record<string, string>> = {
  'replaces the assertions when it is asked, and puts them back': 'not-run',
  'replaces the code of the assertions': 'not-run',
  'replaces a built-in': 'load-error',
  'writes results of its own and leaves': 'not-run',
};

const unittestOf = (base: string, method: string) =>
  `import unittest\nfrom product import two\nclass A(unittest.${base}):\n    ${method} test_two(self): self.assertEqual(two(), 2)\n`;

describe.each([
  ['a test case', unittestOf('TestCase', 'def')],
  ['an asynchronous test case', unittestOf('IsolatedAsyncioTestCase', 'async def')],
])('a wrong product under unittest, asked by %s', (_name, test) => {
  it('fails when the product attacks nothing, and passes when it is right', async () => {
    const wrong = { 'test_a.py': test, 'product.py': `def lie(): pass\n${SAYS_ONE}` };
    expect(await world.attack('unittest', wrong, 'test_a.py::A.test_two')).toMatchObject({
      trusted: true,
      outcome: 'fail',
    });
    const right = { ...wrong, 'product.py': 'def two(): return 2\n' };
    expect(await world.attack('unittest', right, 'test_a.py::A.test_two')).toMatchObject({
      trusted: true,
      outcome: 'pass',
    });
  });

  it.each(Object.keys(UNITTEST_ATTACKS))('does not pass when it %s', async (name) => {
    const files = { 'test_a.py': test, 'product.py': `${UNITTEST_ATTACKS[name]}\n${SAYS_ONE}` };
    const result = await world.attack('unittest', files, 'test_a.py::A.test_two');
    expect(result).toMatchObject({ outcome: ENDS[name] ?? 'fail' });
  });
});

it('does not pass when it leaves other compiled code for a test', async () => {
  const compile = `import importlib.util, marshal, os, pathlib
code = compile("import unittest\\nclass A(unittest.TestCase):\\n    def test_two(self): pass", "test_a.py", "exec")
place = pathlib.Path(__file__).parent / "__pycache__" / pathlib.Path(importlib.util.cache_from_source("test_a.py")).name
place.parent.mkdir(parents=True, exist_ok=True)
place.write_bytes(importlib.util.MAGIC_NUMBER + (1).to_bytes(4, "little") + bytes(8) + marshal.dumps(code))
`;
  const files = {
    'test_0.py': 'import product, unittest\n',
    'test_a.py': unittestOf('TestCase', 'def'),
    'product.py': `${compile}def two(): return 1\n`,
  };
  expect(await world.attack('unittest', files, 'test_a.py::A.test_two', ['test_0.py'])).toMatchObject({
    trusted: true,
    outcome: 'fail',
  });
});
