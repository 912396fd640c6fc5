# SPDX-License-Identifier: Apache-2.0
"""Arguments that the package refuses because of each other, or of what an object holds, and some
that an engine refuses, whose other refusals are tested in C++. Wrong types, numbers, shapes and
layouts of one argument: test_bad_input.py and test_array_arguments.py."""
import unittest

import numpy as np

import pykindred
from pykindred import EventLists, Ragged, SeedMetrics, Sequences
from support import check_refusals, vectors
from test_copies import pattern_memory

ROWS, ONES = vectors("rows", 30, 7), np.ones(4, np.float32)
INTS, ONE = np.int64([0, 1]), np.int32([0])


class Refusals(unittest.TestCase):
    check = check_refusals

    def test_of_bulk_operations(self):
        a, i, x = np.ones((2, 3), np.float32), np.ones(4, np.int8), np.ones(4, np.float32)
        for bulk in (pykindred.Bulk(), pykindred.PreparedBulk):
            self.check(
                (lambda: bulk.element_wise("add", x), ValueError, "needs a number"),
                (lambda: bulk.element_wise("square", x.astype(np.float16)), TypeError, "float16"),
                (lambda: bulk.element_wise("add", i, 128), ValueError, "other is 128"),
                (lambda: bulk.element_wise("add", i, 0.5), TypeError, "other is of type float"),
                (lambda: bulk.element_wise("add", np.uint64([1]), -1), ValueError, "other is -1"),
                (lambda: bulk.element_wise("add", i > 0, 1), TypeError, "other"),
                (lambda: bulk.element_wise("add", x[:3], 1, out=x[1:]), ValueError, "overlap"),
                (lambda: bulk.element_wise("square", [a], out=[]), ValueError, "empty list"),
                (lambda: bulk.element_wise("square", [a, a.astype(float)]), TypeError,
                 r"arrays\[1\] is float64"),
                (lambda: bulk.normalise(a, out=np.ones((2, 6), np.float32)[:, :3]), ValueError,
                 "gaps"),
                (lambda: bulk.random_fill(np.arange(3), 1), TypeError, "out is int64"),
                (lambda: bulk.random_fill([], 1), ValueError, "out is an empty list"))
        np.testing.assert_array_equal(x, 1)

    def test_of_layers_and_seeds(self):
        x, w, out = vectors("x", 4, 3), vectors("w", 2, 3), np.empty((4, 2), np.float32)
        seeds = np.int32([3]), np.int32([0]), ONE, np.float32([0.5]), np.ones((1, 3), np.float32)
        layer, passes = pykindred.SeedLayer(3, 2), pykindred.SeedSequence()
        norm, prepared_norm = pykindred.layer_norm_act, pykindred.PreparedLayer.norm
        linear_back = pykindred.linear_act_backward
        self.check(
            (lambda: norm(x[:3], out=x[1:]), ValueError, "overlap"),
            (lambda: prepared_norm(x[:3], out=x[1:]), ValueError, "overlap"),
            (lambda: linear_back(x, out, w, out=(x, None, None)), ValueError, "overlaps"),
            (lambda: pykindred.forward_seeds(x[:3], *seeds, out=x[1:]), ValueError, "overlap"),
            (lambda: pykindred.backward_seeds(x, x.copy(), *seeds, out=(x, None, None)), ValueError,
             "overlap"),
            (lambda: pykindred.forward_seeds(x, *seeds, telemetry=(None, None, np.zeros(2))),
             ValueError, "count"),
            (lambda: layer.forward(x[:3], out=x[1:]), ValueError, "overlap"),
            (lambda: passes.add(layer, x[:3], out=x[1:]), ValueError, "overlap"),
            (lambda: passes.add(layer, np.ones((4, 6), np.float32)[:, ::2]), ValueError, "gaps"),
            (lambda: passes.add(layer, x.astype(float)), TypeError, "x is float64"),
            (lambda: pykindred.SeedSequence(space="serial", stream=0), ValueError, "stream"),
            (lambda: pykindred.SeedSequence(space="cuda").add(layer, x), ValueError, "lie"))
        self.assertEqual(len(passes), 0)

    def test_of_a_seed_layer(self):
        layer = pykindred.SeedLayer(6, 3)
        state, metrics = layer.state(), SeedMetrics(weights=ROWS)
        rules = pykindred.TransitionRules()

        def changed(**fields):
            return lambda: layer.set_state(state._replace(**fields))
        self.check(
            (changed(alpha=state.alpha.astype(float)), TypeError, "state.alpha"),
            (changed(alpha=state.alpha[:2]), ValueError, "alpha"),
            (changed(history_to=state.history_to[:, :9]), ValueError, "state.history_to"),
            (lambda: layer.update([0, 1], alpha=[0.5]), ValueError, "alpha has 1 values"),
            (lambda: layer.request(0, None), TypeError, "to is"),
            (lambda: layer.step(metrics), ValueError, "metrics.weights"),
            (lambda: layer.history(3), ValueError, "seed is 3"),
            *((lambda name=name: pykindred.SeedLayer(6, 3, rules=rules._replace(**{name: np.nan})),
               ValueError, f"{name} is nan") for name, limit in rules._asdict().items()
              if isinstance(limit, float)))

    def test_of_vectors(self):
        index, top, out = pykindred.VectorIndex(ROWS), 3, np.ones((1, 40), np.float32)
        hnsw, make = pykindred.HnswIndex(ROWS), pykindred.VectorIndex
        scored = pykindred.PreparedScore(index, 3)
        allowed, bits = np.ones(30, bool), np.ones(1, np.uint64)
        self.check(
            (lambda: index.score_all(out[:, :7], out=out[:, 6:36]), ValueError, "overlap"),
            (lambda: pykindred.row_scores(out[:, :7], ROWS, out=out[:, 6:36]), ValueError,
             "queries and out overlap"),
            (lambda: make(ROWS.astype(np.int8)), ValueError, "scales"),
            (lambda: make(ROWS, scales=np.ones(30, np.float32)), ValueError, "scales"),
            (lambda: make(), TypeError, "rows is None"),
            (lambda: make(ROWS, dimension=7), ValueError, "dimension is given"),
            (lambda: make(dimension=0), ValueError, "dimension is 0"),
            (lambda: make(dimension=7, scales=ONES[:1]), ValueError, "scales is given"),
            (lambda: index.search(ROWS, top, out=(out, out)), ValueError, "out has scores"),
            (lambda: index.save("/nonexistent/folder/file"), ValueError, "/nonexistent"),
            (lambda: index.score(ROWS, Ragged(INTS, INTS[:1], ONES[:1])), ValueError, ""),
            (lambda: index.score(ROWS[:1], Ragged(INTS, INTS[:0], ONES[:0])), ValueError, ""),
            (lambda: hnsw.search(ROWS, space="cuda"), RuntimeError, "on the host"),
            (lambda: scored.score(ROWS[0], np.arange(4)), ValueError, "4 candidates"),
            (lambda: scored.score(ROWS[0], INTS, out=(ONES, np.arange(4))), ValueError, "top = 3"))
        for text in ("\udce9", "\ud800", "é\0"):
            self.check((lambda: index.search(ROWS, top, space=text), ValueError, "space"))
        for one in (index, hnsw):
            for wrong in (allowed[:-1], allowed[:0], bits[:0], np.stack([bits] * 3)):
                self.check((lambda: one.search(ROWS[:2], filter=wrong), ValueError, "filter|mask"))
            self.check((lambda: one.search(ROWS, filter=np.ones(30)), TypeError, "is float64"))
        for wrong in ([0, 30], [30], [1, 1]):
            self.check((lambda: index.remove(wrong), KeyError, ""))
        self.assertEqual((len(index), len(hnsw)), (30, 30))

    def test_of_keys(self):
        rows, make = vectors("rows", 3, 4), pykindred.KeyedVectorIndex
        index, texts = make([1, 2, 3], rows), make(["a", "b", "c"], rows)
        for keys, error, words in (
                ([1, "a", 2], TypeError, "ints and texts"), ([1.5, 2, 3], TypeError, "an item of type float"),
                ([-1, 2, 3], ValueError, "the number -1"), ([2**64, 2, 3], ValueError, "the number"),
                (np.int64([-5, 1, 2]), ValueError, "the number -5")):
            self.check((lambda: make(keys, rows), error, f"keys has {words}"))
        for keys in (np.ones(3, np.uint8), np.ones((3, 0), np.uint8), np.ones((3, 1), np.int64)):
            self.check((lambda: make(keys, rows), ValueError, f"keys is {keys.dtype}"))
        self.check((lambda: index.find(["a"]), ValueError, ""),
                   (lambda: index.score(rows[:1], [3]), TypeError, "candidates"))
        self.assertEqual((len(index), len(texts)), (3, 3))

    def test_of_sequences(self):
        matcher, words = pykindred.SequenceMatcher(["a", "b"]), pykindred.Vocabulary(["a"])
        out, gaps = np.zeros((1, 2), np.float32), np.zeros((1, 4), np.float32)[:, ::2]
        self.check(
            (lambda: pykindred.similarity([[]], "a"), TypeError, "not hashable"),
            (lambda: pykindred.SequenceMatcher("abc"), TypeError, "patterns is one sequence"),
            (lambda: matcher.match(Sequences(-INTS, np.uint32([1]))), ValueError, "offsets"),
            (lambda: matcher.match(Sequences(INTS * 5, np.uint32([1]))), ValueError, "offsets"),
            (lambda: matcher.match(Sequences(INTS, INTS)), TypeError, "symbols"),
            (lambda: matcher.score_all("a", out=gaps), ValueError, "out"),
            (lambda: matcher.score_all("a", out=out.astype(np.int32)), ValueError, "int32"),
            (lambda: matcher.score_all("a", out=out, dtype="float32"), ValueError, "with out"),
            (lambda: matcher.score_all("a", dtype="int32"), ValueError, "int32"),
            (lambda: matcher.score_all("a", score_cutoff=float("nan")), ValueError, "cutoff"),
            (lambda: words.add("\ud800"), ValueError, "surrogate"),
            (lambda: words.add_all("abc"), TypeError, "texts is one text"),
            (lambda: words.encode(["abc"]), TypeError, "sequences"))

    def test_of_patterns(self):
        memory, a = pattern_memory(), [[["a"]]]
        lists = EventLists(INTS, INTS, np.uint32([9]))
        count = len(memory.symbols())
        self.check(
            (lambda: memory.learn(["abc"]), TypeError, "events has an event of type str"),
            (lambda: memory.learn([["\ud800"]]), ValueError, "surrogate"),
            (lambda: memory.learn_all(a, names=[]), ValueError, "names"),
            (lambda: memory.learn_all(a, times=[1, 2]), ValueError, "times"),
            (lambda: memory.learn_all(a, dictionary=["a"]), TypeError, "dictionary"),
            (lambda: memory.learn_all(lists), ValueError, "9"),
            (lambda: memory.learn_all(EventLists(INTS, INTS * 5, np.uint32([0]))), ValueError, ""),
            (lambda: memory.learn_all(EventLists(-INTS, INTS, np.uint32([0]))), ValueError, ""),
            (lambda: memory.learn_all(EventLists(INTS, INTS, INTS[:1])), TypeError, "symbols"),
            (lambda: memory.pattern(9), KeyError, "9"),
            (lambda: memory.predict([["a"]], weights=np.ones(count - 1)), ValueError, "weights"),
            (lambda: memory.append("/nonexistent/file"), (ValueError, KeyError), ""))
        self.assertEqual(len(memory), 2)

    def test_of_graphs(self):
        make, csr = pykindred.SpreadingEngine, pykindred.SpreadingEngine.from_csr
        engine, x = make(3, [0, 1], [1, 2], np.float32([0.5, 2])), np.ones(3, np.float32)
        beyond = Ragged(np.int64([0, 9]), INTS, x[:2])
        strengths = pykindred.SpreadModifiers(np.ones((2, 2)))
        self.check(
            (lambda: make(2, [0], []), ValueError, "sources has 1"),
            (lambda: make(2, [2**40], [1]), ValueError, "sources"),
            (lambda: make(2, [0], [1], x), ValueError, "weights is float32 .3."),
            (lambda: make(2, [0], [1], edge_kinds=INTS), TypeError, "edge_kinds"),
            (lambda: make(2, [0], [1], node_kinds=np.uint8([1])), ValueError, "node_kinds"),
            (lambda: csr(INTS[:0], ONE), ValueError, ""),
            (lambda: csr(INTS, np.int32([5])), ValueError, "5"),
            (lambda: make.from_bytes(engine.to_bytes(), merge_share=np.nan), ValueError, "merge_share"),
            (lambda: engine.hop(x, out=x), ValueError, "overlap"),
            (lambda: engine.hop(x, modifiers=strengths), ValueError, "strengths"),
            (lambda: engine.spread(beyond, mode="linear"), ValueError, ""),
            (lambda: engine.add_nodes(2, kinds=np.uint8([1])), ValueError, "kinds"))
        self.assertEqual((engine.nodes, engine.edges, 0 in engine), (3, 2, True))

    def test_of_lattices(self):
        make, lattice = pykindred.Lattice, pykindred.Lattice(2, 3, blocked_nodes=[4])
        self.check(
            (lambda: make(2, 1), ValueError, "size"),
            (lambda: lattice.index([3, 0]), ValueError, "3"),
            (lambda: lattice.save("/nonexistent/folder/file"), (ValueError, KeyError), ""))

    def test_of_contexts(self):
        for options, error, words in (
                ({"threads": 1000}, ValueError, "threads"), ({"space": "gpu"}, ValueError, "space"),
                ({"budget_fraction": 2}, ValueError, "budget_fraction"),
                ({"host_budget": -1}, ValueError, "host_budget")):
            self.check((lambda: pykindred.Context(**options), error, words))


if __name__ == "__main__":
    unittest.main()
