#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The instruction set for which `pip install .` builds. Usage: test_pip_install.py SOURCE"""
import platform
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(sys.argv[1])
sys.path.insert(0, str(SOURCE / "bindings/python/backend"))
from instruction_set import ADDED, definitions, highest_level, level_of_processor  # noqa: E402

V2 = set(ADDED["x86-64-v2"].split())
V3 = V2 | set(ADDED["x86-64-v3"].split())
V4 = V3 | set(ADDED["x86-64-v4"].split())


def made(settings=(), environment=(), machine="x86_64"):
    return definitions(dict(settings), dict(environment), machine, lambda: "x86-64-v3")


class Level(unittest.TestCase):
    def test_is_the_highest_of_which_the_processor_has_everything(self):
        self.assertEqual([highest_level(flags) for flags in (set(), V2, V3, V4)], ["x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"])
        for flag in V4:
            level = next(level for level, added in ADDED.items() if flag in added.split())
            self.assertLess(highest_level(V4 - {flag}), level, flag)

    def test_is_that_of_proc_cpuinfo(self):
        with tempfile.TemporaryDirectory() as folder:
            cpuinfo = Path(folder, "cpuinfo")
            self.assertEqual(level_of_processor(cpuinfo), "x86-64-v2")
            cpuinfo.write_text("processor\t: 0\nvendor_id\t: GenuineIntel\nflags\t\t: fpu avx512 " + " ".join(V3) + "\nvmx flags\t: vnmi\n")
            self.assertEqual(level_of_processor(cpuinfo), "x86-64-v3")
            cpuinfo.write_text("processor\t: 0\n")
            self.assertEqual(level_of_processor(cpuinfo), "x86-64-v2")

    @unittest.skipUnless(platform.machine() == "x86_64", "levels are those of x86-64")
    def test_is_the_one_that_the_system_loads(self):
        """The C library lists the levels whose folders it searches."""
        printed = subprocess.run(["/lib64/ld-linux-x86-64.so.2", "--help"], capture_output=True, text=True).stdout
        searched = [level for level in ADDED if f"{level} (supported" in printed]
        if not searched:
            self.skipTest("this C library lists no levels")
        self.assertEqual(level_of_processor(), searched[-1])


class Definitions(unittest.TestCase):
    def test_are_one_level_that_of_the_processor(self):
        self.assertEqual(made(), {"KINDRED_ARCH": "x86-64-v3", "KINDRED_LEVELS": ""})

    def test_leave_other_architectures_to_the_compiler(self):
        self.assertEqual(made(machine="aarch64"), {})
        self.assertEqual(made(environment={"KINDRED_ARCH": "armv8.2-a+dotprod"}, machine="aarch64"), {"KINDRED_ARCH": "armv8.2-a+dotprod"})

    def test_keep_what_pip_is_told(self):
        one = {"KINDRED_LEVELS": ""}
        self.assertEqual(made({"cmake.define.KINDRED_ARCH": "x86-64-v4"}), one)
        self.assertEqual(made({"cmake.args": "-DKINDRED_ARCH=x86-64-v4"}), one)
        for variable in ("CMAKE_ARGS", "SKBUILD_CMAKE_ARGS", "SKBUILD_CMAKE_DEFINE"):
            self.assertEqual(made(environment={variable: "-DKINDRED_ARCH:STRING=x86-64-v4"}), one)
        self.assertEqual(made({"cmake.define.KINDRED_LEVELS": "x86-64-v4"}), {"KINDRED_ARCH": "x86-64-v2"})
        self.assertEqual(made({"cmake.define.KINDRED_ARCH": "x86-64-v3", "cmake.define.KINDRED_LEVELS": "x86-64-v4"}), {})

    def test_keep_what_the_environment_says(self):
        self.assertEqual(made(environment={"KINDRED_ARCH": "x86-64-v4"}), {"KINDRED_ARCH": "x86-64-v4", "KINDRED_LEVELS": ""})
        # As ./run wheel, and for x86-64-v2 alone.
        for levels in ("x86-64-v3;x86-64-v4", ""):
            self.assertEqual(made(environment={"KINDRED_LEVELS": levels}), {"KINDRED_ARCH": "x86-64-v2", "KINDRED_LEVELS": levels})

    def test_prefer_what_pip_is_told(self):
        self.assertEqual(made({"cmake.define.KINDRED_ARCH": "x86-64-v4"}, {"KINDRED_ARCH": "x86-64-v3"}), {"KINDRED_LEVELS": ""})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
