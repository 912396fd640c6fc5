# SPDX-License-Identifier: Apache-2.0
"""HnswIndex: approximate nearest neighbours, on the host"""
C_INCLUDES = ("Hnsw.hpp",)
PYTHON_INCLUDES = ("VectorArguments.hpp",)


class HostRows(Kind):
    """Rows of float32 on the host without gaps, of the dimension of the object."""
    c = ("const DLTensor* {n}",)
    c_value = 'matrix_of<float>({n}, "{n}", object.dimension())'
    python = ("{n}: Array",)
    lines = ('const HostQueries {n}_given({n}, object.dimension(), "{n}", 2);',)
    value = "{n}_given.values()"


class NewRows(Kind):
    """The same, which decide the dimension: two arguments of C++."""
    c = ("const DLTensor* {n}",)
    c_lines = ('const ConstArray {n}_array = array_of({n}, "{n}");', "const auto dimension = static_cast<std::size_t>({n}_array.extent({n}_array.rank() - 1));")
    c_value = 'matrix_of<float>({n}, "{n}", dimension), dimension'
    python = ("{n}: Array",)
    lines = ('const Input {n}_array({n}, "{n}", nullptr, Copying::if_needed, Layout::dense);', "{n}_array.require_rank(2, 2);",
             "const std::span<const float> {n}_values = {n}_array.host_values<float>();")
    value = "{n}_values, static_cast<std::size_t>({n}_array.extent(1))"


class RankedRows(Ranked):
    """The same of `HostQueries` without gaps, in Python always new arrays."""
    c_lines = ()
    c_value = ('{output_matrix_of<float>(scores, "scores", rows, options_given.top), '
               'output_matrix_of<std::int64_t>(ids, "ids", rows, options_given.top)}')
    python = ()
    lines = ("const RankedOutputs {n}_arrays(*shared->context, queries, queries_given.input(), nb::none(), {top});",)
    value = "{{n}_arrays.scores(), {n}_arrays.ids()}"
    returns = ("tuple[NDArray[np.float32], NDArray[np.int64]]", "{n}_arrays.made()")


class Visited(Result):
    c = ("uint64_t* visited?", "uint64_t* scanned?")
    c_write = "write_optional(visited, found.visited);\nwrite_optional(scanned, found.scanned);"


class MetricOfSettings(EnumName):
    value = "std::string(to_string(found.metric))"


class HnswTraversal(Enum, c="KINDRED_TRAVERSAL_", values="automatic bytes floats"):
    """The codes from which a traversal computes distances."""


class HnswSettings(Options, c="hnsw_settings", noun="settings"):
    """Settings of an index, which never change."""
    m: Count(0) = 16  # links per new node, 2 ... 512
    ef_construction: Count(0) = 200  # candidate list size during insertion, m ... 65536
    seed: Count(0) = 1  # for the random levels of the nodes
    metric: Metric = "cosine"
    traversal: HnswTraversal = "automatic"


class HnswSearchOptions(Options, c="hnsw_search_options"):
    """Options of a search."""
    top: Count(1) = 10  # maximum number of results per query
    ef: Count(0) = 0  # candidate list size, at least `top`: larger values increase recall; 0: the greater of 64 and `top`
    filter: Filter = None  # rows that may be returned: bool or uint8 [end_id], or bits, least significant first, uint64 [words], words = ceil(end_id / 64); C: as of kindred_search_options; bits are for all queries
    space: Space = None  # serial or openmp


class HnswStatistics(Statistics, c="hnsw_statistics"):
    """The contents of an index."""
    rows: U64
    removed: U64
    end_id: U64
    dimension: U64
    levels: U64
    links: U64
    unreachable: U64  # rows that no traversal reaches
    bytes: U64
    traversal: HnswTraversal = "found.settings.traversal"  # the one that was chosen
    metric: Metric = "found.settings.metric"
    m: U64 = "found.settings.m"
    ef_construction: U64 = "found.settings.ef_construction"
    seed: U64 = "found.settings.seed"


class HnswIndex(Handle, c="hnsw", namespace="Graphs", noun="index", alone=True, header="kindred/matcher/HnswIndex.hpp",
                  shows="{len(self)} rows of {self.dimension} float32, {self.metric}"):
    """Approximate nearest-neighbour search with a graph (HNSW). Scores are exact, but a row that is not returned may be nearer.

    Python: The same rows, settings and seed give the same graph and the same results, for any number of threads and any machine. Runs on the
    host. Thread-safe; a call that changes the index waits for the calls that run, and later calls wait for it.

    >>> index = HnswIndex(np.float32([[3, 4], [4, -3], [1, 0]]), metric="ip")
    >>> index.search(np.float32([3, 4]), top=2)
    (array([25.,  3.], dtype=float32), array([0, 2]))
    """

    @only("c")
    def create(context: Context, dimension: Count(1), settings: HnswSettings) -> New:
        """Creates an empty index of rows of `dimension` elements."""

    @python("__init__")
    def build(context: Context, rows: NewRows, settings: HnswSettings, progress: Progress) -> New:
        """Builds an index of rows, which are copied, with the ids 0, 1, ...; faster to search than one that rows were added to.

        Args:
            rows: float32 [count, dimension], finite

        C Args:
            progress: receives the number of rows inserted so far

        Python Args:
            rows: float32 ``[count, dimension]``, finite; copied. ``rows[:0]`` makes an empty index
            metric: ``"cosine"`` or ``"ip"``, larger is better; ``"l2"``, smaller is better
            traversal: ``"bytes"`` (one byte per dimension), ``"floats"`` or ``"automatic"``
            progress: called with the number of rows inserted since the last call, at most 4096, as ``tqdm(total=len(rows)).update`` takes it;
                what it raises stops the call
        """

    def load(context: Context, path: Path) -> New:
        """Maps a file that `save` has written, and validates every byte.

        Raises:
            NotFound: there is no such file
            CorruptFile: it is damaged; nothing of it is used

        >>> HnswIndex(np.float32([[3, 4]])).save("graph.kindred")
        >>> HnswIndex.load("graph.kindred")
        <pykindred.HnswIndex: 1 rows of 2 float32, cosine>
        """

    @cpp(name="load")
    def from_bytes(context: Context, bytes: Bytes) -> New:
        """An index of the bytes of `to_bytes`, or of a file of `save`, which are copied.

        Raises:
            CorruptFile: the bytes are damaged; nothing of them is used

        >>> HnswIndex.from_bytes(HnswIndex(np.float32([[3, 4]])).to_bytes())
        <pykindred.HnswIndex: 1 rows of 2 float32, cosine>
        """

    @by_name("dimension")
    def import_hnswlib(context: Context, path: Path, metric: Metric, dimension: Count(1)) -> New:
        """Reads a graph of float32 rows that hnswlib has saved; labels become ids. The file has neither the metric nor the dimension.

        Python Args:
            metric: that of the graph
            dimension: the elements of a row

        Raises:
            NotFound: there is no such file
            CorruptFile: it is no graph of such rows, or damaged
        """

    @changes
    def add(self, rows: HostRows) -> FirstId:
        """Adds rows of float32. If it fails, the index is unchanged.

        Python Args:
            rows: float32 [count, dimension]

        C Args:
            first_id: id of the first new row

        Returns:
            the ids of the new rows

        >>> HnswIndex(np.float32([[3, 4]])).add(np.float32([[1, 0], [0, 1]]))
        range(1, 3)
        """

    @changes
    def remove(self, ids: Ids):
        """Removes rows from future results; their ids are not reused.

        Python Args:
            ids: integers [count], or one

        Raises:
            NotFound: an id has no row or is listed twice; nothing is removed then
        """

    @changes
    def repair(self):
        """Deletes the removed rows from the graph, and releases their memory."""

    @gil("atomic")
    @python("__len__")
    def size(self) -> Size:
        """Number of rows that can be found."""

    @getter("atomic")
    def end_id(self) -> U64:
        """All ids below it have been assigned; filters have as many elements."""

    @getter("constant")
    def dimension(self) -> Size:
        """Number of elements of a row."""

    @getter("constant")
    @cpp(name="settings")
    def metric(self) -> MetricOfSettings:
        """``"cosine"``, ``"ip"`` or ``"l2"``."""

    def rows(self, ids: Ids, rows: Matrix("ids", "object.dimension()")):
        """The rows of `ids`, in the order of `ids`, as they were added: float32 [count, dimension].

        Python Args:
            ids: integers [count], or one; may be repeated

        C Args:
            ids: may be repeated
            rows: float32 [count, dimension], on the host

        Raises:
            NotFound: no row has an id

        >>> HnswIndex(np.float32([[3, 4], [4, -3]])).rows([1, 0])
        array([[ 4., -3.],
               [ 3.,  4.]], dtype=float32)
        """

    def row(self, id: int) -> NDArray[np.float32]:
        """The row of an ``id``: float32 ``[dimension]``. Raises as :meth:`rows`."""
        row: NDArray[np.float32] = self._native.rows([id])[0]
        return row

    @c("has")
    @python("called")
    def contains(self, id: Id) -> Has:
        """Whether a row can be found."""

    def __contains__(self, id: object) -> bool:
        """Whether an id has a row."""
        return is_integer(id) and id >= 0 and self._native.contains(id)

    def statistics(self) -> HnswStatistics:
        """Sizes, counts and settings. Traverses the graph once."""

    def search(self, queries: HostQueries, options: HnswSearchOptions, out: RankedRows) -> Visited | Record:
        """The rows nearest to each query, approximately.

        Args:
            queries: float32 [queries, dimension], or [dimension] for one query, on the host

        C Args:
            queries: float32 [queries, dimension], on the host without gaps
            scores: float32 [queries, top]; -inf (+inf under KINDRED_L2) where there is no result
            ids: int64 [queries, top]; -1 where there is no result
            visited: rows whose distance was computed, over all queries
            scanned: queries that scored every row that the filter allows instead

        Python Args:
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

    def save(self, path: Path):
        """Writes the index to a file, atomically: the file at `path` is the old or the new one."""

    def to_bytes(self) -> ByteText:
        """The bytes of the file that `save` writes."""

    def export_hnswlib(self, path: Path):
        """Writes the index in hnswlib's format.

        C: Under KINDRED_COSINE, rows are normalised.

        Python: Under ``"cosine"``, rows are normalised.
        """
