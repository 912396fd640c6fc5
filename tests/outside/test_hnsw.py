# SPDX-License-Identifier: Apache-2.0
"""`kindred index` and hnswlib: each reads what the other wrote and finds the same neighbors."""
import json
import unittest

from numpy_oracle import harness, np

try:
    import hnswlib
except ImportError:
    hnswlib = None

ROWS, DIMENSION, QUERIES, TOP = 3000, 20, 50, 10


def recall(found, truth):
    return np.mean([len(np.intersect1d(a, b)) for a, b in zip(found, truth)]) / truth.shape[1]


@unittest.skipIf(hnswlib is None, "hnswlib is missing: install tests/outside/requirements.txt")
class Hnswlib(harness.CommandTest):
    def setUp(self):
        super().setUp()
        generator = np.random.default_rng(3)
        centres = generator.standard_normal((40, DIMENSION), dtype=np.float32)
        draw = lambda n: centres[generator.integers(0, 40, n)] + 0.4 * generator.standard_normal((n, DIMENSION), dtype=np.float32)
        self.rows, self.queries = draw(ROWS), draw(QUERIES)
        np.save(self.folder / "x.npy", self.rows)
        np.save(self.folder / "q.npy", self.queries)
        self.index = self.folder / "i.knd"
        self.foreign = self.folder / "h.bin"

    def search(self, ef=64):
        self.succeeds("index", "search", "--index", self.index, "--queries", self.folder / "q.npy", "--top", TOP, "--ef", ef, "--out-ids",
                      self.folder / "ids.npy", "--out-scores", self.folder / "s.npy")
        return np.load(self.folder / "ids.npy"), np.load(self.folder / "s.npy")

    def theirs(self, metric):
        index = hnswlib.Index(space=metric, dim=DIMENSION)
        index.init_index(2 * ROWS, M=12, ef_construction=100, random_seed=7)
        return index

    def test_we_read_what_it_saved(self):
        for metric in ("l2", "ip", "cosine"):
            index = self.theirs(metric)
            # Labels in arbitrary order that are not row numbers, some of them deleted.
            labels = np.random.default_rng(1).permutation(ROWS) * 3 + 5
            index.add_items(self.rows, labels)
            for label in labels[:100]:
                index.mark_deleted(label)
            index.set_ef(64)
            ids, distances = index.knn_query(self.queries, k=TOP)
            index.save_index(str(self.foreign))
            self.succeeds("index", "import", "--hnswlib", self.foreign, "--metric", metric, "--dimensions", DIMENSION, "--out", self.index)
            told = json.loads(self.succeeds("index", "info", self.index, "--json").out)
            self.assertEqual((told["rows"], told["removed"], told["m"]), (ROWS - 100, 100, 12))
            found, scores = self.search()
            self.assertGreater(recall(found, ids), 0.98)
            distance = scores**2 if metric == "l2" else 1 - scores
            same = found == ids.astype(np.int64)
            self.assertGreater(same.mean(), 0.95)
            np.testing.assert_allclose(distance[same], distances[same], rtol=1e-4, atol=1e-5)

    def test_it_reads_what_we_export(self):
        for metric in ("l2", "ip", "cosine"):
            self.succeeds("index", "build", "--vectors", self.folder / "x.npy", "--out", self.index, "--metric", metric, "--m", 12)
            self.succeeds("index", "export", self.index, "--out", self.foreign)
            found, _ = self.search()
            index = hnswlib.Index(space=metric, dim=DIMENSION)
            index.load_index(str(self.foreign), max_elements=2 * ROWS)
            self.assertEqual(index.get_current_count(), ROWS)
            self.assertEqual(index.M, 12)
            index.set_ef(64)
            ids, _ = index.knn_query(self.queries, k=TOP)
            self.assertGreater(recall(ids, found), 0.98)
            # hnswlib can continue to add to the graph.
            index.add_items(self.queries, np.arange(QUERIES) + ROWS)
            ids, _ = index.knn_query(self.queries, k=1)
            if metric != "ip":
                self.assertEqual(ids[:, 0].tolist(), list(range(ROWS, ROWS + QUERIES)))

    def test_the_graph_is_as_good_as_its(self):
        score = ((self.queries[:, None] - self.rows[None]) ** 2).sum(axis=2)
        truth = np.argsort(score, axis=1)[:, :TOP]
        index = self.theirs("l2")
        index.add_items(self.rows)
        index.set_ef(20)
        theirs = recall(index.knn_query(self.queries, k=TOP)[0], truth)
        self.succeeds("index", "build", "--vectors", self.folder / "x.npy", "--out", self.index, "--metric", "l2", "--m", 12, "--ef-construction", 100)
        self.assertGreater(recall(self.search(20)[0], truth), theirs - 0.03)


if __name__ == "__main__":
    unittest.main()
