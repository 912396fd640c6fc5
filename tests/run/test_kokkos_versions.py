#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""CMake refuses a Kokkos that is too old, and warns of one that is known to give wrong results."""
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from machine import REPOSITORY

CMAKE = os.environ.get("KINDRED_CMAKE", shutil.which("cmake"))
LEGACY = "set(Kokkos_ENABLE_IMPL_VIEW_LEGACY ON)\n"


def cuda(version):
    return f'set(Kokkos_ENABLE_CUDA ON)\nset(Kokkos_CXX_COMPILER_ID "NVIDIA")\nset(Kokkos_CXX_COMPILER_VERSION "{version}")\n'


class KokkosVersions(unittest.TestCase):
    def found(self, version, settings=""):
        """The exit status and the messages of CMake for a Kokkos of this version."""
        with tempfile.TemporaryDirectory() as folder:
            if version:
                Path(folder, "KokkosConfig.cmake").write_text(settings)
                Path(folder, "KokkosConfigVersion.cmake").write_text(
                    f'set(PACKAGE_VERSION "{version}")\nif(PACKAGE_VERSION VERSION_GREATER_EQUAL PACKAGE_FIND_VERSION)\n'
                    "  set(PACKAGE_VERSION_COMPATIBLE TRUE)\nendif()\n")
            script = Path(folder, "script.cmake")
            script.write_text(f"cmake_policy(VERSION 3.25)\nset(CMAKE_FIND_USE_CMAKE_SYSTEM_PATH OFF)\ninclude({REPOSITORY}/cmake/KindredFindKokkos.cmake)\n")
            done = subprocess.run([CMAKE, f"-DKokkos_DIR={folder}", "-P", str(script)], capture_output=True, text=True, check=False,
                                  env={"PATH": "/nowhere"})
        return done.returncode, " ".join(done.stderr.split())

    def test_what_is_too_old_or_missing(self):
        for version, settings, words in (
                ("4.5.1", "", ("Kindred needs Kokkos 4.6 or newer, but", "has version 4.5.1. Set Kokkos_ROOT")),
                ("", "", ("but none was found. Set Kokkos_ROOT",)),
                ("4.6.0", cuda("12.1.105"), ("Kindred needs CUDA 12.2 or newer, but the Kokkos in", "was built by nvcc 12.1.105"))):
            status, error = self.found(version, settings)
            self.assertEqual(status, 1, error)
            for word in words:
                self.assertIn(word, error)

    def test_combinations_that_work(self):
        for version, settings in (("4.6.0", ""), ("4.6.1", cuda("13.0.88")), ("4.7.0", ""), ("4.7.0", cuda("13.0.88") + LEGACY),
                                  ("4.7.0", cuda("12.8.90")), ("4.6.0", cuda("12.2.91"))):
            self.assertEqual(self.found(version, settings), (0, ""), (version, settings))

    def test_a_combination_that_is_known_to_be_broken(self):
        status, error = self.found("4.7.0", cuda("13.0.88"))
        self.assertEqual(status, 0)
        self.assertIn("CMake Warning", error)
        self.assertIn("without Kokkos_ENABLE_IMPL_VIEW_LEGACY", error)
        self.assertIn("-DKokkos_ENABLE_IMPL_VIEW_LEGACY=ON", error)


if __name__ == "__main__":
    unittest.main()
