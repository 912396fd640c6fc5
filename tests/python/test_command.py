# SPDX-License-Identifier: Apache-2.0
"""``python -m pykindred``."""
import contextlib
import io
import json
import re
import subprocess
import sys
import unittest
from unittest import mock

import numpy as np

import pykindred
from pykindred import _demo


def command(*arguments):
    return subprocess.run([sys.executable, "-m", "pykindred", *arguments], capture_output=True, text=True, timeout=120)


def small_demo():
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        right = _demo.run(names=300, rows=2000)
    return right, printed.getvalue()


class Demo(unittest.TestCase):
    def test_prints_the_same_every_time_but_for_the_times(self):
        first, second = small_demo(), small_demo()
        without_times = [re.sub(r" *[\d.]+ (ms|x the time)", "", text) for _, text in (first, second)]
        self.assertEqual(without_times[0], without_times[1])
        self.assertEqual((first[0], second[0]), (True, True))
        for part in ("the same names and bits", "recall 1.000", "the same bits", "coffee -> caffeine -> sleep", "Every result above is right"):
            self.assertIn(part, first[1])
        self.assertTrue(first[1].isascii())

    def test_says_what_is_wrong(self):
        with mock.patch.object(_demo, "_best_by_difflib", lambda *_: [(1.0, 0)]):
            right, printed = small_demo()
        self.assertFalse(right)
        self.assertIn("OTHER NAMES", printed)
        self.assertIn("A RESULT IS WRONG", printed)

    def test_names_are_distinct(self):
        names = _demo._all_names(10**6)
        self.assertEqual(len(set(names)), len(names))
        self.assertGreater(len(names), 20_000)


class Command(unittest.TestCase):
    def test_info_describes_the_installation(self):
        printed = command("info")
        self.assertEqual((printed.returncode, printed.stderr), (0, ""))
        self.assertIn(f"pykindred {pykindred.__version__} (Python {sys.version.split()[0]}, NumPy {np.__version__})\n", printed.stdout)
        found = json.loads(command("info", "--json").stdout)
        self.assertEqual(found["version"], pykindred.__version__)
        self.assertEqual(found["library"]["name"], pykindred.library.name)
        self.assertRegex(found["library"]["path"], r"/(libkindred|_kindred)\.")
        self.assertTrue(found["spaces"]["serial"]["usable"])
        for name in found["spaces"]:
            self.assertRegex(printed.stdout, rf"(?m)^{name} ")

    def test_help_and_version(self):
        printed = command("--help")
        self.assertEqual((printed.returncode, printed.stderr), (0, ""))
        for word in ("demo", "info", "--version"):
            self.assertIn(word, printed.stdout)
        self.assertEqual(command("--version").stdout, f"pykindred {pykindred.__version__}\n")

    def test_wrong_arguments_are_named(self):
        for arguments, message in (((), "COMMAND"), (("dmo",), "dmo"), (("demo", "--fast"), "--fast"), (("info", "x"), "x"), (("--verbose",), "")):
            with self.subTest(arguments):
                printed = command(*arguments)
                self.assertEqual((printed.returncode, printed.stdout), (2, ""))
                self.assertIn("usage: python -m pykindred", printed.stderr)
                self.assertIn(message, printed.stderr)


if __name__ == "__main__":
    unittest.main()
