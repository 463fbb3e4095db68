"""Runs one pytest file and reports over file descriptor 3, in sealed lines.

Reads `{key, token, path, only?, cover?}` from standard input: `only` names the tests to run, `cover` the product files whose
executed lines are wanted per test. The repository's own pytest, plugins, configuration and conftest files are used.

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
import types
import unittest

try:
    import pytest
    from _pytest import main as pytest_main
    from _pytest import config as pytest_config
except ImportError as missing:
    sys.stderr.write("pytest is not installed here: %s\n" % missing)
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


class Watch:
    """A plugin that hears what pytest makes of the tests; it only ever adds reasons not to pass."""

    def __init__(self, emit, keeper):
        self.emit, self.keeper = emit, keeper
        self.start()
        self.load_error = None

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

    def pytest_collectreport(self, report):
        if report.failed and self.load_error is None:
            self.load_error = str(report.longrepr)[-2000:]

    def pytest_deselected(self, items):
        for item in items:
            self.tell(item, "not-run", "deselected")

    def tell(self, item, outcome, message):
        name = name_of(item)
        bare = name.split("[")[0].split(".")[-1]
        self.emit(kind="test", name=name, bare=bare, outcome=outcome, message=message)


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


def run_item(item, following, watch, keeper, lines):
    watch.start()
    changed = keeper.replaced()
    lines.begin()
    try:
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
    finally:
        covered = lines.end()
    outcome, message = verdict(watch)
    changed = changed or keeper.replaced()
    if changed and outcome == "pass":
        outcome, message = "error", "what judges the test was replaced: " + changed
    watch.tell(item, outcome, message)
    if covered is not None:
        watch.emit(kind="covered", name=name_of(item), lines=ENCODE(covered))


def run_session(config, session, watch, keeper, request, lines):
    """Collects, and runs test by test. A test that asks for the end of the session ends it."""
    config.hook.pytest_collection(session=session)
    if watch.load_error is not None:
        return
    doctest = getattr(sys.modules.get("_pytest.doctest"), "DoctestItem", ())
    items = [item for item in session.items if not isinstance(item, doctest)]
    if request["only"] is not None:
        items = [item for item in items if name_of(item) in request["only"]]
    for item, following in zip(items, [*items[1:], None]):
        run_item(item, following, watch, keeper, lines)


def arguments(path):
    """What is added to the repository's own options: the quiet of coverage, whose tracer would be in the way of ours."""
    os.environ.pop("PYTEST_ADDOPTS", None)
    has_cov = importlib.util.find_spec("pytest_cov") is not None
    return [path, *(["--no-cov"] if has_cov else [])]


def run(request, watch, keeper, lines):
    try:
        config = pytest_config._prepareconfig(arguments(request["path"]), [watch])
        for name, value in NEUTRAL.items():
            if hasattr(config.option, name):
                setattr(config.option, name, value)

        def session(config, session):
            try:
                run_session(config, session, watch, keeper, request, lines)
            except BaseException as error:
                watch.load_error = watch.load_error or said(error)

        pytest_main.wrap_session(config, session)
        config._ensure_unconfigure()
    except BaseException as error:
        watch.load_error = watch.load_error or said(error)


def main():
    given, leave = json.load(sys.stdin), os._exit
    flush = (sys.stdout.flush, sys.stderr.flush)
    emit = sealed.sealed(given.pop("key"))
    end = judges.sentinel(given.pop("token"), emit)
    request = {"path": given["path"], "only": given.get("only")}
    lines = sealed.coverage(given.get("cover"))
    keeper = judges.Judges()
    watch = Watch(emit, keeper)
    sys.modules["__main__"] = types.ModuleType("__main__")
    emit(kind="begin")
    run(request, watch, keeper, lines)
    if watch.load_error is not None:
        emit(kind="load", message=watch.load_error)
    end()
    for stream in flush:
        stream()
    # A thread that the file left running must not hold the results back.
    leave(0)


main()
