"""Sealed lines, and where an exception was raised.

The runner loads this file before the code under test, and then takes it out of `sys.modules` and `sys.path`. Nothing in it is
secret: whoever loads it again gets functions without the key.
"""

import hashlib
import json
import os
import sys


def sealed(key, prefix=""):
    """Writes a line on descriptor 3, behind the prefix; the key is in no variable, only inside the hash."""
    start = hashlib.sha3_256((key + " ").encode())
    write, quoted, positions = os.write, json.encoder.c_encode_basestring, iter(range(sys.maxsize))
    text_of, join, following = str, ",".join, next

    def emit(**line):
        pairs = [quoted(name) + ":" + quoted(value) for name, value in line.items()]
        text = "{" + join(pairs) + "}"
        digest = start.copy()
        digest.update((text_of(following(positions)) + " " + text).encode(errors="replace"))
        left = (prefix + digest.hexdigest() + " " + text + "\n").encode(errors="replace")
        while left:
            left = left[write(3, left) :]

    return emit


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
