# SPDX-License-Identifier: Apache-2.0
import copy
import difflib
import pickle
import tempfile
import unittest
from pathlib import Path

import numpy as np

import pykindred
from support import generator

MEASURES = ("lcs", "difflib", "levenshtein", "osa", "prefix", "postfix", "jaro-winkler", "token-sort", "token-set")


def texts(name, count, letters="abcä☃ ", longest=20):
    random = generator(name)
    return ["".join(random.choice(list(letters), random.integers(0, longest))) for _ in range(count)]


def lcs(a, b):
    """The length of the longest common subsequence by its definition."""
    row = [0] * (len(b) + 1)
    for x in a:
        above = row[:]
        for j, y in enumerate(b):
            row[j + 1] = above[j] + 1 if x == y else max(above[j + 1], row[j])
    return row[-1]


def levenshtein(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a):
        above, row = row, [i + 1]
        for j, y in enumerate(b):
            row.append(min(above[j + 1] + 1, row[j] + 1, above[j] + (x != y)))
    return row[-1]


class Pairs(unittest.TestCase):
    def test_values_of_the_definitions(self):
        for a, b in zip(texts("a", 60), texts("b", 60), strict=True):
            both = len(a) + len(b)
            self.assertEqual(pykindred.similarity(a, b), 2 * lcs(a, b) / both if both else 0)
            self.assertEqual(pykindred.similarity(a, b, measure="difflib"), difflib.SequenceMatcher(None, a, b, False).ratio())
            query = pykindred.PreparedQuery(b, measure="levenshtein")
            self.assertEqual(query.distance(a), levenshtein(a, b))
            self.assertEqual(query.matched(a), max(len(a), len(b)) - levenshtein(a, b))

    def test_blocks_are_those_of_difflib(self):
        for a, b in zip(texts("a", 30), texts("b", 30), strict=True):
            expected = difflib.SequenceMatcher(None, a, b, False).get_matching_blocks()[:-1]
            found = pykindred.PreparedQuery(b, measure="difflib").blocks(a)
            self.assertEqual(found.dtype, np.uint32)
            self.assertEqual([tuple(block) for block in found.tolist()], [tuple(block) for block in expected])

    def test_sequences_of_all_kinds(self):
        query = pykindred.PreparedQuery("abca")
        for same in ("abca", b"abca", bytearray(b"abca"), list("abca"), tuple("abca"), np.frombuffer(b"abca", np.uint8),
                     np.array([97, 98, 99, 97], np.uint32)):
            self.assertEqual(query.similarity(same), 1)
        items = [("x", 1), None, 3, "word", 3.0]
        self.assertEqual(pykindred.similarity(items, items), 1)
        self.assertEqual(pykindred.similarity(items, [3, ("x", 1)]), 2 / 7)  # 3 == 3.0
        self.assertEqual(pykindred.similarity("a\ud800b", "a\ud800b"), 1)
        self.assertEqual(pykindred.similarity("\U0010ffff\0", "\U0010ffff\0"), 1)
        self.assertEqual(pykindred.similarity("ab", "ax", score_cutoff=0.9), 0)
        for empty in ("", b"", [], np.zeros(0, np.uint32)):
            self.assertEqual(pykindred.similarity(empty, "a"), 0)

    def test_wrong_arguments_are_named(self):
        for call, error, message in ((lambda: pykindred.similarity(1, "a"), TypeError, "pattern is of type int"),
                                     (lambda: pykindred.similarity("a", None), TypeError, "query is of type NoneType"),
                                     (lambda: pykindred.similarity([[]], "a"), TypeError, "not hashable"),
                                     (lambda: pykindred.similarity(np.zeros(3), "a"), TypeError, "pattern is float64"),
                                     (lambda: pykindred.similarity(np.zeros((3, 1), np.uint32), "a"), ValueError, "pattern"),
                                     (lambda: pykindred.similarity("a", "a", measure="jaro"), ValueError, "measure is 'jaro'"),
                                     (lambda: pykindred.similarity("a", "a", score_cutoff=2), ValueError, "cutoff"),
                                     (lambda: pykindred.similarity("a", "a", score_cutoff="x"), TypeError, "score_cutoff"),
                                     (lambda: pykindred.similarity("a", "a", autojunk=True), ValueError, "autojunk")):
            with self.subTest(message), self.assertRaisesRegex(error, message) as raised:
                call()
            self.assertIsInstance(raised.exception, pykindred.Error)


class SequenceMatcher(unittest.TestCase):
    def test_equals_a_loop_over_pairs(self):
        patterns, queries = texts("patterns", 70), texts("queries", 5)
        matcher = pykindred.SequenceMatcher(patterns)
        self.assertEqual((len(matcher), repr(matcher)), (70, "<pykindred.SequenceMatcher: 70 patterns>"))
        for measure in MEASURES:
            for space in ("serial", "openmp"):
                found = matcher.match(queries, measure=measure, threshold=0.3, top=7, space=space)
                self.assertEqual(len(found), 5)
                for query, (scores, ids) in zip(queries, found, strict=True):
                    prepared = pykindred.PreparedQuery(query, measure=measure)
                    expected = sorted((-prepared.similarity(pattern), i) for i, pattern in enumerate(patterns))
                    expected = [(i, -score) for score, i in expected if -score >= 0.3 and query][:7]
                    self.assertEqual(list(zip(ids.tolist(), scores.tolist(), strict=True)), expected)

    def test_options(self):
        patterns = texts("patterns", 50)
        matcher = pykindred.SequenceMatcher(patterns)
        query = patterns[3] + "x"
        everything = matcher.match(query, threshold=0, top=None)
        self.assertEqual(sorted(everything.ids), list(range(50)))
        self.assertEqual(everything.scores.dtype, np.float64)
        only = matcher.match(query, threshold=0, top=None, filter=np.int64([9, 3, 9]))
        self.assertEqual(sorted(only.ids), [3, 9])
        self.assertEqual(len(matcher.match(query, threshold=0, filter=[]).ids), 0)
        blocks = matcher.match([query], blocks=True, top=3, measure="difflib")
        for i, pattern in enumerate(blocks.ids):
            np.testing.assert_array_equal(blocks.blocks(i), pykindred.PreparedQuery(query, measure="difflib").blocks(patterns[pattern]))
            self.assertEqual(blocks.blocks(i)[:, 2].sum(), blocks.matched[i])
        with self.assertRaises(ValueError):
            everything.blocks(0)
        with self.assertRaises(IndexError):
            blocks.blocks(3)
        self.assertEqual(pykindred.last_record().items, 50)

    def test_patterns_of_words(self):
        words = pykindred.Vocabulary()
        patterns = words.encode([["the", "cat"], ["the", "dog", "sat"], []], add=True)
        matcher = pykindred.SequenceMatcher(patterns)
        found = matcher.match(words.encode([["the", "cat", "sat"], ["unknown"]]))
        self.assertEqual((found[0][1].tolist(), found[0][0].tolist(), len(found[1][1])), ([0, 1], [4 / 5, 4 / 6], 0))
        self.assertEqual([words.decode(row) for row in patterns], [["the", "cat"], ["the", "dog", "sat"], []])
        self.assertEqual(len(pykindred.SequenceMatcher([np.uint32([1, 2]), b"ab", "x"]).match("ab", top=1).ids), 1)

    def test_duplicates_and_clusters(self):
        patterns = ["kindred", "kindret", "other", "kindred", "othes", ""]
        matcher = pykindred.SequenceMatcher(patterns)
        found = matcher.match_self(measure="levenshtein", threshold=0.7)
        self.assertEqual([ids.tolist() for _, ids in found], [[], [0], [], [0, 1], [2], []])
        clusters = matcher.cluster(measure="levenshtein", threshold=0.7)
        self.assertEqual(clusters.cluster_of.tolist(), [0, 0, 1, 0, 1, 2])
        self.assertEqual((clusters.offsets.tolist(), clusters.members.tolist()), ([0, 3, 5, 6], [0, 1, 3, 2, 4, 5]))
        self.assertEqual(clusters.representatives.tolist(), [0, 2, 5])

    def test_scores_of_all_pairs_are_those_of_each_pair(self):
        patterns, queries = [*texts("scores", 40), ""], [*texts("scores queries", 9), ""]
        matcher = pykindred.SequenceMatcher(patterns)
        for measure in MEASURES:
            pairs = [[pykindred.PreparedQuery(query, measure=measure) for query in queries], patterns]
            similarities = np.array([[query.similarity(pattern) for pattern in patterns] for query in pairs[0]])
            distances = np.array([[query.distance(pattern) for pattern in patterns] for query in pairs[0]])
            for space in ("serial", "openmp"):
                for dtype in (np.float32, np.float64):
                    found = matcher.score_all(queries, measure=measure, dtype=dtype, space=space)
                    self.assertEqual((found.dtype, found.shape), (dtype, (10, 41)))
                    np.testing.assert_array_equal(found, similarities.astype(dtype), measure)
                    found = matcher.score_all(queries, measure=measure, value="distance", dtype=dtype, space=space)
                    np.testing.assert_array_equal(found, distances.astype(dtype), measure)
            counts = measure not in ("jaro-winkler", "token-sort", "token-set")
            found = matcher.score_all(queries, measure=measure, value="distance")
            self.assertEqual(found.dtype, np.int32 if counts else np.float32)
            np.testing.assert_array_equal(found, distances.astype(found.dtype))
            if counts:
                np.testing.assert_array_equal(matcher.score_all(queries, measure=measure, value="distance", dtype="uint8"), distances)
                np.testing.assert_array_equal(matcher.score_all(queries, measure=measure, value="distance", score_cutoff=4), np.where(distances > 4, 5, distances))
            np.testing.assert_array_equal(matcher.score_all(queries, measure=measure, dtype="float64", score_cutoff=0.4),
                                          np.where(similarities < 0.4, 0, similarities))
        self.assertEqual(matcher.score_all("x" * 300, measure="levenshtein", value="distance", dtype=np.uint8).max(), 255)
        for query in ("ab", np.uint32([97, 98]), ["ab"]):
            np.testing.assert_array_equal(matcher.score_all(query), matcher.score_all(["ab", "c"])[:1])

    def test_scores_go_to_the_array_of_the_caller(self):
        patterns, queries = texts("out", 33), texts("out queries", 5)
        matcher = pykindred.SequenceMatcher(patterns)
        expected = matcher.score_all(queries, measure="osa")
        for out in (np.full((5, 33), 7, np.float32), np.full((5, 40), 7, np.float32)[:, 3:36], np.full(165, 7, np.float32)):
            self.assertIs(matcher.score_all(queries, measure="osa", out=out), out)
            np.testing.assert_array_equal(out.reshape(5, 33), expected)
        whole = np.full((5, 40), 7, np.int32)
        matcher.score_all(queries, value="distance", out=whole[:, 3:36])
        self.assertTrue((whole[:, :3] == 7).all() and (whole[:, 36:] == 7).all())
        locked = np.zeros((5, 33), np.float32)
        locked.flags.writeable = False
        for call, error, message in ((lambda: matcher.score_all(queries, out=np.zeros((5, 32), np.float32)), ValueError, "out"),
                                     (lambda: matcher.score_all(queries, out=np.zeros((4, 33), np.float32)), ValueError, "out"),
                                     (lambda: matcher.score_all(queries, out=np.zeros((33, 5), np.float32).T), ValueError, "out"),
                                     (lambda: matcher.score_all(queries, out=np.zeros((5, 33), np.float16)), ValueError, "out"),
                                     (lambda: matcher.score_all(queries, out=np.zeros((5, 33), np.int32)), ValueError, "int32"),
                                     (lambda: matcher.score_all(queries, out=locked), ValueError, "out"),
                                     (lambda: matcher.score_all(queries, out=[1.0]), TypeError, "out"),
                                     (lambda: matcher.score_all(queries, out=locked, dtype="float32"), ValueError, "dtype is given with out"),
                                     (lambda: matcher.score_all(queries, dtype="int8"), ValueError, "dtype"),
                                     (lambda: matcher.score_all(queries, dtype="x"), TypeError, "dtype is 'x'"),
                                     (lambda: matcher.score_all(queries, dtype="int32"), ValueError, "int32"),
                                     (lambda: matcher.score_all(queries, value="x"), ValueError, "value"),
                                     (lambda: matcher.score_all(queries, measure="x"), ValueError, "measure"),
                                     (lambda: matcher.score_all(queries, score_cutoff=1.5), ValueError, "cutoff"),
                                     (lambda: matcher.score_all(queries, score_cutoff=float("nan")), ValueError, "cutoff"),
                                     (lambda: matcher.score_all(queries, value="distance", score_cutoff=1.5), ValueError, "cutoff"),
                                     (lambda: matcher.score_all(queries, score_cutoff="x"), TypeError, "score_cutoff"),
                                     (lambda: matcher.score_all(queries, autojunk=True), ValueError, "autojunk"),
                                     (lambda: matcher.score_all(3), TypeError, "queries is of type int"),
                                     (lambda: matcher.score_all([1]), TypeError, "queries has an item of type int"),
                                     (lambda: matcher.score_all(queries, space="x"), ValueError, "space")):
            with self.subTest(message), self.assertRaisesRegex(error, message) as raised:
                call()
            self.assertIsInstance(raised.exception, pykindred.Error)

    def test_patterns_are_read_back_and_pickled(self):
        given = ["abc", "", "ä☃", "abcabc" * 30]
        matcher = pykindred.SequenceMatcher(given, residency="host")
        patterns = matcher.patterns()
        self.assertEqual(["".join(map(chr, row)) for row in patterns], given)
        self.assertEqual((patterns.offsets.dtype, patterns.symbols.dtype), (np.int64, np.uint32))
        info = matcher.statistics()
        self.assertEqual((info["patterns"], info["device_bytes"]), (len(given), 0))
        self.assertGreaterEqual(info["host_bytes"], patterns.symbols.nbytes)
        expected = matcher.match(["abcab", "☃"], threshold=0)
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            found = pickle.loads(pickle.dumps(matcher, protocol)).match(["abcab", "☃"], threshold=0)
            np.testing.assert_array_equal(found.ids, expected.ids)
            np.testing.assert_array_equal(found.scores, expected.scores)
        self.assertEqual(len(copy.copy(pykindred.SequenceMatcher([]))), 0)
        words = pykindred.Sequences(np.int64([0, 2, 3]), np.uint32([7, 2**32 - 2, 7]))
        np.testing.assert_array_equal(copy.deepcopy(pykindred.SequenceMatcher(words)).patterns().symbols, words.symbols)
        matcher.close()
        for call in (matcher.patterns, lambda: pickle.dumps(matcher)):
            with self.assertRaisesRegex(pykindred.Error, "closed"):
                call()

    def test_nothing_to_match(self):
        empty = pykindred.SequenceMatcher([])
        self.assertEqual((len(empty), len(empty.match(["a", "b"])), len(empty.match([]))), (0, 2, 0))
        self.assertEqual((empty.score_all(["a", "b"]).shape, empty.score_all([]).shape), ((2, 0), (0, 0)))

    def test_wrong_arguments_are_named(self):
        matcher = pykindred.SequenceMatcher(["a", "b"])
        wide = pykindred.Sequences
        for call, error, message in ((lambda: pykindred.SequenceMatcher("abc"), TypeError, "patterns is one sequence"),
                                     (lambda: pykindred.SequenceMatcher(3), TypeError, "patterns is of type int"),
                                     (lambda: pykindred.SequenceMatcher([["a"]]), TypeError, "patterns has an item of type list"),
                                     (lambda: pykindred.SequenceMatcher([None]), TypeError, "patterns has an item"),
                                     (lambda: matcher.match([1]), TypeError, "queries has an item of type int"),
                                     (lambda: matcher.match(wide(np.int64([0, 5]), np.uint32([1]))), ValueError, "offsets"),
                                     (lambda: matcher.match(wide(np.int64([0, -1]), np.uint32([1]))), ValueError, "offsets"),
                                     (lambda: matcher.match(wide(np.int64([0, 2, 1]), np.uint32([1]))), ValueError, ""),
                                     (lambda: matcher.match(wide(np.int64([0, 5, 1]), np.uint32([1]))), ValueError, ""),
                                     (lambda: matcher.match(wide(np.int64([0, 1]), np.int64([1]))), TypeError, "symbols"),
                                     (lambda: matcher.match("a", top=0), ValueError, "top is 0"),
                                     (lambda: matcher.match("a", threshold=1.5), ValueError, "threshold"),
                                     (lambda: matcher.match("a", filter=[2]), ValueError, "2"),
                                     (lambda: matcher.match("a", filter=[-1]), ValueError, "filter"),
                                     (lambda: matcher.match("a", postings="x"), ValueError, "postings"),
                                     (lambda: matcher.match("a", blocks=1), TypeError, "blocks"),
                                     (lambda: matcher.cluster(threshold=0), ValueError, "threshold"),
                                     (lambda: matcher.cluster(linkage="x"), ValueError, "linkage")):
            with self.subTest(message), self.assertRaisesRegex(error, message) as raised:
                call()
            self.assertIsInstance(raised.exception, pykindred.Error)
        matcher.close()
        with self.assertRaisesRegex(pykindred.Error, "closed"):
            matcher.match("a")


class Vocabulary(unittest.TestCase):
    def test_numbers_texts(self):
        words = pykindred.Vocabulary(["b", "a", "b"])
        self.assertEqual((len(words), words.find("a"), words.find("c"), words.add("c"), words.text(2)), (3 - 1, 1, None, 2, "c"))
        self.assertEqual((list(words), "a" in words, "x" in words, 3 in words), (["b", "a", "c"], True, False, False))
        words.add_all(["z", "y"], sorted=True)
        self.assertEqual(list(words)[3:], ["y", "z"])
        self.assertEqual(words.statistics()["symbols"], 5)
        for text in ("", "ä☃\U0001f600", "\0", "\udc80"):
            self.assertEqual(words.text(words.add(text)), text)
        self.assertEqual(words.find(b"\x80"), words.find("\udc80"))
        np.testing.assert_array_equal(words.encode([["b", "new"]]).symbols, [0, 2**32 - 1])

    def test_files_and_pickles(self):
        words = pykindred.Vocabulary(texts("words", 200))
        with tempfile.TemporaryDirectory() as folder:
            words.save(Path(folder, "words"))
            self.assertEqual(list(pykindred.Vocabulary.load(Path(folder, "words"))), list(words))
        self.assertEqual(list(pickle.loads(pickle.dumps(words))), list(words))
        with self.assertRaises(pykindred.CorruptFile):
            pykindred.Vocabulary.from_bytes(words.to_bytes()[:-1])

    def test_wrong_arguments_are_named(self):
        words = pykindred.Vocabulary()
        for call, error, message in ((lambda: words.add(3), TypeError, "text is of type int"), (lambda: words.text(0), KeyError, "0"),
                                     (lambda: words.text(-1), ValueError, "symbol"), (lambda: words.text(2**40), ValueError, "symbol"),
                                     (lambda: words.add_all("abc"), TypeError, "texts is one text"), (lambda: words.add_all(3), TypeError, "texts"),
                                     (lambda: words.encode("abc"), TypeError, "sequences"), (lambda: words.encode(["abc"]), TypeError, "sequences"),
                                     (lambda: words.encode([[3]]), TypeError, "sequences"), (lambda: words.add("\ud800"), ValueError, "surrogate"),
                                     (lambda: words.decode(np.uint32([7])), KeyError, "7"), (lambda: words.decode([7]), TypeError, "symbols")):
            with self.subTest(message), self.assertRaisesRegex(error, message) as raised:
                call()
            self.assertIsInstance(raised.exception, pykindred.Error)


if __name__ == "__main__":
    unittest.main()
