#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests `kindred-perf compare` on builds and records whose times are known.

The environment variable KINDRED_PERF names the program. The builds of most tests are this file: started with rows --serve, it answers as
kindred-perf does, with times of a seeded distribution."""
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

PERF = os.environ.get("KINDRED_PERF", str(Path(__file__).resolve().parents[2] / "build/release/perf/kindred-perf"))
SLOWER, UNCLEAR = 5, 6
ROWS = 20


def serve(description):
    """A build whose rows take 1 to 100 ms, by its description: seed, noise of a call, noise of a start, ratios by row, other keys."""
    start = random.Random(counted(description))
    rows = [f"row-{i}" for i in range(description.get("rows", ROWS))]
    answer({"rows": rows, "context": {"record_format": 1}})
    base = 0.0
    for line in sys.stdin:
        request = json.loads(line)
        if "prepare" in request:
            index = rows.index(request["prepare"])
            base = 10 ** (-3 + 2 * index / max(1, len(rows) - 1)) * description.get("ratios", {}).get(rows[index], 1)
            base *= 1 + start.gauss(0, description["start"])
            answer({"wrong": description.get("wrong", ""), "digest": description.get("digest", "1")})
        else:
            time.sleep(description.get("sleep", 0))
            answer({"seconds": base * (1 + abs(start.gauss(0, description["call"])))})


def counted(description):
    """The seed of this start: each is another, and the same in every run of the tests."""
    counter = Path(description["counter"])
    number = int(counter.read_text()) if counter.exists() else 0
    counter.write_text(str(number + 1))
    return f"{description['seed']} {number}"


def answer(message):
    print(json.dumps(message), flush=True)


class CompareBuilds(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.builds = 0

    def build(self, seed, **description):
        """A program that serves rows."""
        self.builds += 1
        path = Path(self.folder.name, f"build-{self.builds}")
        what = {"seed": seed, "call": 0.01, "start": 0.005, "counter": f"{path}.starts", **description}
        path.write_text(f"#!{sys.executable} -S\nimport sys\nsys.path.insert(0, {str(Path(__file__).parent)!r})\n"
                        f"import test_compare\ntest_compare.serve({what!r})\n")
        path.chmod(0o755)
        return str(path)

    def compare(self, *arguments, **options):
        record = Path(self.folder.name, "comparison.json")
        record.unlink(missing_ok=True)
        done = subprocess.run([PERF, "compare", *arguments, "--seconds", "0.001", "--out", str(record)], capture_output=True, text=True,
                              timeout=300, check=False, **options)
        return done, json.loads(record.read_text()) if record.exists() else None

    def test_find_five_percent_in_one_row_of_twenty_and_nothing_in_equal_builds(self):
        found = alarms = 0
        comparisons = 20
        for seed in range(comparisons):
            before = self.build(f"before {seed}")
            planted = self.build(f"after {seed}", ratios={"row-7": 1.05})
            equal = self.build(f"equal {seed}")
            done, record = self.compare(before, planted)
            slower = [row["row"] for row in record["rows"] if row["verdict"] == "slower"]
            found += slower == ["row-7"] and done.returncode == SLOWER
            done, _ = self.compare(before, equal)
            alarms += done.returncode == SLOWER
        self.assertGreaterEqual(found, 19)
        self.assertLessEqual(alarms, 1)

    def test_that_vary_too_much_have_a_status_of_their_own(self):
        done, record = self.compare(self.build("a", start=0.05), self.build("b", start=0.05))
        self.assertEqual(done.returncode, UNCLEAR, done.stdout)
        self.assertIn("too much noise", done.stdout)
        self.assertIn("unclear", {row["verdict"] for row in record["rows"]})

    def test_that_are_faster_or_have_other_results_are_no_failure(self):
        done, record = self.compare(self.build("a"), self.build("b", ratios={"row-3": 0.8}, digest="2"))
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual([row["row"] for row in record["rows"] if row["verdict"] == "faster"], ["row-3"])
        self.assertTrue(all(row["remark"] == "other results" for row in record["rows"]))

    def test_are_started_as_often_as_their_rows_need(self):
        for rows, starts in ((1, 9), (20, 14), (100, 17)):
            _, record = self.compare(self.build("a", rows=rows), self.build("b", rows=rows))
            self.assertEqual(record["starts"], starts, f"{rows} rows")

    def test_that_cannot_be_compared_are_refused(self):
        for before, after, status, words in (
                (self.build("a"), self.build("b", wrong="1 instead of 2"), 1, "build-2, row-0: a wrong answer: 1 instead of 2"),
                (self.build("a"), self.build("b", rows=0), 2, "no common row"), ("/bin/true", self.build("b"), 1, "/bin/true ended"),
                ("/bin/echo", self.build("b"), 1, "/bin/echo wrote 'rows --serve")):
            done, _ = self.compare(before, after)
            self.assertEqual(done.returncode, status, words)
            self.assertIn(words, done.stderr)

    def test_keep_what_was_measured_before_an_interrupt(self):
        record = Path(self.folder.name, "interrupted.json")
        command = [PERF, "compare", self.build("a", sleep=0.01), self.build("b", sleep=0.01), "--out", str(record)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
            running.stderr.readline()  # the first start
            time.sleep(0.5)
            running.send_signal(signal.SIGINT)
            out, _ = running.communicate(timeout=60)
        self.assertEqual(running.returncode, 130)
        self.assertIn("not complete", out)
        rows = json.loads(record.read_text())["rows"]
        self.assertGreaterEqual(len(rows), 1)
        self.assertEqual({row["verdict"] for row in rows}, {"unclear"})

    def test_of_kindred_perf_itself_are_compared(self):
        done, record = self.compare(PERF, PERF, "--only", "lcs-200,search-1", "--starts", "2", "--times", "call,kernels", "--scale",
                                    "0.0002", "--space", "serial")
        self.assertEqual(done.returncode, UNCLEAR, done.stdout + done.stderr)
        self.assertEqual({(row["row"], row["time"]) for row in record["rows"]},
                         {(row, t) for row in ("lcs-200", "search-1") for t in ("call", "kernels")})
        self.assertTrue(all(0.01 < row["ratio"] < 100 and "remark" not in row for row in record["rows"]))


class CompareRecords(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.random = random.Random(20261130)

    def record(self, name, ratio=1.0, repeats=30, rows=("lcs-200", "search-1"), record_format=1):
        path = Path(self.folder.name, name)
        path.write_text(json.dumps({
            "context": {"record_format": record_format},
            "rows": [{"row": row, "space": "serial",
                      "samples": [0.01 * (ratio if row == rows[0] else 1) * self.random.uniform(0.99, 1.01) for _ in range(repeats)]}
                     for row in rows]}))
        return str(path)

    def compare(self, *arguments):
        return subprocess.run([PERF, "compare", *arguments], capture_output=True, text=True, timeout=60, check=False)

    def test_show_what_is_slower(self):
        done = self.compare(self.record("a.json"), self.record("b.json", ratio=1.06))
        self.assertEqual(done.returncode, SLOWER, done.stdout)
        self.assertIn("slower: lcs-200\n", done.stdout)
        self.assertEqual(self.compare(self.record("a.json"), self.record("b.json")).returncode, 0)

    def test_with_few_times_are_unclear_and_say_how_many_are_needed(self):
        done = self.compare(self.record("a.json", repeats=5), self.record("b.json", repeats=5))
        self.assertEqual(done.returncode, UNCLEAR)
        self.assertIn("needs --repeats 8", done.stdout)

    def test_are_refused_with_a_reason(self):
        good = self.record("good.json")
        no_json = Path(self.folder.name, "text.json")
        no_json.write_text("not JSON")
        no_rows = Path(self.folder.name, "sweep.json")
        no_rows.write_text('{"context": {"record_format": 1}}')
        for other, status, part in (
                (str(no_json), 3, "not a record of kindred-perf"),
                (str(no_rows), 3, "a record without rows"),
                (self.record("old.json", record_format=0), 3, "a record of format 0; this version of kindred-perf reads format 1"),
                (self.record("others.json", rows=("other",)), 2, "no common row"),
                (str(Path(self.folder.name, "missing.json")), 3, "there is no such file"),
                (PERF, 2, "one of the two is a program and the other is not")):
            done = self.compare(good, other)
            self.assertEqual(done.returncode, status, other)
            self.assertIn(part, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        done = self.compare(good, good, "--only", "lcs-3")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--only lcs-3: there is no such row in both records", done.stderr)


if __name__ == "__main__":
    unittest.main()
