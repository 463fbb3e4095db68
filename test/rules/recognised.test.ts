/** A product that asks whether it is being tested is found; what tests and settings of tools ask is their own. */
import { beforeAll, describe, expect, it } from 'vitest';
import { loadRules, type RulesIn } from './rules-in.ts';

let rulesIn: RulesIn;
beforeAll(async () => {
  rulesIn = await loadRules();
});

describe('a product that recognises its tests', () => {
  it.each([
    ['if (process.env.VITEST) answer = 1;', 'lib/a.js'],
    ['if (process.env.JEST_WORKER_ID !== undefined) answer = 1;', 'lib/a.ts'],
    ["if (process.env['VITEST_WORKER_ID']) answer = 1;", 'lib/a.ts'],
    ['const { VITEST } = process.env;', 'lib/a.js'],
    ['const { VITEST: isTested = false } = process.env;', 'lib/a.js'],
    ["if ('VITEST_POOL_ID' in process.env) answer = 1;", 'lib/a.js'],
    ['if (globalThis.__vitest_worker__) answer = 1;', 'lib/a.js'],
    ['if (typeof __vitest_worker__ === "object") answer = 1;', 'lib/a.js'],
    ["if (typeof jest !== 'undefined') answer = 1;", 'lib/a.js'],
    ["if (typeof globalThis.vi === 'object') answer = 1;", 'lib/a.js'],
    ["if (new Error().stack.includes('.test.')) answer = 1;", 'lib/a.js'],
    ["if (/\\.spec\\./.test(Error().stack ?? '')) answer = 1;", 'lib/a.js'],
    ["function f() {\n  const stack = new Error().stack;\n  return stack.includes('vitest') ? 1 : 2;\n}", 'lib/a.js'],
    ["const o = {};\nError.captureStackTrace(o);\nif (o.stack.includes('__tests__')) answer = 1;", 'lib/a.js'],
    ["const from = new Error().stack ?? '';\nif (from.includes('.te' + 'st.')) answer = 1;", 'lib/a.js'],
    [
      "const trace = new Error('trace');\nfor (const one of all) sum += /[.]test[.]/.test(trace.stack) ? 1 : 2;",
      'lib/a.js',
    ],
    ["if (process.env['VI' + 'TEST']) answer = 1;", 'lib/a.js'],
    ['import sys\nif sys._getframe(1).f_code.co_name.startswith("t" + "est_"):\n    answer = 1', 'shop/a.py'],
    ['import os\nif os.environ.get("PYTEST_" + "VERSION"):\n    answer = 1', 'shop/a.py'],
    ["if (process.argv.some((one) => one.includes('vitest'))) answer = 1;", 'lib/a.js'],
    ["if (process.execArgv.includes('--test')) answer = 1;", 'lib/a.js'],
    ["if (require.main.filename.endsWith('.test.js')) answer = 1;", 'lib/a.cjs'],
    ["import sys\nif 'pytest' in sys.modules:\n    answer = 1", 'shop/a.py'],
    ["import sys\nif 'unittest' not in sys.modules:\n    answer = 1", 'shop/a.py'],
    ["from sys import modules\nif 'pytest' in modules:\n    answer = 1", 'shop/a.py'],
    ["import sys\nif 'unittest.case' in sys.modules:\n    answer = 1", 'shop/a.py'],
    ["import sys\nif sys.modules.get('_pytest'):\n    answer = 1", 'shop/a.py'],
    ["import os\nif 'PYTEST_CURRENT_TEST' in os.environ:\n    answer = 1", 'shop/a.py'],
    ["import os\nif os.environ.get('PYTEST_VERSION'):\n    answer = 1", 'shop/a.py'],
    ["import sys\nif sys.argv[0].endswith('pytest'):\n    answer = 1", 'shop/a.py'],
    ["import sys\nif 'test_' in sys._getframe(1).f_code.co_filename:\n    answer = 1", 'shop/a.py'],
    ["import inspect\nif inspect.stack()[1].function.startswith('test_'):\n    answer = 1", 'shop/a.py'],
    ["import sys\nif hasattr(sys, '_called_from_test'):\n    answer = 1", 'shop/a.py'],
  ])('is found: %j in %s', (text, file) => {
    expect(rulesIn(text, file)).toEqual(['test-recognised']);
  });

  it.each([
    ['if (process.env.VITEST) answer = 1;', 'test/own.js'],
    ['if (process.env.VITEST) answer = 1;', 'src/a.test.ts'],
    ['export default { plugins: process.env.VITEST ? [] : [sveltekit()] };', 'vite.config.ts'],
    ["if ('PYTEST_CURRENT_TEST' in os.environ:\n    answer = 1", 'tests/conftest.py'],
    ['// process.env.VITEST is set in tests', 'lib/a.js'],
    ['"""PYTEST_CURRENT_TEST"""', 'shop/a.py'],
    ["if (process.env.NODE_ENV === 'test') quiet();", 'lib/a.js'],
    ['const VITEST = 1;\nshow(VITEST);', 'lib/a.js'],
    ['log(error.stack);', 'lib/a.js'],
    ["const failed = new Error('failed');\nlog(failed.stack);", 'lib/a.js'],
    ["function f(failed) {\n  if (failed.stack.includes('a test')) show();\n}\nconst failed = 1;", 'lib/a.js'],
    ["const stack = new Error().stack;\nlog(stack.split('\\n'));", 'lib/a.js'],
    ["if (typeof window !== 'undefined') show();", 'lib/a.js'],
    ['if (typeof test === "function") test(value);', 'lib/a.js'],
    ["const [, , command] = process.argv;\nif (command === 'test') run();", 'lib/a.js'],
    ['if (require.main === module) main();', 'lib/a.cjs'],
    ["import sys\nif 'numpy' in sys.modules:\n    answer = 1", 'shop/a.py'],
    ['import sys\nname = sys._getframe(1).f_code.co_filename', 'shop/a.py'],
    ['import inspect\ncaller = inspect.stack()[1].function', 'shop/a.py'],
    ['import sys\nname = sys.argv[0]', 'shop/a.py'],
    ["runners = ['pytest', 'unittest']", 'shop/a.py'],
    ['def caller():\n    """Used by tests."""\n    return sys._getframe(1)', 'shop/a.py'],
    ["if sys.argv[0].endswith('__main__.py'):\n    run('python -m unittest')", 'shop/a.py'],
  ])('is not seen in %j of %s', (text, file) => {
    expect(rulesIn(text, file)).toEqual([]);
  });
});

it('is told by lines where the syntax cannot be read', () => {
  expect(rulesIn('const a = = 1;\nif (process.env.JEST_WORKER_ID) answer = 1;', 'lib/a.js')).toEqual([
    'test-recognised',
  ]);
  expect(rulesIn("def a(:\n  x = ((\nif 'pytest' in sys.modules:", 'shop/a.py')).toEqual(['test-recognised']);
  expect(rulesIn('const a = = 1;\nif (process.env.JEST_WORKER_ID) answer = 1;', 'test/a.js')).toEqual([]);
});
