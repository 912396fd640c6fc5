#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Importing a package that is built for a level of x86-64 on a processor below it. Usage: test_python_package.py FOLDER LEVEL, where v3 and v4
in the folder are packages without the library, and the processor has the level."""
import os
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

FOLDER = Path(sys.argv[1])
LEVEL = sys.argv[2]
QEMU = shutil.which("qemu-x86_64")
PROCESSORS = {"Conroe": "x86-64", "Nehalem": "x86-64-v2", "Haswell": "x86-64-v3"}  # of QEMU
# What a package without the library says once the processor is accepted.
ACCEPTED = "pykindred._version"


def imported(level, *emulator):
    """What importing the package for a level prints, which fails in any case."""
    done = subprocess.run([*emulator, sys.executable, "-B", "-S", "-c", "import pykindred"], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": str(FOLDER / level[-2:])}, timeout=100)
    assert done.returncode == 1, done
    return done.stderr


class Import(unittest.TestCase):
    def check(self, level, has, printed):
        if has >= level:
            self.assertRegex(printed, f"ModuleNotFoundError: .*{re.escape(ACCEPTED)}")
            return
        self.assertIn(f"ImportError: this pykindred is built for processors of {level} and newer, and this processor has only {has}: build it on this "
                      f"machine, `pip install .` in a copy of the repository, or elsewhere for this level, `KINDRED_ARCH={has} pip install .`, or for "
                      "all levels, `./run wheel`", printed)

    def test_on_this_processor(self):
        for level in ("x86-64-v3", "x86-64-v4"):
            self.check(level, LEVEL, imported(level))

    @unittest.skipUnless(QEMU, "needs qemu-x86_64 (Debian's qemu-user)")
    def test_on_older_processors(self):
        for processor, has in PROCESSORS.items():
            for level in ("x86-64-v3", "x86-64-v4"):
                with self.subTest(processor, level=level):
                    self.check(level, has, imported(level, QEMU, "-cpu", processor))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
