# SPDX-License-Identifier: Apache-2.0
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from pykindred import _kindred
from pykindred._closing import Closing
from pykindred._context import Context, native
from pykindred._results import Ragged
from pykindred._types import Array, Ids, Sequence, SequencesLike
from pykindred.errors import InvalidType


class Sequences:
    """Sequences of symbols, of different lengths: sequence ``i`` is ``symbols[lims[i]:lims[i + 1]]``. Calls use the arrays in place.

    >>> Sequences(np.array([0, 2, 3]), np.uint32([7, 8, 9]))[0]
    array([7, 8], dtype=uint32)
    """

    __slots__ = ("lims", "symbols")

    def __init__(self, lims: NDArray[np.int64], symbols: NDArray[np.uint32]) -> None:
        self.lims: NDArray[np.int64] = lims  #: int64 [sequences + 1], from 0
        self.symbols: NDArray[np.uint32] = symbols  #: uint32 [lims[-1]]

    def __len__(self) -> int:
        """The number of sequences."""
        return len(self.lims) - 1

    def __getitem__(self, row: int) -> NDArray[np.uint32]:
        count = len(self)
        if not -count <= row < count:
            raise IndexError(f"sequence {row} of {count}")
        row %= count
        return self.symbols[self.lims[row]:self.lims[row + 1]]

    def __iter__(self) -> Iterator[NDArray[np.uint32]]:
        return (self[row] for row in range(len(self)))

    def __repr__(self) -> str:
        return f"<pykindred.Sequences: {len(self)} sequences, {len(self.symbols)} symbols>"


class Matches(Ragged):
    """Matching patterns, one row per query, best first: similarity, then lower index.

    ``ids`` are indices of patterns, ``scores`` similarities in float64. Iterating gives ``(scores, ids)`` of every query.

    >>> matches = SequenceMatcher(["abc", "abd", "xyz"]).match(["abcd", "xy"], threshold=0.5)
    >>> [(ids.tolist(), scores.round(2).tolist()) for scores, ids in matches]
    [([0, 1], [0.86, 0.86]), ([2], [0.8])]
    >>> matches.matched
    array([3, 3, 2], dtype=uint32)
    """

    __slots__ = ("_block_lims", "_blocks", "distances", "matched")

    def __init__(self, lims: NDArray[np.int64], ids: NDArray[np.int64], scores: NDArray[np.float64], matched: NDArray[np.uint32],
                 distances: NDArray[np.float64], block_lims: NDArray[np.int64] | None, blocks: NDArray[np.uint32] | None) -> None:
        super().__init__(lims, ids, scores)
        self.matched: NDArray[np.uint32] = matched  #: uint32: matched symbols
        self.distances: NDArray[np.float64] = distances  #: float64: a number of edits if the measure counts them, otherwise 1 − similarity
        self._block_lims = block_lims
        self._blocks = blocks

    def blocks(self, match: int) -> NDArray[np.uint32]:
        """The matching blocks of a match, a position in ``ids``: uint32 ``[n, 3]`` of begin in the pattern, begin in the query, length.

        >>> SequenceMatcher(["abcd"]).match("bcde", blocks=True).blocks(0)
        array([[1, 0, 3]], dtype=uint32)
        """
        if self._block_lims is None or self._blocks is None:
            raise ValueError("match was called without blocks=True")
        if not 0 <= match < len(self.ids):
            raise IndexError(f"match {match} of {len(self.ids)}")
        return self._blocks[self._block_lims[match]:self._block_lims[match + 1]]


class Clusters(NamedTuple):
    """A partition of patterns. Clusters are numbered by their lowest members.

    >>> SequenceMatcher(["abcde", "vwxyz", "abcd"]).cluster(threshold=0.8).cluster_of
    array([0, 1, 0])
    """

    cluster_of: NDArray[np.int64]  #: the cluster of every pattern
    lims: NDArray[np.int64]  #: cluster c has the members ``members[lims[c]:lims[c + 1]]``
    members: NDArray[np.int64]
    representatives: NDArray[np.int64]  #: of every cluster, the member that is most similar to the others


class SequenceMatcher(Closing):
    """Exact search for the stored patterns most similar to a query: strings, bytes, or sequences of symbols. Thread-safe.

    Measures: ``"lcs"`` (longest common subsequence, 2·matched / (both lengths)), ``"difflib"`` (Ratcliff-Obershelp, as Python's difflib),
    ``"levenshtein"``, ``"osa"``, ``"prefix"``, ``"postfix"``, ``"jaro-winkler"``, ``"token-sort"`` and ``"token-set"``, with RapidFuzz's numbers
    (divided by 100 where they are percentages).

    Args:
        patterns: a collection of str (compared by code points), bytes or arrays of uint32 symbols; or :class:`Sequences`, as
            :meth:`Vocabulary.encode` makes of words; copied
        residency: ``"automatic"``, ``"host"``, ``"both"`` or ``"device"``
        context: None: the default context

    >>> matches = SequenceMatcher(["kitten", "sitting", "mitten"]).match("kittens", measure="levenshtein", top=2)
    >>> matches.ids, matches.distances
    (array([0, 2]), array([1., 2.]))
    """

    __slots__ = ("__weakref__", "_native", "_residency")

    def __init__(self, patterns: SequencesLike, *, residency: str = "automatic", context: Context | None = None) -> None:
        self._native = _kindred.SequenceMatcher(patterns, residency, native(context))
        self._residency = residency

    def patterns(self) -> Sequences:
        """A copy of the patterns, as symbols.

        >>> SequenceMatcher(["ab", "c"]).patterns().symbols
        array([97, 98, 99], dtype=uint32)
        """
        return Sequences(*self._native.patterns())

    def match(self, queries: SequencesLike, *, measure: str = "lcs", threshold: float = 0.1, top: int | None = 10, blocks: bool = False,
              autojunk: bool = False, postings: str = "automatic", filter: Ids | None = None, space: str | None = None) -> Matches:
        """The best patterns of every query.

        Args:
            queries: as patterns; or one str, bytes or array, which gives one row
            threshold: in [0, 1], inclusive; 0 returns everything
            top: maximum number of matches per query; None: all
            blocks: also find the matching blocks, :meth:`Matches.blocks`
            autojunk: difflib's heuristic for frequent symbols, for ``"difflib"`` alone
            postings: ``"automatic"``, ``"never"`` or ``"always"``: use of an inverted index; the results are the same
            filter: indices of the patterns that may be results
            space: instead of the dispatcher's choice

        Raises:
            InvalidType: a query is no sequence, or an array is not of uint32
            InvalidArgument: an option is out of range

        >>> matches = SequenceMatcher(["kitten", "sitting", "mitten"]).match(["kittens", "sit"], measure="levenshtein", threshold=0.6)
        >>> matches.lims, matches.ids, matches.distances
        (array([0, 2, 2]), array([0, 2]), array([1., 2.]))
        """
        return Matches(*self._native.match(queries, measure, threshold, top, blocks, autojunk, postings, filter, space))

    def score_all(self, queries: SequencesLike, *, measure: str = "lcs", value: str = "similarity", dtype: DTypeLike | None = None,
               score_cutoff: float | None = None, autojunk: bool = False, out: Array | None = None, space: str | None = None) -> Any:
        """The similarity, distance or percentage of every query and every pattern, in input order: ``[queries, len(matcher)]``.

        Args:
            queries: as patterns; or one str, bytes or array, which gives one row
            value: ``"similarity"``, as :func:`similarity` of the pair; ``"distance"``: a number of edits if the measure counts them, otherwise
                1 − similarity; or ``"percentage"``: RapidFuzz's ratio, 100 · (1 − edits / the most possible), otherwise 100 · similarity
            dtype: float32 or float64, for numbers of edits and percentages also int32 or uint8, to which percentages are rounded and in which a
                larger number is the largest of the type. None: int32 for numbers of edits, otherwise float32
            score_cutoff: a similarity below it becomes 0; a number of edits above it cutoff + 1, any other distance above it 1
            out: the array to write, of such a type, where there may be gaps between rows; it may lie on the device if the patterns are there
            autojunk, space: as for :meth:`match`

        Returns:
            ``out``, or a new array of NumPy

        >>> SequenceMatcher(["kitten", "sitting"]).score_all(["kitten", "mitten"], measure="levenshtein", value="distance")
        array([[0, 3],
               [1, 3]], dtype=int32)
        """
        try:
            name = None if dtype is None else np.dtype(dtype).name
        except TypeError:
            raise InvalidType(f"dtype is {dtype!r}; it must be a type of NumPy") from None
        return self._native.score_all(queries, measure, value, name, score_cutoff, autojunk, out, space)

    def match_self(self, *, measure: str = "lcs", threshold: float = 0.85, top: int | None = None, autojunk: bool = False,
                   space: str | None = None) -> Matches:
        """Duplicates: row ``i`` lists the patterns before ``i`` that match it. Arguments as :meth:`match`.

        >>> SequenceMatcher(["abcde", "vwxyz", "abcd"]).match_self(threshold=0.8)[2]
        (array([0.88888889]), array([0]))
        """
        return Matches(*self._native.match_self(measure, threshold, top, autojunk, space))

    def cluster(self, *, threshold: float = 0.85, linkage: str = "single", measure: str = "lcs", space: str | None = None) -> Clusters:
        """Clusters of similar patterns.

        Args:
            threshold: above 0
            linkage: ``"single"`` (a chain of similar pairs) or ``"complete"`` (all pairs are similar)
            measure, space: as for :meth:`match`

        >>> clusters = SequenceMatcher(["abcde", "vwxyz", "abcd"]).cluster(threshold=0.8)
        >>> [clusters.members[clusters.lims[c]:clusters.lims[c + 1]].tolist() for c in range(2)]
        [[0, 2], [1]]
        """
        return Clusters(*self._native.cluster(threshold, linkage, measure, space))

    def __len__(self) -> int:
        """The number of patterns."""
        return self._native.size()

    def statistics(self) -> dict[str, Any]:
        """The number of patterns, and their bytes in the memory of host and device."""
        return {"patterns": len(self), "host_bytes": self._native.bytes("serial"), "device_bytes": self._native.bytes("cuda")}

    def __reduce__(self) -> Any:
        return _restored, (type(self), *self._native.patterns(), self._residency)

    def __repr__(self) -> str:
        return "<pykindred.SequenceMatcher: " + ("closed>" if self._native.is_closed() else f"{len(self)} patterns>")


def _restored(kind: type[SequenceMatcher], lims: NDArray[np.int64], symbols: NDArray[np.uint32], residency: str) -> SequenceMatcher:
    """An unpickled or copied matcher, in the default context."""
    return kind(Sequences(lims, symbols), residency=residency)


class PreparedQuery:
    """One query for many comparisons, without a context. Measures as in :class:`SequenceMatcher`, with the same bits.

    Args:
        query: a str, bytes, an array of uint32, or a sequence of hashable items; a ``pattern`` of its methods likewise
        measure, autojunk: as for :meth:`SequenceMatcher.match`

    Raises:
        InvalidType: an argument is no such sequence

    >>> PreparedQuery("kitten", measure="levenshtein").distance("sitting")
    3.0
    """

    __slots__ = ("_measure", "_native")

    def __init__(self, query: Sequence, *, measure: str = "lcs", autojunk: bool = False) -> None:
        self._native = _kindred.PreparedQuery(query, measure, autojunk)
        self._measure = measure

    def similarity(self, pattern: Sequence, *, score_cutoff: float = 0.0) -> float:
        """In [0, 1]; 0 if it is below ``score_cutoff``, which makes a comparison faster.

        >>> PreparedQuery("abcd").similarity("bcde")
        0.75
        """
        return self._native.similarity(pattern, score_cutoff)

    def matched(self, pattern: Sequence) -> int:
        """The number of matched symbols.

        >>> PreparedQuery("abcd").matched("bcde")
        3
        """
        return self._native.matched(pattern)

    def distance(self, pattern: Sequence) -> float:
        """A number of edits if the measure counts them, otherwise 1 − similarity.

        >>> PreparedQuery("abcd", measure="levenshtein").distance("bcde")
        2.0
        """
        return self._native.distance(pattern)

    def blocks(self, pattern: Sequence) -> NDArray[np.uint32]:
        """The matching blocks: uint32 ``[n, 3]`` of begin in the pattern, begin in the query, length.

        >>> PreparedQuery("bcde").blocks("abcd")
        array([[1, 0, 3]], dtype=uint32)
        """
        return self._native.blocks(pattern)

    def __repr__(self) -> str:
        return f"<pykindred.PreparedQuery: {self._native.length()} symbols, {self._measure}>"


def similarity(pattern: Sequence, query: Sequence, *, measure: str = "lcs", score_cutoff: float = 0.0, autojunk: bool = False) -> float:
    """The similarity of one pair, in [0, 1]. Arguments as :class:`PreparedQuery` and :meth:`PreparedQuery.similarity`.

    >>> similarity("abcd", "bcde", measure="difflib")
    0.75
    """
    return _kindred.PreparedQuery(query, measure, autojunk).similarity(pattern, score_cutoff)
