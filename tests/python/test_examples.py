# SPDX-License-Identifier: Apache-2.0
"""The scripts of examples/python run, print what they promise and draw a picture."""
import importlib.util
import os
import subprocess
import sys
import unittest
from pathlib import Path

from support import folder_of

FOLDER = Path(__file__).resolve().parents[2] / "examples/python"


def is_installed(name):
    return importlib.util.find_spec(name) is not None


class Examples(unittest.TestCase):
    def run_example(self, name, *arguments):
        """What the script prints, as lines."""
        folder = folder_of(self)
        picture = folder / "picture.png"
        program = [sys.executable, "-B", FOLDER / name, *arguments, "--picture", picture]
        ran = subprocess.run(program, capture_output=True, text=True, cwd=folder, timeout=300,
                             env={**os.environ, "MPLCONFIGDIR": str(folder)})
        self.assertEqual((ran.returncode, ran.stderr), (0, ""), ran.stdout)
        if is_installed("matplotlib"):
            self.assertEqual(picture.read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
        else:
            self.assertIn("there is no picture", ran.stdout)
        return ran.stdout.splitlines()

    def test_fuzzy_names_finds_the_names_that_rapidfuzz_finds(self):
        lines = self.run_example("fuzzy_names.py", "--size", "3000", "--queries", "20")
        for call in ("pykindred: SequenceMatcher.match", "pykindred: process.extractOne", *(["RapidFuzz"] if is_installed("rapidfuzz") else [])):
            rows = [line for line in lines if line.startswith(call)]
            self.assertTrue(rows, call)
            for row in rows:
                self.assertTrue(row.endswith("the same names"), row)
        self.assertTrue(any(line.startswith("difflib") and line.endswith("not compared") for line in lines))
        shares = [line.split() for line in lines if line.startswith("  ")]
        self.assertEqual([line[0] for line in shares], ["lcs", "levenshtein", "osa", "jaro-winkler"])
        for measure, *found in shares:
            self.assertGreaterEqual(int(found[0].rstrip("%")), 80, measure)

    def test_exact_search_has_the_same_bits_for_every_batch(self):
        lines = self.run_example("exact_search.py", "--size", "2000", "--dimension", "24", "--queries", "64", "--repetitions", "1")
        for library in ("pykindred", "NumPy", *(["FAISS"] if is_installed("faiss") else [])):
            rows = [line.split() for line in lines if line.startswith(f"{library} ")]
            self.assertEqual([row[1] for row in rows], ["1", "4", "16", "64"], library)
            for row in rows:
                self.assertEqual(row[4], "100.0%", library)
                if library == "pykindred":
                    self.assertEqual(row[3], "0.0%")


if __name__ == "__main__":
    unittest.main()
