"""What judges the tests, remembered before the repository's code is loaded. Loaded and hidden as `sealed.py` is."""

import ast
import builtins
import sys
import types
import unittest

import pytest
from _pytest.assertion.rewrite import rewrite_asserts

JUDGES = ("pytest", "_pytest", "pluggy", "unittest")
# Honest programs replace these for good.
FREE = ("open", "input", "print", "copyright", "credits", "license", "exit", "quit", "help", "_")
CALLABLE = (types.FunctionType, types.BuiltinFunctionType, type, classmethod, staticmethod, property)


class Judges:
    """What judges, as it was before the repository's code was loaded. The code of its functions is kept from the beginning on."""

    def __init__(self):
        self.codes = set()
        self.remember()
        codes, refused = self.codes, ("__code__", "__defaults__", "__kwdefaults__", "__bases__")

        def audit(event, values):
            if event == "object.__setattr__" and values[1] in refused and id(values[0]) in codes:
                raise RuntimeError("what judges tests is not there for code under test")

        sys.addaudithook(audit)

    def remember(self):
        """Called again when pytest has loaded the installed plugins, some of which replace functions of pytest."""
        import _pytest.legacypath  # noqa: F401  # pytest loads it later

        self.kept = []
        for name in [name for name in sys.modules if name.split(".")[0] in JUDGES]:
            self.keep(name, sys.modules[name])
        known = {key: value for key, value in vars(builtins).items() if isinstance(value, CALLABLE) and key not in FREE}
        self.kept.append(("builtins", builtins, known))
        # pytest itself puts these in place of others while it is configured.
        legacy = vars(sys.modules["_pytest.legacypath"])
        self.own = [value for value in legacy.values() if isinstance(value, types.FunctionType)]
        self.codes.update(id(value) for _, _, known in self.kept for value in known.values())
        # Looked through after each test, so each look-up is prepared.
        self.places = [
            (vars(owner).get, key, value, owner, name) for name, owner, known in self.kept for key, value in known.items()
        ]

    def keep(self, name, module):
        known = {key: value for key, value in vars(module).items() if isinstance(value, CALLABLE)}
        self.kept.append((name, module, known))
        for key, value in known.items():
            if isinstance(value, type) and value.__module__.split(".")[0] in JUDGES:
                methods = {own: found for own, found in vars(value).items() if isinstance(found, CALLABLE)}
                self.kept.append((name + "." + key, value, methods))

    def replaced(self):
        """The name of what is not as it was; all of it is put back."""
        found = None
        for get, key, value, owner, name in self.places:
            now = get(key)
            if now is not value and not any(now is other for other in self.own):
                found = found or name + "." + key
                setattr(owner, key, value)
        return found


def sentinel(token):
    """Wrong in ways that nobody can foresee: the values are new in each run. It asks what tests ask, as it is at the end."""
    one, other = token[: len(token) // 2], token[len(token) // 2 :]
    source = b"def check(one, other):\n    assert one == other\n"
    tree = ast.parse(source)
    rewrite_asserts(tree, source)
    code = compile(tree, "sentinel", "exec")
    case, failed = unittest.TestCase(), pytest.fail.Exception

    def rewritten():
        names = {}
        exec(code, names)
        names["check"](one, other)

    def raises():
        with pytest.raises(ValueError, match=one):
            raise ValueError(other) if one == other else KeyError(other)

    def approx():
        if (int(one, 16) + 1.0) == pytest.approx(int(one, 16) + 3.0, abs=0.5):
            return
        raise AssertionError

    wrong = [
        ("assert", rewritten),
        ("pytest.raises", lambda: pytest.raises(ValueError, lambda: one)),
        ("pytest.raises", raises),
        ("pytest.fail", lambda: pytest.fail(one)),
        ("pytest.approx", approx),
        ("assertEqual", lambda: case.assertEqual(one, other)),
        ("assertTrue", lambda: case.assertTrue("")),
        ("assertIn", lambda: case.assertIn(one, [other])),
        ("assertRaises", lambda: case.assertRaises(ValueError, lambda: one)),
    ]
    genuine = (AssertionError, failed, KeyError)

    def end(emit):
        for name, ask in wrong:
            try:
                ask()
            except genuine:
                continue
            return emit(kind="end", outcome="load-error", message=name + " no longer fails")
        return emit(kind="end", outcome="fail", message="as it must")

    return end
