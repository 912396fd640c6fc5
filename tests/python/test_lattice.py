# SPDX-License-Identifier: Apache-2.0
import unittest

import numpy as np

import pykindred
from pykindred import Lattice


class Lattices(unittest.TestCase):
    def test_structure(self):
        for dimensions, size in ((1, 2), (3, 4)):
            lattice = Lattice(dimensions, size)
            nodes, rows = range(size**dimensions), lattice.rows(space="serial")
            self.assertEqual((lattice.nodes, lattice.dimensions, lattice.size),
                             (len(nodes), dimensions, size))
            places = np.array([lattice.coordinates(node) for node in nodes], int)
            for node in nodes:
                self.assertEqual(lattice.index(lattice.coordinates(node)), node)
            matrix = np.abs(places[:, None] - places[None]).sum(-1) == 1
            np.testing.assert_array_equal(lattice.dense(), matrix)
            for node, ends in enumerate(map(np.flatnonzero, matrix)):
                row = rows.indices[rows.indptr[node]:rows.indptr[node + 1]]
                self.assertEqual(row.tolist(), ends.tolist())
                self.assertEqual(sorted(lattice.neighbours(node)), ends.tolist())
            told, measured = lattice.statistics(), lattice.measure()
            both = {name: measured[name] for name in told if name in measured}
            self.assertEqual(told, told | both)
        self.assertEqual(Lattice(6, 1000).statistics()["edges"], 6 * 999 * 1000**5)
        self.assertEqual(repr(lattice), "<pykindred.Lattice: 3 dimensions of 4, 64 nodes>")

    def test_distances_and_paths_avoid_blocks(self):
        nodes, edges = [4, 5], [(0, 1), (10, 6)]  # which close off node 0
        far = 2**32 - 1
        expected = [far, 2, 1, 0, far, far, 2, 1, 4, 3, 2, 1, 3, 2, 1, 0]
        for blocked in (edges, np.int64(edges), iter(edges), tuple(edges)):
            lattice = Lattice(2, 4, blocked_nodes=np.int64(nodes), blocked_edges=blocked)
            found = lattice.distances([3, 15])
            self.assertEqual(found.distances.dtype, np.uint32)
            self.assertEqual(found.distances.tolist(), expected)
            self.assertEqual((found.reached, found.farthest), (13, 4))
            some = lattice.distances([3, 15], targets=[7, 2], space="serial")
            self.assertEqual(some.distances.tolist(), [expected[7], expected[2]])
        self.assertEqual([lattice.is_blocked(node) for node in (4, 3)], [True, False])
        self.assertEqual(lattice.path(3, 0).tolist(), [])
        paths = lattice.paths([(3, 12), (3, 0), (8, 8)])
        self.assertEqual([len(path) for path in paths], [7, 0, 1])
        first = paths[0].tolist()
        self.assertEqual((first, paths[-1].tolist()), (lattice.path(3, 12).tolist(), [8]))
        self.assertTrue(all(b in lattice.neighbours(a) for a, b in zip(first, first[1:])))
        self.assertEqual(lattice.paths(np.int64([[3, 12]])).nodes.tolist(), first)

    def test_all_paths(self):
        lattice = Lattice(2, 3)
        self.assertEqual(len({tuple(path.tolist()) for path in lattice.all_paths(0, 8, 4)}), 6)
        self.assertEqual(len(lattice.all_paths(0, 8, 8, limit=12)), 12)
        with self.assertRaisesRegex(pykindred.InvalidArgument, "more than 11 paths"):
            lattice.all_paths(0, 8, 8, limit=11)


if __name__ == "__main__":
    unittest.main()
