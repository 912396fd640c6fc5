#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The checker of the documents detects what it is meant to detect."""
import tempfile
import unittest
from pathlib import Path

from check_docs import breaches_of, slug, with_examples, with_files
from commands import output_breaches, with_outputs

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


class CheckDocs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve()
        for name, text in (("docs/other.md", "# Other\n\n## A `heading` of it\n"), ("README.md", "outside\n"), ("examples/one/Main.cpp", "int main() {}\n"),
                           ("examples/one/expected.txt", "1\n"), ("perf/results/2026-01-01-x.jsonl", "{}\n"), ("docs/guide/page.md", ""),
                           ("core/include/kindred/core/math/Sum.hpp", "")):
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text)

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


if __name__ == "__main__":
    unittest.main()
