"""Runs unittest files, each in a copy of this process, and reports over file descriptor 3: `<index> <sealed line>`, by the file's place
in the request.

The tested code shares the process and could change all that judges it: so tests are run by private copies of unittest's modules, with
built-ins of their own, each line is sealed with a key, and the last test must fail by assertion. Python hides nothing from code that
walks its frames; that is for the scan of the change and the acceptance session, whose judge is another process. Reads
`{token, files: [{path, key, only?: [name]}]}` from standard input, of a file with `only` no other tests are run; a copy forgets the other
files' keys before it loads its own file.
"""
import asyncio, builtins, functools, hashlib, importlib.util, json, os, signal, sys, traceback, types, unittest

BUILTINS = {name: value for name, value in vars(builtins).items() if not name.startswith("__")}
globals().update(BUILTINS)

def private(name, used={}, **others):
    """A copy of the module that nobody else has; while it is made, the modules in "used" stand for those of their names."""
    spec = importlib.util.find_spec(name)
    module = types.ModuleType(name)
    module.__package__ = spec.parent
    vars(module).update(BUILTINS)
    known = {other: sys.modules[other] for other in used}
    sys.modules.update(used)
    exec(spec.loader.get_code(spec.name), vars(module))
    sys.modules.update(known)
    vars(module).update(others)
    return module

def sealed(key, prefix):
    """Writes a line behind the prefix; the key is in no variable, only inside the hash."""
    start, write, quoted, positions = hashlib.sha3_256((key + " ").encode()), os.write, json.encoder.c_encode_basestring, iter(range(sys.maxsize))
    def emit(**line):
        text = "{" + ",".join([quoted(name) + ":" + quoted(value) for name, value in line.items()]) + "}"
        hash = start.copy()
        hash.update((str(next(positions)) + " " + text).encode())
        left = (prefix + hash.hexdigest() + " " + text + "\n").encode()
        while left: left = left[write(3, left):]
    return emit

def judge(case, async_case, suite, loader, result, emit, only):
    """Runs the tests of a module with methods and a report of its own, whatever happens to those of unittest."""
    lines_of = traceback.format_exception_only
    def said(error): return "".join(lines_of(error[0], error[1])).strip()[-2000:]

    def name_of(test): return ".".join(test.id().split(".")[-2:]) if isinstance(test, unittest.TestCase) else str(test)

    class Report(result.TestResult):
        def line(self, test, outcome, message=""):
            name = name_of(test)
            emit(kind="test", name=name, bare=name.split(".")[-1], outcome=outcome, message=message)
        def addSuccess(self, test): self.line(test, "pass")
        def addFailure(self, test, error): self.line(test, "fail", said(error))
        def addError(self, test, error): self.line(test, "error" if isinstance(test, unittest.TestCase) else "load-error", said(error))
        def addSkip(self, test, reason): self.line(test, "not-run", "skipped: " + reason)
        def addExpectedFailure(self, test, error): self.line(test, "not-run", "marked as expected to fail")
        def addUnexpectedSuccess(self, test): self.line(test, "not-run", "marked as expected to fail")
        def addSubTest(self, test, subtest, error):
            if error is not None: self.line(test, "fail" if issubclass(error[0], AssertionError) else "error", said(error))

    methods = {name: value for name, value in vars(case.TestCase).items() if isinstance(value, types.FunctionType) and name != "__init__"}
    waiting = {name: value for name, value in vars(async_case.IsolatedAsyncioTestCase).items() if isinstance(value, types.FunctionType) and name not in ("__init__", "__del__")}
    def run_async(self, result=None):
        self._setupAsyncioRunner()
        try: return methods["run"](self, result)
        finally: self._tearDownAsyncioRunner()
    waiting["run"] = run_async
    genuine = {name: value for name, value in vars(unittest.TestCase).items() if callable(value) or isinstance(value, classmethod)}
    others = set(vars(unittest.TestCase)) - set(genuine)
    def restore():
        """Whoever was loaded may have added assertions to all test cases, but not replaced any, nor how one is made."""
        for name in list(vars(unittest.TestCase)):
            if name in genuine: setattr(unittest.TestCase, name, genuine[name])
            elif name.startswith("__") and name not in others: delattr(unittest.TestCase, name)

    @functools.cache
    def judged(kind):
        library = (unittest.TestCase, unittest.IsolatedAsyncioTestCase)
        own = [vars(base) for base in kind.__mro__[:kind.__mro__.index(unittest.TestCase)] if base not in library]
        judging = {**methods, **waiting} if issubclass(kind, unittest.IsolatedAsyncioTestCase) else methods
        kept = {name: value for name, value in judging.items() if not any(name in names for names in own)}
        return type(kind)(kind.__name__, (kind,), {**kept, "__module__": kind.__module__, "__qualname__": kind.__qualname__})

    def judge_all(tests):
        for test in tests:
            if isinstance(test, suite.BaseTestSuite): judge_all(test)
            elif isinstance(test, unittest.TestCase): test.__class__ = judged(type(test))

    def chosen(tests):
        for test in tests:
            if isinstance(test, suite.BaseTestSuite): yield from chosen(test)
            elif only is None or name_of(test) in only: yield test

    loader.suite, loader.case = suite, unittest.case
    tests_of = loader.TestLoader()
    tests_of.suiteClass = suite.TestSuite
    report = Report()
    def run(module):
        restore()
        # Only a module says how its tests are found.
        if getattr(vars(module).get("load_tests"), "__globals__", vars(module)) is not vars(module): del module.load_tests
        tests = suite.TestSuite(chosen(tests_of.loadTestsFromModule(module)))
        judge_all(tests)
        tests.run(report)
    return run

def sentinel(case, unpredictable, emit):
    """Wrong in ways that nobody can foresee: the values are new in each run. It asks the methods that tests have, and that judge them."""
    one, other = unpredictable[:len(unpredictable) // 2], unpredictable[len(unpredictable) // 2:]
    wrong = [("assertEqual", one, other), ("assertNotEqual", one, one), ("assertTrue", ""), ("assertFalse", one), ("assertIn", one, [other]), ("assertIs", one, other), ("assertIsNone", one), ("assertRegex", one, other), ("assertRaises", ValueError, lambda: one)]
    def end():
        for kind in (case.TestCase, unittest.TestCase):
            for method, *values in wrong:
                try: getattr(kind(), method)(*values)
                except AssertionError: continue
                return emit(kind="end", outcome="load-error", message=method + " no longer fails")
        emit(kind="end", outcome="fail", message="as it must")
    return end

def load(path):
    name = os.path.splitext(path)[0].replace("/", ".")
    spec = importlib.util.spec_from_file_location(name, os.path.join(os.getcwd(), path))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module

def run_file(path, only, emit, request, case, *modules):
    """In a process of its own, which it ends."""
    leave = os._exit
    run = judge(case, *modules, emit, only)
    end = sentinel(case, request.pop("token"), emit)
    sys.modules["__main__"] = types.ModuleType("__main__")
    # Code that was compiled before may be that of other tests: none is read from here on, where the repository's own begins.
    sys.pycache_prefix = os.path.abspath(__file__) + ".none"
    sys.path[0] = os.getcwd()
    # Where a product lies in `src`, its tests are run against what is installed from there.
    if os.path.isdir("src") and not os.path.exists("src/__init__.py"): sys.path.insert(1, os.path.abspath("src"))
    emit(kind="begin")
    try:
        run(load(path))
    except BaseException as error:
        emit(kind="load", message="".join(traceback.format_exception_only(type(error), error)).strip()[-2000:])
    end()
    sys.stdout.flush()
    sys.stderr.flush()
    # A thread that the file left running must not hold the results back.
    leave(0)

def own_copy(files):
    """Path, chosen tests and lines of one file, in the copy of this process that is made for it; nothing in this process, when all copies have ended."""
    for index, file in enumerate(files):
        child = os.fork()
        if child == 0:
            os.setpgid(0, 0)
            path, only, emit = file["path"], set(file["only"]) if "only" in file else None, sealed(file["key"], "%d " % index)
            for other in files: other.clear()
            return path, only, emit
        os.waitpid(child, 0)
        # What a file left running would be in the way of the next one.
        try: os.killpg(child, signal.SIGKILL)
        except ProcessLookupError: pass

def main():
    request = json.load(sys.stdin)
    case = private("unittest.case", {"contextlib": private("contextlib")}, SkipTest=unittest.SkipTest)
    async_case = private("unittest.async_case", asyncio=types.SimpleNamespace(Runner=private("asyncio.runners").Runner))
    modules = [case, async_case, *[private("unittest." + name) for name in ("suite", "loader", "result")]]
    own = own_copy(request.pop("files"))
    if own is not None: run_file(*own, request, *modules)

main()
