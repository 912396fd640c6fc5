# SPDX-License-Identifier: Apache-2.0
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pykindred import _kindred
from pykindred._bytes import in_pickle
from pykindred._closing import Closing
from pykindred._context import Context, native
from pykindred._types import Array, Bytes, Ids, StrPath, is_integer


class HnswIndex(Closing):
    """Approximate nearest-neighbour search with a graph (HNSW). Scores are exact, but a row that is not returned may be nearer.

    The same rows, settings and seed give the same graph and the same results, for any number of threads and any machine. Runs on the
    host. Thread-safe; a call that changes the index waits for others.

    Args:
        rows: float32 ``[count, dimension]``, finite; copied. ``rows[:0]`` makes an empty index
        metric: ``"cosine"`` or ``"ip"``, larger is better; ``"l2"``, smaller is better
        m: links per new node, 2 … 512
        ef_construction: candidates during insertion, m … 65536
        seed: for the random levels of the nodes
        traversal: ``"bytes"`` (one byte per dimension), ``"floats"`` or ``"automatic"``
        progress: called with the number of rows inserted since the last call, at most 4096, as ``tqdm(total=len(rows)).update`` takes it; what it
            raises stops the call
        context: None: the default context

    >>> index = HnswIndex(np.float32([[3, 4], [4, -3], [1, 0]]), metric="ip")
    >>> index.search(np.float32([3, 4]), top=2)
    (array([25.,  3.], dtype=float32), array([0, 2]))
    """

    __slots__ = ("__weakref__", "_native")

    def __init__(self, rows: Array, *, metric: str = "cosine", m: int = 16, ef_construction: int = 200, seed: int = 1,
                 traversal: str = "automatic", progress: Callable[[int], object] | None = None, context: Context | None = None) -> None:
        self._native = _kindred.HnswIndex(rows, metric, m, ef_construction, seed, traversal, progress, native(context))

    @classmethod
    def load(cls, path: StrPath, *, context: Context | None = None) -> "HnswIndex":
        """Maps the file of :meth:`save` at ``path``, in the default context or in ``context``.

        Raises:
            NotFound: there is no such file
            CorruptFile: it is damaged

        >>> HnswIndex(np.float32([[3, 4]])).save("graph.kindred")
        >>> HnswIndex.load("graph.kindred")
        <pykindred.HnswIndex: 1 rows of 2 float32, cosine>
        """
        index = cls.__new__(cls)
        index._native = _kindred.HnswIndex.load(path, native(context))
        return index

    @classmethod
    def from_bytes(cls, data: Bytes, *, context: Context | None = None) -> "HnswIndex":
        """An index of the bytes of :meth:`to_bytes`, or of a file of :meth:`save`.

        Args:
            data: bytes, or another contiguous buffer of bytes
            context: None: the default context

        Raises:
            CorruptFile: the bytes are damaged; nothing of them is used

        >>> HnswIndex.from_bytes(HnswIndex(np.float32([[3, 4]])).to_bytes())
        <pykindred.HnswIndex: 1 rows of 2 float32, cosine>
        """
        index = cls.__new__(cls)
        index._native = _kindred.HnswIndex.from_bytes(data, native(context))
        return index

    @classmethod
    def import_hnswlib(cls, path: StrPath, *, metric: str, dimension: int, context: Context | None = None) -> "HnswIndex":
        """Reads a graph of float32 rows that hnswlib has saved; labels become ids.

        Args:
            metric: that of the graph: the file does not say it
            dimension: the elements of a row
            context: None: the default context

        Raises:
            NotFound: there is no file at ``path``
            CorruptFile: it is no graph of such rows, or damaged
        """
        index = cls.__new__(cls)
        index._native = _kindred.HnswIndex.import_hnswlib(path, metric, dimension, native(context))
        return index

    def save(self, path: StrPath) -> None:
        """Writes the index to a file, atomically: the file at ``path`` is the old or the new one."""
        self._native.save(path)

    def to_bytes(self) -> bytes:
        """The bytes of the file."""
        return self._native.to_bytes()

    def export_hnswlib(self, path: StrPath) -> None:
        """Writes the index to ``path`` in hnswlib's format; under ``"cosine"``, with normalised rows."""
        self._native.export_hnswlib(path)

    def search(self, queries: Array, top: int = 10, *, ef: int = 0, filter: Array | None = None,
               space: str | None = None) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """The rows nearest to each query, approximately.

        Args:
            queries: float32 ``[queries, dimension]``, or ``[dimension]`` for one query, on the host
            ef: candidates per query, at least ``top``: larger values increase recall; 0: 64, or ``top`` if that is more
            filter: rows that may be returned: bool or uint8 ``[end_id]``, or bits, least significant first, uint64 ``[ceil(end_id / 64)]``
            space: ``"serial"`` or ``"openmp"``; None: one thread for a single query

        Returns:
            ``(scores, ids)``: float32 and int64 ``[queries, top]``, or ``[top]``, best first. Where there is no row, the id is −1 and the score −inf
            (+inf under ``"l2"``).

        Raises:
            InvalidType: the queries are not float32
            InvalidArgument: a shape or an option does not fit

        >>> index = HnswIndex(np.float32([[3, 4], [4, -3], [1, 0]]), metric="l2")
        >>> index.search(np.float32([[1, 1]]), top=1)
        (array([[1.]], dtype=float32), array([[2]]))
        """
        return self._native.search(queries, top, ef, filter, space)

    def add(self, rows: Array) -> range:
        """Adds rows, float32 ``[count, dimension]``, and returns their ids. On an exception the index is unchanged.

        >>> HnswIndex(np.float32([[3, 4]])).add(np.float32([[1, 0], [0, 1]]))
        range(1, 3)
        """
        first, count = self._native.add(rows)
        return range(first, first + count)

    def remove(self, ids: Ids) -> None:
        """Removes rows from results; their ``ids`` are not reused.

        Raises:
            NotFound: an id has no row or is listed twice; nothing is removed then
        """
        self._native.remove(ids)

    def repair(self) -> None:
        """Deletes removed rows from the graph, and releases their memory."""
        self._native.repair()

    def row(self, id: int) -> NDArray[np.float32]:
        """The row of an id, as it was added: float32 ``[dimension]``. Raises NotFound.

        >>> HnswIndex(np.float32([[3, 4]])).row(0)
        array([3., 4.], dtype=float32)
        """
        return self._native.row(id)

    def __contains__(self, id: object) -> bool:
        """Whether an id has a row."""
        return is_integer(id) and id >= 0 and self._native.contains(id)

    def __len__(self) -> int:
        """The number of rows that can be found."""
        return self._native.size()

    @property
    def dimension(self) -> int:
        """The number of elements of a row."""
        return self._native.dimension()

    @property
    def metric(self) -> str:
        """``"cosine"``, ``"ip"`` or ``"l2"``."""
        return self._native.metric()

    @property
    def end_id(self) -> int:
        """All ids below it have been assigned."""
        return self._native.end_id()

    def statistics(self) -> dict[str, Any]:
        """What the index holds, and its settings. Traverses the graph once."""
        return self._native.statistics()

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _restored, (type(self), in_pickle(self.to_bytes(), protocol))

    def __repr__(self) -> str:
        if self._native.is_closed():
            return "<pykindred.HnswIndex: closed>"
        return f"<pykindred.HnswIndex: {len(self)} rows of {self.dimension} float32, {self.metric}>"


def _restored(kind: type[HnswIndex], data: bytes) -> HnswIndex:
    """An unpickled or copied index, in the default context."""
    return kind.from_bytes(data)
