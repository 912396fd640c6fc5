# SPDX-License-Identifier: Apache-2.0
"""`SequenceMatcher` against RapidFuzz, difflib and SciPy: for every measure all similarities,
distances and blocks of thousands of random pairs of texts and of difficult ones, bit for bit."""
import random
import unittest

from measures import ALPHABETS, MEASURES, lcs, random_text, random_texts, relative
from outside import LONG, SEED, TIMES, programs

np, rapidfuzz, _ = programs("numpy", "rapidfuzz", "scipy")
import pykindred  # noqa: E402
from scipy.cluster.hierarchy import fcluster, linkage  # noqa: E402
from scipy.sparse import csr_matrix  # noqa: E402
from scipy.sparse.csgraph import connected_components  # noqa: E402
from scipy.spatial.distance import squareform  # noqa: E402

# (batches, longest text, alphabet): the pairs are all of 50 patterns with 50 queries.
SHAPES = ((3, 6, "two letters"), (2, 40, "letters"), (2, 70, "words"), (2, 40, "planes"),
          (1, 40, "white space"), (1, 40, "many"), (1, 200, "letters"))
PAIRS = TIMES * 2500 * sum(batches for batches, _, _ in SHAPES)
LENGTHS = (0, 1, 2, 3, 4, 31, 32, 33, 63, 64, 65, 127, 128, 129, 199, 200, 201, 255, 256, 257, 1000)
SPACES = ("serial", "openmp")


class Measures(unittest.TestCase):
    def check(self, patterns, queries, limits=((0.0, None),), measures=MEASURES):
        """What the matcher says of the pairs, by every measure."""
        for number, measure in enumerate(measures):
            with self.subTest(measure=measure.name, autojunk=measure.autojunk):
                matcher = pykindred.SequenceMatcher(patterns)
                similarities = measure.similarities(patterns, queries)
                options = {"measure": measure.name, "autojunk": measure.autojunk}
                self.check_scores(matcher, measure, similarities, queries, patterns, options)
                for threshold, top in limits:
                    found = matcher.match(queries, threshold=threshold, top=top, **options,
                                          blocks=measure.has_blocks, space=SPACES[number % 2])
                    self.check_matches(found, measure, similarities, patterns, queries,
                                       threshold, top)

    def check_scores(self, matcher, measure, similarities, queries, patterns, options):
        def equal(expected, **given):
            found = matcher.score_all(queries, **given, **options)
            wrong = np.argwhere(found != expected.astype(found.dtype))[:1]
            self.assertFalse([(queries[j], patterns[i], found[j, i], expected[j, i])
                              for j, i in wrong], given)
        equal(similarities, dtype=np.float64)
        equal(similarities, dtype=np.float32)
        equal(np.where(similarities < 0.6, 0, similarities), dtype=np.float64, score_cutoff=0.6)
        if measure.name == "jaro-winkler":
            equal(1 - similarities, value="distance", dtype=np.float64)
        elif measure.distance:
            edits = measure.matrix(measure.distance, patterns, queries, np.int32)
            equal(edits, value="distance")
            equal(np.minimum(edits, 4), value="distance", dtype=np.uint8, score_cutoff=3)

    def check_matches(self, found, measure, similarities, patterns, queries, threshold, top):
        """The order (largest similarity first, then lower index) and the threshold, which is
        inclusive; matched symbols and blocks."""
        for j, (query, (scores, ids)) in enumerate(zip(queries, found, strict=True)):
            row = similarities[j]
            order = [i for i in np.argsort(-row, kind="stable").tolist() if row[i] >= threshold]
            order = order[:top] if query else []  # an empty query has no results
            self.assertEqual((ids.tolist(), scores.tolist()), (order, row[order].tolist()), query)
            for place, i in enumerate(order if measure.has_blocks else ()):
                blocks = measure.blocks(patterns[i], query)
                place += int(found.offsets[j])
                self.assertEqual(found.blocks(place).tolist(), blocks, (patterns[i], query))
                self.assertEqual(found.matched[place], sum(size for *_, size in blocks))
        if measure.distance and measure.name != "lcs":
            rows = np.repeat(np.arange(len(queries)), np.diff(found.offsets))
            kind = np.float64 if measure.name == "jaro-winkler" else np.int32
            distances = measure.matrix(measure.distance, patterns, queries, kind)
            np.testing.assert_array_equal(found.distances, distances[rows, found.ids])

    def test_random_texts(self):
        self.assertGreaterEqual(PAIRS, 1_000_000 if LONG else 25_000)
        print(f"seed {SEED}, {PAIRS} pairs", flush=True)
        for shape, (batches, longest, alphabet) in enumerate(SHAPES):
            generator = random.Random(10 * shape + SEED)
            for _ in range(TIMES * batches):
                texts = random_texts(generator, 50, 50, longest, ALPHABETS[alphabet])
                some = generator.choice([0.1, 0.6, 1 / 3]), generator.choice([1, 7, 50])
                self.check(*texts, ((0.0, None), some))

    def test_lengths_around_a_word_and_the_start_of_autojunk(self):
        generator = random.Random(SEED)
        for alphabet in ("letters", "two letters", "words", "some frequent"):
            texts = [random_text(generator, length, ALPHABETS[alphabet], length)
                     for length in LENGTHS]
            self.check(texts, [relative(generator, text, 1000, ALPHABETS[alphabet])
                               for text in texts] + texts[14:18])

    def test_empty_and_short_texts(self):
        texts = ["", " ", "  ", "a", "b", " a", "a ", "ab", "ba", "a b", "b a", "b  a", "a a",
                 "a a b", "\U0001f642", "\U0001f642 a", "\u3000", "\x85", "\xa0a", "a\u200bb",
                 "aaab", "baaa", ""]
        self.check(texts, texts)
        self.check([""], texts)

    def test_a_threshold_keeps_the_similarity_that_it_equals(self):
        patterns = ["a" * m + " b" * n for m in range(1, 12) for n in range(4)]
        for measure in MEASURES:
            values = np.unique(measure.similarities(patterns, ["aaaaaaa b"]))
            thresholds = np.minimum([*values, *np.nextafter(values, 2)], 1).tolist()
            limits = [(threshold, None) for threshold in thresholds]
            self.check(patterns, ["aaaaaaa b"], limits, measures=[measure])

    def test_words_end_where_python_splits(self):
        characters = [c for c in map(chr, range(1, 0x3100)) if c not in "ab"]
        matcher = pykindred.SequenceMatcher([f"b{c}a" for c in characters])
        scores = matcher.score_all("a b", measure="token-sort")[0]
        self.assertEqual([c for c, score in zip(characters, scores) if score == 1],
                         [c for c in characters if c.isspace()])
        self.assertFalse([c for c in map(chr, range(0x3100, 0x110000)) if c.isspace()])


class Clusters(unittest.TestCase):
    def check(self, found, similarities, expected):
        """`expected` is SciPy's cluster of every pattern."""
        theirs = {}
        for index, label in enumerate(expected):
            theirs.setdefault(label, []).append(index)
        members = [part.tolist() for part in np.split(found.members, found.offsets[1:-1])]
        self.assertEqual(members, sorted(theirs.values()))
        for best, row in zip(found.representatives, members, strict=True):
            sums = {i: sum(similarities[i, j] for j in row if j != i) for i in row}
            self.assertAlmostEqual(sums[best], max(sums.values()), delta=1e-12)
        return max(map(len, members))

    def test_are_scipys(self):
        generator = random.Random(8)
        letters = ALPHABETS["many"][:50]
        for _ in range(6 * TIMES):
            texts = []
            for _ in range(8):
                center = random_text(generator, 700, letters, 300)
                texts += ["".join(c if generator.random() < keep else generator.choice(letters)
                                  for c in center if generator.random() < keep)
                          for keep in (generator.uniform(0.85, 1) for _ in range(7))]
            generator.shuffle(texts)
            threshold = generator.choice((0.7, 0.75, 0.8)) + 1e-6
            while True:
                similarities = np.array([[lcs(a, b) for b in texts] for a in texts])
                listed = np.where(similarities >= threshold, similarities, 0)
                # SciPy leaves the order of equally similar pairs open: one of each goes.
                values, counts = np.unique(np.triu(listed, 1), return_counts=True)
                equal = {int(np.argwhere(np.triu(listed, 1) == value)[0][0])
                         for value in values[(counts > 1) & (values > 0)]}
                if not equal:
                    break
                texts = [text for i, text in enumerate(texts) if i not in equal]
            self.assertGreater(len(texts), 30)
            matcher = pykindred.SequenceMatcher(texts)
            single = connected_components(csr_matrix(listed > 0))[1]
            largest = self.check(matcher.cluster(threshold=threshold), listed, single)
            self.assertGreater(largest, 2)
            tree = linkage(squareform(1 - similarities, checks=False), "complete")
            found = matcher.cluster(threshold=threshold, linkage="complete")
            complete = fcluster(tree, 1 - threshold, "distance")
            self.assertLessEqual(self.check(found, listed, complete), largest)


if __name__ == "__main__":
    unittest.main()
