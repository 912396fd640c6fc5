# SPDX-License-Identifier: Apache-2.0
"""`kindred match` against Python's difflib, RapidFuzz and SciPy: 25,000 random pairs and the awkward ones.

KINDRED_FULL=1, the full run, takes four times as many, KINDRED_LONG=1 forty times, of another seed."""
import difflib
import os
import random
import unittest

from numpy_oracle import harness, np
from rapidfuzz.distance import Indel, LCSseq
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import squareform

# (batches, patterns, queries, longest, alphabet): the pairs are all combinations of the patterns
# and queries of a batch.
SHAPES = [(12, 50, 50, 6, 2), (12, 50, 50, 12, 3), (10, 50, 50, 25, 4), (8, 50, 50, 40, 12), (3, 50, 50, 40, 300), (1, 25, 20, 140, 6), (1, 20, 25, 300, 60)]
LONG = os.environ.get("KINDRED_LONG", "") not in ("", "0")
FULL = LONG or os.environ.get("KINDRED_FULL", "") not in ("", "0")
if not FULL:
    SHAPES = [(-(-batches // 4), *rest) for batches, *rest in SHAPES]
TIMES = 10 if LONG else 1
PAIRS = TIMES * sum(batches * patterns * queries for batches, patterns, queries, _, _ in SHAPES)
SPACES = ("serial", "openmp")


def sequence(generator, longest, alphabet):
    return [f"s{generator.randrange(alphabet)}" for _ in range(generator.randrange(longest + 1))]


def relative(generator, tokens, alphabet):
    """A copy with tokens replaced, removed and moved."""
    copy = [token if generator.random() < 0.75 else f"s{generator.randrange(alphabet)}" for token in tokens if generator.random() < 0.9]
    cut = generator.randrange(len(copy) + 1)
    return copy[cut:] + copy[:cut] if generator.random() < 0.3 else copy


def as_text(tokens):
    """One character per token: RapidFuzz uses different code for strings than for lists."""
    return "".join(chr(0x4E00 + int(token[1:])) for token in tokens)


class Match(harness.CommandTest):
    def answers(self, patterns, queries, *flags, threshold=0.0, top=None):
        files = (self.file("patterns.jsonl", [{"name": f"p{i}", "tokens": tokens} for i, tokens in enumerate(patterns)]),
                 self.file("queries.jsonl", [{"name": f"q{i}", "tokens": tokens} for i, tokens in enumerate(queries)]))
        return self.succeeds("match", "--patterns", files[0], "--queries", files[1], "--threshold", repr(threshold), "--top", top or len(patterns), *flags).lines()

    def check(self, patterns, queries, answers, measure, as_pair=lambda pattern, query: (pattern, query), autojunk=False):
        for query, answer in zip(queries, answers, strict=True):
            if not query:
                self.assertEqual(answer["results"], [])
                continue
            self.assertEqual(sorted(hit["index"] for hit in answer["results"]), list(range(len(patterns))))
            for hit in answer["results"]:
                a, b = as_pair(patterns[hit["index"]], query)
                matcher = difflib.SequenceMatcher(None, a, b, autojunk=autojunk)
                if measure == "difflib":
                    blocks = [list(block) for block in matcher.get_matching_blocks()[:-1]]
                else:
                    blocks = [[block.b, block.a, block.size] for block in LCSseq.opcodes(b, a).as_matching_blocks()[:-1]]
                told = f"{a!r} {b!r} {hit}"
                self.assertEqual(hit["blocks"], blocks, told)
                if measure == "difflib":
                    self.assertEqual(hit["matched"], sum(block[2] for block in blocks), told)
                    self.assertEqual(hit["similarity"], matcher.ratio(), told)
                else:
                    self.assertEqual(hit["matched"], LCSseq.similarity(a, b), told)
                    self.assertEqual(hit["matched"], sum(block[2] for block in blocks), told)
                    if isinstance(a, list):
                        self.assertEqual(hit["matched"], LCSseq.similarity(as_text(a), as_text(b)), told)
                    self.assertEqual(hit["similarity"], 2 * hit["matched"] / (len(a) + len(b)), told)
                    self.assertAlmostEqual(hit["similarity"], Indel.normalized_similarity(a, b), delta=1e-12, msg=told)

    def check_cuts(self, generator, patterns, queries, answers, *flags):
        """A threshold and a top only remove results from the complete answers."""
        similarities = [hit["similarity"] for answer in answers for hit in answer["results"]]
        threshold = generator.choice([0.1, 0.6, 1 / 3, *similarities[:50]])
        top = generator.choice([1, 7, len(patterns)])
        cut = self.answers(patterns, queries, *flags, threshold=threshold, top=top)
        for whole, part in zip(answers, cut, strict=True):
            self.assertEqual(part["results"], [hit for hit in whole["results"] if hit["similarity"] >= threshold][:top])

    def test_there_are_pairs_enough(self):
        self.assertGreaterEqual(PAIRS, 1_000_000 if LONG else 100_000 if FULL else 25_000)

    def check_random_pairs(self, shape):
        batches, pattern_count, query_count, longest, alphabet = SHAPES[shape]
        generator = random.Random(10 * shape + (1000 if LONG else 1))
        for batch in range(TIMES * batches):
            patterns = [sequence(generator, longest, alphabet) for _ in range(pattern_count)]
            queries = [relative(generator, generator.choice(patterns), alphabet) if i % 2 else sequence(generator, longest, alphabet) for i in range(query_count)]
            for measure in ("lcs", "difflib"):
                flags = ("--measure", measure, "--blocks", "--space", SPACES[batch % 2])
                answers = self.answers(patterns, queries, *flags)
                self.check(patterns, queries, answers, measure)
                self.check_cuts(generator, patterns, queries, answers, *flags)

    def test_autojunk_is_pythons_default(self):
        generator = random.Random(20 if LONG else 5)
        for batch in range(12 * TIMES):
            # Some symbols are frequent, most are not; lengths around the limit at which the
            # heuristic starts.
            weights = [30] * generator.randrange(1, 5) + [1] * generator.choice((10, 60, 200))
            sample = lambda length: [f"s{i}" for i in generator.choices(range(len(weights)), weights, k=length)]
            queries = [sample(length) for length in (199, 200, 201, generator.randrange(202, 420))]
            patterns = []
            for _ in range(6):
                for query in queries:
                    begin = generator.randrange(len(query))
                    patterns.append([token if generator.random() < 0.85 else sample(1)[0] for token in query[begin:begin + generator.randrange(240)]])
            patterns += [[], ["s0"], ["s0"] * 40, sample(300)]
            flags = ("--measure", "difflib", "--autojunk", "--blocks", "--space", SPACES[batch % 2])
            answers = self.answers(patterns, queries, *flags)
            self.check(patterns, queries, answers, "difflib", autojunk=True)
            self.check_cuts(generator, patterns, queries, answers, *flags)

    def test_autojunk_of_characters(self):
        generator = random.Random(6)
        text = lambda length: "".join(generator.choices("eat \u00e9\u4e00xyzqjkwvb", [20, 15, 10, 25, 1, 1, 2, 2, 1, 1, 1, 1, 1, 1, 3], k=length))
        queries = [text(length) for length in (199, 200, 201, 500)]
        texts = [query[:90] + text(60) for query in queries] + [query[100:] for query in queries] + [text(250)]
        files = (self.file("lines.txt", "".join(line + "\n" for line in texts)), self.file("query_lines.txt", "".join(line + "\n" for line in queries)))
        answers = self.succeeds("match", "--lines", files[0], "--queries", files[1], "--measure", "difflib", "--autojunk", "--blocks", "--threshold", 0, "--top", 100).lines()
        self.check(texts, queries, answers, "difflib", autojunk=True)

    def test_duplicates_are_every_pair_once(self):
        generator = random.Random(7)
        patterns = [sequence(generator, 12, 4) for _ in range(60)]
        patterns += [relative(generator, pattern, 4) for pattern in patterns]
        path = self.file("patterns.jsonl", [{"name": f"p{i}", "tokens": tokens} for i, tokens in enumerate(patterns)])
        for measure in ("lcs", "difflib"):
            for threshold in (0, 0.6, 1):
                for top in (None, 2):
                    flags = ("--measure", measure, "--threshold", threshold) + (("--top", top) if top else ())
                    answers = self.succeeds("match", "--patterns", path, "--self", *flags).lines()
                    self.assertEqual([answer["query"] for answer in answers], [f"p{j}" for j in range(len(patterns))])
                    for j, answer in enumerate(answers):
                        scored = []
                        for i in range(j if patterns[j] else 0):
                            a, b = patterns[i], patterns[j]
                            matched = LCSseq.similarity(a, b) if measure == "lcs" else sum(block.size for block in difflib.SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks())
                            similarity = 2 * matched / (len(a) + len(b))
                            if similarity >= threshold:
                                scored.append((-similarity, i, matched))
                        self.assertEqual([(-hit["similarity"], hit["index"], hit["matched"]) for hit in answer["results"]], sorted(scored)[:top])

    def check_clusters(self, patterns, similarities, threshold, kind, expected):
        """`expected` is SciPy's cluster of every pattern."""
        path = self.file("patterns.jsonl", [{"name": f"p{i}", "tokens": tokens} for i, tokens in enumerate(patterns)])
        clusters = self.succeeds("match", "--patterns", path, "--self", "--threshold", repr(threshold), "--clusters", kind).lines()
        members = [[member["index"] for member in cluster["members"]] for cluster in clusters]
        theirs = {}
        for index, label in enumerate(expected):
            theirs.setdefault(label, []).append(index)
        self.assertEqual(members, sorted(theirs.values()))
        for cluster, row in zip(clusters, members, strict=True):
            sums = {i: sum(similarities[i, j] for j in row if j != i and similarities[i, j] >= threshold) for i in row}
            self.assertAlmostEqual(sums[cluster["representative"]["index"]], max(sums.values()), delta=1e-12)
        return max(len(row) for row in members)

    def test_clusters_are_scipys(self):
        generator = random.Random(8)
        for round_ in range(6 * TIMES):
            patterns = []
            for _ in range(8):
                center = [f"s{generator.randrange(50)}" for _ in range(generator.randrange(300, 700))]
                patterns += [[token if generator.random() < keep else f"s{generator.randrange(50)}" for token in center if generator.random() < keep]
                             for keep in (generator.uniform(0.85, 1) for _ in range(7))]
            generator.shuffle(patterns)
            threshold = generator.choice((0.7, 0.75, 0.8)) + 1e-6
            while True:
                texts = [as_text(tokens) for tokens in patterns]
                similarities = np.array([[2 * LCSseq.similarity(a, b) / (len(a) + len(b)) for b in texts] for a in texts])
                listed = similarities * (similarities >= threshold)
                # SciPy leaves the order of equally similar pairs open: remove a pattern of each.
                values, counts = np.unique(np.triu(listed, 1), return_counts=True)
                equal = {int(np.argwhere(np.triu(listed, 1) == value)[0][0]) for value in values[(counts > 1) & (values > 0)]}
                if not equal:
                    break
                patterns = [tokens for i, tokens in enumerate(patterns) if i not in equal]
            self.assertGreater(len(patterns), 30)
            largest = self.check_clusters(patterns, similarities, threshold, "single", connected_components(csr_matrix(listed > 0))[1])
            distances = squareform(1 - similarities, checks=False)
            self.assertGreaterEqual(largest, self.check_clusters(patterns, similarities, threshold, "complete", fcluster(linkage(distances, "complete"), 1 - threshold, "distance")))
            self.assertGreater(largest, 2)

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


for number in range(len(SHAPES)):
    setattr(Match, f"test_random_pairs_of_shape_{number}", lambda self, shape=number: self.check_random_pairs(shape))


if __name__ == "__main__":
    unittest.main()
