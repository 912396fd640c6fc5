# SPDX-License-Identifier: Apache-2.0
"""`kindred match` against Python's difflib and RapidFuzz: 100,000 random pairs and the awkward ones."""
import difflib
import random
import unittest

from outside import harness
from rapidfuzz.distance import Indel, LCSseq

# (batches, patterns, queries, longest, alphabet): pairs are all patterns with all queries of a batch.
SHAPES = [(12, 50, 50, 6, 2), (12, 50, 50, 12, 3), (10, 50, 50, 25, 4), (8, 50, 50, 40, 12), (3, 50, 50, 40, 300), (1, 25, 20, 140, 6), (1, 20, 25, 300, 60)]
PAIRS = sum(batches * patterns * queries for batches, patterns, queries, _, _ in SHAPES)
SPACES = ("serial", "openmp")


def sequence(generator, longest, alphabet):
    return [f"s{generator.randrange(alphabet)}" for _ in range(generator.randrange(longest + 1))]


def relative(generator, tokens, alphabet):
    """A copy with tokens replaced, dropped, moved."""
    copy = [token if generator.random() < 0.75 else f"s{generator.randrange(alphabet)}" for token in tokens if generator.random() < 0.9]
    cut = generator.randrange(len(copy) + 1)
    return copy[cut:] + copy[:cut] if generator.random() < 0.3 else copy


class Match(harness.CommandTest):
    def answers(self, patterns, queries, *flags, threshold=0.0, top=None):
        files = (self.file("patterns.jsonl", [{"name": f"p{i}", "tokens": tokens} for i, tokens in enumerate(patterns)]),
                 self.file("queries.jsonl", [{"name": f"q{i}", "tokens": tokens} for i, tokens in enumerate(queries)]))
        return self.succeeds("match", "--patterns", files[0], "--queries", files[1], "--threshold", repr(threshold), "--top", top or len(patterns), *flags).lines()

    def check(self, patterns, queries, answers, measure, as_pair=lambda pattern, query: (pattern, query)):
        for query, answer in zip(queries, answers, strict=True):
            if not query:
                self.assertEqual(answer["results"], [])
                continue
            self.assertEqual(sorted(hit["index"] for hit in answer["results"]), list(range(len(patterns))))
            for hit in answer["results"]:
                a, b = as_pair(patterns[hit["index"]], query)
                matcher = difflib.SequenceMatcher(None, a, b, autojunk=False)
                blocks = [list(block) for block in matcher.get_matching_blocks()[:-1]]
                told = f"{a!r} {b!r} {hit}"
                self.assertEqual(hit["blocks"], blocks, told)
                if measure == "difflib":
                    self.assertEqual(hit["matched"], sum(block[2] for block in blocks), told)
                    self.assertEqual(hit["similarity"], matcher.ratio(), told)
                else:
                    self.assertEqual(hit["matched"], LCSseq.similarity(a, b), told)
                    self.assertEqual(hit["similarity"], 2 * hit["matched"] / (len(a) + len(b)), told)
                    self.assertAlmostEqual(hit["similarity"], Indel.normalized_similarity(a, b), delta=1e-12, msg=told)

    def test_random_pairs(self):
        self.assertGreaterEqual(PAIRS, 100_000)
        generator = random.Random(1)
        for batches, pattern_count, query_count, longest, alphabet in SHAPES:
            for batch in range(batches):
                patterns = [sequence(generator, longest, alphabet) for _ in range(pattern_count)]
                queries = [relative(generator, generator.choice(patterns), alphabet) if i % 2 else sequence(generator, longest, alphabet) for i in range(query_count)]
                for measure in ("lcs", "difflib"):
                    answers = self.answers(patterns, queries, "--measure", measure, "--blocks", "--space", SPACES[batch % 2])
                    self.check(patterns, queries, answers, measure)

    def test_characters_of_lines(self):
        generator = random.Random(2)
        alphabet = "ab é一🙂"
        texts = ["".join(generator.choice(alphabet) for _ in range(generator.randrange(40))) for _ in range(60)]
        queries = [text for text in ("".join(generator.choice(alphabet) for _ in range(1 + generator.randrange(70))) for _ in range(30))]
        files = (self.file("lines.txt", "".join(text + "\n" for text in texts)), self.file("query_lines.txt", "".join(text + "\n" for text in queries)))
        for measure in ("lcs", "difflib"):
            answers = self.succeeds("match", "--lines", files[0], "--queries", files[1], "--measure", measure, "--blocks", "--threshold", 0, "--top", 100).lines()
            self.check(texts, queries, answers, measure)

    def test_character_level_joins_tokens_with_a_space(self):
        generator = random.Random(3)
        patterns = [sequence(generator, 8, 20) for _ in range(40)]
        queries = [sequence(generator, 8, 20) for _ in range(20)]
        for measure in ("lcs", "difflib"):
            answers = self.answers(patterns, queries, "--level", "character", "--measure", measure, "--blocks")
            self.check(patterns, queries, answers, measure, lambda a, b: (" ".join(a), " ".join(b)))

    def test_thresholds_are_inclusive_and_exact(self):
        patterns = [["x"] * m for m in range(0, 30)]
        queries = [["x"] * n for n in range(1, 30)]
        full = self.answers(patterns, queries)
        for numerator, denominator in ((1, 3), (2, 3), (7, 10), (1, 7), (1, 1)):
            threshold = numerator / denominator
            cut = self.answers(patterns, queries, threshold=threshold)
            for all_hits, kept in zip(full, cut, strict=True):
                self.assertEqual(kept["results"], [hit for hit in all_hits["results"] if hit["similarity"] >= threshold])

    def test_the_best_of_many(self):
        generator = random.Random(4)
        patterns = [sequence(generator, 30, 40) for _ in range(3000)]
        queries = [relative(generator, patterns[i], 40) or ["s1"] for i in range(5)]
        for measure in ("lcs", "difflib"):
            for threshold in (0.1, 0.6):
                answers = self.answers(patterns, queries, "--measure", measure, threshold=threshold, top=10)
                for query, answer in zip(queries, answers, strict=True):
                    scored = []
                    for index, pattern in enumerate(patterns):
                        length = len(pattern) + len(query)
                        if measure == "lcs":
                            similarity = 2 * LCSseq.similarity(pattern, query) / length
                        else:
                            matcher = difflib.SequenceMatcher(None, pattern, query, autojunk=False)
                            similarity = matcher.ratio() if matcher.quick_ratio() >= threshold else 0
                        if similarity >= threshold:
                            scored.append((-similarity, index))
                    self.assertEqual([(-hit["similarity"], hit["index"]) for hit in answer["results"]], sorted(scored)[:10])


if __name__ == "__main__":
    unittest.main()
