# SPDX-License-Identifier: Apache-2.0
"""VectorIndex: exact nearest neighbours"""
C_INCLUDES = ("Vector.hpp",)
PYTHON_INCLUDES = ("VectorArguments.hpp",)


class RaggedIds(Kind):
    c = ("const uint64_t* {n}", "const uint64_t* offsets")
    c_value = 'ragged_of({n}, offsets, rows, "{n}")'
    python = ("offsets: Array", "{n}: Array")
    lines = ('const std::vector<std::uint64_t> offsets_given = ids_of(offsets, "candidates.offsets");', 'const std::vector<std::uint64_t> {n}_given = ids_of({n}, "candidates.ids");')
    value = "RaggedSpan<std::uint64_t>{offsets_given, {n}_given}"


class Row(Kind):
    c = ("const DLTensor* {n}", "const DLTensor* scale?")
    c_value = 'rows_of({n}, scale, "{n}")'
    python = ("{n}: Array", "* scale: float | None = None")
    lines = ("const VectorRows {n}_given = one_row({n}, scale);",)
    value = "{n}_given.span()"


class RankedList(Kind):
    c = ("float* scores", "int64_t* ids", "size_t capacity", "size_t* found")
    python = ("* {n}: tuple[Array, Array] | None = None",)
    returns = ("tuple[Any, Any]", "")


class Report(Result):
    c = ("kindred_search_report* report?",)
    c_write = "write_output(report, report_of({found}));"
    c_check = 'check_output(report, "report", true);'


class Metric(Enum, c="KINDRED_", values="cosine ip l2"):
    """Similarity of vectors; l2 is the Euclidean distance, not its square: smaller is better."""


class Element(Enum, c="KINDRED_ELEMENT_", cpp="DataType", values="float32 float16 bfloat16 int8"):
    """The element type of rows."""


class SearchPath(Enum, c="KINDRED_PATH_", any="ANY", values="brute_force quantized gemm"):
    """The path of a search; ANY: the fastest by prediction. All have the same results."""


class IndexOptions(Options, c="index_options", cpp="VectorIndexOptions"):
    """Options of an index."""
    residency: Residency = "automatic"  # where the rows are kept: on the host, on host and device, or for calls on the device only; C: KINDRED_RESIDENCY_...
    quantized_copy: Flag("QuantizedCopy::automatic", "QuantizedCopy::never") = True  # an int8 copy of the rows may be kept, by which searches read fewer bytes, with the same results; C: nonzero: a search may keep copies of the rows of fewer bytes


class SearchOptions(Options, c="search_options"):
    """Options of a search."""
    top: Count(1) = 10  # maximum number of results per query; may exceed the number of rows
    filter: Filter = None  # rows that may be returned: bool or uint8 [end_id]; or bits, least significant first, uint64 [words] or, for each query its own, [queries, words], with words = ceil(end_id / 64); not for queries on a device; C:
    metric: Metric = "cosine"
    space: Space = None  # instead of the dispatcher's choice
    path: SearchPath = None  # instead of the fastest; the results are the same
    stream: Stream = None


class ScoreOptions(Options, c="score_options"):
    """Options of `VectorIndex.score_all`."""
    metric: Metric = "cosine"
    space: Space = None  # instead of the dispatcher's choice
    stream: Stream = None


class IndexStatistics(Statistics, c="index_statistics", cpp="VectorStatistics"):
    """The contents of an index."""
    rows: U64  # that can be found
    end_id: U64 = "object.end_id()"  # all ids below it have been assigned
    dimension: U64 = "object.dimension()"
    removed: U64  # rows that were removed or replaced and still occupy memory
    segments: U64
    host_bytes: U64
    device_bytes: U64
    quantized_bytes: U64
    element: Element = "object.element()"


class VectorIndex(Handle, c="index", namespace="Vectors", shared=True, alone=True, header="kindred/matcher/VectorIndex.hpp",
                  shows="{len(self)} rows of {self.dimension} {self.element}"):
    """A store of vectors with exact nearest-neighbour search. Scores have the same bits on every machine and every space.

    A score is that of the float32 row that a row decodes to: ``"cosine"`` and ``"ip"`` (inner product) are similarities, larger is
    better; ``"l2"`` is the Euclidean distance, not squared, smaller is better. Equal scores are ranked by id, NaN last. The id of a row
    is its number in the order of insertion, and is never reused. Thread-safe: a call reads the rows that
    were there when it began, and does not wait for changes.

    Python: Arrays may lie on the host or on the device of the context. On a device, results are written there; the call is ordered by ``stream``
    (an int, an object with ``__cuda_stream__``, a stream of PyTorch or CuPy; by default the current stream of the library of the queries),
    does not wait for the device, and the stream must outlive the index.

    >>> index = VectorIndex(np.float32([[3, 4], [4, -3], [1, 0]]))
    >>> index.search(np.float32([3, 4]), top=2, metric="ip")
    (array([25.,  3.], dtype=float32), array([0, 2]))
    """

    @hand("python")
    @python(rows="Array | None = None", element="str | None = None", dimension="int | None = None")
    def create(context: Context, rows: Rows, options: IndexOptions) -> New:
        """Builds an index of rows, which are copied; their ids are 0, 1, ...

        Args:
            rows: [count, dimension] of float32, float16, bfloat16, or int8 with `scales`; count may be 0
            scales: float32 [count], for int8 only: element v of a row of scale s is float32(s · v)

        Python Args:
            dimension: the elements of a row, instead of rows: makes an empty index, of float32 or of ``element``
            element: converts rows of float32, rounding to nearest: ``"float16"``, ``"bfloat16"`` or ``"int8"``
        """

    def load(context: Context, path: Path, options: IndexOptions, threads: Threads) -> New:
        """Maps a file of `save` or of ``kindred build``, which is only read, and validates every byte.

        Args:
            threads: number of threads that validate the file; 0: all of the machine

        Raises:
            NotFound: there is no such file
            CorruptFile: it is damaged; nothing of it is used

        >>> VectorIndex(np.float32([[3, 4]])).save("rows.kindred")
        >>> VectorIndex.load("rows.kindred")
        <pykindred.VectorIndex: 1 rows of 2 float32>
        """

    @cpp(name="load")
    def from_bytes(context: Context, bytes: Bytes, options: IndexOptions, threads: Threads) -> New:
        """An index of the bytes of `to_bytes`, or of a file of `save`, which are copied.

        Raises:
            CorruptFile: the bytes are damaged; nothing of them is used

        >>> VectorIndex.from_bytes(VectorIndex(np.float32([[3, 4]])).to_bytes())
        <pykindred.VectorIndex: 1 rows of 2 float32>
        """

    @changes
    def add(self, rows: RowArray) -> FirstId:
        """Adds rows of the element type and dimension of the index. If it fails, the index is unchanged.

        C: To build an index of rows on a device, create it with the shape [0, dimension] and add them.

        Args:
            rows: [count, dimension]; there may be gaps between rows; on the host or, except int8, on a device
            scales: float32 [count], of rows of int8

        C Args:
            first_id: id of the first new row

        Returns:
            the ids of the new rows

        >>> VectorIndex(np.float32([[3, 4]])).add(np.float32([[1, 0], [0, 1]]))
        range(1, 3)
        """

    @changes
    def remove(self, ids: Ids):
        """Removes rows; their ids are not reused.

        Python Args:
            ids: integers [count], or one

        Raises:
            NotFound: an id was never assigned, was already removed or is listed twice; nothing is removed then

        >>> index = VectorIndex(np.float32([[3, 4], [4, -3], [1, 0]]))
        >>> index.remove([1])
        >>> index.ids, index.end_id
        (array([0, 2]), 3)
        """

    @changes
    def replace(self, id: Id, row: Row):
        """Replaces the row of an id.

        Args:
            row: [dimension] of the element type of the index
            scale: scale of the row, for int8 only

        Raises:
            NotFound: no row has the id
        """

    @of(python="__len__", gil="atomic")
    def size(self) -> Size:
        """The number of rows that can be found."""

    @getter("constant")
    def dimension(self) -> Size:
        """The number of elements of a row."""

    @getter("constant")
    def element(self) -> Element:
        """How rows are stored: ``float32``, ``float16``, ``bfloat16`` or ``int8``."""

    @property
    def ids(self) -> IdList:
        """The ids of all rows that can be found, ascending.

        C Args:
            ids: at most `capacity` are written
            count: number of ids; if it exceeds `capacity`, the call fails with KINDRED_INVALID, and sets only this
        """

    @getter("atomic")
    def end_id(self) -> Size:
        """All ids below it have been assigned."""

    def rows(self, ids: Ids, rows: Matrix("ids", "object.dimension()")):
        """The rows of `ids`, in the order of `ids`, decoded to float32 [count, dimension].

        Python Args:
            ids: integers [count], or one; may be repeated

        C Args:
            ids: may be repeated
            rows: float32 [count, dimension], on the host

        Raises:
            NotFound: no row has an id

        >>> VectorIndex(np.float32([[3, 4], [4, -3], [1, 0]])).rows([2, 0])
        array([[1., 0.],
               [3., 4.]], dtype=float32)
        """

    def statistics(self) -> IndexStatistics:
        """Sizes and counts of what the index holds, with the bytes of all copies."""

    def save(self, path: Path):
        """Writes all rows and ids to a file, atomically: the file at `path` is the old or the new one."""

    def to_bytes(self) -> ByteText:
        """The bytes of the file that `save` writes."""

    def search(self, queries: Queries, options: SearchOptions, out: Ranked) -> Report | Record:
        """The exact best `top` rows of every query.

        C: Tensors are on the host or, all of them, on a device. On a device, the rows of the index must be there, and filters and KINDRED_PATH_QUANTIZED are not possible.
        Calls on streams run one after the other; the first of a size, and the first after a change of the rows, may fence.

        Args:
            queries: float32 [queries, dimension], or [dimension] for one query; there may be gaps between rows

        Python Args:
            out: arrays for the results

        Returns:
            ``(scores, ids)``: float32 and int64 ``[queries, top]``, or ``[top]`` for one query, best first. Where there is no row, the id is −1 and
            the score −inf (+inf under ``"l2"``).

        Raises:
            InvalidType: an array has elements of another type
            InvalidArgument: a shape, an option or ``out`` does not fit
            SpaceUnavailable: the call cannot run in ``space``

        C Args:
            scores: float32 [queries, top], or [top]; -inf (+inf under KINDRED_L2) where there is no result
            ids: int64 [queries, top], or [top]; -1 where there is no result

        >>> index = VectorIndex(np.float32([[3, 4], [4, -3], [1, 0]]))
        >>> scores, ids = index.search(np.float32([[3, 4], [1, 0]]), top=2, metric="ip", filter=np.array([True, False, True]))
        >>> ids
        array([[0, 2],
               [0, 2]])
        """

    @hand("python")
    @cpp(order="queries, out, options")
    def score_all(self, queries: Queries, options: ScoreOptions, out: Output) -> Record:
        """The scores of all rows for every query, in ascending order of their ids; memory, streams and failures as of `search`.

        Args:
            queries: float32 [queries, dimension], or [dimension] for one query; there may be gaps between rows
            out: float32 [queries, rows], or [rows] for one query

        Returns:
            ``out``, or a new array of that shape

        >>> VectorIndex(np.float32([[3, 4], [4, -3], [1, 0]])).score_all(np.float32([3, 4]), metric="ip")
        array([25.,  0.,  3.], dtype=float32)
        """

    @without("top")
    def search_at_least(self, queries: HostQueries, score: Float, options: SearchOptions) -> Ragged:
        """All rows whose score is `score` or better, best first. Queries on the host.

        C: Under KINDRED_L2, a score is better if it is smaller. `top` has no effect.

        Python: Under ``"l2"``, a score is better if it is smaller.

        Args:
            queries: float32 [queries, dimension], or [dimension] for one query

        Returns:
            a :class:`Ragged`, one row per query: int64 ``ids`` and float32 ``scores``

        >>> found = VectorIndex(np.float32([[3, 4], [4, -3], [1, 0]])).search_at_least(np.float32([[3, 4], [0, 1]]), 3, metric="ip")
        >>> found.offsets, found.ids
        (array([0, 2, 3]), array([0, 2, 0]))
        """

    @of(c="score", cpp="score", python="called", without="path")
    def score_lists(self, queries: HostQueries, ids: RaggedIds, options: SearchOptions) -> Ragged:
        """Scores candidates: of every query the rows ids[offsets[i] ... offsets[i + 1]), of which the best `top` are returned."""

    @of(cpp="score", without="filter path")
    @python("called", top="int | None = None")
    def score_arrays(self, queries: Queries, candidates: Candidates, options: SearchOptions, out: Ranked) -> RecordOf:
        """The same for lists of one length; memory and streams as of `search`.

        C: Filters are possible in host memory only.

        Args:
            candidates: int64 [queries, length], or [length]; an id without a row, such as -1, is skipped

        C Args:
            scores,ids: as of `search`
        """

    def score(self, queries: Array, candidates: "Array | Ragged", top: int | None = None, *, metric: str = "cosine", filter: Array | None = None,
              space: str | None = None, out: tuple[Array, Array] | None = None, stream: Stream = None,
              copy: bool | None = None) -> "tuple[Any, Any] | Ragged":
        """Re-ranks candidates: the best ``top`` of each list; None: all. Repeated candidates count once.

        Args:
            candidates: int64 ``[queries, length]``, or ``[length]`` for one query, where an id without a row, such as −1, is skipped; or a
                :class:`Ragged` (its scores are ignored) with one row per query, whose ids must exist
            filter: as :meth:`search`, for ragged candidates; the other arguments too

        Returns:
            ``(scores, ids)`` as :meth:`search`; of ragged candidates a :class:`Ragged`

        Raises:
            InvalidArgument: as :meth:`search`; or a ragged candidate has no row

        >>> VectorIndex(np.float32([[3, 4], [4, -3], [1, 0]])).score(np.float32([3, 4]), np.array([2, 1, -1]), metric="ip")
        (array([  3.,   0., -inf], dtype=float32), array([ 2,  1, -1]))
        """
        if isinstance(candidates, Ragged):
            if out is not None or stream is not None:
                raise InvalidArgument("out and stream are for candidates in an array; ragged candidates give a Ragged")
            count = max(len(candidates.ids), 1) if top is None else top
            return Ragged(*self._native.score_lists(queries, candidates.offsets, candidates.ids, count, filter, metric, space))
        if filter is not None:
            raise InvalidArgument("filter is for ragged candidates; leave out candidates of an array, or write -1")
        return self._native.score_arrays(queries, candidates, top, metric, space, out, stream, copy)

    def row(self, id: int) -> NDArray[np.float32]:
        """The row of an ``id``: float32 ``[dimension]``. Raises as :meth:`rows`."""
        row: NDArray[np.float32] = self._native.rows([id])[0]
        return row


class PreparedScore(Handle, c="scorer", namespace="PreparedScores", header="kindred/matcher/PreparedScore.hpp", shows="the best {self.top} on {self.space}"):
    """:meth:`VectorIndex.score` for one query after another, with everything prepared in advance: a call makes one launch.

    Python: The first call, and the first one whose rows lie in another segment, prepares again. A list whose rows lie in several segments is
    scored as by :meth:`VectorIndex.score`. Keeps the index alive. Thread-safe: calls of one object follow each other; several objects may use one
    index concurrently.

    >>> index = VectorIndex(np.float32([[3, 4], [4, -3], [1, 0]]))
    >>> prepared = PreparedScore(index, longest=100, top=2, metric="ip")
    >>> prepared.score(np.float32([3, 4]), np.array([2, 1, 0]))
    (array([25.,  3.], dtype=float32), array([0, 2]))
    """

    @of(hand="c python", without="path stream")
    @python(top="int | None = None")
    def create(index: Of(VectorIndex), longest: Count(1), options: SearchOptions) -> New:
        """Prepares scores of at most `longest` candidates of single queries. It keeps the index alive.

        C: Its calls must not be concurrent.

        Args:
            longest: the largest number of candidates of a call
            top: number of results; None: ``longest``

        Raises:
            InvalidArgument: an option is out of range, or the filter does not fit
            SpaceUnavailable: the space cannot be used

        Python Args:
            index: whose rows are scored
            filter: rows that may be returned, as of `VectorIndex.search`, without bits per query; copied
            space: None: ``"cuda"`` if the index is resident there, otherwise the host
        """

    @of(hand="c python", changes=True)
    def score(self, query: Queries, candidates: Ids, out: RankedList):
        """The best candidates of a query, best first. Repeated candidates count once.

        Args:
            query: float32 [dimension] on the host
            candidates: int64 or uint64 ids [at most longest] on the host

        C Args:
            candidates: at most `longest` ids
            scores,ids: at most `capacity` are written
            found: number of results; if it exceeds `capacity`, the call fails with KINDRED_INVALID, and sets only this

        Python Args:
            out: ``(scores, ids)`` to write into: float32 and int64 ``[top]``

        Returns:
            ``(scores, ids)``: float32 and int64 ``[top]``; where there are fewer candidates, the id is −1 and the score −inf (+inf under ``"l2"``)

        Raises:
            InvalidType: an array has elements of another type
            InvalidArgument: a shape does not fit, there are more candidates than ``longest``, an id has no row, or rows were added since a
                filter was prepared

        >>> PreparedScore(VectorIndex(np.float32([[3, 4], [1, 0]])), 2, metric="l2").score(np.float32([3, 4]), np.array([0]))
        (array([ 0., inf], dtype=float32), array([ 0, -1]))
        """

    @getter("constant")
    @hand("python")
    def top(self) -> Size:
        """Number of results."""

    @gil("constant")
    @property
    def space(self) -> EnumName:
        """Where calls run."""
