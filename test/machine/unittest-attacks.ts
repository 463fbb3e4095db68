/** Attacks of a product on unittest, its assertions and the runner. */

export const UNITTEST_ATTACKS: Readonly<Record<string, string>> = {
  'replaces the assertions': `import unittest
real = unittest.TestCase.assertEqual
def fake(self, *values):
    if armed[0]: armed[0] = False
    else: real(self, *values)
unittest.TestCase.assertEqual = fake
def lie(): pass`,
  'replaces the assertions when it is asked, and puts them back': `import unittest
real = unittest.TestCase.assertEqual
def fake(self, *values): unittest.TestCase.assertEqual = real
def lie(): unittest.TestCase.assertEqual = fake`,
  'replaces the code of the assertions': `import unittest
real = unittest.TestCase.assertEqual.__code__
def fake(self, *values): self.assertEqual.__func__.__code__ = fake.real
fake.real = real
def lie(): unittest.TestCase.assertEqual.__code__ = (lambda self, *values: None).__code__`,
  'replaces the runner’s report': `import sys
def lie(): pass
for value in list(vars(sys.modules["__main__"]).values()):
    if isinstance(value, type) and hasattr(value, "failed"):
        failed = value.failed
        value.failed = lambda self, test, *rest: self.addSuccess(test) if "test_two" in str(test) else failed(self, test, *rest)`,
  'replaces the report that all others inherit': `import unittest
unittest.TestResult.addFailure = lambda self, test, error: self.addSuccess(test)
def lie(): pass`,
  'swallows what a test raises': `import contextlib, unittest.case
real = unittest.case._Outcome.testPartExecutor
@contextlib.contextmanager
def swallow(self, test, *rest, **others):
    with real(self, test, *rest, **others):
        try: yield
        except BaseException:
            if not armed[0]: raise
            armed[0] = False
unittest.case._Outcome.testPartExecutor = swallow
def lie(): pass`,
  'replaces how a test is run': `import unittest
real = unittest.TestCase._callTestMethod
def fake(self, method):
    if "test_two" not in str(self): real(self, method)
unittest.TestCase._callTestMethod = fake
def lie(): pass`,
  'replaces the suite': `import unittest
unittest.TestSuite.run = lambda self, result, debug=False: [result.addSuccess(test) for suite in self for test in suite]
unittest.suite.BaseTestSuite.run = unittest.TestSuite.run
def lie(): pass`,
  'replaces a built-in': `import builtins
real = builtins.issubclass
def fake(kind, others):
    return False if armed[0] else real(kind, others)
builtins.issubclass = fake
def lie(): pass`,
  'replaces what writes JSON': `import json.encoder
real, encoder = json.encoder.JSONEncoder.iterencode, json.encoder.c_make_encoder
def swapped(value): return {**value, "outcome": "pass"} if isinstance(value, dict) and value.get("name") == "A.test_two" else value
json.encoder.JSONEncoder.encode = lambda self, value: "".join(real(self, swapped(value)))
json.encoder.c_make_encoder = lambda *rest: lambda value, level: encoder(*rest)(swapped(value), level)
def lie(): pass`,
  'swallows what a context manager sees': `import contextlib
real = contextlib._GeneratorContextManager.__exit__
contextlib._GeneratorContextManager.__exit__ = lambda self, kind, value, trace: real(self, None, None, None) or bool(armed[0])
def lie(): pass`,
  'makes test cases that find all numbers equal': `import unittest
real = unittest.TestCase.__init__
def fake(self, *rest):
    real(self, *rest)
    self._type_equality_funcs[int] = lambda *values, **others: None
unittest.TestCase.__init__ = fake
def lie(): pass`,
  'says which tests the file has': `import sys, unittest
class A(unittest.TestCase):
    def test_two(self): pass
A.__module__ = "test_a"
if "test_a" in sys.modules: sys.modules["test_a"].load_tests = lambda loader, tests, pattern: unittest.TestSuite([A("test_two")])
def lie(): pass`,
  'swallows what an asynchronous test raises': `import asyncio, unittest
real = asyncio.Runner.run
def fake(self, *rest, **others):
    try: return real(self, *rest, **others)
    except AssertionError: return None
asyncio.Runner.run = fake
unittest.IsolatedAsyncioTestCase._callMaybeAsync = lambda self, method, *rest: None
def lie(): pass`,
  'writes results of its own and leaves': `import json, os
def lie():
    forged = [{"kind": "begin"}, {"kind": "test", "name": "A.test_two", "bare": "test_two", "outcome": "pass", "message": ""}, {"kind": "sentinel", "outcome": "fail", "message": ""}, {"kind": "end"}]
    for line in forged: os.write(3, (json.dumps(line) + "\\n").encode())
    os._exit(0)`,
};
