# SPDX-License-Identifier: Apache-2.0
"""`kindred vectors`, `search --store` and `score --store`: a store is built, summarized, verified
and searched; damage is rejected."""
import struct

import harness
import npy
from inputs import Generator

ELEMENTS = {"float32": 4, "float16": 2, "bfloat16": 2, "int8": 1}


class Vectors(harness.CommandTest):
    ROWS, DIMENSION = 300, 19

    def setUp(self):
        super().setUp()
        generator = Generator(11)
        # Numbers that every element type represents exactly, int8 with a scale of 1.
        self.numbers = [[127] + [generator.below(255) - 127 for _ in range(self.DIMENSION - 1)] for _ in range(self.ROWS)]
        flat = [number for row in self.numbers for number in row]
        self.vectors = npy.write(self.folder / "x.npy", flat, (self.ROWS, self.DIMENSION))
        self.queries = npy.write(self.folder / "q.npy", [generator.below(2000) / 100 - 10 for _ in range(7 * self.DIMENSION)], (7, self.DIMENSION))

    def build(self, name="s.knd", vectors=None, *flags):
        store = self.folder / name
        self.succeeds("vectors", "build", "--vectors", vectors or self.vectors, "--out", store, *flags)
        return store

    def info(self, store):
        return self.succeeds("vectors", "info", store, "--json").json()

    def test_what_is_built_is_told(self):
        for element, width in ELEMENTS.items():
            with self.subTest(element):
                store = self.build(f"{element}.knd", None, "--element", element)
                row_bytes = self.ROWS * (self.DIMENSION * width + (4 if element == "int8" else 0))
                info = self.info(store)
                self.assertEqual(info, {"store": str(store), "element": element, "rows": self.ROWS, "dimension": self.DIMENSION, "end_id": self.ROWS, "removed": 0,
                                        "not_finite": 0, "row_bytes": row_bytes, "quantized_bytes": 0 if element == "int8" else self.ROWS * (32 + 12), "bytes": store.stat().st_size})
                self.assertIn(b"intact", self.succeeds("vectors", "verify", store).out)
                self.assertEqual(self.succeeds("vectors", "verify", store, "--json").json(), {"store": str(store), "intact": True, "bytes": store.stat().st_size})
                self.assertIn(element.encode(), self.succeeds("vectors", "info", store).out)

    def test_a_store_answers_as_its_file_does(self):
        candidates = self.file("c.jsonl", [{"name": f"c{i}", "ids": list(range(i, self.ROWS, 7))} for i in range(7)])
        mask = npy.write(self.folder / "m.npy", [i % 3 == 0 for i in range(self.ROWS)], (self.ROWS,), "|b1")
        for metric in ("cosine", "ip", "l2"):
            for command in (["search", "--top", 25], ["search", "--filter", mask], ["search", "--at-least", "0.2"], ["score", "--candidates", candidates]):
                command += ["--metric", metric, "--queries", self.queries]
                wanted = self.succeeds(*command, "--vectors", self.vectors).out
                self.assertTrue(wanted)
                for element in ELEMENTS:
                    store = self.folder / f"{element}.knd"
                    if not store.exists():
                        self.build(store.name, None, "--element", element)
                    self.assertEqual(self.succeeds(*command, "--store", store).out, wanted, (element, command))

    def test_a_store_is_built_of_any_layout(self):
        named = self.file("x.fvecs", b"".join(struct.pack(f"<i{self.DIMENSION}f", self.DIMENSION, *row) for row in self.numbers))
        unnamed = self.file("unnamed", struct.pack("<II", self.ROWS, self.DIMENSION) + b"".join(struct.pack(f"<{self.DIMENSION}b", *row) for row in self.numbers))
        wanted = self.build("x.knd", None, "--element", "int8").read_bytes()
        self.assertEqual(self.build("named.knd", named, "--element", "int8").read_bytes(), wanted)
        self.assertEqual(self.build("unnamed.knd", unnamed, "--format", "i8bin").read_bytes(), wanted, "its bytes are of int8")

    def test_the_quantized_copy_may_be_omitted(self):
        self.assertEqual(self.info(self.build("without.knd", None, "--no-quantized-copy"))["quantized_bytes"], 0)

    def test_no_queries_have_no_answers(self):
        none = npy.write(self.folder / "none.npy", [], (0, self.DIMENSION))
        for flags in ((), ("--path", "quantized"), ("--at-least", 0), ("--out-ids", self.folder / "ids.npy")):
            self.assertEqual(self.succeeds("search", "--vectors", self.vectors, "--queries", none, *flags).out, b"")
        self.assertEqual(npy.read(self.folder / "ids.npy"), ([], (0, 10), "<i8"))

    def test_at_least_gives_all_that_reach_it(self):
        everything = self.succeeds("search", "--vectors", self.vectors, "--queries", self.queries, "--top", self.ROWS).lines()
        limit = everything[0]["results"][20][1]  # the score of one of the rows
        for line, all_of_it in zip(self.succeeds("search", "--vectors", self.vectors, "--queries", self.queries, "--at-least", repr(limit)).lines(), everything):
            self.assertEqual(line["results"], [hit for hit in all_of_it["results"] if hit[1] >= limit])
        near = self.succeeds("search", "--vectors", self.vectors, "--queries", self.queries, "--metric", "l2", "--at-least", "500").lines()
        for line in near:
            self.assertTrue(all(hit[1] <= 500 for hit in line["results"]))

    def test_scores_of_candidates_as_files(self):
        lists = [list(range(i, self.ROWS, 30 * i + 7)) + [i] for i in range(7)]
        candidates = self.file("c.jsonl", [{"ids": ids} for ids in lists])
        mask = npy.write(self.folder / "m.npy", [i % 3 == 0 for i in range(self.ROWS)], (self.ROWS,), "|b1")
        ids, scores = self.folder / "ids.npy", self.folder / "scores.npy"
        for flags in ([], ["--metric", "l2", "--top", 4], ["--filter", mask], ["--filter", mask, "--top", 1000]):
            command = ["score", "--vectors", self.vectors, "--queries", self.queries, "--candidates", candidates, *flags]
            lines = self.succeeds(*command).lines()
            if mask in flags:
                for line, list_ in zip(lines, lists):
                    self.assertLessEqual({id for id, _ in line["results"]}, {id for id in list_ if id % 3 == 0})
            self.assertEqual(self.succeeds(*command, "--out-ids", ids, "--out-scores", scores).out, b"")
            width = min(flags[flags.index("--top") + 1] if "--top" in flags else 10, self.ROWS)
            found, shape, _ = npy.read(ids)
            values, same, _ = npy.read(scores)
            self.assertEqual([tuple(shape), tuple(same)], [(7, width)] * 2)
            for query, line in enumerate(lines):
                results = line["results"] + [[-1, float("inf") if "l2" in flags else float("-inf")]] * (width - len(line["results"]))
                row = slice(query * width, (query + 1) * width)
                self.assertEqual(found[row], [id for id, _ in results])
                self.assertEqual(values[row], [struct.unpack("<f", struct.pack("<f", score))[0] for _, score in results])

    def test_explain_tells_of_candidates(self):
        candidates = self.file("c.jsonl", [{"ids": [1, 2, 3]} for _ in range(7)])
        told = self.explained("score", "--vectors", self.vectors, "--queries", self.queries, "--candidates", candidates)
        self.assertEqual([line for line in told if "path" in line], [{"op": "score", "path": "candidates", "prefiltered": 0, "survivors": 21}])

    def test_explain_tells_the_path(self):
        search = ("search", "--vectors", self.vectors, "--queries", self.queries)
        paths = [line for line in self.explained(*search) if "path" in line]
        self.assertEqual([line["op"] for line in paths], ["search"])
        self.assertIn(paths[0]["path"], ("brute_force", "quantized", "gemm"))
        self.assertEqual(set(paths[0]), {"op", "path", "prefiltered", "survivors"})
        answers = self.succeeds(*search).out
        for path in ("brute_force", "quantized", "gemm"):
            self.assertEqual([line["path"] for line in self.explained(*search, "--path", path) if "path" in line], [path])
            self.assertEqual(self.succeeds(*search, "--path", path).out, answers)
