# SPDX-License-Identifier: Apache-2.0
"""RapidFuzz's measures under the names of `kindred match --measure`, and random texts for them."""
import string
from typing import Any, NamedTuple

from numpy_oracle import np
from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA, JaroWinkler, Levenshtein, Postfix, Prefix


class Measure(NamedTuple):
    name: str
    scorer: Any  # of the similarity
    scale: int  # the scorer's value of equal sequences
    distance: Any  # scorer of the distance, or None
    of_text: bool  # splits texts into words; the others take any sequence

    def similarity(self, a, b):
        return self.scorer(a, b) / self.scale

    def similarities(self, patterns, queries):
        """Of each pattern with each query, in float64."""
        return process.cdist(patterns, queries, scorer=self.scorer, dtype=np.float64) / self.scale

    def distances(self, patterns, queries):
        return process.cdist(patterns, queries, scorer=self.distance, dtype=np.float64 if self.name == "jaro-winkler" else np.int32)


# JaroWinkler.normalized_similarity of a single pair is 1 - (1 - similarity), which loses bits; in
# cdist and extract it is the similarity.
MEASURES = {measure.name: measure for measure in (
    Measure("levenshtein", Levenshtein.normalized_similarity, 1, Levenshtein.distance, False),
    Measure("osa", OSA.normalized_similarity, 1, OSA.distance, False),
    Measure("jaro-winkler", JaroWinkler.similarity, 1, JaroWinkler.distance, False),
    Measure("prefix", Prefix.normalized_similarity, 1, Prefix.distance, False),
    Measure("postfix", Postfix.normalized_similarity, 1, Postfix.distance, False),
    Measure("token-sort", fuzz.token_sort_ratio, 100, None, True),
    Measure("token-set", fuzz.token_set_ratio, 100, None, True),
)}

ALPHABETS = {
    "two letters": "ab",
    "letters": string.ascii_lowercase,
    "words": string.ascii_lowercase[:10] + "    ",
    "planes": "ab é ß一二\U0001f642\U0001f643\U0001d518",
    # Python splits at all of them except the zero-width space.
    "white space": "abc \t\v\f\x1c\x1f\x85\xa0\u1680\u2000\u2007\u200a\u2028\u2029\u202f\u205f\u3000\u200b",
}


def as_python_splits(text):
    """RapidFuzz stores a string without code points above U+00FF in bytes, and does not split these at
    U+0085 and U+00A0, unlike Python and unlike itself in a list of the same characters."""
    return list(text) if text and max(text) <= "\xff" and ("\x85" in text or "\xa0" in text) else text


def random_text(generator, longest, alphabet):
    return "".join(generator.choices(alphabet, k=generator.randrange(longest + 1)))


def relative(generator, text, longest, alphabet):
    """A copy with characters replaced, removed, inserted and exchanged, or with its halves or its words
    in another order."""
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


def random_texts(generator, patterns, queries, longest, alphabet):
    """Lists of `patterns` and of `queries` texts; half of the queries are relatives of patterns."""
    stored = [random_text(generator, longest, alphabet) for _ in range(patterns)]
    wanted = [relative(generator, generator.choice(stored), longest, alphabet) if i % 2 else random_text(generator, longest, alphabet) for i in range(queries)]
    return stored, wanted
