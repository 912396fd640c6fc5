# SPDX-License-Identifier: Apache-2.0
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pykindred import _kindred
from pykindred._bytes import bytes_of, in_pickle, loaded_from
from pykindred._closing import Closing
from pykindred._context import Context, native
from pykindred._results import Ragged
from pykindred._types import Array, StrPath


class UpsertCounts(NamedTuple):
    """What an upsert did."""

    added: int  #: rows of new keys
    replaced: int  #: rows of keys that were there


class KeyedResults(NamedTuple):
    """The best rows of every query, ``[queries, k]``, or ``[k]`` for one query."""

    scores: NDArray[np.float32]  #: −inf (+inf under ``"l2"``) where there is no row
    keys: NDArray[Any]  #: uint64, or objects of type bytes; 0 or empty where there is no row
    ids: NDArray[np.int64]  #: −1 where there is no row


class KeyedRagged(Ragged):
    """A :class:`Ragged` with a key per result. Iterating, or an index, gives pairs ``(scores, keys)`` of one row."""

    __slots__ = ("keys",)

    def __init__(self, lims: NDArray[np.int64], ids: NDArray[np.int64], scores: NDArray[Any], keys: NDArray[Any]) -> None:
        super().__init__(lims, ids, scores)
        self.keys = keys  #: uint64 [lims[-1]], or objects of type bytes

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
    a call that changes rows waits for the calls that read them. Arrays lie on the host.

    Args:
        keys: one per row; an empty array or list decides the kind of an empty index (a list: integers)
        rows: ``[count, dimension]`` of float32, float16, bfloat16, or int8 with ``scales``; copied. If a key occurs several times, its last row
            counts.

    >>> index = KeyedVectorIndex(["apple", "pear", "plum"], np.float32([[1, 0], [0, 1], [1, 1]]))
    >>> index.upsert(["pear", "fig"], np.float32([[2, 1], [0, 3]]))
    UpsertCounts(added=1, replaced=1)
    >>> index.search(np.float32([1, 0.5]), k=2).keys
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
        """Maps a file of :meth:`save`. Arguments and exceptions as :meth:`VectorIndex.load`."""
        index = cls.__new__(cls)
        index._native = _kindred.KeyedVectorIndex.load(path, residency, quantized_copy, threads, native(context))
        index._options = (residency, quantized_copy)
        return index

    def save(self, path: StrPath) -> None:
        """Writes rows, ids and keys to one file, atomically. :meth:`VectorIndex.load` can read it too, without the keys."""
        self._native.save(path)

    def upsert(self, keys: Any, rows: Array, *, scales: Array | None = None) -> UpsertCounts:
        """Adds the rows of new keys, and replaces the others. On an exception the index is unchanged."""
        return UpsertCounts(*self._native.upsert(keys, rows, scales))

    def remove(self, keys: Any) -> None:
        """Removes keys with their rows.

        Raises:
            NotFound: a key is not there, or is listed twice; nothing is removed then
        """
        self._native.remove(keys)

    def find(self, keys: Any) -> NDArray[np.int64]:
        """The ids of keys; −1 for a key that is not there. For filters, which are by id."""
        return self._native.find(keys)

    def search(self, queries: Array, k: int = 10, *, metric: str = "cosine", filter: Array | None = None, space: str | None = None,
               path: str | None = None) -> KeyedResults:
        """The exact best ``k`` rows of every query. Arguments as :meth:`VectorIndex.search`."""
        scores, ids, keys, is_one = self._native.search(queries, k, metric, filter, space, path)
        shape = (int(k),) if is_one else (-1, int(k))
        return KeyedResults(scores.reshape(shape), _array(keys, *shape), ids.reshape(shape))

    def search_at_least(self, queries: Array, score: float, *, metric: str = "cosine", filter: Array | None = None, space: str | None = None,
                        path: str | None = None) -> KeyedRagged:
        """All rows whose score is ``score`` or better (at most ``score`` under ``"l2"``), best first."""
        lims, ids, scores, keys = self._native.search_at_least(queries, score, metric, filter, space, path)
        return KeyedRagged(lims, ids, scores, _array(keys, -1))

    def score(self, queries: Array, candidates: list[Any], k: int | None = None, *, metric: str = "cosine",
              space: str | None = None) -> KeyedRagged:
        """Re-ranks candidates: the best ``k`` of each list; None: all. Repeated candidates count once.

        Args:
            candidates: a list of keys per query, all of which are in the index
        """
        lims, ids, scores, keys = self._native.score(queries, candidates, k, metric, space)
        return KeyedRagged(lims, ids, scores, _array(keys, -1))

    def __len__(self) -> int:
        """The number of keys."""
        return self._native.size()

    def __contains__(self, key: Any) -> bool:
        return bool(self._native.find([key])[0] >= 0)

    @property
    def dimension(self) -> int:
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

    def info(self) -> dict[str, Any]:
        """What the index holds."""
        return {"keys": len(self), "key_kind": self.key_kind, "key_bytes": self._native.key_bytes(), "dimension": self.dimension,
                "element": self.element, "end_id": self.end_id}

    def __reduce_ex__(self, protocol: Any) -> Any:
        data = bytes_of(self._native.save)
        return _restored, (type(self), in_pickle(data, protocol), *self._options)

    def __repr__(self) -> str:
        if self._native.is_closed():
            return "<pykindred.KeyedVectorIndex: closed>"
        return f"<pykindred.KeyedVectorIndex: {len(self)} rows of {self.dimension} {self.element}, keys: {self.key_kind}>"


def _restored(kind: type[KeyedVectorIndex], data: bytes, residency: str, quantized_copy: bool) -> KeyedVectorIndex:
    """An unpickled or copied index, in the default context."""
    return loaded_from(data, lambda path: kind.load(path, residency=residency, quantized_copy=quantized_copy))
