# SPDX-License-Identifier: Apache-2.0
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Ragged:
    """Rows of different lengths, best first: row ``i`` is ``ids[lims[i]:lims[i + 1]]`` with the scores beside it.

    Iterating, or an index, gives pairs ``(scores, ids)`` of one row, which are views.

    >>> rows = Ragged(np.array([0, 2, 3]), np.array([7, 5, 7]), np.float32([3, 1, 2]))
    >>> rows[0]
    (array([3., 1.], dtype=float32), array([7, 5]))
    """

    __slots__ = ("ids", "lims", "scores")

    def __init__(self, lims: NDArray[np.int64], ids: NDArray[np.int64], scores: NDArray[Any]) -> None:
        self.lims: NDArray[np.int64] = lims  #: int64 [rows + 1], from 0
        self.ids: NDArray[np.int64] = ids  #: int64 [lims[-1]]
        self.scores: NDArray[Any] = scores  #: [lims[-1]], float32 of vectors

    def __len__(self) -> int:
        """The number of rows."""
        return len(self.lims) - 1

    def __getitem__(self, row: int) -> tuple[NDArray[Any], NDArray[np.int64]]:
        count = len(self)
        if not -count <= row < count:
            raise IndexError(f"row {row} of {count}")
        row %= count
        part = slice(self.lims[row], self.lims[row + 1])
        return self.scores[part], self.ids[part]

    def __iter__(self) -> Iterator[tuple[NDArray[Any], NDArray[np.int64]]]:
        return (self[row] for row in range(len(self)))

    def __repr__(self) -> str:
        return f"<pykindred.{type(self).__name__}: {len(self)} rows, {len(self.ids)} results>"


class KeyedRagged(Ragged):
    """A :class:`Ragged` with a key per result. Iterating, or an index, gives pairs ``(scores, keys)`` of one row, which are views.

    >>> index = KeyedVectorIndex([70, 80], np.float32([[1, 0], [0, 2]]))
    >>> found = index.search_at_least(np.float32([[1, 1], [1, 0]]), 1, metric="ip")
    >>> [keys.tolist() for scores, keys in found]
    [[80, 70], [70]]
    """

    __slots__ = ("keys",)

    def __init__(self, lims: NDArray[np.int64], ids: NDArray[np.int64], scores: NDArray[Any], keys: NDArray[Any]) -> None:
        super().__init__(lims, ids, scores)
        self.keys: NDArray[Any] = keys  #: uint64 [lims[-1]], or objects of type bytes

    def __getitem__(self, row: int) -> tuple[NDArray[Any], NDArray[Any]]:
        scores, _ = super().__getitem__(row)
        row %= len(self)
        return scores, self.keys[self.lims[row]:self.lims[row + 1]]


class Record(NamedTuple):
    """Where a call ran, and why: :func:`last_record`, and what :class:`Context` passes to ``on_dispatch``.

    >>> import pykindred
    >>> records = []
    >>> context = pykindred.Context(space="serial", on_dispatch=records.append)
    >>> _ = pykindred.SequenceMatcher(["abc"], context=context).match("abc")
    >>> records[0].space
    'serial'
    """

    operation: str
    space: str  #: ``serial``, ``openmp`` or ``cuda``
    why: str  #: why this space
    seconds: float  #: taken by the call; 0 for a call that did not wait
    threads: int  #: of the host
    items: int  #: rows, patterns or nodes of the call
    work: float  #: what the dispatcher assumes for the size of the call
    predicted: dict[str, float]  #: seconds per space that can run it
    first: bool  #: no call of this size ran there before, so the time includes allocations


def record_of(given: dict[str, Any]) -> Record:
    return Record(**given)
