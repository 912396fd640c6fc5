# SPDX-License-Identifier: Apache-2.0
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Ragged:
    """Rows of different lengths, best first: row ``i`` is ``ids[offsets[i]:offsets[i + 1]]`` with the scores beside it.

    Iterating, or an index, gives pairs ``(scores, ids)`` of one row, which are views.

    >>> rows = Ragged(np.array([0, 2, 3]), np.array([7, 5, 7]), np.float32([3, 1, 2]))
    >>> rows[0]
    (array([3., 1.], dtype=float32), array([7, 5]))
    """

    __slots__ = ("ids", "offsets", "scores")

    def __init__(self, offsets: NDArray[np.int64], ids: NDArray[np.int64], scores: NDArray[Any]) -> None:
        self.offsets: NDArray[np.int64] = offsets  #: int64 [rows + 1], from 0
        self.ids: NDArray[np.int64] = ids  #: int64 [offsets[-1]]
        self.scores: NDArray[Any] = scores  #: [offsets[-1]], float32 of vectors

    def __len__(self) -> int:
        """The number of rows."""
        return len(self.offsets) - 1

    def __getitem__(self, row: int) -> tuple[NDArray[Any], NDArray[np.int64]]:
        count = len(self)
        if not -count <= row < count:
            raise IndexError(f"row {row} of {count}")
        row %= count
        part = slice(self.offsets[row], self.offsets[row + 1])
        return self.scores[part], self.ids[part]

    def __iter__(self) -> Iterator[tuple[NDArray[Any], NDArray[np.int64]]]:
        return (self[row] for row in range(len(self)))

    def __repr__(self) -> str:
        return f"<pykindred.{type(self).__name__}: {len(self)} rows, {len(self.ids)} results>"


class Sequences:
    """Sequences of symbols, of different lengths: sequence ``i`` is ``symbols[offsets[i]:offsets[i + 1]]``. Calls use the arrays in place.

    >>> Sequences(np.array([0, 2, 3]), np.uint32([7, 8, 9]))[0]
    array([7, 8], dtype=uint32)
    """

    __slots__ = ("offsets", "symbols")

    def __init__(self, offsets: NDArray[np.int64], symbols: NDArray[np.uint32]) -> None:
        self.offsets: NDArray[np.int64] = offsets  #: int64 [sequences + 1], from 0
        self.symbols: NDArray[np.uint32] = symbols  #: uint32 [offsets[-1]]

    def __len__(self) -> int:
        """The number of sequences."""
        return len(self.offsets) - 1

    def __getitem__(self, row: int) -> NDArray[np.uint32]:
        count = len(self)
        if not -count <= row < count:
            raise IndexError(f"sequence {row} of {count}")
        row %= count
        return self.symbols[self.offsets[row]:self.offsets[row + 1]]

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

    __slots__ = ("_block_offsets", "_blocks", "distances", "matched")

    def __init__(self, offsets: NDArray[np.int64], ids: NDArray[np.int64], scores: NDArray[np.float64], matched: NDArray[np.uint32],
                 distances: NDArray[np.float64], block_offsets: NDArray[np.int64] | None, blocks: NDArray[np.uint32] | None) -> None:
        super().__init__(offsets, ids, scores)
        self.matched: NDArray[np.uint32] = matched  #: uint32: matched symbols
        self.distances: NDArray[np.float64] = distances  #: float64: a number of edits if the measure counts them, otherwise 1 − similarity
        self._block_offsets = block_offsets
        self._blocks = blocks

    def blocks(self, match: int) -> NDArray[np.uint32]:
        """The matching blocks of a match, a position in ``ids``: uint32 ``[n, 3]`` of begin in the pattern, begin in the query, length.

        >>> SequenceMatcher(["abcd"]).match("bcde", blocks=True).blocks(0)
        array([[1, 0, 3]], dtype=uint32)
        """
        if self._block_offsets is None or self._blocks is None:
            raise ValueError("match was called without blocks=True")
        if not 0 <= match < len(self.ids):
            raise IndexError(f"match {match} of {len(self.ids)}")
        return self._blocks[self._block_offsets[match]:self._block_offsets[match + 1]]


class Clusters(NamedTuple):
    """A partition of patterns. Clusters are numbered by their lowest members.

    >>> SequenceMatcher(["abcde", "vwxyz", "abcd"]).cluster(threshold=0.8).cluster_of
    array([0, 1, 0])
    """

    cluster_of: NDArray[np.int64]  #: the cluster of every pattern
    offsets: NDArray[np.int64]  #: cluster c has the members ``members[offsets[c]:offsets[c + 1]]``
    members: NDArray[np.int64]
    representatives: NDArray[np.int64]  #: of every cluster, the member that is most similar to the others


class SpreadStep(NamedTuple):
    """The contribution of an edge in one hop: a part of a :class:`SpreadPath`.

    >>> SpreadingEngine(2, [0], [1], np.float32([0.5])).spread([0], hops=1, trace_paths=1).paths(1)[0].steps[0].weight
    0.5
    """

    source: int
    target: int
    weight: float  #: after the modifiers
    carried: float  #: what the step adds to the target


class SpreadPath(NamedTuple):
    """A path from a source to a node, with one edge per hop.

    >>> spread = SpreadingEngine(3, [0, 1], [1, 2]).spread([0], hops=2, trace_paths=1)
    >>> [[(step.source, step.target) for step in path.steps] for path in spread.paths(2)]
    [[(0, 1), (1, 2)]]
    """

    strength: float  #: its contribution to the node if nothing saturates
    steps: list[SpreadStep]


class Spread(Ragged):
    """Activated nodes, one row per query: ``ids`` are nodes, ``scores`` their activations; greater ones first, then lower nodes.

    >>> found = SpreadingEngine(3, [0, 1], [1, 2]).spread([{0: 1.0}, {1: 0.5}], hops=1)
    >>> found.offsets, found.ids
    (array([0, 2, 4]), array([0, 1, 1, 2]))
    """

    __slots__ = ("_paths", "iterations", "not_guaranteed", "residuals")

    def __init__(self, offsets: NDArray[np.int64], ids: NDArray[np.int64], scores: NDArray[np.float32], iterations: NDArray[np.uint32],
                 residuals: NDArray[np.float64], not_guaranteed: bool, paths: Any) -> None:
        super().__init__(offsets, ids, scores)
        self.iterations: NDArray[np.uint32] = iterations  #: of PageRank, uint32 [queries]; otherwise empty
        self.residuals: NDArray[np.float64] = residuals  #: of its last iteration, float64 [queries]
        self.not_guaranteed: bool = not_guaranteed  #: whether activations were rounded to bfloat16 between hops
        self._paths = paths

    def paths(self, result: int) -> list[SpreadPath]:
        """The strongest paths to a result, a position in ``ids``: a list of :class:`SpreadPath`. Needs ``trace_paths``.

        >>> SpreadingEngine(3, [0, 1], [1, 2]).spread([0], hops=1, trace_paths=1).paths(1)[0].steps[0].target
        1
        """
        if self._paths is None:
            raise ValueError("spread was called without trace_paths")
        if not 0 <= result < len(self.ids):
            raise IndexError(f"result {result} of {len(self.ids)}")
        offsets, strengths, step_offsets, steps = self._paths
        return [SpreadPath(float(strengths[path]), [SpreadStep(*step) for step in steps.view("u4,u4,f4,f4")[step_offsets[path]:step_offsets[path + 1]].tolist()])
                for path in range(offsets[result], offsets[result + 1])]


class LatticePaths:
    """Paths of different lengths: path ``i`` is ``nodes[offsets[i]:offsets[i + 1]]``, with both ends. An empty one says that there is none.

    >>> [path.tolist() for path in Lattice(1, 5, blocked_nodes=[3]).paths([(0, 2), (0, 4)])]
    [[0, 1, 2], []]
    """

    __slots__ = ("offsets", "nodes")

    def __init__(self, offsets: NDArray[np.int64], nodes: NDArray[np.int64]) -> None:
        self.offsets: NDArray[np.int64] = offsets  #: int64 [paths + 1], from 0
        self.nodes: NDArray[np.int64] = nodes  #: int64 [offsets[-1]]

    def __len__(self) -> int:
        """The number of paths."""
        return len(self.offsets) - 1

    def __getitem__(self, path: int) -> NDArray[np.int64]:
        count = len(self)
        if not -count <= path < count:
            raise IndexError(f"path {path} of {count}")
        path %= count
        return self.nodes[self.offsets[path]:self.offsets[path + 1]]

    def __iter__(self) -> Iterator[NDArray[np.int64]]:
        return (self[path] for path in range(len(self)))

    def __repr__(self) -> str:
        return f"<pykindred.LatticePaths: {len(self)} paths, {len(self.nodes)} nodes>"


class KeyedRagged(Ragged):
    """A :class:`Ragged` with a key per result. Iterating, or an index, gives pairs ``(scores, keys)`` of one row, which are views.

    >>> index = KeyedVectorIndex([70, 80], np.float32([[1, 0], [0, 2]]))
    >>> found = index.search_at_least(np.float32([[1, 1], [1, 0]]), 1, metric="ip")
    >>> [keys.tolist() for scores, keys in found]
    [[80, 70], [70]]
    """

    __slots__ = ("keys",)

    def __init__(self, offsets: NDArray[np.int64], ids: NDArray[np.int64], scores: NDArray[Any], keys: NDArray[Any]) -> None:
        super().__init__(offsets, ids, scores)
        self.keys: NDArray[Any] = keys  #: uint64 [offsets[-1]], or objects of type bytes

    def __getitem__(self, row: int) -> tuple[NDArray[Any], NDArray[Any]]:
        scores, _ = super().__getitem__(row)
        row %= len(self)
        return scores, self.keys[self.offsets[row]:self.offsets[row + 1]]


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
