#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The record of the full run is read from its logs and replaces the earlier one."""
import tempfile
import unittest
from pathlib import Path

from record_full_run import BEGIN, END, replaced, table


class RecordFullRun(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.build = Path(self.folder.name)
        (self.build / "release").mkdir()
        (self.build / "parts.tsv").write_text("build of release\t600\nmutation check\t90\nall other tests\t210\n")
        (self.build / "release/mutation.log").write_text("group: 3 of 4 mutants killed\n231 of 250 mutants killed, 90 s\n")
        (self.build / "release/ctest.log").write_text("100% tests passed, 0 tests failed out of 324\n")
        (self.build / "release/Testing/Temporary").mkdir(parents=True)
        (self.build / "release/Testing/Temporary/LastTest.log").write_text("[  PASSED  ] 1 test.\n...\n[  PASSED  ] 12 tests.\n")

    def tearDown(self):
        self.folder.cleanup()

    def test_a_part_has_its_minutes_and_counts(self):
        lines = table(self.build, "abc1234", "2026-01-02", "A Processor", 2)
        self.assertEqual(lines[0], "Commit abc1234, 2026-01-02, 2 cores of A Processor:")
        self.assertIn("| build of release | 10.0 |  |", lines)
        self.assertIn("| mutation check | 1.5 | 231 of 250 mutants killed |", lines)
        self.assertIn("| all other tests | 3.5 | 324 of CTest with 13 of GoogleTest |", lines)
        self.assertEqual(lines[-1], "| **all** | **15** | |")

    def test_a_log_without_counts_is_an_error(self):
        (self.build / "release/ctest.log").write_text("killed\n")
        with self.assertRaises(SystemExit):
            table(self.build, "abc1234", "2026-01-02", "A Processor", 2)

    def test_the_earlier_record_is_replaced(self):
        text = f"before\n{BEGIN}\nold\n{END}\nafter\n"
        self.assertEqual(replaced(text, ["new"]), f"before\n{BEGIN}\nnew\n{END}\nafter\n")

    def test_a_document_without_a_place_is_an_error(self):
        with self.assertRaises(SystemExit):
            replaced("before\n", ["new"])


if __name__ == "__main__":
    unittest.main()
