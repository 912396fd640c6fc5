# SPDX-License-Identifier: Apache-2.0
import array
import collections.abc
import copy
import gc
import pickle
import sys
import tempfile
import threading
import unittest
from pathlib import Path

import numpy as np

import pykindred
from support import Exported, generator, run
from watchdog import watch

CONSTANT = ("constant", 1.0)


def graph(name, nodes, edges):
    """Sources, targets and weights in [0, 1]."""
    random = generator(name)
    count = edges if nodes else 0
    return (random.integers(0, max(nodes, 1), count), random.integers(0, max(nodes, 1), count), random.random(count, np.float32))


def dense(nodes, sources, targets, weights):
    matrix = np.zeros((nodes, nodes))
    np.add.at(matrix, (sources, targets), weights.astype(float))
    return matrix


def rows(nodes, sources, targets, weights):
    """The same graph as compressed sparse rows."""
    order = np.argsort(sources, kind="stable")
    return np.cumsum([0, *np.bincount(sources, minlength=nodes)]), targets[order].astype(np.int32), weights[order]


class SpreadingEngine(unittest.TestCase):
    def test_hops_are_products_with_the_matrix(self):
        for nodes in (0, 1, 2, 3, 33, 100):
            given = graph("graph", nodes, 5 * nodes)
            engine, matrix = pykindred.SpreadingEngine(nodes, *given), dense(nodes, *given)
            self.assertEqual((engine.nodes, engine.edges, len(engine)), (nodes, len(given[0]), nodes))
            for shape in ((nodes,), (nodes, 3)):
                x = generator("x").random(shape, np.float32)
                along, against = engine.hop(x), engine.hop(x, direction="against", space="serial")
                np.testing.assert_allclose(along, matrix.T @ x, rtol=1e-6)
                np.testing.assert_allclose(against, matrix @ x, rtol=1e-6)
                out = np.full(shape, np.nan, np.float32)
                self.assertIs(engine.hop(Exported(x), out=out), out)
                np.testing.assert_array_equal(out, along)
                np.testing.assert_array_equal(engine.hop(np.asfortranarray(x)), along)
        self.assertEqual(pykindred.last_record().operation, "spread")

    def test_rows_give_the_graph_of_their_edges(self):
        given = graph("graph", 40, 200)
        indptr, indices, data = rows(40, *given)
        engine = pykindred.SpreadingEngine(40, np.repeat(np.arange(40), np.diff(indptr)), indices, data)
        x = generator("x").random(40, np.float32)
        for offsets in (indptr, indptr.astype(np.int32)):
            for ends in (indices, indices.astype(np.uint32), Exported(indices)):
                for copies in (True, False):
                    other = pykindred.SpreadingEngine.from_csr(offsets, ends, data, copy=copies)
                    np.testing.assert_array_equal(other.hop(x), engine.hop(x))
        ones = pykindred.SpreadingEngine.from_csr(indptr, indices)
        np.testing.assert_allclose(ones.hop(x), dense(40, given[0], given[1], np.ones(200, np.float32)).T @ x, rtol=1e-6)

    def test_rows_are_copied_or_kept(self):
        indptr, indices, data = np.int64([0, 1, 1]), np.int32([1]), np.float32([0.5])
        copied = pykindred.SpreadingEngine.from_csr(indptr, indices, data)
        before = sys.getrefcount(data)
        kept = pykindred.SpreadingEngine.from_csr(indptr, indices, data, copy=False)
        self.assertGreater(sys.getrefcount(data), before)
        indices[0] = 10**9
        np.testing.assert_array_equal(copied.hop(np.float32([1, 1])), [0, 0.5])
        indices[0] = 1
        np.testing.assert_array_equal(kept.hop(np.float32([1, 1])), [0, 0.5])
        kept.close()
        gc.collect()
        self.assertEqual(sys.getrefcount(data), before)
        with self.assertRaisesRegex(ValueError, "indices"):
            pykindred.SpreadingEngine.from_csr(np.int64([0, 2, 2]), np.int32([1, 9, 0])[::2], copy=False)
        run("""
            import numpy, pykindred
            kept = pykindred.SpreadingEngine.from_csr(numpy.int64([0, 1, 1]), numpy.int32([1]), copy=False)
        """)

    def test_linear_spreads_are_sums_of_products(self):
        for nodes in (1, 2, 33, 100):
            given = graph("graph", nodes, 3 * nodes)
            engine, matrix = pykindred.SpreadingEngine(nodes, *given), dense(nodes, *given)
            queries = [{0: 0.5, nodes - 1: 0.25}, np.array([nodes - 1]), [0], 0, []]
            found = engine.spread(queries, mode="linear", hops=3, decay=("power", 1.0), threshold=0, top=None)
            for query, (scores, ids) in zip(queries, found, strict=True):
                x = np.zeros(nodes)
                for node, value in query.items() if isinstance(query, dict) else [(node, 1) for node in np.ravel(query).astype(int)]:
                    x[node] += value
                total = x.copy()
                for hop in range(1, 4):
                    x = matrix.T @ x / (hop + 1)
                    total += x
                self.assertEqual(sorted(ids.tolist()), np.flatnonzero(total).tolist())
                np.testing.assert_allclose(scores, total[ids], rtol=1e-5)
                self.assertEqual(scores.tolist(), sorted(scores.tolist(), reverse=True))
            again = pykindred.Ragged(np.int64([0, 1]), np.int64([nodes - 1]), np.float32([1]))
            np.testing.assert_array_equal(engine.spread(again, mode="linear", hops=3, decay=("power", 1.0), threshold=0, top=None)[0][0], found[1][0])

    def test_engine_mode_saturates_and_has_thresholds(self):
        engine = pykindred.SpreadingEngine(4, [0, 1, 0, 2], [2, 2, 3, 3], np.float32([0.8, 0.8, 0.02, 0.01]))
        found = engine.spread([{0: 1.0, 1: 1.0}], hops=1, decay=CONSTANT)
        self.assertEqual((found[0][1].tolist(), found[0][0].tolist()), ([0, 1, 2], [1, 1, 1]))
        self.assertEqual(engine.spread([[0, 1]], hops=1, decay=CONSTANT, threshold=0.01)[0][1].tolist(), [0, 1, 2, 3])
        self.assertEqual(len(engine.spread([0], hops=0)[0][1]), 1)
        self.assertEqual(engine.spread([[0, 1]], 2, hops=1, decay=CONSTANT)[0][1].tolist(), [0, 1])
        queries = [pykindred.SpreadQuery(hops=0), pykindred.SpreadQuery(hops=1, decay=CONSTANT, threshold=0.5)]
        self.assertEqual([ids.tolist() for _, ids in engine.spread([0, 0], per_query=queries)], [[0], [0, 2]])

    def test_a_query_is_a_mapping_an_array_a_sequence_or_a_node(self):
        engine = pykindred.SpreadingEngine(6, [0, 1], [1, 2])

        class Weighted(collections.abc.Mapping):
            def __getitem__(self, node):
                return {4: 0.5, 2: 1}[node]

            def __iter__(self):
                return iter([4, 2])

            def __len__(self):
                return 2

        def sources_of(queries):
            return [dict(zip(ids.tolist(), scores.tolist(), strict=True)) for scores, ids in engine.spread(queries, mode="linear", hops=0, top=None)]

        numbers = [4, 2]
        for query in (numbers, (4, 2), iter(numbers), range(4, 0, -2), {4: 1, 2: 1.0}, {4: np.float64(1), 2: np.float32(1)}, numbers[::1],
                      *(np.array(numbers, kind) for kind in (np.int8, np.uint16, np.int32, np.uint32, np.int64, np.uint64)),
                      np.array([[4], [2]]), np.int64([4, 0, 2])[::2], np.asfortranarray(numbers), np.array(numbers, ">i4"),
                      array.array("q", numbers), array.array("H", numbers), bytearray(numbers), memoryview(bytes(numbers))):
            with self.subTest(query=query):
                self.assertEqual(sources_of([query]), [{4: 1, 2: 1}])
        self.assertEqual(sources_of([Weighted(), 3, np.int8(5), np.array(1), [], {}]), [{4: 0.5, 2: 1}, {3: 1}, {5: 1}, {1: 1}, {}, {}])
        self.assertEqual(sources_of(np.array([[0, 1], [2, 3]])), [{0: 1, 1: 1}, {2: 1, 3: 1}])
        self.assertEqual(sources_of(iter([0, [1]])), [{0: 1}, {1: 1}])
        self.assertEqual(sources_of([]), [])
        for queries, error in (([{0: None}], TypeError), ([{0: "1"}], TypeError), ([{"a": 1}], TypeError), ([b"ab"], TypeError), ("ab", TypeError),
                               (Weighted(), TypeError), ([[-1]], ValueError), ([np.array([-1])], ValueError), ([[2**32]], ValueError),
                               ([[2**70]], ValueError), ([np.float32([1])], TypeError), (None, TypeError)):
            with self.subTest(queries=queries), self.assertRaisesRegex(error, "sources") as raised:
                engine.spread(queries)
            self.assertIsInstance(raised.exception, pykindred.Error)

    def test_pagerank_is_the_fixed_point(self):
        nodes = 30
        sources, targets, weights = graph("graph", nodes, 120)
        sources = np.concatenate([sources, np.arange(nodes)])  # every node has an edge
        targets = np.concatenate([targets, (np.arange(nodes) + 1) % nodes])
        weights = np.concatenate([weights, np.ones(nodes, np.float32)])
        engine = pykindred.SpreadingEngine(nodes, sources, targets, weights)
        found = engine.spread([{3: 1.0, 5: 3.0}], mode="pagerank", tolerance=1e-10, damping=0.8, top=None)
        scores, ids = found[0]
        matrix = dense(nodes, sources, targets, weights)
        matrix /= matrix.sum(1, keepdims=True)
        restart, p = np.zeros(nodes), np.full(nodes, 1 / nodes)
        restart[[3, 5]] = 0.25, 0.75
        for _ in range(300):
            p = 0.8 * matrix.T @ p + 0.2 * restart
        np.testing.assert_allclose(scores, p[ids], rtol=1e-5)
        self.assertEqual((len(ids), found.iterations.dtype, found.residuals[0] <= 1e-10), (nodes, np.uint32, True))

    def test_arrays(self):
        given = graph("graph", 50, 200)
        engine = pykindred.SpreadingEngine(50, *given)
        offsets, nodes, values = np.int64([0, 2, 2, 3]), np.int32([1, 7, 9]), np.float32([1, 0.5, 1])
        expected = engine.spread(pykindred.Ragged(offsets, nodes.astype(np.int64), values), top=60)
        out = (np.zeros((3, 60), np.float32), np.zeros((3, 60), np.int32))
        for found in (engine.spread_arrays(offsets, nodes, values, 60), engine.spread_arrays(Exported(offsets.astype(np.int32)), nodes, values, 60, out=out)):
            self.assertEqual((found[0].dtype, found[1].dtype), (np.float32, np.int32))
            for row, (scores, ids) in enumerate(expected):
                count = len(ids)
                np.testing.assert_array_equal(found[1][row], [*ids, *[-1] * (60 - count)])
                np.testing.assert_array_equal(found[0][row], [*scores, *[0] * (60 - count)])

    def test_paths(self):
        engine = pykindred.SpreadingEngine(3, [0, 1, 0], [1, 2, 2], np.float32([0.5, 0.5, 0.125]))
        found = engine.spread([{0: 1.0}], mode="linear", hops=2, decay=CONSTANT, threshold=0, trace_paths=5)
        place = found.ids.tolist().index(2)
        self.assertEqual(found.paths(place), [(0.25, [(0, 1, 0.5, 0.5), (1, 2, 0.5, 0.25)]), (0.125, [(0, 2, 0.125, 0.125)])])
        self.assertEqual(found.paths(0), [(1.0, [])])
        with self.assertRaises(IndexError):
            found.paths(3)
        with self.assertRaisesRegex(ValueError, "trace_paths"):
            engine.spread([0]).paths(0)

    def test_kinds_names_and_modifiers(self):
        engine = pykindred.SpreadingEngine(3, [0, 1], [1, 2], np.float32([0.5, 0.5]), edge_kinds=np.uint8([0, 7]), node_kinds=np.uint8([0, 1, 1]),
                                           names=["a", "ä☃", b"\x80"])
        x = np.ones(3, np.float32)
        self.assertEqual((engine.find("ä☃"), engine.find("x"), engine.name(2), "a" in engine, 2 in engine, 3 in engine, None in engine),
                         (1, None, "\udc80", True, True, False, False))
        np.testing.assert_array_equal(engine.hop(x, kinds=[7]), [0, 0, 0.5])
        np.testing.assert_allclose(engine.hop(x, modifiers=pykindred.SpreadModifiers.engram()), [0, 0.3, 0.15], rtol=1e-6)
        np.testing.assert_allclose(engine.hop(x, modifiers=pykindred.SpreadModifiers.engram("inverse")), [0, 0.3, 0.18], rtol=1e-6)
        self.assertEqual(engine.add_nodes(["a", "new"], kinds=np.uint8([0, 1])).tolist(), [0, 3])
        unweighted = pykindred.SpreadingEngine(2, [0], [1], stored_weights="none")
        self.assertEqual((unweighted.statistics()["weights"], unweighted.hop(x[:2]).tolist()), ("none", [0, 1]))

    def test_changes_equal_a_new_graph(self):
        sources, targets, weights = graph("graph", 30, 150)
        engine = pykindred.SpreadingEngine(20, sources[:0], targets[:0], background_merge=False)
        self.assertEqual(engine.add_nodes(10).tolist(), list(range(20, 30)))
        engine.add_edges(sources[:100], targets[:100], weights[:100])
        engine.add_edges(sources[100:], targets[100:], weights[100:])
        pair = (sources == sources[0]) & (targets == targets[0])
        self.assertEqual(engine.remove_edges(sources[:1], targets[:1]), pair.sum())
        x = generator("x").random(30, np.float32)
        expected = pykindred.SpreadingEngine(30, sources[~pair], targets[~pair], weights[~pair])
        np.testing.assert_array_equal(engine.hop(x), expected.hop(x))
        engine.merge()
        np.testing.assert_array_equal(engine.hop(x), expected.hop(x))
        engine.remove_nodes([3])
        self.assertEqual((3 in engine, engine.nodes, engine.statistics()["removed_nodes"]), (False, 30, 1))
        with self.assertRaises(KeyError):
            engine.remove_nodes([4, 3])
        self.assertIn(4, engine)

    def test_files_and_pickles(self):
        given = graph("graph", 50, 200)
        engine = pykindred.SpreadingEngine(50, *given, names=[f"node {node}" for node in range(50)])
        x = generator("x").random(50, np.float32)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "graph")
            engine.save(path)
            self.assertEqual(pykindred.SpreadingEngine.inspect(path)["edges"], 200)
            for other in (pykindred.SpreadingEngine.load(path), pickle.loads(pickle.dumps(engine, 5)), pickle.loads(pickle.dumps(engine, 2)),
                          copy.copy(engine)):
                np.testing.assert_array_equal(other.hop(x), engine.hop(x))
                self.assertEqual((other.find("node 7"), repr(other)), (7, "<pykindred.SpreadingEngine: 50 nodes, 200 edges>"))
            path.write_bytes(path.read_bytes()[:-1])
            with self.assertRaises(pykindred.CorruptFile):
                pykindred.SpreadingEngine.load(path)
            with self.assertRaises(pykindred.NotFound):
                pykindred.SpreadingEngine.load(Path(folder, "none"))

    def test_changes_during_spreads(self):
        watch(self)
        engine, failures, done = pykindred.SpreadingEngine(100, [0], [1], np.float32([0.5])), [], threading.Event()

        def read():
            try:
                while not done.is_set():
                    self.assertEqual(engine.spread([0], hops=1, decay=CONSTANT)[0][1].tolist(), [0, 1])
            except Exception as error:
                failures.append(error)
        threads = [threading.Thread(target=read) for _ in range(3)]
        for thread in threads:
            thread.start()
        for node in range(2, 90):
            engine.add_edges([node], [node + 1])
        done.set()
        for thread in threads:
            thread.join()
        self.assertEqual((failures, engine.edges), ([], 89))

    def test_wrong_arguments_are_named(self):
        make, csr = pykindred.SpreadingEngine, pykindred.SpreadingEngine.from_csr
        engine, x = make(3, [0, 1], [1, 2], np.float32([0.5, 2])), np.ones(3, np.float32)
        ints, one = np.int64([0, 1]), np.int32([0])
        read_only = np.ones(3, np.float32)
        read_only.flags.writeable = False
        for call, error, message in ((lambda: make(-1, [], []), ValueError, "nodes is -1"), (lambda: make(2, [0], [2]), ValueError, "2"),
                                     (lambda: make(2, [0], []), ValueError, "sources has 1"), (lambda: make(2, [0.5], [1]), TypeError, "sources"),
                                     (lambda: make(2, [2**40], [1]), ValueError, "sources"), (lambda: make(2, [-1], [1]), ValueError, "sources"),
                                     (lambda: make(2, [0], [1], np.ones(1)), TypeError, "weights is float64"),
                                     (lambda: make(2, [0], [1], x), ValueError, "weights is float32 .3."),
                                     (lambda: make(2, [0], [1], np.float32([np.nan])), ValueError, "finite"),
                                     (lambda: make(2, [0], [1], edge_kinds=np.int64([1])), TypeError, "edge_kinds"),
                                     (lambda: make(2, [0], [1], node_kinds=np.uint8([1])), ValueError, "node_kinds"),
                                     (lambda: make(2, [0], [1], names=["a", "a"]), ValueError, "a"), (lambda: make(2, [0], [1], names="ab"), TypeError, "names"),
                                     (lambda: make(2, [0], [1], names=["a"]), ValueError, "name"), (lambda: make(2, [], [], merge_share="x"), TypeError, "merge_share"),
                                     (lambda: make(2, [0], [1], stored_weights="x"), ValueError, "stored_weights"),
                                     (lambda: make(2**50, [], []), (ValueError, MemoryError), ""),
                                     (lambda: csr(np.ones(2), one), TypeError, "indptr"), (lambda: csr(ints, ints), TypeError, "indices"),
                                     (lambda: csr(ints, one, np.ones(1)), TypeError, "data"), (lambda: csr(ints, np.int32([5])), ValueError, "5"),
                                     (lambda: csr(np.int64([0, 7]), one), ValueError, ""), (lambda: csr(ints[:0], one), ValueError, ""),
                                     (lambda: csr(ints, one, copy=None), TypeError, "copy"),
                                     (lambda: engine.hop(x.astype(float)), TypeError, "x is float64"), (lambda: engine.hop(x[:2]), ValueError, "2"),
                                     (lambda: engine.hop(x, out=x), ValueError, "overlap"), (lambda: engine.hop(x, out=np.ones(2, np.float32)), ValueError, ""),
                                     (lambda: engine.hop(x, out=read_only), ValueError, "out is read-only"),
                                     (lambda: engine.hop(np.ones((3, 2, 2), np.float32)), ValueError, "x is"),
                                     (lambda: engine.hop(np.ones(6, np.float32)[::2], copy=False), ValueError, "x is"),
                                     (lambda: engine.hop(x, direction="up"), ValueError, "direction"), (lambda: engine.hop(x, kinds=[256]), ValueError, "kinds"),
                                     (lambda: engine.hop(x, modifiers=3), TypeError, "modifiers"),
                                     (lambda: engine.hop(x, modifiers=pykindred.SpreadModifiers(np.ones((2, 2)))), ValueError, "strengths"),
                                     (lambda: engine.hop(x, stream=1), ValueError, "stream"), (lambda: engine.hop(Exported(x, 0)), (ValueError, RuntimeError), ""),
                                     (lambda: engine.spread(0), TypeError, "sources is of type int"), (lambda: engine.spread({0: 1.0}), TypeError, "sources"),
                                     (lambda: engine.spread(["a"]), TypeError, "sources"), (lambda: engine.spread([[0.5]]), TypeError, "sources"),
                                     (lambda: engine.spread([{0: "x"}]), TypeError, "sources"), (lambda: engine.spread([0]), ValueError, "weight"),
                                     (lambda: engine.spread([9], mode="linear"), ValueError, "9"), (lambda: engine.spread([0], mode="x"), ValueError, "mode"),
                                     (lambda: engine.spread([0], top=0), ValueError, "top is 0"), (lambda: engine.spread([0], decay="linear"), TypeError, "decay"),
                                     (lambda: engine.spread([0], decay=("x", 1)), ValueError, "decay"), (lambda: engine.spread([0], mode="linear", per_query=[3]), TypeError, "per_query"),
                                     (lambda: engine.spread([0], mode="pagerank", damping=1), ValueError, "damping"),
                                     (lambda: engine.spread(pykindred.Ragged(np.int64([0, 9]), ints, x[:2]), mode="linear"), ValueError, ""),
                                     (lambda: engine.spread_arrays(ints, ints, x), TypeError, "nodes"), (lambda: engine.spread_arrays(ints[:0], one, x[:1]), ValueError, "offsets"),
                                     (lambda: engine.spread_arrays(ints, one, x[:1], 2**50, mode="linear"), MemoryError, ""),
                                     (lambda: engine.add_edges([0], [3]), ValueError, "3"), (lambda: engine.remove_edges([2], [0]), KeyError, ""),
                                     (lambda: engine.remove_nodes([3]), KeyError, "3"), (lambda: engine.add_nodes(2, kinds=np.uint8([1])), ValueError, "kinds"),
                                     (lambda: engine.add_nodes(["a"]), ValueError, ""), (lambda: engine.name(0), KeyError, "")):
            with self.subTest(message), self.assertRaisesRegex(error, message) as raised:
                call()
            self.assertIsInstance(raised.exception, pykindred.Error)
        self.assertEqual((engine.nodes, engine.edges), (3, 2))
        engine.close()
        self.assertEqual(repr(engine), "<pykindred.SpreadingEngine: closed>")
        for call in (lambda: engine.hop(x), lambda: engine.spread([0]), lambda: engine.nodes, engine.statistics, engine.merge):
            with self.assertRaisesRegex(pykindred.Error, "closed"):
                call()


if __name__ == "__main__":
    unittest.main()
