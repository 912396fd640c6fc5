# SPDX-License-Identifier: Apache-2.0
"""pykindred.difflib gives the results of the standard library's difflib, whose own tests run
against it."""
import copy
import difflib as standard
import importlib
import pickle
import unittest
from fractions import Fraction
from unittest import mock

import numpy as np

import pykindred.difflib
from pykindred.difflib import SequenceMatcher, get_close_matches
from support import generator

try:
    standard_tests = importlib.import_module("test.test_difflib")
except ImportError:  # Debian has them in libpython3.11-testsuite
    standard_tests = None

LENGTHS = (0, 1, 2, 3, 31, 32, 33, 64, 65, 199, 200, 201, 260)
LETTERS = ("ab", "abcdefgh \n", "aä☃\U0001f600" + "".join(map(chr, range(0x400, 0x4ff))))
KINDS = (standard.SequenceMatcher, SequenceMatcher)


def results(matcher):
    part = len(matcher.a) // 3, len(matcher.a), 0, len(matcher.b) // 2
    return {"ratio": matcher.ratio(), "blocks": matcher.get_matching_blocks(),
            "ratio of blocks": matcher.ratio(), "opcodes": matcher.get_opcodes(),
            "groups": [list(matcher.get_grouped_opcodes(n)) for n in (3, 1)],
            "quick": (matcher.quick_ratio(), matcher.real_quick_ratio()),
            "longest": matcher.find_longest_match(), "part": matcher.find_longest_match(*part),
            "tables": (matcher.b2j, matcher.bjunk, matcher.bpopular)}


def pairs(name):
    random = generator(name)
    for letters in LETTERS:
        for length in LENGTHS:
            b, other = ("".join(random.choice(list(letters), size))
                        for size in (length, random.choice(LENGTHS[:9])))
            cut = int(random.integers(0, length + 1))
            yield other, b
            yield b[cut:] + other + b[:cut], b
            yield b[:cut] + other + b[cut:], b


class Results(unittest.TestCase):
    def check(self, a, b, isjunk=None):
        for autojunk in (True, False):
            expected, found = (results(kind(isjunk, a, b, autojunk)) for kind in KINDS)
            for key, value in expected.items():
                self.assertEqual(found[key], value, (key, a, b, autojunk))

    def test_texts_bytes_and_lists(self):
        items = {"a": ("tuple", 1), "b": None}
        for number, (a, b) in enumerate(pairs("text")):
            self.check(a, b)
            self.check(a.encode(), b.encode())
            self.check(*([items.get(letter, letter) for letter in text] for text in (a, b)))
            if number % 4 == 0:
                self.check([ord(c) % 7 / 2 for c in a], tuple(ord(c) % 7 for c in b))

    def test_kinds_are_equal_as_in_python(self):
        class Text(str):
            pass

        for a, b in (("abc", list("abc")), (list("abc"), "abc"), (b"abc", "abc"), ("abc", b"abc"),
                     (b"abc", [97, 98, 99]), ([97, 98, 99], b"abc"), (bytearray(b"abc"), b"abc"),
                     ([1, 2.0, True], [1.0, 2, 1]), (Text("abc"), "abcd"), ("abcd", Text("abc")),
                     (range(9), [3, 4, 5]), (np.arange(5), [2, 3]), ("abc", ("abc",)),
                     ([Fraction(1, 2), "\ud800"], [0.5, "\ud800"])):
            self.check(a, b)

    def test_items_that_do_not_equal_themselves(self):
        nan = float("nan")
        self.check([1, nan, 2], [nan, 2, nan])
        self.check([nan] * 20 + [1, 2, nan, 3], [nan, 1, 2, nan, 3] * 50)

    def test_junk(self):
        for a, b in list(pairs("junk"))[::3]:
            self.check(a, b, lambda item: item in " a")
            self.check(a, b, lambda item: item == "not there")

    def test_sequences_may_be_set_again(self):
        matchers = [kind() for kind in KINDS]
        for a, b in [("", ""), *list(pairs("again"))[::5]]:
            for name, given in (("set_seq1", (a,)), ("set_seq2", (b,)), ("set_seqs", (b, list(a)))):
                for matcher in matchers:
                    getattr(matcher, name)(*given)
                self.assertEqual(results(matchers[1]), results(matchers[0]))

    def test_pickles_and_copies(self):
        for isjunk in (None, str.isspace):
            matcher = SequenceMatcher(isjunk, "private thread", "private volatile")
            for made in (copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))):
                other = made(matcher)
                self.assertEqual(results(other), results(matcher))
                self.assertIsInstance(other, standard.SequenceMatcher)

    def test_wrong_sequences(self):
        for a, b in (("a", [[]]), ([[]], "a"), ([[]], ["a"]), ("a", 3), (3, "a")):
            for kind in KINDS:
                with self.assertRaises(TypeError):
                    kind(None, a, b).ratio()


class CloseMatches(unittest.TestCase):
    def test_equal_those_of_the_standard_library(self):
        random = generator("close")
        words = ["".join(random.choice(list("abcde"), random.integers(0, 9))) for _ in range(200)]

        def check(*given):
            self.assertEqual(get_close_matches(*given), standard.get_close_matches(*given))
        for word in (*words[:20], "", "abc" * 80):
            for n, cutoff in ((3, 0.6), (1, 0.0), (500, 0.0), (500, 0.5), (10, 1.0)):
                check(word, words, n, cutoff)
                check(list(word), list(map(list, words)), n, cutoff)
        check(words[0] * 40, [word * 40 for word in words], 50, 0.1)
        self.assertEqual(get_close_matches("ab", iter(["ab", "b"])), ["ab", "b"])

    def test_wrong_arguments_are_refused(self):
        for n, cutoff in ((0, 0.6), (-1, 0.6), (3, -0.1), (3, 1.1), (3, float("nan"))):
            with self.assertRaises(ValueError) as expected:
                standard.get_close_matches("a", ["a"], n, cutoff)
            with self.assertRaises(pykindred.InvalidArgument) as found:
                get_close_matches("a", ["a"], n, cutoff)
            self.assertEqual(str(found.exception), str(expected.exception))


@unittest.skipIf(standard_tests is None, "the module test.test_difflib is missing")
class StandardTests(unittest.TestCase):
    def test_pass_with_our_class_and_function(self):
        result = unittest.TestResult()
        ours = {"SequenceMatcher": SequenceMatcher, "get_close_matches": get_close_matches}
        with mock.patch.multiple(standard, **ours):
            unittest.defaultTestLoader.loadTestsFromModule(standard_tests).run(result)
        self.assertGreater(result.testsRun, 30)
        failed = [str(test) + text for test, text in result.failures + result.errors]
        self.assertEqual(failed, [])


if __name__ == "__main__":
    unittest.main()
