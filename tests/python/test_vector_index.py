# SPDX-License-Identifier: Apache-2.0
import copy
import pickle
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

import pykindred
from support import METRICS, SIZES, Exported, generator, vectors

sys.path.append(str(Path(__file__).resolve().parents[1] / "outside"))  # last, as it has tests of the same names
from reproducible import equal_bits, ranked, vector_scores  # noqa: E402

PADDING = {"cosine": -np.inf, "ip": -np.inf, "l2": np.inf}


def best(metric, rows, query, top, ids=None):
    """The scores and ids of the best rows by their definition, padded."""
    ids = np.arange(len(rows)) if ids is None else np.asarray(ids)
    scores = vector_scores(metric, rows, query)
    order = ranked(metric, scores, ids, top)
    missing = top - len(order)
    return (np.concatenate([scores[order], np.full(missing, PADDING[metric], np.float32)]),
            np.concatenate([ids[order], np.full(missing, -1)]))


class VectorIndex(unittest.TestCase):
    def assert_best(self, found, metric, rows, queries, top, ids=None):
        for query, scores, numbers in zip(queries, *found, strict=True):
            expected_scores, expected_ids = best(metric, rows, query, top, ids)
            np.testing.assert_array_equal(numbers, expected_ids)
            self.assertTrue(equal_bits(scores, expected_scores))

    def test_search_gives_the_bits_of_the_definition(self):
        for count in SIZES:
            for dimension in (1, 3, 33):
                rows, queries = vectors(f"rows {count}", count, dimension), vectors("queries", 3, dimension)
                index = pykindred.VectorIndex(rows)
                for metric in METRICS:
                    for space in ("serial", "openmp", None):
                        found = index.search(queries, 7, metric=metric, space=space)
                        self.assertEqual((found[0].dtype, found[1].dtype), (np.float32, np.int64))
                        self.assert_best(found, metric, rows, queries, 7)

    def test_one_query_has_no_dimension_of_queries(self):
        rows = vectors("rows", 20, 8)
        index = pykindred.VectorIndex(rows)
        scores, ids = index.search(rows[4], top=3)
        self.assertEqual((scores.shape, ids.shape, ids[0]), ((3,), (3,), 4))
        np.testing.assert_array_equal(index.search(rows[4:5], top=3)[1][0], ids)
        self.assertEqual(index.score_all(rows[4]).shape, (20,))

    def test_k_beyond_the_rows_is_padded(self):
        index = pykindred.VectorIndex(vectors("rows", 2, 4))
        for metric in METRICS:
            scores, ids = index.search(vectors("queries", 2, 4), top=5, metric=metric)
            np.testing.assert_array_equal(ids[:, 2:], -1)
            np.testing.assert_array_equal(scores[:, 2:], PADDING[metric])

    def test_no_queries_have_no_results(self):
        index = pykindred.VectorIndex(vectors("rows", 5, 4))
        none = np.zeros((0, 4), np.float32)
        scores, ids = index.search(none, 3)
        self.assertEqual((scores.shape, ids.shape, index.score_all(none).shape), ((0, 3), (0, 3), (0, 5)))
        self.assertEqual(len(index.search_at_least(none, 0.0)), 0)

    def test_a_query_with_nan_scores_nan_and_ranks_by_id(self):
        index = pykindred.VectorIndex(vectors("rows", 5, 4))
        query = np.float32([1, np.nan, 0, 0])
        scores, ids = index.search(query, 5, metric="ip")
        np.testing.assert_array_equal(ids, np.arange(5))
        self.assertTrue(np.isnan(scores).all())

    def test_paths_agree(self):
        rows, queries = vectors("rows", 500, 40), vectors("queries", 9, 40)
        index = pykindred.VectorIndex(rows)
        for path in ("brute_force", "quantized"):
            self.assert_best(index.search(queries, 5, path=path), "cosine", rows, queries, 5)

    def test_rows_with_gaps_between_them_are_read_in_place_and_others_copied(self):
        wide = vectors("wide", 40, 30)
        rows, queries = wide[::2, :10], wide[1::4, 10:20]
        index = pykindred.VectorIndex(rows)
        expected = index.search(queries.copy(), 4)
        self.assert_best(expected, "cosine", rows, queries, 4)
        for given in (queries, np.asfortranarray(queries), queries[::-1][::-1]):
            found = index.search(given, 4)
            np.testing.assert_array_equal(found[1], expected[1])
        index.search(queries, 4, copy=False)
        unaligned = np.frombuffer(b"." + queries.tobytes(), np.float32, offset=1).reshape(queries.shape)
        for given in (np.asfortranarray(queries), queries[:, ::-1], queries[::-1], unaligned, np.broadcast_to(queries[0], (3, 10))):
            np.testing.assert_array_equal(index.search(given, 4)[1], index.search(given.copy(), 4)[1])
            with self.assertRaisesRegex(pykindred.InvalidArgument, "^queries is"):
                index.search(given, 4, copy=False)

    def test_all_element_types(self):
        rows, queries = vectors("rows", 40, 12), vectors("queries", 3, 12)
        half = rows.astype(np.float16)
        index = pykindred.VectorIndex(half)
        self.assertEqual(index.element, "float16")
        self.assert_best(index.search(queries, 5), "cosine", half.astype(np.float32), queries, 5)
        self.assertTrue(equal_bits(pykindred.VectorIndex(rows, element="float16").score_all(queries), index.score_all(queries)))
        codes, scales = generator("codes").integers(-127, 128, (40, 12)).astype(np.int8), np.full(40, 0.5, np.float32)
        decoded = codes * np.float32(0.5)
        index = pykindred.VectorIndex(codes, scales=scales)
        self.assert_best(index.search(queries, 5), "cosine", decoded, queries, 5)
        self.assertEqual(pykindred.VectorIndex(rows, element="int8").element, "int8")
        self.assertEqual(index.add(codes[:3], scales=scales[:3]), range(40, 43))
        index.replace(40, codes[9], scale=0.5)
        self.assertTrue(equal_bits(index.score_all(queries)[:, 40], index.score_all(queries)[:, 9]))
        brain = pykindred.VectorIndex(rows, element="bfloat16")
        truncated = (np.round(rows * 4) / 4).astype(np.float32)  # exact in bfloat16
        self.assertEqual(brain.element, "bfloat16")
        self.assertTrue(equal_bits(pykindred.VectorIndex(truncated, element="bfloat16").score_all(queries),
                                   pykindred.VectorIndex(truncated).score_all(queries)))

    def test_an_empty_index_has_a_dimension(self):
        rows = vectors("rows", 20, 7)
        for element in (None, "float16", "int8"):
            index, filled = pykindred.VectorIndex(dimension=7, element=element), pykindred.VectorIndex(rows, element=element)
            self.assertEqual((len(index), index.dimension, index.element), (0, 7, element or "float32"))
            self.assertEqual(index.search(rows[0], 2)[1].tolist(), [-1, -1])
            if element != "int8":
                stored = rows if element is None else rows.astype(element)
                self.assertEqual(index.add(stored), range(0, 20))
                self.assertTrue(equal_bits(index.score_all(rows), filled.score_all(rows)))
        for options, message in (({"rows": rows, "dimension": 7}, "dimension is given"), ({"dimension": 0}, "dimension is 0"),
                                 ({"dimension": 7, "scales": np.ones(1, np.float32)}, "scales is given")):
            with self.subTest(message), self.assertRaisesRegex(pykindred.InvalidArgument, message):
                pykindred.VectorIndex(**options)
        for options, message in (({}, "rows is None"), ({"dimension": "7"}, "dimension")):
            with self.assertRaisesRegex(pykindred.InvalidType, message):
                pykindred.VectorIndex(**options)

    def test_changes_are_found(self):
        rows, queries = vectors("rows", 60, 9), vectors("queries", 2, 9)
        index = pykindred.VectorIndex(rows[:0])
        self.assertEqual(index.add(rows[:50]), range(0, 50))
        self.assertEqual(index.add(rows[::-1][:10]), range(50, 60))  # backwards
        now = np.concatenate([rows[:50], rows[::-1][:10]])
        index.remove([3, 7])
        index.remove(np.uint32([20]))
        index.remove(21)
        index.replace(4, rows[55])
        now[4] = rows[55]
        kept = np.delete(np.arange(60), [3, 7, 20, 21])
        self.assert_best(index.search(queries, 10), "cosine", now[kept], queries, 10, kept)
        np.testing.assert_array_equal(index.ids, kept)
        self.assertEqual((len(index), index.end_id, index.statistics()["removed"]), (56, 60, 5))
        for wrong in ([0, 3], [60], [1, 1], [-1], [2**63]):
            with self.assertRaises((pykindred.NotFound, pykindred.InvalidArgument)):
                index.remove(wrong)
        self.assertEqual(len(index), 56)

    def test_filters(self):
        rows, queries = vectors("rows", 130, 9), vectors("queries", 2, 9)
        index = pykindred.VectorIndex(rows)
        allowed = generator("filter").random(130) < 0.1
        ids = np.flatnonzero(allowed)
        padded = np.zeros(192, np.uint8)
        padded[:130] = allowed
        bits = np.packbits(padded, bitorder="little").view(np.uint64)
        for given in (allowed, allowed.astype(np.uint8), bits, np.stack([bits, bits])):
            self.assert_best(index.search(queries, 20, filter=given), "cosine", rows[ids], queries, 20, ids)
        for wrong in (allowed[:-1], bits[:-1], allowed[:0], np.stack([bits] * 3)):
            with self.assertRaises(pykindred.InvalidArgument):
                index.search(queries, filter=wrong)
        with self.assertRaisesRegex(pykindred.InvalidType, "filter is float64"):
            index.search(queries, filter=np.ones(130))

    def test_search_at_least_gives_all_rows_of_that_score(self):
        rows, queries = vectors("rows", 200, 7), vectors("queries", 3, 7)
        index = pykindred.VectorIndex(rows)
        for metric, score in (("cosine", 0.5), ("ip", 2.0), ("l2", 3.0)):
            found = index.search_at_least(queries, score, metric=metric)
            self.assertEqual((len(found), found.offsets[0], found.offsets[-1]), (3, 0, len(found.ids)))
            for query, (scores, ids) in zip(queries, found, strict=True):
                expected = vector_scores(metric, rows, query)
                count = int((expected <= score).sum() if metric == "l2" else (expected >= score).sum())
                expected_scores, expected_ids = best(metric, rows, query, count)
                np.testing.assert_array_equal(ids, expected_ids)
                self.assertTrue(equal_bits(scores, expected_scores))
        with self.assertRaises(pykindred.InvalidArgument):
            index.search_at_least(queries, float("nan"))

    def test_candidates_are_ranked_once_each(self):
        rows, queries = vectors("rows", 50, 7), vectors("queries", 2, 7)
        index = pykindred.VectorIndex(rows)
        lists = np.int64([[4, 9, 4, -1, 1000], [7, 8, 1, 2, 3]])
        scores, ids = index.score(queries, lists)
        for query, row, found, numbers in zip(queries, lists, scores, ids):
            kept = np.unique(row[(row >= 0) & (row < 50)])
            expected_scores, expected_ids = best("cosine", rows[kept], query, 5, kept)
            np.testing.assert_array_equal(numbers, expected_ids)
            self.assertTrue(equal_bits(found, expected_scores))
        np.testing.assert_array_equal(index.score(queries, lists, 2)[1], ids[:, :2])
        np.testing.assert_array_equal(index.score(queries[0], lists[0])[1], ids[0])
        ragged = pykindred.Ragged(np.int64([0, 2, 5]), np.int64([4, 9, 7, 8, 1]), np.zeros(5, np.float32))
        found = index.score(queries, ragged)
        np.testing.assert_array_equal(np.sort(found[0][1]), [4, 9])
        np.testing.assert_array_equal(np.sort(found[1][1]), [1, 7, 8])
        np.testing.assert_array_equal(index.score(queries, ragged, 1)[1][1], found[1][1][:1])
        for wrong in (pykindred.Ragged(np.int64([0, 1]), np.int64([4]), np.zeros(1, np.float32)),
                      pykindred.Ragged(np.int64([0, 2, 1]), np.int64([4]), np.zeros(1, np.float32)),
                      pykindred.Ragged(np.int64([0, 1, 2]), np.int64([4, 99]), np.zeros(2, np.float32))):
            with self.assertRaises(pykindred.InvalidArgument):
                index.score(queries, wrong)

    def test_scores_are_in_the_order_of_the_ids(self):
        rows, queries = vectors("rows", 30, 7), vectors("queries", 2, 7)
        index = pykindred.VectorIndex(rows)
        index.remove([5])
        for metric in METRICS:
            for query, scores in zip(queries, index.score_all(queries, metric=metric)):
                self.assertTrue(equal_bits(scores, vector_scores(metric, np.delete(rows, 5, 0), query)))

    def test_results_are_written_to_out(self):
        rows = vectors("rows", 30, 7)
        index = pykindred.VectorIndex(rows)
        wide = np.zeros((3, 8), np.float32)
        out = wide[:, 2:6], np.zeros((3, 4), np.int64)
        found = index.search(rows[:3], 4, out=out)
        self.assertTrue(found[0] is out[0] and found[1] is out[1])
        expected = index.search(rows[:3], 4)
        np.testing.assert_array_equal(out[0], expected[0])
        np.testing.assert_array_equal(out[1], expected[1])
        np.testing.assert_array_equal(wide[:, :2], 0)
        scores = np.zeros((3, 30), np.float32)
        self.assertIs(index.score_all(rows[:3], out=scores), scores)
        read_only = np.zeros((3, 4), np.float32)
        read_only.flags.writeable = False
        for wrong, name in (((read_only, out[1]), "scores is read-only"), ((Exported(read_only), out[1]), "scores is read-only"),
                            ((out[0], np.zeros((3, 4), np.int32)), "ids"), ((out[0], np.zeros((2, 4), np.int64)), "ids"),
                            ((np.zeros((3, 5), np.float32), out[1]), "scores"), ((out[0].T, out[1]), "scores"),
                            ((np.zeros((3, 8), np.float32)[:, ::2], out[1]), "scores"), (out[0], "out"), ((out[0],), "out")):
            with self.assertRaisesRegex(pykindred.Error, name):
                index.search(rows[:3], 4, out=wrong)

    def test_arrays_of_other_libraries(self):
        rows = vectors("rows", 30, 7)
        index = pykindred.VectorIndex(Exported(rows))
        expected = index.search(rows, 4)
        scores, ids = index.search(Exported(rows), 4, out=(Exported(np.zeros((30, 4), np.float32)), np.zeros((30, 4), np.int64)))
        np.testing.assert_array_equal(ids, expected[1])
        np.testing.assert_array_equal(scores.array, expected[0])
        read_only = rows.copy()
        read_only.flags.writeable = False
        np.testing.assert_array_equal(index.search(read_only, 4)[1], expected[1])
        np.testing.assert_array_equal(index.search(Exported(read_only), 4)[1], expected[1])
        np.testing.assert_array_equal(index.search(memoryview(rows), 4)[1], expected[1])
        for gaps in (np.asfortranarray(rows), rows[::-1]):
            np.testing.assert_array_equal(index.search(Exported(gaps), 4)[1], index.search(gaps, 4)[1])
            with self.assertRaises(pykindred.InvalidArgument):
                index.search(Exported(gaps), 4, copy=False)

    def test_rows_are_read_back_as_they_decode(self):
        rows = vectors("rows", 20, 7)
        for element in (None, "float16", "bfloat16", "int8"):
            index = pykindred.VectorIndex(rows, element=element)
            index.remove([3])
            ids = np.delete(np.arange(20), 3)
            found = index.rows(ids[::-1])
            self.assertEqual((found.dtype, found.shape), (np.float32, (19, 7)))
            np.testing.assert_array_equal(index.score_all(rows[0], metric="ip"), pykindred.row_scores(rows[0], found[::-1].copy(), metric="ip"))
            if element is None:
                np.testing.assert_array_equal(found, rows[ids[::-1]])
            np.testing.assert_array_equal(index.row(5), index.rows([5, 5])[1])
            self.assertEqual(index.rows([]).shape, (0, 7))
            for wrong in ([3], [0, 20]):
                with self.assertRaisesRegex(pykindred.NotFound, str(wrong[-1])):
                    index.rows(wrong)
        for wrong in (-1, 0.5, "0"):
            with self.assertRaisesRegex((ValueError, TypeError), "ids"):
                index.row(wrong)

    def test_wrong_arguments_are_named(self):
        rows = vectors("rows", 30, 7)
        index = pykindred.VectorIndex(rows)
        ones = np.ones((2, 7), np.float32)
        shared = np.ones((1, 10 + len(rows)), np.float32)
        for call, error, message in (
                (lambda: index.search(ones.astype(np.float64)), TypeError, "queries is float64"),
                (lambda: index.search(ones.astype(">f4")), TypeError, "queries"),
                (lambda: index.search(ones.astype(complex)), TypeError, "queries"),
                (lambda: index.search(np.array(["a"])), TypeError, "queries"),
                (lambda: index.search(np.zeros(3, "datetime64[s]")), TypeError, "queries"),
                (lambda: index.search([[1.0] * 7]), TypeError, "queries is of type list"),
                (lambda: index.search(None), TypeError, "queries"),
                (lambda: index.search(ones[:, :6]), ValueError, "queries is float32 .2, 6."),
                (lambda: index.search(ones[None]), ValueError, "queries"),
                (lambda: index.search(np.zeros((1,) * 5, np.float32)), ValueError, "queries has 5 dimensions"),
                (lambda: index.search(np.float32(1)), ValueError, "queries"),
                (lambda: index.search(ones, 0), ValueError, "top is 0"),
                (lambda: index.search(ones, -1), ValueError, "top is -1"),
                (lambda: index.search(ones, 2.0), TypeError, "top is of type float"),
                (lambda: index.search(ones, 10**30), ValueError, "top is 1000"),
                (lambda: index.search(ones, 2**62), MemoryError, "results"),
                (lambda: index.search(ones, 2**40), MemoryError, "results"),
                (lambda: index.search(ones, metric="L2"), ValueError, "metric is 'L2'"),
                (lambda: index.search(ones, metric=2), TypeError, "metric"),
                (lambda: index.search(ones, space="gpu"), ValueError, "space is 'gpu'"),
                (lambda: index.search(ones, path="fast"), ValueError, "path is 'fast'"),
                (lambda: index.search(ones, copy=True), TypeError, "copy"),
                (lambda: index.search(ones, stream="x"), TypeError, "stream"),
                (lambda: index.search(ones, stream=True), TypeError, "stream"),
                (lambda: index.search(ones, stream=7), ValueError, "stream"),
                (lambda: index.score_all(shared[:, :7], out=shared[:, 6:6 + len(index)]), ValueError, "queries and out overlap"),
                (lambda: pykindred.row_scores(shared[:, :7], rows, out=shared[:, 6:6 + len(rows)]), ValueError, "queries and out overlap"),
                (lambda: pykindred.VectorIndex(rows, context=3), TypeError, "context"),
                (lambda: pykindred.VectorIndex(rows[0]), ValueError, "rows"),
                (lambda: pykindred.VectorIndex(rows[:, :0]), ValueError, "rows"),
                (lambda: pykindred.VectorIndex(rows.astype(np.int64)), TypeError, "rows is int64"),
                (lambda: pykindred.VectorIndex(rows.astype(np.int8)), ValueError, "scales"),
                (lambda: pykindred.VectorIndex(rows, scales=np.ones(30, np.float32)), ValueError, "scales"),
                (lambda: pykindred.VectorIndex(rows, residency="gpu"), ValueError, "residency"),
                (lambda: pykindred.VectorIndex(rows, element="float64"), ValueError, "element"),
                (lambda: pykindred.VectorIndex(rows, quantized_copy="yes"), TypeError, "quantized_copy"),
                (lambda: pykindred.VectorIndex(None), TypeError, "rows"),
                (lambda: index.add(rows[:, :6]), ValueError, "rows"),
                (lambda: index.add(rows.astype(np.float16)), ValueError, ""),
                (lambda: index.replace(99, rows[0]), KeyError, "99"),
                (lambda: index.replace(0, rows[0, :6]), ValueError, ""),
                (lambda: index.score(ones, np.zeros((2, 3), np.int32)), TypeError, "candidates"),
                (lambda: index.score(ones, np.zeros(3, np.int64)), ValueError, "candidates"),
                (lambda: index.remove("ab"), TypeError, "ids"),
                (lambda: index.remove(1.5), TypeError, "ids"),
                (lambda: index.remove(np.ones(2)), TypeError, "ids"),
                (lambda: index.save("/nonexistent/folder/file"), ValueError, "/nonexistent"),
                (lambda: index.save(3), TypeError, "path"),
                (lambda: pykindred.VectorIndex.load("/nonexistent"), KeyError, "/nonexistent"),
                (lambda: pykindred.VectorIndex.load(__file__), ValueError, "test_vector_index")):
            with self.subTest(message), self.assertRaisesRegex(error, message) as raised:
                call()
            self.assertIsInstance(raised.exception, pykindred.Error)
        self.assertEqual(len(index), 30)

    @unittest.skipIf(pykindred.default_context().spaces()["cuda"]["usable"], "the made-up device would be used")
    def test_arrays_on_a_device_that_is_not_used_are_refused(self):
        rows = vectors("rows", 30, 7)
        index = pykindred.VectorIndex(rows, context=pykindred.Context(space="serial"))
        queries, out = Exported(rows, device=0), (Exported(np.zeros((30, 3), np.float32), 0), Exported(np.zeros((30, 3), np.int64), 0))
        with self.assertRaises(pykindred.Error):
            index.search(queries, 3, out=out, stream=64)
        self.assertEqual(queries.streams, [64])
        with self.assertRaises(pykindred.Error):
            index.search(queries, 3, out=out)
        self.assertEqual(queries.streams[1:], [1])  # the default stream of CUDA
        with self.assertRaisesRegex(pykindred.InvalidArgument, "out="):
            index.search(queries, 3)
        with self.assertRaises(pykindred.InvalidArgument):  # mixed
            index.search(rows, 3, out=out)
        with self.assertRaises(pykindred.InvalidArgument):
            index.add(queries)

    def test_files(self):
        rows, queries = vectors("rows", 50, 7), vectors("queries", 3, 7)
        index = pykindred.VectorIndex(rows)
        index.remove([0, 9])
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "vectors")
            index.save(path)
            loaded = pykindred.VectorIndex.load(path, threads=1)
            np.testing.assert_array_equal(loaded.search(queries, 5)[1], index.search(queries, 5)[1])
            self.assertEqual(loaded.add(rows[:1]), range(50, 51))
            data = bytearray(path.read_bytes())
            data[len(data) // 2] ^= 1
            path.write_bytes(data)
            with self.assertRaises(pykindred.CorruptFile) as raised:
                pykindred.VectorIndex.load(path)
            self.assertEqual(raised.exception.path, str(path))
            self.assertEqual(pickle.loads(pickle.dumps(raised.exception)).why, raised.exception.why)

    def test_pickles_of_earlier_versions_are_read(self):
        index = pykindred.VectorIndex(vectors("rows", 5, 7))
        pickled = (b"cpykindred._vector\n_restored\n(cpykindred._vector\nVectorIndex\n" + pickle.dumps(index.to_bytes(), 2)[2:-1] +
                   pickle.dumps("host", 2)[2:-1] + b"I00\ntR.")
        self.assertEqual(pickle.loads(pickled).to_bytes(), index.to_bytes())

    def test_pickles_and_copies_hold_the_same(self):
        rows, queries = vectors("rows", 50, 7), vectors("queries", 3, 7)
        index = pykindred.VectorIndex(rows, residency="host", quantized_copy=False)
        index.remove([1])
        expected = index.search(queries, 5)
        buffers = []
        for other in (*(pickle.loads(pickle.dumps(index, protocol)) for protocol in range(2, 6)), copy.copy(index), copy.deepcopy(index),
                      pickle.loads(pickle.dumps(index, 5, buffer_callback=buffers.append), buffers=buffers)):
            found = other.search(queries, 5)
            np.testing.assert_array_equal(found[1], expected[1])
            self.assertTrue(equal_bits(found[0], expected[0]))
            np.testing.assert_array_equal(other.ids, index.ids)
            other.remove([2])
        self.assertEqual((len(index), len(buffers)), (49, 1))

    def test_a_closed_index_says_so(self):
        rows = vectors("rows", 50, 7)
        with pykindred.VectorIndex(rows) as index:
            self.assertEqual(repr(index), "<pykindred.VectorIndex: 50 rows of 7 float32>")
        index.close()
        self.assertEqual(repr(index), "<pykindred.VectorIndex: closed>")
        for call in (lambda: index.search(rows), lambda: len(index), lambda: index.add(rows), lambda: index.statistics(), lambda: index.ids):
            with self.assertRaisesRegex(pykindred.Error, "the index is closed"):
                call()


class Rows(unittest.TestCase):
    def test_rows_without_an_index_have_the_same_bits(self):
        for count in SIZES:
            rows, queries = vectors("rows", count, 9), vectors("queries", 3, 9)
            for metric in METRICS:
                for given in (rows, rows.astype(np.float16)):
                    index = pykindred.VectorIndex(given)
                    scores = pykindred.row_scores(queries, given, metric=metric)
                    self.assertTrue(equal_bits(scores, index.score_all(queries, metric=metric)))
                    found, expected = pykindred.top_rows(queries, given, 5, metric=metric), index.search(queries, 5, metric=metric)
                    np.testing.assert_array_equal(found[1], expected[1])
                    self.assertTrue(equal_bits(found[0], expected[0]))

    def test_rows_are_read_where_they_are(self):
        wide = vectors("wide", 40, 30)
        rows = wide[::2, 3:12]
        for given in (rows, Exported(rows), np.asfortranarray(rows)):
            np.testing.assert_array_equal(pykindred.row_scores(wide[0, :9], given), pykindred.row_scores(wide[0, :9], rows.copy()))
        with self.assertRaisesRegex(pykindred.InvalidArgument, "^rows is"):
            pykindred.row_scores(wide[0, :9], np.asfortranarray(rows), copy=False)
        out = np.zeros(20, np.float32)
        self.assertIs(pykindred.row_scores(wide[0, :9], rows, out=out), out)
        with self.assertRaises(pykindred.InvalidArgument):
            pykindred.top_rows(wide[0, :9], rows, 0)
        with self.assertRaises(pykindred.InvalidArgument):
            pykindred.row_scores(wide[0, :8], rows)
        with self.assertRaisesRegex(pykindred.InvalidType, "^rows is"):
            pykindred.row_scores(wide[0, :9], rows.astype(np.float64))


if __name__ == "__main__":
    unittest.main()
