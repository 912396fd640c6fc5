# SPDX-License-Identifier: Apache-2.0
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pykindred import _kindred
from pykindred._bytes import in_pickle
from pykindred._closing import Closing
from pykindred._context import Context, native
from pykindred._results import Ragged
from pykindred._types import Array, Bytes, StrPath


class UpsertCounts(NamedTuple):
    """What :meth:`KeyedVectorIndex.upsert` did.

    >>> KeyedVectorIndex([7], np.float32([[1, 0]])).upsert([7, 8], np.float32([[0, 1], [1, 1]])).replaced
    1
    """

    added: int  #: rows of new keys
    replaced: int  #: rows of keys that were there


class KeyedResults(NamedTuple):
    """The best rows of every query, ``[queries, top]``, or ``[top]`` for one query.

    >>> scores, keys, ids = KeyedVectorIndex([70, 80], np.float32([[1, 0], [0, 2]])).search(np.float32([1, 1]), top=3, metric="ip")
    >>> scores, keys, ids
    (array([  2.,   1., -inf], dtype=float32), array([80, 70,  0], dtype=uint64), array([ 1,  0, -1]))
    """

    scores: NDArray[np.float32]  #: −inf (+inf under ``"l2"``) where there is no row
    keys: NDArray[Any]  #: uint64, or objects of type bytes; 0 or b"" where there is no row
    ids: NDArray[np.int64]  #: −1 where there is no row


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


def _array(keys: Any, *shape: int) -> NDArray[Any]:
    """Keys as the extension returns them, as an array."""
    if isinstance(keys, np.ndarray):
        return keys.view(np.uint64).reshape(shape)
    made = np.empty(len(keys), object)
    made[:] = keys
    return made.reshape(shape)


class KeyedVectorIndex(Closing):
    """A :class:`VectorIndex` whose rows have keys: rows are added, replaced, removed and found by key.

    Keys are of one kind: integers from 0 to 2⁶⁴ − 1, as an array of uint64 or int64 or a list of ints; or byte strings, as a list of str (their
    UTF-8) and bytes, or as uint8 ``[count, width]``, such as 16 bytes per UUID. Results have the keys as uint64, or as objects of type bytes.

    Scores and orders are those of :class:`VectorIndex`; equal scores are ranked by id, that is, in the order in which keys were added. Thread-safe;
    a call reads what was there when it began, and does not wait for changes. Arrays lie on the host.

    Args:
        keys: one per row; an empty array or list decides the kind of an empty index (a list: integers)
        rows: ``[count, dimension]`` of float32, float16, bfloat16, or int8 with ``scales``; copied. If a key occurs several times, its last row
            counts.
        scales: float32 ``[count]``, for int8: element v of a row of scale s is float32(s · v)
        residency: ``"automatic"``, ``"host"``, ``"both"`` (host and device) or ``"device"`` (calls run there only)
        quantized_copy: an int8 copy of the rows may be kept, by which searches read fewer bytes, with the same results
        context: None: the default context

    Raises:
        InvalidType: keys or rows have elements of another type, or keys are of both kinds
        InvalidArgument: there are not as many keys as rows, a shape or an option does not fit, or an integer is not a key
        SpaceUnavailable: the context cannot use the memory of ``residency``

    >>> index = KeyedVectorIndex(["apple", "pear", "plum"], np.float32([[1, 0], [0, 1], [1, 1]]))
    >>> index.upsert(["pear", "fig"], np.float32([[2, 1], [0, 3]]))
    UpsertCounts(added=1, replaced=1)
    >>> index.search(np.float32([1, 0.5]), top=2).keys
    array([b'pear', b'plum'], dtype=object)
    >>> "plum" in index, "quince" in index
    (True, False)
    """

    __slots__ = ("__weakref__", "_native", "_options")

    def __init__(self, keys: Any, rows: Array, *, scales: Array | None = None, residency: str = "automatic", quantized_copy: bool = True,
                 context: Context | None = None) -> None:
        self._native = _kindred.KeyedVectorIndex(keys, rows, scales, residency, quantized_copy, native(context))
        self._options = (residency, quantized_copy)

    @classmethod
    def load(cls, path: StrPath, *, residency: str = "automatic", quantized_copy: bool = True, threads: int = 0,
             context: Context | None = None) -> "KeyedVectorIndex":
        """Maps the file of :meth:`save` at ``path``; rows are copied only when they change.

        Args:
            residency, quantized_copy: as in the constructor
            threads: that validate the file; 0: all
            context: None: the default context

        Raises:
            NotFound: there is no such file
            CorruptFile: it is damaged; nothing of it is used
            InvalidArgument: it has vectors without keys

        >>> KeyedVectorIndex(["apple"], np.float32([[3, 4]])).save("fruits.kindred")
        >>> KeyedVectorIndex.load("fruits.kindred")
        <pykindred.KeyedVectorIndex: 1 rows of 2 float32, keys: bytes>
        """
        index = cls.__new__(cls)
        index._native = _kindred.KeyedVectorIndex.load(path, residency, quantized_copy, threads, native(context))
        index._options = (residency, quantized_copy)
        return index

    @classmethod
    def from_bytes(cls, data: Bytes, *, residency: str = "automatic", quantized_copy: bool = True,
                   context: Context | None = None) -> "KeyedVectorIndex":
        """An index of the bytes of :meth:`to_bytes`, or of a file of :meth:`save`.

        Args:
            data: bytes, or another contiguous buffer of bytes
            residency, quantized_copy, context: as in the constructor

        Raises:
            CorruptFile: the bytes are damaged; nothing of them is used
            InvalidArgument: they have vectors without keys

        >>> KeyedVectorIndex.from_bytes(KeyedVectorIndex(["apple"], np.float32([[3, 4]])).to_bytes())
        <pykindred.KeyedVectorIndex: 1 rows of 2 float32, keys: bytes>
        """
        index = cls.__new__(cls)
        index._native = _kindred.KeyedVectorIndex.from_bytes(data, residency, quantized_copy, native(context))
        index._options = (residency, quantized_copy)
        return index

    def save(self, path: StrPath) -> None:
        """Writes rows, ids and keys to a file, atomically: the file at ``path`` is the old or the new one.

        :meth:`VectorIndex.load` can read it too, without the keys.
        """
        self._native.save(path)

    def to_bytes(self) -> bytes:
        """The bytes of the file."""
        return self._native.to_bytes()

    def upsert(self, keys: Any, rows: Array, *, scales: Array | None = None) -> UpsertCounts:
        """Adds the rows of new keys, and replaces those of the others under their ids. On an exception the index is unchanged.

        New keys get ids in the order in which they first occur. If a key occurs several times, its last row counts.

        Args:
            keys: one per row, of the kind of the index
            rows: ``[count, dimension]`` of the element type of the index
            scales: float32 ``[count]``, of rows of int8

        Raises:
            InvalidType: an array has elements of another type
            InvalidArgument: keys of the other kind, another number of keys than rows, or a shape that does not fit

        >>> index = KeyedVectorIndex([7, 8], np.float32([[1, 0], [0, 1]]))
        >>> index.upsert([8, 9], np.float32([[1, 1], [2, 2]]))
        UpsertCounts(added=1, replaced=1)
        """
        return UpsertCounts(*self._native.upsert(keys, rows, scales))

    def remove(self, keys: Any) -> None:
        """Removes keys with their rows, whose ids are not reused.

        Args:
            keys: of the kind of the index

        Raises:
            NotFound: a key is not there, or is listed twice; nothing is removed then
            InvalidArgument: keys of the other kind

        >>> index = KeyedVectorIndex(["apple", "pear"], np.float32([[1, 0], [0, 1]]))
        >>> index.remove(["apple"])
        >>> len(index), index.end_id
        (1, 2)
        """
        self._native.remove(keys)

    def find(self, keys: Any) -> NDArray[np.int64]:
        """The ids of keys, for filters, which are by id.

        Args:
            keys: of the kind of the index

        Returns:
            int64 ``[count]``; −1 for a key that is not there

        Raises:
            InvalidArgument: keys of the other kind

        >>> KeyedVectorIndex(["apple", "pear"], np.float32([[1, 0], [0, 1]])).find(["pear", "fig"])
        array([ 1, -1])
        """
        return self._native.find(keys)

    def search(self, queries: Array, top: int = 10, *, metric: str = "cosine", filter: Array | None = None, space: str | None = None,
               path: str | None = None) -> KeyedResults:
        """The exact best ``top`` rows of every query.

        Args:
            queries: float32 ``[queries, dimension]``, or ``[dimension]`` for one query, on the host
            top: at least 1; may exceed the number of keys
            metric: ``"cosine"``, ``"ip"`` or ``"l2"``
            filter: rows that may be returned, by id, as for :meth:`VectorIndex.search`; ids are found by :meth:`find`
            space: ``"serial"``, ``"openmp"`` or ``"cuda"`` instead of the dispatcher's choice
            path: ``"brute_force"``, ``"quantized"`` or ``"gemm"`` instead of the fastest; the results are the same

        Returns:
            scores, keys and ids, ``[queries, top]``, or ``[top]`` for one query, best first

        Raises:
            InvalidType: an array has elements of another type
            InvalidArgument: a shape or an option does not fit
            SpaceUnavailable: the call cannot run in ``space``

        >>> index = KeyedVectorIndex(["apple", "pear", "plum"], np.float32([[1, 0], [0, 1], [1, 1]]))
        >>> allowed = np.zeros(index.end_id, bool)
        >>> allowed[index.find(["apple", "plum"])] = True
        >>> index.search(np.float32([[0, 1], [1, 0]]), top=1, filter=allowed).keys
        array([[b'plum'],
               [b'apple']], dtype=object)
        """
        scores, ids, keys, is_one = self._native.search(queries, top, metric, filter, space, path)
        shape = (int(top),) if is_one else (-1, int(top))
        return KeyedResults(scores.reshape(shape), _array(keys, *shape), ids.reshape(shape))

    def search_at_least(self, queries: Array, score: float, *, metric: str = "cosine", filter: Array | None = None, space: str | None = None,
                        path: str | None = None) -> KeyedRagged:
        """All rows whose score is ``score`` or better (at most ``score`` under ``"l2"``), best first.

        Other arguments and exceptions as :meth:`search`.

        Returns:
            a :class:`KeyedRagged`, one row per query: int64 ``ids``, float32 ``scores`` and ``keys``

        >>> index = KeyedVectorIndex(["apple", "pear", "plum"], np.float32([[1, 0], [0, 1], [1, 1]]))
        >>> index.search_at_least(np.float32([2, 1]), 2, metric="ip")[0]
        (array([3., 2.], dtype=float32), array([b'plum', b'apple'], dtype=object))
        """
        lims, ids, scores, keys = self._native.search_at_least(queries, score, metric, filter, space, path)
        return KeyedRagged(lims, ids, scores, _array(keys, -1))

    def score(self, queries: Array, candidates: list[Any], top: int | None = None, *, metric: str = "cosine",
              space: str | None = None) -> KeyedRagged:
        """Re-ranks candidates: the best ``top`` of each list; None: all. Repeated candidates count once.

        Args:
            candidates: a list of keys per query, all of which are in the index

        Other arguments as :meth:`search`.

        Returns:
            a :class:`KeyedRagged`, one row per query

        Raises:
            InvalidArgument: as :meth:`search`; or a candidate is not in the index

        >>> index = KeyedVectorIndex(["apple", "pear", "plum"], np.float32([[1, 0], [0, 1], [1, 1]]))
        >>> index.score(np.float32([2, 1]), [["pear", "apple", "pear"]], metric="ip").keys
        array([b'apple', b'pear'], dtype=object)
        """
        lims, ids, scores, keys = self._native.score(queries, candidates, top, metric, space)
        return KeyedRagged(lims, ids, scores, _array(keys, -1))

    def __len__(self) -> int:
        """The number of keys."""
        return self._native.size()

    def __contains__(self, key: Any) -> bool:
        """Whether the index has a key. One of the other kind raises InvalidArgument."""
        return bool(self._native.find([key])[0] >= 0)

    @property
    def dimension(self) -> int:
        """The number of elements of a row."""
        return self._native.dimension()

    @property
    def element(self) -> str:
        """How rows are stored: ``float32``, ``float16``, ``bfloat16`` or ``int8``."""
        return self._native.element()

    @property
    def key_kind(self) -> str:
        """``integer`` or ``bytes``."""
        return self._native.key_kind()

    @property
    def end_id(self) -> int:
        """All ids below it have been assigned: the length of filters."""
        return self._native.end_id()

    def statistics(self) -> dict[str, Any]:
        """What the index holds."""
        return {"keys": len(self), "key_kind": self.key_kind, "key_bytes": self._native.key_bytes(), "dimension": self.dimension,
                "element": self.element, "end_id": self.end_id}

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _restored, (type(self), in_pickle(self.to_bytes(), protocol), *self._options)

    def __repr__(self) -> str:
        if self._native.is_closed():
            return "<pykindred.KeyedVectorIndex: closed>"
        return f"<pykindred.KeyedVectorIndex: {len(self)} rows of {self.dimension} {self.element}, keys: {self.key_kind}>"


def _restored(kind: type[KeyedVectorIndex], data: bytes, residency: str, quantized_copy: bool) -> KeyedVectorIndex:
    """An unpickled or copied index, in the default context."""
    return kind.from_bytes(data, residency=residency, quantized_copy=quantized_copy)
