#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The checker detects what it is meant to detect."""
import tempfile
import unittest
from pathlib import Path

from check_docs import breaches_of, slug, with_examples, with_files
from commands import output_breaches, with_outputs

SHOWN = "<!-- example: one -->\n```cpp\n{}```\n\nIt prints\n\n```text\n{}```\n"


class CheckDocs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = Path(self.folder.name).resolve()
        for name in ("docs/guide", "examples/one", "perf/results"):
            (self.root / name).mkdir(parents=True)
        (self.root / "docs/other.md").write_text("# Other\n\n## A `heading` of it\n")
        (self.root / "README.md").write_text("outside\n")
        (self.root / "examples/one/Main.cpp").write_text("int main() {}\n")
        (self.root / "examples/one/expected.txt").write_text("1\n")
        (self.root / "perf/results/2026-01-01-x.jsonl").write_text("{}\n")

    def tearDown(self):
        self.folder.cleanup()

    def found(self, text):
        page = self.root / "docs/guide/page.md"
        other = self.root / "docs/other.md"
        return list(breaches_of(page, self.root, {page: text, other: other.read_text()}))

    def test_right_pages_pass(self):
        self.assertEqual(self.found("[a](../other.md#a-heading-of-it) `perf/results/2026-01-01-x.jsonl`\n"), [])
        self.assertEqual(self.found(SHOWN.format("int main() {}\n", "1\n")), [])

    def test_links_must_lead_somewhere(self):
        self.assertTrue(self.found("[a](none.md)\n"))
        self.assertTrue(self.found("![a](none.svg)\n"))
        self.assertTrue(self.found("[a](../other.md#none)\n"))
        self.assertTrue(self.found("[a](#none)\n"))
        self.assertFalse(self.found("# Here\n[a](#here)\n"))

    def test_links_stay_in_the_site(self):
        self.assertTrue(self.found("[a](../../README.md)\n"))

    def test_code_holds_no_links(self):
        self.assertFalse(self.found("```\n[a](none.md)\n```\n`[a](none.md)`\n"))

    def test_programs_are_those_that_are_compiled(self):
        self.assertTrue(self.found("```cpp\nint x;\n```\n"))
        self.assertTrue(self.found(SHOWN.format("int main() { return 0; }\n", "1\n")))
        self.assertTrue(self.found(SHOWN.format("int main() {}\n", "2\n")))

    def test_programs_are_written_into_pages(self):
        self.assertEqual(with_examples(SHOWN.format("", ""), self.root), SHOWN.format("int main() {}\n", "1\n"))

    def test_copies_are_those_of_files(self):
        copy = "<!-- file: docs/other.md -->\n```text\n{}```\n"
        self.assertTrue(self.found(copy.format("else\n")))
        self.assertEqual(with_files(copy.format(""), self.root), copy.format((self.root / "docs/other.md").read_text()))

    def test_commands_print_what_is_shown(self):
        shown = "<!-- commands -->\n```sh\nread_me=$(cat examples/one/expected.txt)\necho $read_me\n```\nIt prints\n\n```text\n{}```\n"
        shown += "<!-- commands -->\n```sh\nbuild/release/tools/kindred $read_me\n```\n```text\n{}```\n"
        page = shown.format("1\n", "seen 1\n")
        command = self.root / "kindred"
        command.write_text("#!/bin/sh\necho seen $*\n")
        command.chmod(0o755)
        self.assertEqual(self.found(page), [])
        self.assertEqual(list(output_breaches(page, self.root, command)), [])
        self.assertTrue(list(output_breaches(shown.format("2\n", "seen 1\n"), self.root, command)))
        self.assertEqual(with_outputs(shown.format("", ""), self.root, command), page)
        self.assertIn("a command failed", next(output_breaches(shown.replace("echo", "false"), self.root, command)))
        self.assertTrue(self.found("<!-- commands -->\n```sh\nls\n```\n"))

    def test_named_files_exist(self):
        (self.root / "core/include/kindred/core/math").mkdir(parents=True)
        (self.root / "core/include/kindred/core/math/Sum.hpp").write_text("")
        for name in ("docs/other.md", "docs/", "docs/<page>.md", "core/math/Sum.hpp", "core/…/math/", "core/math/<Kernel>.hpp", "python3 docs/other.md --all"):
            self.assertFalse(self.found(f"`{name}`\n"), name)
        for name in ("docs/none.md", "core/common/Sum.hpp", "core/…/none/", "docs/<page>.cpp", "python3 docs/none.py"):
            self.assertTrue(self.found(f"`{name}`\n"), name)

    def test_cited_records_exist(self):
        self.assertTrue(self.found("`perf/results/2026-01-02-*.jsonl`\n"))

    def test_guide_pages_are_short(self):
        self.assertTrue(self.found("line\n" * 201))
        self.assertFalse(self.found("line\n" * 200))

    def test_words_are_the_usual_ones(self):
        self.assertTrue(self.found("The index is told a row a query.\n"))

    def test_anchors_are_those_of_forges(self):
        self.assertEqual(slug(" The command: `kindred match --predict`"), "the-command-kindred-match---predict")
        self.assertEqual(slug("KATO's, and [ours](a.md)"), "katos-and-ours")


if __name__ == "__main__":
    unittest.main()
