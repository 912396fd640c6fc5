# SPDX-License-Identifier: Apache-2.0
"""pykindred.distance, fuzz and process give the results of RapidFuzz."""
import importlib
import math
import pickle
import threading
import types
import unittest
from unittest import mock

import numpy as np

import pykindred
from pykindred import distance, fuzz, process
from support import generator

try:
    rapidfuzz = importlib.import_module("rapidfuzz")
except ImportError:
    rapidfuzz = None

KINDS = ("distance", "similarity", "normalized_distance", "normalized_similarity")
MEASURES = ("Levenshtein", "OSA", "Indel", "LCSseq", "Prefix", "Postfix", "JaroWinkler")
RATIOS = ("ratio", "token_sort_ratio", "token_set_ratio")
SCORERS = {f"{name}.{kind}": getattr(getattr(distance, name), kind) for name in MEASURES for kind in KINDS} | {name: getattr(fuzz, name) for name in RATIOS}


def theirs(name):
    """RapidFuzz's function of that name."""
    measure, _, kind = name.rpartition(".")
    return getattr(getattr(rapidfuzz.distance, measure), kind) if measure else getattr(rapidfuzz.fuzz, kind)


def texts(name, count, letters="abcä☃ ", longest=20):
    random = generator(name)
    return ["".join(random.choice(list(letters), random.integers(0, longest))) for _ in range(count)]


def pairs(name):
    random = generator(name)
    yield from (("", ""), ("", "a"), ("a", ""), ("a", "a"), (" ", "  "), ("a b", "b a"), ("\U0001f600", "\ud800"))
    for longest in (4, 20, 70, 300):
        for a, b in zip(texts(f"{name} a {longest}", 25, longest=longest), texts(f"{name} b {longest}", 25, longest=longest), strict=True):
            cut = int(random.integers(0, len(a) + 1))
            yield a, b
            yield a, a[:cut] + b[:5] + a[cut:]
            yield a, a[cut:] + a[:cut]


@unittest.skipIf(rapidfuzz is None, "rapidfuzz is missing")
class Scorers(unittest.TestCase):
    def check(self, name, a, b, **options):
        expected, found = theirs(name)(a, b, **options), SCORERS[name](a, b, **options)
        if found != expected or (isinstance(expected, float) and expected != 0) and not isinstance(found, float):
            self.fail(f"{name}({a!r}, {b!r}, {options}) is {found!r}; RapidFuzz: {expected!r}")

    def test_equal_bits_for_text(self):
        for name in SCORERS:
            for a, b in pairs("text"):
                self.check(name, a, b)

    def test_equal_bits_with_a_cutoff(self):
        for name, scorer in SCORERS.items():
            for a, b in list(pairs("cutoff"))[::3]:
                score = scorer(a, b)
                step = 1 if isinstance(score, int) else 1e-3 * scorer.scale
                # Not the score itself: RapidFuzz rounds such cutoffs in different ways. Kindred includes it.
                for cutoff in (score + step, score - step, 3 if isinstance(score, int) else 0.5123 * scorer.scale):
                    if cutoff >= 0 and (isinstance(score, int) or cutoff <= scorer.scale) and cutoff != score:
                        self.check(name, a, b, score_cutoff=cutoff)
                self.assertEqual(scorer(a, b, score_cutoff=score), score)

    def test_bytes_and_sequences_of_items(self):
        for name in SCORERS:
            for a, b in list(pairs("items"))[3::5]:
                if "\ud800" in b:
                    continue
                self.check(name, a.encode(), b.encode())
                if "token" not in name:
                    self.check(name, list(a), b)
                    self.check(name, [("x", letter) for letter in a], tuple(("x", letter) for letter in b))
                    self.check(name, [letter * 3 for letter in a], [letter * 3 for letter in b])

    def test_missing_values_and_processors(self):
        for name in SCORERS:
            self.check(name, "AbC d", "abc E", processor=str.lower)
            self.check(name, "AbC d", "abc E", processor=rapidfuzz.utils.default_process)
            if "normalized" in name or "ratio" in name:
                for a, b in ((None, "a"), ("a", None), (float("nan"), "a"), (None, None)):
                    self.check(name, a, b)
                    self.check(name, a, b, processor=str.lower)

    def test_options(self):
        self.assertEqual(distance.Levenshtein.distance("ab", "b", weights=(1, 1, 1), score_hint=3), 1)
        self.assertEqual(distance.JaroWinkler.similarity("ab", "ab", prefix_weight=0.1), 1)


@unittest.skipIf(rapidfuzz is None, "rapidfuzz is missing")
class Process(unittest.TestCase):
    def check(self, query, choices, stored, name, **options):
        scorer = SCORERS[name]
        for limit in (5, 1, 0, 40, None):
            expected = rapidfuzz.process.extract(query, choices, scorer=theirs(name), limit=limit, **options)
            for given in (choices, stored):
                found = process.extract(query, given, scorer=scorer, limit=limit, **options)
                self.assertEqual([(score, key) for _, score, key in found], [(score, key) for _, score, key in expected], (name, query, limit, options))
                self.assertEqual([choice for choice, *_ in found], [choice for choice, *_ in expected])
        expected = list(rapidfuzz.process.extract_iter(query, choices, scorer=theirs(name), **options))
        for given in (choices, stored):
            self.assertEqual(list(process.extract_iter(query, given, scorer=scorer, **options)), expected, (name, query, options))
            self.assertEqual(process.extractOne(query, given, scorer=scorer, **options),
                             rapidfuzz.process.extractOne(query, choices, scorer=theirs(name), **options), (name, query, options))

    def test_text_with_ties_and_missing_values(self):
        choices = texts("choices", 60, "ab ", 7) + [None, "", float("nan"), "a b", "b a"]
        choices += choices[:9]
        stored = process.Choices(choices)
        for name in SCORERS:
            for query in ("ab", "", " ", "b a ab", choices[3] + "b", "xyz", None):
                self.check(query, choices, stored, name)

    def test_cutoffs(self):
        choices = texts("choices", 60, "abc ", 9)
        stored = process.Choices(choices)
        for name, scorer in SCORERS.items():
            scores = sorted(scorer("abc ab", choice) for choice in choices)
            for cutoff in (scores[0], scores[10], scores[30], scores[-1], 0.3123 * scorer.scale):
                within = [score for score in scores if (score <= cutoff if scorer.is_distance else score >= cutoff)]
                for given in (choices, stored):
                    found = process.extract("abc ab", given, scorer=scorer, limit=None, score_cutoff=cutoff)
                    self.assertEqual(sorted(score for _, score, _ in found), within, (name, cutoff))
                # Beside the score: RapidFuzz rounds cutoffs in different ways.
                beside = cutoff if isinstance(scores[0], int) else cutoff + 1e-4 * (1 if scorer.is_distance else -1)
                if 0 <= beside <= scorer.scale or isinstance(scores[0], int):
                    self.check("abc ab", choices, stored, name, score_cutoff=int(beside) if isinstance(scores[0], int) else beside)

    def test_mappings_and_processors(self):
        choices = dict(zip("zyxwvutsr", ["Ab", None, "aB", "", "ABC", "abc d", "B a", "b A", "ä"], strict=True))
        stored = process.Choices(choices, processor=str.lower)
        for name in SCORERS:
            for query in ("AB", "b A", ""):
                self.check(query, choices, stored, name, processor=str.lower)
        self.assertEqual(process.extract("AB", stored), process.extract("AB", choices, processor=str.lower))
        self.check("ab", choices, process.Choices(choices), "ratio")

    def test_other_sequences(self):
        lists = [list(text) for text in texts("lists", 30, "abc")] + [None, ("a", "b")]
        for name in ("Levenshtein.distance", "JaroWinkler.similarity", "ratio"):
            for query in (["a", "b", "c"], "abc"):
                self.check(query, lists, lists, name)
                self.check(query, tuple(lists), iter_again(lists), name)
            data = [text.encode() for text in texts("bytes", 30)]
            self.check(b"abc", data, process.Choices(data), name)
            self.check(list("abc"), texts("query", 30), process.Choices(texts("query", 30)), name)

    def test_many_choices(self):
        choices = texts("many", 5000, "abcdefgh ", 30)
        stored = process.Choices(choices)
        for name in ("ratio", "token_set_ratio", "LCSseq.normalized_similarity", "Levenshtein.distance", "JaroWinkler.normalized_distance",
                     "JaroWinkler.normalized_similarity"):
            self.check(choices[7] + "abc", choices, stored, name)


class iter_again:
    """Has only __iter__."""

    def __init__(self, values):
        self.values = values

    def __iter__(self):
        return iter(self.values)


class Arguments(unittest.TestCase):
    def test_values_without_rapidfuzz(self):
        self.assertEqual((distance.Levenshtein.distance("kitten", "sitting"), distance.OSA.distance("ab", "ba"), distance.Indel.distance("ab", "ba"),
                          distance.LCSseq.similarity("abc", "ac"), distance.Prefix.similarity("abc", "abd"), distance.Postfix.distance("abc", "xbc")),
                         (3, 1, 2, 2, 2, 1))
        self.assertEqual(process.extract("ab", {"x": "ba", "y": None, "z": "ab"}, scorer=distance.OSA.distance), [("ab", 0, "z"), ("ba", 1, "x")])
        self.assertEqual(process.extract("ab", []), [])
        self.assertEqual((process.extract("ab", process.Choices([])), process.extractOne("ab", process.Choices([None]))), ([], None))

    def test_a_list_is_read_at_every_call_and_choices_once(self):
        values = ["a", "b"]
        stored = process.Choices(values)
        values[0] = "b"
        self.assertEqual((process.extractOne("b", values)[2], process.extractOne("b", stored)[2]), (0, 1))

    def test_choices_of_an_iterator_are_compared_when_asked_for(self):
        def endless():
            while True:
                yield "ab"
        self.assertEqual(next(process.extract_iter("ab", endless())), ("ab", 100.0, 0))

    def test_missing_values_of_pandas_are_skipped(self):
        class NAType:
            pass

        missing = NAType()
        with mock.patch.dict("sys.modules", pandas=types.SimpleNamespace(NA=missing)):
            self.assertEqual(process.extract("a", [missing, "a"]), [("a", 100.0, 1)])
            self.assertEqual(len(process.extract("a", process.Choices([missing, "a"]))), 1)
            self.assertEqual(fuzz.ratio(missing, "a"), 0)

    def test_pickles_and_names(self):
        for name, scorer in SCORERS.items():
            self.assertIs(pickle.loads(pickle.dumps(scorer)), scorer)
            self.assertIn(name, repr(scorer))
            self.assertTrue(scorer.__doc__)
        for values in (["a", "b", None], {"x": "a", "y": "B"}):
            stored = process.Choices(values, processor=str.lower)
            again = pickle.loads(pickle.dumps(stored))
            self.assertEqual((len(again), repr(again)), (len(values), f"<pykindred.process.Choices: {len(values)} choices>"))
            self.assertEqual(process.extract("B", again), process.extract("B", stored))

    def test_threads(self):
        choices, failures = texts("threads", 3000), []
        stored = process.Choices(choices)
        expected = process.extract(choices[5], choices)

        def call():
            try:
                for _ in range(5):
                    for given in (choices, stored):
                        if process.extract(choices[5], given) != expected:
                            failures.append("differs")
            except Exception as error:
                failures.append(error)
        threads = [threading.Thread(target=call) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_an_exception_of_a_processor_is_passed_on(self):
        def fail(text):
            raise ZeroDivisionError(text)
        for call in (lambda: process.extract("a", ["b"], processor=fail), lambda: process.Choices(["b"], processor=fail),
                     lambda: fuzz.ratio("a", "b", processor=fail), lambda: list(process.extract_iter("a", ["b"], processor=fail))):
            with self.assertRaises(ZeroDivisionError):
                call()

    def test_wrong_arguments_are_named(self):
        stored = process.Choices(["a"])
        distances = distance.Levenshtein
        for call, error, message in ((lambda: process.extract("a", "abc"), TypeError, "choices is one sequence"),
                                     (lambda: process.extract("a", ["a", 3]), TypeError, "choices is of type int"),
                                     (lambda: process.extract(3, ["a"]), TypeError, "query is of type int"),
                                     (lambda: process.extract("a", ["a"], scorer=max), TypeError, "scorer is"),
                                     (lambda: process.extract("a", ["a"], limit=-1), ValueError, "limit is -1"),
                                     (lambda: process.extract("a", ["a"], limit="x"), ValueError, "limit is 'x'"),
                                     (lambda: process.extract("a", ["a"], score_cutoff="x"), TypeError, "score_cutoff is of type str"),
                                     (lambda: process.extract("a", ["a"], score_cutoff=math.nan), ValueError, "score_cutoff is NaN"),
                                     (lambda: process.extract("a", ["a"], scorer_kwargs={"weights": (1, 1, 1)}), TypeError, "no argument weights"),
                                     (lambda: process.extract("a", ["a"], scorer=distances.distance, scorer_kwargs={"weights": (1, 1, 2)}), ValueError,
                                      "weights is .1, 1, 2."),
                                     (lambda: process.extract("a", stored, processor=str.lower), ValueError, "processor differs"),
                                     (lambda: list(process.extract_iter("a", stored, processor=str.lower)), ValueError, "processor differs"),
                                     (lambda: process.Choices("abc"), TypeError, "choices is one sequence"),
                                     (lambda: process.Choices([["a"]]), TypeError, "item of type list"),
                                     (lambda: distances.distance(None, "a"), TypeError, ""), (lambda: distances.distance("a", 3), TypeError, ""),
                                     (lambda: fuzz.ratio([[]], "a"), TypeError, "not hashable"),
                                     (lambda: fuzz.ratio(np.zeros(3), "a"), TypeError, "float64")):
            with self.subTest(message), self.assertRaisesRegex(error, message) as raised:
                call()
            if message:
                self.assertIsInstance(raised.exception, pykindred.Error)


if __name__ == "__main__":
    unittest.main()
