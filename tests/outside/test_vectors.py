# SPDX-License-Identifier: Apache-2.0
"""`VectorIndex` against FAISS and NumPy's rounding, and `HnswIndex` and hnswlib: each reads what
the other wrote and finds the same neighbors."""
import unittest

from outside import programs

np, faiss, hnswlib = programs("numpy", "faiss", "hnswlib")
import pykindred  # noqa: E402
from reproducible import equal_bits, vector_scores  # noqa: E402
from support import METRICS, folder_of  # noqa: E402


def rounded(element, rows):
    """The float32 rows that an index of `element` holds."""
    if element == "bfloat16":
        bits = rows.view(np.uint32).astype(np.uint64)
        return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16 << 16).astype(np.uint32).view(np.float32)
    if element == "int8":
        scale = np.abs(rows).max(axis=1, keepdims=True) / np.float32(127)
        levels = np.divide(rows, scale, out=np.zeros_like(rows), where=scale > 0)
        return scale * np.clip(np.rint(levels), -127, 127)
    return rows.astype(element).astype(np.float32)


class Vectors(unittest.TestCase):
    def setUp(self):
        self.generator = np.random.default_rng(7)

    def normal(self, *shape):
        return self.generator.standard_normal(shape).astype(np.float32)

    def test_elements_are_rounded_as_by_numpy(self):
        for dimension in (1, 67, 4097, 12301):  # sums of more than one block
            rows = self.normal(60, dimension) * np.exp(self.normal(60, 1) * 3)
            rows[5], rows[6, 3:], rows[7] = 0, 0, -0.0
            hostile = rows.copy()
            hostile[8, 0], hostile[9, 0], hostile[10] = np.nan, np.inf, rows[10] * np.float32(1e-41)
            query = self.normal(dimension)
            for element in ("float32", "float16", "bfloat16", "int8"):
                with self.subTest(element, dimension=dimension):
                    given = hostile if element == "float32" else rows
                    index = pykindred.VectorIndex(given, element=element)
                    expected = rounded(element, given)
                    np.testing.assert_array_equal(index.rows(np.arange(60)), expected)
                    for metric in METRICS:
                        scores = index.score_all(query, metric=metric)
                        self.assertTrue(equal_bits(scores, vector_scores(metric, expected, query)))

    def test_faiss_finds_the_same_rows(self):
        rows, queries = self.normal(4000, 64), self.normal(40, 64)
        index = pykindred.VectorIndex(rows)
        for metric in METRICS:
            theirs, x, q = faiss.IndexFlatIP(64), rows, queries
            if metric == "l2":
                theirs = faiss.IndexFlatL2(64)
            elif metric == "cosine":
                x, q = (v / np.linalg.norm(v, axis=1, keepdims=True) for v in (rows, queries))
            theirs.add(x)
            distances, their_ids = theirs.search(q, 11)
            if metric == "l2":
                distances = np.sqrt(np.maximum(distances, 0))
            scores, ids = index.search(queries, 10, metric=metric)
            np.testing.assert_allclose(scores, distances[:, :10], rtol=1e-4, atol=1e-4)
            apart = np.abs(np.diff(distances, axis=1)) > 1e-3
            clear = apart & np.concatenate([np.ones((40, 1), bool), apart[:, :-1]], axis=1)
            self.assertGreater(clear.mean(), 0.5)
            np.testing.assert_array_equal(ids[clear], their_ids[:, :10][clear])


ROWS, DIMENSION, QUERIES, TOP = 3000, 20, 50, 10


def recall(found, truth):
    return np.mean([len(np.intersect1d(a, b)) for a, b in zip(found, truth)]) / truth.shape[1]


class Hnswlib(unittest.TestCase):
    def setUp(self):
        generator = np.random.default_rng(3)
        centres = generator.standard_normal((40, DIMENSION), dtype=np.float32)
        picked = generator.integers(0, 40, ROWS + QUERIES)
        noise = generator.standard_normal((ROWS + QUERIES, DIMENSION), dtype=np.float32)
        self.rows, self.queries = np.split(centres[picked] + np.float32(0.4) * noise, [ROWS])
        self.file = str(folder_of(self) / "h.bin")

    def theirs(self, metric, labels=None):
        index = hnswlib.Index(space=metric, dim=DIMENSION)
        index.init_index(2 * ROWS, M=12, ef_construction=100, random_seed=7)
        index.add_items(self.rows, labels)
        return index

    def test_we_read_what_it_saved(self):
        for metric in METRICS:
            # Labels in arbitrary order that are not numbers of rows, some of them deleted.
            labels = np.random.default_rng(1).permutation(ROWS) * 3 + 5
            index = self.theirs(metric, labels)
            for label in labels[:100]:
                index.mark_deleted(label)
            index.set_ef(64)
            ids, distances = index.knn_query(self.queries, k=TOP)
            index.save_index(self.file)
            ours = pykindred.HnswIndex.import_hnswlib(self.file, metric=metric,
                                                      dimension=DIMENSION)
            told = ours.statistics()
            self.assertEqual((len(ours), told["removed"], told["m"]), (ROWS - 100, 100, 12))
            scores, found = ours.search(self.queries, TOP, ef=64)
            self.assertGreater(recall(found, ids), 0.98)
            same = found == ids.astype(np.int64)
            self.assertGreater(same.mean(), 0.95)
            distance = scores**2 if metric == "l2" else 1 - scores
            np.testing.assert_allclose(distance[same], distances[same], rtol=1e-4, atol=1e-5)

    def test_it_reads_what_we_export(self):
        for metric in METRICS:
            ours = pykindred.HnswIndex(self.rows, metric=metric, m=12)
            ours.export_hnswlib(self.file)
            index = hnswlib.Index(space=metric, dim=DIMENSION)
            index.load_index(self.file, max_elements=2 * ROWS)
            self.assertEqual((index.get_current_count(), index.M), (ROWS, 12))
            index.set_ef(64)
            found = ours.search(self.queries, TOP, ef=64)[1]
            self.assertGreater(recall(index.knn_query(self.queries, k=TOP)[0], found), 0.98)
            # hnswlib can continue to add to the graph.
            index.add_items(self.queries, np.arange(QUERIES) + ROWS)
            ids, _ = index.knn_query(self.queries, k=1)
            if metric != "ip":
                self.assertEqual(ids[:, 0].tolist(), list(range(ROWS, ROWS + QUERIES)))

    def test_the_graph_is_as_good_as_its(self):
        truth = pykindred.VectorIndex(self.rows).search(self.queries, TOP, metric="l2")[1]
        index = self.theirs("l2")
        index.set_ef(20)
        theirs = recall(index.knn_query(self.queries, k=TOP)[0], truth)
        ours = pykindred.HnswIndex(self.rows, metric="l2", m=12, ef_construction=100)
        found = ours.search(self.queries, TOP, ef=20)[1]
        self.assertGreater(recall(found, truth), theirs - 0.03)


if __name__ == "__main__":
    unittest.main()
