# SPDX-License-Identifier: Apache-2.0
"""The measures of `SequenceMatcher` by RapidFuzz and difflib, and random texts for them."""
import difflib
import string
from typing import Any, NamedTuple

from outside import programs

np, _ = programs("numpy", "rapidfuzz")
from rapidfuzz import fuzz, process  # noqa: E402
from rapidfuzz.distance import OSA, Indel, JaroWinkler, LCSseq  # noqa: E402
from rapidfuzz.distance import Levenshtein, Postfix, Prefix  # noqa: E402


def lcs(a, b):
    # RapidFuzz computes it as 1 - distance / total, which can differ in the last bit.
    return 2 * LCSseq.similarity(a, b) / (len(a) + len(b)) if a or b else 0


def ratio(autojunk):
    return lambda a, b: difflib.SequenceMatcher(None, a, b, autojunk).ratio()


class Measure(NamedTuple):
    name: str
    scorer: Any  # of the similarity
    scale: int = 1  # the scorer's value of equal sequences
    distance: Any = None  # scorer of the distance
    autojunk: bool = False

    @property
    def of_text(self):
        """Whether it splits texts into words."""
        return self.name.startswith("token")

    @property
    def has_blocks(self):
        return self.name in ("lcs", "difflib")

    def matrix(self, scorer, patterns, queries, dtype=np.float64):
        """Of each query with each pattern."""
        if scorer.__module__ == __name__:
            return np.array([[scorer(a, b) for a in patterns] for b in queries], dtype)
        if self.of_text:
            patterns = list(map(as_python_splits, patterns))
            queries = list(map(as_python_splits, queries))
        return process.cdist(queries, patterns, scorer=scorer, dtype=dtype) / self.scale

    def similarities(self, patterns, queries):
        return self.matrix(self.scorer, patterns, queries)

    def blocks(self, a, b):
        if self.name == "lcs":
            found = LCSseq.opcodes(b, a).as_matching_blocks()
            return [[block.b, block.a, block.size] for block in found[:-1]]
        matcher = difflib.SequenceMatcher(None, a, b, self.autojunk)
        return [list(block) for block in matcher.get_matching_blocks()[:-1]]


# JaroWinkler.normalized_similarity of a single pair is 1 - (1 - similarity), which loses bits; in
# cdist and extract it is the similarity.
MEASURES = (
    Measure("lcs", lcs, 1, Indel.distance),
    Measure("difflib", ratio(False)),
    Measure("difflib", ratio(True), autojunk=True),
    Measure("levenshtein", Levenshtein.normalized_similarity, 1, Levenshtein.distance),
    Measure("osa", OSA.normalized_similarity, 1, OSA.distance),
    Measure("jaro-winkler", JaroWinkler.similarity, 1, JaroWinkler.distance),
    Measure("prefix", Prefix.normalized_similarity, 1, Prefix.distance),
    Measure("postfix", Postfix.normalized_similarity, 1, Postfix.distance),
    Measure("token-sort", fuzz.token_sort_ratio, 100),
    Measure("token-set", fuzz.token_set_ratio, 100),
)

ALPHABETS = {
    "two letters": "ab",
    "letters": string.ascii_lowercase,
    "words": string.ascii_lowercase[:10] + "    ",
    "planes": "ab é ß一二\U0001f642\U0001f643\U0001d518",
    "many": "".join(map(chr, range(0x4E00, 0x4E00 + 300))),
    "some frequent": "eat " * 30 + "".join(map(chr, range(0x4E00, 0x4E00 + 60))),
    # Python splits at all of them except the zero-width space.
    "white space": "abc \t\v\f\x1c\x1f\x85\xa0\u1680\u2000\u2007\u200a\u2028\u2029\u202f\u205f"
                   "\u3000\u200b",
}


def as_python_splits(text):
    """RapidFuzz stores a string without code points above U+00FF in bytes, and does not split
    these at U+0085 and U+00A0, unlike Python and unlike itself in a list of the characters."""
    splits_otherwise = text and max(text) <= "\xff" and ("\x85" in text or "\xa0" in text)
    return list(text) if splits_otherwise else text


def random_text(generator, longest, alphabet, shortest=0):
    return "".join(generator.choices(alphabet, k=generator.randint(shortest, longest)))


def relative(generator, text, longest, alphabet):
    """A copy with characters replaced, removed, inserted and exchanged, or with its halves or its
    words in another order."""
    out = []
    for character in text:
        action = generator.random()
        if action < 0.05:
            continue
        out.append(generator.choice(alphabet) if action < 0.15 else character)
        if action > 0.95:
            out.append(generator.choice(alphabet))
        elif action > 0.88 and len(out) > 1:
            out[-2:] = out[:-3:-1]
    order = generator.random()
    if order < 0.2:
        cut = generator.randrange(len(out) + 1)
        out = out[cut:] + out[:cut]
    elif order < 0.5:
        words = "".join(out).split(" ")
        generator.shuffle(words)
        out = list(" ".join(words))
    return "".join(out[:longest])


def random_texts(generator, patterns, queries, longest, alphabet, shortest=0):
    """Lists of `patterns` and of `queries` texts; half of the queries are relatives of patterns."""
    stored = [random_text(generator, longest, alphabet, shortest) for _ in range(patterns)]
    wanted = [relative(generator, generator.choice(stored), longest, alphabet) if i % 2
              else random_text(generator, longest, alphabet, shortest) for i in range(queries)]
    return stored, wanted
