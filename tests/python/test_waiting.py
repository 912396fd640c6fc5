# SPDX-License-Identifier: Apache-2.0
"""No thread waits for another with the GIL held, and no callback runs under a lock of an engine."""
import threading
import time
import unittest

import numpy as np

import pykindred
from support import run, vectors
from watchdog import ThreadedTest, in_threads

SPACES = ("serial", "openmp")


def busy_layer(on_dispatch=None, **options):
    """A layer, and rows whose forward pass takes long enough for signals to be checked."""
    context = pykindred.Context(threads=2, load_profile=False, on_dispatch=on_dispatch)
    return pykindred.SeedLayer(1024, 256, context=context, **options), np.ones((30_000, 1024), np.float32)


class Readers(ThreadedTest):
    def test_those_of_a_seed_layer_do_not_wait_for_a_pass(self):
        for space in SPACES:
            with self.subTest(space=space):
                layer, rows = busy_layer()
                waited = []
                done = threading.Event()

                def read():
                    while not done.is_set():
                        begin = time.perf_counter()
                        self.assertEqual((layer.epoch, len(layer)), (0, 256))
                        repr(layer), layer.state(), layer.statistics()
                        waited.append(time.perf_counter() - begin)

                def compute():
                    try:
                        begin = time.perf_counter()
                        layer.forward(rows, space=space)
                        return time.perf_counter() - begin
                    finally:
                        done.set()

                taken, _ = in_threads(compute, read)
                self.assertGreater(len(waited), 3, "the pass has kept readers waiting")
                self.assertLess(sorted(waited)[len(waited) // 2], taken / 2)

    def test_those_of_the_main_thread_do_not_keep_a_pass_from_checking_signals(self):
        layer, rows = busy_layer()
        started, stop = threading.Event(), threading.Event()

        def read():
            started.set()
            while not stop.is_set():
                repr(layer)

        reader = threading.Thread(target=read, daemon=True)
        reader.start()
        started.wait()
        for space in SPACES:
            layer.forward(rows, space=space)
        stop.set()
        reader.join()

    def test_info_of_a_matcher_does_not_wait_for_the_words(self):
        matcher = pykindred.SequenceMatcher([f"word{i} and {i * 7} others" for i in range(200_000)])
        started, stop = threading.Event(), threading.Event()

        def read():
            started.set()
            while not stop.is_set():
                matcher.statistics()

        reader = threading.Thread(target=read, daemon=True)
        reader.start()
        started.wait()
        before = matcher.statistics()["host_bytes"]
        matcher.match("7 others and word1", measure="token-sort", top=1)
        stop.set()
        reader.join()
        self.assertGreater(matcher.statistics()["host_bytes"], before)

    def test_a_vocabulary_that_another_thread_fills_keeps_nobody_waiting(self):
        vocabulary = pykindred.Vocabulary()
        vocabulary.add("known")
        texts = [b"text %d" % i for i in range(1_500_000)]
        ticks, added, read, done = [], [], threading.Event(), threading.Event()

        def items():
            yield from texts
            read.set()  # from here on, the call uses no objects of Python

        def fill():
            try:
                vocabulary.add_all(items())
            finally:
                done.set()

        def tick():
            read.wait()
            while not done.is_set():
                ticks.append(time.perf_counter())
                time.sleep(0.001)

        def add():
            read.wait()
            while not done.is_set():
                added.append(vocabulary.add("new"))
                self.assertEqual(vocabulary.add("known"), 0)
                vocabulary.statistics()

        in_threads(fill, tick, add)
        self.assertGreater(len(ticks), 10, "all of Python stood still")
        self.assertLessEqual(len(set(added)), 1)
        self.assertEqual(vocabulary.statistics()["symbols"], 1_500_001 + len(set(added)))


class Callbacks(ThreadedTest):
    """Each callback uses the object whose call it belongs to, in every way."""

    def check(self, make, use, calls):
        """Calls with ``on_dispatch`` and ``log`` that read and change the object that ``make(context)`` returns."""
        seen, made, inside = [], [], threading.local()

        def called(*given):
            if getattr(inside, "is_within", False) or not made:
                return
            inside.is_within = True
            try:
                use(made[0])
                seen.append(given)
            finally:
                inside.is_within = False

        context = pykindred.Context(threads=2, load_profile=False, on_dispatch=called, log=called)
        made.append(make(context))
        for call in calls:
            before = len(seen)
            call(made[0])
            self.assertGreater(len(seen), before, call)

    def test_of_a_seed_layer(self):
        rows = vectors("rows", 8, 64)

        def use(layer):
            repr(layer), layer.statistics(), layer.epoch
            layer.step()
            layer.forward(rows)
            layer.update([0], alpha=np.float32([0.5]))

        for space in (None, *SPACES):
            self.check(lambda context: pykindred.SeedLayer(64, 4, context=context), use,
                       [lambda layer: layer.forward(rows, space=space), lambda layer: layer.backward(rows, rows, space=space)])

    def test_of_a_transition_may_use_the_layer(self):
        seen = []
        layer = pykindred.SeedLayer(8, 2, on_transition=lambda *change: seen.append((change, layer.epoch, repr(layer), layer.state())))
        blueprint = layer.add_blueprint("a", np.ones(8, np.float32))
        self.assertTrue(layer.germinate(0, blueprint).accepted)
        self.assertEqual(len(seen), 1)

    def test_of_a_vector_index(self):
        rows = vectors("rows", 300, 16)

        def use(index):
            index.add(rows[:1])
            index.remove([int(index.ids[-1])])
            index.search(rows[0], 2)
            repr(index), index.statistics()

        self.check(lambda context: pykindred.VectorIndex(rows, context=context), use,
                   [lambda index: index.search(rows[:3], 2), lambda index: index.search_at_least(rows[:3], 0.5),
                    lambda index: index.score(rows[:1], np.int64([[1, 2]])), lambda index: index.score_all(rows[:3])])

    def test_of_a_keyed_vector_index(self):
        rows = vectors("rows", 300, 16)

        def use(index):
            index.upsert([7], rows[:1])
            index.search(rows[0], 2)
            repr(index), index.statistics()

        self.check(lambda context: pykindred.KeyedVectorIndex(np.arange(300), rows, context=context), use,
                   [lambda index: index.search(rows[:3], 2), lambda index: index.search_at_least(rows[:3], 0.5)])

    def test_of_a_sequence_matcher(self):
        texts = [f"text {i} of {i * 3}" for i in range(2000)]

        def use(matcher):
            matcher.match("text 7", measure="token-set", top=1)
            matcher.score_all("text 7", measure="token-sort")
            repr(matcher), matcher.statistics()

        self.check(lambda context: pykindred.SequenceMatcher(texts, context=context), use,
                   [lambda matcher: matcher.match("text 5", top=1), lambda matcher: matcher.match("5 text", measure="token-sort", top=1),
                    lambda matcher: matcher.score_all("text 5")])

    def test_of_a_pattern_memory(self):
        def use(memory):
            memory.learn([["x"], [str(len(memory))]])
            memory.forget(0)
            memory.sync()
            repr(memory), memory.statistics()

        def make(context):
            memory = pykindred.PatternMemory(context=context)
            memory.learn_all([[["a"], [str(i)]] for i in range(50)])
            return memory

        self.check(make, use, [lambda memory: memory.match([[["a"], ["3"]]]), lambda memory: memory.predict([["a"]])])

    def test_of_a_spreading_engine(self):
        def use(engine):
            engine.add_edges([0], [2], np.float32([0.5]))
            engine.spread([{0: 1.0}])
            repr(engine), engine.statistics()

        self.check(lambda context: pykindred.SpreadingEngine(5, [0, 1], [1, 2], np.float32([0.5, 0.5]), context=context), use,
                   [lambda engine: engine.spread([{0: 1.0}]), lambda engine: engine.hop(np.ones(5, np.float32))])


class Watchdog(unittest.TestCase):
    def test_ends_a_test_that_hangs(self):
        with self.assertRaisesRegex(AssertionError, r"(?s)Timeout \(0:00:01\)!.*in wait_forever"):
            run("""
                import threading, unittest, watchdog

                class Hangs(watchdog.ThreadedTest):
                    limit = 1

                    def test(self):
                        def wait_forever():
                            threading.Event().wait()
                        watchdog.in_threads(wait_forever)

                unittest.main()
            """, PYTHONPATH=":".join(__import__("sys").path))


if __name__ == "__main__":
    unittest.main()
