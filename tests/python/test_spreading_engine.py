# SPDX-License-Identifier: Apache-2.0
import array
import collections.abc
import gc
import math
import sys
import unittest

import numpy as np

import pykindred
from pykindred import SpreadingEngine
from support import Exported, check_refusals, generator

CONSTANT = ("constant", 1.0)


def graph(name, nodes, edges):
    """Sources, targets and weights in [0, 1]."""
    random = generator(name)
    return (*random.integers(0, max(nodes, 1), (2, edges)), random.random(edges, np.float32))


class Spreading(unittest.TestCase):
    def test_hops_are_products_with_the_matrix(self):
        for nodes in (0, 1, 33):
            sources, targets, weights = given = graph("graph", nodes, 5 * nodes)
            matrix = np.zeros((nodes, nodes))
            np.add.at(matrix, (sources, targets), weights.astype(float))
            order = np.argsort(sources, kind="stable")
            indptr = np.cumsum([0, *np.bincount(sources, minlength=nodes)])
            ends, data = targets[order], weights[order]
            self.assertEqual(len(SpreadingEngine(nodes, *given)), nodes)
            for engine in (SpreadingEngine(nodes, *given), *(
                    SpreadingEngine.from_csr(offsets, indices, data, copy=copies)
                    for offsets in (indptr, indptr.astype(np.int32))
                    for kind in (np.int32, np.uint32)
                    for indices in (ends.astype(kind), Exported(ends.astype(kind)))
                    for copies in (True, False))):
                self.assertEqual((engine.nodes, engine.edges), (nodes, 5 * nodes))
                for shape in ((nodes,), (nodes, 3)):
                    x = generator("x").random(shape, np.float32)
                    against = engine.hop(x, direction="against", space="serial")
                    np.testing.assert_allclose(engine.hop(x), matrix.T @ x, rtol=1e-6)
                    np.testing.assert_allclose(against, matrix @ x, rtol=1e-6)
        self.assertEqual(pykindred.last_record().operation, "spread")
        ones = SpreadingEngine.from_csr(indptr, ends.astype(np.int32))
        np.testing.assert_array_equal(ones.hop(x[:, 0] * 0 + 1), np.bincount(ends, minlength=33))

    def test_rows_are_copied_or_kept(self):
        indptr, indices, data = np.int64([0, 1, 1]), np.int32([1]), np.float32([0.5])
        copied, x = SpreadingEngine.from_csr(indptr, indices, data), np.ones(2, np.float32)
        before = sys.getrefcount(data)
        kept = SpreadingEngine.from_csr(indptr, indices, data, copy=False)
        self.assertGreater(sys.getrefcount(data), before)
        indices[0] = 10**9
        np.testing.assert_array_equal(copied.hop(x), [0, 0.5])
        indices[0] = 1
        np.testing.assert_array_equal(kept.hop(x), [0, 0.5])
        kept.close()
        gc.collect()
        self.assertEqual(sys.getrefcount(data), before)
        gaps = np.int32([1, 9, 0])[::2]
        check_refusals(self, (lambda: SpreadingEngine.from_csr(indptr * 2, gaps, copy=False),
                              ValueError, "indices"))

    def test_options_of_spreads(self):
        weights = np.float32([0.8, 0.8, 0.02, 0.01])
        engine = SpreadingEngine(4, [0, 1, 0, 2], [2, 2, 3, 3], weights)

        def ids(*given, **options):
            return [row[1].tolist() for row in engine.spread(*given, decay=CONSTANT, **options)]
        self.assertEqual(ids([[0, 1]], hops=1), [[0, 1, 2]])
        self.assertEqual(ids([[0, 1]], hops=1, threshold=0.01), [[0, 1, 2, 3]])
        self.assertEqual(ids([0], hops=0), [[0]])
        self.assertEqual(ids([[0, 1]], 2, hops=1), [[0, 1]])
        queries = [pykindred.SpreadQuery(hops=0),
                   pykindred.SpreadQuery(hops=1, decay=CONSTANT, threshold=0.5)]
        self.assertEqual(ids([0, 0], per_query=queries), [[0], [0, 2]])
        chain = SpreadingEngine(3, [0, 1], [1, 2])
        for decay, factor in (("exponential", math.exp(-0.6)), ("power", 6**-0.2), ("linear", 0.48),
                              ("constant", 0.04)):  # of both hops
            found = chain.spread([0], mode="linear", hops=2, decay=(decay, 0.2), threshold=0)
            scores = dict(zip(found.ids.tolist(), found.scores.tolist()))
            self.assertAlmostEqual(scores[2], factor, places=6)
        found = engine.spread([{0: 1.0}], None, mode="pagerank", tolerance=1e-6)
        self.assertEqual((found.iterations.dtype, found.residuals.dtype), (np.uint32, np.float64))
        self.assertLessEqual(found.residuals[0], 1e-6)

    def test_a_query_is_a_mapping_an_array_a_sequence_or_a_node(self):
        engine = SpreadingEngine(6, [0, 1], [1, 2])

        class Weighted(collections.abc.Mapping):
            def __getitem__(self, node):
                return {4: 0.5, 2: 1}[node]

            def __iter__(self):
                return iter([4, 2])

            def __len__(self):
                return 2

        def sources_of(queries):
            return [dict(zip(ids.tolist(), scores.tolist(), strict=True))
                    for scores, ids in engine.spread(queries, mode="linear", hops=0, top=None)]
        ragged = pykindred.Ragged(np.int64([0, 2, 2]), np.int64([4, 2]), np.float32([1, 0.5]))
        self.assertEqual(sources_of(ragged), [{4: 1, 2: 0.5}, {}])
        numbers = [4, 2]
        kinds = (np.int8, np.uint16, np.int32, np.uint32, np.int64, np.uint64, ">i4")
        for query in (numbers, (4, 2), iter(numbers), range(4, 0, -2), {4: 1, 2: 1.0},
                      {4: np.float64(1), 2: np.float32(1)}, np.array([[4], [2]]),
                      np.int64([4, 0, 2])[::2], *(np.array(numbers, kind) for kind in kinds),
                      array.array("q", numbers), array.array("H", numbers), bytearray(numbers),
                      memoryview(bytes(numbers))):
            with self.subTest(query=query):
                self.assertEqual(sources_of([query]), [{4: 1, 2: 1}])
        self.assertEqual(sources_of([Weighted(), 3, np.int8(5), np.array(1), [], {}]),
                         [{4: 0.5, 2: 1}, {3: 1}, {5: 1}, {1: 1}, {}, {}])
        self.assertEqual(sources_of(np.array([[0, 1], [2, 3]])), [{0: 1, 1: 1}, {2: 1, 3: 1}])
        self.assertEqual(sources_of(iter([0, [1]])), [{0: 1}, {1: 1}])
        self.assertEqual(sources_of([]), [])
        for queries, error in (
                ([{0: None}], TypeError), ([{0: "1"}], TypeError), ([{"a": 1}], TypeError),
                ([b"ab"], TypeError), ("ab", TypeError), (Weighted(), TypeError), (0, TypeError),
                ([np.array([-1])], ValueError), ([[2**32]], ValueError), ([[2**70]], ValueError),
                ([np.float32([1])], TypeError), ({0: 1.0}, TypeError)):
            check_refusals(self, (lambda: engine.spread(queries), error, "sources"))

    def test_arrays(self):
        engine = SpreadingEngine(50, *graph("graph", 50, 200))
        offsets, nodes = np.int64([0, 2, 2, 3]), np.int32([1, 7, 9])
        values = np.float32([1, 0.5, 1])
        expected = engine.spread(pykindred.Ragged(offsets, nodes.astype(np.int64), values), top=60)
        for given in (offsets, offsets.astype(np.int32)):
            scores, ids = engine.spread_arrays(given, nodes, values, 60)
            self.assertEqual((scores.dtype, ids.dtype), (np.float32, np.int32))
            for row, (row_scores, row_ids) in enumerate(expected):
                rest = 60 - len(row_ids)
                np.testing.assert_array_equal(ids[row], [*row_ids, *[-1] * rest])
                np.testing.assert_array_equal(scores[row], [*row_scores, *[0] * rest])

    def test_paths(self):
        engine = SpreadingEngine(3, [0, 1, 0], [1, 2, 2], np.float32([0.5, 0.5, 0.125]))
        found = engine.spread([{0: 1.0}], mode="linear", hops=2, decay=CONSTANT, threshold=0,
                              trace_paths=5)
        place = found.ids.tolist().index(2)
        self.assertEqual(found.paths(place), [(0.25, [(0, 1, 0.5, 0.5), (1, 2, 0.5, 0.25)]),
                                              (0.125, [(0, 2, 0.125, 0.125)])])
        self.assertEqual(found.paths(0), [(1.0, [])])
        with self.assertRaises(IndexError):
            found.paths(3)
        with self.assertRaisesRegex(ValueError, "trace_paths"):
            engine.spread([0]).paths(0)

    def test_kinds_names_and_modifiers(self):
        engine = SpreadingEngine(3, [0, 1], [1, 2], np.float32([0.5, 0.5]),
                                 edge_kinds=np.uint8([0, 7]), node_kinds=np.uint8([0, 1, 1]),
                                 names=["a", "ä☃", b"\x80"])
        x, modifiers = np.ones(3, np.float32), pykindred.SpreadModifiers.engram
        self.assertEqual((engine.find("ä☃"), engine.find("x")), (1, None))
        self.assertEqual(engine.name(2), "\udc80")
        self.assertEqual([one in engine for one in ("a", 2, 3, None)], [True, True, False, False])
        np.testing.assert_array_equal(engine.hop(x, kinds=[7]), [0, 0, 0.5])
        for given, last in ((modifiers(), 0.15), (modifiers("inverse"), 0.18)):
            np.testing.assert_allclose(engine.hop(x, modifiers=given), [0, 0.3, last], rtol=1e-6)
        self.assertEqual(engine.add_nodes(["a", "new"], kinds=np.uint8([0, 1])).tolist(), [0, 3])
        unweighted = SpreadingEngine(2, [0], [1], stored_weights="none")
        self.assertEqual(unweighted.statistics()["weights"], "none")
        self.assertEqual(unweighted.hop(x[:2]).tolist(), [0, 1])

    def test_changes_equal_a_new_graph(self):
        sources, targets, weights = graph("graph", 30, 150)
        engine = SpreadingEngine(20, sources[:0], targets[:0], background_merge=False)
        self.assertEqual(engine.add_nodes(10).tolist(), list(range(20, 30)))
        for part in (slice(100), slice(100, None)):
            engine.add_edges(sources[part], targets[part], weights[part])
        pair = (sources == sources[0]) & (targets == targets[0])
        self.assertEqual(engine.remove_edges(sources[:1], targets[:1]), pair.sum())
        x = generator("x").random(30, np.float32)
        expected = SpreadingEngine(30, sources[~pair], targets[~pair], weights[~pair]).hop(x)
        np.testing.assert_array_equal(engine.hop(x), expected)
        engine.merge()
        np.testing.assert_array_equal(engine.hop(x), expected)
        self.assertEqual(repr(engine),
                         f"<pykindred.SpreadingEngine: 30 nodes, {engine.edges} edges>")
        engine.remove_nodes([3])
        removed = engine.statistics()["removed_nodes"]
        self.assertEqual((3 in engine, engine.nodes, removed), (False, 30, 1))
        with self.assertRaises(KeyError):
            engine.remove_nodes([4, 3])
        self.assertIn(4, engine)


if __name__ == "__main__":
    unittest.main()
