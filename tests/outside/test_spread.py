# SPDX-License-Identifier: Apache-2.0
"""`kindred spread` against SciPy (linear mode), and against the definition recomputed in NumPy bit
for bit (both modes)."""
import math
import unittest

from numpy_oracle import reproducible_sum, equal_bits, harness, np

import networkx as nx
import scipy.io
import scipy.sparse

F32 = np.float32


def decay(kind, parameter, hop):
    value = {"exponential": lambda: math.exp(-parameter * hop), "power": lambda: (hop + 1) ** -parameter,
             "linear": lambda: max(0.0, 1 - parameter * hop), "constant": lambda: parameter}[kind]()
    return F32(value)


class Rows:
    """The in-edges of every node by source, parallel edges in input order."""

    def __init__(self, nodes, edges):
        self.nodes = nodes
        rows = [[] for _ in range(nodes)]
        for source, target, weight in edges:
            rows[target].append((source, weight))
        rows = [sorted(row, key=lambda edge: edge[0]) for row in rows]
        self.sources = [np.array([edge[0] for edge in row], np.int64) for row in rows]
        self.weights = [np.array([edge[1] for edge in row], F32).astype(np.float64) for row in rows]

    def pull(self, values, factor):
        out = np.zeros(self.nodes, F32)
        live = values != 0
        for v in range(self.nodes):
            if live[self.sources[v]].any():
                out[v] = F32(np.float64(factor) * reproducible_sum(values[self.sources[v]].astype(np.float64) * self.weights[v]))
        return out


def start(nodes, sources):
    values = np.zeros(nodes, F32)
    for node, value in sources:
        values[node] = values[node] + F32(value)
    return values


def engine(rows, sources, hops, factor, thresholds):
    act = np.minimum(start(rows.nodes, sources), F32(1))
    tier = np.where(act > 0, 0, -1)
    delta = act.copy()
    limits = np.array(thresholds, F32)
    for hop in range(1, hops + 1):
        c = rows.pull(delta, factor(hop))
        touched = c > 0
        tier[touched & (tier < 0)] = 1 if hop <= 2 else 2
        limit = limits[tier]
        new = np.minimum(F32(1), act + c)
        accepted = touched & ~(new < limit)
        delta = np.where(accepted & (c > limit), new - act, F32(0))
        act = np.where(accepted, new, act)
    return act


def linear(rows, sources, hops, factor):
    x = start(rows.nodes, sources)
    total = x.copy()
    for hop in range(1, hops + 1):
        x = rows.pull(x, factor(hop))
        total = total + x
    return total


def power_law(generator, nodes, count):
    """A graph similar to a dictionary: few hubs, many leaves, with loops and parallel edges."""
    targets = (nodes * generator.random(count) ** 3).astype(int)
    return list(zip(generator.integers(0, nodes, count).tolist(), targets.tolist(), (generator.integers(1, 1025, count) / 1024).tolist()))


class Spread(harness.CommandTest):
    def setUp(self):
        super().setUp()
        self.generator = np.random.default_rng(6)

    def answer(self, graph, queries, *flags):
        sources = self.file("sources.jsonl", [{"name": f"q{i}", "sources": picked} for i, picked in enumerate(queries)])
        lines = self.succeeds("spread", "--graph", graph, "--sources", sources, "--top", 10**6, *flags).lines()
        return [dict(line["activations"]) for line in lines]

    def tsv(self, edges):
        """The file, and the index of each name: the order of first appearance."""
        index = {}
        for source, target, _ in edges:
            index.setdefault(f"n{source}", len(index))
            index.setdefault(f"n{target}", len(index))
        numbered = [(index[f"n{source}"], index[f"n{target}"], weight) for source, target, weight in edges]
        return self.file("graph.tsv", "".join(f"n{s}\tn{t}\t{w!r}\n" for s, t, w in edges)), index, numbered

    def check(self, answers, expected, index):
        names = {number: name for name, number in index.items()}
        for answer, values in zip(answers, expected, strict=True):
            order = [node for node in np.lexsort((np.arange(len(values)), -values)) if values[node] != 0]
            self.assertEqual(list(answer), [names[node] for node in order])
            self.assertTrue(equal_bits(list(answer.values()), values[order]))

    def queries(self, index, count):
        names = list(index)
        picks = [[(names[self.generator.integers(len(names))], int(self.generator.integers(1, 65)) / 64) for _ in range(1 + i % 5)] for i in range(count)]
        picks[0].append(picks[0][0])
        return picks, [[(index[name], value) for name, value in picked] for picked in picks]

    def test_engine_bits(self):
        edges = power_law(self.generator, 700, 6000) + [(i, 1, 0.25) for i in range(700)]
        graph, index, numbered = self.tsv(edges)
        rows = Rows(len(index), numbered)
        named, sources = self.queries(index, 12)
        for kind, parameter, hops, threshold in (("exponential", 0.7, 4, None), ("exponential", 0.2, 6, None), ("power", 1.0, 4, 0.01), ("linear", 0.3, 5, 0.0), ("constant", 0.5, 3, 0.2),
                                                 ("exponential", 0.7, 0, None)):
            with self.subTest(kind, parameter=parameter, hops=hops, threshold=threshold):
                flags = ["--decay", f"{kind}:{parameter}", "--hops", hops] + ([] if threshold is None else ["--threshold", threshold])
                limits = (0.01, 0.05, 0.10) if threshold is None else (threshold,) * 3
                expected = [engine(rows, picked, hops, lambda hop: decay(kind, parameter, hop), limits) for picked in sources]
                self.check(self.answer(graph, named, *flags), expected, index)

    def test_the_defaults_are_those_of_the_definition(self):
        graph, index, numbered = self.tsv(power_law(self.generator, 300, 3000))
        named, sources = self.queries(index, 6)
        rows = Rows(len(index), numbered)
        expected = [engine(rows, picked, 4, lambda hop: decay("exponential", 0.7, hop), (0.01, 0.05, 0.10)) for picked in sources]
        self.check(self.answer(graph, named), expected, index)

    def test_linear_bits(self):
        edges = [(s, t, (w - 0.5) * 3) for s, t, w in power_law(self.generator, 500, 5000)]
        graph, index, numbered = self.tsv(edges)
        rows = Rows(len(index), numbered)
        named, sources = self.queries(index, 8)
        expected = [linear(rows, picked, 4, lambda hop: decay("exponential", 0.7, hop)) for picked in sources]
        self.check(self.answer(graph, named, "--mode", "linear"), expected, index)

    def test_long_rows(self):
        edges = [(i, 9000 + i % 2, 1 / (i + 1)) for i in range(9000)] + [(0, i, 1.0) for i in range(1, 9000)]
        graph, index, numbered = self.tsv(edges)
        expected = [linear(Rows(len(index), numbered), [(index["n0"], 0.7)], 2, lambda hop: decay("constant", 1.0, hop))]
        self.check(self.answer(graph, [[("n0", 0.7)]], "--mode", "linear", "--hops", 2, "--decay", "constant:1"), expected, index)

    def scipy_linear(self, matrix, sources, hops, rate):
        x = np.zeros(matrix.shape[0])
        for node, value in sources:
            x[node] += value
        total, transposed = x.copy(), matrix.T.tocsr()
        for hop in range(1, hops + 1):
            x = math.exp(-rate * hop) * (transposed @ x)
            total += x
        return total

    def check_scipy(self, matrix, field, symmetry):
        path = self.folder / "graph.mtx"
        scipy.io.mmwrite(path, matrix, field=field, symmetry=symmetry)
        read = scipy.io.mmread(path).astype(np.float64)
        nodes = matrix.shape[0]
        queries = [[(str(int(node) + 1), 0.5) for node in self.generator.integers(0, nodes, 1 + i)] for i in range(6)]
        answers = self.answer(path, queries, "--mode", "linear", "--hops", 3)
        for answer, query in zip(answers, queries, strict=True):
            expected = self.scipy_linear(read, [(int(name) - 1, value) for name, value in query], 3, 0.7)
            found = np.zeros(nodes)
            for name, value in answer.items():
                found[int(name) - 1] = value
            scale = np.abs(expected).max()
            self.assertLess(np.abs(found - expected).max() / scale, 1e-6)

    def test_matrix_market_of_scipy(self):
        shape = dict(density=0.01, random_state=7, format="coo")
        real = scipy.sparse.random(400, 400, **shape)
        self.check_scipy(real, "real", "general")
        self.check_scipy(-2 * real, "real", "general")
        self.check_scipy(scipy.sparse.coo_matrix((real + real.T) / 2), "real", "symmetric")
        self.check_scipy(scipy.sparse.coo_matrix((np.ones(real.nnz), (real.row, real.col)), real.shape), "pattern", "general")
        self.check_scipy(scipy.sparse.coo_matrix((self.generator.integers(1, 9, real.nnz), (real.row, real.col)), real.shape), "integer", "general")

    def test_engine_mode_is_linear_below_saturation(self):
        nodes = 300
        matrix = scipy.sparse.random(nodes, nodes, density=0.02, random_state=5, format="coo") * 0.05
        path = self.folder / "graph.mtx"
        scipy.io.mmwrite(path, matrix)
        queries = [[(str(int(node) + 1), 0.25) for node in self.generator.choice(nodes, 1 + i, replace=False)] for i in range(6)]
        answers = self.answer(path, queries, "--hops", 4, "--threshold", 0)
        for answer, query in zip(answers, queries, strict=True):
            expected = self.scipy_linear(scipy.io.mmread(path), [(int(name) - 1, value) for name, value in query], 4, 0.7)
            self.assertLess(expected.max(), 1)
            found = np.zeros(nodes)
            for name, value in answer.items():
                found[int(name) - 1] = value
            self.assertLess(np.abs(found - expected).max(), 1e-6)

    def test_reach_and_best_paths_of_networkx(self):
        nodes, edges = 60, []
        for _ in range(240):  # without cycles, so that every path ends
            a, b = sorted(self.generator.choice(nodes, 2, replace=False).tolist())
            edges.append((a, b, int(self.generator.integers(1, 65)) / 64))
        graph, index, _ = self.tsv(edges)
        net = nx.MultiDiGraph()
        net.add_weighted_edges_from((f"n{a}", f"n{b}", -math.log(w)) for a, b, w in edges)
        for source in list(index)[:8]:
            for hops in (1, 3):
                reached = nx.single_source_shortest_path_length(net, source, cutoff=hops)
                answer = self.answer(graph, [[(source, 1.0)]], "--mode", "linear", "--decay", "constant:1", "--hops", hops)[0]
                self.assertEqual(set(answer), set(reached))
            sources = self.file("one.jsonl", [{"sources": [[source, 1.0]]}])
            traced = self.succeeds("spread", "--graph", graph, "--sources", sources, "--mode", "linear", "--decay", "constant:1", "--hops", nodes, "--top", nodes, "--trace-paths", 1).lines()[0]
            lengths = nx.single_source_dijkstra_path_length(net, source)
            self.assertEqual({name for name, _ in traced["activations"]}, set(lengths))
            for (name, _), paths in zip(traced["activations"], traced["paths"], strict=True):
                self.assertAlmostEqual(paths[0]["strength"], math.exp(-lengths[name]), delta=1e-6)
                walk = [step[:2] for step in paths[0]["steps"]]
                self.assertEqual([source] + [to for _, to in walk], [a for a, _ in walk] + [name])

    def test_a_small_graph_of_words(self):
        words = ["animal", "cat", "dog", "lion", "feline", "canine", "puppy"]
        pointers = [("cat", "feline"), ("lion", "feline"), ("feline", "animal"), ("dog", "canine"), ("canine", "animal"), ("puppy", "dog")]
        row, column = [words.index(a) for a, _ in pointers], [words.index(b) for _, b in pointers]
        symmetric = scipy.sparse.coo_matrix((np.ones(6), (row, column)), (7, 7))
        self.check_scipy(scipy.sparse.coo_matrix(symmetric + symmetric.T), "pattern", "symmetric")
        answer = self.answer(self.folder / "graph.mtx", [[("2", 1.0)]], "--decay", "constant:0.5", "--threshold", 0, "--hops", 3)[0]
        # cat; feline including what returns from lion and animal; canine through animal
        self.assertEqual(answer, {"2": 1.0, "5": 0.75, "1": 0.25, "4": 0.25, "6": 0.125})


if __name__ == "__main__":
    unittest.main()
