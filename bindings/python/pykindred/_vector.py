# SPDX-License-Identifier: Apache-2.0
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pykindred import _kindred
from pykindred._bytes import in_pickle
from pykindred._closing import Closing
from pykindred._context import Context, native
from pykindred._results import Ragged
from pykindred._types import Array, Bytes, Ids, StrPath, Stream


class VectorIndex(Closing):
    """A store of vectors with exact nearest-neighbour search. Scores have the same bits on every machine and every space.

    A score is that of the float32 row that a row decodes to: ``"cosine"`` and ``"ip"`` (inner product) are similarities, larger is
    better; ``"l2"`` is the Euclidean distance, not squared, smaller is better. Equal scores are ranked by id, NaN last. The id of a row
    is its number in the order of insertion, and is never reused. Thread-safe: a call reads the rows that were there when it began, and does not wait for changes.

    Arrays may lie on the host or on the device of the context. On a device, results are written there; the call is ordered by ``stream``
    (an int, an object with ``__cuda_stream__``, a stream of PyTorch or CuPy; by default the current stream of the library of the queries),
    does not wait for the device, and the stream must outlive the index.

    Args:
        rows: ``[count, dimension]`` of float32, float16, bfloat16, or int8 with ``scales``; copied
        scales: float32 ``[count]``, for int8: element v of a row of scale s is float32(s · v)
        element: converts rows of float32, rounding to nearest: ``"float16"``, ``"bfloat16"`` or ``"int8"``
        residency: ``"automatic"``, ``"host"``, ``"both"`` (host and device) or ``"device"`` (calls run there only)
        quantized_copy: an int8 copy of the rows may be kept, by which searches read fewer bytes, with the same results
        context: None: the default context

    >>> index = VectorIndex(np.float32([[3, 4], [4, -3], [1, 0]]))
    >>> index.search(np.float32([3, 4]), top=2, metric="ip")
    (array([25.,  3.], dtype=float32), array([0, 2]))
    """

    __slots__ = ("__weakref__", "_native", "_options")

    def __init__(self, rows: Array, *, scales: Array | None = None, element: str | None = None, residency: str = "automatic",
                 quantized_copy: bool = True, context: Context | None = None) -> None:
        self._native = _kindred.VectorIndex(rows, scales, element, residency, quantized_copy, native(context))
        self._options = (residency, quantized_copy)

    @classmethod
    def load(cls, path: StrPath, *, residency: str = "automatic", quantized_copy: bool = True, threads: int = 0,
             context: Context | None = None) -> "VectorIndex":
        """Maps a file of :meth:`save` or of ``kindred build``; rows are copied only when they change.

        Args:
            residency, quantized_copy: as in the constructor
            threads: that validate the file; 0: all
            context: None: the default context

        Raises:
            NotFound: there is no such file
            CorruptFile: it is damaged; nothing of it is used

        >>> VectorIndex(np.float32([[3, 4]])).save("rows.kindred")
        >>> VectorIndex.load("rows.kindred")
        <pykindred.VectorIndex: 1 rows of 2 float32>
        """
        index = cls.__new__(cls)
        index._native = _kindred.VectorIndex.load(path, residency, quantized_copy, threads, native(context))
        index._options = (residency, quantized_copy)
        return index

    @classmethod
    def from_bytes(cls, data: Bytes, *, residency: str = "automatic", quantized_copy: bool = True,
                   context: Context | None = None) -> "VectorIndex":
        """An index of the bytes of :meth:`to_bytes`, or of a file of :meth:`save`.

        Args:
            data: bytes, or another contiguous buffer of bytes
            residency, quantized_copy, context: as in the constructor

        Raises:
            CorruptFile: the bytes are damaged; nothing of them is used

        >>> VectorIndex.from_bytes(VectorIndex(np.float32([[3, 4]])).to_bytes())
        <pykindred.VectorIndex: 1 rows of 2 float32>
        """
        index = cls.__new__(cls)
        index._native = _kindred.VectorIndex.from_bytes(data, residency, quantized_copy, native(context))
        index._options = (residency, quantized_copy)
        return index

    def save(self, path: StrPath) -> None:
        """Writes all rows and ids to a file, atomically: the file at ``path`` is the old or the new one."""
        self._native.save(path)

    def to_bytes(self) -> bytes:
        """The bytes of the file."""
        return self._native.to_bytes()

    def search(self, queries: Array, top: int = 10, *, metric: str = "cosine", filter: Array | None = None, space: str | None = None,
               path: str | None = None, out: tuple[Array, Array] | None = None, stream: Stream = None,
               copy: bool | None = None) -> tuple[Any, Any]:
        """The exact best ``top`` rows of every query.

        Args:
            queries: float32 ``[queries, dimension]``, or ``[dimension]`` for one query; rows may lie apart
            top: at least 1; may exceed the number of rows
            filter: rows that may be returned: bool or uint8 ``[end_id]``; or as bits, least significant first, uint64 ``[words]`` or, for each
                query its own, ``[queries, words]``, with ``words = ceil(end_id / 64)``. Not for queries on a device
            space: ``"serial"``, ``"openmp"`` or ``"cuda"`` instead of the dispatcher's choice
            path: ``"brute_force"``, ``"quantized"`` or ``"gemm"`` instead of the fastest; the results are the same
            out: arrays for the results, as below
            copy: False raises where the layout of the queries would need a copy

        Returns:
            ``(scores, ids)``: float32 and int64 ``[queries, top]``, or ``[top]`` for one query, best first. Where there is no row, the id is −1 and the
            score −inf (+inf under ``"l2"``).

        Raises:
            InvalidType: an array has elements of another type
            InvalidArgument: a shape, an option or ``out`` does not fit
            SpaceUnavailable: the call cannot run in ``space``

        >>> index = VectorIndex(np.float32([[3, 4], [4, -3], [1, 0]]))
        >>> scores, ids = index.search(np.float32([[3, 4], [1, 0]]), top=2, metric="ip", filter=np.array([True, False, True]))
        >>> ids
        array([[0, 2],
               [0, 2]])
        """
        return self._native.search(queries, top, metric, filter, space, path, out, stream, copy)

    def search_at_least(self, queries: Array, score: float, *, metric: str = "cosine", filter: Array | None = None,
                        space: str | None = None, path: str | None = None) -> Ragged:
        """All rows whose score is ``score`` or better (at most ``score`` under ``"l2"``), best first. Queries on the host.

        Other arguments and exceptions as :meth:`search`.

        Returns:
            a :class:`Ragged`, one row per query: int64 ``ids`` and float32 ``scores``

        >>> found = VectorIndex(np.float32([[3, 4], [4, -3], [1, 0]])).search_at_least(np.float32([[3, 4], [0, 1]]), 3, metric="ip")
        >>> found.lims, found.ids
        (array([0, 2, 3]), array([0, 2, 0]))
        """
        return Ragged(*self._native.search_at_least(queries, score, metric, filter, space, path))

    def score(self, queries: Array, candidates: "Array | Ragged", top: int | None = None, *, metric: str = "cosine",
              filter: Array | None = None, space: str | None = None, out: tuple[Array, Array] | None = None, stream: Stream = None,
              copy: bool | None = None) -> "tuple[Any, Any] | Ragged":
        """Re-ranks candidates: the best ``top`` of each list; None: all. Repeated candidates count once.

        Args:
            candidates: int64 ``[queries, length]``, or ``[length]`` for one query, where an id without a row, such as −1, is skipped; or a
                :class:`Ragged` (its scores are ignored) with one row per query, whose ids must exist
            filter: as :meth:`search`, for ragged candidates; the other arguments too

        Returns:
            ``(scores, ids)`` as :meth:`search`; of ragged candidates a :class:`Ragged`

        Raises:
            InvalidArgument: as :meth:`search`; or a ragged candidate has no row

        >>> VectorIndex(np.float32([[3, 4], [4, -3], [1, 0]])).score(np.float32([3, 4]), np.array([2, 1, -1]), metric="ip")
        (array([  3.,   0., -inf], dtype=float32), array([ 2,  1, -1]))
        """
        if isinstance(candidates, Ragged):
            if out is not None or stream is not None:
                raise _refused("out and stream are for candidates in an array; ragged candidates give a Ragged")
            return Ragged(*self._native.score_lists(queries, candidates.lims, candidates.ids, top, metric, filter, space))
        if filter is not None:
            raise _refused("filter is for ragged candidates; leave out candidates of an array, or write -1")
        return self._native.score(queries, candidates, top, metric, space, out, stream, copy)

    def score_all(self, queries: Array, *, metric: str = "cosine", space: str | None = None, out: Array | None = None,
               stream: Stream = None, copy: bool | None = None) -> Any:
        """The scores of all rows for every query, in ascending order of their :attr:`ids`. Arguments and exceptions as :meth:`search`.

        Args:
            out: float32, of the shape of the result

        Returns:
            ``out``, or a new float32 array ``[queries, len(index)]``, or ``[len(index)]`` for one query

        >>> VectorIndex(np.float32([[3, 4], [4, -3], [1, 0]])).score_all(np.float32([3, 4]), metric="ip")
        array([25.,  0.,  3.], dtype=float32)
        """
        return self._native.score_all(queries, metric, space, out, stream, copy)

    def add(self, rows: Array, *, scales: Array | None = None) -> range:
        """Adds rows of the element type and dimension of the index. On an exception the index is unchanged.

        Args:
            rows: ``[count, dimension]``
            scales: float32 ``[count]``, of rows of int8

        Returns:
            the ids of the new rows

        >>> VectorIndex(np.float32([[3, 4]])).add(np.float32([[1, 0], [0, 1]]))
        range(1, 3)
        """
        first, count = self._native.add(rows, scales)
        return range(first, first + count)

    def remove(self, ids: Ids) -> None:
        """Removes rows; their ``ids`` (integers ``[n]``, or one) are not reused.

        Raises:
            NotFound: an id was never assigned, was already removed or is listed twice; nothing is removed then

        >>> index = VectorIndex(np.float32([[3, 4], [4, -3], [1, 0]]))
        >>> index.remove([1])
        >>> index.ids, index.end_id
        (array([0, 2]), 3)
        """
        self._native.remove(ids)

    def replace(self, id: int, row: Array, *, scale: float | None = None) -> None:
        """Replaces the row of an id.

        Args:
            row: ``[dimension]`` of the element type of the index
            scale: of a row of int8

        Raises:
            NotFound: no row has the id
        """
        self._native.replace(id, row, scale)

    def rows(self, ids: Ids) -> NDArray[np.float32]:
        """The rows of ``ids`` (integers ``[n]``, or one), in that order: float32 ``[n, dimension]``, as they decode.

        Raises:
            NotFound: no row has an id

        >>> VectorIndex(np.float32([[3, 4], [4, -3], [1, 0]])).rows([2, 0])
        array([[1., 0.],
               [3., 4.]], dtype=float32)
        """
        return self._native.rows(ids)

    def row(self, id: int) -> NDArray[np.float32]:
        """The row of an ``id``: float32 ``[dimension]``. Raises as :meth:`rows`."""
        row: NDArray[np.float32] = self._native.rows([id])[0]
        return row

    def __len__(self) -> int:
        """The number of rows that can be found."""
        return self._native.size()

    @property
    def dimension(self) -> int:
        """The number of elements of a row."""
        return self._native.dimension()

    @property
    def element(self) -> str:
        """How rows are stored: ``float32``, ``float16``, ``bfloat16`` or ``int8``."""
        return self._native.element()

    @property
    def ids(self) -> NDArray[np.int64]:
        """The ids of all rows that can be found, ascending: int64 ``[len(index)]``."""
        return self._native.ids()

    @property
    def end_id(self) -> int:
        """All ids below it have been assigned."""
        return self._native.end_id()

    def statistics(self) -> dict[str, Any]:
        """What the index holds, with the bytes of all copies."""
        return self._native.statistics()

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _restored, (type(self), in_pickle(self.to_bytes(), protocol), *self._options)

    def __repr__(self) -> str:
        if self._native.is_closed():
            return "<pykindred.VectorIndex: closed>"
        return f"<pykindred.VectorIndex: {len(self)} rows of {self.dimension} {self.element}>"


def _restored(kind: type[VectorIndex], data: bytes, residency: str, quantized_copy: bool) -> VectorIndex:
    """An unpickled or copied index, in the default context."""
    return kind.from_bytes(data, residency=residency, quantized_copy=quantized_copy)


def _refused(message: str) -> Exception:
    from pykindred.errors import InvalidArgument

    return InvalidArgument(message)
