# SPDX-License-Identifier: Apache-2.0
"""pykindred.distance, fuzz and process give the results of RapidFuzz."""
import array
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
from watchdog import watch

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


def texts(name, count, letters="abcä☃ ", longest=20, shortest=0):
    random = generator(name)
    return ["".join(random.choice(list(letters), random.integers(shortest, longest))) for _ in range(count)]


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


class Lists(unittest.TestCase):
    """What extract reads where it lies."""

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

    def test_a_list_that_another_thread_changes(self):
        watch(self)
        choices, done = [f"text {i}" for i in range(100_000)], threading.Event()

        def change():
            while not done.is_set():
                del choices[50_000:]
                choices.extend("".join(["other ", str(i)]) for i in range(1000))
        thread = threading.Thread(target=change)
        thread.start()
        try:
            for _ in range(30):
                for choice, score, _ in process.extract("text 9", choices, limit=20, scorer=fuzz.ratio):
                    self.assertEqual(score, fuzz.ratio("text 9", choice))
        finally:
            done.set()
            thread.join()

    def test_texts_of_every_width_and_length(self):
        choices = [letter * length for letter in ("a", "\xe9", "\u2603", "\U0001f600") for length in (0, 1, 31, 32, 33, 64, 65, 600, 70_000)]
        choices += [b"a" * 40, bytearray(b"aaa"), "ab" * 3]
        stored = process.Choices(choices)
        for query in ("a", "a\u2603", "a" * 40, "\U0001f600\xe9" * 40, "a" * 600):
            for scorer in (distance.Levenshtein.distance, distance.OSA.normalized_similarity, fuzz.ratio, distance.JaroWinkler.similarity):
                expected = sorted(((choice, scorer(query, choice), i) for i, choice in enumerate(choices)),
                                  key=lambda result: (result[1] if scorer.is_distance else -result[1], result[2]))
                for given in (choices, tuple(choices), stored):
                    self.assertEqual(process.extract(query, given, scorer=scorer, limit=None), expected)
                    self.assertEqual(process.extract(query, given, scorer=scorer, limit=3), expected[:3])

    def test_characters_of_arrays(self):
        self.assertEqual(distance.Levenshtein.distance(array.array("u", "kitten"), "sitting"), 3)
        self.assertEqual(process.extract("ab", [array.array("u", "ab"), "b"])[0][1:], (100.0, 0))


DTYPES = (None, np.float32, np.float64, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64)


@unittest.skipIf(rapidfuzz is None, "rapidfuzz is missing")
class Matrix(unittest.TestCase):
    def check(self, queries, choices, name, given=None, **options):
        expected = rapidfuzz.process.cdist(queries, choices, scorer=theirs(name), **options)
        found = process.cdist(queries, choices if given is None else given, scorer=SCORERS[name], **options)
        if options.get("dtype") is not None or expected.dtype == np.float32:
            self.assertEqual(found.dtype, expected.dtype)
        else:
            self.assertEqual(found.dtype, np.int32)  # RapidFuzz: uint32
        np.testing.assert_array_equal(found, expected, (name, options))

    def test_equal_bits_for_every_scorer_and_type(self):
        queries = [*texts("cdist queries", 30, "abcä☃ ", 12), "", " ", "a", *texts("cdist long queries", 4, longest=150)]
        choices = [*texts("cdist choices", 60, "abcä☃ ", 12), "", "ab", " a", *texts("cdist long choices", 4, longest=150)]
        stored = process.Choices(choices)
        for name in SCORERS:
            for dtype in DTYPES:
                for given in (choices, stored):
                    self.check(queries, choices, name, given, dtype=dtype)

    def test_sizes(self):
        for count in (0, 1, 2, 3, 31, 32, 33, 65):
            for other in (0, 1, 33):
                first, second = texts(f"sizes a {count}", count), texts(f"sizes b {other}", other)
                for name in ("ratio", "Levenshtein.distance", "LCSseq.normalized_distance", "token_set_ratio", "JaroWinkler.similarity"):
                    self.check(first, second, name)
                    self.check(second, first, name)

    def test_more_choices_than_a_block_of_every_width_of_lanes(self):
        for length in (7, 8, 9, 32, 33, 64, 65, 100, 130, 300):
            queries, choices = (texts(f"lanes {length} {count}", count, "abcdef", length + 1, length) for count in (9, 530))
            for name in ("ratio", "Levenshtein.distance", "OSA.normalized_similarity"):
                self.check(queries, choices, name)
                self.check(queries, choices[:500] + queries + ["", "a", "abc" * 11], name)

    def test_cutoffs(self):
        queries, choices = texts("cdist cutoff", 20, "abc ", 9), texts("cdist cutoff choices", 40, "abc ", 9)
        for name, scorer in SCORERS.items():
            cutoffs = (0, 1, 3, 1000, 2**33) if not scorer.is_normalized else (0, 0.3123 * scorer.scale, 0.7654 * scorer.scale, scorer.scale)
            for cutoff in cutoffs:
                for dtype in (None, np.float64, np.int32):
                    if cutoff == 2**33 and scorer.is_distance:
                        continue  # cutoff + 1 is beyond the type in RapidFuzz
                    self.check(queries, choices, name, score_cutoff=cutoff, dtype=dtype)

    def test_a_cutoff_includes_the_score_that_it_equals(self):
        queries, choices = texts("cdist equal", 12, "abc ", 9), texts("cdist equal choices", 20, "abc ", 9)
        for name, scorer in SCORERS.items():
            scores = process.cdist(queries, choices, scorer=scorer, dtype=np.float64)
            worst = 0 if not scorer.is_distance else 1
            for cutoff in np.unique(scores)[::7].tolist():
                within = scores <= cutoff if scorer.is_distance else scores >= cutoff
                expected = np.where(within, scores, cutoff + 1 if scorer.is_distance and not scorer.is_normalized else worst)
                for dtype in (np.float64, np.float32):
                    found = process.cdist(queries, choices, scorer=scorer, score_cutoff=cutoff, dtype=dtype)
                    np.testing.assert_array_equal(found, expected.astype(dtype), (name, cutoff))

    def test_cutoffs_beyond_all_counts(self):
        for cutoff in (2**31 - 2, 2**31, 2**70, math.inf):
            self.assertEqual(process.cdist(["ab"], ["abc"], scorer=distance.Levenshtein.distance, score_cutoff=cutoff), 1)
            self.assertEqual(process.cdist(["ab"], ["abc"], scorer=distance.Levenshtein.similarity, score_cutoff=cutoff), 0)
        self.assertEqual(process.cdist(["ab"], ["x"], scorer=distance.Levenshtein.distance, score_cutoff=1.5), 2)

    def test_multipliers_and_rounding(self):
        queries, choices = texts("cdist multiplier", 20, "abc ", 9), texts("cdist multiplier choices", 30, "abc ", 9)
        for name in SCORERS:
            for multiplier in (1, 2.5, 10, 255) + ((-3,) if SCORERS[name].is_normalized else ()):  # RapidFuzz refuses the last for counts
                for dtype in (np.float32, np.float64, np.int32, np.int64) + ((np.uint8,) if multiplier <= 2.5 and multiplier > 0 else ()):
                    self.check(queries, choices, name, score_multiplier=multiplier, dtype=dtype)
                self.check(queries, choices, name, score_multiplier=multiplier, score_cutoff=0.4123 if SCORERS[name].is_normalized else 3, dtype=np.float64)

    def test_workers_do_not_change_results(self):
        queries, choices = texts("cdist workers", 700), texts("cdist workers choices", 900)
        stored = process.Choices(choices)
        for name in ("ratio", "Levenshtein.distance", "OSA.normalized_distance", "JaroWinkler.normalized_similarity"):
            for workers in (1, 2, 3, 1000, -1):
                for given in (choices, stored):
                    self.check(queries, choices, name, given, workers=workers)

        with mock.patch.object(process, "default_context", return_value=types.SimpleNamespace(threads=8)):
            self.check(queries, choices, "ratio", workers=3)
            self.assertEqual(pykindred.last_record().space, "openmp")

    def test_processors_bytes_and_items(self):
        queries, choices = ["AbC d", "x", "É"], ["abc D", "", "X y", "é"]
        for name in SCORERS:
            self.check(queries, choices, name, processor=str.lower)
            self.check(queries, choices, name, process.Choices(choices, processor=str.lower), processor=str.lower)
            np.testing.assert_array_equal(process.cdist(queries, process.Choices(choices, processor=str.lower), scorer=SCORERS[name]),
                                          process.cdist(queries, choices, scorer=SCORERS[name], processor=str.lower))
            self.check([text.encode() for text in queries], [text.encode() for text in choices], name)
            if "token" not in name:
                self.check([list(text) for text in queries], choices, name)
                self.check([("x", "yy", 3), ()], [["yy", 3], ("x",), [3, "yy", "x", 1.5]], name)

    def test_missing_values(self):
        choices = ["ab", None, "", float("nan"), "xx"]
        for name, scorer in SCORERS.items():
            if not scorer.is_normalized:
                for queries, given in ((["a"], choices), (choices, ["a"]), (["a"], process.Choices(choices))):
                    with self.assertRaisesRegex(ValueError, "missing"):
                        process.cdist(queries, given, scorer=scorer)
                continue
            self.check(["ab", "", "b"], choices, name)
            self.check(["ab", "", "b"], choices, name, process.Choices(choices), dtype=np.int32, score_multiplier=2)
            found = process.cdist(["ab", None], choices, scorer=scorer)  # RapidFuzz leaves the row of None as it was in memory
            np.testing.assert_array_equal(found[1], np.full(5, 1 if scorer.is_distance else 0))
            self.assertEqual(process.cdist([None], [None], scorer=scorer).shape, (1, 1))


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
        self.assertEqual(process.extract("ab", process.Choices([None]), scorer=distance.Levenshtein.distance), [])
        self.assertEqual(process.cdist(["kitten", ""], ["sitting", "", "kit"], scorer=distance.Levenshtein.distance).tolist(), [[3, 6, 3], [7, 0, 3]])
        self.assertEqual(process.cdist(["ab"], {"x": "ab", "y": "b"}).tolist(), process.cdist(["ab"], process.Choices({"x": "ab", "y": "b"})).tolist())

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
        watch(self)
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
                     lambda: fuzz.ratio("a", "b", processor=fail), lambda: process.cdist(["a"], ["b"], processor=fail), lambda: list(process.extract_iter("a", ["b"], processor=fail))):
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
                                     (lambda: process.cdist("abc", ["a"]), TypeError, "queries is one sequence"),
                                     (lambda: process.cdist(["a"], "abc"), TypeError, "choices is one sequence"),
                                     (lambda: process.cdist(3, ["a"]), TypeError, "queries is of type int"),
                                     (lambda: process.cdist([3], ["a"]), TypeError, "queries has an item of type int"),
                                     (lambda: process.cdist(["a"], [3]), TypeError, "choices has an item of type int"),
                                     (lambda: process.cdist([[[]]], ["a"]), TypeError, "queries has an item of type list, which is not hashable"),
                                     (lambda: process.cdist([np.zeros(3)], ["a"]), TypeError, "float64"),
                                     (lambda: process.cdist([], [], scorer=max), TypeError, "scorer is"),
                                     (lambda: process.cdist([], [], dtype="x"), TypeError, "dtype is 'x'"),
                                     (lambda: process.cdist([], [], dtype=np.float16), TypeError, "dtype is float16"),
                                     (lambda: process.cdist([], [], dtype=bool), TypeError, "dtype is bool"),
                                     (lambda: process.cdist([], [], workers=0), ValueError, "workers is 0"),
                                     (lambda: process.cdist([], [], workers=-2), ValueError, "workers is -2"),
                                     (lambda: process.cdist([], [], workers=1.5), TypeError, "workers is 1.5"),
                                     (lambda: process.cdist([], [], score_multiplier="x"), TypeError, "score_multiplier is 'x'"),
                                     (lambda: process.cdist([], [], score_multiplier=math.nan), ValueError, "score_multiplier is nan"),
                                     (lambda: process.cdist([], [], score_cutoff=101), ValueError, "score_cutoff is 101; it must be from 0 to 100"),
                                     (lambda: process.cdist([], [], score_cutoff=math.nan), ValueError, "score_cutoff is NaN"),
                                     (lambda: process.cdist([], [], scorer=distances.distance, score_cutoff=-1), ValueError, "it must not be negative"),
                                     (lambda: process.cdist([], [], scorer_kwargs={"weights": (1, 1, 1)}), TypeError, "no argument weights"),
                                     (lambda: process.cdist(["a"], stored, processor=str.lower), ValueError, "processor differs"),
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
