#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Several copies of libkindred_c.so in one process, and the choice of the library that serves a context.
Usage: test_libraries.py LIBRARY VERSION [FAKE DRIVER]"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

USER = Path(__file__).with_name("use_library.py")


class Libraries(unittest.TestCase):
    library = Path()
    version = ""
    driver = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def use(self, *paths, fails=False, **environment):
        variables = {name: value for name, value in os.environ.items() if name != "KINDRED_LIBRARY"} | environment
        done = subprocess.run([sys.executable, "-B", USER, *paths], capture_output=True, text=True, env=variables, check=False)
        self.assertEqual(done.returncode != 0, fails, done.stderr)
        return done.stderr if fails else json.loads(done.stdout)

    def copy(self, name):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(self.library, path)
        return path

    def check(self, answers):
        self.assertEqual(answers["version"], self.version)
        self.assertAlmostEqual(answers["similarity"], 1 - 3 / 7)
        self.assertEqual(answers["ids"], [0, 1, 2])
        self.assertAlmostEqual(answers["scores"][0], 12 / 14)
        self.assertEqual(answers["status"], -1)
        self.assertEqual(answers["error"], "queries is NULL")
        self.assertEqual(answers["cancelled"], {"matcher": -8, "similarity": -8})

    def test_two_copies_compute_in_one_process(self):
        first, second = self.use(self.copy("first/libkindred_c_one.so"), self.copy("second/libkindred_c_two.so"))
        self.check(first)
        self.assertEqual(first["scores"], second["scores"])
        self.check(second)

    def test_without_others_the_library_serves_itself(self):
        [answers] = self.use(self.copy("lib/libkindred_c.so.0"))
        self.check(answers)
        self.assertEqual(answers["library"], "host")
        self.assertIn("no library with CUDA is installed", answers["why"])

    def test_a_requested_library_serves_contexts(self):
        other = self.copy("other/libkindred_c.so.0")
        [answers] = self.use(self.copy("lib/libkindred_c.so.0"), KINDRED_LIBRARY=str(other))
        self.check(answers)
        self.assertEqual(answers["library"], str(other))
        self.assertIn("KINDRED_LIBRARY", answers["why"])

    def test_two_libraries_of_different_places_use_their_own_choice(self):
        other = self.copy("other/libkindred_c.so.0")
        first, second = self.use(self.copy("one/libkindred_c.so.0"), self.copy("two/libkindred_c.so.0"), KINDRED_LIBRARY=str(other))
        self.check(first)
        self.assertEqual(second["scores"], first["scores"])

    def test_libraries_that_cannot_be_used_are_refused(self):
        library = self.copy("lib/libkindred_c.so.0")
        absent = self.use(library, fails=True, KINDRED_LIBRARY=str(self.folder / "absent.so"))
        self.assertIn("context_create: -3", absent)
        unknown = self.use(library, fails=True, KINDRED_LIBRARY="cuda-70")
        self.assertIn("installed are host", unknown)
        something = self.use(library, fails=True, KINDRED_LIBRARY="/" + next(
            path.lstrip("/") for path in re.findall(r"/\S+libstdc\+\+\S+", subprocess.run(["ldd", library], capture_output=True, text=True, check=True).stdout)))
        self.assertIn("is not a libkindred_c.so.0", something)

    def test_the_library_for_the_device_is_chosen(self):
        if not self.driver:
            self.skipTest("there is no fake driver")
        library = self.copy("lib/libkindred_c.so.0")
        self.copy("lib/kindred/cuda-90/libkindred_c.so.0")
        (self.folder / "lib/kindred/cuda-90/libkindred_c.txt").write_text(f"kindred {self.version}\narchitecture 9.0\ncuda 13.0\n")
        [answers] = self.use(library, LD_LIBRARY_PATH=str(Path(self.driver).parent))
        self.check(answers)
        self.assertEqual(answers["library"], "cuda-90")
        self.assertIn("Fake GPU", answers["why"])
        [host] = self.use(library, KINDRED_LIBRARY="host", LD_LIBRARY_PATH=str(Path(self.driver).parent))
        self.assertEqual(host["library"], "host")
        self.assertEqual(host["scores"], answers["scores"])
        # One that is of another kind is not used, and the reason is given.
        shutil.copy(self.driver, self.folder / "lib/kindred/cuda-90/libkindred_c.so.0")
        [fallback] = self.use(library, LD_LIBRARY_PATH=str(Path(self.driver).parent))
        self.check(fallback)
        self.assertEqual(fallback["library"], "host")
        self.assertIn("is not a libkindred_c.so.0", fallback["why"])


if __name__ == "__main__":
    Libraries.library, Libraries.version, *driver = Path(sys.argv[1]).resolve(), *sys.argv[2:]
    Libraries.driver = driver[0] if driver else None
    unittest.main(argv=sys.argv[:1], verbosity=2)
