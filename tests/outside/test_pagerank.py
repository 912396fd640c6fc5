# SPDX-License-Identifier: Apache-2.0
"""`kindred spread --mode pagerank` against igraph, NetworkX, and SciPy's linear solver."""
import sys
import unittest

from numpy_oracle import harness, np

import scipy.sparse
import scipy.sparse.linalg

try:
    import igraph
    import networkx
except ImportError as error:
    print(f"skipped: {error}; install them with: {sys.executable} -m pip install -r tests/outside/requirements.txt")
    sys.exit(77)


class Problem:
    """A graph with hubs, loops, parallel edges, weights of 0 and nodes without out-edges, and
    queries."""

    def __init__(self, generator, nodes, count, queries):
        targets = (nodes * generator.random(count) ** 3).astype(int)
        sources = generator.integers(0, nodes * 9 // 10, count)
        weights = generator.integers(0, 64, count) / 64
        self.edges = list(zip(sources.tolist(), targets.tolist(), weights.tolist())) + [(v, v, 0.5) for v in range(0, nodes, 50)]
        self.edges += [(v, (v + 1) % nodes, 0.0) for v in range(nodes)]  # so that every node has a name
        self.nodes = nodes
        self.queries = [{int(node): float(generator.integers(1, 65)) / 64 for node in generator.integers(0, nodes, 1 + i % 4)} for i in range(queries)]

    def restart(self, query):
        r = np.zeros(self.nodes)
        for node, value in query.items():
            r[node] = value
        return r / r.sum()

    def solved(self, query, damping):
        """(I − αPᵀ)x = r up to the mass of walks that end at a dangling node and restart: p = x /
        Σx."""
        rows, columns, weights = (np.array(part) for part in zip(*self.edges))
        matrix = scipy.sparse.csr_array((weights, (columns, rows)), shape=(self.nodes, self.nodes))
        out = np.asarray(matrix.sum(axis=0)).ravel()
        moves = matrix @ scipy.sparse.diags_array(np.divide(1, out, where=out > 0, out=np.zeros_like(out)))
        x = scipy.sparse.linalg.spsolve((scipy.sparse.eye_array(self.nodes) - damping * moves).tocsc(), self.restart(query))
        return x / x.sum()


class PageRank(harness.CommandTest):
    def setUp(self):
        super().setUp()
        self.problem = Problem(np.random.default_rng(9), 2000, 16000, 6)
        self.graph = self.file("graph.tsv", "".join(f"{s}\t{t}\t{w!r}\n" for s, t, w in self.problem.edges))
        self.sources = self.file("sources.jsonl", [{"sources": [[str(node), value] for node, value in query.items()]} for query in self.problem.queries])

    def answers(self, *flags):
        lines = self.succeeds("spread", "--graph", self.graph, "--sources", self.sources, "--mode", "pagerank", "--top", 10**6, "--quiet", *flags).lines()
        for line in lines:
            values = np.zeros(self.problem.nodes)
            for node, value in line["activations"]:
                values[int(node)] = value
            yield values

    def near(self, values, expected, damping, tolerance):
        self.assertLess(np.abs(values - expected).sum(), (tolerance * damping + 1.2e-7) / (1 - damping))

    def test_solved(self):
        for damping, tolerance in ((0.85, 1e-6), (0.85, 1e-10), (0.5, 1e-3), (0.97, 1e-8)):
            with self.subTest(damping=damping, tolerance=tolerance):
                found = self.answers("--damping", damping, "--tolerance", tolerance, "--max-iterations", 5000)
                for query, values in zip(self.problem.queries, found, strict=True):
                    self.near(values, self.problem.solved(query, damping), damping, tolerance)

    def test_igraph(self):
        graph = igraph.Graph(n=self.problem.nodes, edges=[edge[:2] for edge in self.problem.edges], directed=True)
        weights = [edge[2] for edge in self.problem.edges]
        for query, values in zip(self.problem.queries, self.answers(), strict=True):
            expected = graph.personalized_pagerank(damping=0.85, reset=self.problem.restart(query).tolist(), weights=weights)
            self.near(values, np.array(expected), 0.85, 1e-6)

    def test_networkx(self):
        graph = networkx.DiGraph()
        graph.add_nodes_from(range(self.problem.nodes))
        for source, target, weight in self.problem.edges:  # NetworkX needs explicit weights and merges parallel edges
            total = weight + graph.get_edge_data(source, target, {"weight": 0})["weight"]
            graph.add_edge(source, target, weight=total)
        graph.remove_edges_from([edge for edge in graph.edges if graph.edges[edge]["weight"] == 0])
        for query, values in zip(self.problem.queries, self.answers("--damping", 0.6), strict=True):
            expected = networkx.pagerank(graph, alpha=0.6, personalization=query, tol=1e-12, max_iter=1000)
            self.near(values, np.array([expected[node] for node in range(self.problem.nodes)]), 0.6, 1e-6)


if __name__ == "__main__":
    unittest.main()
