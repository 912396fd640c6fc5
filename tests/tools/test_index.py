# SPDX-License-Identifier: Apache-2.0
"""`kindred index`: indexes are built, searched, summarized, exported and imported; invalid input is
rejected."""
import random

import harness
import npy

ROWS, DIMENSION, QUERIES = 1500, 12, 30


def values(generator, count):
    centres = [[random.Random(c).gauss(0, 1) for _ in range(DIMENSION)] for c in range(20)]
    return [x + 0.3 * generator.gauss(0, 1) for _ in range(count) for x in centres[generator.randrange(20)]]


class Index(harness.CommandTest):
    def setUp(self):
        super().setUp()
        generator = random.Random(5)
        self.vectors = npy.write(self.folder / "x.npy", values(generator, ROWS), (ROWS, DIMENSION))
        self.queries = npy.write(self.folder / "q.npy", values(generator, QUERIES), (QUERIES, DIMENSION))
        self.index = self.folder / "i.knd"

    def build(self, *flags):
        self.succeeds("index", "build", "--vectors", self.vectors, "--out", self.index, *flags)
        return self.index

    def search(self, *flags, **options):
        return self.succeeds("index", "search", "--index", self.index, "--queries", self.queries, *flags, **options)

    def exact(self, metric):
        """Writes the true neighbors to a file."""
        self.succeeds("search", "--vectors", self.vectors, "--queries", self.queries, "--metric", metric, "--top", 10, "--out-ids",
                      self.folder / "t.npy", "--out-scores", self.folder / "ts.npy")
        return self.folder / "t.npy"

    def test_it_finds_what_is_near(self):
        for metric in ("cosine", "ip", "l2"):
            truth = self.exact(metric)
            self.build("--metric", metric)
            lines = self.search("--truth", truth).lines()
            self.assertEqual(len(lines), QUERIES + 1)
            self.assertGreater(lines[-1]["recall"], 0.95)
            self.assertEqual((lines[-1]["top"], lines[-1]["queries"]), (10, QUERIES))

    def test_files_in_place_of_lines(self):
        self.build("--metric", "l2")
        lines = self.search("--top", 5).lines()
        told = self.search("--top", 5, "--truth", self.exact("l2"), "--out-ids", self.folder / "ids.npy", "--out-scores", self.folder / "s.npy")
        self.assertEqual(set(told.lines()[0]), {"recall", "top", "queries"})
        ids, shape, _ = npy.read(self.folder / "ids.npy")
        self.assertEqual(tuple(shape), (QUERIES, 5))
        self.assertEqual(ids, [id for line in lines for id, _ in line["results"]])

    def test_a_filter_leaves_what_it_allows(self):
        self.build()
        mask = npy.write(self.folder / "m.npy", [1 if i % 500 == 7 else 0 for i in range(ROWS)], (ROWS,), "|u1")
        for line in self.search("--filter", mask).lines():
            self.assertEqual(sorted(id for id, _ in line["results"]), [7, 507, 1007])

    def test_info(self):
        self.build("--m", 8, "--seed", 3)
        told = self.succeeds("index", "info", self.index, "--json").json()
        self.assertEqual([told[name] for name in ("metric", "traversal", "dimension", "rows", "removed", "m", "seed", "unreachable")],
                         ["cosine", "bytes", DIMENSION, ROWS, 0, 8, 3, 0])
        self.assertGreater(told["links"], 4 * ROWS)
        self.assertIn(b"ef_construction  200", self.succeeds("index", "info", self.index).out)

    def test_an_export_is_imported(self):
        self.build("--metric", "l2")
        answer = self.search().out
        exported = self.folder / "h.bin"
        self.succeeds("index", "export", self.index, "--out", exported)
        self.succeeds("index", "import", "--hnswlib", exported, "--metric", "l2", "--dimensions", DIMENSION, "--out", self.index)
        self.assertEqual(self.search().out, answer)
        self.refuses(3, (exported, "48 bytes", "dimension 13"), "index", "import", "--hnswlib", exported, "--metric", "l2", "--dimensions", 13, "--out", self.index)

    def test_a_truth_has_empty_places(self):
        self.build()
        search = ("index", "search", "--index", self.index, "--queries", self.queries, "--top", 2)
        # A slot that a filter left empty does not count as a neighbor.
        found, _, _ = npy.read(self.exact("cosine"))
        few = [id for i in range(QUERIES) for id in (found[10 * i], -1)]
        truth = npy.write(self.folder / "t.npy", few, (QUERIES, 2), "<i8")
        self.assertEqual(self.succeeds(*search, "--truth", truth, "--ef", ROWS).lines()[-1]["recall"], 1)

    def test_explain_tells_what_was_visited(self):
        self.build()
        for flags, path in (((), "graph"), (("--ef", ROWS), "scan")):
            told = self.explained("index", "search", "--index", self.index, "--queries", self.queries, *flags)
            self.assertEqual(len(told), 1)
            self.assertEqual((told[0]["op"], told[0]["path"], told[0]["traversal"], told[0]["queries"]), ("index search", path, "bytes", QUERIES))
            self.assertEqual(told[0]["scanned"], QUERIES if path == "scan" else 0)
            self.assertGreater(told[0]["visited"], 10 * QUERIES)

    def test_the_last_line_tells_the_times_of_work_that_nobody_dispatched(self):
        result = self.succeeds("index", "build", "--vectors", self.vectors, "--out", self.index)
        self.assertRegex(result.err, r"index build: read [^,]*, compute [^,]*, write [^,]*\n$")

    def test_a_store_is_built_from(self):
        wanted = self.build("--metric", "l2").read_bytes()
        store = self.folder / "s.knd"
        build = ("index", "build", "--out", self.index, "--metric", "l2")
        self.succeeds("vectors", "build", "--vectors", self.vectors, "--out", store)
        self.succeeds(*build, "--store", store)
        self.assertEqual(self.index.read_bytes(), wanted)
        for element in ("float16", "bfloat16", "int8"):
            self.succeeds("vectors", "build", "--vectors", self.vectors, "--out", store, "--element", element)
            self.succeeds(*build, "--store", store)
            exact = self.succeeds("search", "--store", store, "--queries", self.queries, "--metric", "l2").lines()
            self.assertEqual(self.search("--ef", ROWS).lines(), exact, element)
