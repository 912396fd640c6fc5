# SPDX-License-Identifier: Apache-2.0
"""The oracle of the measures that RapidFuzz defines against RapidFuzz, bit for bit: 5,000 pairs of
texts of up to 200 characters of each alphabet.

KINDRED_FULL=1, the full run, takes 20,000 of each, KINDRED_LONG=1 100,000, of another seed."""
import os
import random
import subprocess
import unittest

from measure_oracle import ALPHABETS, MEASURES, as_python_splits, random_texts
from numpy_oracle import harness, np
from rapidfuzz import process
from rapidfuzz.distance import JaroWinkler

LONG = os.environ.get("KINDRED_LONG", "") not in ("", "0")
FULL = os.environ.get("KINDRED_FULL", "") not in ("", "0")
PAIRS = 100_000 if LONG else 20_000 if FULL else 5_000
SIDE = 50  # patterns, and queries, per run of the helper
LONGEST = (5, 40, 130, 200, 200)
SEED = 100 if LONG else 1


class ReferenceMeasures(harness.CommandTest):
    def oracle(self, patterns, queries):
        """A function from the name of a file to its values, one row per pattern."""
        for name, texts in (("patterns", patterns), ("queries", queries)):
            self.file(name, "".join(text + "\0" for text in texts))
        subprocess.run([os.environ["KINDRED_REFERENCE_MEASURES"], str(self.folder)], check=True)
        return lambda name: np.fromfile(self.folder / name).reshape(len(patterns), len(queries))

    def check(self, patterns, queries):
        values = self.oracle(patterns, queries)
        for measure in MEASURES.values():
            a, b = ([as_python_splits(text) for text in texts] if measure.of_text else texts for texts in (patterns, queries))
            forms = [(measure.name, measure.scorer, measure.scale)]
            if measure.distance:
                forms.append((measure.name + ".distance", measure.distance, 1))
            for name, scorer, scale in forms:
                ours = values(name)
                kind = np.float64 if measure.name == "jaro-winkler" or name == measure.name else np.int32
                theirs = {"one pair": np.array([[scorer(x, y) for y in b] for x in a]) / scale,
                          "cdist": process.cdist(a, b, scorer=scorer, dtype=kind) / scale,
                          "cdist, swapped": process.cdist(b, a, scorer=scorer, dtype=kind).T / scale}
                for form, expected in theirs.items():
                    for i, j in np.argwhere(ours != expected)[:1]:
                        self.fail(f"{name}, {form}: {patterns[i]!r} {queries[j]!r}: {ours[i, j]!r}, RapidFuzz {expected[i, j]!r}")
        ours = values("jaro-winkler")
        self.assertTrue((process.cdist(patterns, queries, scorer=JaroWinkler.normalized_similarity, dtype=np.float64) == ours).all())
        one_pair = np.array([[JaroWinkler.normalized_similarity(x, y) for y in queries] for x in patterns])
        self.assertTrue((one_pair == 1 - (1 - ours)).all())

    def check_alphabet(self, name):
        print(f"{name}: seed {SEED}, {PAIRS} pairs", flush=True)
        generator = random.Random(f"{SEED} {name}")
        for block in range(PAIRS // SIDE**2):
            longest = LONGEST[block % len(LONGEST)]
            with self.subTest(block=block, longest=longest):
                self.check(*random_texts(generator, SIDE, SIDE, longest, ALPHABETS[name]))

    def test_empty_texts_and_white_space(self):
        texts = ["", " ", "  ", "a", " a", "a ", "a b", "b a", "b  a", "a a", "a a b", "ab", "ba", "\u3000", "\x85", "\xa0a", "a\u200bb"]
        self.check(texts, texts)

    def test_every_white_space(self):
        """A text of two words where Python splits, of one word where it does not."""
        characters = [chr(c) for c in range(1, 0x3100) if c not in (0x61, 0x62)]
        values = self.oracle([f"b{c}a" for c in characters], ["a b"])("token-sort")[:, 0]
        self.assertEqual([c for c, value in zip(characters, values) if value == 1], [c for c in characters if c.isspace()])
        self.assertFalse([c for c in map(chr, range(0x3100, 0x110000)) if c.isspace()])

    def test_long_texts(self):
        generator = random.Random(SEED)
        for name, alphabet in ALPHABETS.items():
            with self.subTest(name):
                self.check(*random_texts(generator, 6, 6, 1000, alphabet))


for alphabet in ALPHABETS:
    setattr(ReferenceMeasures, f"test_pairs_of_{alphabet.replace(' ', '_')}", lambda self, name=alphabet: self.check_alphabet(name))


if __name__ == "__main__":
    unittest.main()
