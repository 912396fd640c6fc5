# SPDX-License-Identifier: Apache-2.0
"""Objects of the extension that keep objects of Python take part in cyclic garbage collection."""
import gc
import os
import unittest
import weakref

import numpy as np

import pykindred
from engines import ENGINES, ROWS
from support import Exported, context
from watchdog import ThreadedTest


class Owner:
    """Keeps what its method is called with."""

    def keep(self, *given):
        self.given = given


class Array(np.ndarray):
    """An array that may refer to other objects."""


def threads():
    return len(os.listdir("/proc/self/task"))


class Collected(ThreadedTest):
    limit = 120  # many contexts are made and destroyed

    def check(self, refer, make=Owner):
        """What ``make`` returns refers to what ``refer`` makes for it, which refers to it. Both are collected."""
        def made():
            owner = make()
            owner.made = refer(owner)
            return weakref.ref(owner)
        owner_of = made()
        gc.collect()
        self.assertIsNone(owner_of())

    def test_what_calls_or_keeps_its_owner(self):
        def closed(owner):
            index = pykindred.VectorIndex(ROWS, context=context(log=owner.keep))
            index.close()
            return index

        def layer(owner):
            layer = pykindred.SeedLayer(8, 2, on_transition=owner.keep)
            layer.germinate(0, layer.add_blueprint("a", np.ones(8, np.float32)))
            self.assertEqual(owner.given[0], 0)
            return layer
        for name, refer in {
                "on_dispatch": lambda owner: context(threads=2, on_dispatch=owner.keep),
                "log": lambda owner: context(threads=2, log=owner.keep),
                "both": lambda owner: context(threads=2, on_dispatch=owner.keep, log=owner.keep),
                "a closed engine": closed, "a layer": layer, "a closed layer": lambda owner: layer(owner).close(),
                "a query": lambda owner: pykindred.PreparedQuery([owner, "b"]),
                "difflib": lambda owner: pykindred.difflib.SequenceMatcher(None, *[[owner, "b"]] * 2)}.items():
            with self.subTest(name):
                self.check(refer)

    def test_a_context_frees_its_threads(self):
        def make():
            owner = Owner()
            owner.context = context(threads=2, on_dispatch=owner.keep)
            owner.index = pykindred.VectorIndex(ROWS, context=owner.context)
            owner.index.search(ROWS, 2, space="openmp")

        make()
        gc.collect()
        before = threads()
        for _ in range(10):
            make()
        gc.collect()
        self.assertLessEqual(threads(), before)

    def test_engines_whose_context_calls_their_owner(self):
        for name, engine in ENGINES.items():
            for keeps_context in (True, False):
                with self.subTest(name, keeps_context=keeps_context):
                    def refer(owner):
                        own = context(on_dispatch=owner.keep)
                        return engine(context=own), own if keeps_context else None
                    self.check(refer)

    def test_prepared_calls_keep_their_arrays_which_may_refer_to_them(self):
        def reduce(x, _):
            return pykindred.PreparedBulk.reduce("sum", x)

        def in_sequence(x, out):
            passes = pykindred.SeedSequence()
            passes.add(pykindred.SeedLayer(8, 2), x, out=out)
            return passes

        def array():
            return np.ones((20, 8), np.float32).view(Array)

        bulk, layers = pykindred.PreparedBulk, pykindred.PreparedLayer
        for call in (lambda x, out: bulk.element_wise("square", [x], out=[out]),
                     reduce,
                     lambda x, out: layers.norm(x, out=out),
                     lambda x, out: layers.linear(x, x[:8].copy(), out=out), in_sequence):
            for of in ("x", "out") if call is not reduce else "x":
                def refer(kept):
                    prepared = call(kept, array()) if of == "x" else call(array(), kept)
                    prepared.run()
                    return prepared
                with self.subTest(of):
                    self.check(refer, array)
                    kept = array()
                    kept_by, prepared = weakref.ref(kept), refer(kept)
                    del kept
                    gc.collect()
                    self.assertIsNotNone(kept_by())
                    prepared.run()
                    prepared.close()
                    del prepared
                    gc.collect()
                    self.assertIsNone(kept_by())

    def test_a_graph_that_the_arrays_that_it_uses_in_place_refer_to(self):
        arrays = [np.int64([0, 1, 2]), np.int32([1, 0]), np.float32([1, 0.5])]
        for kind in (lambda array: array.view(Array), Exported):
            for of in range(3):
                with self.subTest(of=of, kind=kind):
                    def refer(kept):
                        given = [*arrays[:of], kept, *arrays[of + 1:]]
                        graph = pykindred.SpreadingEngine.from_csr(*given, copy=False)
                        graph.spread([0])
                        return graph
                    self.check(refer, lambda: kind(arrays[of]))

    def test_arrays_of_a_graph_are_released_by_a_merge_during_collections(self):
        ends = np.int32([1, 0]).view(Array)
        graph = pykindred.SpreadingEngine.from_csr(np.int64([0, 1, 2]), ends, copy=False, merge_share=1e-9)
        ends.graph, kept = graph, weakref.ref(ends)
        del ends
        gc.collect()
        self.assertIsNotNone(kept())
        graph.add_edges([0], [0])
        while kept() is not None:  # the watchdog ends it
            gc.collect()
        self.assertEqual(len(graph.spread([0])), 1)

    def test_callbacks_are_called_while_anything_needs_them(self):
        records = []
        own = context(on_dispatch=lambda record: records.append(record))
        index = pykindred.VectorIndex(ROWS, context=own)
        del own
        gc.collect()
        index.search(ROWS[0], 2)
        self.assertEqual([(record.operation, record.items) for record in records], [("search", 300)])
        prepared_score = pykindred.PreparedScore(index, 4)
        del index
        gc.collect()
        prepared_score.score(ROWS[0], np.array([1, 2]))


if __name__ == "__main__":
    unittest.main()
