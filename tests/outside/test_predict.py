# SPDX-License-Identifier: Apache-2.0
"""`kindred match --predict` against KATO's definitions in Python: thousands of random cases, every ranking, every option."""
import json
import random
import unittest

from numpy_oracle import harness
import prediction_oracle as oracle

TOLERANCE = 1e-9


def events(generator, alphabet, most_events, most_symbols):
    return [[f"s{generator.randrange(alphabet)}" for _ in range(generator.randrange(0 if generator.random() < 0.1 else 1, most_symbols + 1))]
            for _ in range(generator.randrange(most_events + 1))]


def relative(generator, pattern, alphabet):
    """A piece of a pattern with symbols removed, replaced, misspelled or moved."""
    cut = generator.randrange(len(pattern) + 1)
    copy = [[symbol if (chance := generator.random()) < 0.7 else symbol + "x" if chance < 0.8 else f"s{generator.randrange(alphabet + 3)}" for symbol in event
             if generator.random() < 0.85] for event in pattern[cut:]]
    if generator.random() < 0.2:
        generator.shuffle(copy)
    return copy


class Predictions(harness.CommandTest):
    def answers(self, patterns, queries, *flags, top=None):
        files = (self.file("patterns.jsonl", [{"name": name, "events": events, "frequency": frequency} for name, events, frequency in patterns]),
                 self.file("queries.jsonl", [{"name": f"q{i}", "events": query} for i, query in enumerate(queries)]))
        return self.succeeds("match", "--patterns", files[0], "--queries", files[1], "--predict", "--top", top or max(1, len(patterns)), *flags).lines()

    def assert_same(self, told, expected, message):
        """Lists must be equal and numbers close; the answer may have more fields."""
        for key, value in expected.items():
            if key.startswith("_") or (key == "blocks" and key not in told):
                continue
            self.assertIn(key, told, message)
            if key == "anomalies":
                self.assertEqual([(a["observed"], a["expected"]) for a in told[key]], [(a["observed"], a["expected"]) for a in value], message)
                for a, b in zip(told[key], value, strict=True):
                    self.assertAlmostEqual(a["similarity"], b["similarity"], delta=TOLERANCE, msg=message)
            elif isinstance(value, float):
                self.assertAlmostEqual(told[key], value, delta=TOLERANCE, msg=f"{key}: {message}")
            else:
                self.assertEqual(told[key], value, f"{key}: {message}")

    def check(self, patterns, queries, rank="potential", top=None, flags=(), **options):
        memory = oracle.Memory(patterns)
        answers = self.answers(patterns, queries, "--rank", rank, "--threshold", repr(options.get("threshold", 0.1)), *flags, top=top)
        cases = 0
        for query, answer in zip(queries, answers, strict=True):
            expected = oracle.predict(memory, query, rank=rank, **options)
            told = answer["results"]
            message = f"\nquery {json.dumps(query)}"
            self.assertEqual(len(told), min(len(expected), top or len(expected)), message)
            by_index = {fields["index"]: fields for fields in expected}
            for place, hit in enumerate(told):
                fields = by_index[hit["index"]]
                about = f"{message}\npattern {json.dumps(memory.patterns[hit['index']])}\ntold {json.dumps(hit)}\nexpected {json.dumps(fields)}"
                self.assert_same(hit, fields, about)
                # Sums in another order may break a tie by one ulp, but never change a real
                # difference.
                by = "potential" if options.get("fast") and len(oracle.flatten(query)) == 1 else rank
                self.assertAlmostEqual(hit[by], expected[place][by], delta=TOLERANCE, msg=about)
                if place > 0:
                    self.assertGreaterEqual(told[place - 1][by], hit[by], about)
                    if told[place - 1][by] == hit[by]:
                        self.assertLess((-told[place - 1]["similarity"], told[place - 1]["index"]), (-hit["similarity"], hit["index"]), about)
                cases += 1
        return cases

    def corpus(self, generator, count, alphabet, most_events, most_symbols, query_count):
        patterns = [(f"p{i}", events(generator, alphabet, most_events, most_symbols), generator.choice((1, 1, 1, 2, 5, 1000))) for i in range(count)]
        for i in range(0, count, 7):  # the same pattern twice, in another order within events
            patterns[i] = (patterns[i][0], [list(reversed(event)) for event in patterns[i // 2][1]], patterns[i][2])
        queries = [relative(generator, generator.choice(patterns)[1], alphabet) if i % 3 else events(generator, alphabet + 2, most_events, most_symbols) for i in range(query_count)]
        return patterns, queries

    SHAPES = ((12, 3, 4, 2), (30, 6, 5, 3), (60, 40, 6, 4), (40, 12, 12, 3), (120, 150, 5, 9))

    def test_random_cases(self):
        generator = random.Random(11)
        cases = 0
        for round_ in range(4):
            for shape in self.SHAPES:
                patterns, queries = self.corpus(generator, *shape, 20)
                cases += self.check(patterns, queries, threshold=(0.0, 0.1, 0.3)[round_ % 3], measure=("lcs", "difflib")[round_ % 2], flags=("--blocks", "--measure", ("lcs", "difflib")[round_ % 2], "--space", ("serial", "openmp")[round_ % 2]))
        self.assertGreater(cases, 5000)

    def test_every_ranking_with_and_without_weights(self):
        generator = random.Random(12)
        patterns, queries = self.corpus(generator, 50, 9, 5, 3, 8)
        affinities = {f"s{i}": generator.choice((-3.5, 0.0, 0.25, 40.0, 1e-3)) for i in range(0, 14, 2)}
        file = self.file("affinity.jsonl", [{"symbol": symbol, "affinity": value / 2} for symbol, value in affinities.items() for _ in range(2)])
        for rank in oracle.RANKS:
            self.check(patterns, queries, rank=rank, top=5)
        for rank in oracle.RANKS + oracle.WEIGHTED:
            self.check(patterns, queries, rank=rank, top=7, threshold=0.0, affinities=affinities, flags=("--affinity", file))

    def test_misspelled_symbols(self):
        generator = random.Random(13)
        for fuzzy in (0.5, 0.8, 1.0):
            for shape in self.SHAPES[:4]:
                patterns, queries = self.corpus(generator, *shape, 15)
                self.check(patterns, queries, fuzzy=fuzzy, threshold=generator.choice((0.0, 0.1)), flags=("--fuzzy", repr(fuzzy)))

    def test_character_level(self):
        generator = random.Random(14)
        for threshold in (0.0, 0.2, 0.5):
            patterns, queries = self.corpus(generator, 40, 20, 5, 3, 20)
            self.check(patterns, queries, level="character", threshold=threshold, flags=("--level", "character"))

    def test_the_fast_path_of_a_single_symbol(self):
        generator = random.Random(15)
        patterns, queries = self.corpus(generator, 60, 5, 4, 3, 10)
        queries += [[[f"s{i}"]] for i in range(7)]
        self.check(patterns, queries, fast=True, threshold=0.6, flags=("--single-symbol-fast-path",))
        self.check(patterns, queries, fast=True, rank="frequency", threshold=0.6, top=4, flags=("--single-symbol-fast-path",))

    def test_threads_and_spaces_change_no_byte(self):
        generator = random.Random(16)
        patterns, queries = self.corpus(generator, 3000, 10, 5, 3, 4)
        self.answers(patterns, queries)
        files = (self.folder / "patterns.jsonl", self.folder / "queries.jsonl")
        answers = {self.succeeds("match", "--patterns", files[0], "--queries", files[1], "--predict", "--top", 50, "--fuzzy", 0.6, *flags).out
                   for flags in (("--space", "serial"), ("--space", "openmp", "--threads", 1), ("--space", "openmp", "--threads", 3), ("--threads", 7))}
        self.assertEqual(len(answers), 1)


if __name__ == "__main__":
    unittest.main()
