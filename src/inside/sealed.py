"""What the runners in the sandbox share: sealed lines, and the lines that a test executes.

The runners load this file before the code under test, and then take it out of `sys.modules` and `sys.path`. Nothing in it is
secret: whoever loads it again gets functions without the key.
"""

import hashlib
import json
import os
import sys
import threading


def sealed(key):
    """Writes a line on descriptor 3; the key is in no variable, only inside the hash."""
    start = hashlib.sha3_256((key + " ").encode())
    write, quoted, positions = os.write, json.encoder.c_encode_basestring, iter(range(sys.maxsize))
    text_of, join, following = str, ",".join, next

    def emit(**line):
        pairs = [quoted(name) + ":" + quoted(value) for name, value in line.items()]
        text = "{" + join(pairs) + "}"
        digest = start.copy()
        digest.update((text_of(following(positions)) + " " + text).encode(errors="replace"))
        left = (digest.hexdigest() + " " + text + "\n").encode(errors="replace")
        while left:
            left = left[write(3, left) :]

    return emit


class Traced:
    """Lines by `sys.settrace`, for Python before 3.12; frames of other files get no local trace."""

    def __init__(self, paths):
        self.found = {}
        self.places = {os.path.realpath(path): path for path in paths}
        self.known = {}
        self.set_trace, self.get_trace = sys.settrace, sys.gettrace
        self.set_thread_trace = threading.settrace

    def place(self, file):
        if file not in self.known:
            self.known[file] = self.places.get(os.path.realpath(file))
        return self.known[file]

    def begin(self):
        self.found = {}
        self.before = self.get_trace()
        self.set_thread_trace(self.trace)
        self.set_trace(self.trace)

    def end(self):
        self.set_trace(self.before)
        self.set_thread_trace(self.before)
        return {path: sorted(lines) for path, lines in sorted(self.found.items())}

    def trace(self, frame, event, _value):
        place = self.place(frame.f_code.co_filename)
        if place is None:
            return None
        lines = self.found.setdefault(place, set())

        def line(frame, event, _value):
            if event == "line":
                lines.add(frame.f_lineno)
            return line

        return line


class Monitored:
    """Lines by `sys.monitoring`, from Python 3.12 on: each line costs once per test."""

    def __init__(self, paths):
        self.found = {}
        self.places = {os.path.realpath(path): path for path in paths}
        self.api = sys.monitoring
        # 0, 1, 2 and 5 are named by Python for debuggers, coverage, profilers and optimisers.
        self.tool = 4
        self.api.use_tool_id(self.tool, "loopwright")
        self.api.register_callback(self.tool, self.api.events.LINE, self.line)

    def begin(self):
        self.found = {}
        self.api.restart_events()
        self.api.set_events(self.tool, self.api.events.LINE)

    def end(self):
        self.api.set_events(self.tool, 0)
        return {path: sorted(lines) for path, lines in sorted(self.found.items())}

    def line(self, code, number):
        place = self.places.get(os.path.realpath(code.co_filename))
        if place is not None:
            self.found.setdefault(place, set()).add(number)
        return self.api.DISABLE


class Unasked:
    """Nobody asked for lines."""

    def begin(self):
        pass

    def end(self):
        return None


def coverage(paths):
    """What counts the lines of the product files, in the way of this Python."""
    if not paths:
        return Unasked()
    return Monitored(paths) if hasattr(sys, "monitoring") else Traced(paths)


def is_test(path):
    """Whether a path from the root belongs to the tests, by the usual names."""
    *folders, name = path.split("/")
    return (
        name == "conftest.py"
        or name.startswith("test_")
        or name.endswith("_test.py")
        or any(folder in ("test", "tests", "testing") for folder in folders)
    )


def place_of(error, root):
    """Where in the repository an exception's last own frame is, as an end of its message."""
    found, step = "", error.__traceback__
    while step is not None:
        file = step.tb_frame.f_code.co_filename
        path = os.path.relpath(os.path.realpath(file), root)
        if os.path.isfile(file) and not path.startswith("..") and "site-packages" not in path:
            found = " (raised in the %s, %s:%d)" % ("test" if is_test(path) else "product", path, step.tb_lineno)
        step = step.tb_next
    return found
