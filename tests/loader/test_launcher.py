#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the program of packages in installations with fake libraries and a fake driver. Usage: test_launcher.py INSTALLATION VERSION."""
import ctypes.util
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BUILT, VERSION = Path(sys.argv[1]), sys.argv[2]
MACHINE_HAS_DRIVER = ctypes.util.find_library("cuda") is not None
NO_DRIVER = "there is no NVIDIA driver: libcuda.so.1: cannot open shared object file"


class Launcher(unittest.TestCase):
    maxDiff = 2000

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="kindred-test-")
        self.addCleanup(temporary.cleanup)
        self.root = Path(temporary.name) / "a prefix"
        shutil.copytree(BUILT, self.root, symlinks=True)
        for architecture in (80, 90):
            (self.root / f"lib/kindred/cuda-{architecture}/libkindred.txt").write_text(
                f"kindred {VERSION}\narchitecture {architecture / 10}\ncuda 13.0\n")

    def run_with(self, *arguments, driver=True, **settings):
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith(("KINDRED_", "FAKE_", "OMP_", "GOMP_", "KMP_", "LD_", "CUDA_"))}
        environment |= {name: str(value) for name, value in settings.items()}
        if driver:
            environment["LD_LIBRARY_PATH"] = str(self.root / "driver")
        return subprocess.run([self.root / "bin/kindred", *arguments], capture_output=True, text=True, env=environment, timeout=60)

    def assert_bound(self, library, why, *arguments, **settings):
        """The command ran with this library, which the launcher chose because of `why`."""
        completed = self.run_with(*arguments, **settings)
        self.assertEqual(completed.stderr, "")
        bound, name, reason, policy, *got = completed.stdout.splitlines()
        self.assertEqual((bound, name), ("lib" if library == "host" else library, library))
        self.assertIn(why, reason)
        self.assertEqual(policy, "passive")
        self.assertEqual(got, list(arguments))
        self.assertEqual(completed.returncode, len(arguments))

    def assert_refused(self, status, *words, **settings):
        completed = self.run_with("info", **settings)
        self.assertEqual((completed.returncode, completed.stdout), (status, ""), completed.stderr)
        for word in words:
            self.assertIn(word, completed.stderr)
        self.assertEqual(completed.stderr.count("\n"), 1, completed.stderr)

    @unittest.skipIf(MACHINE_HAS_DRIVER, "this machine has a driver")
    def test_without_a_driver_the_host_computes(self):
        self.assert_bound("host", NO_DRIVER, driver=False)

    def test_driver_and_device_decide(self):  # tests/loader/Test_LibraryChoice.cpp has all cases
        self.assert_bound("cuda-90", "Fake GPU, compute capability 9.0; driver for CUDA 13.0", "a", "b c")
        self.assert_bound("cuda-80", "compute capability 8.6", FAKE_ARCHITECTURE=86)
        self.assert_bound("host", "cuInit returns 803 (CUDA_ERROR_SYSTEM_DRIVER_MISMATCH)", FAKE_INIT=803)

    def test_a_library_that_cannot_be_opened_is_a_reason(self):
        (self.root / "lib/kindred/cuda-90/libkindred.so.0").write_bytes(b"\x7fELF")
        self.assert_bound("host", "cuda-90 cannot be opened: ")
        self.assert_bound("cuda-80", "", FAKE_ARCHITECTURE=80)

    def test_a_host_package_asks_no_driver(self):
        for name in ("cuda-80", "cuda-90"):
            shutil.rmtree(self.root / "lib/kindred" / name)
        self.assert_bound("host", "no library with CUDA is installed in")

    def test_a_library_can_be_requested(self):
        self.assert_bound("cuda-80", "requested by KINDRED_LIBRARY", KINDRED_LIBRARY="cuda-80")
        self.assert_bound("cuda-80", "requested", driver=False, KINDRED_LIBRARY="cuda-80")
        self.assert_bound("host", "requested", KINDRED_LIBRARY="host")
        self.assert_bound("cuda-90", "the newest", KINDRED_LIBRARY="")
        path = self.root / "lib/kindred/cuda-80/libkindred.so.0"
        completed = self.run_with(driver=False, KINDRED_LIBRARY=path)
        self.assertEqual(completed.stdout.splitlines()[:2], ["cuda-80", str(path)])

    def test_a_request_never_falls_back(self):
        self.assert_refused(2, "KINDRED_LIBRARY is 'cuda-75'", "installed are host, cuda-90, cuda-80", KINDRED_LIBRARY="cuda-75")
        self.assert_refused(1, "KINDRED_LIBRARY is '/nonexistent/libkindred.so.0', which cannot be opened",
                            KINDRED_LIBRARY="/nonexistent/libkindred.so.0")

    def test_the_systems_loader_may_start_it(self):
        loader = Path("/lib64/ld-linux-x86-64.so.2")
        if not loader.exists():
            self.skipTest("this machine is not x86-64")
        completed = subprocess.run([loader, self.root / "bin/kindred"], capture_output=True, text=True, env={"KINDRED_LIBRARY": "cuda-80"})
        self.assertEqual(completed.stdout.splitlines()[:1], ["cuda-80"], completed.stderr)

    def test_without_the_commands_it_says_so(self):
        (self.root / "lib/kindred/libkindred_command.so").unlink()
        self.assert_refused(1, "kindred: error: ", "libkindred_command.so: cannot open")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
