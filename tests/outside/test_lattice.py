# SPDX-License-Identifier: Apache-2.0
"""`kindred lattice` against igraph (structure, path lengths), NetworkX (the graph itself) and NumPy
(coordinates)."""
import json
import sys
import unittest

from numpy_oracle import harness, np

try:
    import igraph
    import networkx
except ImportError as error:
    print(f"skipped: {error}; install them with: {sys.executable} -m pip install -r tests/outside/requirements.txt")
    sys.exit(77)

SHAPES = ((1, 2), (1, 50), (2, 2), (2, 9), (3, 5), (4, 4), (5, 3), (8, 2))


def lattice(dimensions, size):
    """With Kindred's node numbering: the last coordinate varies fastest."""
    graph = igraph.Graph.Lattice([size] * dimensions, circular=False)
    shape = (size,) * dimensions
    mirror = np.ravel_multi_index(np.unravel_index(np.arange(graph.vcount()), shape)[::-1], shape)
    return graph.permute_vertices(mirror.tolist())


class Lattices(harness.CommandTest):
    def test_structure_is_igraphs(self):
        for dimensions, size in SHAPES:
            graph = lattice(dimensions, size)
            expected = {"vertices": graph.vcount(), "edges": graph.ecount(), "connected": graph.is_connected(), "diameter": graph.diameter(),
                        "average_degree": np.mean(graph.degree()), "clustering": graph.transitivity_avglocal_undirected(mode="zero"), "density": graph.density()}
            for flags in ((), ("--by-search",)):
                told = json.loads(self.succeeds("lattice", "analyze", "--dimensions", dimensions, "--size", size, "--json", *flags).out)
                self.assertEqual(list(told), list(expected))
                for name, value in expected.items():
                    self.assertAlmostEqual(told[name], value, delta=1e-12 * max(1, value), msg=f"{name} of {size}^{dimensions}")

    def test_the_graph_is_networkxs(self):
        for dimensions, size in ((2, 4), (3, 3)):
            grid = networkx.grid_graph([size] * dimensions)
            index = lambda node: int(np.ravel_multi_index(node, (size,) * dimensions))
            edges = sorted((index(a), index(b)) for one, two in grid.edges for a, b in ((one, two), (two, one)))
            nodes = size**dimensions
            text = f"%%MatrixMarket matrix coordinate pattern general\n{nodes} {nodes} {len(edges)}\n" + "".join(f"{a + 1} {b + 1}\n" for a, b in edges)
            self.succeeds("graph", "build", "--edges", self.file("g.mtx", text), "--weights", "none", "--out", self.folder / "theirs.knd")
            self.succeeds("lattice", "build", "--dimensions", dimensions, "--size", size, "--out", self.folder / "ours.knd")
            self.assertEqual((self.folder / "ours.knd").read_bytes(), (self.folder / "theirs.knd").read_bytes())

    def test_paths_are_as_short_as_igraphs(self):
        random = np.random.default_rng(8)
        for dimensions, size, share in ((2, 30, 0.35), (3, 9, 0.4), (4, 6, 0.3), (1, 40, 0.01)):
            graph = lattice(dimensions, size)
            nodes = graph.vcount()
            walls = random.random(nodes) < share
            cut = [edge for edge in graph.get_edgelist() if random.random() < share / 4]
            blocked = self.file("b.txt", "".join(f"{node}\n" for node in np.flatnonzero(walls)) + "".join(f"{a} {b}\n" for a, b in cut))
            graph.delete_edges(cut)
            graph.delete_edges([edge.index for edge in graph.es if walls[edge.source] or walls[edge.target]])
            for source, target in random.choice(np.flatnonzero(~walls), (6, 2)).tolist():
                flags = ("--dimensions", dimensions, "--size", size, "--from", source, "--to", target, "--blocked", blocked, "--json")
                path = json.loads(self.succeeds("lattice", "path", *flags).out)["path"]
                distance = graph.distances(source, target)[0][0]
                self.assertEqual(len(path), 0 if np.isinf(distance) else distance + 1)
                if path:
                    self.assertEqual((path[0], path[-1]), (source, target))
                    self.assertTrue(all(graph.are_adjacent(a, b) for a, b in zip(path, path[1:])))
                    self.assertFalse(walls[path].any())


if __name__ == "__main__":
    unittest.main()
