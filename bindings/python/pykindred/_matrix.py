# SPDX-License-Identifier: Apache-2.0
"""The matrix of ``process.cdist``: scores of all queries and all stored choices."""
import math
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from pykindred import _kindred
from pykindred._scorers import Scorer, as_float, percentage
from pykindred.errors import InvalidArgument, InvalidType

# Pairs at a time, whose intermediate values stay in the caches, and pairs of one call of the matcher.
_GROUP = 1 << 18
_MATCHED = 1 << 23
_MOST = 2**31 - 2  # no count is larger


def dtype_of(given: DTypeLike | None, scorer: Scorer) -> np.dtype[Any]:
    """The element type of a matrix; None: float32, or int32 for counts."""
    if given is None:
        return np.dtype(np.float32 if scorer.is_normalized else np.int32)
    try:
        dtype = np.dtype(given).newbyteorder("=")
    except (TypeError, ValueError):
        raise InvalidType(f"dtype is {given!r}; it must be float32, float64 or a type of integers") from None
    if dtype.kind not in "iuf" or dtype.name in ("float16", "longdouble", "float128"):
        raise InvalidType(f"dtype is {dtype}; it must be float32, float64 or a type of integers")
    return dtype


def cutoff_of(given: Any, scorer: Scorer) -> Any:
    """The cutoff as a number; None if nothing is cut off."""
    if given is None:
        return None
    cutoff = scorer.cutoff(given)
    if scorer.is_normalized and not 0 <= cutoff <= scorer.scale:
        raise InvalidArgument(f"score_cutoff is {given!r}; it must be from 0 to {scorer.scale}")
    if cutoff < 0:
        raise InvalidArgument(f"score_cutoff is {given!r}; it must not be negative")
    if scorer.is_normalized:
        return cutoff
    if not scorer.is_distance:
        return min(cutoff, _MOST)
    return math.floor(cutoff) if cutoff < _MOST else None


class Matrix:
    """What the scores of a call become.

    Args:
        cutoff: None: nothing is cut off
        multiplier: of the scores, applied last
    """

    def __init__(self, scorer: Scorer, cutoff: Any, multiplier: float, dtype: np.dtype[Any]) -> None:
        self._scorer = scorer
        self._measure = scorer.measure
        self._cutoff = cutoff
        self._is_count = scorer.measure.counts and not scorer.is_normalized
        # RapidFuzz multiplies counts by an integer.
        self._multiplier = int(multiplier) if self._is_count else multiplier
        self.dtype = dtype

    def worst(self) -> Any:
        """The element of a missing value."""
        return self._elements(np.full(1, 1.0 if self._scorer.is_distance else 0.0) * self._multiplier)[0]

    def _elements(self, scores: NDArray[Any]) -> NDArray[Any]:
        if self.dtype.kind != "f" and scores.dtype.kind == "f":
            scores = np.trunc(scores + np.copysign(0.5, scores)).astype(np.int64)  # halves away from zero, as C++ rounds
        return scores.astype(self.dtype, copy=False)

    def _direct(self) -> str | None:
        """The value that the matcher writes as it is, if there is one."""
        scorer, measure = self._scorer, self._measure
        if self._multiplier != 1 or not measure.ranks_alike:
            return None
        if scorer.scale == 100:
            return "percentage" if not scorer.reads_percentages and self.dtype.name in ("int32", "uint8", "float32", "float64") else None
        if self._is_count:
            return "distance" if scorer.is_distance and self.dtype.name in ("int32", "float32", "float64") else None
        if self.dtype.kind != "f" or (measure.counts and scorer.is_distance) or (measure.name == "lcs" and self._cutoff is not None):
            return None
        # 2 · matched / n and RapidFuzz's 1 - d / n differ in the last bit of a float64.
        return None if measure.name == "lcs" and self.dtype != np.float32 else "distance" if scorer.is_distance else "similarity"

    def _values(self, matcher: "_kindred.SequenceMatcher", queries: list[Any], space: str | None) -> NDArray[Any]:
        """What the matcher gives for pairs: similarities, or numbers of edits."""
        value, dtype = ("distance", "int32") if self._measure.counts else ("similarity", "float64")
        values: NDArray[Any] = matcher.score_all(queries, dtype, None, self._measure.name, value, False, space, None)
        return values

    def _scores(self, values: NDArray[Any], first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[Any]:
        """The scores of some pairs, as RapidFuzz computes them."""
        scorer, measure = self._scorer, self._measure
        if measure.counts:
            lengths = first[:, np.newaxis]
            counted: NDArray[Any] = scorer.scores(measure.matched(values.astype(np.int64), lengths, second), lengths, second)
            return counted
        scores: NDArray[Any] = scorer.scores(values, 0, 0)
        rounds = self.dtype == np.float32 and self._multiplier == 1  # differences in the last bit of a float64 vanish
        if scorer.reads_percentages and scores.size > 0 and not (rounds and self._cutoff is None):
            inexact = np.abs(scores - self._cutoff) < 1e-9 if rounds else np.ones(scores.shape, np.bool_)
            distinct, where = np.unique(scores[inexact], return_inverse=True)
            longest = int(first.max() + second.max())
            scores[inexact] = np.array([percentage(value, longest) for value in distinct.tolist()], np.float64)[where]
        return scores

    def _fill_directly(self, value: str, matcher: "_kindred.SequenceMatcher", queries: list[Any], first: NDArray[np.int64],
                       second: NDArray[np.int64], out: NDArray[Any], space: str | None) -> None:
        cutoff = None if self._cutoff is None else float(self._cutoff) if self._is_count else as_float(self._cutoff, self._scorer)
        matcher.score_all(queries, None, cutoff, self._measure.name, value, False, space, out)
        if self._measure.name == "lcs" and value == "similarity":
            out[np.ix_(first == 0, second == 0)] = 1

    def _fill_group(self, values: NDArray[Any], first: NDArray[np.int64], second: NDArray[np.int64], out: NDArray[Any]) -> None:
        scorer = self._scorer
        scores = self._scores(values, first, second)
        if self._cutoff is not None:
            if scorer.is_distance:
                np.copyto(scores, 1.0 if scorer.is_normalized else self._cutoff + 1, where=scores > self._cutoff, casting="unsafe")
            else:
                np.copyto(scores, 0, where=scores < self._cutoff)
        if self._multiplier != 1:
            scores = scores * self._multiplier
        out[...] = self._elements(scores)

    def fill(self, matcher: "_kindred.SequenceMatcher", queries: list[Any], first: NDArray[np.int64], second: NDArray[np.int64],
             out: NDArray[Any], space: str | None) -> None:
        """Writes the scores of all pairs.

        Args:
            first: the lengths of the queries
            second: the lengths of the patterns of ``matcher``
            out: ``[queries, patterns]``
            space: None: where the dispatcher chooses
        """
        direct = self._direct()
        if direct is not None:
            self._fill_directly(direct, matcher, queries, first, second, out, space)
            return
        together = max(1, (_MATCHED if self._measure.counts else _GROUP) // max(1, len(second)))
        rows = max(1, _GROUP // max(1, len(second)))
        for begin in range(0, len(queries), together):
            values = self._values(matcher, queries[begin:begin + together], space)
            for row in range(0, len(values), rows):
                at = slice(begin + row, begin + min(row + rows, len(values)))
                self._fill_group(values[row:row + rows], first[at], second, out[at])
