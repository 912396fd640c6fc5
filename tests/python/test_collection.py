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

    def check(self, make):
        """What ``make`` returns refers to itself and is collected."""
        made = weakref.ref(make())
        gc.collect()
        self.assertIsNone(made())

    def test_a_context_with_callbacks_of_its_owner(self):
        for names in (["on_dispatch"], ["log"], ["on_dispatch", "log"]):
            def make():
                owner = Owner()
                owner.context = context(threads=2, **dict.fromkeys(names, owner.keep))
                return owner
            with self.subTest(names):
                self.check(make)

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
                    def make():
                        owner = Owner()
                        own = context(on_dispatch=owner.keep)
                        owner.engine = engine(context=own)
                        if keeps_context:
                            owner.context = own
                        return owner
                    self.check(make)

    def test_a_closed_engine(self):
        def make():
            owner = Owner()
            owner.engine = pykindred.VectorIndex(ROWS, context=context(log=owner.keep))
            owner.engine.close()
            return owner
        self.check(make)

    def test_a_layer_that_calls_its_owner(self):
        def make():
            owner = Owner()
            owner.layer = pykindred.SeedLayer(8, 2, on_transition=owner.keep)
            owner.layer.germinate(0, owner.layer.add_blueprint("a", np.ones(8, np.float32)))
            self.assertEqual(owner.given[0], 0)
            return owner
        self.check(make)

    def test_prepared_calls_that_their_arrays_refer_to(self):
        def in_sequence(x, out):
            passes = pykindred.SeedSequence()
            passes.add(pykindred.SeedLayer(8, 2), x, out=out)
            return passes

        bulk, layers = pykindred.PreparedBulk, pykindred.PreparedLayer
        for call in (lambda x, out: bulk.element_wise("square", x, out=out),
                     lambda x, out: layers.norm(x, out=out),
                     lambda x, out: layers.linear(x, x[:8].copy(), out=out), in_sequence):
            for of in ("x", "out"):
                with self.subTest(of):
                    def make():
                        x, out = (np.ones((20, 8), np.float32).view(Array) for _ in range(2))
                        kept = x if of == "x" else out
                        kept.prepared = call(x, out)
                        kept.prepared.run()
                        return kept
                    self.check(make)

    def test_a_graph_that_the_arrays_that_it_uses_in_place_refer_to(self):
        for kind in (lambda array: array.view(Array), Exported):
            for of in range(3):
                with self.subTest(of=of, kind=kind):
                    def make():
                        arrays = [np.int64([0, 1, 2]), np.int32([1, 0]), np.float32([1, 0.5])]
                        kept = arrays[of] = kind(arrays[of])
                        kept.graph = pykindred.SpreadingEngine.from_csr(*arrays, copy=False)
                        kept.graph.spread([0])
                        return kept
                    self.check(make)

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

    def test_queries_whose_items_refer_to_them(self):
        for kind in (pykindred.PreparedQuery,
                     lambda items: pykindred.difflib.SequenceMatcher(None, items, items)):
            def make():
                item = Owner()
                item.query = kind([item, "b"])
                return item
            self.check(make)

    def test_callbacks_are_called_while_anything_needs_them(self):
        records = []
        own = context(on_dispatch=lambda record: records.append(record))
        index = pykindred.VectorIndex(ROWS, context=own)
        del own
        gc.collect()
        index.search(ROWS[0], 2)
        self.assertEqual(len(records), 1)
        prepared_score = pykindred.PreparedScore(index, 4)
        del index
        gc.collect()
        prepared_score.score(ROWS[0], np.array([1, 2]))


if __name__ == "__main__":
    unittest.main()
