# SPDX-License-Identifier: Apache-2.0
"""`kindred match --predict` against KATO's definitions in Python: thousands of random cases, every
ranking, every option."""
import json
import random
import unittest

from outside import programs

programs("rapidfuzz")
import harness  # noqa: E402
import prediction_oracle as oracle  # noqa: E402

TOLERANCE = 1e-9
# Patterns, symbols, most events of a pattern, most symbols of an event.
SHAPES = ((12, 3, 4, 2), (30, 6, 5, 3), (60, 40, 6, 4), (40, 12, 12, 3), (120, 150, 5, 9))


def events(generator, alphabet, most_events, most_symbols):
    def event():
        least = 0 if generator.random() < 0.1 else 1
        count = generator.randint(least, most_symbols)
        return [f"s{generator.randrange(alphabet)}" for _ in range(count)]
    return [event() for _ in range(generator.randrange(most_events + 1))]


def relative(generator, pattern, alphabet):
    """A piece of a pattern with symbols removed, replaced, misspelled or moved."""
    def changed(symbol):
        chance = generator.random()
        if chance < 0.7:
            return symbol
        return symbol + "x" if chance < 0.8 else f"s{generator.randrange(alphabet + 3)}"
    cut = generator.randrange(len(pattern) + 1)
    copy = [[changed(symbol) for symbol in event if generator.random() < 0.85]
            for event in pattern[cut:]]
    if generator.random() < 0.2:
        generator.shuffle(copy)
    return copy


def corpus(generator, count, alphabet, most_events, most_symbols, query_count):
    patterns = [(f"p{i}", events(generator, alphabet, most_events, most_symbols),
                 generator.choice((1, 1, 1, 2, 5, 1000))) for i in range(count)]
    for i in range(0, count, 7):  # the same pattern twice, in another order within events
        name, _, frequency = patterns[i]
        same = [list(reversed(event)) for event in patterns[i // 2][1]]
        patterns[i] = name, same, frequency
    queries = [relative(generator, generator.choice(patterns)[1], alphabet) if i % 3
               else events(generator, alphabet + 2, most_events, most_symbols)
               for i in range(query_count)]
    return patterns, queries


class Predictions(harness.CommandTest):
    def answers(self, patterns, queries, *flags, top):
        files = (self.file("patterns.jsonl", [
            {"name": name, "events": events, "frequency": frequency}
            for name, events, frequency in patterns]), self.file("queries.jsonl", [
                {"name": f"q{i}", "events": query} for i, query in enumerate(queries)]))
        return self.succeeds("match", "--patterns", files[0], "--queries", files[1], "--predict",
                             "--top", top or max(1, len(patterns)), *flags).lines()

    def assert_same(self, told, expected, message):
        """Lists must be equal and numbers close; the answer may have more fields."""
        if isinstance(expected, dict):
            for key, value in expected.items():
                if not key.startswith("_") and (key != "blocks" or key in told):
                    self.assertIn(key, told, message)
                    self.assert_same(told[key], value, f"{key}: {message}")
        elif isinstance(expected, list):
            self.assertEqual(len(told), len(expected), message)
            for one, other in zip(told, expected):
                self.assert_same(one, other, message)
        elif isinstance(expected, float):
            self.assertAlmostEqual(told, expected, delta=TOLERANCE, msg=message)
        else:
            self.assertEqual(told, expected, message)

    def check(self, patterns, queries, flags=(), rank="potential", top=None, **options):
        memory = oracle.Memory(patterns)
        flags = (*flags, "--rank", rank, "--threshold", repr(options.get("threshold", 0.1)))
        answers, cases = self.answers(patterns, queries, *flags, top=top), 0
        for query, answer in zip(queries, answers, strict=True):
            expected, told = oracle.predict(memory, query, rank=rank, **options), answer["results"]
            self.assertEqual(len(told), min(len(expected), top or len(expected)), query)
            by_index = {fields["index"]: fields for fields in expected}
            # Sums in another order may break a tie by one ulp, but never change a difference.
            is_fast = options.get("fast") and len(oracle.flatten(query)) == 1
            by = "potential" if is_fast else rank
            for place, hit in enumerate(told):
                fields = by_index[hit["index"]]
                about = (f"\nquery {json.dumps(query)}\npattern {memory.patterns[hit['index']]}"
                         f"\ntold {json.dumps(hit)}\nexpected {json.dumps(fields)}")
                self.assert_same(hit, fields, about)
                self.assertAlmostEqual(hit[by], expected[place][by], delta=TOLERANCE, msg=about)
            keys = [(-hit[by], -hit["similarity"], hit["index"]) for hit in told]
            self.assertEqual(keys, sorted(keys), query)
            cases += len(told)
        return cases

    def test_random_cases(self):
        generator, cases = random.Random(11), 0
        for round_ in range(4):
            measure, space = ("lcs", "difflib")[round_ % 2], ("serial", "openmp")[round_ % 2]
            for shape in SHAPES:
                cases += self.check(*corpus(generator, *shape, 20),
                                    ("--blocks", "--measure", measure, "--space", space),
                                    threshold=(0.0, 0.1, 0.3)[round_ % 3], measure=measure)
        self.assertGreater(cases, 5000)

    def test_every_ranking_with_and_without_weights(self):
        generator = random.Random(12)
        patterns, queries = corpus(generator, 50, 9, 5, 3, 8)
        affinities = {f"s{i}": generator.choice((-3.5, 0.0, 0.25, 40.0, 1e-3))
                      for i in range(0, 14, 2)}
        file = self.file("affinity.jsonl", [{"symbol": symbol, "affinity": value / 2}
                                            for symbol, value in affinities.items()] * 2)
        for rank in oracle.RANKS:
            self.check(patterns, queries, rank=rank, top=5)
        for rank in oracle.RANKS + oracle.WEIGHTED:
            self.check(patterns, queries, ("--affinity", file), rank=rank, top=7, threshold=0.0,
                       affinities=affinities)

    def test_misspelled_symbols(self):
        generator = random.Random(13)
        for fuzzy in (0.5, 0.8, 1.0):
            for shape in SHAPES[:4]:
                self.check(*corpus(generator, *shape, 15), ("--fuzzy", repr(fuzzy)), fuzzy=fuzzy,
                           threshold=generator.choice((0.0, 0.1)))

    def test_character_level(self):
        generator = random.Random(14)
        for threshold in (0.0, 0.2, 0.5):
            self.check(*corpus(generator, 40, 20, 5, 3, 20), ("--level", "character"),
                       level="character", threshold=threshold)

    def test_the_fast_path_of_a_single_symbol(self):
        patterns, queries = corpus(random.Random(15), 60, 5, 4, 3, 10)
        queries += [[[f"s{i}"]] for i in range(7)]
        for options in ({}, {"rank": "frequency", "top": 4}):
            self.check(patterns, queries, ("--single-symbol-fast-path",), fast=True, threshold=0.6,
                       **options)


if __name__ == "__main__":
    unittest.main()
