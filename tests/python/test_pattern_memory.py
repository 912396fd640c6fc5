# SPDX-License-Identifier: Apache-2.0
import copy
import pickle
import tempfile
import threading
import unittest
from pathlib import Path

import numpy as np

import pykindred
from support import generator, run

SETTINGS = pykindred.PatternSettings(background_sync=False, sync_threshold=10**6)


def patterns(name, count, words="abcdefg", longest=5):
    random = generator(name)
    return [[[str(word) for word in random.choice(list(words), random.integers(1, 3))] for _ in range(random.integers(1, longest))]
            for _ in range(count)]


def flat(pattern):
    return [word for event in pattern for word in event]


def similarity(pattern, query):
    a, b = flat(pattern), flat(query)
    row = [0] * (len(b) + 1)
    for x in a:
        above = row[:]
        for j, y in enumerate(b):
            row[j + 1] = above[j] + 1 if x == y else max(above[j + 1], row[j])
    return 2 * row[-1] / (len(a) + len(b))


def memory_of(given, **options):
    memory = pykindred.PatternMemory(settings=SETTINGS, **options)
    memory.learn_all(given)
    return memory


class PatternMemory(unittest.TestCase):
    def test_matches_have_the_similarities_of_the_definition(self):
        for count in (0, 1, 2, 33):
            given = patterns("patterns", count)
            memory, distinct = memory_of(given), []
            for pattern in given:
                distinct += [] if pattern in distinct else [pattern]
            self.assertEqual(len(memory), len(distinct))
            queries = patterns("queries", 5)
            for sync in (False, True):
                if sync:
                    self.assertEqual(memory.sync().left, 0)
                found = memory.match(queries, top=None, threshold=0)
                for query, (scores, ids) in zip(queries, found, strict=True):
                    expected = sorted((-similarity(pattern, query), index) for index, pattern in enumerate(distinct))
                    self.assertEqual([(-score, index) for score, index in zip(scores.tolist(), ids.tolist(), strict=True)], expected)
                again = memory.match(memory.encode(queries), top=None, threshold=0)
                np.testing.assert_array_equal(again.ids, found.ids)
        self.assertEqual(len(pykindred.PatternMemory().match([])), 0)

    def test_learning_counts_and_names(self):
        memory = pykindred.PatternMemory()
        self.assertEqual(memory.learn([["a"], ["b"]], name="one"), (0, 1, True))
        self.assertEqual(memory.learn([["a"], ["b"]], name="two", times=4), (0, 5, False))
        self.assertEqual(memory.learn((("a", b"\x80"),)).index, 1)
        self.assertEqual((memory.find("one"), memory.find([["a"], ["b"]]), memory.find("two"), memory.find([["b"]])), (0, 0, None, None))
        self.assertEqual(("one" in memory, [["a"]] in memory), (True, False))
        self.assertEqual((memory.find_all(["x", "one"]).tolist(), memory.names([1, 0, 7])), ([-1, 0], [None, "one", None]))
        self.assertEqual(memory.pattern(1), (1, None, [["a", "\udc80"]], 1))
        self.assertEqual((memory.symbols(), memory.symbol_frequencies().tolist()), (["a", "b", "\udc80"], [6, 5, 1]))
        memory.set_frequency(0, 2)
        self.assertEqual([memory.frequency(index) for index in (0, 1, 2)], [2, 1, 0])
        self.assertEqual((memory.forget("one"), memory.forget("one"), memory.forget(1), memory.forget(1), len(memory)),
                         (True, False, True, False, 0))
        self.assertEqual(memory.learn([["c"]]).index, 2)
        memory.clear()
        self.assertEqual((len(memory), memory.statistics()["learned"], memory.learn([["c"]]).index), (0, 3, 3))

    def test_many_patterns_at_once_equal_one_after_another(self):
        given = patterns("patterns", 60, longest=3)
        names = [None if index % 3 else f"name {index}" for index in range(60)]
        names = [name if given.index(pattern) == index else None for index, (name, pattern) in enumerate(zip(names, given, strict=True))]
        one = pykindred.PatternMemory(settings=SETTINGS)
        expected = [one.learn(pattern, name=name, times=index + 1) for index, (pattern, name) in enumerate(zip(given, names, strict=True))]
        texts = sorted({word for pattern in given for word in flat(pattern)})
        lists = pykindred.EventLists(np.cumsum([0] + [len(pattern) for pattern in given]),
                                     np.cumsum([0] + [len(event) for pattern in given for event in pattern]),
                                     np.uint32([texts.index(word) for pattern in given for word in flat(pattern)]))
        for patterns_given, dictionary in ((given, None), (iter(given), None), (lists, texts)):
            memory = pykindred.PatternMemory(settings=SETTINGS)
            found = memory.learn_all(patterns_given, dictionary=dictionary, names=names, times=np.arange(1, 61))
            self.assertEqual(list(zip(*(values.tolist() for values in found), strict=True)), [tuple(row) for row in expected])
            self.assertEqual([memory.pattern(index) for index in range(len(one))], [one.pattern(index) for index in range(len(one))])
        own = pykindred.EventLists(np.int64([0, 1]), np.int64([0, 2]), np.uint32([1, 0]))
        memory = memory_of([[["x"], ["y"]]])
        index = int(memory.learn_all(own).indices[0])
        self.assertEqual((memory.pattern(index).events, len(own)), ([["y", "x"]], 1))

    def test_predictions(self):
        memory = memory_of([[["a"], ["b", "c"], ["d"], ["e"]], [["a"], ["q"]]])
        best, other = memory.predict([["b"], ["x"], ["d"]], threshold=0)[:2]
        self.assertEqual((best.index, best.past, best.present, best.future), (0, [["a"]], [["b", "c"], ["d"]], [["e"]]))
        self.assertEqual((best.matches, best.missing, best.extras, best.matched), (["b", "d"], [["c"], []], [[], ["x"], []], 2))
        self.assertEqual((best.similarity, best.weighted_snr, best.blocks.dtype, other.index), (2 * 2 / 8, None, np.uint32, 1))
        self.assertEqual(len(memory.predict([["a"]], filter=[1])), 1)
        self.assertEqual(memory.predict([["never"]]), [])
        weighted = memory.predict([["a"]], weights=np.ones(6), rank_by="weighted_similarity", threads=1, space="serial")
        self.assertIsNotNone(weighted[0].weighted_snr)
        fuzzy = memory_of([[["kitten"], ["dog"]]]).predict([["kittens"], ["dog"]], fuzzy_token_threshold=0.7)
        self.assertEqual(fuzzy[0].anomalies[0][:2], ("kittens", "kitten"))

    def test_levels(self):
        memory = memory_of([[["kitten"]], [["mitten", "x"]]])
        found = memory.match([[["kittens"]]], level="character")
        self.assertEqual((found.ids.tolist(), found.scores.tolist()), ([0, 1], [2 * 6 / 13, 2 * 5 / 15]))
        characters = memory_of([[["kitten"]], [["mitten", "x"]]], level="character")
        self.assertEqual((characters.match([[["kittens"]]]).scores.tolist(), characters.level), (found.scores.tolist(), "character"))
        self.assertEqual(len(memory.match([[["kittens"]]]).ids), 0)
        blocks = memory.match([[["kitten"]]], level="character", blocks=True, measure="difflib")
        self.assertEqual(blocks.blocks(0).tolist(), [[0, 0, 6]])

    def test_synchronisation_and_training(self):
        memory = pykindred.PatternMemory(settings=pykindred.PatternSettings(background_sync=False, sync_threshold=3))
        with memory.training():
            for index in range(5):
                memory.learn([[str(index)]])
            self.assertEqual((memory.sync_statistics()["training"], memory.statistics()["recent"]), (True, 5))
            with self.assertRaisesRegex(ValueError, "training"):
                memory.begin_training()
        self.assertEqual((memory.sync_statistics()["last"].trigger, memory.sync_statistics()["last"].moved), ("training", 5))
        memory.learn([["x"]])
        self.assertEqual(memory.sync()[:3], ("manual", 1, 0))
        self.assertEqual(sum(memory.sync_statistics()["syncs"].values()), 2)

    def test_files_bytes_and_pickles(self):
        given = patterns("patterns", 50)
        memory = memory_of(given, level="character")
        memory.forget(3)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "memory")
            memory.save(path)
            memory.learn([["new"]], name="new")
            memory.append(path)
            self.assertEqual((pykindred.PatternMemory.inspect(path)["patterns"], pykindred.PatternMemory.inspect(path)["commits"]), (len(memory), 2))
            others = [pykindred.PatternMemory.load(path, level="character"), pickle.loads(pickle.dumps(memory, 5)),
                      pickle.loads(pickle.dumps(memory, 2)), copy.copy(memory),
                      pykindred.PatternMemory.from_bytes(memory.to_bytes(), level="character", context=pykindred.Context(threads=1))]
            expected = memory.match(given, top=None)
            for other in others:
                self.assertEqual((len(other), repr(other)), (len(memory), f"<pykindred.PatternMemory: {len(memory)} patterns, level character>"))
                self.assertEqual((other.find("new"), 3 in other.match(given, top=None).ids), (memory.find("new"), False))
                np.testing.assert_array_equal(other.match(given, top=None).ids, expected.ids)
            with self.assertRaises(pykindred.NotFound):
                pykindred.PatternMemory.load(Path(folder, "none"))
        with self.assertRaises(pykindred.CorruptFile):
            pykindred.PatternMemory.from_bytes(memory.to_bytes()[:-1])

    def test_learning_during_searches(self):
        given, failures, done = patterns("patterns", 200), [], threading.Event()
        memory = pykindred.PatternMemory(settings=pykindred.PatternSettings(sync_threshold=50))
        first = memory.learn([["first"]]).index

        def read():
            try:
                while not done.is_set():
                    self.assertEqual(memory.match([[["first"]]], top=1).ids.tolist(), [first])
            except Exception as error:
                failures.append(error)
        threads = [threading.Thread(target=read) for _ in range(3)]
        for thread in threads:
            thread.start()
        for pattern in given:
            learned = memory.learn(pattern)
            if learned.index % 3 == 0:
                memory.forget(learned.index)
        memory.sync()
        done.set()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_a_background_thread_does_not_outlive_the_interpreter(self):
        run("""
            import pykindred
            kept = pykindred.PatternMemory(settings=pykindred.PatternSettings(sync_threshold=1))
            kept.learn([["a"]])
        """)

    def test_wrong_arguments_are_named(self):
        memory = memory_of([[["a"]], [["b"]]])
        lists = pykindred.EventLists
        for call, error, message in ((lambda: pykindred.PatternMemory(level="word"), ValueError, "level is 'word'"),
                                     (lambda: pykindred.PatternMemory(settings=3), TypeError, "settings is of type int"),
                                     (lambda: pykindred.PatternMemory(settings=SETTINGS._replace(memory_fraction=2)), ValueError, "MEMORY_FRACTION|memory"),
                                     (lambda: pykindred.PatternMemory(settings=SETTINGS._replace(enabled=1)), TypeError, "enabled"),
                                     (lambda: memory.learn("abc"), TypeError, "events has a pattern of type str"),
                                     (lambda: memory.learn(["abc"]), TypeError, "events has an event of type str"),
                                     (lambda: memory.learn([[3]]), TypeError, "events is of type int"),
                                     (lambda: memory.learn(3), TypeError, "events"), (lambda: memory.learn([["\ud800"]]), ValueError, "surrogate"),
                                     (lambda: memory.learn([["a"]], times=0), ValueError, "times is 0"),
                                     (lambda: memory.learn([["a"]], name=3), TypeError, "name"),
                                     (lambda: memory.learn_all([[["a"]]], names=[]), ValueError, "names"),
                                     (lambda: memory.learn_all([[["a"]]], times=[1, 2]), ValueError, "times"),
                                     (lambda: memory.learn_all([[["a"]]], dictionary=["a"]), TypeError, "dictionary"),
                                     (lambda: memory.learn_all(lists(np.int64([0, 1]), np.int64([0, 1]), np.uint32([9]))), ValueError, "9"),
                                     (lambda: memory.learn_all(lists(np.int64([0, 1]), np.int64([0, 5]), np.uint32([0]))), ValueError, ""),
                                     (lambda: memory.learn_all(lists(np.int64([0, -1]), np.int64([0, 1]), np.uint32([0]))), ValueError, "offsets"),
                                     (lambda: memory.learn_all(lists(np.int64([0, 1]), np.int64([0, 1]), np.int64([0]))), TypeError, "symbols"),
                                     (lambda: memory.learn_all(3), TypeError, "patterns"),
                                     (lambda: memory.set_frequency(9, 1), KeyError, "9"), (lambda: memory.set_frequency(0, 0), ValueError, "frequency"),
                                     (lambda: memory.forget(-1), ValueError, "pattern"), (lambda: memory.forget(1.5), TypeError, "pattern"),
                                     (lambda: memory.pattern(9), KeyError, "9"), (lambda: memory.find_all([None]), TypeError, "names"),
                                     (lambda: memory.find_all("abc"), TypeError, "names"), (lambda: memory.names("abc"), TypeError, "indices"),
                                     (lambda: memory.match([["abc"]]), TypeError, "queries has an event of type str"),
                                     (lambda: memory.match([], top=0), ValueError, "top is 0"),
                                     (lambda: memory.match([], level="x"), ValueError, "level"),
                                     (lambda: memory.match([[["a"]]], filter=[5]), ValueError, "5"),
                                     (lambda: memory.match([[["a"]]], measure="token-set"), ValueError, "token-set"),
                                     (lambda: memory.predict([["a"]], rank_by="luck"), ValueError, "rank_by is 'luck'"),
                                     (lambda: memory.predict([["a"]], rank_by=3), TypeError, "rank_by"),
                                     (lambda: memory.predict([["a"]], weights=np.ones(3, np.float32)), TypeError, "weights"),
                                     (lambda: memory.predict([["a"]], weights=np.ones(0)), ValueError, "weights"),
                                     (lambda: memory.predict([["a"]], weights=np.ones(len(memory.symbols()) - 1)), ValueError, "weights"),
                                     (lambda: memory.predict([["a"]], weights=np.ones(len(memory.symbols()) + 1)), ValueError, "weights"),
                                     (lambda: memory.predict([["a"]], measure="jaro-winkler"), ValueError, ""),
                                     (lambda: memory.end_training(), ValueError, "training"),
                                     (lambda: memory.append("/nonexistent/file"), (ValueError, KeyError), "")):
            with self.subTest(message), self.assertRaisesRegex(error, message) as raised:
                call()
            self.assertIsInstance(raised.exception, pykindred.Error)
        self.assertEqual(len(memory), 2)
        memory.close()
        self.assertEqual(repr(memory), "<pykindred.PatternMemory: closed>")
        for call in (lambda: memory.match([]), lambda: memory.learn([["a"]]), lambda: len(memory), memory.to_bytes, memory.statistics):
            with self.assertRaisesRegex(pykindred.Error, "closed"):
                call()


if __name__ == "__main__":
    unittest.main()
