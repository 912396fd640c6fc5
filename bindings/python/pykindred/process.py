# SPDX-License-Identifier: Apache-2.0
"""Scores of many choices, and the best of them, with the names, arguments and results of ``rapidfuzz.process``.

>>> extract("appel", ["ape", "apple", "peach", None], limit=2)
[('apple', 80.0, 1), ('ape', 75.0, 0)]
>>> names = Choices({"a": "Anna", "b": "Bert"}, processor=str.lower)
>>> extractOne("BERT", names)
('Bert', 100.0, 'b')
"""
import math
import numbers
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from pykindred import _kindred, fuzz
from pykindred._context import Context, default_context, native
from pykindred._matrix import Matrix, cutoff_of, dtype_of
from pykindred._scorers import Processor, Scorer, as_float, is_missing, percentage
from pykindred._types import is_array, is_list
from pykindred.errors import InvalidArgument, InvalidType

__all__ = ["Choices", "cdist", "extract", "extractOne", "extract_iter"]

_Result = tuple[Any, Any, Any]  # choice, score, index or key


class Choices:
    """Choices that are read and encoded once, for many calls. Thread-safe.

    Args:
        choices: a list of str, bytes or arrays of uint32, or a mapping to them; None and NaN are skipped
        processor: a function that is applied to every choice now, and to the query of every call
        context: None: the default context

    >>> names = Choices({"a": "Anna", "b": "Bert"}, processor=str.lower)
    >>> extract("BERTA", names, limit=1)
    [('Bert', 88.88888888888889, 'b')]
    """

    __slots__ = ("__weakref__", "_compared", "_keys", "_lengths", "_matcher", "_places", "_positions", "_processed", "_values", "processor")

    def __init__(self, choices: Any, *, processor: Processor | None = None, context: Context | None = None) -> None:
        self._values, self._keys = _read(choices)
        self.processor: Processor | None = processor
        self._processed = _process(self._values, processor)
        lengths = map(len if _are_texts(self._processed) else _length, self._processed)
        self._lengths = np.fromiter(lengths, np.int64, len(self._processed))
        self._positions = np.flatnonzero(self._lengths >= 0)
        self._compared = self._lengths[self._positions].astype(np.uint32)
        is_whole = len(self._positions) == len(self._lengths)
        # Of the choices that the matcher has; empty: all.
        self._places = self._positions[:0] if is_whole else self._positions
        compared = self._processed if is_whole else [self._processed[i] for i in self._positions]
        self._matcher = _kindred.SequenceMatcher(compared, "automatic", native(context))

    def __len__(self) -> int:
        """The number of choices."""
        return len(self._values)

    def __reduce__(self) -> Any:
        choices = self._values if self._keys is None else dict(zip(self._keys, self._values, strict=True))
        return _made, (choices, self.processor)

    def __repr__(self) -> str:
        return f"<pykindred.process.Choices: {len(self)} choices>"


def _are_texts(sequences: Any) -> bool:
    return set(map(type, sequences)) <= {str, bytes}


def _length(choice: Any) -> int:
    return -1 if is_missing(choice) else len(choice) if hasattr(choice, "__len__") else 0  # the matcher refuses the last


def _made(choices: Any, processor: Processor | None) -> Choices:
    return Choices(choices, processor=processor)


def _read(choices: Any, name: str = "choices") -> tuple[Any, list[Any] | None]:
    """The choices of an argument, and their keys; None: their positions."""
    if hasattr(choices, "items"):
        pairs = list(choices.items())
        return [choice for _, choice in pairs], [key for key, _ in pairs]
    if isinstance(choices, str | bytes):
        raise InvalidType(f"{name} is one sequence; it must be a list of sequences or a mapping to them")
    if not hasattr(choices, "__iter__"):
        raise InvalidType(f"{name} is of type {type(choices).__name__}; it must be a list of sequences or a mapping to them")
    return list(choices), None  # a copy, which no other thread changes


def _process(choices: Any, processor: Processor | None) -> Any:
    return choices if processor is None else [None if is_missing(choice) else processor(choice) for choice in choices]


def _other_processor() -> InvalidArgument:
    return InvalidArgument("processor differs from that of the Choices; it belongs to Choices(choices, processor=...)")


def _check(scorer: Any, scorer_kwargs: dict[str, Any] | None) -> None:
    if not isinstance(scorer, Scorer):
        raise InvalidType(f"scorer is {scorer!r}; it must be a function of pykindred.distance or pykindred.fuzz")
    scorer.check(scorer_kwargs or {})


def _best(query: Any, choices: Any, scorer: Any, processor: Processor | None, limit: int | None, score_cutoff: Any,
          scorer_kwargs: dict[str, Any] | None) -> list[_Result]:
    _check(scorer, scorer_kwargs)
    cutoff = scorer.cutoff(score_cutoff)
    least = as_float(cutoff, scorer)
    if is_missing(query) or limit == 0:
        return []
    stored = choices if isinstance(choices, Choices) else None
    if stored is not None:
        if processor is not None and processor is not stored.processor:
            raise _other_processor()
        values, keys, processor = stored._values, stored._keys, stored.processor
    elif is_list(choices):
        values, keys = choices, None
    else:
        values, keys = _read(choices)
    if processor is not None:
        query = processor(query)
    if scorer.reads_percentages:
        least -= 1e-9  # what is below the cutoff is left out afterwards
    if limit is not None and limit >= len(values):
        limit = None
    if stored is not None and (isinstance(query, str | bytes | bytearray) or is_array(query)) and len(query) > 0:
        found, lengths = stored._matcher.best(query, scorer.measure.name, stored._compared, stored._places, values, keys, scorer.rule, least, limit)
    else:
        compared = stored._processed if stored is not None else _process(values, processor)
        found, lengths = scorer.prepare(query).best(compared, None if compared is values else values, keys, scorer.rule, least, limit)
    if not scorer.reads_percentages:
        return found
    exact = ((choice, percentage(score, len(query) + length), key) for (choice, score, key), length in zip(found, lengths.tolist(), strict=True))
    return [result for result in exact if result[1] >= cutoff]


def extract(query: Any, choices: Any, *, scorer: Scorer = fuzz.ratio, processor: Processor | None = None, limit: int | None = 5,
            score_cutoff: Any = None, score_hint: Any = None, scorer_kwargs: dict[str, Any] | None = None) -> list[_Result]:
    """The best choices, best first; of equal scores, the first choice first.

    Args:
        query: a str, bytes, an array of uint32 or a sequence of hashable items
        choices: sequences, read at every call, or a mapping to them; None and NaN are skipped. Or :class:`Choices`
        scorer: a function of :mod:`pykindred.distance` or :mod:`pykindred.fuzz`
        processor: a function that is applied to the query and to every choice first
        limit: None: all
        score_cutoff: the worst score that is returned
        score_hint: has no effect
        scorer_kwargs: arguments of the scorer, of which ``weights`` and ``prefix_weight`` have one value each

    Returns:
        ``(choice, score, index)``, with the key instead of the index for a mapping

    Raises:
        InvalidType: an argument has a wrong type
        InvalidArgument: an argument is out of range

    >>> extract("appel", {"x": "ape", "y": "apple"}, scorer=fuzz.ratio, score_cutoff=80)
    [('apple', 80.0, 'y')]
    """
    if limit is not None and (not isinstance(limit, int) or limit < 0):
        raise InvalidArgument(f"limit is {limit!r}; it must be None or an int that is not negative")
    return _best(query, choices, scorer, processor, limit, score_cutoff, scorer_kwargs)


def extractOne(query: Any, choices: Any, *, scorer: Scorer = fuzz.ratio, processor: Processor | None = None, score_cutoff: Any = None,
               score_hint: Any = None, scorer_kwargs: dict[str, Any] | None = None) -> _Result | None:
    """The best choice, the first of equal ones; None if none reaches ``score_cutoff``. Arguments and exceptions as :func:`extract`.

    >>> extractOne("appel", ["ape", "apple", "peach"])
    ('apple', 80.0, 1)
    """
    return next(iter(_best(query, choices, scorer, processor, 1, score_cutoff, scorer_kwargs)), None)


def extract_iter(query: Any, choices: Any, *, scorer: Scorer = fuzz.ratio, processor: Processor | None = None, score_cutoff: Any = None,
                 score_hint: Any = None, scorer_kwargs: dict[str, Any] | None = None) -> Iterator[_Result]:
    """The choices that reach ``score_cutoff``, in their order; each is compared when it is asked for. Arguments and exceptions as :func:`extract`.

    >>> list(extract_iter("appel", ["ape", "apple", "peach"], score_cutoff=70))
    [('ape', 75.0, 0), ('apple', 80.0, 1)]
    """
    _check(scorer, scorer_kwargs)
    cutoff = scorer.cutoff(score_cutoff)
    if isinstance(choices, Choices):
        if processor is not None and processor is not choices.processor:
            raise _other_processor()
        processor = choices.processor
        choices = choices._values if choices._keys is None else dict(zip(choices._keys, choices._values, strict=True))
    if is_missing(query):
        return
    query = query if processor is None else processor(query)
    prepared = scorer.prepare(query)
    for key, choice in choices.items() if hasattr(choices, "items") else enumerate(choices):
        if is_missing(choice):
            continue
        score = scorer.score(prepared, len(query), choice if processor is None else processor(choice))
        if score <= cutoff if scorer.is_distance else score >= cutoff:
            yield choice, score, key


def _is_encoded(sequence: Any) -> bool:
    return isinstance(sequence, str | bytes | bytearray | memoryview) or hasattr(sequence, "__dlpack__")


def _encoded(sequences: Any, name: str, numbers_of: dict[Any, int]) -> list[Any]:
    """Sequences as the matcher takes them: items that are no characters get numbers behind those of characters."""
    def number(item: Any) -> int:
        if isinstance(item, str) and len(item) == 1:
            return ord(item)
        try:
            return numbers_of.setdefault(item, 0x200000 + len(numbers_of))
        except TypeError:
            raise InvalidType(f"{name} has an item of type {type(item).__name__}, which is not hashable") from None

    def encoded(sequence: Any) -> Any:
        if is_missing(sequence):
            return None
        if _is_encoded(sequence):
            return sequence
        if not hasattr(sequence, "__len__") or not hasattr(sequence, "__getitem__"):
            raise InvalidType(f"{name} has an item of type {type(sequence).__name__}; items are str, bytes, arrays of uint32 or sequences of hashable items")
        return np.array([number(item) for item in sequence], np.uint32)

    if _are_texts(sequences):
        return list(sequences)
    return [encoded(sequence) for sequence in sequences]


def cdist(queries: Any, choices: Any, *, scorer: Scorer = fuzz.ratio, processor: Processor | None = None, score_cutoff: Any = None,
          score_hint: Any = None, score_multiplier: float = 1, dtype: DTypeLike | None = None, workers: int = 1,
          scorer_kwargs: dict[str, Any] | None = None) -> NDArray[Any]:
    """The scores of every query and every choice: ``[queries, choices]``.

    Args:
        queries: a list of str, bytes, arrays of uint32 or sequences of hashable items
        choices: as queries; or :class:`Choices`, also of a mapping, whose values are compared
        scorer: a function of :mod:`pykindred.distance` or :mod:`pykindred.fuzz`
        processor: a function that is applied to every query and every choice first
        score_cutoff: the worst score of interest. What is worse gives 0, or, for a distance, the cutoff + 1 (1.0, where it is normalized)
        score_hint: has no effect
        score_multiplier: of the scores, applied last; without its fraction for counts
        dtype: float32, float64 or a type of integers, to which scores are rounded; None: float32, or int32 for counts
        workers: 1; or the number of threads, for :class:`Choices` that of its context; or -1: all cores, or a GPU
        scorer_kwargs: as for :func:`extract`

    None and NaN give the worst score. The scorers that count, such as ``Levenshtein.distance``, refuse them.

    >>> cdist(["appel", "ape"], ["apple", "peach"], scorer=fuzz.ratio)
    array([[80., 40.],
           [75., 50.]], dtype=float32)
    """
    _check(scorer, scorer_kwargs)
    cutoff = cutoff_of(score_cutoff, scorer)
    if not isinstance(score_multiplier, numbers.Real):
        raise InvalidType(f"score_multiplier is {score_multiplier!r}; it must be a number")
    if not math.isfinite(score_multiplier):
        raise InvalidArgument(f"score_multiplier is {score_multiplier!r}; it must be finite")
    if not isinstance(workers, int) or isinstance(workers, bool):
        raise InvalidType(f"workers is {workers!r}; it must be an int")
    if workers < 1 and workers != -1:
        raise InvalidArgument(f"workers is {workers}; it must be at least 1, or -1 for all")
    matrix = Matrix(scorer, cutoff, score_multiplier, dtype_of(dtype, scorer))
    numbers_of: dict[Any, int] = {}
    if isinstance(choices, Choices):
        if processor is not None and processor is not choices.processor:
            raise _other_processor()
        stored = choices
    else:
        given = _encoded(_process(_read(choices)[0], processor), "choices", numbers_of)
        stored = Choices(given, context=Context(threads=workers) if 1 < workers < default_context().threads else None)
    asked = _encoded(_process(_read(queries, "queries")[0], processor or stored.processor), "queries", numbers_of)
    space = None if workers == -1 else "serial" if workers == 1 else "openmp"
    rows = np.flatnonzero([query is not None for query in asked])
    is_whole = len(rows) == len(asked) and len(stored._positions) == len(stored)
    if not is_whole and not scorer.is_normalized:
        raise InvalidArgument(f"a query or a choice is missing (None or NaN), of which {scorer.__qualname__} is not defined")
    out = np.empty((len(asked), len(stored)), matrix.dtype)
    part = out if is_whole else np.empty((len(rows), len(stored._positions)), matrix.dtype)
    present = asked if len(rows) == len(asked) else [asked[row] for row in rows]
    if part.size > 0:
        matrix.fill(stored._matcher, present, np.array([len(query) for query in present], np.int64), stored._lengths[stored._positions], part, space)
    if not is_whole:
        out[...] = matrix.worst()
        out[np.ix_(rows, stored._positions)] = part
    return out
