# SPDX-License-Identifier: Apache-2.0
"""Which parts of a graph `kindred spread` follows and how it weights them: edge kinds, node kinds,
fan, precision, confidence."""
import struct
import unittest

import harness
import npy
import report_page


def f32(number):
    return struct.unpack("f", struct.pack("f", number))[0]


class Spread(harness.CommandTest):
    def setUp(self):
        super().setUp()
        self.edges = self.file("kinds.tsv", "a b 1 0\na c 0.5 7\nb d 0.25 0\nc d 0.5 255\n")
        self.nodes = self.file("nodes.tsv", "a 1\nb\nc\nd 1\nlonely 9\n")
        self.sources = self.file("s.jsonl", [{"name": "q", "sources": [["a", 1]]}])
        self.graph = self.folder / "g.knd"
        self.succeeds("graph", "build", "--edges", self.edges, "--edge-kinds", "--nodes", self.nodes, "--out", self.graph)

    def answers(self, *flags, sources=None, graph=None):
        """The activations by node, as the float32 values that their digits represent."""
        lines = self.succeeds("spread", "--graph", graph or self.graph, "--sources", sources or self.sources, "--mode", "linear", "--decay", "constant:1", "--hops", 2, *flags).lines()
        return [{node: f32(value) for node, value in line["activations"]} for line in lines]

    def refused(self, status, words, *flags, graph=None):
        self.refuses(status, words, "spread", "--graph", graph or self.graph, "--sources", self.sources, *flags)

    def test_kinds_of_edges(self):
        for kinds, expected in (("all", {"a": 1, "b": 1, "c": 0.5, "d": 0.5}), ("0", {"a": 1, "b": 1, "d": 0.25}), ("7", {"a": 1, "c": 0.5}), ("7,200-255", {"a": 1, "c": 0.5, "d": 0.25}),
                                ("1-6", {"a": 1})):
            with self.subTest(kinds):
                self.assertEqual(self.answers("--kinds", kinds), [expected])
                self.assertEqual(self.answers("--kinds", kinds, graph=self.edges), [expected], "lines have a fourth field")
        for bad in ("256", "-1", "3-1", "a", "0,,1", "0,", ""):
            self.refused(2, ("--kinds",), f"--kinds={bad}")
        self.refused(2, ("--kinds", "pagerank"), "--mode", "pagerank", "--kinds", "0")
        self.refused(3, ("kinds.tsv:1:", "4 fields"), graph=self.edges)
        plain = self.file("plain.tsv", "a b 1\n")
        self.refused(3, ("plain.tsv:1:", "four"), "--kinds", "all", graph=plain)
        matrix = self.file("m.mtx", "%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n")
        self.refused(2, ("Matrix Market",), "--kinds", "0", graph=matrix)

    def test_kinds_of_one_query(self):
        sources = self.file("own.jsonl", [{"sources": [["a", 1]], "kinds": kinds} for kinds in ([0], [7, 255], [], [3])] + [{"sources": [["a", 1]]}])
        expected = [{"a": 1, "b": 1, "d": 0.25}, {"a": 1, "c": 0.5, "d": 0.25}, {"a": 1}, {"a": 1}]
        self.assertEqual(self.answers(sources=sources), expected + [{"a": 1, "b": 1, "c": 0.5, "d": 0.5}])
        self.assertEqual(self.answers("--kinds", 7, sources=sources), expected + [{"a": 1, "c": 0.5}])
        for bad in ("3", '"0"', "[256]", "[-1]", "[0.5]", "[[0]]", '["0"]', "null"):
            with self.subTest(bad):
                line = self.file("bad.jsonl", '{"sources": [["a", 1]], "kinds": %s}\n' % bad)
                self.refuses(3, ("bad.jsonl:1:", "kinds"), "spread", "--graph", self.graph, "--sources", line)

    def test_modifiers_by_kinds_of_nodes(self):
        # a and d are episodes (1), b and c concepts (0).
        cases = {("--modifiers", "engram"): {"a": 1, "b": f32(0.8), "c": f32(0.4), "d": f32(f32(0.8) * f32(0.15) + f32(0.4) * f32(0.3))},
                 ("--modifiers", "none", "--strength", "1:0=0.5", "--strength", "0:1=2"): {"a": 1, "b": 0.5, "c": 0.25, "d": 0.5},
                 ("--modifiers", "engram", "--strength", "1:0=1", "--strength", "0:1=1"): {"a": 1, "b": 1, "c": 0.5, "d": 0.5},
                 ("--fan", "1=inverse"): {"a": 1, "b": 0.5, "c": 0.25, "d": 0.25},
                 ("--fan", "1=inverse-root", "--fan", "0=0"): {"a": 1, "b": f32(2 ** -0.5), "c": f32(2 ** -0.5 / 2)},
                 ("--strength", "1:0=-1"): {"a": 1, "b": -1, "c": -0.5, "d": -0.5}}
        for flags, expected in cases.items():
            with self.subTest(flags):
                self.assertEqual(self.answers(*flags), [expected])
                self.assertEqual(self.answers(*flags, "--kinds", "all", "--nodes", self.nodes, graph=self.edges), [expected])
        for flag, bad in (("--modifiers", "kato"), ("--strength", "1:0"), ("--strength", "8:0=1"), ("--strength", "0:x=1"), ("--strength", "0:0=nan"), ("--strength", "0=0:1"), ("--fan", "inverse"),
                          ("--fan", "8=1"), ("--fan", "0=root"), ("--fan", "0=1e39")):
            self.refused(2, (flag, bad), f"{flag}={bad}")
        for flag, bad in (("--strength", "0:0=-1"), ("--fan", "0=-0.5")):
            self.refused(2, (flag, bad, "linear"), f"{flag}={bad}")
        self.refused(2, ("--fan", "pagerank"), "--mode", "pagerank", "--fan", "0=inverse")
        self.refused(2, ("--nodes", "edge list"), "--nodes", self.nodes)

    def test_short_activations_say_that_they_are_others(self):
        flags = ("--graph", self.graph, "--sources", self.file("third.jsonl", [{"sources": [["a", 0.3]]}]), "--mode", "linear", "--decay", "constant:1")
        exact = self.succeeds("spread", *flags).lines()[0]
        short = [self.succeeds("spread", *flags, "--activations", "bfloat16", "--space", space).lines()[0] for space in ("serial", "openmp")]
        self.assertNotIn("not_guaranteed", exact)
        self.assertIs(short[0]["not_guaranteed"], True)
        self.assertEqual(short[0], short[1])
        self.assertEqual(dict(short[0]["activations"])["b"], 0.30078125)  # 0.3 in bfloat16
        self.refused(2, ("--activations", "'half'"), "--activations", "half")

    def test_confidence_of_paths(self):
        flags = ("--graph", self.graph, "--sources", self.sources, "--decay", "constant:1", "--threshold", 0, "--confidence")
        answer = self.succeeds("spread", *flags, "--trace-paths", 9).lines()[0]
        self.assertEqual(answer["confidence"], [1 - (1 - min(1, paths[0]["strength"])) * (1 - paths[1]["strength"] if len(paths) > 1 else 1) for paths in answer["paths"]])
        confidence = dict(zip((node for node, _ in answer["activations"]), answer["confidence"], strict=True))
        self.assertEqual(confidence, {"a": 1, "b": 1, "c": 0.5, "d": 1 - 0.75 * 0.75})
        best = self.succeeds("spread", *flags, "--trace-paths", 1).lines()[0]
        self.assertEqual(best["confidence"][[node for node, _ in best["activations"]].index("d")], 0.25)
        self.refused(2, ("--confidence", "--trace-paths"), "--confidence")
        self.refused(2, ("--confidence", "engine"), "--confidence", "--trace-paths", "2", "--mode", "linear")

    def test_every_way_on_every_space_gives_the_same_bytes(self):
        sources = self.file("many.jsonl", [{"sources": [["a", (1 + i % 16) / 16]], **({"kinds": [0, i % 9]} if i % 3 else {})} for i in range(70)])
        for flags in (("--modifiers", "engram", "--fan", "0=inverse"), ("--kinds", "0-7"), ("--activations", "bfloat16"), ("--trace-paths", "3", "--confidence", "--modifiers", "engram")):
            outs = {self.succeeds("spread", "--graph", self.graph, "--sources", sources, *flags, "--space", space, "--threads", threads).out for space in ("serial", "openmp") for threads in (1, 2)}
            self.assertEqual(len(outs), 1, flags)


class Reports(harness.CommandTest):
    """The report page shows what was computed, for every command."""

    def told(self, *arguments):
        page = self.folder / "report.html"
        self.succeeds(*arguments, "--report", page)
        page = report_page.read(page)
        return page.facts, page

    def contents(self, page):
        return {row[0]: row[1:3] for row in page.table("file").rows}

    def test_graphs_and_spreads(self):
        edges = self.file("g.tsv", "a b 1\nb c 0.5\n")
        sources = self.file("s.jsonl", [{"sources": [["a", 1]]}])
        graph = self.folder / "g.knd"
        run, _ = self.told("graph", "build", "--edges", edges, "--out", graph)
        self.assertIn("3 nodes, 2 edges", run["graph"])
        run, page = self.told("spread", "--graph", graph, "--sources", sources)
        self.assertEqual(self.contents(page), {"graph": [str(graph), "3 nodes, 2 edges"], "sources": [str(sources), "1 query"]})
        self.assertEqual((run["mode"], run["nodes activated and printed"]), ("engine", "3"))
        self.assertEqual(page.table("calls").rows[0][3], "1")
        self.assertTrue(page.table("kernel").rows)
        run, _ = self.told("spread", "--graph", graph, "--sources", sources, "--mode", "pagerank")
        self.assertGreater(int(run["maximum iterations of a query"]), 1)
        for command in ("info", "verify"):
            self.refuses(2, ("--report",), "graph", command, graph, "--report", self.folder / "r.html")
            self.assertFalse((self.folder / "r.html").exists())

    def test_indexes(self):
        rows = [float(i * i % 97) for i in range(4 * 50)]
        vectors = self.folder / "v.npy"
        npy.write(vectors, rows, (50, 4))
        index = self.folder / "i.knd"
        _, page = self.told("index", "build", "--vectors", vectors, "--out", index)
        self.assertEqual(self.contents(page), {"vectors": [str(vectors), "50 rows of dimension 4"]})
        run, page = self.told("index", "search", "--index", index, "--queries", vectors, "--top", 3)
        self.assertEqual(self.contents(page)["index"], [str(index), "50 rows of dimension 4"])
        self.assertEqual(self.contents(page)["queries"], [str(vectors), "50 rows of dimension 4"])
        self.assertIn("the best 3", run["requested"])
        for name in ("rows visited", "queries answered by a scan"):
            self.assertIn(name, run)
        self.assertIn("compute", [row[0] for row in page.table("phase").rows])


if __name__ == "__main__":
    unittest.main()
