# SPDX-License-Identifier: Apache-2.0
"""`SpreadingEngine` against NetworkX (reached nodes, best paths), and PageRank against igraph
and SciPy's linear solver. tests/graph compares their bits with `Reference`."""
import math
import unittest

from outside import programs

np, igraph, nx, _ = programs("numpy", "igraph", "networkx", "scipy")
import pykindred  # noqa: E402
import scipy.sparse  # noqa: E402
import scipy.sparse.linalg  # noqa: E402

class Spread(unittest.TestCase):
    def test_reached_nodes_and_best_paths_are_those_of_networkx(self):
        generator, nodes, net = np.random.default_rng(6), 60, nx.MultiDiGraph()
        ends = np.sort([generator.choice(nodes, 2, replace=False) for _ in range(240)])
        weights = generator.integers(1, 65, 240) / 64  # without cycles: every path ends
        net.add_nodes_from(range(nodes))
        net.add_weighted_edges_from(zip(*ends.T.tolist(), (-np.log(weights)).tolist()))
        engine = pykindred.SpreadingEngine(nodes, *ends.T, weights.astype(np.float32))
        options = {"mode": "linear", "decay": ("constant", 1.0), "threshold": 0}
        for source in range(8):
            for hops in (1, 3):
                reached = nx.single_source_shortest_path_length(net, source, cutoff=hops)
                found = engine.spread([source], None, hops=hops, **options)
                self.assertEqual(set(found.ids.tolist()), set(reached))
            found = engine.spread([source], None, hops=nodes, trace_paths=1, **options)
            lengths = nx.single_source_dijkstra_path_length(net, source)
            self.assertEqual(set(found.ids.tolist()), set(lengths))
            for place, node in enumerate(found.ids.tolist()):
                path, = found.paths(place)
                self.assertAlmostEqual(path.strength, math.exp(-lengths[node]), delta=1e-6)
                self.assertEqual([source] + [step.target for step in path.steps],
                                 [step.source for step in path.steps] + [node])


class PageRank(unittest.TestCase):
    """On a graph with hubs, loops, parallel edges, weights of 0 and nodes without out-edges."""

    NODES = 2000

    def setUp(self):
        generator = np.random.default_rng(9)
        targets = (self.NODES * generator.random(16000) ** 3).astype(int)
        loops = np.arange(0, self.NODES, 50)
        self.sources = np.concatenate([generator.integers(0, self.NODES * 9 // 10, 16000), loops])
        self.targets = np.concatenate([targets, loops])
        self.weights = np.concatenate([generator.integers(0, 64, 16000) / 64, loops * 0 + 0.5])
        self.edges = list(zip(self.sources.tolist(), self.targets.tolist()))
        self.queries = [{int(node): float(generator.integers(1, 65)) / 64
                         for node in generator.integers(0, self.NODES, 1 + i % 4)}
                        for i in range(6)]

    def restart(self, query):
        r = np.zeros(self.NODES)
        r[list(query)] = list(query.values())
        return r / r.sum()

    def check(self, expected, damping=0.85, tolerance=1e-6, **options):
        engine = pykindred.SpreadingEngine(self.NODES, self.sources, self.targets,
                                           self.weights.astype(np.float32))
        found = engine.spread(self.queries, None, mode="pagerank", damping=damping,
                              tolerance=tolerance, **options)
        self.assertTrue((found.residuals <= tolerance).all() and (found.iterations > 0).all())
        for query, (scores, ids) in zip(self.queries, found, strict=True):
            values = np.zeros(self.NODES)
            values[ids] = scores
            error = np.abs(values - expected(query)).sum()
            self.assertLess(error, (tolerance * damping + 1.2e-7) / (1 - damping))

    def test_is_scipys_solution(self):
        """(I − αPᵀ)x = r up to the mass of walks that end at a dangling node and restart."""
        shape = (self.NODES, self.NODES)
        matrix = scipy.sparse.csr_array((self.weights, (self.targets, self.sources)), shape)
        out = np.asarray(matrix.sum(axis=0)).ravel()
        share = np.divide(1, out, where=out > 0, out=np.zeros_like(out))
        moves = matrix @ scipy.sparse.diags_array(share)
        for damping, tolerance in ((0.85, 1e-6), (0.85, 1e-10), (0.5, 1e-3), (0.97, 1e-8)):
            system = (scipy.sparse.eye_array(self.NODES) - damping * moves).tocsc()

            def solved(query, system=system):
                x = scipy.sparse.linalg.spsolve(system, self.restart(query))
                return x / x.sum()
            with self.subTest(damping=damping, tolerance=tolerance):
                self.check(solved, damping, tolerance, max_iterations=5000)

    def test_is_igraphs(self):
        graph = igraph.Graph(n=self.NODES, edges=self.edges, directed=True)
        self.check(lambda query: np.array(graph.personalized_pagerank(
            damping=0.85, reset=self.restart(query).tolist(), weights=self.weights.tolist())))


if __name__ == "__main__":
    unittest.main()
