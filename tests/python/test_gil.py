# SPDX-License-Identifier: Apache-2.0
"""Every function of the extension releases the GIL, unless it is on the list of those that must not, with a reason."""
import inspect
import os
import sys
import unittest

from pykindred import _kindred
from support import run

# Tests that together call every function of the extension.
TESTS = ("test_vector_index", "test_hnsw_index", "test_keyed_vector_index", "test_sequences",
         "test_pattern_memory", "test_spreading_engine", "test_bulk", "test_lattice", "test_layers",
         "test_prepared", "test_seed_functions", "test_seed_layer", "test_seed_sequence",
         "test_copies", "test_array_arguments", "test_difflib")


def bound():
    """The names and objects of everything that the extension has bound."""
    for name, value in vars(_kindred).items():
        if isinstance(value, type):
            for attribute, of_class in vars(value).items():
                if not attribute.startswith("__") or attribute == "__init__" and type(of_class).__name__.startswith("nb_"):
                    yield f"{name}.{attribute}", of_class
        elif callable(value):
            yield name, value


class Gil(unittest.TestCase):
    def test_all_that_is_bound_is_a_call_that_is_known(self):
        known = _kindred.functions()
        found = dict(bound())
        self.assertGreater(len(found), 200)
        self.assertEqual(sorted(found), sorted(known))
        for name, value in found.items():
            self.assertFalse(isinstance(value, property) or inspect.isdatadescriptor(value), name)

    def test_the_list_names_functions_that_exist_once_and_with_a_reason(self):
        names, known = _kindred.names_keeping_gil(), _kindred.functions()
        self.assertEqual(names, sorted(set(names)))
        self.assertEqual([name for name in names if not known[name]["why_keeping_gil"]], [])

    def test_every_other_function_releases_it(self):
        out = run(f"""
            import contextlib, io, sys, tempfile, unittest
            sys.path[:0] = {sys.path!r}
            import pykindred
            from pykindred import _kindred
            with tempfile.TemporaryDirectory() as folder, pykindred.Context(threads=1, profile=folder + "/profile") as context:
                context.save_profile()
                context.memory()
                context.describe()
                context.spaces()
            _kindred.has_default_context()
            choices = [str(i) for i in range(200)]
            pykindred.process.extract("abc", pykindred.process.Choices(choices))
            pykindred.process.cdist(["abc"], choices)
            with contextlib.redirect_stderr(io.StringIO()):  # one prints its seed
                tests = unittest.defaultTestLoader.loadTestsFromNames({TESTS!r})
            result = unittest.TextTestRunner(io.StringIO()).run(tests)
            print([str(one) for one in result.failures + result.errors])
            others = {{name: of for name, of in _kindred.functions().items() if of["why_keeping_gil"] is None}}
            print(sorted(name for name, of in others.items() if of["has_kept_gil"]))
            print(sorted(name for name, of in others.items() if not of["has_released_gil"]))
        """, PYTHONWARNINGS="ignore", KINDRED_FULL="0", PYTHONPATH=os.pathsep.join(sys.path))
        failed, kept, never = out.splitlines()
        self.assertEqual(failed, "[]", "the tests that call the functions")
        self.assertEqual(kept, "[]", "they kept the GIL: release it, or add them to KeepingGil.cpp with the reason")
        self.assertEqual(never, "[]", "no test calls them, or they only failed: add one to TESTS")


if __name__ == "__main__":
    unittest.main()
