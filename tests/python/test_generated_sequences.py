# SPDX-License-Identifier: Apache-2.0
"""Generated arguments: pykindred.distance, fuzz, process and difflib give the results of RapidFuzz and of the standard library, or an exception
of pykindred that names the argument.

KINDRED_TEST_SEED and KINDRED_TEST_CASES choose other examples.
"""
import difflib as standard
import importlib
import math
import os
import sys
import unittest
from fractions import Fraction

import numpy as np

import pykindred
from pykindred import difflib, distance, fuzz, process

try:
    rapidfuzz = importlib.import_module("rapidfuzz")
    hypothesis = importlib.import_module("hypothesis")
    st = importlib.import_module("hypothesis.strategies")
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

SEED = int(os.environ.get("KINDRED_TEST_SEED", "20"))
CASES = int(os.environ.get("KINDRED_TEST_CASES", "100"))
KINDS = ("distance", "similarity", "normalized_distance", "normalized_similarity")
SCORERS = {f"{name}.{kind}": (getattr(getattr(distance, name), kind), getattr(getattr(rapidfuzz.distance, name), kind))
           for name in ("Levenshtein", "OSA", "Indel", "LCSseq", "Prefix", "Postfix", "JaroWinkler") for kind in KINDS}
SCORERS |= {name: (getattr(fuzz, name), getattr(rapidfuzz.fuzz, name)) for name in ("ratio", "token_sort_ratio", "token_set_ratio")}

texts = st.one_of(st.text(st.sampled_from("ab \u00e9\u2603\U0001f600"), max_size=12), st.text(st.sampled_from("abcd "), max_size=90), st.text(max_size=20))
items = st.one_of(st.sampled_from("abc"), st.tuples(st.integers(0, 2)), st.text(min_size=2, max_size=3), st.booleans())
data = st.binary(max_size=40)
lists = st.lists(items, max_size=12)
pairs = st.one_of(*(st.tuples(kind, kind) for kind in (texts, data, lists)))
scorers = st.sampled_from(sorted(SCORERS))
cutoffs = st.one_of(st.none(), st.integers(-2, 120), st.floats(-1, 101), st.just(math.inf), st.just(-math.inf), st.just(2**70), st.just(-2**70),
                    st.just(Fraction(1, 3)), st.just(np.float32(0.5)), st.just(np.int64(3)))
wrong = st.sampled_from([5, 1.5, object(), True, {1: 2}, {1, 2}, [[1]], [{}], np.zeros((2, 2), np.uint32), np.zeros(3, np.float64), np.zeros(2, complex)])
limits = st.one_of(st.none(), st.integers(0, 9), st.just(2**70))


def checked(test):
    """Runs a test of generated arguments, always the same ones."""
    settings = hypothesis.settings(max_examples=CASES, deadline=None, database=None, print_blob=True,
                                   suppress_health_check=list(hypothesis.HealthCheck))
    return hypothesis.seed(SEED)(settings(test))


def normal(choice):
    """Whether a choice has a score."""
    return choice is not None and not (isinstance(choice, float) and math.isnan(choice))


def within(scorer, score, cutoff):
    return cutoff is None or (score <= cutoff if scorer.is_distance else score >= cutoff)


def expected_best(name, query, choices, cutoff, limit):
    """What extract returns, from the scores of single pairs of RapidFuzz."""
    ours, theirs = SCORERS[name]
    scored = [(choice, theirs(query, choice), i) for i, choice in enumerate(choices) if normal(choice)]
    if ours.rounds_twice:  # process of RapidFuzz does not
        scored = [(choice, rapidfuzz.distance.JaroWinkler.similarity(query, choice), i) for choice, _, i in scored]
    scored = [result for result in scored if within(ours, result[1], cutoff)]
    scored.sort(key=lambda result: (result[1] if ours.is_distance else -result[1], result[2]))
    return scored if limit is None else scored[:limit]


def is_token(name):
    return name.startswith("token")


def splits_otherwise(*given):
    """Whether RapidFuzz splits texts or bytes of them in another way than Python."""
    whole = "".join(one.decode("latin-1") if isinstance(one, bytes) else one for one in given
                    if isinstance(one, str | bytes))
    return bool({"\x85", "\xa0"} & set(whole))


class Scorers(unittest.TestCase):
    @checked
    @hypothesis.given(name=scorers, pair=pairs)
    def test_sequences_of_one_kind(self, name, pair):
        a, b = pair
        if is_token(name):
            hypothesis.assume(not isinstance(a, list) and not splits_otherwise(a, b))
        ours, theirs = SCORERS[name]
        self.assertEqual(ours(a, b), theirs(a, b))
        if isinstance(a, list):
            self.assertEqual(ours(tuple(a), b), theirs(a, b))

    @checked
    @hypothesis.given(name=scorers, a=texts, b=texts, cutoff=cutoffs)
    def test_any_cutoff(self, name, a, b, cutoff):
        ours = SCORERS[name][0]
        score, found = ours(a, b), ours(a, b, score_cutoff=cutoff)
        if within(ours, score, cutoff):
            self.assertEqual(found, score)
        else:
            self.assertEqual(found, 0 if not ours.is_distance else 1.0 if ours.is_normalized else cutoff + 1)

    @checked
    @hypothesis.given(name=scorers, a=texts, b=wrong, swap=st.booleans())
    def test_wrong_types_are_refused_with_the_name_of_the_argument(self, name, a, b, swap):
        with self.assertRaises(pykindred.Error) as raised:
            SCORERS[name][0](*((b, a) if swap else (a, b)))
        self.assertRegex(str(raised.exception), "query|pattern|s1|s2")

    @checked
    @hypothesis.given(name=scorers, cutoff=st.sampled_from([math.nan, "1", [], 1j, np.float64("nan"), object()]))
    def test_wrong_cutoffs_are_refused(self, name, cutoff):
        for call in (lambda: SCORERS[name][0]("a", "b", score_cutoff=cutoff), lambda: process.extract("a", ["b"], scorer=SCORERS[name][0], score_cutoff=cutoff)):
            with self.assertRaisesRegex(pykindred.Error, "score_cutoff"):
                call()


class Process(unittest.TestCase):
    @checked
    @hypothesis.given(name=scorers, query=texts, choices=st.lists(st.one_of(texts, st.none(), st.just(math.nan)), max_size=12), cutoff=cutoffs,
                      limit=limits, is_tuple=st.booleans())
    def test_text(self, name, query, choices, cutoff, limit, is_tuple):
        hypothesis.assume(not is_token(name) or not splits_otherwise(query, *choices))
        scorer = SCORERS[name][0]
        expected = expected_best(name, query, choices, cutoff, limit)
        options = {"scorer": scorer, "score_cutoff": cutoff}
        for given in (tuple(choices) if is_tuple else choices, process.Choices(choices)):
            self.assertEqual(process.extract(query, given, limit=limit, **options), expected)
            first = expected_best(name, query, choices, cutoff, 1)
            self.assertEqual(process.extractOne(query, given, **options), first[0] if first else None)
        keys = [f"key {i}" for i in range(len(choices))]
        mapping = process.extract(query, dict(zip(keys, choices, strict=True)), limit=limit, **options)
        self.assertEqual(mapping, [(choice, score, keys[i]) for choice, score, i in expected])

    @checked
    @hypothesis.given(name=scorers, choices=st.lists(texts, max_size=3), other=wrong)
    def test_wrong_types_are_refused_with_the_name_of_the_argument(self, name, choices, other):
        scorer = SCORERS[name][0]
        for argument, call in (("choices", lambda: process.extract("a", [*choices, other], scorer=scorer)),
                               ("query|pattern", lambda: process.extract(other, ["a", *choices], scorer=scorer)),
                               ("limit", lambda: process.extract("a", choices, scorer=scorer, limit=-3)),
                               ("limit", lambda: process.extract("a", choices, scorer=scorer, limit="3")),
                               ("scorer", lambda: process.extract("a", choices, scorer=other)),
                               ("choices", lambda: process.extract("a", 5, scorer=scorer))):
            with self.assertRaisesRegex(pykindred.Error, argument):
                call()

class Difflib(unittest.TestCase):
    @checked
    @hypothesis.given(a=wrong, b=texts)
    def test_wrong_types_are_refused(self, a, b):
        hypothesis.assume(not isinstance(a, set | dict))  # Kindred takes what has a length and items
        for first, second in ((a, b), (b, a)):
            try:
                expected = standard.SequenceMatcher(None, first, second).ratio()
            except Exception:
                with self.assertRaises(Exception):
                    difflib.SequenceMatcher(None, first, second).ratio()
            else:
                self.assertEqual(difflib.SequenceMatcher(None, first, second).ratio(), expected)


if __name__ == "__main__":
    print(f"seed {SEED}, {CASES} examples per test")
    unittest.main()
