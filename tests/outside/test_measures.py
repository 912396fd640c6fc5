# SPDX-License-Identifier: Apache-2.0
"""`kindred match --measure` with RapidFuzz's measures against RapidFuzz: 25,000 random pairs of texts
per measure, and difficult ones. A measure that `kindred match --help` does not list is skipped.

KINDRED_FULL=1, the full run, takes four times as many, KINDRED_LONG=1 forty times, of another seed."""
import os
import random
import re
import sys
import unittest

from measure_oracle import ALPHABETS, MEASURES, as_python_splits, random_text, random_texts, relative
from numpy_oracle import harness, np
from rapidfuzz import process

# (batches, patterns, queries, longest, alphabet): the pairs are all combinations of the patterns and queries of a batch.
SHAPES = [(6, 50, 50, 6, "two letters"), (10, 50, 50, 40, "letters"), (8, 50, 50, 70, "words"), (8, 50, 50, 40, "planes"), (4, 50, 50, 40, "white space"), (4, 50, 50, 200, "letters")]
LONG = os.environ.get("KINDRED_LONG", "") not in ("", "0")
FULL = LONG or os.environ.get("KINDRED_FULL", "") not in ("", "0")
if not FULL:
    SHAPES = [(-(-batches // 4), *rest) for batches, *rest in SHAPES]
TIMES = 10 if LONG else 1
PAIRS = TIMES * sum(batches * patterns * queries for batches, patterns, queries, _, _ in SHAPES)
SPACES = ("serial", "openmp")
LENGTHS = (0, 1, 2, 3, 4, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1000)


def listed_measures():
    """Those that the line of `--measure` in the help lists."""
    line = next((line for line in harness.run("match", "--help").out.decode().splitlines() if line.lstrip().startswith("--measure")), "")
    return {name for name in MEASURES if re.search(rf"(?<![\w-]){name}(?![\w-])", line)}


LISTED = listed_measures()


class Measures(harness.CommandTest):
    def measure(self, name):
        if name not in LISTED:
            self.skipTest(f"`kindred match --help` does not list the measure {name}")
        return MEASURES[name]

    def lines(self, measure, patterns, queries, *flags, threshold=0.0, top=None):
        """The answers for texts at character level."""
        files = [self.file(name, "".join(text + "\n" for text in texts)) for name, texts in (("patterns.txt", patterns), ("queries.txt", queries))]
        return self.succeeds("match", "--lines", files[0], "--queries", files[1], "--measure", measure.name, "--threshold", repr(threshold), "--top", top or len(patterns), *flags).lines()

    def records(self, measure, patterns, queries, *flags):
        """All answers for lists of tokens."""
        files = [self.file(name, [{"tokens": tokens} for tokens in lists]) for name, lists in (("patterns.jsonl", patterns), ("queries.jsonl", queries))]
        return self.succeeds("match", "--patterns", files[0], "--queries", files[1], "--measure", measure.name, "--threshold", 0, "--top", len(patterns), *flags).lines()

    def check(self, measure, patterns, queries, answers, threshold=0.0, top=None):
        """Every similarity and distance, the order (largest similarity first, then lower index) and the
        threshold, which is inclusive. Returns the similarities."""
        split = as_python_splits if measure.of_text else lambda text: text
        a, b = list(map(split, patterns)), list(map(split, queries))
        similarities = measure.similarities(a, b)
        distances = measure.distances(a, b) if measure.distance else None
        for j, (query, answer) in enumerate(zip(queries, answers, strict=True)):
            if not query:
                self.assertEqual(answer["results"], [], "an empty query has no results")
                continue
            column = similarities[:, j]
            order = [int(i) for i in np.argsort(-column, kind="stable") if column[i] >= threshold][:top]
            hits = answer["results"]
            if [(hit["index"], hit["similarity"]) for hit in hits] != [(i, column[i]) for i in order]:
                for place, i in enumerate(order):
                    told = (hits[place]["index"], hits[place]["similarity"]) if place < len(hits) else None
                    self.assertEqual(told, (i, column[i]), f"{measure.name}, result {place}: pattern {patterns[i]!r}, query {query!r}")
                self.assertEqual(len(hits), len(order), f"{measure.name}: {query!r}")
            if distances is not None:
                for hit in hits:
                    self.assertEqual(hit["distance"], distances[hit["index"], j], f"{measure.name}: {patterns[hit['index']]!r} {query!r}")
        return similarities

    def check_cuts(self, measure, generator, patterns, queries, similarities, *flags):
        """Thresholds, some of them equal to a similarity, and how many results are returned."""
        threshold = generator.choice([0.1, 0.6, 1 / 3, *map(float, similarities.ravel()[:50])])
        top = generator.choice([1, 7, len(patterns)])
        self.check(measure, patterns, queries, self.lines(measure, patterns, queries, *flags, threshold=threshold, top=top), threshold, top)

    def test_there_are_pairs_enough(self):
        self.assertGreaterEqual(PAIRS, 1_000_000 if LONG else 100_000 if FULL else 25_000)

    def check_random_pairs(self, name):
        measure = self.measure(name)
        seed = 100 if LONG else 1
        print(f"{name}: seed {seed}, {PAIRS} pairs", flush=True)
        for shape, (batches, pattern_count, query_count, longest, alphabet) in enumerate(SHAPES):
            generator = random.Random(10 * shape + seed)
            for batch in range(TIMES * batches):
                patterns, queries = random_texts(generator, pattern_count, query_count, longest, ALPHABETS[alphabet])
                flags = ("--space", SPACES[batch % 2])
                similarities = self.check(measure, patterns, queries, self.lines(measure, patterns, queries, *flags))
                self.check_cuts(measure, generator, patterns, queries, similarities, *flags)

    def check_lengths(self, name):
        """Around a word of 64 symbols and its multiples, and 1,000; letters, two letters and words."""
        measure = self.measure(name)
        generator = random.Random(2)
        for alphabet in ("letters", "two letters", "words"):
            symbols = ALPHABETS[alphabet]
            texts = ["".join(generator.choices(symbols, k=length)) for length in LENGTHS]
            queries = texts + [relative(generator, text, 1000, symbols) for text in texts]
            self.check(measure, texts, queries, self.lines(measure, texts, queries))

    def check_empty_and_short(self, name):
        measure = self.measure(name)
        texts = ["", " ", "  ", "a", "b", " a", "a ", "ab", "ba", "a b", "b a", "a a", "\U0001f642", "\U0001f642 a", "\u3000", "aaab", "baaa", ""]
        self.check(measure, texts, texts, self.lines(measure, texts, texts))
        self.check(measure, [""], texts, self.lines(measure, [""], texts))

    def check_ties(self, name):
        """Equal patterns far apart, of which some are beyond the last result."""
        measure = self.measure(name)
        generator = random.Random(3)
        few = ["ab cd", "ab", "cd ab", "abcd", "", "dc", "ab  cd", "x"]
        patterns = [generator.choice(few) for _ in range(1000)]
        for top in (1, 10, 300, 1000):
            for threshold in (0.0, 0.5, 1.0):
                self.check(measure, patterns, few, self.lines(measure, patterns, few, threshold=threshold, top=top), threshold, top)

    def check_best_of_many(self, name):
        """Like RapidFuzz's extract with its cutoff."""
        measure = self.measure(name)
        generator = random.Random(4)
        patterns = [random_text(generator, 24, ALPHABETS["words"]) for _ in range(5000)]
        queries = [relative(generator, pattern, 24, ALPHABETS["words"]) or "a" for pattern in patterns[:8]]
        for threshold in (0.0, 0.25, 0.75):
            answers = self.lines(measure, patterns, queries, threshold=threshold, top=100)
            self.check(measure, patterns, queries, answers, threshold, 100)
            for query, answer in zip(queries, answers):
                best = process.extract(query, patterns, scorer=measure.scorer, score_cutoff=threshold * measure.scale, limit=100)
                self.assertEqual([(hit["index"], hit["similarity"]) for hit in answer["results"]], [(index, score / measure.scale) for _, score, index in best])

    def check_thresholds(self, name):
        """A threshold equal to a similarity keeps it; the next larger number does not."""
        measure = self.measure(name)
        patterns = ["a" * m + " b" * n for m in range(1, 12) for n in range(4)]
        similarities = self.check(measure, patterns, ["aaaaaaa b"], self.lines(measure, patterns, ["aaaaaaa b"]))
        for value in sorted(set(similarities.ravel())):
            for threshold in (float(value), float(np.nextafter(value, 2))):
                if threshold <= 1:
                    self.check(measure, patterns, ["aaaaaaa b"], self.lines(measure, patterns, ["aaaaaaa b"], threshold=threshold), threshold)

    def check_tokens(self, name):
        """Sequences of tokens, some of which no pattern has; measures of text take their characters."""
        measure = self.measure(name)
        generator = random.Random(5)
        sequence = lambda longest, alphabet: [f"s{generator.randrange(alphabet)}" for _ in range(generator.randrange(longest + 1))]
        patterns = [sequence(20, 5) for _ in range(60)]
        queries = [sequence(20, 7) for _ in range(60)]
        if not measure.of_text:
            self.check(measure, patterns, queries, self.records(measure, patterns, queries))
        # At character level the tokens are joined by a space; a token may contain ends of lines.
        patterns, queries = [tokens + ["x\ny"] for tokens in patterns], [["y\r\n", *tokens] for tokens in queries]
        self.check(measure, *([" ".join(tokens) for tokens in lists] for lists in (patterns, queries)), self.records(measure, patterns, queries, "--level", "character"))

    def check_duplicates(self, name):
        """Pattern j is the query of the patterns before it."""
        measure = self.measure(name)
        texts, relatives = random_texts(random.Random(6), 40, 40, 12, ALPHABETS["words"])
        texts += relatives
        path = self.file("patterns.txt", "".join(text + "\n" for text in texts))
        for threshold, top in ((0.0, None), (0.5, None), (0.5, 2), (1.0, None)):
            flags = ("--top", top) if top else ()
            answers = self.succeeds("match", "--lines", path, "--self", "--measure", measure.name, "--threshold", threshold, *flags).lines()
            self.assertEqual(len(answers), len(texts))
            for j, answer in enumerate(answers):
                self.check(measure, texts[:j] or [""], [texts[j] if j else ""], [answer], threshold, top)

    def check_spaces(self, name):
        """The same bytes in every space and for any number of threads."""
        measure = self.measure(name)
        patterns, queries = random_texts(random.Random(7), 300, 20, 90, ALPHABETS["words"])
        files = [self.file(name, "".join(text + "\n" for text in texts)) for name, texts in (("patterns.txt", patterns), ("queries.txt", queries))]
        common = ("match", "--lines", files[0], "--queries", files[1], "--measure", measure.name, "--threshold", 0.2, "--top", 50)
        expected = self.succeeds(*common, "--space", "serial").out
        for space in harness.usable_spaces():
            for threads in (1, 2, 3) if space == "openmp" else (1,):
                self.assertEqual(self.succeeds(*common, "--space", space, "--threads", threads).out, expected, f"{space}, {threads}")


for check in [name for name in vars(Measures) if name.startswith("check_") and name != "check_cuts"]:
    for name in MEASURES:
        setattr(Measures, f"test_{check.removeprefix('check_')}_{name.replace('-', '_')}", lambda self, check=check, name=name: getattr(self, check)(name))


if __name__ == "__main__":
    if not LISTED:
        print("skipped: `kindred match --help` lists none of " + ", ".join(MEASURES))
        sys.exit(77)
    unittest.main()
