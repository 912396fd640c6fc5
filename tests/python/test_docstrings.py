# SPDX-License-Identifier: Apache-2.0
"""Runs the examples in the docstrings, and checks that everything that is exported has one."""
import doctest
import importlib
import pkgutil
import unittest

import pykindred


class Docstrings(unittest.TestCase):
    def test_examples_print_what_they_show(self):
        attempted = 0
        for module in [pykindred.__name__, *(f"pykindred.{found.name}" for found in pkgutil.iter_modules(pykindred.__path__))]:
            results = doctest.testmod(importlib.import_module(module))
            self.assertEqual(results.failed, 0, module)
            attempted += results.attempted
        self.assertGreater(attempted, 10)

    def test_everything_public_has_one(self):
        without = []
        for name in pykindred.__all__:
            value = getattr(pykindred, name)
            if isinstance(value, type) or callable(value):
                without += [] if value.__doc__ else [name]
            if isinstance(value, type):
                without += [f"{name}.{member}" for member, of in vars(value).items() if not member.startswith("_") and callable(of) and not of.__doc__]
        self.assertEqual(without, [])


if __name__ == "__main__":
    unittest.main()
