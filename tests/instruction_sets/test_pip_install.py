#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The instruction set for which CMake builds by default, and `pip install .` with it. Usage: test_pip_install.py SOURCE"""
import os
import platform
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(sys.argv[1])
CMAKE = os.environ.get("KINDRED_CMAKE", "cmake")
sys.path.insert(0, str(SOURCE / "bindings/python/backend"))
from instruction_set import definitions  # noqa: E402

LEVELS = {
    "x86-64-v2": "cx16 lahf_lm pni popcnt sse4_1 sse4_2 ssse3".split(),
    "x86-64-v3": "abm avx avx2 bmi1 bmi2 f16c fma movbe xsave".split(),
    "x86-64-v4": "avx512bw avx512cd avx512dq avx512f avx512vl".split(),
}
V2, V3, V4 = (sum(list(LEVELS.values())[:count], []) for count in (1, 2, 3))


class InstructionSet(unittest.TestCase):
    def of(self, processor, *files):
        """What CMake chooses for each text of /proc/cpuinfo."""
        with tempfile.TemporaryDirectory() as folder:
            script = f'include("{SOURCE}/cmake/KindredInstructionSet.cmake")\n'
            for number, text in enumerate(files):
                path = Path(folder, str(number))
                if text is not None:
                    path.write_text(text)
                script += f'kindred_instruction_set(chosen {processor} "{path}")\nmessage("<${{chosen}}>")\n'
            Path(folder, "Chosen.cmake").write_text(script)
            done = subprocess.run([CMAKE, "-P", Path(folder, "Chosen.cmake")], capture_output=True, text=True, check=True)
            return [line[1:-1] for line in done.stderr.splitlines()]

    def test_is_the_highest_level_of_which_the_processor_has_everything(self):
        def cpuinfo(flags):
            return "processor\t: 0\nvendor_id\t: GenuineIntel\nflags\t\t: fpu avx512 " + " ".join(flags) + "\nvmx flags\t: vnmi\n"

        self.assertEqual(self.of("x86_64", *map(cpuinfo, ([], V2, V3, V4))), ["", *LEVELS])
        below = dict(zip(LEVELS, ["", *LEVELS]))
        lacking = [(level, flag) for level, flags in LEVELS.items() for flag in flags]
        self.assertEqual(self.of("x86_64", *(cpuinfo([flag for flag in V4 if flag != missing]) for _, missing in lacking)),
                         [below[level] for level, _ in lacking])

    def test_is_left_to_the_compiler_where_the_system_does_not_say(self):
        self.assertEqual(self.of("x86_64", None, "processor\t: 0\n"), ["", ""])

    def test_of_aarch64_has_products_of_bytes_where_the_processor_has(self):
        self.assertEqual(self.of("aarch64", "Features\t: fp asimd asimddp sve\n", "Features\t: fp asimd\n"), ["armv8.2-a+dotprod", ""])

    @unittest.skipUnless(platform.machine() == "x86_64", "levels are those of x86-64")
    def test_is_the_one_that_the_system_loads(self):
        """The C library lists the levels whose folders it searches."""
        printed = subprocess.run(["/lib64/ld-linux-x86-64.so.2", "--help"], capture_output=True, text=True).stdout
        searched = [level for level in LEVELS if f"{level} (supported" in printed]
        if not searched:
            self.skipTest("this C library lists no levels")
        self.assertEqual(self.of("x86_64", Path("/proc/cpuinfo").read_text()), searched[-1:])


class Definitions(unittest.TestCase):
    def test_are_those_of_the_environment(self):
        self.assertEqual(definitions({}, {}), {})
        self.assertEqual(definitions({}, {"KINDRED_ARCH": "x86-64-v4", "KINDRED_LEVELS": ""}), {"KINDRED_ARCH": "x86-64-v4", "KINDRED_LEVELS": ""})

    def test_leave_what_pip_is_given(self):
        environment = {"KINDRED_ARCH": "x86-64-v3"}
        self.assertEqual(definitions({"cmake.define.KINDRED_ARCH": "x86-64-v4"}, environment), {})
        self.assertEqual(definitions({"cmake.args": "-DKINDRED_ARCH=x86-64-v4"}, environment), {})
        for variable in ("CMAKE_ARGS", "SKBUILD_CMAKE_ARGS", "SKBUILD_CMAKE_DEFINE"):
            self.assertEqual(definitions({}, {variable: "-DKINDRED_ARCH:STRING=x86-64-v4", **environment}), {})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
