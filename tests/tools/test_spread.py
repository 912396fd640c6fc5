# SPDX-License-Identifier: Apache-2.0
"""Which parts of a graph `kindred spread` follows and how it weights them: edge kinds, node kinds,
fan, precision, confidence."""
import struct

import harness


def f32(number):
    return struct.unpack("f", struct.pack("f", number))[0]


class Spread(harness.CommandTest):
    FILES = {"kinds.tsv": "a b 1 0\na c 0.5 7\nb d 0.25 0\nc d 0.5 255\n", "nodes.tsv": "a 1\nb\nc\nd 1\nlonely 9\n",
             "s.jsonl": [{"name": "q", "sources": [["a", 1]]}]}
    BUILT = ("graph build --edges kinds.tsv --edge-kinds --nodes nodes.tsv --out g.knd",)

    def spread(self, *flags, sources="s.jsonl", graph="g.knd"):
        return self.succeeds("spread", "--graph", graph, "--sources", sources, *flags, cwd=self.folder)

    def answers(self, *flags, **files):
        """The activations by node, as the float32 values that their digits represent."""
        lines = self.spread("--mode", "linear", "--decay", "constant:1", "--hops", 2, *flags, **files).lines()
        return [{node: f32(value) for node, value in line["activations"]} for line in lines]

    def test_kinds_of_edges(self):
        for kinds, expected in (("all", {"a": 1, "b": 1, "c": 0.5, "d": 0.5}), ("0", {"a": 1, "b": 1, "d": 0.25}), ("7", {"a": 1, "c": 0.5}), ("7,200-255", {"a": 1, "c": 0.5, "d": 0.25}),
                                ("1-6", {"a": 1})):
            with self.subTest(kinds):
                self.assertEqual(self.answers("--kinds", kinds), [expected])
                self.assertEqual(self.answers("--kinds", kinds, graph="kinds.tsv"), [expected], "lines have a fourth field")

    def test_kinds_of_one_query(self):
        sources = self.file("own.jsonl", [{"sources": [["a", 1]], "kinds": kinds} for kinds in ([0], [7, 255], [], [3])] + [{"sources": [["a", 1]]}])
        expected = [{"a": 1, "b": 1, "d": 0.25}, {"a": 1, "c": 0.5, "d": 0.25}, {"a": 1}, {"a": 1}]
        self.assertEqual(self.answers(sources=sources), expected + [{"a": 1, "b": 1, "c": 0.5, "d": 0.5}])
        self.assertEqual(self.answers("--kinds", 7, sources=sources), expected + [{"a": 1, "c": 0.5}])

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
                self.assertEqual(self.answers(*flags, "--kinds", "all", "--nodes", "nodes.tsv", graph="kinds.tsv"), [expected])

    def test_short_activations_say_that_they_are_others(self):
        sources = self.file("third.jsonl", [{"sources": [["a", 0.3]]}])
        flags = ("--mode", "linear", "--decay", "constant:1")
        exact = self.spread(*flags, sources=sources).lines()[0]
        short = [self.spread(*flags, "--activations", "bfloat16", "--space", space, sources=sources).lines()[0] for space in ("serial", "openmp")]
        self.assertNotIn("not_guaranteed", exact)
        self.assertIs(short[0]["not_guaranteed"], True)
        self.assertEqual(short[0], short[1])
        self.assertEqual(dict(short[0]["activations"])["b"], 0.30078125)  # 0.3 in bfloat16

    def test_confidence_of_paths(self):
        flags = ("--decay", "constant:1", "--threshold", 0, "--confidence")
        answer = self.spread(*flags, "--trace-paths", 9).lines()[0]
        self.assertEqual(answer["confidence"], [1 - (1 - min(1, paths[0]["strength"])) * (1 - paths[1]["strength"] if len(paths) > 1 else 1) for paths in answer["paths"]])
        confidence = dict(zip((node for node, _ in answer["activations"]), answer["confidence"], strict=True))
        self.assertEqual(confidence, {"a": 1, "b": 1, "c": 0.5, "d": 1 - 0.75 * 0.75})
        best = self.spread(*flags, "--trace-paths", 1).lines()[0]
        self.assertEqual(best["confidence"][[node for node, _ in best["activations"]].index("d")], 0.25)

    def test_activations_may_be_negative_in_the_linear_mode(self):
        plain = self.file("plain.tsv", "a\tb\t0.5\nb\tc\t1\n")
        negative = self.file("negative.jsonl", [{"sources": [["a", -2.5]]}])
        self.assertEqual(self.answers(graph=plain, sources=negative), [{"a": -2.5, "b": -1.25, "c": -1.25}])

    def test_an_iteration_at_its_limit_tells_the_residual(self):
        free = self.spread("--mode", "pagerank")
        self.assertNotIn("residual", free.err)
        limited = self.spread("--mode", "pagerank", "--tolerance", "0", "--max-iterations", "1")
        self.assertIn("after 1 iterations the residual is", limited.err)
        self.assertEqual(len(limited.lines()), len(free.lines()))
