# SPDX-License-Identifier: Apache-2.0
"""SpreadingEngine: spreading activation and PageRank over a graph"""
C_INCLUDES = ("Graph.hpp",)


class Node(Kind):
    c = ("uint32_t {n}",)


class U64Argument(Kind):
    c = ("uint64_t {n}",)


class Codes(Kind):
    """One byte for each of {0}, or none at all."""
    c = ("const uint8_t* {n}?",)
    c_value = '{n} == nullptr ? std::span<const std::uint8_t>() : span_of({n}, {0}, "{n}")'


class Edges(Kind):
    c = ("const kindred_edge* {n}", "size_t count")
    c_value = "edges_of({n}, count)"


class EdgeEnds(Kind):
    c = ("const kindred_edge_ends* {n}", "size_t count")


class NewEdges(Kind):
    c = ("const kindred_edge* {n}", "size_t edge_count", "const uint8_t* edge_kinds?", "const uint8_t* node_kinds?")


class NodeNames(Kind):
    c = ("const kindred_text* {n}?",)


class NodeIds(Kind):
    c = ("const uint32_t* {n}", "size_t count")
    c_value = 'span_of({n}, count, "{n}")'


class KindBitsField(Field):
    """A set of 256 kinds, all of them by default."""
    members = ("uint64_t {n}[4]",)
    defaults = ("{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}",)
    c_value = "edge_kinds(given.{n})"
    python = "Ids | None"
    value = "kinds_of({n})"


class NodeOrNone(Result):
    c = ("int64_t* node",)
    c_write = "*node = number_or_none({found});"


class FirstNode(Result):
    c = ("uint32_t* first?",)
    c_write = "write_optional(first, {found});"


class Nodes(Result):
    c = ("uint32_t* nodes?",)


class Removed(Result):
    c = ("uint64_t* removed?",)


class EdgeWeights(Enum, c="KINDRED_WEIGHTS_", values="float32 bfloat16 none"):
    """How edge weights are stored."""


class SpreadMode(Enum, c="KINDRED_SPREAD_", values="engine linear pagerank"):
    """How activation spreads."""


class DecayKind(Enum, c="KINDRED_DECAY_", cpp="Decay::Kind", values="exponential power linear constant"):
    """The share that a hop d passes on: exp(-p d), (d + 1)^-p, max(0, 1 - p d), p."""


class HopDirection(Enum, c="KINDRED_HOP_", values="along against"):
    """Along the edges (y = W^T x) or against them (y = W x)."""


class GraphOptions(Options, c="graph_options"):
    """Options of a graph."""
    weights: EdgeWeights = "float32"
    residency: Residency = "automatic"
    merge_share: Double = 0.1  # rebuilt rows are merged when they hold this share of the edges
    background_merge: Flag("true", "false") = True  # nonzero: they are merged by a thread of their own


class SpreadOptions(Options, c="spread_options", hand="c"):
    """Options of a spread."""
    top: Count(1) = 10  # maximum number of nodes per query
    decay: Double = 0.7  # parameter
    threshold: Double = -1  # overrides the three tiers; negative: 0.01, 0.05, 0.10
    damping: Double = 0.85  # of PageRank, in [0, 1)
    tolerance: Double = 1e-6  # of PageRank
    trace_paths: Count(0) = 0  # paths per result to return, at most 1000
    kinds: KindBits = None  # bit k: edges of kind k are followed
    per_query: ListOf("kindred_spread_query") = None  # one per query, replaces hops, decay, threshold and kinds; NULL
    modifiers: Pointer("kindred_modifiers", "modifiers_option") = None  # NULL: none
    mode: SpreadMode = "engine"
    hops: U32 = 4
    decay_kind: DecayKind = "exponential"
    max_iterations: U32 = 200  # of PageRank
    bfloat16: Flag("ActivationPrecision::bfloat16", "ActivationPrecision::float32") = False  # nonzero: hops propagate activations in bfloat16
    space: Space = None
    stream: Stream = None


class HopOptions(Options, c="hop_options"):
    """Options of a hop."""
    kinds: KindBits = None  # bit k: edges of kind k are followed
    modifiers: Pointer("kindred_modifiers", "modifiers_option") = None  # NULL: none
    direction: HopDirection = "along"
    space: Space = None
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


class SpreadingEngine(Handle, c="graph", namespace="Spreads", header="kindred/matcher/SpreadingEngine.hpp"):
    """Spreading activation and PageRank over a graph."""

    @hand("c")
    def create(context: Context, nodes: Count(0), edges: NewEdges, names: NodeNames, options: GraphOptions) -> New:
        """Builds a graph of edges, which are copied.

        C Args:
            edge_kinds: one per edge; NULL: kinds are not kept
            node_kinds: one per node; NULL: all nodes are of kind 0
            names: one distinct name per node; NULL: nodes have no names
        """

    def load(context: Context, path: Path, options: GraphOptions, threads: Threads) -> New:
        """Maps a file that `save` has written, and validates every byte."""

    @cpp(name="load")
    def from_bytes(context: Context, bytes: Bytes, options: GraphOptions, threads: Threads) -> New:
        """The same from the bytes of such a file, which are copied.

        Raises:
            CorruptFile: the bytes are damaged; nothing of them is used
        """

    def inspect(path: Path, threads: Threads) -> GraphFileInfo:
        """Validates a file and describes its contents."""

    def statistics(self) -> GraphStatistics:
        """Sizes and counts."""

    def has_node(self, node: Node) -> Exists:
        """Whether a node exists and was not removed."""

    def find(self, name: Text) -> NodeOrNone:
        """The node of a name; -1 if there is none."""

    def name(self, node: Node) -> TextView:
        """The name of a node, valid while the graph lives."""

    @changes
    def add_nodes(self, count: U64Argument, kinds: Codes("count")) -> FirstNode:
        """Adds nodes without names and edges.

        C Args:
            kinds: one per node; NULL: kind 0
            first: id of the first one
        """

    @hand("c")
    @changes
    def add_named_nodes(self, names: Texts, kinds: Codes("count")) -> Nodes:
        """Adds nodes to a graph with names; a known name yields its node, which is restored if it was removed.

        C Args:
            kinds: one per node; NULL: kind 0
            nodes: [count] ids
        """

    @changes
    def add_edges(self, edges: Edges, kinds: Codes("count")):
        """Adds edges.

        C Args:
            kinds: one per edge; NULL: kind 0
        """

    @hand("c")
    @changes
    def remove_edges(self, edges: EdgeEnds) -> Removed:
        """Removes all edges between pairs of nodes.

        C Args:
            removed: number of edges
        """

    @changes
    def remove_nodes(self, nodes: NodeIds):
        """Removes nodes and all their edges; their ids are not reused."""

    @changes
    def merge(self):
        """Merges the rebuilt rows immediately."""

    def save(self, path: Path):
        """Writes the graph to a file, atomically."""

    def to_bytes(self) -> ByteText:
        """The bytes of the file that `save` writes."""

    def hop(self, x: Queries, y: Output, options: HopOptions) -> Record:
        """One hop: the sparse matrix-vector product, for one or more columns.

        C: On a stream, a call fences only if its workspace must grow, kinds or modifiers differ from those of the previous call, or the graph has changed.

        C Args:
            x,y: float32 [nodes], or [nodes, columns] without gaps, which do not overlap; on the host or on a device where the graph is too
        """
