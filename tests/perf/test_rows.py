#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the list of rows and its filters. The environment variable KINDRED_PERF names the program."""
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

PERF = os.environ.get("KINDRED_PERF", str(Path(__file__).resolve().parents[2] / "build/release/perf/kindred-perf"))
SMALL = ("--scale", "0.0002", "--repeats", "1", "--space", "serial")


def rows(*arguments):
    return subprocess.run([PERF, "rows", *arguments], capture_output=True, text=True, timeout=100, check=False)


def listed(*arguments):
    """Names and tags of the rows that are listed."""
    lines = rows("--list", *arguments).stdout.splitlines()
    return {line.split()[0]: set(line.split()[1].split(",")) for line in lines}


class Rows(unittest.TestCase):
    def test_without_a_filter_are_listed(self):
        all_rows = listed()
        self.assertEqual(set(rows().stdout.splitlines()), set(rows("--list").stdout.splitlines()))
        self.assertGreater(len(all_rows), 200)
        for collection in ("h200", "peers", "scaling", "kato", "memory", "hnsw", "published"):
            self.assertTrue(any(collection in tags for tags in all_rows.values()), collection)

    def test_of_a_filter_have_all_its_tags(self):
        found = listed("--tag", "peers,graphs")
        self.assertIn("peers/hop", found)
        self.assertTrue(all({"peers", "graphs"} <= tags for tags in found.values()))
        self.assertEqual(list(listed("--only", "lcs-200")), ["lcs-200"])

    def test_that_take_minutes_run_only_by_name(self):
        self.assertNotIn("search-10k", listed("--tag", "h200"))
        self.assertIn("search-10k", listed("--only", "search-10k"))

    def test_are_recorded_in_one_form(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "rows.json")
            names = ["lcs-200", "peers/filter-50", "published/xor-small", "pattern-memory/learn-one"]
            done = rows(*SMALL, "--only", ",".join(names), "--out", str(path))
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            record = {row["row"]: row for row in json.loads(path.read_text())["rows"]}
        self.assertEqual(set(record), set(names))
        for row in record.values():
            self.assertTrue(row["correct"])
            self.assertGreater(row["seconds"], 0)
        self.assertGreater(record["peers/filter-50"]["times_beside"], 0)
        self.assertGreaterEqual(record["pattern-memory/learn-one"]["longest_seconds"], record["pattern-memory/learn-one"]["p99_seconds"])

    def test_that_do_not_exist_are_refused(self):
        for arguments, part in ((("--only", "lcs-3"), "--only lcs-3: there is no such row"),
                                (("--tag", "lcs"), "--tag lcs: it must be one of bulk,"),
                                (("--only", "lcs-200", "--space", "gpu"), "it must be serial, openmp or cuda")):
            done = rows(*arguments)
            self.assertEqual(done.returncode, 2)
            self.assertIn(part, done.stderr)

    def test_without_another_library_are_refused_as_peers(self):
        done = subprocess.run([PERF, "peers", "--only", "lattice-100m", "--scale", "0.0002"], capture_output=True, text=True, timeout=60,
                              check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("lattice-100m: no other library does this", done.stderr)


if __name__ == "__main__":
    unittest.main()
