# SPDX-License-Identifier: Apache-2.0
"""`Lattice` against igraph (structure, lengths of paths) and NetworkX (the graph itself)."""
import unittest

from outside import programs

np, igraph, networkx = programs("numpy", "igraph", "networkx")
import pykindred  # noqa: E402

SHAPES = ((1, 2), (1, 50), (2, 2), (2, 9), (3, 5), (4, 4), (5, 3), (8, 2))


def lattice(dimensions, size):
    """With Kindred's numbers of nodes: the last coordinate varies fastest."""
    graph = igraph.Graph.Lattice([size] * dimensions, circular=False)
    places = np.unravel_index(np.arange(graph.vcount()), (size,) * dimensions)
    mirror = np.ravel_multi_index(places[::-1], (size,) * dimensions)
    return graph.permute_vertices(mirror.tolist())


class Lattices(unittest.TestCase):
    def test_structure_is_igraphs(self):
        for dimensions, size in SHAPES:
            graph, ours = lattice(dimensions, size), pykindred.Lattice(dimensions, size)
            expected = {
                "nodes": graph.vcount(), "edges": graph.ecount(),
                "diameter": graph.diameter(),
                "average_degree": np.mean(graph.degree()), "density": graph.density(),
                "clustering": graph.transitivity_avglocal_undirected(mode="zero")}
            for found in (ours.statistics(), ours.measure()):
                self.assertLessEqual(set(expected), set(found))
                for name, value in expected.items():
                    self.assertAlmostEqual(found[name], value, delta=1e-12 * max(1, value),
                                           msg=f"{name} of {size}^{dimensions}")

    def test_the_graph_is_networkxs(self):
        for dimensions, size in ((1, 3), (2, 4), (3, 3)):
            grid, shape = networkx.grid_graph([size] * dimensions), (size,) * dimensions
            expected = np.zeros((size**dimensions,) * 2, np.uint8)
            for edge in grid.edges:
                a, b = np.ravel_multi_index(np.transpose(edge), shape) if dimensions > 1 else edge
                expected[a, b] = expected[b, a] = 1
            np.testing.assert_array_equal(pykindred.Lattice(dimensions, size).dense(), expected)

    def test_paths_are_as_short_as_igraphs(self):
        random = np.random.default_rng(8)
        for dimensions, size, share in ((2, 30, 0.35), (3, 9, 0.4), (4, 6, 0.3), (1, 40, 0.01)):
            graph = lattice(dimensions, size)
            walls = random.random(graph.vcount()) < share
            cut = [edge for edge in graph.get_edgelist() if random.random() < share / 4]
            ours = pykindred.Lattice(dimensions, size, blocked_nodes=np.flatnonzero(walls),
                                     blocked_edges=cut)
            graph.delete_edges(cut)
            graph.delete_edges([edge.index for edge in graph.es
                                if walls[edge.source] or walls[edge.target]])
            for source, target in random.choice(np.flatnonzero(~walls), (6, 2)).tolist():
                path = ours.path(source, target).tolist()
                distance = graph.distances(source, target)[0][0]
                self.assertEqual(len(path), 0 if np.isinf(distance) else distance + 1)
                if path:
                    self.assertEqual((path[0], path[-1]), (source, target))
                    self.assertTrue(all(map(graph.are_adjacent, path, path[1:])))
                    self.assertFalse(walls[path].any())


if __name__ == "__main__":
    unittest.main()
