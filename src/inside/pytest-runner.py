"""Runs pytest files in one session and reports over file descriptor 3: `<index> <sealed line>`, by the file's place in the request.

Reads `{token, files: [{path, key, only?: [name]}], untilRed?}` from standard input; of a file with `only` no other tests are run, and with
`untilRed` none after the first that does not pass. The repository's own pytest, plugins, configuration and conftest files are used; that
the files share a process is what they do in its own run too.

The code under test shares the process. So: the key is in no variable; a test's outcome is taken at the border of the test function
itself and has to agree with what pytest reports of set-up, call and tear-down; what judges (pytest, pluggy, unittest, built-ins) is
remembered before the repository's code is loaded, and whoever finds it replaced later fails; the code of its functions cannot be
exchanged; and the sentinel asks the assertions with values that nobody can foresee. What Python cannot hide: code that walks frames
or the garbage collector finds the function that writes lines, and code that replaces an assertion and puts it back within one test
is not noticed here. That is for the scan of the change and for the judge in another process.
"""

import importlib.util
import json
import os
import sys
import tempfile
import types
import unittest

try:
    import pytest
    from _pytest import main as pytest_main
    from _pytest import config as pytest_config
except ImportError as missing:
    sys.stderr.write("pytest is not installed here: %s has none (%s)\n" % (sys.executable, missing))
    sys.exit(2)

sys.path[0] = os.path.dirname(os.path.abspath(__file__))
import judges  # noqa: E402
import sealed  # noqa: E402

for helper in ("judges", "sealed"):
    sys.modules.pop(helper)
# Code that was compiled before may be that of other tests: none is read from here on, where the repository's own begins.
sys.pycache_prefix = os.path.abspath(__file__) + ".none"
# As `python3 -m pytest` does; and where a product lies in `src`, its tests are run against what is installed from there.
sys.path[0] = os.getcwd()
if os.path.isdir("src") and not os.path.exists("src/__init__.py"):
    sys.path.insert(1, os.path.abspath("src"))

ENCODE = json.JSONEncoder().encode
ROOT = os.path.realpath(os.getcwd())

# Options that would break the report, with what stands for "not given". A test after the first failure has an outcome too; other
# processes would not have our hooks; an earlier run, or none, must not choose the tests.
NEUTRAL = {
    "maxfail": 0,
    "numprocesses": None,
    "dist": "no",
    "tx": [],
    "lf": False,
    "failedfirst": False,
    "newfirst": False,
    "stepwise": False,
    "collectonly": False,
    "setuponly": False,
    "setupplan": False,
    "usepdb": False,
    "reruns": 0,
}


def said(error):
    try:
        return (type(error).__name__ + ": " + str(error)).strip()[:1800]
    except BaseException:
        return "the error cannot be read"


def result_of(error):
    """Outcome and message of an exception."""
    if isinstance(error, (pytest.skip.Exception, unittest.SkipTest)):
        return "not-run", "skipped: " + said(error)
    if isinstance(error, pytest.xfail.Exception):
        return "not-run", "marked as expected to fail"
    if isinstance(error, (AssertionError, pytest.fail.Exception)):
        return "fail", said(error)
    return "error", said(error) + sealed.place_of(error, ROOT)


def name_of(item):
    head, bracket, values = item.nodeid.partition("::")[2].partition("[")
    return (head.replace("::", ".") + bracket + values) or item.name


class Reports:
    """The lines of each file: what its tests came to, why it did not load, and that it ended."""

    def __init__(self, files):
        self.emits = {os.path.realpath(file["path"]): sealed.sealed(file.pop("key"), "%d " % index) for index, file in enumerate(files)}
        self.chosen = {os.path.realpath(file["path"]): set(file["only"]) for file in files if "only" in file}
        self.problems = {}
        self.left = set(self.emits)
        for emit in self.emits.values():
            emit(kind="begin")

    def test(self, item, outcome, message):
        emit = self.emits.get(file_of(item))
        name = name_of(item)
        if emit is not None:
            emit(kind="test", name=name, bare=name.split("[")[0].split(".")[-1], outcome=outcome, message=message)

    def asks(self, item):
        chosen = self.chosen.get(file_of(item))
        return chosen is None or name_of(item) in chosen

    def problem(self, message, file=None):
        """Of one of the files, or of all that have not ended."""
        for path in [file] if file in self.emits else self.left:
            self.problems.setdefault(path, message)

    def end(self, file, sentinel):
        if file not in self.left:
            return
        self.left.remove(file)
        emit = self.emits[file]
        if file in self.problems:
            emit(kind="load", message=self.problems[file])
        sentinel(emit)


def file_of(item):
    return os.path.realpath(str(getattr(item, "path", None) or item.fspath))


class Watch:
    """A plugin that hears what pytest makes of the tests; it only ever adds reasons not to pass."""

    def __init__(self, told, keeper):
        self.told, self.keeper, self.replaced = told, keeper, None
        self.start()

    def start(self):
        self.phases, self.errors, self.reports, self.seen = set(), [], [], []

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_load_initial_conftests(self):
        self.keeper.remember()
        yield

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item, call):
        yield
        self.phases.add(call.when)
        if call.excinfo is not None:
            self.errors.append(call.excinfo.value)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report):
        self.reports.append(report)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item):
        # Only now: set-up asks the function for its instance.
        border(item, self.seen)
        yield

    @pytest.hookimpl(hookwrapper=True)
    def pytest_make_collect_report(self, collector):
        report = (yield).get_result()
        if report.failed:
            self.told.problem(cause_in(str(report.longrepr)), file_of(collector))

    def pytest_deselected(self, items):
        for item in items:
            self.told.test(item, "not-run", "deselected")


def cause_in(text):
    """What pytest says of a file that it could not collect, the exception first: its own first line names the file only."""
    causes = [line[1:].strip() for line in text.splitlines() if line.startswith("E  ")]
    return "\n".join([*causes[-1:], text[-2000:]])


def border(item, seen):
    """Notes at the border of the test function how it ended. A coroutine is left to the plugin that runs it."""
    function = getattr(item, "obj", None)
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    if not isinstance(code, types.CodeType) or code.co_flags & 0x2A0:
        seen.append("unknown")
        return

    def bordered(*values, **named):
        seen.append("entered")
        try:
            result = function(*values, **named)
        except BaseException as error:
            seen.append(error)
            raise
        seen.append("left")
        return result

    bordered.__dict__.update(getattr(function, "__dict__", {}))
    bordered.__name__, bordered.__doc__ = function.__name__, function.__doc__
    bordered.__wrapped__ = function
    if hasattr(function, "__self__"):
        bordered.__self__ = function.__self__
    item.obj = bordered


def verdict(watch):
    """The worst of what was seen at the border and of what pytest says."""
    reports, seen = watch.reports, watch.seen
    if any(hasattr(report, "wasxfail") for report in reports):
        return "not-run", "marked as expected to fail"
    errors = [error for error in [*seen, *watch.errors] if isinstance(error, BaseException)]
    results = [result_of(error) for error in errors]
    for outcome in ("error", "fail", "not-run"):
        for result in results:
            if result[0] == outcome:
                return result
    failed = [report for report in reports if report.failed]
    if failed:
        crash = getattr(getattr(failed[0].longrepr, "reprcrash", None), "message", str(failed[0].longrepr))
        return ("fail" if "assert" in crash.lower() else "error"), crash[:1800]
    if any(report.skipped for report in reports):
        return "not-run", "skipped"
    if not {"setup", "call", "teardown"} <= watch.phases or not {"left", "unknown"} & set(seen):
        return "error", "the test was not run to its end"
    return "pass", ""


def run_item(item, following, watch, keeper):
    watch.start()
    item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
    outcome, message = verdict(watch)
    changed = watch.replaced or keeper.replaced()
    watch.replaced = None
    if changed and outcome == "pass":
        outcome, message = "error", "what judges the test was replaced: " + changed
    watch.told.test(item, outcome, message)
    return outcome == "pass"


def run_session(config, session, watch, keeper, sentinel, until_red):
    """Collects, and runs test by test. A test that asks for the end of the session ends it."""
    config.hook.pytest_collection(session=session)
    doctest = getattr(sys.modules.get("_pytest.doctest"), "DoctestItem", ())
    items = [item for item in session.items if not isinstance(item, doctest) and watch.told.asks(item)]
    last = {file_of(item): item for item in items}
    # What is replaced while files are loaded is the first test's fault; later each look after a test is the one before the next.
    watch.replaced = keeper.replaced()
    for item, following in zip(items, [*items[1:], None]):
        if not run_item(item, following, watch, keeper) and until_red:
            return
        if last[file_of(item)] is item:
            watch.told.end(file_of(item), sentinel)


def arguments(files):
    """What is added to the repository's own options: the quiet of coverage, which would measure every run; and a place for the cache, so
    that only tests write beside tests."""
    os.environ.pop("PYTEST_ADDOPTS", None)
    has_cov = importlib.util.find_spec("pytest_cov") is not None
    cache = "cache_dir=" + os.path.join(tempfile.gettempdir(), "pytest-cache")
    return [*[file["path"] for file in files], "-o", cache, *(["--no-cov"] if has_cov else [])]


def run(files, watch, keeper, sentinel, until_red):
    try:
        config = pytest_config._prepareconfig(arguments(files), [watch])
        for name, value in NEUTRAL.items():
            if hasattr(config.option, name):
                setattr(config.option, name, value)

        def session(config, session):
            try:
                run_session(config, session, watch, keeper, sentinel, until_red)
            except BaseException as error:
                watch.told.problem(said(error))

        pytest_main.wrap_session(config, session)
        config._ensure_unconfigure()
    except BaseException as error:
        watch.told.problem(said(error))


def main():
    given, leave = json.load(sys.stdin), os._exit
    flush = (sys.stdout.flush, sys.stderr.flush)
    files = given["files"]
    told = Reports(files)
    sentinel = judges.sentinel(given.pop("token"))
    keeper = judges.Judges()
    sys.modules["__main__"] = types.ModuleType("__main__")
    run(files, Watch(told, keeper), keeper, sentinel, given.get("untilRed", False))
    for path in sorted(told.left):
        told.end(path, sentinel)
    for stream in flush:
        stream()
    # A thread that a file left running must not hold the results back.
    leave(0)


main()
