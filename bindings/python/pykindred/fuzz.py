# SPDX-License-Identifier: Apache-2.0
"""Similarities of two texts from 0 to 100, with the names, arguments and results of ``rapidfuzz.fuzz``.

>>> ratio("this is a test", "this is a test!")
96.55172413793103
>>> token_sort_ratio("fuzzy wuzzy was a bear", "wuzzy fuzzy was a bear")
100.0
"""
from pykindred._scorers import Measure, Scorer

__all__ = ["ratio", "token_set_ratio", "token_sort_ratio"]


def _scorer(name: str, measure: Measure, doc: str, reads_percentages: bool = False) -> Scorer:
    return Scorer(__name__, name, measure, measure.normalized_similarity, is_distance=False, is_normalized=True, scale=100,
                  reads_percentages=reads_percentages, doc=doc)


ratio: Scorer = _scorer("ratio", Measure("lcs", largest_is_sum=True), "The normalized similarity by insertions and deletions.")
token_sort_ratio: Scorer = _scorer("token_sort_ratio", Measure("token-sort", counts=False), "The ratio of the words of both texts, sorted and joined by spaces.")
token_set_ratio: Scorer = _scorer("token_set_ratio", Measure("token-set", counts=False), "The best ratio of the words that both texts have and those that one has.", True)
