#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The record of the full run is read from its logs and replaces the earlier one."""
import tempfile
import unittest
from pathlib import Path

from record_full_run import BEGIN, END, replaced, table

LOGS = {"parts.tsv": "build of release\t600\nmutation check\t90\nall other tests\t210\n",
        "release/mutation.log": "group: 3 of 4 mutants killed\n231 of 250 mutants killed, 90 s\n",
        "release/ctest.log": "100% tests passed, 0 tests failed out of 324\n",
        "release/Testing/Temporary/LastTest.log": "[  PASSED  ] 1 test.\n...\n[  PASSED  ] 12 tests.\n"}


class RecordFullRun(unittest.TestCase):
    def test_parts_have_minutes_and_counts_and_replace_the_earlier_record(self):
        with tempfile.TemporaryDirectory() as folder:
            build = Path(folder)
            for name, text in LOGS.items():
                (build / name).parent.mkdir(parents=True, exist_ok=True)
                (build / name).write_text(text)
            lines = table(build, "abc1234", "2026-01-02", "A Processor", 2)
            self.assertEqual(lines[0], "Commit abc1234, 2026-01-02, 2 cores of A Processor:")
            self.assertEqual(lines[4:], ["| build of release | 10.0 |  |", "| mutation check | 1.5 | 231 of 250 mutants killed |",
                                         "| all other tests | 3.5 | 324 of CTest with 13 of GoogleTest |", "| **all** | **15** | |"])
            (build / "release/ctest.log").write_text("killed\n")
            with self.assertRaises(SystemExit):
                table(build, "abc1234", "2026-01-02", "A Processor", 2)
        self.assertEqual(replaced(f"before\n{BEGIN}\nold\n{END}\nafter\n", ["new"]), f"before\n{BEGIN}\nnew\n{END}\nafter\n")
        with self.assertRaises(SystemExit):
            replaced("before\n", ["new"])


if __name__ == "__main__":
    unittest.main()
