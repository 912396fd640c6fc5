# SPDX-License-Identifier: Apache-2.0
"""No thread waits for another with the GIL held, and no callback runs under a lock of an engine."""
import sys
import threading
import time
import unittest

import numpy as np

import pykindred
from engines import ENGINES, ROWS
from support import context, run
from watchdog import ThreadedTest, while_running

SPACES = ("serial", "openmp")


class Readers(ThreadedTest):
    def test_do_not_wait_for_a_pass_of_a_seed_layer_nor_keep_it_from_checking_signals(self):
        layer = pykindred.SeedLayer(1024, 256, context=context(threads=2))
        rows = np.ones((30_000, 1024), np.float32)

        def read():
            self.assertEqual((layer.epoch, len(layer)), (0, 256))
            repr(layer), layer.state(), layer.statistics()
        for space in SPACES:
            # A reader that waited for the pass would read once or twice.
            _, reads = while_running(lambda: layer.forward(rows, space=space), read)
            self.assertGreater(len(reads), 3)
            stop = threading.Event()
            reader = threading.Thread(target=lambda: [repr(layer) for _ in iter(stop.is_set, True)])
            reader.start()
            layer.forward(rows, space=space)  # of the main thread, which checks signals
            stop.set()
            reader.join()

    def test_a_vocabulary_that_another_thread_fills_keeps_nobody_waiting(self):
        vocabulary = pykindred.Vocabulary()
        vocabulary.add("known")
        texts = [b"text %d" % i for i in range(1_500_000)]
        read = threading.Event()

        def items():
            yield from texts
            read.set()  # from here on, the call uses no objects of Python

        def tick():
            read.wait()
            time.sleep(0.001)

        def add():
            read.wait()
            self.assertEqual(vocabulary.add("known"), 0)
            vocabulary.statistics()
            return vocabulary.add("new")
        _, ticks, added = while_running(lambda: vocabulary.add_all(items()), tick, add)
        self.assertGreater(len(ticks), 10, "all of Python stood still")
        self.assertLessEqual(len(set(added)), 1)
        self.assertEqual(vocabulary.statistics()["symbols"], 1_500_001 + len(set(added)))


def forward(space):
    return lambda one: one.forward(ROWS, space=space)


def backward(space):
    return lambda one: one.backward(ROWS, ROWS, space=space)


# What a callback does with an object, and the calls that call it.
CALLBACKS = {
    "SeedLayer": (
        lambda one: (one.epoch, one.step(), one.forward(ROWS), one.update([0], alpha=0.5)),
        [call(space) for call in (forward, backward) for space in (None, *SPACES)]),
    "VectorIndex": (
        lambda one: (one.add(ROWS[:1]), one.remove([int(one.ids[-1])]), one.search(ROWS[0], 2)),
        [lambda one: one.search(ROWS[:3], 2), lambda one: one.search_at_least(ROWS[:3], 0.5),
         lambda one: one.score(ROWS[:1], np.int64([[1, 2]])), lambda one: one.score_all(ROWS[:3])]),
    "KeyedVectorIndex": (
        lambda one: (one.upsert([7], ROWS[:1]), one.search(ROWS[0], 2)),
        [lambda one: one.search(ROWS[:3], 2), lambda one: one.search_at_least(ROWS[:3], 0.5)]),
    "SequenceMatcher": (
        lambda one: (one.match("text 7", measure="token-set", top=1), one.score_all("text 7")),
        [lambda one: one.match("text 5", top=1), lambda one: one.score_all("text 5"),
         lambda one: one.match("5 text", measure="token-sort", top=1)]),
    "PatternMemory": (
        lambda one: (one.learn([["x"], [str(len(one))]]), one.forget(0), one.sync()),
        [lambda one: one.match([[["a"], ["3"]]]), lambda one: one.predict([["a"]])]),
    "SpreadingEngine": (
        lambda one: (one.add_edges([0], [2]), one.spread([{0: 1.0}])),
        [lambda one: one.spread([{0: 1.0}]), lambda one: one.hop(np.ones(300, np.float32))]),
}


class Callbacks(ThreadedTest):
    def test_may_read_and_change_the_object_whose_call_they_belong_to(self):
        for name, (use, calls) in CALLBACKS.items():
            seen, made, inside = [], [], threading.local()

            def called(*given, seen=seen, made=made, inside=inside, use=use):
                if getattr(inside, "is_within", False) or not made:
                    return
                inside.is_within = True
                try:
                    use(made[0])
                    repr(made[0]), made[0].statistics()
                    seen.append(given)
                finally:
                    inside.is_within = False
            own = context(threads=2, on_dispatch=called, log=called)
            made.append(ENGINES[name](context=own))
            for call in calls:
                with self.subTest(name):
                    before = len(seen)
                    call(made[0])
                    self.assertGreater(len(seen), before)

    def test_of_a_transition_may_use_the_layer(self):
        seen = []
        layer = pykindred.SeedLayer(8, 2, on_transition=lambda *change: seen.append(
            (change, layer.epoch, repr(layer), layer.state())))
        blueprint = layer.add_blueprint("a", np.ones(8, np.float32))
        self.assertTrue(layer.germinate(0, blueprint).accepted)
        self.assertEqual(len(seen), 1)


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
            """, PYTHONPATH=":".join(sys.path))


if __name__ == "__main__":
    unittest.main()
