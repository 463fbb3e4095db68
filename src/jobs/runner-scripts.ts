/** The programs that run inside a test run and report over file descriptor 3; kept as text, so that the job stays one file. */

/**
 * A node:test reporter: one JSON line per test, and `{"kind":"end"}` when the stream is complete. Suites are not tests, and
 * a test that failed through its subtests fails as they did.
 */
export const NODE_REPORTER = `import { writeSync } from 'node:fs';
const emit = (line) => { const text = Buffer.from(JSON.stringify(line) + '\\n'); let at = 0; while (at < text.length) at += writeSync(3, text, at); };
const isAssertion = (error) => error?.code === 'ERR_ASSERTION' || error?.name === 'AssertionError';
export default async function* report(source) {
  let names = [];
  let worst = [];
  const failureOf = ({ nesting, details }) => {
    const error = details?.error;
    if (error?.failureType === 'subtestsFailed') return worst[nesting + 1] ?? 'load-error';
    return error?.failureType === 'testCodeFailure' && isAssertion(error.cause) ? 'fail' : 'load-error';
  };
  for await (const { type, data } of source) {
    if (type === 'test:start') { names = [...names.slice(0, data.nesting), data.name]; worst.length = Math.min(worst.length, data.nesting + 1); }
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const left = data.skip !== undefined || data.todo !== undefined;
    const outcome = left ? 'not-run' : type === 'test:pass' ? 'pass' : failureOf(data);
    if (outcome === 'load-error' || (outcome === 'fail' && worst[data.nesting] !== 'load-error')) worst[data.nesting] = outcome;
    const path = [...names.slice(0, data.nesting), data.name];
    const cause = data.details?.error?.cause ?? data.details?.error;
    const message = left ? 'skipped or todo' : type === 'test:pass' ? '' : cause instanceof Object && 'message' in cause ? cause.name + ': ' + cause.message : String(cause);
    if (data.details?.type !== 'suite') emit({ kind: 'test', name: path.join(' > '), bare: data.name, outcome, message: message.slice(0, 2000) });
    worst.length = data.nesting + 1;
  }
  emit({ kind: 'end' });
}
`;

/**
 * One test file between its two sentinels, in one process: the last one must fail by assertion, and notices when the file or what it
 * imports has replaced the assertions.
 */
export function nodeWrapper(request: {
  readonly url: string | undefined;
  readonly index: string;
  readonly nonce: string;
}): string {
  const { url, index, nonce } = request;
  const load =
    url === undefined
      ? ''
      : `try { await import(${JSON.stringify(url)}); } catch (error) { test('load ${index} ${nonce}', () => { throw error; }); }`;
  return `import test from 'node:test';
import assert from 'node:assert';
test('begin ${index} ${nonce}', () => {});
${load}
test('end ${index} ${nonce}', () => {
  const wrong = { ok: [false], equal: [1, 2], notEqual: [1, 1], strictEqual: [1, 2], deepEqual: [[1], [2]], deepStrictEqual: [[1], [2]], match: ['a', /b/], throws: [() => {}] };
  for (const library of [assert, assert.strict]) for (const [name, values] of Object.entries(wrong)) {
    let noticed = false;
    try { library[name](...values); } catch { noticed = true; }
    if (!noticed) throw new Error('assert.' + name + ' no longer fails');
  }
  // What the file left open must not hold the results back; hooks that run last have this long.
  setTimeout(() => process.exit(), 500).unref();
  assert.fail('as it must');
});
`;
}

/** Runs each unittest file in a process of its own, between two sentinels, with the repository's root on the path. */
export const UNITTEST_RUNNER = `import importlib.util, json, os, subprocess, sys, traceback, unittest

RESULTS = 3

def emit(**line):
    text = (json.dumps(line) + "\\n").encode()
    while text:
        text = text[os.write(RESULTS, text):]

class Report(unittest.TestResult):
    def line(self, test, outcome, message=""):
        name = ".".join(test.id().split(".")[-2:]) if isinstance(test, unittest.TestCase) else str(test)
        emit(kind="test", name=name, bare=name.split(".")[-1], outcome=outcome, message=message[-2000:])
    def failed(self, test, error, outcome):
        self.line(test, outcome, "".join(traceback.format_exception_only(error[0], error[1])).strip())
    def addSuccess(self, test): self.line(test, "pass")
    def addFailure(self, test, error): self.failed(test, error, "fail")
    def addError(self, test, error): self.failed(test, error, "load-error")
    def addSkip(self, test, reason): self.line(test, "not-run", "skipped: " + reason)
    def addExpectedFailure(self, test, error): self.line(test, "not-run", "marked as expected to fail")
    def addUnexpectedSuccess(self, test): self.line(test, "not-run", "marked as expected to fail")
    def addSubTest(self, test, subtest, error):
        if error is not None:
            self.failed(test, error, "fail" if issubclass(error[0], test.failureException) else "load-error")

def sentinel(kind, index, nonce):
    name = kind + " " + index + " " + nonce
    class Sentinel(unittest.TestCase):
        def runTest(self):
            if kind == "begin": return
            wrong = [("assertEqual", 1, 2), ("assertNotEqual", 1, 1), ("assertTrue", False), ("assertFalse", True), ("assertIn", 1, []), ("assertIs", 1, None), ("assertIsNone", 1), ("assertRaises", ValueError, int)]
            for method, *values in wrong:
                try: getattr(self, method)(*values)
                except AssertionError: continue
                raise RuntimeError(method + " no longer fails")
            self.fail("as it must")
        def id(self): return name
        def __str__(self): return name
    return Sentinel()

def load(path):
    name = os.path.splitext(path)[0].replace("/", ".")
    spec = importlib.util.spec_from_file_location(name, os.path.join(os.getcwd(), path))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return unittest.defaultTestLoader.loadTestsFromModule(module)

def run_one(index, nonce, path):
    sys.path.insert(0, os.getcwd())
    last = sentinel("end", index, nonce)
    report = Report()
    sentinel("begin", index, nonce).run(report)
    if path:
        try:
            load(path).run(report)
        except BaseException as error:
            emit(kind="test", name="load " + index + " " + nonce, bare="", outcome="load-error", message="".join(traceback.format_exception_only(type(error), error)).strip()[-2000:])
    last.run(report)
    sys.stdout.flush()
    sys.stderr.flush()
    # A thread that the file left running must not hold the results back.
    os._exit(0)

if sys.argv[1] == "one":
    sys.path.pop(0)
    run_one(*sys.argv[2:])
else:
    seconds, nonce, *files = sys.argv[2:]
    for index, path in [("run", "")] + [(str(at), path) for at, path in enumerate(files)]:
        try: subprocess.run([sys.executable, os.path.abspath(__file__), "one", index, nonce, path], pass_fds=(RESULTS,), timeout=float(seconds))
        except subprocess.TimeoutExpired: print(path + " was stopped after " + seconds + " s", file=sys.stderr)
    emit(kind="end")
`;
