#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The record of the full run is read from its logs and replaces the earlier one."""
import tempfile
import unittest
from pathlib import Path

from record_full_run import BEGIN, END, replaced, table


class RecordFullRun(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.build = Path(folder.name)
        (self.build / "parts.tsv").write_text("mutation\tbuild\t60\nmutation\ttests\t90\ntests\tbuild\t600\ntests\ttests\t210\n"
                                              "lint\tchecks\t30\ntsan\tbuild\t20\ntsan\ttests\tfailed\n")
        (self.build / "mutation.log").write_text("group: 3 of 4 mutants killed\n231 of 250 mutants killed, 90 s\n")
        (self.build / "tests.log").write_text("100% tests passed, 0 tests failed out of 324\n")

    def test_a_part_has_its_minutes_and_counts(self):
        lines = table(self.build, "abc1234", "2026-01-02", "A Processor", 2)
        self.assertEqual(lines[0], "Commit abc1234, 2026-01-02, 2 cores of A Processor:")
        self.assertIn("| mutation | 2.5 | 1.5 | passed: 231 of 250 mutants killed |", lines)
        self.assertIn("| tests | 13.5 | 3.5 | passed: 324 of CTest |", lines)
        self.assertIn("| lint | 0.5 |  | passed |", lines)
        self.assertIn("| tsan | | | **failed** |", lines)
        self.assertEqual(lines[-1], "| **all** | **16** | | |")

        (self.build / "tests.log").write_text("killed\n")
        with self.assertRaises(SystemExit, msg="a log without counts"):
            table(self.build, "abc1234", "2026-01-02", "A Processor", 2)

    def test_the_earlier_record_is_replaced(self):
        text = f"before\n{BEGIN}\nold\n{END}\nafter\n"
        self.assertEqual(replaced(text, ["new"]), f"before\n{BEGIN}\nnew\n{END}\nafter\n")
        with self.assertRaises(SystemExit, msg="a document without a place"):
            replaced("before\n", ["new"])


if __name__ == "__main__":
    unittest.main()
