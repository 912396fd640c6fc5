# SPDX-License-Identifier: Apache-2.0
"""`kindred graph`, and `spread` on graph files: a file gives the same results as its text, is
summarized and verified; damage is rejected."""
import json
from pathlib import Path

import harness
from inputs import Generator

WORDNET = Path(__file__).resolve().parents[1] / "demo" / "wordnet"
MTX = "%%MatrixMarket matrix coordinate "


class Graphs(harness.CommandTest):
    NODES, EDGES = 60, 400

    def setUp(self):
        super().setUp()
        generator = Generator(17)
        # Multiples of 1/64, which bfloat16 represents exactly.
        self.edges = [(f"n {generator.below(self.NODES)}", f"é{generator.below(self.NODES)}" if i % 3 else f"n {generator.below(self.NODES)}", (1 + generator.below(64)) / 64)
                      for i in range(self.EDGES)]
        self.tsv = self.file("g.tsv", "# a comment\n" + "".join(f"{a}\t{b}\t{w}\n" for a, b, w in self.edges))
        self.names = sorted({name for edge in self.edges for name in edge[:2]})
        self.sources = self.file("s.jsonl", [{"name": f"q{i}", "sources": [[self.names[i], 1], [self.names[-i - 1], 0.25]]} for i in range(9)])

    def build(self, edges=None, name="g.knd", *flags):
        graph = self.folder / name
        self.succeeds("graph", "build", "--edges", edges or self.tsv, "--out", graph, *flags)
        return graph

    def info(self, graph):
        return self.succeeds("graph", "info", graph, "--json").json()

    def spread(self, graph, *flags, sources=None):
        return self.succeeds("spread", "--graph", graph, "--sources", sources or self.sources, "--top", 1000, *flags).out

    def test_what_is_built_is_told(self):
        for weights, width in (("float32", 8), ("bfloat16", 6), ("none", 4)):
            with self.subTest(weights):
                graph = self.build(None, f"{weights}.knd", "--weights", weights)
                info = self.info(graph)
                self.assertGreater(info.pop("name_bytes"), len(self.names))
                self.assertEqual(info, {"graph": str(graph), "weights": weights, "edge_kinds": False, "node_kinds": False, "names": True, "nodes": len(self.names), "removed_nodes": 0,
                                        "edges": self.EDGES, "outside_unit": 0, "edge_bytes": 2 * self.EDGES * width, "offset_bytes": 2 * 8 * (len(self.names) + 1),
                                        "bytes": graph.stat().st_size, "bytes_per_edge": width})
                self.assertIn(weights.encode(), self.succeeds("graph", "info", graph).out)
                self.assertIn(b"intact", self.succeeds("graph", "verify", graph).out)
                self.assertEqual(self.succeeds("graph", "verify", graph, "--json").json(), {"graph": str(graph), "intact": True, "bytes": graph.stat().st_size})

    def test_a_file_answers_as_its_text_does(self):
        short = self.build(None, "short.knd", "--weights", "bfloat16")
        graph = self.build()
        for flags in ([], ["--mode", "linear"], ["--mode", "pagerank"], ["--hops", 7, "--decay", "constant:0.5", "--threshold", 0]):
            wanted = self.spread(self.tsv, *flags)
            self.assertGreater(len(wanted), 1000)
            for file in (graph, short):
                for space in ("serial", "openmp"):
                    self.assertEqual(self.spread(file, *flags, "--space", space), wanted, (file, flags))
        ones = self.file("ones.tsv", "".join(f"{a}\t{b}\t1\n" for a, b, _ in self.edges))
        bare = self.file("bare.tsv", "".join(f"{a}\t{b}\n" for a, b, _ in self.edges))
        for edges in (self.tsv, bare):
            self.assertEqual(self.spread(self.build(edges, "none.knd", "--weights", "none")), self.spread(ones))

    def test_every_layout_builds_the_same_graph(self):
        wanted = self.build().read_bytes()
        quoted = "".join(f'"{a}",{b},{w}\n' for a, b, w in self.edges)
        self.assertEqual(self.build(self.file("g.csv", quoted), "csv.knd").read_bytes(), wanted)
        csv = self.file("odd.csv", 'a,"b, ""c""",1\n')
        sources = self.file("a.jsonl", [{"sources": [["a", 1]]}])
        self.assertIn('b, \\"c\\"', self.spread(csv, sources=sources).decode())
        self.assertEqual(self.spread(self.build(csv, "odd.knd"), sources=sources), self.spread(csv, sources=sources))

    def test_matrix_market_nodes_are_numbers(self):
        sources = self.file("n.jsonl", [{"name": "q", "sources": [["1", 1]]}, {"name": "lonely", "sources": [["5", 1]]}])
        for head, body in (("real general", "5 5 3\n1 2 0.5\n2 3 1\n1 1 0.25\n"), ("pattern symmetric", "5 5 3\n2 1\n3 2\n4 4\n"), ("integer general", "5 5 2\n1 4 1\n4 1 1\n")):
            with self.subTest(head):
                matrix = self.file("m.mtx", MTX + head + "\n% comment\n" + body)
                graph = self.build(matrix, "m.knd")
                info = self.info(graph)
                self.assertEqual((info["nodes"], info["names"], info["name_bytes"]), (5, False, 0))
                self.assertEqual(self.spread(graph, sources=sources), self.spread(matrix, sources=sources))

    def test_kinds_and_nodes_of_their_own(self):
        edges = self.file("k.tsv", "a b 1 0\nb c 0.5 255\nb c 0.5 7\n")
        nodes = self.file("nodes.tsv", "lonely\nc\t3\n\n# comment\na 255\n")
        graph = self.build(edges, "k.knd", "--edge-kinds", "--nodes", nodes)
        info = self.info(graph)
        self.assertEqual((info["nodes"], info["edges"], info["edge_kinds"], info["node_kinds"], info["bytes_per_edge"]), (4, 3, True, True, 9))
        sources = self.file("l.jsonl", [{"name": "q", "sources": [["lonely", 1]]}])
        self.assertEqual(json.loads(self.spread(graph, sources=sources)), {"query": "q", "activations": [["lonely", 1.0]]})

    def test_a_giant_number_is_a_name_like_others(self):
        edges = self.file("giant.tsv", "1000000000\t2\t1\n2\t18446744073709551615\t1\n3\t1000000000\t1\n")
        sources = self.file("giant.jsonl", [{"name": "q", "sources": [["3", 1]]}])
        # CUDA reserves address space for all memory of the machine.
        limit = None if "cuda" in harness.usable_spaces() else 2 << 30
        graph = self.folder / "giant.knd"
        self.succeeds("graph", "build", "--edges", edges, "--out", graph, address_space=limit)
        self.assertLess(graph.stat().st_size, 4096)
        for file in (edges, graph):
            result = self.succeeds("spread", "--graph", file, "--sources", sources, "--decay", "constant:1", address_space=limit)
            self.assertEqual({name for name, _ in result.lines()[0]["activations"]}, {"1000000000", "2", "18446744073709551615", "3"})

    def test_wordnet(self):
        graph = self.folder / "wordnet.knd"
        self.succeeds("graph", "build", "--wordnet", WORDNET, "--out", graph)
        info = self.info(graph)
        self.assertGreater(info["nodes"], 10)
        self.assertGreater(info["edges"], 10)
        self.assertTrue(info["names"])
        self.assertEqual(info["outside_unit"], 0)
        self.succeeds("graph", "verify", graph)

    def test_graphs_of_nothing(self):
        for content in ("", "# nothing\n"):
            graph = self.build(self.file("e.tsv", content), "e.knd")
            self.assertEqual((self.info(graph)["nodes"], self.info(graph)["edges"], self.info(graph)["bytes_per_edge"]), (0, 0, 0))
            self.assertEqual(self.spread(graph, sources=self.file("none.jsonl", "")), b"")
            self.refuses(3, (self.sources,), "spread", "--graph", graph, "--sources", self.sources)
