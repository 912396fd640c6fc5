# SPDX-License-Identifier: Apache-2.0
"""Lattice: a grid of `size` nodes in each of `dimensions` directions"""
C_INCLUDES = ("Lattice.hpp",)
PYTHON_INCLUDES = ("LatticeArguments.hpp",)
IMPORTS = """
from collections.abc import Iterable
from typing import NamedTuple

from pykindred._results import LatticePaths"""


class Extent(Given):
    c = ("uint32_t {n}",)
    python = ("{n}: int",)
    lines = ('const std::uint32_t {n}_given = narrow_of<std::uint32_t>({n}, "{n}", 0);',)


class Blocks(Given):
    c = ("const uint64_t* blocked_nodes", "size_t node_count", "const kindred_lattice_pair* blocked_edges", "size_t edge_count")
    c_value = 'LatticeBlocks{span_of(blocked_nodes, node_count, "blocked_nodes"), pairs_of(blocked_edges, edge_count, "blocked_edges")}'
    python = ("* blocked_nodes: Ids = ()", "* blocked_edges: NDArray[np.int64] | Iterable[tuple[int, int]] = ()")
    lines = ('const Blocked {n}_given{ids_of(blocked_nodes, "blocked_nodes"), pairs_of(blocked_edges, "blocked_edges")};',)


class InSpace(Given):
    c = ("int32_t {n}",)
    c_value = "LatticeOptions{space_option({n})}"
    python = ("* {n}: str | None = None",)
    lines = ("const LatticeOptions {n}_given{space_of({n})};",)


class LatticeNode(Id):
    c_lines = ('object.shape().check_node({n}, "{n}");',)
    lines = (*Id.lines, 'object.shape().check_node({n}_number, "{n}");')


class Ends(Kind):
    """The nodes between which paths are."""
    c = ("uint64_t from", "uint64_t to")
    c_value = "from, to"
    python = ("source: int", "target: int")
    lines = ('const auto source_number = static_cast<std::uint64_t>(integer_of(source, "source", 0));',
             'const auto target_number = static_cast<std::uint64_t>(integer_of(target, "target", 0));')
    value = "source_number, target_number"


class CheckedEnds(Ends):
    c_lines = ('object.shape().check_node(from, "from");', 'object.shape().check_node(to, "to");')


class Pairs(Given):
    c = ("const kindred_lattice_pair* {n}", "size_t count")
    c_value = 'pairs_of({n}, count, "{n}")'
    python = ("{n}: NDArray[np.int64] | Iterable[tuple[int, int]]",)
    lines = ('const std::vector<LatticePair> {n}_given = pairs_of({n}, "{n}");',)


class Coordinates(Given):
    c = ("const uint32_t* {n}", "size_t count")
    c_value = 'span_of({n}, count, "{n}")'
    python = ("{n}: Ids",)
    lines = ("std::vector<std::uint32_t> {n}_given;",
             'for (const std::uint64_t one : ids_of({n}, "{n}")) {n}_given.push_back(static_cast<std::uint32_t>(std::min<std::uint64_t>(one, UINT32_MAX)));')


class Targets(Given):
    c = ("const uint64_t* {n}?", "size_t target_count")
    c_lines = ("std::optional<std::span<const std::uint64_t>> {n}_given;", 'if ({n} != nullptr) {n}_given = span_of({n}, target_count, "{n}");')
    c_value = "{n}_given"
    python = ("* {n}: Ids | None = None",)
    lines = ("std::vector<std::uint64_t> {n}_ids;", "std::optional<std::span<const std::uint64_t>> {n}_given;",
             'if (!{n}.is_none()) {n}_given = {n}_ids = ids_of({n}, "{n}");')


class Limit(Id):
    python = ("* {n}: int = 1_000_000",)


class UndirectedRows(Kind):
    c = ("const uint64_t* offsets", "size_t nodes", "const uint32_t* ends")
    c_lines = ("const RaggedSpan<std::uint32_t> rows = undirected_rows_of(offsets, nodes, ends);",)
    c_value = "rows.offsets, rows.values"


class CoordinateList(Result):
    c = ("uint32_t* {n}", "size_t capacity")
    c_before = 'span_of({n}, capacity, "{n}");'
    c_write = 'write_array(std::span<const std::uint32_t>({found}), {n}, capacity, "{n}");'
    python = "NDArray[np.uint32]"
    value = "array_of(std::span<const std::uint32_t>(found))"


class NodeIndex(Result):
    c = ("uint64_t* node",)
    c_write = "*node = {found};"
    python = "int"


class DenseMatrix(Result):
    c = ("uint8_t* matrix", "size_t capacity")
    c_before = "check_matrix(object, matrix, capacity);"
    c_write = "copy_values({found}, std::span(matrix, capacity));"
    python = "NDArray[np.uint8]"
    value = "matrix_of(found, object.shape().nodes())"


class NodeRows(Ragged):
    """Lists of nodes, and where they were made."""
    python = "LatticePaths"
    before = ()
    value = "rows_of(found)"
    wrap = "LatticePaths(*{call})"


class CsrRows(NodeRows):
    python = "LatticeRows"
    wrap = "LatticeRows(*{call})"


class Distances(Result):
    c = ("uint32_t* distances", "size_t capacity")
    c_before = "check_distances(distances, capacity, targets == nullptr ? object.shape().nodes() : target_count);"
    c_write = "copy_values({found}, std::span(distances, capacity));"
    python = "LatticeDistances"
    before = ("keep_record(found.record);",)
    value = "nb::make_tuple(array_of(std::span<const std::uint32_t>(found.distances)), found.reached, found.farthest)"
    wrap = "LatticeDistances(*{call})"


class Reached(Result):
    c = ("uint64_t* reached?",)
    c_write = "write_optional(reached, {found});"


class Farthest(Result):
    c = ("uint32_t* farthest?",)
    c_write = "write_optional(farthest, {found});"


class BlockArrays(Result):
    """What pickles contain."""
    python = "tuple[NDArray[np.int64], NDArray[np.int64]]"
    value = "nb::make_tuple(ids_array_of(found.nodes), array_of(std::span(reinterpret_cast<const std::int64_t*>(found.edges.data()), 2 * found.edges.size())))"


class WideCountField(Field):
    """A number that may exceed 64 bits: in C also rounded."""
    members = ("double {n}", "uint64_t {n}_low", "uint64_t {n}_high")
    comments = ("rounded", "the exact number is edges_high * 2^64 + edges_low", "")
    c_out = ("out.{n} = static_cast<double>({value});", "out.{n}_low = static_cast<std::uint64_t>({value});", "out.{n}_high = static_cast<std::uint64_t>({value} >> 64U);")
    python_out = ('out["{n}"] = (nb::int_(static_cast<std::uint64_t>({value} >> 64U)) << nb::int_(64)) | nb::int_(static_cast<std::uint64_t>({value}));',)


class DiameterField(Field):
    members = ("uint64_t {n}",)
    c_out = ("out.{n} = {value}.value_or(KINDRED_UNSET);",)
    python_out = ('out["{n}"] = {value} ? nb::object(nb::int_(*{value})) : nb::none();',)


class LatticeWork(Enum, c="KINDRED_LATTICE_", cpp="", values="analyze measure find_path build save xor_bytes multiply"):
    """What a task of a batch does, and what its result has: kindred_get_statistics: `statistics`; kindred_lattice_measure: `structure`; a shortest path: the one row of `nodes`;
    kindred_lattice_rows: `nodes` and `record`; kindred_lattice_save: `statistics`; kindred_bulk_xor of one array, or kindred_bulk_multiply of one pair: `report` and `record`."""


class Pair(Plain, c="lattice_pair"):
    """A pair of nodes: the ends of an edge or of a path."""
    from_: Member("uint64_t")
    to: Member("uint64_t")


class LatticeStatistics(Statistics, c="lattice_statistics", cpp="LatticeStatistics", function=True):
    """The structure of a lattice by closed forms."""
    nodes: U64
    diameter: U64
    edges: WideCount
    average_degree: Double
    density: Double  # edges / all pairs
    clustering: Double  # 0: there are no triangles
    rows_bytes: Double  # of compressed rows
    search_bytes: Double  # of a search
    dense_bytes: Double  # of the dense matrix
    dimensions: U32
    size: U32
    least_degree: U32
    greatest_degree: U32
    connectivity: U32


class GraphStructure(Statistics, c="graph_structure", noun="structure", function=True):
    """The structure of an undirected graph, measured on its rows."""
    nodes: U64
    edges: U64
    components: U64
    least_degree: U64
    greatest_degree: U64
    average_degree: Double
    density: Double  # edges / all pairs; 0 for fewer than two nodes
    clustering: Double  # mean over all nodes; 0 for a node with fewer than two neighbours
    diameter: Diameter  # KINDRED_UNSET if the graph is not connected
    searches: U64  # breadth-first searches that the diameter took


class LatticeTask(Options, c="lattice_task", noun="task", hand="c"):
    """A task of a batch."""
    work: Member("int32_t") = "KINDRED_LATTICE_ANALYZE"  # KINDRED_LATTICE_...
    dimensions: Member("uint32_t") = 4  # of the lattice; XOR_BYTES and MULTIPLY use none
    size: Member("uint32_t") = 10
    ends: Member("kindred_lattice_pair") = "{0, 0}"  # of FIND_PATH
    blocked_nodes: Member("const uint64_t*") = "NULL"  # of FIND_PATH
    node_count: Member("uint64_t") = 0
    blocked_edges: Member("const kindred_lattice_pair*") = "NULL"  # of FIND_PATH
    edge_count: Member("uint64_t") = 0
    path: Member("const char*") = "NULL"  # of SAVE
    a: Member("const DLTensor*") = "NULL"  # of XOR_BYTES: uint8; of MULTIPLY: m * k of float32 or float64
    b: Member("const DLTensor*") = "NULL"  # the key, or k * n
    c: Member("DLTensor*") = "NULL"  # the result: of the shape of a, or m * n


class LatticeResult(Statistics, c="lattice_result"):
    """The result of a task. Everything that it points to is valid during the callback."""
    status: Member("int32_t")  # KINDRED_OK, or the reason why the task failed
    work: Member("int32_t")  # KINDRED_LATTICE_...
    seconds: Member("double")
    error: Member("const char*")  # message of the failure, or an empty text
    statistics: Member("const kindred_lattice_statistics*")  # NULL, as the others, if the task has none
    structure: Member("const kindred_graph_structure*")
    nodes: Member("const kindred_results*")
    report: Member("const kindred_bulk_report*")
    record: Member("const kindred_record*")  # not of ANALYZE, MEASURE, FIND_PATH and SAVE


class LatticeCallback(Callback, c="lattice_callback", parameters="void* user, uint64_t task, const kindred_lattice_result* result"):
    """Receives the result of every task in order, on the calling thread, as soon as the task and all earlier ones are done. Nonzero ends the batch after the running tasks, with
    KINDRED_CANCELLED."""


class LatticeBatchOptions(Options, c="lattice_batch_options"):
    """Options of a batch."""
    workers: Member("int32_t") = 0  # concurrent tasks, at most 512; 0: the number of threads of the context
    space: Space = None  # KINDRED_SPACE_ANY: several workers compute each on its own thread, and a single one where the dispatcher chooses


class LatticeDistances(NamedTuple):
    """Distances of nodes from the nearest source.

    >>> Lattice(1, 4).distances([0], targets=[3])
    LatticeDistances(distances=array([3], dtype=uint32), reached=4, farthest=3)
    """

    distances: NDArray[np.uint32]  #: one per target, or per node; 2³² − 1 where no path leads
    reached: int  #: number of reached nodes, with the sources
    farthest: int  #: greatest distance of a reached node


class LatticeRows(NamedTuple):
    """A lattice as compressed sparse rows, as :meth:`SpreadingEngine.from_csr` takes them, with both directions of every edge.

    >>> Lattice(1, 3).rows()
    LatticeRows(indptr=array([0, 1, 3, 4]), indices=array([1, 0, 2, 1], dtype=uint32))
    """

    indptr: NDArray[np.int64]  #: [nodes + 1]
    indices: NDArray[np.uint32]  #: [indptr[-1]]


class Lattice(Handle, c="lattice", namespace="Lattices", alone=True, header="kindred/matcher/Lattice.hpp"):
    """A cubic lattice: ``size`` nodes along each of its dimensions, with edges between neighbours. Nodes and edges are implicit.

    Python: Blocked nodes and edges are not used by paths and searches; rows and measurements cover the whole lattice. Immutable, thread-safe.

    Python: Calls with ``space`` run in that space instead of the dispatcher's choice.

    >>> lattice = Lattice(2, 3)
    >>> lattice.path(0, 8)
    array([0, 1, 2, 5, 8])
    >>> lattice.distances([0]).distances.reshape(3, 3)
    array([[0, 1, 2],
           [1, 2, 3],
           [2, 3, 4]], dtype=uint32)
    """

    def create(context: Context, dimensions: Extent, size: Extent, blocks: Blocks) -> New:
        """Creates a lattice. Paths and searches do not use the blocked nodes and edges.

        Python Args:
            dimensions: 1 … 20
            size: 2 … 1000
            blocked_nodes: nodes
            blocked_edges: pairs of neighbours, in either order: int64 ``[n, 2]`` or a collection of pairs
        """

    @gil("constant")
    @only("python")
    @cpp(name="shape().dimensions")
    @property
    def dimensions(self) -> Size:
        """The number of dimensions."""

    @gil("constant")
    @only("python")
    @cpp(name="shape().size")
    @property
    def size(self) -> Size:
        """The number of nodes along each dimension."""

    @gil("constant")
    @only("python")
    @cpp(name="shape().nodes")
    @property
    def nodes(self) -> Size:
        """The number of nodes: ``size ** dimensions``."""

    @gil("constant")
    def statistics(self) -> LatticeStatistics:
        """Numbers of nodes and edges, degrees, density, diameter and bytes, in closed form."""

    def measure(self, space: InSpace) -> GraphStructure:
        """The numbers of `statistics`, measured on the rows, with components and clustering.

        C: Runs on the calling thread. Blocks have no effect. KINDRED_INVALID for more nodes than 32 bits count.

        C Args:
            space: on which the rows are built

        >>> Lattice(2, 3).measure()["components"]
        1
        """

    @gil("constant")
    @cpp(name="shape().coordinates")
    def coordinates(self, node: Id) -> CoordinateList:
        """The coordinates of a node: uint32 [dimensions], of which the last one is the fastest.

        C Args:
            capacity: elements of `coordinates`

        >>> Lattice(2, 3).coordinates(5)
        array([1, 2], dtype=uint32)
        """

    @gil("constant")
    @cpp(name="shape().index")
    def index(self, coordinates: Coordinates) -> NodeIndex:
        """The node at `coordinates`, integers [dimensions].

        >>> Lattice(2, 3).index([1, 2])
        5
        """

    @gil("constant")
    @cpp(name="shape().neighbours")
    def neighbours(self, node: Id) -> IdList:
        """The neighbours of a node, blocked ones included: in each dimension the smaller one first.

        C Args:
            neighbours: at most `capacity` are written; there are at most 2 * dimensions
            count: number of neighbours; if it exceeds `capacity`, the call fails with KINDRED_INVALID, and sets only this

        Returns:
            int64 [degree]

        >>> Lattice(2, 3).neighbours(0)
        array([3, 1])
        """

    @only("c")
    @cpp(name="shape().distance")
    def distance(self, ends: CheckedEnds) -> U64:
        """Edges of a shortest path between two nodes, 1 for neighbours. Blocks have no effect."""

    @gil("constant")
    def is_blocked(self, node: LatticeNode) -> Bool:
        """Whether a node is blocked."""

    def rows(self, space: InSpace) -> CsrRows:
        """C: The neighbours of every node, as the ids of results.

        Python: The lattice as compressed sparse rows.

        >>> SpreadingEngine.from_csr(*Lattice(2, 3).rows())
        <pykindred.SpreadingEngine: 9 nodes, 24 edges>
        """

    def dense(self) -> DenseMatrix:
        """The adjacency matrix, uint8 [nodes, nodes].

        C Args:
            capacity: bytes of `matrix`
        """

    def save(self, path: Path, space: InSpace):
        """Writes the rows to a file, atomically, as a graph without weights.

        C: kindred_graph_load reads it.

        Python: :meth:`SpreadingEngine.load` reads it.

        >>> Lattice(2, 3).save("lattice.kindred")
        """

    @only("python")
    def path(self, ends: Ends, space: InSpace) -> IdList:
        """A shortest path from ``source`` to ``target`` with both ends, always the same one: int64, empty if there is none.

        >>> Lattice(2, 3, blocked_nodes=[1]).path(0, 2)
        array([0, 3, 4, 5, 2])
        """

    def paths(self, pairs: Pairs, space: InSpace) -> NodeRows:
        """C: A shortest path for every pair, with both ends, as the ids of results; a row is empty if there is none.

        Python: Shortest paths of pairs of nodes: int64 ``[n, 2]`` or a collection of pairs.

        >>> Lattice(2, 3).paths([(0, 2), (4, 4)]).offsets
        array([0, 3, 4])
        """

    def all_paths(self, ends: Ends, edges_max: Id, limit: Limit) -> NodeRows:
        """All simple paths of at most `edges_max` edges, in the order of a depth-first search.

        C: They are the ids of results.

        Args:
            limit: more paths are refused

        Python Args:
            source: a node
            target: a node

        Raises:
            InvalidArgument: there are more than ``limit``

        >>> [path.tolist() for path in Lattice(2, 2).all_paths(0, 3, 2)]
        [[0, 2, 3], [0, 1, 3]]
        """

    def distances(self, sources: Ids, targets: Targets, space: InSpace) -> Distances | Reached | Farthest | Record:
        """Distances from the nearest of the `sources`, of all nodes or of `targets`.

        C Args:
            targets: nodes whose distances are returned; NULL: all nodes
            distances: one per target, or one per node; UINT32_MAX for a node that is not reached
            capacity: elements of `distances`
            reached: number of reached nodes
            farthest: greatest distance

        >>> Lattice(1, 4).distances([0, 3]).distances
        array([0, 1, 1, 0], dtype=uint32)
        """

    @only("python")
    @python("called")
    def blocks(self) -> BlockArrays:
        """The blocked nodes and edges."""

    def __reduce__(self) -> Any:
        nodes, edges = self._native.blocks()  # raises if it is closed
        return _restored, (type(self), self.dimensions, self.size, nodes, edges.reshape(-1, 2))

    def __repr__(self) -> str:
        if self._native.is_closed():
            return "<pykindred.Lattice: closed>"
        return f"<pykindred.Lattice: {self.dimensions} dimensions of {self.size}, {self.nodes} nodes>"


def _restored(kind: "type[Lattice]", dimensions: int, size: int, blocked_nodes: Any, blocked_edges: Any) -> "Lattice":
    """An unpickled or copied lattice, in the default context."""
    return kind(dimensions, size, blocked_nodes=blocked_nodes, blocked_edges=blocked_edges)


class Structures(Functions, namespace="Lattices", header="kindred/matcher/LatticeBatch.hpp"):
    """Graphs that are no lattices, and batches of lattices."""

    @only("c")
    def measure_structure(rows: UndirectedRows) -> GraphStructure:
        """Measures any undirected graph, on the calling thread. KINDRED_INVALID for rows that do not ascend, a loop, an end that is no node, and an edge without its other direction.

        C Args:
            offsets: nodes + 1
            ends: row v is ends[offsets[v] ... offsets[v + 1]), ascending
        """

    @hand("c")
    @only("c")
    def run_lattices(context: Context, tasks: InC("const kindred_lattice_task* const* tasks", "size_t count"), options: LatticeBatchOptions,
                     on_result: InC("kindred_lattice_callback on_result?", "void* user?", "uint64_t* failed?")):
        """Runs many tasks in parallel, one per worker. The structs and tensors of all tasks are checked before any starts; a task that fails later, as one of a lattice out of range, is
        reported as a result and does not stop the others. Workers run at most four tasks each ahead of the reported ones.

        C Args:
            tasks: count pointers
            failed: number of tasks that failed
        """
