#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks a wheel that pip has installed for this interpreter, where there is nothing else: ./run wheel.

usage: check_wheel.py WHEEL"""
import importlib.metadata
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import time
import unittest
import zipfile
from pathlib import Path

WHEEL = Path(sys.argv[1])
BYTES_MAX = 50 * 10**6
# What is promised of processor time, and four times what is promised of a machine that does nothing else, 10 s.
IMPORT_SECONDS_MAX = 0.15
DEMO_SECONDS_MAX = 40
LEVELS = list(filter(None, os.environ.get("KINDRED_LEVELS", "x86-64-v3;x86-64-v4").split(";"))) if platform.machine() == "x86_64" else []
LIBRARY = "pykindred/lib/libkindred.so.0"


def measured(text):
    print(f"\nmeasured: {text}", flush=True)


def run(*arguments, **environment):
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, env={**os.environ, **environment}, timeout=300)
    if done.returncode != 0:
        raise AssertionError(done.stdout + done.stderr)
    return done.stdout


def loaded(**environment):
    """The library that a process loads, relative to the folder of libraries."""
    path = run("-c", "import pykindred._library as library, pykindred; print(library.loaded_file())", **environment).strip()
    return path.split("/pykindred/lib/")[1]


class Wheel(unittest.TestCase):
    def test_contains_the_package_and_the_library_of_every_level(self):
        with zipfile.ZipFile(WHEEL) as wheel:
            names = [name for name in wheel.namelist() if not name.endswith("/")]
        libraries = {name for name in names if name.startswith("pykindred/lib/")}
        self.assertEqual(libraries, {LIBRARY, *(f"pykindred/lib/glibc-hwcaps/{level}/libkindred.so.0" for level in LEVELS)})
        self.assertEqual({re.sub(r"-[0-9a-f]+(\.|$)", r"\1", Path(name).name).split(".")[0] for name in names if name.startswith("pykindred.libs/")},
                         {"libgomp"})
        for name in ("__init__.py", "__main__.py", "py.typed", "_kindred.pyi"):
            self.assertIn(f"pykindred/{name}", names)
        for name in ("LICENSE", "copyright"):
            self.assertTrue(any("/licenses/" in found and found.endswith(name) for found in names), name)
        size = WHEEL.stat().st_size
        measured(f"{WHEEL.name} has {size / 1e6:.1f} MB")
        self.assertLess(size, BYTES_MAX)

    def test_has_the_lowest_tag(self):
        found = re.search(r"manylinux_2_(\d+)_", WHEEL.name)
        self.assertIsNotNone(found, WHEEL.name)
        version = tuple(map(int, platform.libc_ver()[1].split(".")))
        # Compiled against glibc 2.36 by GCC 12, as on Debian 12.
        self.assertLessEqual(int(found[1]), 34 if version <= (2, 36) else version[1])

    def test_needs_nothing_but_numpy(self):
        self.assertEqual([re.split(r"[^\w]", needed)[0] for needed in importlib.metadata.requires("pykindred")], ["numpy"])
        installed = {distribution.metadata["Name"].lower() for distribution in importlib.metadata.distributions()}
        self.assertEqual(installed - {"pip", "setuptools"}, {"numpy", "pykindred"})
        run("-m", "pip", "check", "--disable-pip-version-check")

    def test_works_without_a_compiler(self):
        self.assertEqual([name for name in ("cc", "c++", "gcc", "g++", "clang", "ld", "cmake", "ninja") if shutil.which(name)], [])
        run("-c", "import numpy, pykindred; rows = numpy.eye(3, dtype=numpy.float32); assert pykindred.VectorIndex(rows).search(rows)[1][2, 0] == 2")


class Library(unittest.TestCase):
    @unittest.skipUnless(LEVELS, "this wheel has one level")
    def test_the_system_chooses_the_level(self):
        supported = {level for level in LEVELS if f"{level} (supported" in subprocess.run(
            ["/lib64/ld-linux-x86-64.so.2", "--help"], capture_output=True, text=True).stdout}
        best = max(supported, default=None)
        self.assertEqual(loaded(), f"glibc-hwcaps/{best}/libkindred.so.0" if best else "libkindred.so.0")
        # As docs/guide/python.md describes.
        self.assertEqual(loaded(GLIBC_TUNABLES="glibc.cpu.hwcaps=-AVX2"), "libkindred.so.0")
        if "x86-64-v4" in supported:
            self.assertEqual(loaded(GLIBC_TUNABLES="glibc.cpu.hwcaps=-AVX512F"), "glibc-hwcaps/x86-64-v3/libkindred.so.0")
        measured(f"the library in use is {loaded()}")

    @unittest.skipUnless(LEVELS, "this wheel has one level")
    def test_all_levels_that_run_here_give_the_same_bits(self):
        program = """if True:
            import hashlib, numpy, pykindred
            random = numpy.random.default_rng(1)
            rows, texts = random.standard_normal((3000, 48), numpy.float32), ["".join(map(chr, random.integers(97, 103, 20))) for _ in range(500)]
            digest = hashlib.sha256()
            for metric in ("cosine", "ip", "l2"):
                for array in pykindred.VectorIndex(rows).search(rows[:50], 20, metric=metric):
                    digest.update(array.tobytes())
            matches = pykindred.SequenceMatcher(texts).match(texts[:20], threshold=0.4)
            for array in (matches.offsets, matches.ids, matches.scores):
                digest.update(array.tobytes())
            print(digest.hexdigest())"""
        digests = {run("-c", program, GLIBC_TUNABLES=tunables) for tunables in ("", "glibc.cpu.hwcaps=-AVX512F", "glibc.cpu.hwcaps=-AVX2")}
        self.assertEqual(len(digests), 1)


class Import(unittest.TestCase):
    def test_is_fast_and_opens_no_driver(self):
        seconds, numpy_seconds = ([float(run("-c", f"import time; begin = time.process_time(); import {name}; print(time.process_time() - begin)"))
                                   for _ in range(9)] for name in ("pykindred", "numpy"))
        measured(f"import pykindred takes {1000 * min(seconds):.0f} ms of processor time (median {1000 * statistics.median(seconds):.0f}), "
                 f"NumPy, which is imported later, {1000 * min(numpy_seconds):.0f}")
        self.assertLess(min(seconds), IMPORT_SECONDS_MAX)
        opened = run("-c", "import pykindred; print(open('/proc/self/maps').read())")
        for name in ("libcuda", "libcudart", "libcublas", "libnvidia"):
            self.assertNotIn(name, opened)


class Demo(unittest.TestCase):
    def test_takes_seconds(self):
        begin = time.perf_counter()
        printed = run("-m", "pykindred", "demo")
        seconds = time.perf_counter() - begin
        measured(f"python -m pykindred demo takes {seconds:.1f} s")
        self.assertIn("Every result above is right.", printed)
        self.assertLess(seconds, DEMO_SECONDS_MAX)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
