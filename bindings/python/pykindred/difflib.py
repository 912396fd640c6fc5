# SPDX-License-Identifier: Apache-2.0
"""The comparison of sequences of Python's ``difflib``, with its interface and its results."""
import heapq
from collections.abc import Callable, Hashable, Iterable, Sequence
from difflib import Match
from difflib import SequenceMatcher as _Standard
from difflib import get_close_matches as _standard_close_matches
from typing import Any, TypeVar, cast

from pykindred import _kindred

__all__ = ["Match", "SequenceMatcher", "get_close_matches"]

_Item = TypeVar("_Item", bound=Sequence[Hashable])
_TABLES = ("b2j", "bjunk", "bpopular")


class SequenceMatcher(_Standard[Any]):
    """``difflib.SequenceMatcher``, of which it is a subclass: ``ratio`` and the matching blocks are found by Kindred.

    Where ``isjunk`` declares an item of ``b`` as junk, and in ``find_longest_match`` and ``quick_ratio``, the code of the standard library runs.

    Args:
        isjunk: None, or a function that says of an item of ``b`` whether it is junk
        a: a sequence of hashable items: str, bytes, a list, …
        b: another, of which information is kept for many ``a``
        autojunk: items that make up more than 1 % of a ``b`` of 200 items or more begin no block

    >>> matcher = SequenceMatcher(None, "abcd", "bcde")
    >>> matcher.ratio()
    0.75
    >>> matcher.get_matching_blocks()
    [Match(a=1, b=0, size=3), Match(a=4, b=4, size=0)]
    """

    a: Any
    b: Any
    matching_blocks: Any
    opcodes: Any
    fullbcount: Any
    _query: "_kindred.DifflibQuery | None"  # None: the standard library compares

    def __init__(self, isjunk: Callable[[Any], bool] | None = None, a: Any = "", b: Any = "", autojunk: bool = True) -> None:
        super().__init__(isjunk, a, b, autojunk)

    def set_seq2(self, b: Any) -> None:
        """Sets the second sequence, which :meth:`ratio` and the blocks compare with the first."""
        if b is self.b:
            return
        query = _kindred.DifflibQuery(b, bool(self.autojunk))
        if self.isjunk or not query.is_exact():
            super().set_seq2(b)
            self._query = None if self.bjunk or not query.is_exact() else query
            return
        for name in _TABLES:
            self.__dict__.pop(name, None)
        self.b = b
        self.matching_blocks = self.opcodes = self.fullbcount = None
        self._query = query

    def __getattr__(self, name: str) -> Any:
        # The tables of the standard library, when something asks for them.
        if name not in _TABLES:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        tables = _Standard(self.isjunk, "", self.b, self.autojunk)
        for table in _TABLES:
            setattr(self, table, getattr(tables, table))
        return getattr(self, name)

    def ratio(self) -> float:
        """2 · matched items / (both lengths); 1 for two empty sequences.

        >>> SequenceMatcher(None, "abcd", "bcde").ratio()
        0.75
        """
        if self._query is None or self.matching_blocks is not None:
            return super().ratio()
        return self._query.similarity(self.a, 0.0)

    def get_matching_blocks(self) -> Any:
        """The matching blocks, ascending, as ``Match(a, b, size)``; the last one is empty.

        >>> SequenceMatcher(None, "ab", "b").get_matching_blocks()
        [Match(a=1, b=0, size=1), Match(a=2, b=1, size=0)]
        """
        if self._query is None or self.matching_blocks is not None:
            return super().get_matching_blocks()
        blocks = [Match._make(block) for block in self._query.blocks(self.a).tolist()]
        blocks.append(Match(len(self.a), len(self.b), 0))
        self.matching_blocks = blocks
        return blocks

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        state["_query"] = self._query is not None
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._query = _kindred.DifflibQuery(self.b, bool(self.autojunk)) if state["_query"] else None


def get_close_matches(word: _Item, possibilities: Iterable[_Item], n: int = 3, cutoff: float = 0.6) -> list[_Item]:
    """``difflib.get_close_matches``: the best ``n`` of the possibilities whose ratio is at least ``cutoff``, best first.

    Args:
        word: a sequence of hashable items
        possibilities: sequences of such items

    Raises:
        InvalidArgument: ``n`` is not above 0, or ``cutoff`` is not in [0, 1]

    >>> get_close_matches("appel", ["ape", "apple", "peach", "puppy"])
    ['apple', 'ape']
    """
    if not n > 0:
        raise _refused(f"n must be > 0: {n!r}")
    if not 0.0 <= cutoff <= 1.0:
        raise _refused(f"cutoff must be in [0.0, 1.0]: {cutoff!r}")
    query = _kindred.DifflibQuery(word, True)
    if not query.is_exact():
        return cast("list[_Item]", _standard_close_matches(word, possibilities, n, cutoff))
    scored = ((query.similarity(possibility, cutoff), possibility) for possibility in possibilities)
    return [possibility for _, possibility in heapq.nlargest(n, (pair for pair in scored if pair[0] >= cutoff))]


def _refused(message: str) -> Exception:
    from pykindred.errors import InvalidArgument

    return InvalidArgument(message)
