# SPDX-License-Identifier: Apache-2.0
"""pykindred.distance, fuzz and process give the results of RapidFuzz."""
import array
import importlib
import math
import pickle
import types
import unittest
from fractions import Fraction
from unittest import mock

import numpy as np

import pykindred
from pykindred import distance, fuzz, process
from support import check_refusals, generator

try:
    rapidfuzz = importlib.import_module("rapidfuzz")
except ImportError:
    rapidfuzz = None
needs_rapidfuzz = unittest.skipIf(rapidfuzz is None, "rapidfuzz is missing")

KINDS = ("distance", "similarity", "normalized_distance", "normalized_similarity")
MEASURES = ("Levenshtein", "OSA", "Indel", "LCSseq", "Prefix", "Postfix", "JaroWinkler")
RATIOS = ("ratio", "token_sort_ratio", "token_set_ratio")
SCORERS = {f"{name}.{kind}": getattr(getattr(distance, name), kind)
           for name in MEASURES for kind in KINDS} | {name: getattr(fuzz, name) for name in RATIOS}
DTYPES = (None, np.float32, np.float64, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16,
          np.uint32, np.uint64)


def theirs(name):
    """RapidFuzz's function of that name."""
    measure, _, kind = name.rpartition(".")
    return getattr(getattr(rapidfuzz.distance, measure) if measure else rapidfuzz.fuzz, kind)


def texts(name, count, letters="abcä☃ ", longest=20, shortest=0):
    random = generator(name)
    return ["".join(random.choice(list(letters), random.integers(shortest, longest)))
            for _ in range(count)]


def pairs(name):
    random = generator(name)
    yield from (("", ""), ("", "a"), ("a", ""), ("a", "a"), (" ", "  "), ("a b", "b a"),
                ("\U0001f600", "\ud800"))
    for longest in (4, 20, 70, 300):
        for a, b in zip(*(texts(f"{name} {longest} {side}", 25, longest=longest) for side in "ab")):
            cut = int(random.integers(0, len(a) + 1))
            yield a, b
            yield a, a[:cut] + b[:5] + a[cut:]
            yield a, a[cut:] + a[:cut]


@needs_rapidfuzz
class Scorers(unittest.TestCase):
    def check(self, name, a, b, **options):
        expected, found = theirs(name)(a, b, **options), SCORERS[name](a, b, **options)
        is_float = isinstance(expected, float) and expected != 0
        if found != expected or is_float and not isinstance(found, float):
            self.fail(f"{name}({a!r}, {b!r}, {options}) is {found!r}; RapidFuzz: {expected!r}")

    def test_equal_bits_for_text_bytes_and_items(self):
        items = {"a": True, "b": ("x", 1), "c": None, " ": "word"}
        for name in SCORERS:
            for number, (a, b) in enumerate(pairs("text")):
                self.check(name, a, b)
                if number % 5 == 3 and "\ud800" not in b:
                    self.check(name, a.encode(), b.encode())
                    if "token" not in name:
                        self.check(name, list(a), b)
                        self.check(name, [items.get(c, c) for c in a],
                                   tuple(items.get(c, c) for c in b))

    def test_missing_values_and_processors(self):
        for name in SCORERS:
            for processor in (str.lower, rapidfuzz.utils.default_process):
                self.check(name, "AbC d", "abc E", processor=processor)
            if "normalized" in name or "ratio" in name:
                for a, b in ((None, "a"), ("a", None), (math.nan, "a"), (None, None)):
                    self.check(name, a, b)
                    self.check(name, a, b, processor=str.lower)


@needs_rapidfuzz
class Process(unittest.TestCase):
    def check(self, query, choices, name, stored=None, **options):
        def results(of, scorer, choices):
            given = {"scorer": scorer, **options}
            limits = (5, 1, 0, 40, None)
            return ([of.extract(query, choices, limit=limit, **given) for limit in limits],
                    list(of.extract_iter(query, choices, **given)),
                    of.extractOne(query, choices, **given))
        expected = results(rapidfuzz.process, theirs(name), choices)
        for given in (choices, process.Choices(choices) if stored is None else stored):
            found = results(process, SCORERS[name], given)
            self.assertEqual(repr(found), repr(expected), (name, query, options))

    def test_text_with_ties_and_missing_values(self):
        choices = texts("choices", 60, "ab ", 7) + [None, "", math.nan, "a b", "b a"]
        choices += choices[:9]
        for name, scorer in SCORERS.items():
            for query in ("ab", "", " ", "b a ab", choices[3] + "b", "xyz", None):
                self.check(query, choices, name)
                for share in (0.3123, 0.7654):
                    cutoff = share * scorer.scale if scorer.is_normalized else round(4 * share)
                    self.check(query, choices, name, score_cutoff=cutoff)

    def test_mappings_and_processors(self):
        values = ["Ab", None, "aB", "", "ABC", "abc d", "B a", "b A", "ä"]
        choices = dict(zip("zyxwvutsr", values, strict=True))
        stored = process.Choices(choices, processor=str.lower)
        for name in SCORERS:
            for query in ("AB", "b A", ""):
                self.check(query, choices, name, stored, processor=str.lower)
        self.assertEqual(process.extract("AB", stored),
                         process.extract("AB", choices, processor=str.lower))
        self.check("ab", choices, "ratio")

    def test_other_sequences(self):
        lists = [list(text) for text in texts("lists", 30, "abc")] + [None, ("a", "b")]
        for name in ("Levenshtein.distance", "JaroWinkler.similarity", "ratio"):
            for query in (["a", "b", "c"], "abc"):
                self.check(query, tuple(lists), name, dict(enumerate(lists)).values())
            self.check(b"abc", [text.encode() for text in texts("bytes", 30)], name)
            self.check(list("abc"), texts("query", 30), name)

    def test_many_and_long_choices(self):
        many = texts("many", 5000, "abcdefgh ", 30)
        long = [letter * length for letter in ("a", "\xe9", "\u2603", "\U0001f600")
                for length in (0, 1, 31, 32, 33, 64, 65, 600, 70_000)]
        for name in ("ratio", "token_set_ratio", "LCSseq.normalized_similarity",
                     "Levenshtein.distance", "JaroWinkler.normalized_distance",
                     "JaroWinkler.normalized_similarity", "OSA.normalized_similarity"):
            self.check(many[7] + "abc", many, name)
            for query in ("a\u2603", "\U0001f600\xe9" * 40, "a" * 600):
                self.check(query, long, name)


@needs_rapidfuzz
class Matrix(unittest.TestCase):
    def check(self, queries, choices, name, given=None, **options):
        expected = rapidfuzz.process.cdist(queries, choices, scorer=theirs(name), **options)
        found = process.cdist(queries, choices if given is None else given, scorer=SCORERS[name],
                              **options)
        is_count = options.get("dtype") is None and expected.dtype != np.float32
        self.assertEqual(found.dtype, np.int32 if is_count else expected.dtype)  # RapidFuzz: uint32
        np.testing.assert_array_equal(found, expected, (name, options))

    def test_equal_bits(self):
        short = [*texts("queries", 30, longest=12), "", " ", "ab", *texts("long", 4, longest=150)]
        more = [*texts("choices", 60, longest=12), "", " a", *texts("longer", 4, longest=150)]
        cases = [(short, more, SCORERS, DTYPES)]  # every scorer and type
        some = ("ratio", "Levenshtein.distance", "LCSseq.normalized_distance", "token_set_ratio",
                "JaroWinkler.similarity", "OSA.normalized_similarity")
        cases += [(short[:n], more[:m], some, (None,)) for n in (0, 1, 33) for m in (0, 1, 2, 33)]
        for length in (8, 33, 65, 300):  # of one length, more choices than a block
            given = texts(f"{length}", 539, "abcdef", length + 1, length)
            cases.append((given[530:], given, some[:2], (None,)))
        for queries, choices, names, dtypes in cases:
            for name in names:
                for dtype in dtypes:
                    for given in (choices, process.Choices(choices)):
                        self.check(queries, choices, name, given, dtype=dtype)

    def test_cutoffs(self):
        queries, choices = texts("cutoff", 20, "abc ", 9), texts("cutoff choices", 40, "abc ", 9)
        for name, scorer in SCORERS.items():
            shares = (0, 0.3123, 0.7654, 1)
            cutoffs = [share * scorer.scale for share in shares]
            if not scorer.is_normalized:  # in RapidFuzz, 2**33 + 1 is beyond the type
                cutoffs = (0, 1, 3, 1000) + (() if scorer.is_distance else (2**33,))
            for cutoff in cutoffs:
                for dtype in (None, np.float64, np.int32):
                    self.check(queries, choices, name, score_cutoff=cutoff, dtype=dtype)
            scores = process.cdist(queries, choices, scorer=scorer, dtype=np.float64)
            for cutoff in np.unique(scores)[::7].tolist():  # which is included
                worst = (1 if scorer.is_normalized else cutoff + 1) if scorer.is_distance else 0
                within = scores <= cutoff if scorer.is_distance else scores >= cutoff
                for dtype in (np.float64, np.float32):
                    found = process.cdist(queries, choices, scorer=scorer, score_cutoff=cutoff,
                                          dtype=dtype)
                    expected = np.where(within, scores, worst).astype(dtype)
                    np.testing.assert_array_equal(found, expected, (name, cutoff))

    def test_cutoffs_beyond_all_counts(self):
        edits = distance.Levenshtein
        for cutoff in (2**31 - 2, 2**31, 2**70, math.inf):
            for scorer, score in ((edits.distance, 1), (edits.similarity, 0)):
                found = process.cdist(["ab"], ["abc"], scorer=scorer, score_cutoff=cutoff)
                self.assertEqual(found, score)
        found = process.cdist(["ab"], ["x"], scorer=edits.distance, score_cutoff=1.5)
        self.assertEqual(found, 2)

    def test_multipliers_and_rounding(self):
        queries, choices = texts("multiplier", 20, "abc ", 9), texts("multiplied", 30, "abc ", 9)
        for name, scorer in SCORERS.items():
            multipliers = (1, 2.5, 10, 255) + ((-3,) if scorer.is_normalized else ())
            for multiplier in multipliers:  # RapidFuzz refuses the last for counts
                small = (np.uint8,) if 0 < multiplier <= 2.5 else ()
                for dtype in (np.float32, np.float64, np.int32, np.int64, *small):
                    self.check(queries, choices, name, score_multiplier=multiplier, dtype=dtype)
                cutoff = 0.4123 if scorer.is_normalized else 3
                self.check(queries, choices, name, score_multiplier=multiplier, score_cutoff=cutoff,
                           dtype=np.float64)

    def test_workers_do_not_change_results(self):
        queries, choices = texts("workers", 700), texts("workers choices", 900)
        for name in ("ratio", "Levenshtein.distance", "OSA.normalized_distance",
                     "JaroWinkler.normalized_similarity"):
            for workers in (1, 2, 3, 1000, -1):
                self.check(queries, choices, name, process.Choices(choices), workers=workers)
        threads = types.SimpleNamespace(threads=8)
        with mock.patch.object(process, "default_context", return_value=threads):
            self.check(queries, choices, "ratio", workers=3)
            self.assertEqual(pykindred.last_record().space, "openmp")

    def test_processors_bytes_and_items(self):
        queries, choices = ["AbC d", "x", "É"], ["abc D", "", "X y", "é"]
        lower = process.Choices(choices, processor=str.lower)
        for name, scorer in SCORERS.items():
            for given in (choices, lower):
                self.check(queries, choices, name, given, processor=str.lower)
            np.testing.assert_array_equal(
                process.cdist(queries, lower, scorer=scorer),
                process.cdist(queries, choices, scorer=scorer, processor=str.lower))
            self.check(*([text.encode() for text in side] for side in (queries, choices)), name)
            if "token" not in name:
                self.check([list(text) for text in queries], choices, name)
                self.check([("x", "yy", 3), ()], [["yy", 3], ("x",), [3, "yy", "x", 1.5]], name)

    def test_missing_values(self):
        choices = ["ab", None, "", math.nan, "xx"]
        stored = process.Choices(choices)
        for name, scorer in SCORERS.items():
            if not scorer.is_normalized:
                for queries, given in ((["a"], choices), (choices, ["a"]), (["a"], stored)):
                    with self.assertRaisesRegex(ValueError, "missing"):
                        process.cdist(queries, given, scorer=scorer)
                continue
            self.check(["ab", "", "b"], choices, name)
            self.check(["ab", "", "b"], choices, name, stored, dtype=np.int32, score_multiplier=2)
            # RapidFuzz leaves the row of None as it was in memory.
            found = process.cdist(["ab", None], choices, scorer=scorer)
            np.testing.assert_array_equal(found[1], [1 if scorer.is_distance else 0] * 5)
            self.assertEqual(process.cdist([None], [None], scorer=scorer).shape, (1, 1))


class Values(unittest.TestCase):
    """What needs no RapidFuzz."""

    def test_other_arguments_and_no_choices(self):
        edits = distance.Levenshtein.distance
        self.assertEqual(edits(array.array("u", "kitten"), "sitting"), 3)
        self.assertEqual(edits("ab", "b", weights=(1, 1, 1), score_hint=3), 1)
        self.assertEqual(distance.JaroWinkler.similarity("ab", "ab", prefix_weight=0.1), 1)
        self.assertEqual(process.extract("ab", [array.array("u", "ab"), "b"])[0][1:], (100.0, 0))
        for none in ([], process.Choices([]), process.Choices([None])):
            self.assertEqual(process.extract("ab", none, scorer=edits), [])
            self.assertIsNone(process.extractOne("ab", none))
        choices = {"x": "ab", "y": "b"}
        for given in (choices, process.Choices(choices), iter(choices.values())):
            self.assertEqual(process.cdist(["ab"], given, scorer=edits).tolist(), [[0, 1]])

    def test_cutoffs_at_scores_and_beside_them(self):
        choices, tiny = texts("near a cutoff", 40, "ab ", 9), Fraction(1, 10**30)  # for no float
        for name, scorer in SCORERS.items():
            scored = process.extract("ab a", choices, scorer=scorer, limit=None)
            scores = {Fraction(score) for _, score, _ in scored}
            for cutoff in {score + nudge for score in scores for nudge in (-tiny, 0, tiny)}:
                expected = [one for one in scored if (
                    one[1] <= cutoff if scorer.is_distance else one[1] >= cutoff)]
                for given in (choices, process.Choices(choices)):
                    found = process.extract("ab a", given, scorer=scorer, score_cutoff=cutoff,
                                            limit=None)
                    self.assertEqual(found, expected, (name, cutoff))

    def test_a_list_is_read_at_every_call_and_choices_once(self):
        values = ["a", "b"]
        stored = process.Choices(values)
        values[0] = "b"
        self.assertEqual([process.extractOne("b", given)[2] for given in (values, stored)], [0, 1])

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
            for given in ([missing, "a"], process.Choices([missing, "a"])):
                self.assertEqual(process.extract("a", given), [("a", 100.0, 1)])
            self.assertEqual(fuzz.ratio(missing, "a"), 0)

    def test_pickles_and_names(self):
        for name, scorer in SCORERS.items():
            self.assertIs(pickle.loads(pickle.dumps(scorer)), scorer)
            self.assertIn(name, repr(scorer))
            self.assertTrue(scorer.__doc__)
        for values in (["a", "b", None], {"x": "a", "y": "B"}):
            stored = process.Choices(values, processor=str.lower)
            again = pickle.loads(pickle.dumps(stored))
            self.assertEqual((len(again), repr(again)), (
                len(values), f"<pykindred.process.Choices: {len(values)} choices>"))
            self.assertEqual(process.extract("B", again), process.extract("B", stored))

    def test_an_exception_of_a_processor_is_passed_on(self):
        def fail(text):
            raise ZeroDivisionError(text)
        for call in (process.extract, process.cdist, fuzz.ratio, lambda *given, **options: list(
                process.extract_iter(*given, **options)), lambda _, choices, **options:
                process.Choices(choices, **options)):
            with self.assertRaises(ZeroDivisionError):
                call("a" if call in (process.extract, fuzz.ratio) else ["a"], ["b"], processor=fail)

    def test_wrong_arguments_are_named(self):
        """Beside those of test_generated_sequences.py."""
        stored, edits = process.Choices(["a"]), distance.Levenshtein.distance
        unequal, equal = ({"weights": weights} for weights in ((1, 1, 2), (1, 1, 1)))
        extract, cdist = process.extract, process.cdist
        check_refusals(
            self, (lambda: extract("a", "abc"), TypeError, "choices is one sequence"),
            (lambda: extract("a", ["a"], scorer_kwargs=equal), TypeError, "no argument weights"),
            (lambda: extract("a", ["a"], scorer=edits, scorer_kwargs=unequal), ValueError,
             "weights is .1, 1, 2."),
            (lambda: extract("a", stored, processor=str.lower), ValueError, "processor differs"),
            (lambda: list(process.extract_iter("a", stored, processor=str.lower)), ValueError,
             "processor differs"),
            (lambda: cdist(["a"], stored, processor=str.lower), ValueError, "processor differs"),
            (lambda: process.Choices("abc"), TypeError, "choices is one sequence"),
            (lambda: process.Choices([["a"]]), TypeError, "item of type list"))
        for queries, choices, words in (
                ("abc", ["a"], "queries is one sequence"), (["a"], "abc", "choices is one sequence"),
                (3, ["a"], "queries is of type int"), ([3], ["a"], "queries has an item of type int"),
                (["a"], [3], "choices has an item of type int"), ([np.zeros(3)], ["a"], "float64"),
                ([[[]]], ["a"], "queries has an item of type list, which")):
            check_refusals(self, (lambda: cdist(queries, choices), TypeError, words))
        for error, options, words in (
                (TypeError, {"scorer": max}, "scorer is"), (TypeError, {"dtype": "x"}, "dtype is 'x'"),
                (TypeError, {"dtype": np.float16}, "dtype is float16"),
                (TypeError, {"dtype": bool}, "dtype is bool"),
                (ValueError, {"workers": 0}, "workers is 0"),
                (TypeError, {"workers": 1.5}, "workers is 1.5"),
                (TypeError, {"score_multiplier": "x"}, "score_multiplier is 'x'"),
                (ValueError, {"score_multiplier": math.nan}, "multiplier is nan"),
                (ValueError, {"score_cutoff": 101}, "it must be from 0 to 100"),
                (ValueError, {"score_cutoff": math.nan}, "score_cutoff is NaN"),
                (ValueError, {"scorer": edits, "score_cutoff": -1}, "not be negative"),
                (TypeError, {"scorer_kwargs": equal}, "no argument weights")):
            check_refusals(self, (lambda: cdist([], [], **options), error, words))
        for a, b in ((None, "a"), ("a", 3)):
            with self.assertRaises(TypeError):
                edits(a, b)


if __name__ == "__main__":
    unittest.main()
