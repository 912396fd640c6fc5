# SPDX-License-Identifier: Apache-2.0
"""Invalid input and flags of `kindred match`: a message with position, value and limit, the right
status, no output."""
import unittest

import harness

PATTERNS = [{"name": "p0", "tokens": ["a", "b"]}, {"name": "p1", "events": [["a"], ["c", "d"]]}]
QUERIES = [{"name": "q0", "tokens": ["a", "c"]}]


class BadSequences(harness.CommandTest):
    def setUp(self):
        super().setUp()
        self.patterns = self.file("patterns.jsonl", PATTERNS)
        self.queries = self.file("queries.jsonl", QUERIES)

    def refused_patterns(self, content, *words):
        bad = self.file("bad.jsonl", content)
        self.refuses(3, (bad, *words), "match", "--patterns", bad, "--queries", self.queries)

    def refused_queries(self, content, *words):
        bad = self.file("bad.jsonl", content)
        self.refuses(3, (bad, *words), "match", "--patterns", self.patterns, "--queries", bad)

    def refused_flag(self, words, *flags):
        self.refuses(2, words, "match", "--patterns", self.patterns, "--queries", self.queries, *flags)

    def test_good_input_is_answered(self):
        lines = self.succeeds("match", "--patterns", self.patterns, "--queries", self.queries).lines()
        self.assertEqual([hit["name"] for hit in lines[0]["results"]], ["p1", "p0"])

    def test_missing_file(self):
        missing = self.folder / "missing.jsonl"
        self.refuses(3, (missing, "No such file"), "match", "--patterns", missing, "--queries", self.queries)
        self.refuses(3, (missing, "No such file"), "match", "--patterns", self.patterns, "--queries", missing)

    def test_directory(self):
        self.refuses(3, (self.folder,), "match", "--patterns", self.folder, "--queries", self.queries)

    def test_malformed_json(self):
        good = '{"name": "x", "tokens": ["a"]}\n'
        for bad in ('{"name": "x", "tokens": ["a"}', '{"name": "x" "tokens": []}', "nonsense", "{", '{"name": "x", "tokens": ["a"]} extra',
                    "{'name': 'x', 'tokens': []}", '{"name": "x", "tokens": ["a",]}'):
            with self.subTest(bad):
                self.refused_patterns(good + bad + "\n" + good, "bad.jsonl:2:")
                self.refused_queries(good + bad + "\n" + good, "bad.jsonl:2:")

    def test_file_cut_in_the_middle(self):
        whole = self.patterns.read_bytes()
        self.refused_patterns(whole[:-9], "bad.jsonl:2:")

    def test_record_of_the_wrong_kind(self):
        for bad in ("[1, 2]", '"text"', "17", "null"):
            with self.subTest(bad):
                self.refused_patterns(bad + "\n", "bad.jsonl:1:")

    def test_token_that_is_not_a_string(self):
        for token in ("17", "null", "true", '["a"]', '{"a": 1}', "1.5"):
            with self.subTest(token):
                self.refused_patterns('{"name": "x", "tokens": ["a"]}\n{"name": "x", "tokens": ["a", %s]}\n' % token, "bad.jsonl:2:")
                self.refused_patterns('{"name": "x", "events": [["a", %s]]}\n' % token, "bad.jsonl:1:")
        self.refused_patterns('{"name": "x", "tokens": ["a", 17]}\n', "17")

    def test_events_that_are_not_lists(self):
        for events in ('"a"', "5", "null", '["a", "b"]', '[["a"], "b"]', '[["a"], 5]'):
            with self.subTest(events):
                self.refused_patterns('{"name": "x", "events": %s}\n' % events, "bad.jsonl:1:", "events")

    def test_tokens_that_are_not_a_list(self):
        for tokens in ('"a b"', "5", "null"):
            with self.subTest(tokens):
                self.refused_patterns('{"name": "x", "tokens": %s}\n' % tokens, "bad.jsonl:1:", "tokens")

    def test_an_object_in_place_of_a_list(self):
        self.refused_patterns('{"name": "x", "events": {"a": ["b"]}}\n', "bad.jsonl:1:", "object")
        self.refused_patterns('{"name": "x", "tokens": {"a": "b"}}\n', "bad.jsonl:1:", "object")

    def test_neither_tokens_nor_events_or_both(self):
        self.refused_patterns('{"name": "x"}\n', "bad.jsonl:1:", "tokens", "events")
        self.refused_patterns('{"name": "x", "tokens": ["a"], "events": [["a"]]}\n', "bad.jsonl:1:", "tokens", "events")

    def test_name_that_is_not_a_string(self):
        self.refused_patterns('{"name": 5, "tokens": ["a"]}\n', "bad.jsonl:1:", "name")

    def test_invalid_utf8(self):
        self.refused_patterns(b'{"name": "x", "tokens": ["a"]}\n{"name": "x", "tokens": ["\xff\xfe"]}\n', "bad.jsonl:2:")
        bad = self.file("bad.txt", b"good\nbad \xc3\n")
        self.refuses(3, ("bad.txt:2:",), "match", "--lines", bad, "--queries", self.queries)

    def test_windows_files_are_read(self):
        expected = self.succeeds("match", "--patterns", self.patterns, "--queries", self.queries).out
        windows = self.file("windows.jsonl", b"\xef\xbb\xbf" + self.patterns.read_bytes().replace(b"\n", b"\r\n"))
        self.assertEqual(self.succeeds("match", "--patterns", windows, "--queries", self.queries).out, expected)

    def test_last_line_needs_no_end(self):
        expected = self.succeeds("match", "--patterns", self.patterns, "--queries", self.queries).out
        unended = self.file("unended.jsonl", self.patterns.read_bytes().rstrip(b"\n"))
        self.assertEqual(self.succeeds("match", "--patterns", unended, "--queries", self.queries).out, expected)

    def test_empty_files_are_no_records(self):
        empty = self.file("empty.jsonl", "")
        self.assertEqual(self.succeeds("match", "--patterns", self.patterns, "--queries", empty).out, b"")
        self.assertEqual(self.succeeds("match", "--patterns", empty, "--queries", self.queries).lines(), [{"query": "q0", "results": []}])
        self.assertEqual(self.succeeds("match", "--patterns", empty, "--queries", empty).out, b"")

    def test_an_empty_query_has_no_results(self):
        queries = self.file("queries2.jsonl", [{"name": "nothing", "tokens": []}, *QUERIES])
        lines = self.succeeds("match", "--patterns", self.patterns, "--queries", queries, "--threshold", "0").lines()
        self.assertEqual([len(line["results"]) for line in lines], [0, 2])

    def test_threshold(self):
        for value in ("-0.1", "nan", "NaN", "1.5", "inf", "-inf", "abc", "", "0.5x"):
            with self.subTest(value):
                self.refused_flag(("--threshold", value), f"--threshold={value}")

    def test_top(self):
        for value in ("0", "-1", "1.5", "ten", "", "99999999999999999999999", "1e3"):
            with self.subTest(value):
                self.refused_flag(("--top", value), f"--top={value}")

    def test_unknown_values_are_told_with_the_known_ones(self):
        self.refused_flag(("jaccard", "lcs", "difflib", "levenshtein", "osa", "prefix", "postfix"), "--measure", "jaccard")
        self.refused_flag(("word", "token", "character"), "--level", "word")
        self.refused_flag(("gpu", "serial", "openmp", "cuda"), "--space", "gpu")

    def test_threads(self):
        for value in ("0", "-1", "x", "1.5", "99999999999999999999"):
            with self.subTest(value):
                self.refused_flag(("--threads", value), f"--threads={value}")

    def test_unknown_flag(self):
        self.refused_flag(("--colour",), "--colour")
        self.refused_flag(("surplus",), "surplus")

    def test_missing_flag(self):
        self.refuses(2, ("--queries",), "match", "--patterns", self.patterns)
        self.refuses(2, ("--patterns",), "match", "--queries", self.queries)
        self.refuses(2, ("required",), "match")

    def test_self_asks_with_the_patterns(self):
        self.refused_flag(("--self", "--queries"), "--self", "--threshold", "0.5")
        self.refuses(2, ("--threshold", "--self"), "match", "--patterns", self.patterns, "--self")
        self.refuses(2, ("--patterns",), "match", "--self", "--threshold", "0.5")
        self.refuses(2, ("--top", "0"), "match", "--patterns", self.patterns, "--self", "--threshold", "0.5", "--top", "0")
        bad = self.file("bad.jsonl", "nonsense\n")
        self.refuses(3, ("bad.jsonl:1:",), "match", "--patterns", bad, "--self", "--threshold", "0.5")

    def test_clusters_are_of_the_patterns(self):
        self.refused_flag(("--clusters", "--self"), "--clusters", "single")
        own = ("match", "--patterns", self.patterns, "--self", "--threshold", "0.5", "--clusters")
        self.refuses(2, ("--clusters", "average", "single", "complete"), *own, "average")
        self.refuses(2, ("--clusters", "--top"), *own, "single", "--top", "3")
        self.refuses(2, ("--clusters", "--blocks"), *own, "single", "--blocks")
        self.refuses(2, ("--clusters", "--threshold"), *own[:4], "--threshold", "0", "--clusters", "single")
        empty = self.file("empty.jsonl", "")
        self.assertEqual(self.succeeds("match", "--patterns", empty, "--self", "--threshold", "0.5", "--clusters", "single").out, b"")

    def test_autojunk_is_difflibs(self):
        self.refused_flag(("--autojunk", "difflib"), "--autojunk")
        self.refused_flag(("--autojunk", "difflib"), "--autojunk", "--measure", "lcs")
        self.refused_flag(("--autojunk", "--predict"), "--autojunk", "--measure", "difflib", "--predict")

    def test_flag_without_its_value(self):
        self.refuses(2, ("--queries",), "match", "--patterns", self.patterns, "--queries")

    def test_patterns_and_lines_exclude_each_other(self):
        lines = self.file("lines.txt", "ab\n")
        self.refused_flag(("--lines", "--patterns"), "--lines", lines)

    def test_no_file_is_left_by_a_failed_call(self):
        bad = self.file("bad.jsonl", "nonsense\n")
        self.refuses(3, (), "match", "--patterns", bad, "--queries", self.queries, "--trace", self.folder / "t.json", "--report", self.folder / "r.html")
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["bad.jsonl", "patterns.jsonl", "queries.jsonl"])

    def test_report_that_cannot_be_written(self):
        nowhere = self.folder / "no" / "such" / "folder" / "report.html"
        result = harness.run("match", "--patterns", self.patterns, "--queries", self.queries, "--report", nowhere)
        self.assertEqual(result.status, 2, result.err)
        self.assertIn(str(nowhere), result.err)


class BadCommand(harness.CommandTest):
    def test_no_command(self):
        self.refuses(2, (), )

    def test_unknown_command(self):
        self.refuses(2, ("serach",), "serach")

    def test_cuda_where_there_is_none(self):
        if "cuda" in harness.usable_spaces():
            self.skipTest("this machine has a CUDA device")
        patterns = self.file("p.jsonl", PATTERNS)
        queries = self.file("q.jsonl", QUERIES)
        self.refuses(1, ("cuda", "cannot be used"), "match", "--patterns", patterns, "--queries", queries, "--space", "cuda")


if __name__ == "__main__":
    unittest.main()
