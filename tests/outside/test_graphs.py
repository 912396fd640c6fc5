# SPDX-License-Identifier: Apache-2.0
"""`SpreadingEngine` against its definition in NumPy, bit for bit; against NetworkX (reached nodes,
best paths); and PageRank against igraph, NetworkX and SciPy's linear solver."""
import math
import unittest

from outside import programs

np, igraph, nx, _ = programs("numpy", "igraph", "networkx", "scipy")
import pykindred  # noqa: E402
import scipy.sparse  # noqa: E402
import scipy.sparse.linalg  # noqa: E402
from reproducible import equal_bits, reproducible_sum  # noqa: E402

F32 = np.float32
DECAYS = {"exponential": lambda rate, hop: math.exp(-rate * hop),
          "power": lambda rate, hop: (hop + 1) ** -rate,
          "linear": lambda rate, hop: max(0.0, 1 - rate * hop),
          "constant": lambda rate, hop: rate}


class Rows:
    """The in-edges of every node by source, parallel edges in the order of the input."""

    def __init__(self, nodes, sources, targets, weights):
        self.nodes = nodes
        order = np.lexsort((sources, targets))
        ends = np.cumsum(np.bincount(targets, minlength=nodes))[:-1]
        self.sources = np.split(sources[order], ends)
        self.weights = np.split(weights[order].astype(np.float64), ends)

    def pull(self, values, factor):
        out = np.zeros(self.nodes, F32)
        for v, (sources, weights) in enumerate(zip(self.sources, self.weights)):
            if values[sources].any():
                total = reproducible_sum(values[sources].astype(np.float64) * weights)
                out[v] = F32(np.float64(factor) * total)
        return out


def spread(rows, x, hops=4, decay=("exponential", 0.7), threshold=None):
    """The mode "engine": activations saturate at 1, and must reach the threshold of their tier."""
    thresholds = np.array([0.01, 0.05, 0.10] if threshold is None else [threshold] * 3, F32)
    act = np.minimum(x, F32(1))
    tier, delta = np.where(act > 0, 0, -1), act.copy()
    for hop in range(1, hops + 1):
        c = rows.pull(delta, F32(DECAYS[decay[0]](decay[1], hop)))
        touched = c > 0
        tier[touched & (tier < 0)] = 1 if hop <= 2 else 2
        limit = thresholds[tier]
        new = np.minimum(F32(1), act + c)
        accepted = touched & ~(new < limit)
        delta = np.where(accepted & (c > limit), new - act, F32(0))
        act = np.where(accepted, new, act)
    return act


def spread_linearly(rows, x, hops=4, decay=("exponential", 0.7)):
    total = x.copy()
    for hop in range(1, hops + 1):
        x = rows.pull(x, F32(DECAYS[decay[0]](decay[1], hop)))
        total = total + x
    return total


def power_law(generator, nodes, count):
    """A graph similar to a dictionary: few hubs, many leaves, with loops and parallel edges."""
    targets = (nodes * generator.random(count) ** 3).astype(int)
    weights = generator.integers(1, 1025, count) / 1024
    return generator.integers(0, nodes, count), targets, weights.astype(F32)


class Spread(unittest.TestCase):
    def setUp(self):
        self.generator = np.random.default_rng(6)

    def queries(self, nodes, count):
        return [{int(node): int(self.generator.integers(1, 65)) / 64
                 for node in self.generator.integers(0, nodes, 1 + i % 5)} for i in range(count)]

    def check(self, definition, edges, queries, hops=None, decay=None, threshold=None, **options):
        nodes = int(max(edges[0].max(), edges[1].max())) + 1
        rows, engine = Rows(nodes, *edges), pykindred.SpreadingEngine(nodes, *edges)
        given = {"hops": hops, "decay": decay, "threshold": threshold}
        given = {name: value for name, value in given.items() if value is not None}
        found = engine.spread(queries, None, **given, **options)
        for query, (scores, ids) in zip(queries, found, strict=True):
            x = np.zeros(nodes, F32)
            x[list(query)] = list(query.values())
            values = definition(rows, x, **given)
            order = np.lexsort((np.arange(nodes), -values))
            order = order[values[order] != 0]
            np.testing.assert_array_equal(ids, order)
            self.assertTrue(equal_bits(scores, values[order]))

    def test_bits_of_the_definition(self):
        edges = power_law(self.generator, 700, 6000)
        hub = np.arange(700), np.ones(700, int), np.full(700, 0.25, F32)
        edges, queries = tuple(map(np.concatenate, zip(edges, hub))), self.queries(700, 12)
        self.check(spread, edges, queries)  # with the defaults
        for decay, hops, threshold in (
                (("exponential", 0.7), 4, None), (("exponential", 0.2), 6, None),
                (("power", 1.0), 4, 0.01), (("linear", 0.3), 5, 0.0), (("constant", 0.5), 3, 0.2),
                (("exponential", 0.7), 0, None)):
            with self.subTest(decay=decay, hops=hops, threshold=threshold):
                self.check(spread, edges, queries, hops, decay, threshold)

    def test_bits_of_linear_spreads(self):
        sources, targets, weights = power_law(self.generator, 500, 5000)
        edges = sources, targets, (weights - F32(0.5)) * 3
        self.check(spread_linearly, edges, self.queries(500, 8), mode="linear")

    def test_bits_of_long_rows(self):
        ones = np.ones(8999, F32)
        edges = (np.concatenate([np.arange(9000), np.zeros(8999, int)]),
                 np.concatenate([9000 + np.arange(9000) % 2, np.arange(1, 9000)]),
                 np.concatenate([1 / F32(np.arange(1, 9001)), ones]))
        self.check(spread_linearly, edges, [{0: 0.7}], 2, ("constant", 1.0), mode="linear")

    def test_reached_nodes_and_best_paths_are_those_of_networkx(self):
        nodes, net = 60, nx.MultiDiGraph()
        ends = np.sort([self.generator.choice(nodes, 2, replace=False) for _ in range(240)])
        weights = self.generator.integers(1, 65, 240) / 64  # without cycles: every path ends
        net.add_nodes_from(range(nodes))
        net.add_weighted_edges_from(zip(*ends.T.tolist(), (-np.log(weights)).tolist()))
        engine = pykindred.SpreadingEngine(nodes, *ends.T, weights.astype(F32))
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
                                           self.weights.astype(F32))
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

    def test_is_networkxs(self):
        graph = nx.DiGraph()  # which needs explicit weights and merges parallel edges
        graph.add_nodes_from(range(self.NODES))
        for (source, target), weight in zip(self.edges, self.weights.tolist()):
            total = weight + graph.get_edge_data(source, target, {"weight": 0})["weight"]
            if total:
                graph.add_edge(source, target, weight=total)

        def ranked(query):
            found = nx.pagerank(graph, alpha=0.6, personalization=query, tol=1e-12, max_iter=1000)
            return np.array([found[node] for node in range(self.NODES)])
        self.check(ranked, 0.6)


if __name__ == "__main__":
    unittest.main()
