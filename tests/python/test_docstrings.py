# SPDX-License-Identifier: Apache-2.0
"""Runs the examples in the docstrings, and checks that everything public has a docstring that is complete."""
import doctest
import enum
import importlib
import importlib.util
import inspect
import pkgutil
import re
import unittest

import numpy as np

import pykindred
from support import work_in_folder

ABSENT = () if importlib.util.find_spec("torch") else ("torch",)
MODULES = [pykindred.__name__, *(f"pykindred.{found.name}" for found in pkgutil.iter_modules(pykindred.__path__) if found.name not in ABSENT)]
PUBLIC = (pykindred, pykindred.difflib, pykindred.distance, pykindred.errors, pykindred.fuzz, pykindred.process,
          *(importlib.import_module(f"pykindred.{name}") for name in ("torch",) if name not in ABSENT))
# In these modules scorers are objects, whose class has the example.
SCORERS = (pykindred.distance, pykindred.fuzz)
REFERENCE = re.compile(r":(?:meth|func|class):`(?:([\w]+)\.)?(\w+)`")


def public():
    """``(name, object, class of which it is a member, names with which the docstring may be completed)``"""
    for module in PUBLIC:
        listed = module.__all__ if hasattr(module, "__all__") else [name for name in vars(module) if name[0] != "_"]
        for name, value in [(name, getattr(module, name)) for name in listed]:  # all of them before the first is yielded, for vars(module)
            if inspect.ismodule(value) or not (callable(value) or isinstance(value, type)) or value.__module__.partition(".")[0] != "pykindred":
                continue
            yield f"{module.__name__}.{name}", value, None, vars(module)
            for member, of in vars(value).items() if isinstance(value, type) else ():
                of = getattr(of, "__func__", of)
                if member[0] != "_" and (inspect.isfunction(of) or isinstance(of, property)):
                    yield f"{module.__name__}.{name}.{member}", of, value, vars(module)


def doc_of(value, of, names, depth=2):
    """The docstring, and those of what it refers to."""
    text = value.__doc__ or ""
    for owner, name in REFERENCE.findall(text) if depth else ():
        found = getattr(names.get(owner) if owner else of, name, None) or names.get(name)
        if found is not None and found is not value:
            text += doc_of(found, of if not owner else names[owner], names, depth - 1)
    return text


class Docstrings(unittest.TestCase):
    def test_examples_print_what_they_show(self):
        given = {"np": np, **{name: getattr(pykindred, name) for name in pykindred.__all__}}
        work_in_folder(self)  # where examples write files
        attempted = 0
        for module in map(importlib.import_module, MODULES):
            results = doctest.testmod(module, globs={**given, **vars(module)})
            self.assertEqual(results.failed, 0, module)
            attempted += results.attempted
        self.assertGreater(attempted, 150)

    def test_everything_public_has_one(self):
        self.assertEqual([name for name, value, *_ in public() if not value.__doc__], [])
        self.assertEqual([module for module in map(importlib.import_module, MODULES)
                          if "._" not in module.__name__ and not module.__doc__], [])
        self.assertGreater(len(list(public())), 150)

    def test_all_arguments_are_described(self):
        without = []
        for name, value, of, names in public():
            if isinstance(value, property) or inspect.isclass(value) and (issubclass(value, Exception | enum.Enum) or not inspect.isfunction(value.__init__)):
                continue
            if not inspect.isroutine(value) and not inspect.isclass(value):
                continue
            if inspect.isclass(value) and (hasattr(value, "_fields") or value in (pykindred.Matches, pykindred.Spread)):
                continue  # fields have comments; calls make the others
            text = doc_of(value, of, names) + (of.__doc__ or "" if of else "")  # "as in the constructor"
            source = inspect.getsource(value.__init__) if inspect.isclass(value) else ""
            without += [f"{name}({argument})" for argument in inspect.signature(value).parameters
                        if argument not in ("self", "cls") and not re.search(rf"\b{argument}s?\b", text, re.I) and not re.search(rf"self\.{argument}(: .+)? = {argument}  #:", source)]
        self.assertEqual(without, [])

    def test_what_computes_has_an_example(self):
        without = []
        for name, value, of, _ in public():
            if isinstance(value, property) or inspect.isclass(value) and issubclass(value, Exception) or name.startswith(tuple(module.__name__ for module in SCORERS)):
                continue
            computes = of is None or "space" in inspect.signature(value).parameters
            if computes and ">>>" not in (value.__doc__ or ""):
                without.append(name)
        self.assertEqual(without, [])
        self.assertEqual([module.__name__ for module in SCORERS if ">>>" not in (module.__doc__ or "")], [])


if __name__ == "__main__":
    unittest.main()
