# SPDX-License-Identifier: Apache-2.0
"""Scorers: functions of two sequences, with the arithmetic of RapidFuzz on what Kindred counts."""
import math
import numbers
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from pykindred import _kindred
from pykindred._types import is_array
from pykindred.errors import InvalidArgument, InvalidType

Processor = Callable[[Any], Any]


def is_missing(sequence: Any) -> bool:
    """None, NaN, or the NA of pandas: a value that a table lacks."""
    if sequence is None or (isinstance(sequence, float) and math.isnan(sequence)):
        return True
    pandas = sys.modules.get("pandas")
    return pandas is not None and sequence is getattr(pandas, "NA", None)


def percentage(score: float, length: int) -> float:
    """100 - 100 · d / n as RapidFuzz rounds it, of a score that is it to about 15 digits, for texts of ``length`` characters in total."""
    lost = Fraction(1 - score / 100).limit_denominator(length + 4)  # up to 3 spaces are added
    return 100.0 - 100 * lost.numerator / lost.denominator


def as_float(cutoff: Any, scorer: "Scorer") -> float:
    """A cutoff as the float that the same scores reach."""
    try:
        rounded = float(cutoff)
    except OverflowError:
        rounded = math.copysign(math.inf, cutoff)
    if rounded == cutoff:
        return rounded
    if scorer.is_distance:
        return rounded if rounded < cutoff else math.nextafter(rounded, -math.inf)
    return rounded if rounded > cutoff else math.nextafter(rounded, math.inf)


class Measure:
    """What is counted, and how distance and similarity follow from it.

    Args:
        name: of the measure of Kindred
        counts: whether it counts matched items; otherwise it gives a similarity in [0, 1]
        largest_is_sum: whether the largest distance is the sum of both lengths, not the longer one
        ranks_alike: whether the normalized similarity is that of Kindred
    """

    def __init__(self, name: str, *, counts: bool = True, largest_is_sum: bool = False, ranks_alike: bool = True) -> None:
        self.name = name
        self.counts = counts
        self.largest_is_sum = largest_is_sum
        self.ranks_alike = ranks_alike

    def largest(self, first: int, second: Any) -> Any:
        """The largest distance of sequences of two lengths, which may be arrays."""
        if self.largest_is_sum:
            return first + second
        return np.maximum(first, second) if is_array(second) else max(first, second)

    def matched(self, distances: Any, first: Any, second: Any) -> Any:
        """The matched items of the numbers of edits that Kindred counts."""
        return (first + second - distances) // 2 if self.name == "lcs" else np.maximum(first, second) - distances

    def similarity(self, value: Any, first: int, second: Any) -> Any:
        return value * 2 if self.largest_is_sum else value

    def distance(self, value: Any, first: int, second: Any) -> Any:
        return self.largest(first, second) - self.similarity(value, first, second)

    def normalized_distance(self, value: Any, first: int, second: Any) -> Any:
        if not self.counts:
            return 1.0 - value
        distance, largest = self.distance(value, first, second), self.largest(first, second)
        if is_array(largest):
            return np.divide(distance, largest, out=np.zeros(largest.shape), where=largest > 0)
        return distance / largest if largest else 0.0

    def normalized_similarity(self, value: Any, first: int, second: Any) -> Any:
        return 1.0 - self.normalized_distance(value, first, second) if self.counts else value


class Scorer:
    """A function of two sequences: ``scorer(s1, s2, *, processor=None, score_cutoff=None)``.

    Sequences are str, bytes, arrays of uint32 or sequences of hashable items. The arguments are those of RapidFuzz's function of the same name.

    Args:
        processor: a function that is applied to both sequences first
        score_cutoff: the worst score of interest. What is worse gives 0, or, for a distance, the cutoff + 1 (1.0, where it is normalized)
    """

    def __init__(self, module: str, name: str, measure: Measure, value: Callable[[Any, int, Any], Any], *, is_distance: bool, is_normalized: bool,
                 scale: int = 1, reads_percentages: bool = False, rounds_twice: bool = False,
                 options: dict[str, Any] | None = None, doc: str) -> None:
        self.__module__ = module
        self.__qualname__ = name
        self.__name__: str = name.rpartition(".")[2]
        self.__doc__ = doc
        self.measure = measure
        self.is_distance = is_distance  #: smaller is better
        #: whether scores order pairs as the similarity of Kindred, with the same ties: 1 - similarity may round different ones to the same number
        self.ranks_alike: bool = measure.ranks_alike and (is_normalized if measure.counts else not is_distance)
        self.is_normalized = is_normalized  #: a float from 0 to ``scale``
        self.scale = scale
        self.reads_percentages = reads_percentages  #: the score is 100 - 100 · d / n, rounded as such
        self.rounds_twice = rounds_twice  #: a call computes it from the distance; `process` does not
        self._value = value
        self._options = options or {}
        kind = ("normalized_" if is_normalized or not measure.counts else "") + ("distance" if is_distance else "similarity")
        self.rule: tuple[str, bool, bool, float] = (kind, measure.counts, measure.largest_is_sum, float(scale))  #: as the extension takes it

    def check(self, options: dict[str, Any]) -> None:
        """Refuses keyword arguments of RapidFuzz's function that have no meaning here."""
        for option, value in options.items():
            if option == "score_hint":
                continue
            if option not in self._options:
                raise InvalidType(f"{self.__qualname__} has no argument {option}")
            if value is not None and value != self._options[option]:
                raise InvalidArgument(f"{option} is {value!r}; {self.__qualname__} has {self._options[option]!r} alone")

    def prepare(self, query: Any) -> "_kindred.PreparedQuery":
        return _kindred.PreparedQuery(query, self.measure.name, False)

    def scores(self, value: Any, first: Any, second: Any) -> Any:
        """The scores of what Kindred gave for a sequence and another, or an array of others."""
        score = self._value(value, first, second)
        return score * 100 if self.scale == 100 else score

    def score(self, query: "_kindred.PreparedQuery", first: int, other: Any) -> Any:
        value = query.matched(other) if self.measure.counts else query.similarity(other, 0.0)
        score = self.scores(value, first, len(other))
        return percentage(score, first + len(other)) if self.reads_percentages else score

    def cutoff(self, score_cutoff: Any) -> Any:
        """The cutoff as a number; the worst score for None."""
        if score_cutoff is None:
            return math.inf if self.is_distance else 0
        if not isinstance(score_cutoff, numbers.Real):
            raise InvalidType(f"score_cutoff is of type {type(score_cutoff).__name__}; it must be a number")
        if math.isnan(score_cutoff):
            raise InvalidArgument("score_cutoff is NaN")
        return score_cutoff

    def __call__(self, s1: Any, s2: Any, *, processor: Processor | None = None, score_cutoff: Any = None, **options: Any) -> Any:
        if options:
            self.check(options)
        cutoff = self.cutoff(score_cutoff)
        if self.is_normalized and (is_missing(s1) or is_missing(s2)):
            return 1.0 if self.is_distance else 0.0
        if processor is not None:
            s1, s2 = processor(s1), processor(s2)
        score = self.score(self.prepare(s1), len(s1), s2)
        if self.rounds_twice:
            score = 1.0 - (1.0 - score)
        if self.is_distance:
            return score if score <= cutoff else 1.0 if self.is_normalized else cutoff + 1
        return score if score >= cutoff else score * 0

    def __reduce__(self) -> str:
        return self.__qualname__

    def __repr__(self) -> str:
        return f"<function {self.__module__}.{self.__qualname__}>"


class Scorers:
    """The four scorers of a measure."""

    def __init__(self, module: str, name: str, measure: Measure, what: str, options: dict[str, Any] | None = None) -> None:
        self.__doc__ = what
        self._name = f"{module}.{name}"

        def scorer(kind: str, value: Callable[[Any, int, Any], Any], doc: str) -> Scorer:
            return Scorer(module, f"{name}.{kind}", measure, value, is_distance="distance" in kind,
                          is_normalized="normalized" in kind or not measure.counts, options=options, doc=f"{what} {doc}",
                          rounds_twice=kind == "normalized_similarity" and not measure.counts)
        self.normalized_distance: Scorer = scorer("normalized_distance", measure.normalized_distance, "The distance divided by the largest possible one.")
        self.normalized_similarity: Scorer = scorer("normalized_similarity", measure.normalized_similarity, "1 - normalized_distance.")
        if measure.counts:
            self.distance: Scorer = scorer("distance", measure.distance, "An int.")
            self.similarity: Scorer = scorer("similarity", measure.similarity, "The largest possible distance less the distance.")
        else:
            self.distance = scorer("distance", measure.normalized_distance, "1 - similarity.")
            self.similarity = scorer("similarity", measure.normalized_similarity, "In [0, 1].")

    def __repr__(self) -> str:
        return f"<{self._name}: distance, similarity, normalized_distance, normalized_similarity>"
