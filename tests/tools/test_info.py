# SPDX-License-Identifier: Apache-2.0
"""What `kindred info` says of this machine, its calibration, processors that lack what the command is
compiled for, and the OpenMP runtime: only one is loaded, and its idle threads sleep."""
import json
import os
import platform
import re
import shutil
import subprocess
from pathlib import Path

import harness


def instruction_set(**options):
    return json.loads(harness.run("info", "--json", **options).out)["instruction_set"]


class Info(harness.CommandTest):
    def test_every_space_has_a_reason_if_it_cannot_be_used(self):
        info = self.succeeds("info", "--json").json()
        self.assertRegex(info["version"], r"^\d+\.\d+\.\d+$")
        self.assertEqual([space["space"] for space in info["spaces"]], ["serial", "openmp", "cuda"])
        for space in info["spaces"]:
            self.assertIs(space["usable"], space.get("why_not") in (None, ""))
        self.assertTrue(info["spaces"][0]["usable"])

    def test_every_type_has_one_library_and_every_other_a_reason(self):
        libraries = self.succeeds("info", "--json").json()["matrix_products"]
        on_host = [library for library in libraries if library["space"] == "host"]
        self.assertEqual([library["library"] for library in on_host], ["oneDNN", "OpenBLAS", "Kindred"])
        types = [element for library in on_host for element in library["used_for"]]
        self.assertEqual(sorted(types), sorted(set(types)))
        self.assertLessEqual({"float32", "float64"}, set(types))
        text = self.succeeds("info").out.decode()
        for library in libraries:
            with self.subTest(library["library"]):
                self.assertFalse(library["used_for"] and library["why_not"])
                if library["used_for"]:
                    self.assertIn(f"  {library['library']} {library['version']} ({library['space']}): {', '.join(library['used_for'])}\n", text)
                elif library["why_not"]:
                    self.assertIn(f"  {library['library']}: {library['why_not']}\n", text)

    def test_saves_a_profile_that_is_used(self):
        profile = self.folder / "deep" / "profile.json"
        self.succeeds("calibrate", "--quiet", profile=profile, timeout=600)
        harness.strict(profile.read_text())
        self.assertEqual([path.name for path in profile.parent.iterdir()], ["profile.json"])
        info = harness.run("info", "--json", profile=profile)
        self.assertIn("profile.json", info.out.decode())

    def test_a_broken_profile_is_told_and_left_alone(self):
        profile = self.file("profile.json", "{ broken")
        result = harness.run("info", "--json", profile=profile)
        self.assertEqual(result.status, 0)
        self.assertIn("profile.json", result.err)
        self.assertEqual(profile.read_text(), "{ broken")


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


class OpenMPRuntime(harness.CommandTest):
    def test_the_command_loads_one_runtime(self):
        libraries = subprocess.run(["ldd", harness.COMMAND], capture_output=True, text=True, check=True).stdout
        runtimes = set(re.findall(r"\b(lib(?:gomp|omp|iomp5)[^ ]*\.so[^ ]*) ", libraries))
        self.assertEqual(len(runtimes), 1, libraries)

    def displayed(self, **settings):
        """The settings that libgomp prints when the program starts."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("OMP_", "GOMP_", "KMP_"))}
        environment |= {"OMP_DISPLAY_ENV": "verbose", "KINDRED_PROFILE": "/nonexistent/profile.json"} | settings
        completed = subprocess.run([harness.COMMAND, "info"], capture_output=True, text=True, check=True, env=environment)
        shown = dict(re.findall(r"(\w+) = '([^']*)'", completed.stderr))
        if "GOMP_SPINCOUNT" not in shown:
            self.skipTest("the runtime is not libgomp")
        return shown

    def test_idle_threads_sleep_soon(self):
        shown = self.displayed()
        self.assertEqual((shown["OMP_WAIT_POLICY"], shown["GOMP_SPINCOUNT"]), ("PASSIVE", "1000"))

    def test_a_users_own_setting_is_kept(self):
        self.assertEqual(self.displayed(OMP_WAIT_POLICY="active")["OMP_WAIT_POLICY"], "ACTIVE")
        self.assertEqual(self.displayed(GOMP_SPINCOUNT="77")["GOMP_SPINCOUNT"], "77")
