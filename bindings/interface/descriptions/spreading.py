# SPDX-License-Identifier: Apache-2.0
"""SpreadingEngine: spreading activation and PageRank over a graph"""
C_INCLUDES = ("Graph.hpp",)
PYTHON_INCLUDES = ("Sequences.hpp", "SpreadArguments.hpp")
IMPORTS = """
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pykindred._results import Spread"""


class TextView(Result):
    c = ("kindred_text* {n}",)
    c_write = "*{n} = view_of({found});"
    python = "str"
    value = "text_of_bytes(found)"


class FanKind(Enum, c="KINDRED_FAN_", cpp="SpreadModifiers::Fan::Kind", values="constant inverse inverse_root"):
    """The fan effect of a kind of nodes: its factor, 1 / out-degree, 1 / sqrt(out-degree)."""


class EdgeWeights(Enum, c="KINDRED_WEIGHTS_", values="float32 bfloat16 none"):
    """How edge weights are stored."""


class SpreadMode(Enum, c="KINDRED_SPREAD_", values="engine linear pagerank"):
    """How activation spreads."""


class DecayKind(Enum, c="KINDRED_DECAY_", cpp="Decay::Kind", values="exponential power linear constant"):
    """The share that a hop d passes on: exp(-p d), (d + 1)^-p, max(0, 1 - p d), p."""


class HopDirection(Enum, c="KINDRED_HOP_", values="along against"):
    """Along the edges (y = W^T x) or against them (y = W x)."""


class DirectedEdge(Plain, c="edge"):
    """A directed, weighted edge."""
    from_: Member("uint32_t")
    to: Member("uint32_t")
    weight: Member("float")


class EdgesBetween(Plain, c="edge_ends"):
    """Selects all edges from one node to another, or those of one kind."""
    from_: Member("uint32_t")
    to: Member("uint32_t")
    kind: Member("int32_t")  # -1: every kind


class WeightModifiers(Options, c="modifiers", cpp="SpreadModifiers", noun="modifiers"):
    """How the kinds of the two nodes modify the weight of an edge u -> v: weight * strengths[kind(u)][kind(v)] * fan(u), where the fan of a kind is its factor, 1 / out-degree, or
    1 / sqrt(out-degree). The defaults have no effect."""
    strengths: Strengths
    fan_factors: FanFactors
    fan_kinds: FanKinds  # KINDRED_FAN_...


class QueryParameters(Plain, c="spread_query"):
    """The parameters of one query of a spread."""
    decay: Member("double")  # parameter
    threshold: Member("double")  # overrides the three tiers; negative: 0.01, 0.05, 0.10
    kinds: KindBits  # bit k: edges of kind k are followed
    hops: Member("uint32_t")
    decay_kind: Member("int32_t")  # KINDRED_DECAY_...


class GraphOptions(Options, c="graph_options"):
    """Options of a graph."""
    stored_weights: StoredWeights = "float32"  # ``"float32"``, ``"bfloat16"`` (rounded) or ``"none"`` (all are 1); C: KINDRED_WEIGHTS_...
    residency: Residency = "automatic"
    merge_share: Double = 0.1  # changed rows are merged into the graph when they hold this share of its edges
    background_merge: Flag("true", "false") = True  # by a thread of their own; otherwise in the call that reaches the share; C: nonzero: they are merged by a thread of their own


class SpreadOptions(Options, c="spread_options", cpp="Spreading"):
    """Options of a spread."""
    top: Top = 10  # maximum number of nodes per query; None: all that are activated; C: maximum number of nodes per query
    decay: Decay = ("exponential", 0.7)  # the share D(d) that hop d passes on, by its parameter p: ``"exponential"`` exp(−p·d), ``"power"`` (d + 1)^−p, ``"linear"`` max(0, 1 − p·d), ``"constant"`` p; C: parameter
    threshold: Threshold = None  # instead of those of the tiers, 0.01, 0.05 and 0.10; C: overrides the three tiers; negative: 0.01, 0.05, 0.10
    damping: Double = 0.85  # of PageRank, in [0, 1)
    tolerance: Double = 1e-6  # of PageRank
    trace_paths: Count(0) = 0  # paths to find for every result, at most 1000, `Spread.paths`; C: paths per result to return, at most 1000
    kinds: KindBits = None  # of edges to follow; None: all; C: bit k: edges of kind k are followed
    per_query: PerQuery("kindred_spread_query") = None  # one item per query, instead of hops, decay, threshold and kinds; C: one per query, replaces hops, decay, threshold and kinds; NULL
    modifiers: Modifiers = None  # of weights, by the kinds of nodes; C: NULL: none
    mode: SpreadMode = "engine"
    hops: U32 = 4  # their number; C:
    decay_kind: KindOfDecay = None  # KINDRED_DECAY_...
    max_iterations: U32(1) = 200  # of PageRank
    activations: Precision = "float32"  # ``"bfloat16"`` halves the bytes of large batches; C: nonzero: hops propagate activations in bfloat16
    space: Space = None  # instead of the dispatcher's choice; C: KINDRED_SPACE_...
    stream: Stream = None


class HopOptions(Options, c="hop_options"):
    """Options of a hop."""
    kinds: KindBits = None  # of edges to follow; None: all; C: bit k: edges of kind k are followed
    modifiers: Modifiers = None  # of weights, by the kinds of nodes; C: NULL: none
    direction: HopDirection = "along"
    space: Space = None  # instead of the dispatcher's choice; C: KINDRED_SPACE_...
    stream: Stream = None


class GraphStatistics(Statistics, c="graph_statistics"):
    """The size of a graph."""
    nodes: U64  # assigned ids
    removed_nodes: U64
    edges: U64
    rebuilt_rows: U64  # since the last merge, both directions
    rebuilt_edges: U64
    merges: U64
    edge_bytes: U64
    offset_bytes: U64
    rebuilt_bytes: U64
    name_bytes: U64
    bytes: PerSpace  # on each space
    weights: EdgeWeights
    edge_kinds: Has
    node_kinds: Has
    names: Has


class GraphFileInfo(Statistics, c="graph_file_info", noun="info"):
    """The contents of a file of a graph."""
    nodes: U64
    removed_nodes: U64
    edges: U64
    outside_unit: U64  # edges with a weight outside [0, 1]
    edge_bytes: U64
    offset_bytes: U64
    name_bytes: U64
    bytes: U64
    weights: EdgeWeights
    edge_kinds: Has
    node_kinds: Has
    names: Has


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
    decay: tuple[str, float] = ("exponential", 0.7)
    threshold: float | None = None  #: None: those of the tiers
    kinds: Ids | None = None  #: of edges to follow; None: all


class SpreadingEngine(Handle, c="graph", namespace="Spreads", noun="engine", alone=True, header="kindred/matcher/SpreadingEngine.hpp"):
    """Spreading activation, personalised PageRank and products over a directed graph, with the same bits on every machine and space.

    Python: Thread-safe: a call sees the changes made before it began, and never waits for later ones. A call that raises has changed nothing.

    >>> graph = SpreadingEngine(3, [0, 1], [1, 2], np.float32([1, 0.5]))
    >>> graph.hop(np.float32([1, 2, 3]))
    array([0., 1., 1.], dtype=float32)
    >>> graph.spread([{0: 1.0}], mode="linear", hops=2, decay=("constant", 1.0))[0]
    (array([1. , 1. , 0.5], dtype=float32), array([0, 1, 2]))
    """

    def create(context: Context, edges: NewGraph, options: GraphOptions) -> New:
        """Builds a graph of edges, which are copied.

        C Args:
            edge_kinds: one per edge; NULL: kinds are not kept
            node_kinds: one per node; NULL: all nodes are of kind 0
            names: one distinct name per node; NULL: nodes have no names

        Python Args:
            nodes: their number; ids are 0 … nodes − 1
            sources: integers [edges], where every edge begins
            targets: integers [edges], where it ends
            weights: float32 [edges], finite; None: all are 1
            edge_kinds: uint8, one per edge; None: kind 0
            node_kinds: uint8, one per node; None: kind 0
            names: distinct texts, one per node
        """

    @hand("c")
    @c("create_csr")
    @cpp(name="create", order="context, rows, options")
    @without("stored_weights")
    def from_csr(context: Context, rows: Csr, options: GraphOptions, release: InC("kindred_release_callback release?", "void* user?")) -> New:
        """C: Builds a graph without names and kinds from compressed sparse rows: row v has the edges offsets[v] ... offsets[v + 1), of which i leads from v to ends[i]. Ends, weights and int64
        offsets on the host are used in place and must not change until the graph needs them no more: until `release` is called or, without it, until the graph was destroyed. Arrays on a
        device are copied, as are int32 offsets.

        Python: A graph of compressed sparse rows, such as the attributes of ``scipy.sparse.csr_array``: row v has the edges from v.

        C Args:
            offsets: int32 or int64, nodes + 1, from 0 to the number of edges
            ends: int32 or uint32, one per edge
            weights: float32 or bfloat16, one per edge, finite; NULL: all weights are 1
            options: `weights` has no effect: weights are stored as they are given
            release: called once, after a call that succeeded, when the arrays are no longer needed

        Python Args:
            indptr: int32 or int64 ``[nodes + 1]``
            indices: int32 or uint32 [edges]
            data: float32 or bfloat16 [edges]; None: all weights are 1
            copy: False uses arrays on the host in place: they must not change while the engine exists

        Raises:
            InvalidType: an array has elements of another type
            InvalidArgument: the arrays do not fit each other, or a weight is not finite

        >>> SpreadingEngine.from_csr(np.array([0, 1, 2, 2]), np.uint32([1, 2]))
        <pykindred.SpreadingEngine: 3 nodes, 2 edges>
        """

    @without("stored_weights")
    def load(context: Context, path: Path, options: GraphOptions, threads: Threads) -> New:
        """Maps a file that `save` has written, and validates every byte.

        Raises:
            NotFound: there is no such file
            CorruptFile: it is damaged; nothing of it is used

        >>> SpreadingEngine(3, [0, 1], [1, 2]).save("graph.kindred")
        >>> SpreadingEngine.load("graph.kindred")
        <pykindred.SpreadingEngine: 3 nodes, 2 edges>
        """

    @cpp(name="load")
    @without("stored_weights")
    def from_bytes(context: Context, bytes: Bytes, options: GraphOptions, threads: Threads) -> New:
        """An engine of the bytes of `to_bytes`, or of a file of `save`, which are copied.

        Raises:
            CorruptFile: the bytes are damaged; nothing of them is used

        >>> SpreadingEngine.from_bytes(SpreadingEngine(3, [0, 1], [1, 2]).to_bytes())
        <pykindred.SpreadingEngine: 3 nodes, 2 edges>
        """

    def inspect(path: Path, threads: Threads) -> GraphFileInfo:
        """Validates every byte of a file, and describes its contents.

        Raises:
            NotFound: there is no such file
            CorruptFile: it is damaged
        """

    def statistics(self) -> GraphStatistics:
        """What the graph holds, and its bytes."""

    @only("python")
    @property
    def nodes(self) -> Size:
        """The number of assigned ids, including those of removed nodes."""

    @only("python")
    @property
    def edges(self) -> Size:
        """The number of edges."""

    @c("has")
    @python("called")
    def has_node(self, node: Node) -> Has:
        """Whether a node exists and was not removed."""

    def find(self, name: Text) -> NodeOrNone:
        """C: The node of a name; -1 if there is none.

        Python: The node with a name; None if there is none.
        """

    def name(self, node: Node) -> TextView:
        """The name of a node.

        C: It is valid while the graph lives.

        Raises:
            NotFound: the node has none
        """

    @hand("c")
    @hand("python")
    @changes
    def add_nodes(self, nodes: NewNodes) -> NodeList:
        """Adds nodes without edges: a number of them, or in a graph with names, their names. A known name yields its node, which is restored if it was removed.

        C Args:
            names: `count` names of nodes of a graph with names; NULL: nodes without names
            kinds: one per node; NULL: kind 0
            nodes: [count] ids

        Python Args:
            nodes: their number, or their names
            kinds: uint8, one per node; None: kind 0

        Returns:
            their ids, int64 [nodes]

        >>> SpreadingEngine(2, [0], [1], names=["a", "b"]).add_nodes(["b", "c"])
        array([1, 2])
        """

    @changes
    def add_edges(self, edges: Edges, kinds: EdgeCodes):
        """Appends edges.

        C Args:
            kinds: one per edge; NULL: kind 0

        Python Args:
            sources: as in the constructor
            targets: as in the constructor
            weights: as in the constructor
            kinds: uint8, one per edge; None: kind 0
        """

    @changes
    def remove_edges(self, edges: EdgeEnds) -> Removed:
        """Removes all edges between pairs of nodes, or those of one kind per pair.

        C Args:
            removed: number of edges

        Python Args:
            sources: integers [pairs]
            targets: integers [pairs]
            kinds: uint8 [pairs]; None: all

        Returns:
            the number of edges

        Raises:
            NotFound: a pair has no such edge or is listed twice; nothing is removed then
        """

    @changes
    def remove_nodes(self, nodes: NodeIds):
        """Removes nodes and all their edges; their ids are not reused.

        Raises:
            NotFound: a node does not exist or is listed twice; nothing is removed then
        """

    @changes
    def merge(self):
        """Merges the rebuilt rows into the graph immediately. Other calls continue meanwhile."""

    def save(self, path: Path):
        """Writes the graph and its names to a file, atomically: the file at `path` is the old or the new one."""

    def to_bytes(self) -> ByteText:
        """The bytes of the file that `save` writes."""

    def spread(self, sources: SourceLists, options: SpreadOptions) -> SpreadRows:
        """C: Spreads activation, or computes PageRank, from the sources of every query.

        Python: The nodes that the sources of every query activate.

        C Args:
            nodes,values: the sources of query i are nodes[offsets[i] ... offsets[i + 1]) with their values

        Python Args:
            sources: a collection of queries: each a mapping of nodes to values, an array or sequence of nodes, or one node, of value 1; or a
                :class:`Ragged` of nodes (``ids``) and values (``scores``, float32)
            mode: ``"engine"`` (Engram's: thresholds by tier, saturation at 1), ``"linear"`` (Σ x_d with x_d = D(d)·Wᵀx_{d−1}) or ``"pagerank"``
                (personalised), which has no hops, decay and threshold

        Raises:
            InvalidArgument: an option is out of range, or a source is no node or was removed

        >>> graph = SpreadingEngine(4, [0, 1, 2], [1, 2, 3], np.float32([1, 0.5, 0.25]))
        >>> found = graph.spread([[0], [2, 3]], mode="pagerank", top=2)
        >>> found.ids, found.iterations
        (array([0, 1, 3, 2]), array([90, 17], dtype=uint32))
        """

    @cpp(name="spread")
    @python(top="int")
    @without("trace_paths")
    def spread_arrays(self, sources: SourceArrays, options: SpreadOptions, out: SpreadArrays) -> RecordOf:
        """C: The same for sources and results in tensors, which are on the host or on a device where the graph is too. Row i of the results has those of query i, padded with the node -1 (uint32:
        4294967295) and the activation 0. `trace_paths` must be 0. On a stream, the mode is not PageRank, `per_query` is NULL, and contents cannot be refused: a query with a source that would
        be, or with invalid offsets, has the node -1 and the activation NaN in its whole row.

        Python: `spread` on arrays on the host, or on a device, where the call is ordered by ``stream`` and does not wait.

        C Args:
            offsets: int32 or int64, queries + 1
            nodes: int32 or uint32, one per source
            values: float32, one per source
            out_nodes: int32 or uint32, queries * top
            out_values: float32, queries * top

        Python Args:
            offsets: int32 or int64 ``[queries + 1]``
            nodes: int32 or uint32 ``[offsets[-1]]``
            values: float32 ``[offsets[-1]]``
            top: number of results per query
            out: arrays for the results, as below

        Returns:
            ``(values, nodes)``: float32 and int32 ``[queries, top]``; where there is no node, −1 and 0. On a device, a query that cannot be
            answered has −1 and NaN.

        >>> graph = SpreadingEngine(3, [0, 1], [1, 2], np.float32([1, 0.5]))
        >>> graph.spread_arrays(np.array([0, 1]), np.int32([0]), np.float32([1]), 4, mode="linear", decay=("constant", 1.0))
        (array([[1. , 1. , 0.5, 0. ]], dtype=float32), array([[ 0,  1,  2, -1]], dtype=int32))
        """

    def hop(self, x: Columns, y: Products, options: HopOptions) -> Record:
        """One hop: the sparse matrix-vector product, for one or more columns, with reproducible sums.

        C: On a stream, a call fences only if its workspace must grow, kinds or modifiers differ from those of the previous call, or the graph has changed.

        C Args:
            x,y: float32 [nodes], or [nodes, columns] without gaps, which do not overlap; on the host or on a device where the graph is too

        Python Args:
            x: float32 [nodes] or [nodes, columns], on the host or on the device of the graph
            direction: ``"along"`` the edges, Wᵀx, or ``"against"`` them, W x
            out: of the shape of x

        Returns:
            ``out``, or a new array beside x

        >>> SpreadingEngine(3, [0, 1], [1, 2], np.float32([1, 0.5])).hop(np.float32([1, 2, 3]), direction="against")
        array([2. , 1.5, 0. ], dtype=float32)
        """

    def __contains__(self, node: object) -> bool:
        """Whether a node, or a node with this name, exists."""
        if isinstance(node, str | bytes):
            return self._native.find(node) is not None
        return is_integer(node) and 0 <= node < 2**32 and self._native.has_node(node)

    def __len__(self) -> int:
        """The number of assigned ids, including those of removed nodes."""
        return self._native.nodes()

    def __repr__(self) -> str:
        if self._native.is_closed():
            return "<pykindred.SpreadingEngine: closed>"
        return f"<pykindred.SpreadingEngine: {self.nodes} nodes, {self.edges} edges>"


class ProductsOfRows(Functions, namespace="Spreads", header="kindred/matcher/CsrGraph.hpp"):
    """Products with a graph that is compressed sparse rows."""

    @only("c")
    @cpp(name="hop", order="context, rows, x, y, direction")
    def hop_csr_arrays(context: Context, rows: Csr, x: Queries, direction: CsrDirectionAndSpace, y: Output) -> Record:
        """One hop over compressed sparse rows without a graph, in host memory. Against the edges, which is the direction of the rows, they are used in place; along the edges they are
        transposed first.

        C Args:
            offsets,ends,weights: as of `SpreadingEngine.from_csr`
            x,y: float32, nodes or nodes * columns without gaps, which do not overlap
            direction: KINDRED_HOP_ALONG or KINDRED_HOP_AGAINST
        """

    @only("c")
    @cpp(name="hop")
    def hop_csr(context: Context, columns: ColumnPointers, direction: CsrDirection):
        """The same for one column and plain pointers.

        C Args:
            offsets: nodes + 1 numbers, from 0 to the number of edges
            ends: one per edge
            weights: one per edge; NULL: all weights are 1
            x,y: nodes numbers each
            direction: KINDRED_HOP_ALONG or KINDRED_HOP_AGAINST
        """


class Modifying(Functions, namespace="Spreads", header="kindred/matcher/SpreadingEngine.hpp"):
    """What modifies weights."""

    @hand("c")
    @only("c")
    def modifiers_engram(modifiers: InC("kindred_modifiers* modifiers", "size_t struct_size", "int32_t fan")):
        """Sets Engram's strengths.

        C Args:
            fan: -1: without the fan effect; otherwise KINDRED_FAN_INVERSE or KINDRED_FAN_INVERSE_ROOT of concepts (kind 0)
        """
