# SPDX-License-Identifier: Apache-2.0
"""Files with bytes flipped, removed, duplicated or swapped are processed or rejected without a
crash. The damage is the same in every run."""
import unittest

import harness
import npy
from inputs import Generator

DAMAGES = 60
TEXT = b'0123456789.-+eE"[]{}:,\\/ \t\r\n\x00\xff%'


def damaged(data, generator):
    data = bytearray(data)
    for _ in range(1 + generator.below(3)):
        at = generator.below(len(data) + 1)
        kind = generator.below(6)
        if kind == 0 and at < len(data):
            data[at] ^= 1 << generator.below(8)
        elif kind == 1 and at < len(data):
            data[at] = TEXT[generator.below(len(TEXT))]
        elif kind == 2:
            del data[at:at + 1 + generator.below(9)]
        elif kind == 3:
            data[at:at] = bytes([TEXT[generator.below(len(TEXT))]])
        elif kind == 4:
            data[at:at] = data[at:at + generator.below(40)]
        elif kind == 5 and generator.below(3) == 0:
            del data[at:]
    return bytes(data)


class Damage(harness.CommandTest):
    def setUp(self):
        super().setUp()
        self.patterns = self.file("patterns.jsonl", [{"name": "p0", "tokens": ["a", "bé", "🙂"]}, {"name": "p1", "events": [["a"], ["c", "d"]]}, {"name": "p2", "tokens": []}])
        self.queries = self.file("queries.jsonl", [{"name": "q0", "tokens": ["a", "c"]}, {"name": "q1", "events": [["d"]]}])
        self.vectors = npy.write(self.folder / "x.npy", range(12), (4, 3))
        self.query_rows = npy.write(self.folder / "q.npy", [1, 0.5, 2], (1, 3))
        self.mask = npy.write(self.folder / "mask.npy", [1, 0, 1, 1], (4,), "|b1")
        self.candidates = self.file("c.jsonl", [{"name": "c0", "ids": [0, 2, 3]}])
        self.graph = self.file("graph.tsv", "a\tb\t1\nb\tc\t0.5\nc a 0.25\n# end\n")
        self.matrix = self.file("graph.mtx", "%%MatrixMarket matrix coordinate real symmetric\n% made\n3 3 2\n2 1 0.5\n3 3 1e-1\n")
        self.sources = self.file("sources.jsonl", [{"name": "q", "sources": [["a", 1.0], ["b", 0.25]]}])
        self.numbered = self.file("numbered.jsonl", [{"name": "q", "sources": [["1", 1.0]]}])

    def survives(self, file, *arguments):
        whole = file.read_bytes()
        generator = Generator(len(whole))
        refused = 0
        for number in range(DAMAGES):
            file.write_bytes(damaged(whole, generator))
            result = harness.run(*arguments, timeout=60)
            told = f"damage {number}: status {result.status}: {file.read_bytes()!r}\n{result.err}"
            self.assertIn(result.status, (0, 3), told)
            if result.status == 3:
                refused += 1
                self.assertEqual(result.out, b"", told)
                self.assertTrue(result.err.startswith("kindred: error: "), told)
                self.assertNotIn("Sanitizer", result.err, told)
        self.assertGreater(refused, DAMAGES // 6)

    def test_patterns(self):
        self.survives(self.patterns, "match", "--patterns", self.patterns, "--queries", self.queries, "--quiet")

    def test_queries_at_character_level(self):
        self.survives(self.queries, "match", "--patterns", self.patterns, "--queries", self.queries, "--level", "character", "--blocks", "--quiet")

    def test_vectors(self):
        self.survives(self.vectors, "search", "--vectors", self.vectors, "--queries", self.query_rows, "--quiet")

    def test_mask(self):
        self.survives(self.mask, "search", "--vectors", self.vectors, "--queries", self.query_rows, "--filter", self.mask, "--quiet")

    def test_candidates(self):
        self.survives(self.candidates, "score", "--vectors", self.vectors, "--queries", self.query_rows, "--candidates", self.candidates, "--quiet")

    def test_edges(self):
        self.survives(self.graph, "spread", "--graph", self.graph, "--sources", self.sources, "--quiet")

    def test_matrix_market(self):
        self.survives(self.matrix, "spread", "--graph", self.matrix, "--sources", self.numbered, "--quiet")

    def test_sources(self):
        self.survives(self.sources, "spread", "--graph", self.graph, "--sources", self.sources, "--quiet")


if __name__ == "__main__":
    unittest.main()
