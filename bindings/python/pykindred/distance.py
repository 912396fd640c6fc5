# SPDX-License-Identifier: Apache-2.0
"""Distances and similarities of two sequences, with the names, arguments and results of ``rapidfuzz.distance``.

Each measure has ``distance``, ``similarity``, ``normalized_distance`` and ``normalized_similarity``.

>>> Levenshtein.distance("kitten", "sitting")
3
>>> Levenshtein.distance("kitten", "sitting", score_cutoff=1)
2
>>> Indel.normalized_similarity("KITTEN", "kitte", processor=str.lower)
0.9090909090909091
"""
from pykindred._scorers import Measure, Scorers

__all__ = ["Indel", "JaroWinkler", "LCSseq", "Levenshtein", "OSA", "Postfix", "Prefix"]

Levenshtein: Scorers = Scorers(__name__, "Levenshtein", Measure("levenshtein"), "The fewest insertions, deletions and substitutions.", {"weights": (1, 1, 1)})
OSA: Scorers = Scorers(__name__, "OSA", Measure("osa"), "As Levenshtein, also with transpositions of neighbours: optimal string alignment.")
Indel: Scorers = Scorers(__name__, "Indel", Measure("lcs", largest_is_sum=True), "The fewest insertions and deletions.")
LCSseq: Scorers = Scorers(__name__, "LCSseq", Measure("lcs", ranks_alike=False), "The longest common subsequence, as similarity.")
Prefix: Scorers = Scorers(__name__, "Prefix", Measure("prefix"), "The length of the common prefix, as similarity.")
Postfix: Scorers = Scorers(__name__, "Postfix", Measure("postfix"), "The length of the common postfix, as similarity.")
JaroWinkler: Scorers = Scorers(__name__, "JaroWinkler", Measure("jaro-winkler", counts=False), "Jaro-Winkler.", {"prefix_weight": 0.1})
