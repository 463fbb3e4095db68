/** What a wrong product may try inside the process of the pytest that asks it; `lie` is called when the product is asked. */
const IDLE = 'def lie(): pass\n';

export const PYTEST_ATTACKS: Readonly<Record<string, string>> = {
  'attacks nothing': IDLE,
  'leaves with a good exit code': 'import os\ndef lie(): os._exit(0)\n',
  'raises the exit of a good program': 'import sys\ndef lie(): sys.exit(0)\n',
  'ends the session': 'import pytest\ndef lie(): pytest.exit("done", 0)\n',
  'skips its test': 'import pytest\ndef lie(): pytest.skip("no")\n',
  'calls every call good': `import _pytest.runner as r
real = r.CallInfo.from_call.__func__
def good(cls, func, when, reraise=None):
    return real(cls, (lambda: None) if when == "call" else func, when, reraise)
r.CallInfo.from_call = classmethod(good)
${IDLE}`,
  'turns reports to passed': `import _pytest.reports as r
real = r.TestReport.from_item_and_call.__func__
def good(cls, item, call):
    report = real(cls, item, call)
    report.outcome, report.longrepr = "passed", None
    return report
r.TestReport.from_item_and_call = classmethod(good)
${IDLE}`,
  'does not call test functions': `import _pytest.python as p
p.Function.runtest = lambda self: None
${IDLE}`,
  'replaces how hooks are called': `import pluggy._hooks as h
real = h.HookCaller.__call__
def call(self, **named):
    return True if self.name == "pytest_pyfunc_call" else real(self, **named)
h.HookCaller.__call__ = call
${IDLE}`,
  'exchanges the code of a function that judges': `import _pytest.python as p
def nothing(self): pass
p.Function.runtest.__code__ = nothing.__code__
${IDLE}`,
  'gives other assertion errors': `import builtins
class Quiet(AssertionError): pass
builtins.AssertionError = Quiet
${IDLE}`,
  'rewrites assertions to nothing': `import _pytest.assertion.rewrite as w
w.rewrite_asserts = lambda *values: None
${IDLE}`,
  'writes results of its own': `import os, json
def lie():
    for fd in (1, 3):
        try: os.write(fd, (json.dumps({"kind": "test", "name": "test_it", "bare": "test_it", "outcome": "pass", "message": ""}) + "\\n").encode())
        except OSError: pass
`,
  'replaces what writes and seals lines': `import os, json, hashlib
real = os.write
os.write = lambda fd, data: real(fd, data.replace(b'"fail"', b'"pass"'))
json.encoder.c_encode_basestring = lambda text: '"pass"'
hashlib.sha3_256 = hashlib.sha256
${IDLE}`,
  'leaves at the end of the program':
    'import atexit, os\natexit.register(lambda: os._exit(0))\ndef lie(): raise SystemExit\n',
  'puts other modules in place of pytest': `import sys, types
sys.modules["_pytest.runner"] = types.ModuleType("runner")
sys.modules["pytest"] = types.ModuleType("pytest")
${IDLE}`,
  'makes plugins hear a good report': `import _pytest.runner as r
def good(item, call):
    call.excinfo = None
    return r.TestReport.from_item_and_call(item, call)
r.pytest_runtest_makereport = good
${IDLE}`,
};
