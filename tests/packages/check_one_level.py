#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the package that `pip install` has built of the sources for this processor: ./run wheel."""
import os
import platform
import subprocess
import sys
import unittest
from pathlib import Path

import pykindred

FOLDER = Path(pykindred.__file__).parent
QEMU = Path("/usr/bin/qemu-x86_64")  # PATH has no programs but those of the environment
OLD, HAS = "Conroe", "x86-64"  # a processor of QEMU, and its level


class OneLevel(unittest.TestCase):
    def test_is_the_only_library(self):
        self.assertEqual([path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("libkindred*")], ["lib/libkindred.so.0"])

    @unittest.skipUnless(platform.machine() == "x86_64" and QEMU.exists(), "needs qemu-x86_64 (Debian's qemu-user)")
    def test_is_refused_by_an_older_processor(self):
        done = subprocess.run([QEMU, "-cpu", OLD, sys.executable, "-c", "import pykindred"], capture_output=True, text=True, env=dict(os.environ))
        self.assertEqual(done.returncode, 1, done)
        self.assertRegex(done.stderr, f"ImportError: this pykindred is built for processors of x86-64-v[234] and newer, and this processor has only {HAS}: ")


if __name__ == "__main__":
    unittest.main()
