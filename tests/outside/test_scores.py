# SPDX-License-Identifier: Apache-2.0
"""`SequenceMatcher::score_all` against RapidFuzz's `cdist` and difflib: 40,000 pairs of texts of each
alphabet, with and without cutoffs. RapidFuzz computes the similarity of `lcs` (Indel) as
1 - distance / total, which can differ in the last bit."""
import difflib
import os
import random
import subprocess
import unittest

from measure_oracle import ALPHABETS, MEASURES, as_python_splits, random_texts
from numpy_oracle import harness, np
from rapidfuzz import process
from rapidfuzz.distance import Indel

LONGEST = (8, 20, 40, 130)  # one block of pairs each
SIDE = 100
CUTOFF, MOST = 0.6, 3


class Scores(harness.CommandTest):
    def matrices(self, patterns, queries):
        """A function from the name and the type of a file to its matrix, one row per query."""
        for name, texts in (("patterns", patterns), ("queries", queries)):
            self.file(name, "".join(text + "\0" for text in texts))
        subprocess.run([os.environ["KINDRED_PAIR_SCORES"], str(self.folder)], check=True)
        return lambda name, kind: np.fromfile(self.folder / name, dtype=kind).reshape(len(queries), len(patterns))

    def equal(self, ours, theirs, what):
        self.assertFalse(np.argwhere(ours != theirs)[:3].tolist(), what)

    def check_distances(self, matrix, name, scorer, patterns, queries):
        edits = lambda **cut: process.cdist(queries, patterns, scorer=scorer, dtype=np.int32, **cut)
        self.equal(matrix(name + ".distance", np.int32), edits(), name)
        self.equal(matrix(name + ".distance.cut", np.uint8), edits(score_cutoff=MOST), name + ", cutoff")

    def check(self, patterns, queries):
        matrix = self.matrices(patterns, queries)
        for name, measure in MEASURES.items():
            a, b = ([as_python_splits(text) for text in texts] if measure.of_text else texts for texts in (queries, patterns))
            theirs = process.cdist(a, b, scorer=measure.scorer, dtype=np.float64) / measure.scale
            self.equal(matrix(name, np.float64), theirs, name)
            self.equal(matrix(name + ".float32", np.float32), theirs.astype(np.float32), name + ", float32")
            self.equal(matrix(name + ".cut", np.float64), np.where(theirs < CUTOFF, 0, theirs), name + ", cutoff")
            if name == "jaro-winkler":
                self.equal(matrix(name + ".distance", np.float64), 1 - theirs, name + ", distance")
            elif measure.distance:
                self.check_distances(matrix, name, measure.distance, patterns, queries)
        self.check_distances(matrix, "lcs", Indel.distance, patterns, queries)
        theirs = process.cdist(queries, patterns, scorer=Indel.normalized_similarity, dtype=np.float64)
        empty = np.array([[not q and not p for p in patterns] for q in queries])
        self.assertLess(abs(np.where(empty, 0, theirs) - matrix("lcs", np.float64)).max(), 1e-15)
        ratios = [[difflib.SequenceMatcher(None, p, q, autojunk=False).ratio() for p in patterns[:30]] for q in queries[:30]]
        self.equal(matrix("difflib", np.float64)[:30, :30], np.array(ratios), "difflib")

    def test_empty_texts_and_white_space(self):
        texts = ["", " ", "  ", "a", " a", "a ", "a b", "b a", "b  a", "a a", "a a b", "ab", "ba"]
        self.check(texts, texts)


def check_alphabet(self, name):
    generator = random.Random(name)
    for longest in LONGEST:
        with self.subTest(longest=longest):
            self.check(*random_texts(generator, SIDE, SIDE, longest, ALPHABETS[name]))


for alphabet in ALPHABETS:
    setattr(Scores, f"test_pairs_of_{alphabet.replace(' ', '_')}", lambda self, name=alphabet: check_alphabet(self, name))


if __name__ == "__main__":
    unittest.main()
