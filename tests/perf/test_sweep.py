#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests sweeps of one's own problem, their records and pages. The environment variable KINDRED_PERF names the program."""
import csv
import json
import os
import re
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

PERF = os.environ.get("KINDRED_PERF", str(Path(__file__).resolve().parents[2] / "build/release/perf/kindred-perf"))


class Sweep(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_perf(self, *arguments, status=0):
        done = subprocess.run([PERF, *arguments], capture_output=True, text=True, timeout=60, check=False, cwd=self.folder)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def sweep(self, name, *arguments):
        short = () if "--min-time" in arguments else ("--min-time", "0.002")
        return self.run_perf("sweep", *short, "--out", f"{name}.json", "--csv", f"{name}.csv", "--report", f"{name}.html", *arguments)

    def record(self, name):
        return json.loads((self.folder / f"{name}.json").read_text())

    def test_of_ones_own_problem_has_its_sizes(self):
        self.sweep("own", "--op", "lcs,search,search-gemm", "--sizes", "40:80", "--step", "2", "--spaces", "serial", "--dimension", "24", "--rows",
                   "90", "--queries", "3", "--top", "2", "--length", "11", "--query-length", "5", "--vocabulary", "17")
        names = [run["name"] for run in self.record("own")["benchmarks"]]
        self.assertTrue(any(re.search(r"lcs<serial>/patterns:80/length:11/query:5/queries:3", name) for name in names), names)
        self.assertTrue(any(re.search(r"Search.*rows:80.*dimension:24.*queries:3", name) for name in names), names)
        self.assertTrue(any(re.search(r"Search.*rows:90.*dimension:24.*queries:80", name) for name in names), names)
        rows = self.record("own")["rows"]
        self.assertEqual({row["size"] for row in rows}, {40, 80})
        for row in rows:
            self.assertGreater(row["seconds"], 0)
            self.assertGreater(row["cold_seconds"], 0)
            self.assertGreater(row["percent_of_limit"], 0)
            self.assertIn(row["limit"], ("memory", "arithmetic"))
            self.assertGreaterEqual(len(row["samples"]), 1)

    def test_has_the_same_rows_in_its_csv(self):
        self.sweep("own", "--op", "lcs", "--sizes", "10:40", "--step", "2")
        with open(self.folder / "own.csv", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        recorded = self.record("own")["rows"]
        self.assertEqual(len(rows), len(recorded))
        for row, other in zip(rows, recorded):
            self.assertEqual((row["operation"], float(row["size"]), row["space"]), (other["operation"], other["size"], other["space"]))
            self.assertAlmostEqual(float(row["seconds"]), other["seconds"], delta=1e-8 * other["seconds"])

    def test_answers_on_its_page_what_pays_where(self):
        self.sweep("own", "--op", "lcs,element-wise", "--sizes", "16:4096", "--step", "16")
        page = (self.folder / "own.html").read_text()
        self.assertIn("From which size does each space pay", page)
        self.assertRegex(page, r"At 4.096 (patterns|elements), (serial|openmp|cuda) takes [\d.]+ (ns|µs|ms)")
        self.assertLess(page.index("The answers in short"), page.index('class="plot"'))
        self.assertNotIn("✗", page)
        self.assertEqual(page.count('class="plot"'), 2)

    def test_is_compared_and_reported_like_other_records(self):
        for name in ("one", "two"):
            self.sweep(name, "--op", "lcs", "--sizes", "16:64", "--step", "4", "--spaces", "serial", "--min-time", "0.02")
        done = subprocess.run([PERF, "compare", "one.json", "two.json"], capture_output=True, text=True, check=False, cwd=self.folder)
        self.assertIn(done.returncode, (0, 5, 6), done.stderr)
        self.assertIn("lcs 64 serial", done.stdout)
        self.run_perf("report", "one.json", "two.json", "--out", "both.html")
        page = (self.folder / "both.html").read_text()
        self.assertIn("Kindred on 2 machines", page)
        self.assertEqual(page.count('class="plot"'), 2)
        self.assertIn("lcs, one", page)
        self.run_perf("rows", "--only", "lcs-200", "--scale", "0.0002", "--repeats", "3", "--out", "rows.json")
        self.run_perf("report", "rows.json")
        self.assertIn("lcs-200", (self.folder / "kindred-perf.html").read_text())

    def test_writes_what_it_has_before_an_interrupt(self):
        with subprocess.Popen([PERF, "sweep", "--op", "lcs", "--sizes", "1:1e6", "--step", "1.1", "--spaces", "serial", "--out", "part.json"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.folder) as running:
            running.stdout.readline()  # the head
            running.stdout.readline()
            running.send_signal(signal.SIGINT)
            running.communicate(timeout=60)
        self.assertEqual(running.returncode, 130)
        record = self.record("part")
        self.assertGreaterEqual(len(record["rows"]), 1)
        self.assertTrue(all(name.endswith(": interrupted") for name in record["not_run"]), record["not_run"][:3])

    def test_refuses_what_it_cannot_measure(self):
        for arguments, status, part in (
                (("--op", "levenshtein"), 2, "--op levenshtein: it must be lcs, "),
                (("--sizes", "10"), 2, "--sizes 10: it must be FROM:TO"),
                (("--sizes", "4e9:4e9", "--op", "search", "--dimension", "100000"), 4, "search of 4"),
                (("--spaces", "gpu"), 2, "--spaces gpu: it must be serial, openmp or cuda"),
                (("--threads", "3,8"), 2, "--threads 3: the teams of this machine have 2, 4, 8 threads"),
                (("--dimension", "0"), 2, "--dimension")):
            done = self.run_perf("sweep", *arguments, status=status)
            self.assertIn(part, done.stderr)
            self.assertEqual(done.stdout, "")
        done = self.run_perf("sweep", "--op", "search", "--sizes", "1:4e9", "--step", "1e6", "--dimension", "50000", "--max-seconds", "1",
                             "--spaces", "serial", "--min-time", "0.001")
        self.assertRegex(done.stderr, r"search of 4.000.000.000 rows needs about \d+.* sizes above [\d\W]+ are left out")

    def test_files_that_are_no_records_have_no_page(self):
        (self.folder / "text").write_text("a")
        self.assertIn("not a record of kindred-perf", self.run_perf("report", "text", status=3).stderr)
        self.assertIn("missing: cannot be opened", self.run_perf("report", "missing", status=3).stderr)


if __name__ == "__main__":
    unittest.main()
