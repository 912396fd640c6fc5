# SPDX-License-Identifier: Apache-2.0
import copy
import itertools
import pickle
import tempfile
import threading
import unittest
from pathlib import Path

import numpy as np

import pykindred
from support import run
from watchdog import watch


def adjacency(lattice):
    places = np.array([lattice.coordinates(node) for node in range(lattice.nodes)], int)
    return (np.abs(places[:, None] - places[None]).sum(-1) == 1).astype(np.uint8)


def searched(matrix, sources, nodes=(), edges=()):
    """Distances by a breadth-first search."""
    matrix = matrix.copy()
    matrix[list(nodes)] = matrix[:, list(nodes)] = 0
    for a, b in edges:
        matrix[a, b] = matrix[b, a] = 0
    found = {node: 0 for node in sources}
    queue = list(sources)
    for node in queue:
        for end in np.flatnonzero(matrix[node]).tolist():
            if end not in found:
                found[end] = found[node] + 1
                queue.append(end)
    return [found.get(node, 2**32 - 1) for node in range(len(matrix))]


class Lattice(unittest.TestCase):
    def test_structure(self):
        for dimensions, size in ((1, 2), (1, 33), (2, 3), (3, 4), (5, 2)):
            lattice = pykindred.Lattice(dimensions, size)
            matrix = adjacency(lattice)
            self.assertEqual((lattice.nodes, lattice.dimensions, lattice.size), (size**dimensions, dimensions, size))
            np.testing.assert_array_equal(lattice.dense(), matrix)
            rows = lattice.rows(space="serial")
            for node in range(lattice.nodes):
                np.testing.assert_array_equal(rows.indices[rows.indptr[node]:rows.indptr[node + 1]], np.flatnonzero(matrix[node]))
                self.assertEqual(sorted(lattice.neighbours(node)), np.flatnonzero(matrix[node]).tolist())
                self.assertEqual(lattice.index(lattice.coordinates(node)), node)
            statistics, measured = lattice.statistics(), lattice.measure()
            self.assertEqual((statistics["edges"], statistics["diameter"]), (matrix.sum() // 2, dimensions * (size - 1)))
            self.assertEqual({key: statistics[key] for key in statistics.keys() & measured.keys()}, {key: measured[key] for key in statistics.keys() & measured.keys()})
        large = pykindred.Lattice(6, 1000)
        self.assertEqual((large.statistics()["edges"], large.nodes), (6 * 999 * 1000**5, 10**18))
        self.assertEqual(len(large.path(0, 10**18 - 1)), 6 * 999 + 1)

    def test_distances_and_paths_avoid_blocks(self):
        nodes, edges = [4, 5], [(0, 1), (10, 6)]
        for blocked in (edges, np.int64(edges), iter(edges), tuple(edges)):
            lattice = pykindred.Lattice(2, 4, blocked_nodes=np.int64(nodes), blocked_edges=blocked)
            expected = searched(adjacency(lattice), [3, 15], nodes, edges)
            found = lattice.distances([3, 15])
            self.assertEqual((found.distances.tolist(), found.distances.dtype), (expected, np.uint32))
            self.assertEqual((found.reached, found.farthest), (sum(d < 2**32 - 1 for d in expected), max(d for d in expected if d < 2**32 - 1)))
            self.assertEqual(lattice.distances([3, 15], targets=[7, 2], space="serial").distances.tolist(), [expected[7], expected[2]])
        self.assertEqual((lattice.is_blocked(4), lattice.is_blocked(3), lattice.path(3, 0).tolist()), (True, False, []))
        paths = lattice.paths([(3, 12), (3, 0), (8, 8)])
        self.assertEqual(([len(path) for path in paths], paths[-1].tolist()), ([7, 0, 1], [8]))
        self.assertEqual(paths[0].tolist(), lattice.path(3, 12).tolist())
        self.assertTrue(all(b in lattice.neighbours(a) for a, b in itertools.pairwise(paths[0].tolist())))
        np.testing.assert_array_equal(lattice.paths(np.int64([[3, 12]])).nodes, paths[0])

    def test_all_paths(self):
        lattice = pykindred.Lattice(2, 3)
        found = {tuple(path.tolist()) for path in lattice.all_paths(0, 8, 4)}
        self.assertEqual(len(found), 6)
        self.assertEqual(len(lattice.all_paths(0, 8, 8)), 12)
        with self.assertRaisesRegex(ValueError, "5"):
            lattice.all_paths(0, 8, 4, limit=5)

    def test_files_and_pickles(self):
        lattice = pykindred.Lattice(2, 4, blocked_nodes=[5], blocked_edges=[(0, 1)])
        for other in (pickle.loads(pickle.dumps(lattice)), copy.copy(lattice)):
            np.testing.assert_array_equal(other.distances([0]).distances, lattice.distances([0]).distances)
            self.assertEqual(repr(other), "<pykindred.Lattice: 2 dimensions of 4, 16 nodes>")
        with tempfile.TemporaryDirectory() as folder:
            lattice.save(Path(folder, "lattice"))
            graph = pykindred.SpreadingEngine.load(Path(folder, "lattice"))
        x = np.arange(16, dtype=np.float32)
        np.testing.assert_array_equal(graph.hop(x), adjacency(lattice) @ x)
        np.testing.assert_array_equal(pykindred.SpreadingEngine.from_csr(*lattice.rows()).hop(x), graph.hop(x))

    def test_threads_and_the_end(self):
        watch(self)
        lattice, found = pykindred.Lattice(3, 10), []
        threads = [threading.Thread(target=lambda: found.append(lattice.distances([0]).farthest)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [27] * 8)
        run("import pykindred; kept = pykindred.Lattice(2, 3); kept.distances([0])")

    def test_wrong_arguments_are_named(self):
        make, lattice = pykindred.Lattice, pykindred.Lattice(2, 3, blocked_nodes=[4])
        for call, error, message in ((lambda: make(0, 3), ValueError, "dimensions"), (lambda: make(21, 3), ValueError, "dimensions"),
                                     (lambda: make(2, 1), ValueError, "size"), (lambda: make("a", 3), TypeError, "dimensions"), (lambda: make(2, 2**40), ValueError, "size"),
                                     (lambda: make(20, 1000), ValueError, ""), (lambda: make(2, 3, blocked_nodes=[9]), ValueError, "9"),
                                     (lambda: make(2, 3, blocked_nodes="a"), TypeError, "blocked_nodes"), (lambda: make(2, 3, blocked_edges=[(0, 8)]), ValueError, "8"),
                                     (lambda: make(2, 3, blocked_edges=[3]), TypeError, "blocked_edges"), (lambda: make(2, 3, blocked_edges=5), TypeError, "blocked_edges"),
                                     (lambda: make(2, 3, blocked_edges=np.int32([[0, 1]])), TypeError, "blocked_edges"),
                                     (lambda: make(2, 3, blocked_edges=np.int64([[0, -1]])), ValueError, "blocked_edges"),
                                     (lambda: make(2, 3, blocked_edges=np.int64([0, 1])), ValueError, "blocked_edges"),
                                     (lambda: lattice.path(0, 9), ValueError, "9"), (lambda: lattice.path(0, 4), ValueError, "4"), (lambda: lattice.path(-1, 0), ValueError, "source"),
                                     (lambda: lattice.path(0, 1.5), TypeError, "target"), (lambda: lattice.paths([(0, 1, 2)]), TypeError, "pairs"),
                                     (lambda: lattice.paths("ab"), TypeError, "pairs"), (lambda: lattice.distances([9]), ValueError, "9"),
                                     (lambda: lattice.distances([0], targets=[9]), ValueError, "9"), (lambda: lattice.distances([0], space="x"), ValueError, "space"),
                                     (lambda: lattice.distances([0.5]), TypeError, "sources"), (lambda: lattice.all_paths(0, 1, -1), ValueError, "edges_max"),
                                     (lambda: lattice.neighbours(9), ValueError, "9"), (lambda: lattice.coordinates(9), ValueError, "9"), (lambda: lattice.is_blocked(9), ValueError, "9"),
                                     (lambda: lattice.index([3, 0]), ValueError, "3"), (lambda: lattice.index([0]), ValueError, ""),
                                     (lambda: make(4, 1000).dense(), MemoryError, ""), (lambda: make(4, 1000).rows(), ValueError, ""),
                                     (lambda: lattice.save("/nonexistent/folder/file"), (ValueError, KeyError), "")):
            with self.subTest(message), self.assertRaisesRegex(error, message) as raised:
                call()
            self.assertIsInstance(raised.exception, pykindred.Error)
        lattice.close()
        self.assertEqual(repr(lattice), "<pykindred.Lattice: closed>")
        for call in (lambda: lattice.path(0, 1), lambda: lattice.nodes, lattice.statistics, lattice.rows, lambda: pickle.dumps(lattice)):
            with self.assertRaisesRegex(pykindred.Error, "closed"):
                call()


if __name__ == "__main__":
    unittest.main()
