# SPDX-License-Identifier: Apache-2.0
import unittest

import numpy as np

import pykindred
from pykindred import EventLists, PatternMemory, PatternSettings
from support import generator, same

SETTINGS = PatternSettings(background_sync=False, sync_threshold=10**6)


def patterns(name, count, words="abcdefg", longest=5):
    random = generator(name)

    def event():
        return random.choice(list(words), random.integers(1, 3)).tolist()
    return [[event() for _ in range(random.integers(1, longest))] for _ in range(count)]


def flat(pattern):
    return [word for event in pattern for word in event]


def memory_of(given, **options):
    memory = PatternMemory(settings=SETTINGS, **options)
    memory.learn_all(given)
    return memory


class Memory(unittest.TestCase):
    def test_matches_have_the_similarities_of_the_definition(self):
        given, queries = patterns("patterns", 33), patterns("queries", 5)
        distinct = [one for i, one in enumerate(given) if one not in given[:i]]
        memory, vocabulary = memory_of(given), pykindred.Vocabulary(list("abcdefg"))
        expected = pykindred.SequenceMatcher(vocabulary.encode(map(flat, distinct))).match(
            vocabulary.encode(map(flat, queries)), top=None, threshold=0)
        self.assertEqual(len(memory), len(distinct))
        for sync in (False, True):
            if sync:
                self.assertEqual(memory.sync().left, 0)
            for asked in (queries, memory.encode(queries)):
                found = memory.match(asked, top=None, threshold=0)
                self.assertTrue(same(list(found), list(expected)))
        self.assertEqual(len(PatternMemory().match([])), 0)

    def test_learning_counts_and_names(self):
        memory = PatternMemory()
        self.assertEqual(memory.learn([["a"], ["b"]], name="one"), (0, 1, True))
        self.assertEqual(memory.learn([["a"], ["b"]], name="two", times=4), (0, 5, False))
        self.assertEqual(memory.learn((("a", b"\x80"),)).index, 1)
        asked = ("one", [["a"], ["b"]], "two", [["b"]])
        self.assertEqual([memory.find(one) for one in asked], [0, 0, None, None])
        self.assertEqual(("one" in memory, [["a"]] in memory), (True, False))
        self.assertEqual(memory.find_all(["x", "one"]).tolist(), [-1, 0])
        self.assertEqual(memory.names([1, 0, 7]), [None, "one", None])
        self.assertEqual(memory.pattern(1), (1, None, [["a", "\udc80"]], 1))
        self.assertEqual(memory.symbols(), ["a", "b", "\udc80"])
        self.assertEqual(memory.symbol_frequencies().tolist(), [6, 5, 1])
        memory.set_frequency(0, 2)
        self.assertEqual([memory.frequency(index) for index in (0, 1, 2)], [2, 1, 0])
        forgotten = [memory.forget(one) for one in ("one", "one", 1, 1)]
        self.assertEqual((forgotten, len(memory)), ([True, False, True, False], 0))
        self.assertEqual(memory.learn([["c"]]).index, 2)
        memory.clear()
        self.assertEqual((len(memory), memory.statistics()["learned"]), (0, 3))
        self.assertEqual(memory.learn([["c"]]).index, 3)

    def test_many_patterns_at_once_equal_one_after_another(self):
        given, names = [[["x"], ["y", "a"]], [["a"]], [["x"], ["y", "a"]]], ["one", None, None]
        lists = EventLists(np.int64([0, 2, 3, 5]), np.int64([0, 1, 3, 4, 5, 7]),
                           np.uint32([1, 2, 0, 0, 1, 2, 0]))
        for asked, dictionary in ((given, None), (iter(given), None), (lists, ["a", "x", "y"])):
            memory = PatternMemory(settings=SETTINGS)
            options = {"dictionary": dictionary, "names": names, "times": np.arange(1, 4)}
            found = memory.learn_all(asked, **options)
            self.assertEqual([values.tolist() for values in found],
                             [[0, 1, 0], [1, 2, 4], [True, True, False]])
            self.assertEqual([memory.pattern(index)[1:] for index in (0, 1)],
                             [("one", given[0], 4), (None, given[1], 2)])
        own = EventLists(np.int64([0, 1]), np.int64([0, 2]), np.uint32([1, 0]))
        memory = memory_of([[["x"], ["y"]]])
        index = int(memory.learn_all(own).indices[0])
        self.assertEqual((memory.pattern(index).events, len(own)), ([["y", "x"]], 1))

    def test_predictions(self):
        memory = memory_of([[["a"], ["b", "c"], ["d"], ["e"]], [["a"], ["q"]]])
        best, other = memory.predict([["b"], ["x"], ["d"]], threshold=0)[:2]
        self.assertEqual((best.index, best.past, best.future), (0, [["a"]], [["e"]]))
        self.assertEqual((best.present, best.missing), ([["b", "c"], ["d"]], [["c"], []]))
        self.assertEqual((best.matches, best.extras), (["b", "d"], [[], ["x"], []]))
        self.assertEqual((best.matched, best.similarity, best.weighted_snr), (2, 2 * 2 / 8, None))
        self.assertEqual((best.blocks.dtype, other.index), (np.uint32, 1))
        self.assertEqual(len(memory.predict([["a"]], filter=[1])), 1)
        self.assertEqual(memory.predict([["never"]]), [])
        weighted = memory.predict([["a"]], weights=np.ones(6), rank_by="weighted_similarity",
                                  threads=1, space="serial")
        self.assertIsNotNone(weighted[0].weighted_snr)
        fuzzy = memory_of([[["kitten"], ["dog"]]]).predict([["kittens"], ["dog"]],
                                                           fuzzy_token_threshold=0.7)
        self.assertEqual(fuzzy[0].anomalies[0][:2], ("kittens", "kitten"))

    def test_levels(self):
        given, query = [[["kitten"]], [["mitten", "x"]]], [[["kittens"]]]
        memory, characters = memory_of(given), memory_of(given, level="character")
        for found in (memory.match(query, level="character"), characters.match(query)):
            self.assertEqual((found.ids.tolist(), found.scores.tolist()),
                             ([0, 1], [2 * 6 / 13, 2 * 5 / 15]))
        self.assertEqual((characters.level, len(memory.match(query).ids)), ("character", 0))
        blocks = memory.match(given[:1], level="character", blocks=True, measure="difflib")
        self.assertEqual(blocks.blocks(0).tolist(), [[0, 0, 6]])

    def test_synchronisation_and_training(self):
        memory = PatternMemory(settings=PatternSettings(background_sync=False, sync_threshold=3))
        with memory.training():
            for index in range(5):
                memory.learn([[str(index)]])
            self.assertTrue(memory.sync_statistics()["training"])
            self.assertEqual(memory.statistics()["recent"], 5)
            with self.assertRaisesRegex(ValueError, "training"):
                memory.begin_training()
        last = memory.sync_statistics()["last"]
        self.assertEqual((last.trigger, last.moved), ("training", 5))
        memory.learn([["x"]])
        self.assertEqual(memory.sync()[:3], ("manual", 1, 0))
        self.assertEqual(sum(memory.sync_statistics()["syncs"].values()), 2)


if __name__ == "__main__":
    unittest.main()
