# SPDX-License-Identifier: Apache-2.0
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pykindred import _kindred
from pykindred._bytes import in_pickle
from pykindred._closing import Closing
from pykindred._context import Context, native
from pykindred._results import Ragged
from pykindred._types import Array, Bytes, Ids, StrPath, Stream, is_integer

Decay = tuple[str, float]


class SpreadModifiers(NamedTuple):
    """Factors of the weight of an edge by the kinds of its nodes, 0 … 7: ``strengths[kind of source][kind of target]``, times the fan effect
    of the kind of the source: ``"constant"`` (its factor), ``"inverse"`` (1 / out-degree) or ``"inverse_root"`` (1 / √out-degree).

    >>> graph = SpreadingEngine(3, [0, 0], [1, 2])
    >>> graph.hop(np.float32([1, 0, 0]), modifiers=SpreadModifiers(np.ones((8, 8)), ("inverse", *("constant",) * 7)))
    array([0. , 0.5, 0.5], dtype=float32)
    """

    strengths: NDArray[np.float64]  #: [8, 8]
    fans: tuple[str, ...] = ("constant",) * 8
    factors: tuple[float, ...] = (1.0,) * 8

    @classmethod
    def engram(cls, fan_of_concepts: str | None = None) -> "SpreadModifiers":
        """Engram's: kind 0 are concepts, kind 1 episodes; ``fan_of_concepts``: ``"inverse"`` or ``"inverse_root"`` for its fan effect, too."""
        strengths = np.ones((8, 8))
        strengths[:2, :2] = [[0.4, 0.6], [0.8, 0.3]]
        if fan_of_concepts is None:
            return cls(strengths)
        return cls(strengths, (fan_of_concepts, *("constant",) * 7), (1.0, 1.2, *(1.0,) * 6))


class SpreadQuery(NamedTuple):
    """Options of one query of a call, as those of :meth:`SpreadingEngine.spread`.

    >>> graph = SpreadingEngine(3, [0, 1], [1, 2])
    >>> [ids.tolist() for _, ids in graph.spread([0, 0], per_query=[SpreadQuery(hops=1), SpreadQuery(hops=2)])]
    [[0, 1], [0, 1, 2]]
    """

    hops: int = 4
    decay: Decay = ("exponential", 0.7)
    threshold: float | None = None  #: None: those of the tiers
    kinds: Ids | None = None  #: of edges to follow; None: all


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
    >>> found.lims, found.ids
    (array([0, 2, 4]), array([0, 1, 1, 2]))
    """

    __slots__ = ("_paths", "iterations", "not_guaranteed", "residuals")

    def __init__(self, lims: NDArray[np.int64], ids: NDArray[np.int64], scores: NDArray[np.float32], iterations: NDArray[np.uint32],
                 residuals: NDArray[np.float64], not_guaranteed: bool, paths: Any) -> None:
        super().__init__(lims, ids, scores)
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
        lims, strengths, step_lims, *steps = self._paths
        return [SpreadPath(float(strengths[path]),
                           [SpreadStep(*(values[step].item() for values in steps)) for step in range(step_lims[path], step_lims[path + 1])])
                for path in range(lims[result], lims[result + 1])]


class SpreadingEngine(Closing):
    """Spreading activation, personalised PageRank and products over a directed graph, with the same bits on every machine and space.

    Thread-safe: a call sees the changes made before it began, and never waits for later ones. A call that raises has changed nothing.

    Args:
        nodes: their number; ids are 0 … nodes − 1
        sources, targets: integers ``[edges]``, the ends of every edge
        weights: float32 ``[edges]``, finite; None: all are 1
        edge_kinds, node_kinds: uint8, one per edge or node; None: kind 0
        names: distinct texts, one per node
        stored_weights: ``"float32"``, ``"bfloat16"`` (rounded) or ``"none"`` (all are 1)
        residency: ``"automatic"``, ``"host"``, ``"both"`` or ``"device"``
        merge_share: changed rows are merged into the graph when they hold this share of its edges
        background_merge: by a thread; otherwise in the call that reaches the share
        context: None: the default context

    >>> graph = SpreadingEngine(3, [0, 1], [1, 2], np.float32([1, 0.5]))
    >>> graph.hop(np.float32([1, 2, 3]))
    array([0., 1., 1.], dtype=float32)
    >>> graph.spread([{0: 1.0}], mode="linear", hops=2, decay=("constant", 1.0))[0]
    (array([1. , 1. , 0.5], dtype=float32), array([0, 1, 2]))
    """

    __slots__ = ("__weakref__", "_native", "_options")

    def __init__(self, nodes: int, sources: Ids, targets: Ids, weights: Array | None = None, *, edge_kinds: Array | None = None,
                 node_kinds: Array | None = None, names: Iterable[str | bytes] | None = None, stored_weights: str = "float32",
                 residency: str = "automatic", merge_share: float = 0.1, background_merge: bool = True, context: Context | None = None) -> None:
        self._options = (residency, merge_share, background_merge)
        self._native = _kindred.SpreadingEngine(nodes, sources, targets, weights, edge_kinds, node_kinds, names, stored_weights, *self._options,
                                                native(context))

    @classmethod
    def from_csr(cls, indptr: Array, indices: Array, data: Array | None = None, *, copy: bool = True, residency: str = "automatic",
                 merge_share: float = 0.1, background_merge: bool = True, context: Context | None = None) -> "SpreadingEngine":
        """A graph of compressed sparse rows, such as the attributes of ``scipy.sparse.csr_array``: row v has the edges from v.

        Args:
            indptr: int32 or int64 ``[nodes + 1]``
            indices: int32 or uint32 ``[edges]``
            data: float32 or bfloat16 ``[edges]``; None: all weights are 1
            copy: False uses arrays on the host in place: they must not change while the engine exists
            residency, merge_share, background_merge, context: as in the constructor

        Raises:
            InvalidType: an array has elements of another type
            InvalidArgument: the arrays do not fit each other, or a weight is not finite

        >>> SpreadingEngine.from_csr(np.array([0, 1, 2, 2]), np.uint32([1, 2]))
        <pykindred.SpreadingEngine: 3 nodes, 2 edges>
        """
        options = (residency, merge_share, background_merge)
        return cls._of(_kindred.SpreadingEngine.from_csr(indptr, indices, data, copy, *options, native(context)), options)

    @classmethod
    def load(cls, path: StrPath, *, residency: str = "automatic", merge_share: float = 0.1, background_merge: bool = True, threads: int = 0,
             context: Context | None = None) -> "SpreadingEngine":
        """Maps the file of :meth:`save` at ``path``.

        Args:
            threads: that validate the file; 0: all
            residency, merge_share, background_merge, context: as in the constructor

        Raises:
            NotFound: there is no such file
            CorruptFile: it is damaged; nothing of it is used

        >>> SpreadingEngine(3, [0, 1], [1, 2]).save("graph.kindred")
        >>> SpreadingEngine.load("graph.kindred")
        <pykindred.SpreadingEngine: 3 nodes, 2 edges>
        """
        options = (residency, merge_share, background_merge)
        return cls._of(_kindred.SpreadingEngine.load(path, *options, threads, native(context)), options)

    @classmethod
    def from_bytes(cls, data: Bytes, *, residency: str = "automatic", merge_share: float = 0.1, background_merge: bool = True,
                   context: Context | None = None) -> "SpreadingEngine":
        """An engine of the bytes of :meth:`to_bytes`, or of a file of :meth:`save`.

        Args:
            data: bytes, or another contiguous buffer of bytes
            residency, merge_share, background_merge, context: as in the constructor

        Raises:
            CorruptFile: the bytes are damaged; nothing of them is used

        >>> SpreadingEngine.from_bytes(SpreadingEngine(3, [0, 1], [1, 2]).to_bytes())
        <pykindred.SpreadingEngine: 3 nodes, 2 edges>
        """
        options = (residency, merge_share, background_merge)
        return cls._of(_kindred.SpreadingEngine.from_bytes(data, *options, native(context)), options)

    @classmethod
    def _of(cls, made: "_kindred.SpreadingEngine", options: tuple[str, float, bool]) -> "SpreadingEngine":
        engine = cls.__new__(cls)
        engine._native = made
        engine._options = options
        return engine

    @staticmethod
    def inspect(path: StrPath) -> dict[str, Any]:
        """Validates every byte of the file at ``path``, and describes its contents. Raises NotFound, CorruptFile."""
        return _kindred.SpreadingEngine.inspect(path)

    def save(self, path: StrPath) -> None:
        """Writes the graph and its names to a file, atomically: the file at ``path`` is the old or the new one."""
        self._native.save(path)

    def to_bytes(self) -> bytes:
        """The bytes of the file."""
        return self._native.to_bytes()

    def spread(self, sources: Any, *, mode: str = "engine", hops: int = 4, decay: Decay = ("exponential", 0.7), threshold: float | None = None,
               top: int | None = 10, damping: float = 0.85, tolerance: float = 1e-6, max_iterations: int = 200,
               per_query: Sequence[SpreadQuery] | None = None, kinds: Ids | None = None, modifiers: SpreadModifiers | None = None,
               activations: str = "float32", trace_paths: int = 0, space: str | None = None) -> Spread:
        """The nodes that the sources of every query activate.

        Args:
            sources: a collection of queries: each a mapping of nodes to values, an array or sequence of nodes, or one node, of value 1; or a
                :class:`Ragged` of nodes (``ids``) and values (``scores``, float32)
            mode: ``"engine"`` (Engram's: thresholds by tier, saturation at 1), ``"linear"`` (Σ x_d with x_d = D(d)·Wᵀx_{d−1}) or ``"pagerank"``
                (personalised), which has no hops, decay and threshold
            decay: the share D(d) that hop d passes on, by its parameter p: ``"exponential"`` exp(−p·d), ``"power"`` (d + 1)^−p, ``"linear"``
                max(0, 1 − p·d), ``"constant"`` p
            threshold: instead of those of the tiers, 0.01, 0.05 and 0.10
            top: maximum number of nodes per query; None: all that are activated
            damping, tolerance, max_iterations: of PageRank
            per_query: one item per query, instead of hops, decay, threshold and kinds
            kinds: of edges to follow; None: all
            modifiers: of weights, by the kinds of nodes
            activations: ``"bfloat16"`` halves the bytes of large batches
            trace_paths: paths to find for every result, :meth:`Spread.paths`
            space: instead of the dispatcher's choice

        Raises:
            InvalidArgument: an option is out of range, or a source is no node
            NotFound: a source was removed

        >>> graph = SpreadingEngine(4, [0, 1, 2], [1, 2, 3], np.float32([1, 0.5, 0.25]))
        >>> found = graph.spread([[0], [2, 3]], mode="pagerank", top=2)
        >>> found.ids, found.iterations
        (array([0, 1, 3, 2]), array([90, 17], dtype=uint32))
        """
        return Spread(*self._native.spread(sources, mode, hops, decay, threshold, top, damping, tolerance, max_iterations, per_query,
                                           kinds, modifiers, activations, trace_paths, space))

    def spread_arrays(self, lims: Array, nodes: Array, values: Array, top: int = 10, *, mode: str = "engine", hops: int = 4,
                      decay: Decay = ("exponential", 0.7), threshold: float | None = None, damping: float = 0.85, tolerance: float = 1e-6,
                      max_iterations: int = 200, per_query: Sequence[SpreadQuery] | None = None, kinds: Ids | None = None,
                      modifiers: SpreadModifiers | None = None, activations: str = "float32", space: str | None = None,
                      out: tuple[Array, Array] | None = None, stream: Stream = None, copy: bool | None = None) -> tuple[Any, Any]:
        """:meth:`spread` on arrays on the host, or on a device, where the call is ordered by ``stream`` and does not wait.

        Args:
            lims: int32 or int64 ``[queries + 1]``
            nodes: int32 or uint32 ``[lims[-1]]``
            values: float32 ``[lims[-1]]``
            out: arrays for the results, as below
            copy: False raises where the layout of an array would need a copy

        Returns:
            ``(values, nodes)``: float32 and int32 ``[queries, top]``; where there is no node, −1 and 0. On a device, a query that cannot be
            answered has −1 and NaN.

        >>> graph = SpreadingEngine(3, [0, 1], [1, 2], np.float32([1, 0.5]))
        >>> graph.spread_arrays(np.array([0, 1]), np.int32([0]), np.float32([1]), 4, mode="linear", decay=("constant", 1.0))
        (array([[1. , 1. , 0.5, 0. ]], dtype=float32), array([[ 0,  1,  2, -1]], dtype=int32))
        """
        return self._native.spread_arrays(lims, nodes, values, top, mode, hops, decay, threshold, damping, tolerance, max_iterations, per_query,
                                          kinds, modifiers, activations, space, out, stream, copy)

    def hop(self, x: Array, *, direction: str = "along", kinds: Ids | None = None, modifiers: SpreadModifiers | None = None,
            space: str | None = None, out: Array | None = None, stream: Stream = None, copy: bool | None = None) -> Any:
        """One sparse matrix–vector product: Wᵀx, along the edges, or W x, ``"against"`` them, with reproducible sums.

        Args:
            x: float32 ``[nodes]`` or ``[nodes, columns]``, on the host or on the device of the graph
            kinds, modifiers, space: as for :meth:`spread`
            out: of the shape of x
            stream: orders the call on a device
            copy: False raises where the layout of an array would need a copy

        Returns:
            ``out``, or a new array beside x

        >>> SpreadingEngine(3, [0, 1], [1, 2], np.float32([1, 0.5])).hop(np.float32([1, 2, 3]), direction="against")
        array([2. , 1.5, 0. ], dtype=float32)
        """
        return self._native.hop(x, direction, kinds, modifiers, space, out, stream, copy)

    def add_nodes(self, nodes: int | Iterable[str | bytes], *, kinds: Array | None = None) -> NDArray[np.int64]:
        """Adds nodes: a number of them, or in a graph with names, their names, of which known ones keep their node.

        Args:
            kinds: uint8, one per node; None: kind 0

        Returns:
            their ids, int64 ``[nodes]``

        >>> SpreadingEngine(2, [0], [1], names=["a", "b"]).add_nodes(["b", "c"])
        array([1, 2])
        """
        return self._native.add_nodes(nodes, kinds)

    def add_edges(self, sources: Ids, targets: Ids, weights: Array | None = None, *, kinds: Array | None = None) -> None:
        """Appends edges: ``sources``, ``targets`` and ``weights`` as in the constructor, ``kinds`` as ``edge_kinds``."""
        self._native.add_edges(sources, targets, weights, kinds)

    def remove_edges(self, sources: Ids, targets: Ids, *, kinds: Array | None = None) -> int:
        """Removes all edges between pairs of nodes, or those of one kind per pair. Returns their number.

        Args:
            sources, targets: integers ``[pairs]``
            kinds: uint8 ``[pairs]``; None: all

        Raises:
            NotFound: a pair has no such edge or is listed twice; nothing is removed then
        """
        return self._native.remove_edges(sources, targets, kinds)

    def remove_nodes(self, nodes: Ids) -> None:
        """Removes nodes and all their edges; their ids are not reused. Raises NotFound, and then removes none."""
        self._native.remove_nodes(nodes)

    def merge(self) -> None:
        """Merges changed rows into the graph now. Other calls continue meanwhile."""
        self._native.merge()

    def find(self, name: str | bytes) -> int | None:
        """The node with a name; None if there is none."""
        return self._native.find(name)

    def name(self, node: int) -> str:
        """The name of a node. Raises NotFound."""
        return self._native.name(node)

    def __contains__(self, node: object) -> bool:
        """Whether a node, or a node with this name, exists."""
        if isinstance(node, str | bytes):
            return self._native.find(node) is not None
        return is_integer(node) and node >= 0 and self._native.has_node(node)

    def __len__(self) -> int:
        """The number of assigned ids, including those of removed nodes."""
        return self._native.nodes()

    @property
    def nodes(self) -> int:
        """The number of assigned ids, including those of removed nodes."""
        return self._native.nodes()

    @property
    def edges(self) -> int:
        """The number of edges."""
        return self._native.edges()

    def statistics(self) -> dict[str, Any]:
        """What the graph holds, and its bytes."""
        return self._native.statistics()

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _restored, (type(self), in_pickle(self.to_bytes(), protocol), *self._options)

    def __repr__(self) -> str:
        if self._native.is_closed():
            return "<pykindred.SpreadingEngine: closed>"
        return f"<pykindred.SpreadingEngine: {self.nodes} nodes, {self.edges} edges>"


def _restored(kind: type[SpreadingEngine], data: bytes, residency: str, merge_share: float, background_merge: bool) -> SpreadingEngine:
    """An unpickled or copied engine, in the default context."""
    return kind.from_bytes(data, residency=residency, merge_share=merge_share, background_merge=background_merge)
