#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The checker of the documents detects what it is meant to detect, and the record of the full run is read from its logs and replaces the
earlier one."""
import tempfile
import unittest
from pathlib import Path

from check_docs import breaches_of, slug, with_examples, with_files
from commands import output_breaches, with_outputs
from record_full_run import BEGIN, END, replaced, table

SHOWN = "<!-- example: one -->\n```cpp\n{}```\n\nIt prints\n\n```text\n{}```\n"
COPY = "<!-- file: docs/other.md -->\n```text\n{}```\n"
RIGHT = (
    "[a](../other.md#a-heading-of-it) `perf/results/2026-01-01-x.jsonl`\n", SHOWN.format("int main() {}\n", "1\n"), "# Here\n[a](#here)\n",
    "```\n[a](none.md)\n```\n`[a](none.md)`\n",  # code holds no links
    *(f"`{name}`\n" for name in ("docs/other.md", "docs/", "docs/<page>.md", "core/math/Sum.hpp", "core/…/math/", "core/math/<Kernel>.hpp",
                                 "python3 docs/other.md --all")))
WRONG = (
    "[a](none.md)\n", "![a](none.svg)\n", "[a](../other.md#none)\n", "[a](#none)\n", "[a](../../README.md)\n", "```cpp\nint x;\n```\n",
    SHOWN.format("int main() { return 0; }\n", "1\n"), SHOWN.format("int main() {}\n", "2\n"), COPY.format("else\n"),
    "<!-- commands -->\n```sh\nls\n```\n", "`perf/results/2026-01-02-*.jsonl`\n",
    *(f"`{name}`\n" for name in ("docs/none.md", "core/common/Sum.hpp", "core/…/none/", "docs/<page>.cpp", "python3 docs/none.py")))


class InFolder(unittest.TestCase):
    FILES = {}

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve()
        for name, text in self.FILES.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text)


class CheckDocs(InFolder):
    FILES = {"docs/other.md": "# Other\n\n## A `heading` of it\n", "README.md": "outside\n", "examples/one/Main.cpp": "int main() {}\n",
             "examples/one/expected.txt": "1\n", "perf/results/2026-01-01-x.jsonl": "{}\n", "docs/guide/page.md": "",
             "core/include/kindred/core/math/Sum.hpp": ""}

    def found(self, text):
        page, other = self.root / "docs/guide/page.md", self.root / "docs/other.md"
        return list(breaches_of(page, self.root, {page: text, other: other.read_text()}))

    def test_right_pages_pass_and_wrong_ones_do_not(self):
        for text in RIGHT:
            self.assertEqual(self.found(text), [], text)
        for text in WRONG:
            self.assertTrue(self.found(text), text)
        self.assertEqual(slug(" The command: `kindred match --predict`"), "the-command-kindred-match---predict")
        self.assertEqual(slug("KATO's, and [ours](a.md)"), "katos-and-ours")

    def test_programs_files_and_outputs_are_written_into_pages(self):
        self.assertEqual(with_examples(SHOWN.format("", ""), self.root), SHOWN.format("int main() {}\n", "1\n"))
        self.assertEqual(with_files(COPY.format(""), self.root), COPY.format((self.root / "docs/other.md").read_text()))
        shown = "<!-- commands -->\n```sh\nread_me=$(cat examples/one/expected.txt)\necho $read_me\n```\nIt prints\n\n```text\n{}```\n"
        shown += "<!-- commands -->\n```sh\n~/.local/bin/kindred $read_me\n```\n```text\n{}```\n"
        page = shown.format("1\n", "seen 1\n")
        command = self.root / "kindred"
        command.write_text("#!/bin/sh\necho seen $*\n")
        command.chmod(0o755)
        self.assertEqual(self.found(page), [])
        self.assertEqual(list(output_breaches(page, self.root, command)), [])
        self.assertTrue(list(output_breaches(shown.format("2\n", "seen 1\n"), self.root, command)))
        self.assertEqual(with_outputs(shown.format("", ""), self.root, command), page)
        self.assertIn("a command failed", next(output_breaches(shown.replace("echo", "false"), self.root, command)))


class RecordFullRun(InFolder):
    FILES = {"parts.tsv": "mutation\tbuild\t60\ta1\nmutation\ttests\t90\ta1\ntests\tbuild\t600\tb2\ntests\ttests\t210\tb2\n"
                          "lint\tchecks\t30\ta1\ntsan\tbuild\t20\ta1\ntsan\ttests\tfailed\ta1\n",
             "mutation.log": "group: 3 of 4 mutants killed\n231 of 250 mutants killed, 90 s\n",
             "tests.log": "100% tests passed, 0 tests failed out of 324\n"}

    def test_a_part_has_its_minutes_and_counts(self):
        given = self.root, "2026-01-02", "A Processor", 2
        head, *lines, last = table(*given)
        self.assertEqual((head, last), ("2026-01-02, 2 cores of A Processor:", "| **all** | **16** | | | |"))
        for line in ("| mutation | 2.5 | 1.5 | a1 | passed: 231 of 250 mutants killed |", "| tests | 13.5 | 3.5 | b2 | passed: 324 of CTest |",
                     "| lint | 0.5 |  | a1 | passed |", "| tsan | | | a1 | **failed** |"):
            self.assertIn(line, lines)
        (self.root / "tests.log").write_text("killed\n")
        with self.assertRaises(SystemExit, msg="a log without counts"):
            table(*given)

    def test_the_earlier_record_is_replaced(self):
        text = f"before\n{BEGIN}\nold\n{END}\nafter\n"
        self.assertEqual(replaced(text, ["new"]), text.replace("old", "new"))
        with self.assertRaises(SystemExit, msg="a document without a place"):
            replaced("before\n", ["new"])


if __name__ == "__main__":
    unittest.main()
