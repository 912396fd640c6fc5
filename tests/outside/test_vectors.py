# SPDX-License-Identifier: Apache-2.0
"""`kindred search` and `kindred score` against NumPy: values in float64, reproducible sums
recomputed bit for bit."""
import unittest

from numpy_oracle import equal_bits, harness, np, ranked, vector_scores

METRICS = ("cosine", "ip", "l2")


def in_double(metric, rows, query):
    rows, query = rows.astype(np.float64), query.astype(np.float64)
    if metric == "ip":
        return rows @ query
    if metric == "l2":
        return np.sqrt(((rows - query) ** 2).sum(axis=1))
    norms = np.linalg.norm(rows, axis=1) * np.linalg.norm(query)
    return np.clip(np.divide(rows @ query, norms, out=np.zeros(len(rows)), where=norms != 0), -1, 1)


class Vectors(harness.CommandTest):
    def setUp(self):
        super().setUp()
        self.generator = np.random.default_rng(5)

    def save(self, name, array):
        np.save(self.folder / name, array)
        return self.folder / name

    def search(self, rows, queries, top, *flags):
        ids, scores = self.folder / "ids.npy", self.folder / "scores.npy"
        self.succeeds("search", "--vectors", self.save("x.npy", rows), "--queries", self.save("q.npy", queries), "--top", top, "--out-ids", ids, "--out-scores", scores, *flags)
        ids, scores = np.load(ids), np.load(scores)
        self.assertEqual((ids.dtype, scores.dtype, ids.shape, scores.shape), (np.int64, np.float32, (len(queries), top), (len(queries), top)))
        return ids, scores

    def rows(self, count, dimension):
        rows = self.generator.standard_normal((count, dimension)).astype(np.float32)
        rows[count // 2: count // 2 + count // 10] = rows[: count // 10]
        return rows

    def test_search_values(self):
        for dimension in (1, 3, 31, 33, 100, 768):
            rows, queries = self.rows(1500, dimension), self.rows(20, dimension)
            rows[3], queries[4] = 0, 0
            for metric in METRICS:
                with self.subTest(metric, dimension=dimension):
                    ids, scores = self.search(rows, queries, 25, "--metric", metric)
                    for query, row_ids, row_scores in zip(queries, ids, scores):
                        expected = in_double(metric, rows, query)
                        self.assertEqual(len(set(row_ids)), 25)
                        scale = max(1, np.abs(expected).max() if metric != "cosine" else 1)
                        self.assertLess(np.abs(row_scores - expected[row_ids]).max() / scale, 1e-6)
                        order = ranked(metric, expected, np.arange(len(rows)), 25)
                        self.assertLess(np.abs(expected[order] - expected[row_ids]).max() / scale, 2e-6, "a row is missing that is better by more than rounding")

    def test_search_bits(self):
        for dimension in (1, 2, 31, 32, 33, 67, 768, 4096, 4097, 12301):
            count = 400 if dimension < 1000 else 60
            rows, queries = self.rows(count, dimension), self.rows(12, dimension)
            rows[3], rows[5, 0], rows[6, 0], rows[7] = 0, np.nan, np.inf, -0.0
            rows[8] *= np.float32(1e30)
            rows[9] *= np.float32(1e-41)
            queries[1], queries[2], queries[3] = rows[8], rows[9], 0
            for metric in METRICS:
                with self.subTest(metric, dimension=dimension):
                    ids, scores = self.search(rows, queries, count, "--metric", metric)
                    for query, row_ids, row_scores in zip(queries, ids, scores):
                        expected = vector_scores(metric, rows, query)
                        order = ranked(metric, expected, np.arange(count), count)
                        np.testing.assert_array_equal(row_ids, order)
                        self.assertTrue(equal_bits(row_scores, expected[order]))

    def test_filter(self):
        rows, queries = self.rows(300, 20), self.rows(5, 20)
        for kept in (0, 1, 7, 300):
            for dtype in (np.bool_, np.uint8):
                mask = np.zeros(300, dtype)
                mask[self.generator.permutation(300)[:kept]] = 1
                ids, scores = self.search(rows, queries, 10, "--metric", "l2", "--filter", self.save("mask.npy", mask))
                for query, row_ids, row_scores in zip(queries, ids, scores):
                    passing = np.flatnonzero(mask)
                    order = passing[ranked("l2", vector_scores("l2", rows, query)[passing], passing, 10)]
                    np.testing.assert_array_equal(row_ids, np.pad(order, (0, 10 - len(order)), constant_values=-1))
                    self.assertTrue(np.isposinf(row_scores[len(order):]).all())

    def test_score(self):
        rows, queries = self.rows(500, 130), self.rows(30, 130)
        lists = [self.generator.integers(0, 500, self.generator.integers(0, 120)).tolist() for _ in queries]
        files = ("--vectors", self.save("x.npy", rows), "--queries", self.save("q.npy", queries), "--candidates", self.file("c.jsonl", [{"name": f"c{i}", "ids": ids} for i, ids in enumerate(lists)]))
        for metric in METRICS:
            for top in (1, 10, 1000):
                answers = self.succeeds("score", *files, "--metric", metric, "--top", top).lines()
                for query, ids, answer in zip(queries, lists, answers, strict=True):
                    unique = np.unique(np.array(ids, np.int64))
                    scores = vector_scores(metric, rows[unique], query)
                    order = ranked(metric, scores, unique, top)
                    self.assertEqual([hit[0] for hit in answer["results"]], unique[order].tolist())
                    self.assertTrue(equal_bits([hit[1] for hit in answer["results"]], scores[order]), "a score does not survive its JSON form")


if __name__ == "__main__":
    unittest.main()
