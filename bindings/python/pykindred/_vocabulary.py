# SPDX-License-Identifier: Apache-2.0
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pykindred import _kindred
from pykindred._sequence import Sequences
from pykindred._types import StrPath


class Vocabulary:
    """Numbers for texts, in the order in which they were first seen, from 0. Thread-safe.

    A text is a str, in which surrogates stand for bytes as in ``os.fsdecode``, or bytes.

    Args:
        texts: added in their order

    >>> words = Vocabulary(["a", "b"])
    >>> words.encode([["b", "c"], ["a"]], add=True).symbols
    array([1, 2, 0], dtype=uint32)
    >>> words.decode(np.uint32([2, 0]))
    ['c', 'a']
    """

    __slots__ = ("__weakref__", "_native")

    def __init__(self, texts: Iterable[str | bytes] = ()) -> None:
        self._native = _kindred.Vocabulary()
        if texts:
            self.add_all(texts)

    def add(self, text: str | bytes) -> int:
        """The number of a text, which is added if it is new.

        >>> Vocabulary(["a", "b"]).add("b")
        1
        """
        return self._native.add(text)

    def add_all(self, texts: Iterable[str | bytes], *, sorted: bool = False) -> None:
        """Adds the new ones of ``texts``, in their order or, ``sorted``, in that of their bytes; none on an exception."""
        self._native.add_all(texts, sorted)

    def find(self, text: str | bytes) -> int | None:
        """The number of a text; None if it is not there.

        >>> Vocabulary(["a", "b"]).find("c") is None
        True
        """
        return self._native.find(text)

    def text(self, symbol: int) -> str:
        """The text of the number ``symbol``. Raises NotFound.

        >>> Vocabulary(["a", "b"]).text(1)
        'b'
        """
        return self._native.text(symbol)

    def decode(self, symbols: NDArray[np.uint32]) -> list[str]:
        """The texts of ``symbols``, uint32 ``[n]``. Raises NotFound.

        >>> Vocabulary(["a", "b"]).decode(np.uint32([1, 0]))
        ['b', 'a']
        """
        return self._native.decode(symbols)

    def encode(self, sequences: Iterable[Iterable[str | bytes]], *, add: bool = False) -> Sequences:
        """Sequences of texts as symbols. A new text is added, or without ``add`` gets the number 2³² − 1, which matches nothing.

        >>> encoded = Vocabulary(["a", "b"]).encode([["b", "a"], [], ["c"]])
        >>> encoded.lims, encoded.symbols
        (array([0, 2, 2, 3]), array([         1,          0, 4294967295], dtype=uint32))
        """
        return Sequences(*self._native.encode(sequences, add))

    def __len__(self) -> int:
        """The number of texts."""
        return self._native.size()

    def __contains__(self, text: object) -> bool:
        """Whether a text has a number."""
        return isinstance(text, str | bytes) and self._native.find(text) is not None

    def __iter__(self) -> Iterator[str]:
        """The texts, by their numbers."""
        return (self.text(symbol) for symbol in range(len(self)))

    def statistics(self) -> dict[str, Any]:
        """The number of symbols and bytes."""
        return self._native.statistics()

    def save(self, path: StrPath) -> None:
        """Writes the vocabulary to a file, atomically: the file at ``path`` is the old or the new one."""
        self._native.save(path)

    @classmethod
    def load(cls, path: StrPath) -> "Vocabulary":
        """The vocabulary of a file of :meth:`save` at ``path``. Raises NotFound, CorruptFile."""
        vocabulary = cls.__new__(cls)
        vocabulary._native = _kindred.Vocabulary.load(path)
        return vocabulary

    def to_bytes(self) -> bytes:
        """The bytes of the file."""
        return self._native.to_bytes()

    @classmethod
    def from_bytes(cls, data: bytes) -> "Vocabulary":
        """The vocabulary of the ``data`` of :meth:`to_bytes`. Raises CorruptFile.

        >>> list(Vocabulary.from_bytes(Vocabulary(["a", "b"]).to_bytes()))
        ['a', 'b']
        """
        vocabulary = cls.__new__(cls)
        vocabulary._native = _kindred.Vocabulary.from_bytes(data)
        return vocabulary

    def __reduce__(self) -> Any:
        return type(self).from_bytes, (self.to_bytes(),)

    def __repr__(self) -> str:
        return f"<pykindred.Vocabulary: {len(self)} symbols>"
