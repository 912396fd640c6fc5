# SPDX-License-Identifier: Apache-2.0
"""Objects may be used, changed and closed by several threads, and calls release the GIL."""
import threading
import unittest

import numpy as np

import pykindred
from engines import ENGINES, ROWS, TEXTS
from pykindred import PreparedBulk, distance, fuzz, process
from support import run, same
from watchdog import ThreadedTest, in_threads, while_running

# A call that reads an object, in any number of threads.
READS = {
    "Bulk": lambda one: one.reduce("sum", ROWS),
    "HnswIndex": lambda one: one.search(ROWS[:20], 3),
    "KeyedVectorIndex": lambda one: one.search(ROWS[:20], 3),
    "Lattice": lambda one: one.distances([0]),
    "PatternMemory": lambda one: one.match([[["a"], ["7"]]]),
    "PreparedBulk": lambda one: one.run().copy(),
    "PreparedLayer": lambda one: one.run().copy(),
    "PreparedScore": lambda one: one.score(ROWS[7], np.arange(300)),
    "SeedLayer": lambda one: one.forward(ROWS),
    "SeedSequence": lambda one: one.run(),
    "SequenceMatcher": lambda one: one.match(TEXTS[:5], top=2),
    "SpreadingEngine": lambda one: one.spread([0, 3]),
    "VectorIndex": lambda one: one.search(ROWS[:50], 5),
}
# What belongs to no context.
OTHERS = {
    "Choices": (lambda: process.Choices(TEXTS), lambda one: process.extract(TEXTS[5], one)),
    "functions": (lambda: None, lambda _: (
        pykindred.layer_norm_act(ROWS), pykindred.top_rows(ROWS[3], ROWS, 3),
        process.extract(TEXTS[5], TEXTS), pykindred.similarity(TEXTS[0], TEXTS[1]))),
    "difflib": (lambda: pykindred.difflib.SequenceMatcher(None, "", TEXTS[7] * 20, False),
                lambda one: (one.set_seq1(TEXTS[8] * 20), one.ratio())),
}

class Threads(ThreadedTest):
    def test_calls_agree(self):
        of_engines = {name: (ENGINES[name], read) for name, read in READS.items()}
        self.assertEqual(list(of_engines), list(ENGINES))
        for name, (make, read) in (of_engines | OTHERS).items():
            with self.subTest(name):
                one = make()
                expected = read(one)

                def work(one=one, read=read, expected=expected):
                    return all(same(read(one), expected) for _ in range(20))
                self.assertEqual(in_threads(*[work] * 4), [True] * 4)

    def test_all_scores_during_changes(self):
        index = pykindred.VectorIndex(ROWS)
        shapes, _ = while_running(
            lambda: {index.score_all(ROWS[:2], space="serial").shape for _ in range(3000)},
            lambda: index.remove(index.add(ROWS[:3])))
        self.assertLessEqual(shapes, {(2, 300), (2, 303)})

    def test_runs_of_prepared_calls_follow_each_other(self):
        a = np.zeros(40_000)
        prepared = PreparedBulk.element_wise("add", a, 1, out=a)
        in_threads(*[lambda: [prepared.run() for _ in range(50)]] * 4)
        np.testing.assert_array_equal(a, 200)

    def test_objects_are_closed_meanwhile(self):
        for name, read in READS.items():
            for _ in range(3):
                one, started = ENGINES[name](), threading.Event()

                def use(one=one, read=read, started=started):
                    with self.assertRaisesRegex(pykindred.Error, "is closed"):
                        while True:
                            read(one)
                            started.set()

                def close(one=one, started=started):
                    started.wait()
                    one.close()
                with self.subTest(name):
                    in_threads(use, use, use, close)

    def test_arrays_cannot_be_resized_during_a_call(self):
        """An array that another thread resizes, frees or drops meanwhile."""
        run("""
            import threading, numpy as np, pykindred
            rows = np.random.default_rng(1).standard_normal((20_000, 32)).astype(np.float32)
            index, data, refused = pykindred.VectorIndex(rows), bytearray(rows[:2000].tobytes()), 0
            def searching(queries):
                options = {"space": "serial", "path": "brute_force"}
                thread = threading.Thread(target=index.search, args=(queries, 1), kwargs=options)
                thread.start()
                return thread
            for _ in range(3):
                queries = np.frombuffer(data, np.float32).reshape(-1, 32)
                thread = searching(queries)
                del queries  # the call keeps it
                while thread.is_alive():
                    try:
                        data.extend(b"....")
                        del data[-4:]
                    except BufferError:
                        refused += 1
                own = rows[:2000].copy()
                thread = searching(own)
                while thread.is_alive():
                    try:
                        own.resize((4000, 32))
                    except ValueError:  # it is referenced
                        refused += 1
                thread.join()
            assert refused > 0
        """)

    def test_a_list_that_another_thread_changes(self):
        choices = [f"text {i}" for i in range(100_000)]

        def change():
            del choices[50_000:]
            choices.extend("".join(["other ", str(i)]) for i in range(1000))

        def extract():
            for _ in range(30):
                found = process.extract("text 9", choices, limit=20, scorer=fuzz.ratio)
                for choice, score, _ in found:
                    self.assertEqual(score, fuzz.ratio("text 9", choice))
        while_running(extract, change)

    def test_a_list_that_an_item_changes(self):
        class Changing:
            def __init__(self, items):
                self.items = items

            def __len__(self):
                return 1

            def __getitem__(self, i):
                if i > 0:
                    raise IndexError
                self.items.clear()
                return "a"

        for before in (0, 1, 2000):
            choices = ["".join(["b", str(i)]) for i in range(before)]
            choices += [Changing(choices), *(f"a{i}" for i in range(3000))]
            first = choices[before]
            found = process.extract("a", choices, scorer=distance.Levenshtein.distance, limit=None)
            self.assertEqual((found[0], len(found), choices), ((first, 0, before), before + 1, []))


if __name__ == "__main__":
    unittest.main()
