# SPDX-License-Identifier: Apache-2.0
"""pykindred.difflib gives the results of the standard library's difflib, whose own tests run against it."""
import copy
import difflib as standard
import importlib
import pickle
import threading
import time
import unittest
from fractions import Fraction
from unittest import mock

import numpy as np

import pykindred.difflib
from support import generator
from watchdog import watch
from pykindred.difflib import SequenceMatcher, get_close_matches

try:
    standard_tests = importlib.import_module("test.test_difflib")
except ImportError:  # Debian has them in libpython3.11-testsuite
    standard_tests = None

LENGTHS = (0, 1, 2, 3, 31, 32, 33, 64, 65, 199, 200, 201, 260)


def results(matcher):
    return {"ratio": matcher.ratio(), "blocks": matcher.get_matching_blocks(), "ratio of blocks": matcher.ratio(), "opcodes": matcher.get_opcodes(),
            "groups": [list(group) for group in (matcher.get_grouped_opcodes(), matcher.get_grouped_opcodes(1))],
            "quick": (matcher.quick_ratio(), matcher.real_quick_ratio()), "longest": matcher.find_longest_match(),
            "part": matcher.find_longest_match(len(matcher.a) // 3, len(matcher.a), 0, len(matcher.b) // 2),
            "tables": (matcher.b2j, matcher.bjunk, matcher.bpopular)}


class Results(unittest.TestCase):
    def check(self, a, b, isjunk=None):
        for autojunk in (True, False):
            expected, found = (results(kind(isjunk, a, b, autojunk)) for kind in (standard.SequenceMatcher, SequenceMatcher))
            for key, value in expected.items():
                self.assertEqual(found[key], value, (key, a, b, autojunk))

    def pairs(self, name):
        random = generator(name)
        for letters in ("ab", "abcdefgh \n", "aä☃\U0001f600" + "".join(map(chr, range(0x400, 0x4ff)))):
            for length in LENGTHS:
                b = "".join(random.choice(list(letters), length))
                other = "".join(random.choice(list(letters), random.choice(LENGTHS[:9])))
                cut = int(random.integers(0, length + 1))
                yield other, b
                yield b[cut:] + other + b[:cut], b
                yield b[:cut] + other + b[cut:], b

    def test_text(self):
        for a, b in self.pairs("text"):
            self.check(a, b)

    def test_bytes_and_lists(self):
        items = {letter: item for letter, item in zip("ab", (("tuple", 1), None), strict=True)}
        for number, (a, b) in enumerate(self.pairs("lists")):
            self.check(a.encode(), b.encode())
            self.check([items.get(letter, letter) for letter in a], [items.get(letter, letter) for letter in b])
            if number % 4 == 0:
                self.check([ord(letter) % 7 / 2 for letter in a], tuple(ord(letter) % 7 for letter in b))

    def test_lines_around_the_length_of_autojunk(self):
        for count in (199, 200, 201):
            b = [f"line {i}\n" if i % 3 else "\n" for i in range(count)]
            self.check(b[5:60] + ["new\n"] + b[70:], b)
            self.check("x" * 30 + "b" * count, "a" + "b" * (count - 1))

    def test_kinds_are_equal_as_in_python(self):
        class Text(str):
            pass

        for a, b in (("abc", list("abc")), (list("abc"), "abc"), (b"abc", "abc"), ("abc", b"abc"), (b"abc", [97, 98, 99]), ([97, 98, 99], b"abc"),
                     (bytearray(b"abc"), b"abc"), ([1, 2.0, True], [1.0, 2, 1]), (Text("abc"), "abcd"), ("abcd", Text("abc")), (range(9), [3, 4, 5]),
                     (np.arange(5), [2, 3]), ("abc", ("abc",)), ([Fraction(1, 2), "\ud800"], [0.5, "\ud800"])):
            self.check(a, b)

    def test_items_that_do_not_equal_themselves(self):
        nan = float("nan")
        self.check([1, nan, 2], [nan, 2, nan])
        self.check([nan] * 20 + [1, 2, nan, 3], [nan, 1, 2, nan, 3] * 50)

    def test_junk(self):
        for a, b in list(self.pairs("junk"))[::3]:
            self.check(a, b, lambda item: item in " a")
            self.check(a, b, lambda item: item == "not there")

    def test_sequences_may_be_set_again(self):
        expected, found = standard.SequenceMatcher(), SequenceMatcher()
        self.assertEqual(results(found), results(expected))
        for a, b in list(self.pairs("again"))[::5]:
            for matcher in (expected, found):
                matcher.set_seq1(a)
            self.assertEqual(results(found), results(expected))
            for matcher in (expected, found):
                matcher.set_seq2(b)
            self.assertEqual(results(found), results(expected))
            for matcher in (expected, found):
                matcher.set_seqs(b, list(a))
            self.assertEqual(results(found), results(expected))

    def test_pickles_and_copies(self):
        for isjunk in (None, str.isspace):
            matcher = SequenceMatcher(isjunk, "private thread", "private volatile")
            others = pickle.loads(pickle.dumps(matcher)), copy.copy(matcher), copy.deepcopy(matcher)
            expected = results(matcher)
            for other in others:
                self.assertEqual(results(other), expected)
                self.assertIsInstance(other, standard.SequenceMatcher)

    def test_threads(self):
        watch(self)
        b, failures = "abcde" * 100, []
        matcher = SequenceMatcher(None, "", b, False)
        expected = standard.SequenceMatcher(None, b[7:300], b, False).ratio()

        def compare():
            try:
                for _ in range(20):
                    matcher.set_seq1(b[7:300])
                    if matcher.ratio() != expected:
                        failures.append(matcher.ratio())
            except Exception as error:
                failures.append(error)
        threads = [threading.Thread(target=compare) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_wrong_sequences(self):
        for call in (lambda kind: kind(None, "a", [[]]), lambda kind: kind(None, [[]], "a").ratio(), lambda kind: kind(None, [[]], ["a"]).ratio(),
                     lambda kind: kind(None, "a", 3), lambda kind: kind(None, 3, "a").ratio()):
            for kind in (standard.SequenceMatcher, SequenceMatcher):
                with self.assertRaises(TypeError):
                    call(kind)


class CloseMatches(unittest.TestCase):
    def test_equal_those_of_the_standard_library(self):
        random = generator("close")
        words = ["".join(random.choice(list("abcde"), random.integers(0, 9))) for _ in range(200)]
        for word in (*words[:20], "", "abc" * 80):
            for n, cutoff in ((3, 0.6), (1, 0.0), (500, 0.0), (500, 0.5), (10, 1.0)):
                self.assertEqual(get_close_matches(word, words, n, cutoff), standard.get_close_matches(word, words, n, cutoff))
                self.assertEqual(get_close_matches(list(word), map(list, words), n, cutoff), standard.get_close_matches(list(word), map(list, words), n, cutoff))
        long = [word * 40 for word in words]
        self.assertEqual(get_close_matches(long[0], long, 50, 0.1), standard.get_close_matches(long[0], long, 50, 0.1))

    def test_wrong_arguments_are_refused(self):
        for n, cutoff in ((0, 0.6), (-1, 0.6), (3, -0.1), (3, 1.1), (3, float("nan"))):
            with self.assertRaises(ValueError) as expected:
                standard.get_close_matches("a", ["a"], n, cutoff)
            with self.assertRaises(pykindred.InvalidArgument) as found:
                get_close_matches("a", ["a"], n, cutoff)
            self.assertEqual(str(found.exception), str(expected.exception))


class Speed(unittest.TestCase):
    def test_a_pair_of_20_items_takes_less_time_than_in_python(self):
        random = generator("speed")
        for length in (20, 100):
            pairs = [("".join(random.choice(list("abcdefgh"), length)), "".join(random.choice(list("abcdefgh"), length))) for _ in range(200)]
            best = {}
            for _ in range(5):
                for kind in (standard.SequenceMatcher, SequenceMatcher):
                    begin = time.perf_counter()
                    for a, b in pairs:
                        kind(None, a, b).ratio()
                    best[kind] = min(best.get(kind, 1e9), time.perf_counter() - begin)
            self.assertLess(best[SequenceMatcher], best[standard.SequenceMatcher], length)


@unittest.skipIf(standard_tests is None, "the module test.test_difflib is missing")
class StandardTests(unittest.TestCase):
    def test_pass_with_our_class_and_function(self):
        result = unittest.TestResult()
        with mock.patch.object(standard, "SequenceMatcher", SequenceMatcher), mock.patch.object(standard, "get_close_matches", get_close_matches):
            unittest.defaultTestLoader.loadTestsFromModule(standard_tests).run(result)
        self.assertGreater(result.testsRun, 30)
        self.assertEqual([str(test) + text for test, text in result.failures + result.errors], [])


if __name__ == "__main__":
    unittest.main()
