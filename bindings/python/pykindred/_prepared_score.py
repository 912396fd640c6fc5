# SPDX-License-Identifier: Apache-2.0
from typing import Any

from pykindred import _kindred
from pykindred._closing import Closing
from pykindred._types import Array
from pykindred._vector import VectorIndex


class PreparedScore(Closing):
    """:meth:`VectorIndex.score` for one query after another, with everything prepared in advance: a call makes one launch.

    The first call after a change of the index repeats the preparation. Keeps the index alive. Thread-safe: calls of one object follow each
    other; several objects may use one index concurrently.

    Args:
        index: whose rows are scored
        longest: the largest number of candidates of a call
        top: number of results; None: ``longest``
        metric: ``"cosine"``, ``"ip"`` or ``"l2"``
        filter: rows that may be results, as :meth:`VectorIndex.search`; copied
        space: None: ``"cuda"`` if the index is resident there, otherwise the host

    Raises:
        InvalidArgument: an option is out of range, or the filter does not fit
        SpaceUnavailable: the space cannot be used

    >>> index = VectorIndex(np.float32([[3, 4], [4, -3], [1, 0]]))
    >>> prepared = PreparedScore(index, longest=100, top=2, metric="ip")
    >>> prepared.score(np.float32([3, 4]), np.array([2, 1, 0]))
    (array([25.,  3.], dtype=float32), array([0, 2]))
    """

    __slots__ = ("__weakref__", "_native")

    def __init__(self, index: VectorIndex, longest: int, top: int | None = None, *, metric: str = "cosine", filter: Array | None = None,
                 space: str | None = None) -> None:
        self._native = _kindred.PreparedScore(index._native if isinstance(index, VectorIndex) else index, longest, top, metric, filter, space)

    def score(self, query: Array, candidates: Array, *, out: tuple[Array, Array] | None = None) -> tuple[Any, Any]:
        """The best candidates of a query, best first. Repeated candidates count once.

        Args:
            query: float32 ``[dimension]`` on the host
            candidates: int64 or uint64 ids ``[at most longest]`` on the host
            out: ``(scores, ids)`` to write into: float32 and int64 ``[top]``

        Returns:
            ``(scores, ids)``: float32 and int64 ``[top]``; where there are fewer candidates, the id is −1 and the score −inf (+inf under ``"l2"``)

        Raises:
            InvalidType: an array has elements of another type
            InvalidArgument: a shape does not fit, there are more candidates than ``longest``, an id has no row, or rows were added since a
                filter was prepared

        >>> PreparedScore(VectorIndex(np.float32([[3, 4], [1, 0]])), 2, metric="l2").score(np.float32([3, 4]), np.array([0]))
        (array([ 0., inf], dtype=float32), array([ 0, -1]))
        """
        return self._native.score(query, candidates, out)

    @property
    def top(self) -> int:
        """Number of results."""
        return self._native.top()

    @property
    def space(self) -> str:
        """Where calls run: ``"serial"``, ``"openmp"`` or ``"cuda"``."""
        return self._native.space()

    def __repr__(self) -> str:
        if self._native.is_closed():
            return "<pykindred.PreparedScore: closed>"
        return f"<pykindred.PreparedScore: the best {self.top} on {self.space}>"
