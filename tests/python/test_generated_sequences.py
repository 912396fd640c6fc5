# SPDX-License-Identifier: Apache-2.0
"""Generated arguments: pykindred.distance, fuzz and process keep to any cutoff and refuse what is
wrong by its name; pykindred.difflib gives the results of the standard library, or an exception.

KINDRED_TEST_SEED and KINDRED_TEST_CASES choose other examples.
"""
import difflib as standard
import math
import os
import unittest
from fractions import Fraction

import numpy as np

import pykindred
from pykindred import difflib, process
from support import modules
from test_rapidfuzz import SCORERS

hypothesis, st = modules("hypothesis", "hypothesis.strategies")
SEED = int(os.environ.get("KINDRED_TEST_SEED", "20"))
CASES = int(os.environ.get("KINDRED_TEST_CASES", "100"))

texts = st.one_of(st.text(st.sampled_from("ab \u00e9\u2603\U0001f600"), max_size=12),
                  st.text(st.sampled_from("abcd "), max_size=90), st.text(max_size=20))
items = st.one_of(st.sampled_from("abc"), st.tuples(st.integers(0, 2)),
                  st.text(min_size=2, max_size=3), st.booleans())
data, lists = st.binary(max_size=40), st.lists(items, max_size=12)
scorers = st.sampled_from(sorted(SCORERS))
cutoffs = st.one_of(st.none(), st.integers(-2, 120), st.floats(-1, 101), st.sampled_from(
    [math.inf, -math.inf, 2**70, -2**70, Fraction(1, 3), np.float32(0.5), np.int64(3)]))
wrong = st.sampled_from([5, 1.5, object(), True, {1: 2}, {1, 2}, [[1]], [{}], np.zeros(3),
                         np.zeros((2, 2), np.uint32), np.zeros(2, complex)])
some_choices = st.lists(st.one_of(texts, st.none(), st.just(math.nan)), max_size=12)
limits = st.one_of(st.none(), st.integers(0, 9), st.just(2**70))
wrong_cutoffs = st.sampled_from([math.nan, "1", [], 1j, np.float64("nan"), object()])


def checked(test):
    """Runs a test of generated arguments, always the same ones."""
    settings = hypothesis.settings(max_examples=CASES, deadline=None, database=None,
                                   print_blob=True,
                                   suppress_health_check=list(hypothesis.HealthCheck))
    return hypothesis.seed(SEED)(settings(test))


def within(scorer, score, cutoff):
    return cutoff is None or (score <= cutoff if scorer.is_distance else score >= cutoff)


class Scorers(unittest.TestCase):
    @checked
    @hypothesis.given(name=scorers, a=texts, b=texts, cutoff=cutoffs)
    def test_any_cutoff(self, name, a, b, cutoff):
        ours = SCORERS[name]
        score, found = ours(a, b), ours(a, b, score_cutoff=cutoff)
        if not within(ours, score, cutoff):
            score = (1.0 if ours.is_normalized else cutoff + 1) if ours.is_distance else 0
        self.assertEqual(found, score)

    @checked
    @hypothesis.given(name=scorers, a=texts, b=wrong, swap=st.booleans(), cutoff=wrong_cutoffs)
    def test_wrong_arguments_are_refused_by_name(self, name, a, b, swap, cutoff):
        with self.assertRaisesRegex(pykindred.Error, "query|pattern|s1|s2"):
            SCORERS[name](*((b, a) if swap else (a, b)))
        with self.assertRaisesRegex(pykindred.Error, "score_cutoff"):
            SCORERS[name]("a", "b", score_cutoff=cutoff)


class Process(unittest.TestCase):
    @checked
    @hypothesis.given(name=scorers, query=texts, cutoff=cutoffs, limit=limits, choices=some_choices)
    def test_any_cutoff_and_limit(self, name, query, choices, cutoff, limit):
        ours = SCORERS[name]
        score = SCORERS["JaroWinkler.similarity"] if ours.rounds_twice else ours
        scored = [(choice, score(query, choice), i) for i, choice in enumerate(choices)
                  if isinstance(choice, str)]
        sign = 1 if ours.is_distance else -1
        best = sorted((result for result in scored if within(ours, result[1], cutoff)),
                      key=lambda result: (sign * result[1], result[2]))
        for given in (choices, process.Choices(choices)):
            found = process.extract(query, given, scorer=ours, score_cutoff=cutoff, limit=limit)
            self.assertEqual(found, best[:limit])

    @checked
    @hypothesis.given(name=scorers, choices=st.lists(texts, max_size=3), other=wrong,
                      cutoff=wrong_cutoffs)
    def test_wrong_arguments_are_refused_by_name(self, name, choices, other, cutoff):
        for words, query, given, options in (
                ("choices", "a", [*choices, other], {}), ("choices", "a", 5, {}),
                ("query|pattern", other, ["a", *choices], {}),
                ("limit", "a", choices, {"limit": -3}), ("limit", "a", choices, {"limit": "3"}),
                ("scorer", "a", choices, {"scorer": other}),
                ("score_cutoff", "a", ["b"], {"score_cutoff": cutoff})):
            with self.assertRaisesRegex(pykindred.Error, words):
                process.extract(query, given, **{"scorer": SCORERS[name], **options})


class Difflib(unittest.TestCase):
    @checked
    @hypothesis.given(*[st.one_of(texts, data, lists, wrong)] * 2, st.booleans())
    def test_any_sequences(self, a, b, autojunk):
        # Kindred takes what has a length and items.
        hypothesis.assume(not any(isinstance(one, set | dict) for one in (a, b)))

        def results(kind):
            matcher = kind(None, a, b, autojunk)
            return matcher.ratio(), matcher.get_matching_blocks(), matcher.get_opcodes()
        try:
            expected = results(standard.SequenceMatcher)
        except Exception:
            with self.assertRaises(Exception):
                results(difflib.SequenceMatcher)
        else:
            self.assertEqual(results(difflib.SequenceMatcher), expected)


if __name__ == "__main__":
    print(f"seed {SEED}, {CASES} examples per test")
    unittest.main()
