# SPDX-License-Identifier: Apache-2.0
"""Invalid input and flags of `kindred spread`."""
import unittest

import harness

MTX = "%%MatrixMarket matrix coordinate real general\n"


class BadGraphs(harness.CommandTest):
    def setUp(self):
        super().setUp()
        self.graph = self.file("graph.tsv", "a\tb\t1\nb\tc\t0.5\n")
        self.sources = self.file("sources.jsonl", [{"name": "q", "sources": [["a", 1.0]]}])
        self.numbered = self.file("numbered.jsonl", [{"name": "q", "sources": [["1", 1.0]]}])

    def refused_graph(self, content, *words, flags=()):
        bad = self.file("bad.tsv", content)
        self.refuses(3, (bad, *words), "spread", "--graph", bad, "--sources", self.sources, *flags)

    def refused_mtx(self, content, *words):
        bad = self.file("bad.mtx", content)
        self.refuses(3, (bad, *words), "spread", "--graph", bad, "--sources", self.numbered)

    def refused_sources(self, content, *words, flags=()):
        bad = self.file("bad.jsonl", content)
        self.refuses(3, (bad, *words), "spread", "--graph", self.graph, "--sources", bad, *flags)

    def refused_flag(self, words, *flags):
        self.refuses(2, words, "spread", "--graph", self.graph, "--sources", self.sources, *flags)

    def test_good_input_is_answered(self):
        lines = self.succeeds("spread", "--graph", self.graph, "--sources", self.sources).lines()
        self.assertEqual([name for name, _ in lines[0]["activations"]], ["a", "b", "c"])

    def test_missing_file_and_directory(self):
        missing = self.folder / "missing.tsv"
        self.refuses(3, (missing, "No such file"), "spread", "--graph", missing, "--sources", self.sources)
        self.refuses(3, (missing, "No such file"), "spread", "--graph", self.graph, "--sources", missing)
        self.refuses(3, (self.folder,), "spread", "--graph", self.folder, "--sources", self.sources)

    def test_lines_of_the_wrong_shape(self):
        for bad in ("a b 1 2", "a", "a\tb\tc\td\te"):
            with self.subTest(bad):
                self.refused_graph(f"a\tb\t1\n{bad}\n", "bad.tsv:2:")

    def test_weights(self):
        for weight in ("heavy", "nan", "NaN", "inf", "-inf", "1e999", "0.5x", "0x1p-1", "1,5"):
            for flags in ((), ("--mode", "linear")):
                with self.subTest(weight, flags=flags):
                    self.refused_graph(f"a\tb\t1\nb\tc\t{weight}\n", "bad.tsv:2:", weight, flags=flags)

    def test_engine_weights_lie_in_0_1(self):
        for weight in ("1.5", "-0.5"):
            with self.subTest(weight):
                self.refused_graph(f"a\tb\t1\nb\tc\t{weight}\n", "bad.tsv:2:", weight)
                graph = self.file("fine.tsv", f"a\tb\t1\nb\tc\t{weight}\n")
                self.succeeds("spread", "--graph", graph, "--sources", self.sources, "--mode", "linear")

    def test_invalid_utf8(self):
        self.refused_graph(b"a\tb\t1\n\xff\xfe\tc\t1\n", "bad.tsv:2:")

    def test_windows_lines_are_read(self):
        expected = self.succeeds("spread", "--graph", self.graph, "--sources", self.sources).out
        windows = self.file("windows.tsv", b"\xef\xbb\xbf" + self.graph.read_bytes().replace(b"\n", b"\r\n"))
        self.assertEqual(self.succeeds("spread", "--graph", windows, "--sources", self.sources).out, expected)

    def test_matrix_market_header(self):
        body = "2 2 1\n1 2 0.5\n"
        for head in ("", "%MatrixMarket matrix coordinate real general\n", "%%MatrixMarket matrix array real general\n",
                     "%%MatrixMarket matrix coordinate complex general\n", "%%MatrixMarket matrix coordinate real hermitian\n",
                     "%%MatrixMarket vector coordinate real general\n", "%%MatrixMarket matrix coordinate real\n", "%%MatrixMarket\n",
                     "%%MatrixMarket matrix coordinate real odd\n"):
            with self.subTest(head):
                self.refused_mtx(head + body)
        self.refused_mtx("")

    def test_matrix_market_that_lies(self):
        for body in ("2 2 2\n1 2 0.5\n", "2 2 1\n1 2 0.5\n2 1 0.5\n", "2 2 1\n0 2 0.5\n", "2 2 1\n1 3 0.5\n", "2 2 1\n3 1 0.5\n", "2 2 1\n1 -2 0.5\n", "2 3 1\n1 2 0.5\n",
                     "2 2\n1 2 0.5\n", "2 2 1 7\n1 2 0.5\n", "two 2 1\n1 2 0.5\n", "2 2 1\n1 2\n", "2 2 1\n1 2 0.5 7\n", "2 2 1\n1 2 nan\n", "2 2 1\n1 2 inf\n",
                     "2 2 1\n1 2 x\n", "2 2 1\n1.5 2 0.5\n", "2 2 1\n1 2 2.5\n", "2 2 1\n", "", "-2 -2 0\n", "99999999999 99999999999 0\n", "2 2 99999999999999999999\n1 2 0.5\n",
                     "2 2 9999999999999\n1 2 0.5\n"):
            with self.subTest(body):
                self.refused_mtx(MTX + "% a comment\n" + body)

    def test_matrix_market_messages_name_the_line(self):
        self.refused_mtx(MTX + "% a comment\n2 2 1\n1 3 0.5\n", "bad.mtx:4:", "3", "2")

    def test_empty_graph(self):
        empty = self.file("empty.tsv", "")
        none = self.file("none.jsonl", "")
        self.assertEqual(self.succeeds("spread", "--graph", empty, "--sources", none).out, b"")
        self.assertEqual(self.succeeds("spread", "--graph", self.graph, "--sources", none).out, b"")
        self.refuses(3, (self.sources, "'a'"), "spread", "--graph", empty, "--sources", self.sources)

    def test_a_source_that_is_not_in_the_graph(self):
        self.refused_sources('{"name": "q", "sources": [["a", 1]]}\n{"name": "q", "sources": [["nobody", 1]]}\n', "bad.jsonl:2:", "nobody")

    def test_numbered_nodes_exist_up_to_the_size(self):
        graph = self.file("graph.mtx", MTX + "3 3 1\n1 2 0.5\n")
        self.assertEqual(self.succeeds("spread", "--graph", graph, "--sources", self.file("s.jsonl", [{"name": "q", "sources": [["3", 1]]}])).lines(),
                         [{"query": "q", "activations": [["3", 1]]}])
        for node in ("0", "4", "-1", "01", "1.0", "a"):
            with self.subTest(node):
                bad = self.file("bad.jsonl", [{"name": "q", "sources": [[node, 1]]}])
                self.refuses(3, ("bad.jsonl:1:", node), "spread", "--graph", graph, "--sources", bad)

    def test_source_values(self):
        for value in ("1.5", "-0.1", '"1"', "null", "[1]", "NaN", "1e999", "Infinity"):
            with self.subTest(value):
                self.refused_sources('{"name": "q", "sources": [["a", %s]]}\n' % value, "bad.jsonl:1:")
        self.refused_sources('{"name": "q", "sources": [["a", 1e39]]}\n', "bad.jsonl:1:", flags=("--mode", "linear"))
        fine = self.file("fine.jsonl", '{"name": "q", "sources": [["a", -2.5]]}\n')
        self.succeeds("spread", "--graph", self.graph, "--sources", fine, "--mode", "linear")

    def test_sources_of_the_wrong_kind(self):
        for sources in ('"a"', "5", "null", '["a"]', '[["a"]]', '[["a", 1, 2]]', '[[1, "a"]]', '[[5, 1]]', '{"a": 1}'):
            with self.subTest(sources):
                self.refused_sources('{"name": "q", "sources": %s}\n' % sources, "bad.jsonl:1:")
        self.refused_sources('{"name": "q"}\n', "bad.jsonl:1:", "sources")
        self.refused_sources('{"name": "q", "sources": [["a", 1]', "bad.jsonl:1:")

    def test_decay(self):
        for decay in ("exponential", "exponential:", "exponential:x", "exponential:nan", "exponential:inf", "sigmoid:1", ":1", "", "exponential:-1", "power:-1", "linear:-1",
                      "constant:-1", "constant:nan", "exponential:0.7:1", "exponential:0.7x"):
            with self.subTest(decay):
                self.refused_flag(("--decay",), f"--decay={decay}")

    def test_hops_threshold_mode_top(self):
        for flag, values in {"--hops": ("-1", "1.5", "x", "99999999999999999999"), "--threshold": ("-0.1", "nan", "inf", "x"), "--mode": ("gpu", ""),
                             "--top": ("0", "-1", "x")}.items():
            for value in values:
                with self.subTest(flag, value=value):
                    self.refused_flag((flag, value), f"{flag}={value}")

    def test_pagerank_flags(self):
        for flag, values in {"--damping": ("-0.1", "1", "1.5", "nan", "x"), "--tolerance": ("-1e-9", "nan", "inf", "x"), "--max-iterations": ("0", "-1", "1.5")}.items():
            for value in values:
                with self.subTest(flag, value=value):
                    self.refused_flag((flag, value), "--mode", "pagerank", f"{flag}={value}")
            self.refused_flag((flag, "engine"), flag, "1")
            self.refused_flag((flag, "linear"), "--mode", "linear", flag, "0.5" if flag == "--damping" else "1")
        for flag, value in (("--hops", "3"), ("--decay", "constant:1"), ("--threshold", "0.1")):
            self.refused_flag((flag, "pagerank"), "--mode", "pagerank", flag, value)

    def test_pagerank_weights_and_sources(self):
        self.refused_graph("a\tb\t1\nb\tc\t-0.5\n", "bad.tsv:2:", "-0.5", flags=("--mode", "pagerank"))
        self.refused_sources('{"name": "q", "sources": [["a", -2]]}\n', "bad.jsonl:1:", "-2", flags=("--mode", "pagerank"))
        self.refused_sources('{"name": "q", "sources": [["a", 2]], "hops": 3}\n', "bad.jsonl:1:", "hops", flags=("--mode", "pagerank"))

    def test_pagerank_at_its_limit_tells_the_residual(self):
        flags = ("--mode", "pagerank", "--tolerance", "0")
        free = self.succeeds("spread", "--graph", self.graph, "--sources", self.sources, *flags[:2])
        self.assertNotIn("residual", free.err)
        limited = self.succeeds("spread", "--graph", self.graph, "--sources", self.sources, *flags, "--max-iterations", "1")
        self.assertIn("after 1 iterations the residual is", limited.err)
        self.assertEqual(len(limited.lines()), len(free.lines()))

    def test_what_a_query_spreads_by(self):
        for field in ('"hops": -1', '"hops": "3"', '"hops": 1e9', '"threshold": -1', '"decay": "odd:1"', '"decay": 0.7', '"hops": [3]', '"threshold": null'):
            with self.subTest(field):
                self.refused_sources('{"name": "q", "sources": [["a", 1]], %s}\n' % field, "bad.jsonl:1:")

    def test_missing_flags(self):
        self.refuses(2, ("--sources",), "spread", "--graph", self.graph)
        self.refuses(2, ("--graph",), "spread", "--sources", self.sources)


if __name__ == "__main__":
    unittest.main()
