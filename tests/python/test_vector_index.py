# SPDX-License-Identifier: Apache-2.0
import unittest

import numpy as np

import pykindred
from reproducible import equal_bits, ranked, vector_scores
from support import METRICS, SIZES, Exported, check_refusals, generator, same, vectors

PADDING = {"cosine": -np.inf, "ip": -np.inf, "l2": np.inf}


def best(metric, rows, query, top, ids=None):
    """The scores and ids of the best rows by their definition, padded."""
    ids = np.arange(len(rows)) if ids is None else np.asarray(ids)
    scores = vector_scores(metric, rows, query)
    order = ranked(metric, scores, ids, top)
    missing = top - len(order)
    return (np.pad(scores[order], (0, missing), constant_values=np.float32(PADDING[metric])),
            np.pad(ids[order], (0, missing), constant_values=-1))


def hostile(rows):
    """With zeros, NaN, infinity, large and denormal numbers, and equal rows."""
    rows = rows.copy()
    rows[3], rows[5, 0], rows[6, 0], rows[7] = 0, np.nan, np.inf, -0.0
    rows[8] *= np.float32(1e30)
    rows[9] *= np.float32(1e-41)
    rows[20:30] = rows[:10]
    return rows


class VectorIndex(unittest.TestCase):
    def assert_best(self, found, metric, rows, queries, top, ids=None):
        for query, scores, numbers in zip(queries, *found, strict=True):
            expected = best(metric, rows, query, top, ids)
            np.testing.assert_array_equal(numbers, expected[1])
            self.assertTrue(equal_bits(scores, expected[0]))

    def test_search_gives_the_bits_of_the_definition(self):
        for count in SIZES:
            for dimension in (1, 3, 33):
                rows = vectors(f"rows {count}", count, dimension)
                queries = vectors("queries", 3, dimension)
                index = pykindred.VectorIndex(rows)
                for metric in METRICS:
                    for space in ("serial", "openmp", None):
                        found = index.search(queries, 7, metric=metric, space=space)
                        self.assertEqual((found[0].dtype, found[1].dtype), (np.float32, np.int64))
                        self.assert_best(found, metric, rows, queries, 7)

    def test_hostile_numbers_have_the_bits_of_the_definition(self):
        for dimension in (2, 32, 67, 768, 4096, 4097, 12301):
            rows = hostile(vectors("rows", 60, dimension))
            queries = vectors("queries", 6, dimension)
            queries[1], queries[2], queries[3], queries[4, 0] = rows[8], rows[9], 0, np.nan
            index = pykindred.VectorIndex(rows)
            for metric in METRICS:
                for path in ("brute_force", "quantized"):
                    found = index.search(queries, 60, metric=metric, path=path)
                    self.assert_best(found, metric, rows, queries, 60)

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

    def test_all_element_types(self):
        rows, queries = vectors("rows", 40, 12), vectors("queries", 3, 12)
        half = pykindred.VectorIndex(rows.astype(np.float16))
        self.assertTrue(same(half, pykindred.VectorIndex(rows, element="float16")))
        codes = generator("codes").integers(-127, 128, (40, 12)).astype(np.int8)
        scales = np.full(40, 0.5, np.float32)
        index = pykindred.VectorIndex(codes, scales=scales)
        self.assert_best(index.search(queries, 5), "cosine", codes * np.float32(0.5), queries, 5)
        self.assertEqual(index.add(codes[:3], scales=scales[:3]), range(40, 43))
        index.replace(40, codes[9], scale=0.5)
        scores = index.score_all(queries)
        self.assertTrue(equal_bits(scores[:, 40], scores[:, 9]))

    def test_an_empty_index_has_a_dimension(self):
        rows = vectors("rows", 20, 7)
        for element in (None, "float16", "int8"):
            index = pykindred.VectorIndex(dimension=7, element=element)
            filled = pykindred.VectorIndex(rows, element=element)
            self.assertEqual((len(index), index.dimension, index.element),
                             (0, 7, element or "float32"))
            self.assertEqual(index.search(rows[0], 2)[1].tolist(), [-1, -1])
            if element != "int8":
                self.assertEqual(index.add(rows.astype(element or np.float32)), range(0, 20))
                self.assertTrue(equal_bits(index.score_all(rows), filled.score_all(rows)))

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
        self.assert_best(index.search(queries, 10), "cosine", now[kept], queries, 10, kept)
        np.testing.assert_array_equal(index.ids, kept)
        for metric in METRICS:  # scores are in the order of the ids
            for query, scores in zip(queries, index.score_all(queries, metric=metric)):
                self.assertTrue(equal_bits(scores, vector_scores(metric, now[kept], query)))
        told = index.statistics()
        self.assertEqual((len(index), index.end_id, told["removed"]), (56, 60, 5))

    def test_filters(self):
        rows, queries = vectors("rows", 130, 9), vectors("queries", 2, 9)
        index = pykindred.VectorIndex(rows)
        for share in (0, 0.1, 1):
            allowed = generator("filter").random(130) < share
            ids = np.flatnonzero(allowed)
            bits = np.packbits(np.pad(allowed, (0, 62)), bitorder="little").view(np.uint64)
            for given in (allowed, allowed.astype(np.uint8), bits, np.stack([bits, bits])):
                found = index.search(queries, 20, filter=given)
                self.assert_best(found, "cosine", rows[ids], queries, 20, ids)

    def test_search_at_least_gives_all_rows_of_that_score(self):
        rows, queries = vectors("rows", 200, 7), vectors("queries", 3, 7)
        index = pykindred.VectorIndex(rows)
        for metric, score in (("cosine", 0.5), ("ip", 2.0), ("l2", 3.0)):
            found = index.search_at_least(queries, score, metric=metric)
            self.assertEqual(found.offsets[[0, -1]].tolist(), [0, len(found.ids)])
            for query, (scores, ids) in zip(queries, found, strict=True):
                expected = vector_scores(metric, rows, query)
                count = (expected <= score if metric == "l2" else expected >= score).sum()
                self.assertTrue(same([scores, ids], list(best(metric, rows, query, count))))

    def test_candidates_are_ranked_once_each(self):
        rows, queries = vectors("rows", 50, 7), vectors("queries", 2, 7)
        index = pykindred.VectorIndex(rows)
        lists = np.int64([[4, 9, 4, -1, 1000], [7, 8, 1, 2, 3]])
        scores, ids = index.score(queries, lists)
        for query, row, found, numbers in zip(queries, lists, scores, ids):
            kept = np.unique(row[(row >= 0) & (row < 50)])
            expected = best("cosine", rows[kept], query, 5, kept)
            self.assertTrue(same([found, numbers], list(expected)))
        np.testing.assert_array_equal(index.score(queries, lists, 2)[1], ids[:, :2])
        np.testing.assert_array_equal(index.score(queries[0], lists[0])[1], ids[0])
        ragged = pykindred.Ragged(np.int64([0, 2, 5]), np.int64([4, 9, 7, 8, 1]), np.zeros(5))
        found = index.score(queries, ragged)
        self.assertEqual([sorted(row[1].tolist()) for row in found], [[4, 9], [1, 7, 8]])
        self.assertEqual(index.score(queries, ragged, 1)[1][1].tolist(), found[1][1][:1].tolist())

    def test_arrays_of_other_libraries(self):
        rows = vectors("rows", 30, 7)
        index = pykindred.VectorIndex(Exported(rows))
        expected = index.search(rows, 4)
        out = Exported(np.zeros((30, 4), np.float32)), np.zeros((30, 4), np.int64)
        found = index.search(memoryview(rows), 4, out=out)
        self.assertTrue(found[0] is out[0] and found[1] is out[1])
        self.assertTrue(same([out[0].array, out[1]], list(expected)))

    @unittest.skipIf(pykindred.default_context().spaces()["cuda"]["usable"],
                     "the made-up device would be used")
    def test_arrays_on_a_device_are_asked_for_with_their_stream(self):
        rows = vectors("rows", 30, 7)
        index = pykindred.VectorIndex(rows, context=pykindred.Context(space="serial"))
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

    def test_text(self):
        self.assertEqual(repr(pykindred.VectorIndex(vectors("rows", 50, 7))),
                         "<pykindred.VectorIndex: 50 rows of 7 float32>")


class Rows(unittest.TestCase):
    def test_rows_without_an_index_have_the_same_bits(self):
        for count in SIZES:
            rows, queries = vectors("rows", count, 9), vectors("queries", 3, 9)
            for metric in METRICS:
                for given in (rows, rows.astype(np.float16)):
                    index = pykindred.VectorIndex(given)
                    scores = pykindred.row_scores(queries, given, metric=metric)
                    self.assertTrue(equal_bits(scores, index.score_all(queries, metric=metric)))
                    found = pykindred.top_rows(queries, given, 5, metric=metric)
                    self.assertTrue(same(found, index.search(queries, 5, metric=metric)))


if __name__ == "__main__":
    unittest.main()
