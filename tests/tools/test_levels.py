# SPDX-License-Identifier: Apache-2.0
"""The instruction set that `kindred info` prints, and processors that lack what the command is compiled for."""
import json
import platform
import shutil
import subprocess
import unittest
from pathlib import Path

import harness


def instruction_set(**options):
    return json.loads(harness.run("info", "--json", **options).out)["instruction_set"]


class Levels(harness.CommandTest):
    def test_info_names_the_level(self):
        used = instruction_set()
        additions = used["compiled"] + used["run_time"]
        line = next(line for line in self.succeeds("info").out.decode().splitlines() if "instruction set:" in line)
        self.assertIn(used["level"] + (" with " + ", ".join(additions) if additions else ""), line)

    def test_a_limit_changes_no_result(self):
        self.file("patterns.txt", "".join(f"pattern number {i * i} of {i % 7}\n" for i in range(500)))
        self.file("queries.txt", "a pattern of numbers\nnumber 49 of 0\n")
        command = ("match", "--lines", self.folder / "patterns.txt", "--queries", self.folder / "queries.txt", "--top", "20")
        limit = {"KINDRED_MAX_LEVEL": "x86-64-v4"}
        used = instruction_set()
        if used["compiled"]:
            self.refuses(2, ("KINDRED_MAX_LEVEL", used["level"], *used["compiled"]), "info", settings=limit)
            return
        self.assertEqual(instruction_set(settings=limit)["run_time"], [])
        self.assertEqual(harness.run(*command, settings=limit).out, self.succeeds(*command).out)

    def test_an_unknown_limit_is_refused(self):
        self.refuses(2, ("KINDRED_MAX_LEVEL", "'avx2'", "x86-64-v3"), "info", settings={"KINDRED_MAX_LEVEL": "avx2"})

    def test_an_older_processor_is_named(self):
        if platform.machine() != "x86_64" or instruction_set()["level"] == "x86-64":
            self.skipTest("every processor has the level of this build")
        if b"__asan_init" in Path(harness.COMMAND).read_bytes():
            self.skipTest("AddressSanitizer does not run in an emulator")
        if not shutil.which("qemu-x86_64"):
            self.skipTest("no emulator (package qemu-user)")
        done = subprocess.run(["qemu-x86_64", "-cpu", "qemu64", harness.COMMAND, "--version"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("error: this build of Kindred is compiled for " + instruction_set()["level"], done.stderr)
        self.assertIn("this processor has only x86-64; ", done.stderr)


if __name__ == "__main__":
    unittest.main()
