# SPDX-License-Identifier: Apache-2.0
import unittest

import numpy as np

import pykindred
from support import same
from test_rapidfuzz import texts

COUNTS = ("lcs", "difflib", "levenshtein", "osa", "prefix", "postfix")  # measures that count edits


class Pairs(unittest.TestCase):
    def test_values(self):
        self.assertEqual(pykindred.similarity("kitten", "sitting"), 2 * 4 / 13)
        self.assertEqual(pykindred.similarity("kitten", "sitting", measure="levenshtein"), 4 / 7)
        query = pykindred.PreparedQuery("kitten", measure="levenshtein")
        self.assertEqual((query.distance("sitting"), query.matched("sitting")), (3, 4))
        blocks = pykindred.PreparedQuery("kitten", measure="difflib").blocks("sitting")
        self.assertEqual((blocks.dtype, blocks.tolist()), (np.uint32, [[1, 1, 3], [5, 5, 1]]))

    def test_sequences_of_all_kinds(self):
        query = pykindred.PreparedQuery("abca")
        for kind in (str, str.encode, lambda text: bytearray(text.encode()), list, tuple,
                     lambda text: np.frombuffer(text.encode(), np.uint8),
                     lambda text: np.array(list(map(ord, text)), np.uint32)):
            self.assertEqual(query.similarity(kind("abca")), 1)
            self.assertEqual(pykindred.similarity(kind(""), "a"), 0)
        items = [("x", 1), None, 3, "word", 3.0]
        self.assertEqual(pykindred.similarity(items, items), 1)
        self.assertEqual(pykindred.similarity(items, [3, ("x", 1)]), 2 / 7)  # 3 == 3.0
        for text in ("a\ud800b", "\U0010ffff\0"):
            self.assertEqual(pykindred.similarity(text, text), 1)
        self.assertEqual(pykindred.similarity("ab", "ax", score_cutoff=0.9), 0)


class SequenceMatcher(unittest.TestCase):
    def test_equals_a_loop_over_pairs(self):
        patterns, queries = [*texts("patterns", 70), ""], [*texts("queries", 5), ""]
        matcher = pykindred.SequenceMatcher(patterns)
        self.assertEqual((len(matcher), repr(matcher)),
                         (71, "<pykindred.SequenceMatcher: 71 patterns>"))
        for measure in (*COUNTS, "jaro-winkler", "token-sort", "token-set"):
            prepared = [pykindred.PreparedQuery(query, measure=measure) for query in queries]
            for kind in ("distance", "similarity"):
                expected = np.array([[getattr(query, kind)(pattern) for pattern in patterns]
                                     for query in prepared])
                for dtype in (None, np.float32, np.float64):
                    found = matcher.score_all(queries, measure=measure, value=kind, dtype=dtype)
                    np.testing.assert_array_equal(found, expected.astype(found.dtype))
                    is_count = measure in COUNTS and kind == "distance"
                    self.assertEqual(found.dtype, dtype or (np.int32 if is_count else np.float32))
            for space in ("serial", "openmp"):
                found = matcher.match(queries, measure=measure, threshold=0.3, top=7, space=space)
                for query, row, (scores, ids) in zip(queries, expected, found, strict=True):
                    order = [i for i in np.argsort(-row, kind="stable") if row[i] >= 0.3 and query]
                    self.assertTrue(same([scores, ids], [row[order[:7]], np.int64(order[:7])]))
        far = {"measure": "levenshtein", "value": "distance"}
        self.assertEqual(matcher.score_all("x" * 300, **far, dtype=np.uint8).max(), 255)
        self.assertEqual(matcher.score_all("x" * 300, **far, score_cutoff=4).max(), 5)
        self.assertEqual(matcher.score_all("x" * 300, score_cutoff=0.4).max(), 0)

    def test_options(self):
        patterns = texts("patterns", 50)
        matcher, query = pykindred.SequenceMatcher(patterns), patterns[3] + "x"
        everything = matcher.match(query, threshold=0, top=None)
        self.assertEqual((sorted(everything.ids), everything.scores.dtype),
                         (list(range(50)), np.float64))
        only = matcher.match(query, threshold=0, top=None, filter=np.int64([9, 3, 9]))
        self.assertEqual(sorted(only.ids), [3, 9])
        self.assertEqual(len(matcher.match(query, threshold=0, filter=[]).ids), 0)
        blocks = matcher.match([query], blocks=True, top=3, measure="difflib")
        prepared = pykindred.PreparedQuery(query, measure="difflib")
        for i, pattern in enumerate(blocks.ids):
            self.assertTrue(same(blocks.blocks(i), prepared.blocks(patterns[pattern])))
            self.assertEqual(blocks.blocks(i)[:, 2].sum(), blocks.matched[i])
        with self.assertRaisesRegex(ValueError, "blocks=True"):
            everything.blocks(0)
        with self.assertRaises(IndexError):
            blocks.blocks(3)
        self.assertEqual(pykindred.last_record().items, 50)

    def test_patterns_of_words(self):
        words = pykindred.Vocabulary()
        given = [["the", "cat"], ["the", "dog", "sat"], []]
        patterns = words.encode(given, add=True)
        self.assertEqual([words.decode(row) for row in patterns], given)
        found = pykindred.SequenceMatcher(patterns).match(
            words.encode([["the", "cat", "sat"], ["unknown"]]))
        self.assertEqual((found.ids.tolist(), found.scores.tolist(), found.offsets.tolist()),
                         ([0, 1], [4 / 5, 4 / 6], [0, 2, 2]))
        mixed = pykindred.SequenceMatcher([np.uint32([1, 2]), b"ab", "x"])
        for query in ("ab", np.uint32([97, 98]), ["ab"]):
            self.assertEqual(mixed.match(query, top=1).ids.tolist(), [1])
            self.assertTrue(same(mixed.score_all(query), mixed.score_all(["ab", "c"])[:1]))

    def test_duplicates_and_clusters(self):
        matcher = pykindred.SequenceMatcher(["kindred", "kindret", "other", "kindred", "othes", ""])
        options = {"measure": "levenshtein", "threshold": 0.7}
        found = matcher.match_self(**options)
        self.assertEqual([ids.tolist() for _, ids in found], [[], [0], [], [0, 1], [2], []])
        clusters = matcher.cluster(**options)
        self.assertEqual(clusters.cluster_of.tolist(), [0, 0, 1, 0, 1, 2])
        self.assertEqual((clusters.offsets.tolist(), clusters.members.tolist()),
                         ([0, 3, 5, 6], [0, 1, 3, 2, 4, 5]))
        self.assertEqual(clusters.representatives.tolist(), [0, 2, 5])

    def test_scores_go_to_a_flat_array_too(self):
        matcher, out = pykindred.SequenceMatcher(texts("out", 33)), np.zeros(165, np.float32)
        self.assertIs(matcher.score_all(texts("out queries", 5), out=out), out)
        expected = matcher.score_all(texts("out queries", 5))
        np.testing.assert_array_equal(out.reshape(5, 33), expected)

    def test_patterns_are_read_back(self):
        given = ["abc", "", "ä☃", "abcabc" * 30]
        matcher = pykindred.SequenceMatcher(given, residency="host")
        patterns, told = matcher.patterns(), matcher.statistics()
        self.assertEqual(["".join(map(chr, row)) for row in patterns], given)
        self.assertEqual((patterns.offsets.dtype, patterns.symbols.dtype), (np.int64, np.uint32))
        self.assertEqual((told["patterns"], told["device_bytes"]), (len(given), 0))
        self.assertGreaterEqual(told["host_bytes"], patterns.symbols.nbytes)

    def test_nothing_to_match(self):
        empty = pykindred.SequenceMatcher([])
        self.assertEqual([len(one) for one in (empty, empty.match(["a", "b"]), empty.match([]))],
                         [0, 2, 0])
        self.assertEqual((empty.score_all(["a", "b"]).shape, empty.score_all([]).shape),
                         ((2, 0), (0, 0)))


class Vocabulary(unittest.TestCase):
    def test_numbers_texts(self):
        words = pykindred.Vocabulary(["b", "a", "b"])
        self.assertEqual((len(words), words.find("a"), words.find("c")), (2, 1, None))
        self.assertEqual((words.add("c"), words.text(2), list(words)), (2, "c", ["b", "a", "c"]))
        self.assertEqual([one in words for one in ("a", "x", 3)], [True, False, False])
        words.add_all(["z", "y"], sorted=True)
        self.assertEqual((list(words)[3:], words.statistics()["symbols"]), (["y", "z"], 5))
        for text in ("", "ä☃\U0001f600", "\0", "\udc80"):
            self.assertEqual(words.text(words.add(text)), text)
        self.assertEqual(words.find(b"\x80"), words.find("\udc80"))
        self.assertEqual(words.encode([["b", "new"]]).symbols.tolist(), [0, 2**32 - 1])


if __name__ == "__main__":
    unittest.main()
