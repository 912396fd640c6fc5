# SPDX-License-Identifier: Apache-2.0
"""`VectorIndex` and the functions of rows: kinds of arguments and results. tests/outside compares
their bits with the definition in NumPy."""
import unittest

import numpy as np

import pykindred
from support import METRICS, SIZES, Exported, check_refusals, context, generator, same, vectors


class VectorIndex(unittest.TestCase):
    def of_new(self, rows, queries, top, ids=None, metric="cosine"):
        """The results of a new index of these rows, with their ids."""
        scores, places = pykindred.VectorIndex(rows).search(queries, top, metric=metric)
        return scores, np.append(np.arange(len(rows)) if ids is None else ids, -1)[places]

    def assert_best(self, index, rows, queries, ids=None, **options):
        for metric in METRICS:
            found = index.search(queries, 20, metric=metric, **options)
            self.assertTrue(same(found, self.of_new(rows, queries, 20, ids, metric)))

    def test_search_gives_the_best_rows(self):
        for count in SIZES:
            rows, queries = vectors("rows", count, 33), vectors("queries", 3, 33)
            x, q = rows.astype(float), queries.astype(float)[:, None]
            products, index = (q * x).sum(-1), pykindred.VectorIndex(rows)
            norms = np.linalg.norm(q, axis=-1) * np.linalg.norm(x, axis=-1)
            for metric, expected in (("ip", products), ("cosine", products / norms),
                                     ("l2", -np.linalg.norm(q - x, axis=-1))):
                order = np.argsort(-expected, axis=1)[:, :7]
                expected, k = np.abs(np.take_along_axis(expected, order, 1)), order.shape[1]
                paths = ("brute_force", "quantized", "gemm") if count == SIZES[-1] else ()
                for options in ({}, {"space": "serial"}, {"space": "openmp"},
                                *({"path": path} for path in paths)):
                    scores, ids = index.search(queries, 7, metric=metric, **options)
                    self.assertEqual((scores.dtype, ids.dtype), (np.float32, np.int64))
                    np.testing.assert_array_equal(ids[:, :k], order)
                    np.testing.assert_allclose(np.abs(scores[:, :k]), expected, rtol=1e-5)
                    self.assertTrue((ids[:, k:] == -1).all() and np.isinf(scores[:, k:]).all())

    def test_shapes_of_results(self):
        rows = vectors("rows", 20, 8)
        index, none = pykindred.VectorIndex(rows), rows[:0]
        scores, ids = index.search(rows[4], top=3)
        self.assertEqual((scores.shape, ids.shape, ids[0]), ((3,), (3,), 4))
        np.testing.assert_array_equal(index.search(rows[4:5], top=3)[1][0], ids)
        self.assertEqual(index.score_all(rows[4]).shape, (20,))
        scores, ids = index.search(none, 3)
        self.assertEqual([one.shape for one in (scores, ids, index.score_all(none))],
                         [(0, 3), (0, 3), (0, 20)])
        self.assertEqual(len(index.search_at_least(none, 0.0)), 0)
        self.assertEqual(repr(index), "<pykindred.VectorIndex: 20 rows of 8 float32>")

    def test_all_element_types(self):
        rows, queries = vectors("rows", 40, 12), vectors("queries", 3, 12)
        half = pykindred.VectorIndex(rows.astype(np.float16))
        self.assertTrue(same(half, pykindred.VectorIndex(rows, element="float16")))
        codes = generator("codes").integers(-127, 128, (40, 12)).astype(np.int8)
        scales = np.full(40, 0.5, np.float32)
        index = pykindred.VectorIndex(codes, scales=scales)
        self.assert_best(index, codes * np.float32(0.5), queries)
        self.assertEqual(index.add(codes[:3], scales=scales[:3]), range(40, 43))
        index.replace(40, codes[9], scale=0.5)
        scores = index.score_all(queries)
        np.testing.assert_array_equal(scores[:, 40], scores[:, 9])

    def test_an_empty_index_has_a_dimension(self):
        rows = vectors("rows", 20, 7)
        for element in ("float32", "float16", "int8"):
            index = pykindred.VectorIndex(dimension=7, element=element)
            filled = pykindred.VectorIndex(rows, element=element)
            self.assertEqual((len(index), index.dimension, index.element), (0, 7, element))
            self.assertEqual(index.search(rows[0], 2)[1].tolist(), [-1, -1])
            if element != "int8":
                self.assertEqual(index.add(rows.astype(element)), range(0, 20))
                np.testing.assert_array_equal(index.score_all(rows), filled.score_all(rows))
        self.assertEqual(pykindred.VectorIndex(dimension=7).element, "float32")

    def test_changes_are_found(self):
        rows, queries = vectors("rows", 60, 9), vectors("queries", 2, 9)
        index = pykindred.VectorIndex(rows[:0])
        now = np.concatenate([rows[:50], rows[::-1][:10]])
        self.assertEqual((index.add(now[:50]), index.add(now[50:])), (range(50), range(50, 60)))
        for ids in ([3, 7], np.uint32([20]), 21):
            index.remove(ids)
        index.replace(4, rows[55])
        now[4] = rows[55]
        kept = np.delete(np.arange(60), [3, 7, 20, 21])
        self.assert_best(index, now[kept], queries, kept)
        np.testing.assert_array_equal(index.ids, kept)
        np.testing.assert_array_equal(index.score_all(queries),  # in the order of the ids
                                      pykindred.VectorIndex(now[kept]).score_all(queries))
        told = index.statistics()
        self.assertEqual((len(index), index.end_id, told["removed"]), (56, 60, 5))

    def test_filters(self):
        rows, queries = vectors("rows", 130, 9), vectors("queries", 2, 9)
        index = pykindred.VectorIndex(rows)
        for share in (0, 0.1, 1):
            allowed = generator("filter").random(130) < share
            bits = np.packbits(np.pad(allowed, (0, 62)), bitorder="little").view(np.uint64)
            for given in (allowed, allowed.astype(np.uint8), bits, np.stack([bits, bits])):
                self.assert_best(index, rows[allowed], queries, np.flatnonzero(allowed),
                                 filter=given)

    def test_search_at_least_gives_all_rows_of_that_score(self):
        rows, queries = vectors("rows", 200, 7), vectors("queries", 3, 7)
        index = pykindred.VectorIndex(rows)
        for metric, score in (("cosine", 0.5), ("ip", 2.0), ("l2", 3.0)):
            found = index.search_at_least(queries, score, metric=metric)
            self.assertEqual(found.offsets[[0, -1]].tolist(), [0, len(found.ids)])
            for row, scores, ids in zip(found, *index.search(queries, 200, metric=metric)):
                count = (scores <= score if metric == "l2" else scores >= score).sum()
                self.assertTrue(same(list(row), [scores[:count], ids[:count]]))

    def test_candidates_are_ranked_once_each(self):
        rows, queries = vectors("rows", 50, 7), vectors("queries", 2, 7)
        index = pykindred.VectorIndex(rows)
        lists = np.int64([[4, 9, 4, -1, 1000], [7, 8, 1, 2, 3]])
        scores, ids = index.score(queries, lists)
        for query, row, *found in zip(queries, lists, scores, ids):
            kept = np.unique(row[(row >= 0) & (row < 50)])
            self.assertTrue(same(found, list(self.of_new(rows[kept], query, 5, kept))))
        np.testing.assert_array_equal(index.score(queries, lists, 2)[1], ids[:, :2])
        np.testing.assert_array_equal(index.score(queries[0], lists[0])[1], ids[0])
        ragged = pykindred.Ragged(np.int64([0, 2, 5]), np.int64([4, 9, 7, 8, 1]), np.zeros(5))
        found = index.score(queries, ragged)
        self.assertEqual([sorted(row[1].tolist()) for row in found], [[4, 9], [1, 7, 8]])
        self.assertEqual(index.score(queries, ragged, 1)[1][1].tolist(), found[1][1][:1].tolist())

    @unittest.skipIf(pykindred.default_context().spaces()["cuda"]["usable"],
                     "the made-up device would be used")
    def test_arrays_on_a_device_are_asked_for_with_their_stream(self):
        rows = vectors("rows", 30, 7)
        index = pykindred.VectorIndex(rows, context=context(space="serial"))
        queries = Exported(rows, device=0)
        out = tuple(Exported(np.zeros((30, 3), kind), 0) for kind in (np.float32, np.int64))
        for options, stream in (({"stream": 64}, 64), ({}, 1)):  # the default stream of CUDA
            with self.assertRaises(pykindred.Error):
                index.search(queries, 3, out=out, **options)
            self.assertEqual(queries.streams.pop(), stream)
        check_refusals(self, (lambda: index.search(queries, 3), ValueError, "out="),
                       (lambda: index.search(rows, 3, out=out), ValueError, ""))

    def test_rows_are_read_back_as_they_decode(self):
        rows = vectors("rows", 20, 7)
        for element in (None, "float16", "bfloat16", "int8"):
            index = pykindred.VectorIndex(rows, element=element)
            index.remove([3])
            ids = np.delete(np.arange(20), 3)
            found = index.rows(ids[::-1])
            self.assertEqual((found.dtype, found.shape), (np.float32, (19, 7)))
            scores = pykindred.row_scores(rows[0], found[::-1].copy(), metric="ip")
            np.testing.assert_array_equal(index.score_all(rows[0], metric="ip"), scores)
            if element is None:
                np.testing.assert_array_equal(found, rows[ids[::-1]])
            np.testing.assert_array_equal(index.row(5), index.rows([5, 5])[1])
            self.assertEqual(index.rows([]).shape, (0, 7))


class Rows(unittest.TestCase):
    def test_rows_without_an_index_have_the_same_bits(self):
        queries = vectors("queries", 3, 9)
        for rows in (vectors("rows", count, 9) for count in SIZES):
            for metric in METRICS:
                for given in (rows, rows.astype(np.float16)):
                    index = pykindred.VectorIndex(given)
                    for ours, theirs in (
                            (pykindred.row_scores(queries, given, metric=metric),
                             index.score_all(queries, metric=metric)),
                            (pykindred.top_rows(queries, given, 5, metric=metric),
                             index.search(queries, 5, metric=metric))):
                        self.assertTrue(same(ours, theirs))


if __name__ == "__main__":
    unittest.main()
