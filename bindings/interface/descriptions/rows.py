# SPDX-License-Identifier: Apache-2.0
"""Functions of vectors that are in no index, and files of vectors"""
C_INCLUDES = ("Rows.hpp", "Vector.hpp")
PYTHON_INCLUDES = ("VectorArguments.hpp",)


class RowQueries(Queries):
    """An array on the host, or on a device that has written it."""
    lines = ('const Input {n}_array({n}, "{n}", nullptr, copying);', *Queries.lines[1:])


class GivenRows(RowArray):
    c = ("const DLTensor* {n}!", "const DLTensor* scales?")
    python = ("{n}: Array",)
    lines = ('const Input {n}_array({n}, "{n}", nullptr, copying);', "{n}_array.require_type({DataType::float32, DataType::float16, DataType::bfloat16});",
             "{n}_array.require_rank(2, 2);")
    value = "{n}_array.array()"


class SpanRows(Rows):
    """Rows on the host without gaps, which decide the shapes of other arrays."""
    c = GivenRows.c
    c_lines = ('const VectorSpan {n}_given = rows_of({n}, scales, "{n}");',)
    c_value = "{n}_given"


class MetricAndSpace(Kind):
    c = ("int32_t metric", "int32_t space")
    c_value = '{enum_of<Metric>(metric, 3, "metric"), space_option(space)}'
    python = ('* metric: str = "cosine"', "* space: str | None = None")
    lines = ("const RowOptions {n}_given{metric_of(metric), space_of(space)};",)
    value = "{n}_given"


class MetricAlone(Kind):
    c = ("int32_t {n}",)
    c_value = '{enum_of<Metric>({n}, 3, "{n}")}'


class SpaceAlone(Kind):
    c = ("int32_t {n}",)
    c_value = "{.space = space_option({n})}"


class Copy(Kind):
    python = ("* copy: bool | None = None",)


class Top(Kind):
    python = ("{n}: int = 10",)
    lines = ('const std::int64_t top_number = integer_of({n}, "{n}", 1);',)


class RowScores(Output):
    lines = ('const RowsOutput {n}_array(*shared, queries, queries_array, {n}, DataType::float32, rows_array.extent(0), "{n}");',)
    value = "{n}_array.array()"
    returns = ("Any", "{n}_array.made()")


class RowRanking(Ranked):
    c_lines = ()
    c_value = '{output_array_of(scores, "scores"), output_array_of(ids, "ids")}'
    lines = ("const RankedOutputs {n}_arrays(*shared, queries, queries_array, {n}, {top});",)


class Number(Kind):
    c = ("double {n}",)


class Floats(Kind):
    """{0} numbers on the host."""
    c = ("const float* {n}",)
    c_value = 'span_of({n}, {0}, "{n}")'


class FloatRows(Kind):
    c = ("const float* {n}", "size_t count", "size_t dim")
    c_value = '{span_of({n}, size_product("count × dim", {count, dim}), "{n}"), dim}'


class RowPointers(Kind):
    c = ("const float* const* {n}", "size_t count", "size_t dim")
    c_value = 'span_of({n}, count, "{n}"), dim'


class FloatsOut(Kind):
    """{0} numbers on the host."""
    c = ("float* {n}",)
    c_lines = ('const std::span<float> {n}_values = span_of({n}, {0}, "{n}");',)
    c_value = "{n}_values"


class FloatMatrix(FloatsOut):
    """A tensor of {0} rows of {1} numbers on the host, without gaps."""
    c = ("DLTensor* {n}!",)
    c_lines = ('const std::span<float> {n}_values = output_matrix_of<float>({n}, "{n}", {0}, {1});',)


class FloatRanking(Kind):
    c = ("size_t k", "float* scores", "int64_t* ids")
    c_value = '{span_of(scores, k, "scores"), span_of(ids, k, "ids")}'


class FloatRow(Kind):
    """A tensor of one row of {0} numbers."""
    c = ("const DLTensor* {n}!",)
    c_value = 'row_of<float>({n}, "{n}", {0})'


class IdRows(Kind):
    c = ("const DLTensor* {n}!",)
    c_lines = ('const std::uint64_t top = columns_of({n}, "{n}");', 'const std::span<const std::int64_t> {n}_ids = matrix_of<std::int64_t>({n}, "{n}", top);')
    c_value = "{n}_ids"


class TrueIdRows(IdRows):
    c_lines = IdRows.c_lines[1:]
    c_value = "{n}_ids, top"


class EncodedRows(Kind):
    c = ("DLTensor* {n}!", "DLTensor* scales?")


class VectorsFile(Path):
    c_value = "VectorFile(path_of({n}), source_given)"


class TargetFile(Path):
    """Checked before the file to read is opened."""
    c = ("const char* {n}!",)


class Values(Result):
    """A list of numbers, for `out`."""
    c_write = "copy_values({found}, out_values);"


class Found(Result):
    c = ("uint64_t* hits",)
    c_write = "*hits = {found};"


class All(Result):
    c = ("uint64_t* all",)
    c_write = "*all = {found};"


class CTextField(Field):
    """NULL: that of C++."""
    members = ("const char* {n}",)
    defaults = ("NULL",)
    c_lines = ("if (given.{n} != nullptr) out.{n} = given.{n};",)


class ExactElementField(Field):
    members = ("int32_t {n}",)
    defaults = ("-1",)
    c_lines = ('if (given.{n} != -1) out.{n} = enum_of<DataType>(given.{n}, 4, "{n}");',)


class VectorFormat(Enum, only="c", c="KINDRED_FORMAT_", any="ANY", values="npy fvecs bvecs ivecs fbin u8bin i8bin hdf5"):
    """Formats of files of vectors; ANY: from the extension of the name, otherwise from the first bytes."""


class VectorNumber(Enum, only="c", c="KINDRED_NUMBER_", values="float32 float16 int8 uint8 int32 int64"):
    """The types of numbers in such files."""


class VectorsSource(Options, c="vectors_source", noun="source", cpp="VectorFileOptions"):
    """How a file of vectors is read."""
    dataset: CText = None  # of an HDF5 file; NULL: `train`
    format: VectorFormat = None
    one_row: Flag("true", "false") = False  # nonzero: read a one-dimensional .npy array as one row


class VectorsBuildOptions(Options, c="vectors_build_options", cpp="StoredVectorsOptions"):
    """Options of `MoreRowFunctions.vectors_build`."""
    element: ExactElement = None  # KINDRED_ELEMENT_...; -1: the type that holds the numbers exactly
    quantized_copy: Flag("true", "false") = True  # nonzero: also write the int8-quantized copy of the rows


class VectorsInfo(Statistics, c="vectors_info", noun="info", cpp="VectorFile"):
    """The contents of a file of vectors, by its header."""
    rows: U64 = "found.rows()"
    dimension: U64 = "found.dimension()"
    row_bytes: U64 = "found.row_bytes()"
    format: VectorFormat = "found.format()"
    type: VectorNumber = "number_of(found.type())"


class VectorsFileInfo(Statistics, c="vectors_file_info", noun="info", cpp="StoredVectorsFileInfo"):
    """The contents of a file of an index."""
    rows: U64
    dimension: U64
    end_id: U64  # all ids below it have been assigned
    not_finite: U64  # rows with a NaN or an infinity
    row_bytes: U64  # of all rows, with scales
    quantized_bytes: U64  # of the quantized copy
    bytes: U64  # of the file
    element: Element


class RowFunctions(Functions, namespace="Rows", header="kindred/matcher/RowFunctions.hpp"):
    """C: Functions run where the rows are, unless a space is given."""

    @cpp(order="context, queries, rows, out, options")
    def row_scores(context: Context, queries: RowQueries, rows: GivenRows, options: MetricAndSpace, copy: Copy, out: RowScores):
        """The scores of all rows for every query, in the order of the rows, which are read where they are.

        C: They have the bits of an index of the rows. Threads do not wait for one another on the host.

        Args:
            queries: float32 [queries, dimension], or [dimension] for one query
            rows: float32, float16 or bfloat16 [count, dimension]; there may be gaps between rows
            out: float32 [queries, count], or [count] for one query

        Python Args:
            metric: ``"cosine"`` or ``"ip"``, larger is better; ``"l2"``, the Euclidean distance (not squared), smaller is better
            space: ``"serial"`` uses the calling thread only

        C Args:
            queries: float32 [queries, dimension], or [dimension] for one query; on the host or on a device, with any distance between rows, as all tensors of the call
            rows: [count, dimension] of float32, float16 or bfloat16; or int8, then all tensors are on the host without gaps
            scales: float32 [count], for int8 only
            metric: KINDRED_COSINE, KINDRED_IP or KINDRED_L2

        Returns:
            ``out``, or a new array beside the queries: float32 ``[queries, count]``, or ``[count]``

        Raises:
            InvalidType: an array has elements of another type
            InvalidArgument: a shape or an option does not fit

        >>> row_scores(np.float32([3, 4]), np.float32([[3, 4], [4, -3]]), metric="ip")
        array([25.,  0.], dtype=float32)
        """

    @cpp(order="context, queries, rows, options, out")
    def top_rows(context: Context, queries: RowQueries, rows: GivenRows, top: Top, options: MetricAndSpace, copy: Copy, out: RowRanking):
        """The exact best `top` rows of every query, without an index. Arguments and failures as of `row_scores`.

        Returns:
            ``(scores, ids)``: float32 and int64 ``[queries, top]``, or ``[top]`` for one query, best first; equal scores by lower row. Beyond the
            number of rows, ids are −1 and scores −inf (+inf under ``"l2"``).

        C Args:
            scores: float32 [queries, top], or [top], with a `top` of at least 1; -inf (+inf under KINDRED_L2) beyond the number of rows
            ids: int64, of the same shape: numbers of rows; -1 beyond

        >>> top_rows(np.float32([3, 4]), np.float32([[3, 4], [4, -3]]), 3, metric="ip")
        (array([ 25.,   0., -inf], dtype=float32), array([ 0,  1, -1]))
        """


class MoreRowFunctions(Functions, only="c", namespace="Rows", header="kindred/matcher/VectorFunctions.hpp"):
    """Functions of rows, and of files of them, that C alone has."""

    @cpp(name="row_scores")
    def cosine_rows(context: Context, query: Floats("dim"), rows: FloatRows, out: FloatsOut("count")):
        """`RowFunctions.row_scores` of one query by KINDRED_COSINE, for plain pointers to host memory.

        Args:
            query: dim numbers
            rows: count * dim numbers
            out: count numbers
        """

    @cpp(name="top_rows", order="context, query, rows, metric, out")
    def top_k_rows(context: Context, metric: MetricAlone, query: Floats("dim"), rows: FloatRows, out: FloatRanking):
        """`RowFunctions.top_rows` of one query, for plain pointers to host memory.

        Args:
            metric: KINDRED_COSINE, KINDRED_IP or KINDRED_L2
            query: dim numbers
            rows: count * dim numbers
            scores,ids: k of each; padded as of `RowFunctions.top_rows`
        """

    @cpp(order="context, query, rows, threshold, temperature, space")
    def cosine_sigmoids(context: Context, query: FloatRow("rows_given.dimension"), rows: SpanRows, threshold: Number, temperature: Number, space: SpaceAlone,
                        out: FloatMatrix("1", "rows_given.count()")) -> Values:
        """sigmoid((c - threshold) / max(temperature, 0.05)) for the cosine c of a query with every row, in the order of the rows.

        Args:
            query: float32 [dimension]
            rows: [count, dimension] of float32, float16, bfloat16, or int8 with `scales`
            out: float32 [count]
        """

    @cpp(order="context, rows, weights, space")
    def weighted_average(context: Context, rows: SpanRows, weights: FloatRow("rows_given.count()"), space: SpaceAlone,
                         out: FloatMatrix("1", "rows_given.dimension")) -> Values:
        """The average of rows with weights, elementwise; zeros if the weights sum to 0.

        Args:
            weights: float32 [count]
            out: float32 [dimension]
        """

    @cpp(name="weighted_average", order="context, rows, weights, space")
    def weighted_average_rows(context: Context, rows: RowPointers, weights: Floats("count"), space: SpaceAlone, out: FloatsOut("dim")) -> Values:
        """The same for float32 rows that are anywhere in host memory.

        Args:
            rows: count pointers, each to dim numbers
            weights: count numbers
            out: dim numbers
        """

    @cpp(name="recall_of")
    def recall(found: IdRows, truth: TrueIdRows) -> Found | All:
        """Compares the ids of approximate results with the true ones, row by row.

        Args:
            found,truth: int64 [queries, top]; the ids of a row are distinct, -1 is no id
            hits: true neighbours that were found
            all: true neighbours
        """

    @hand("c")
    def encode_rows(rows: FloatRow, out: EncodedRows):
        """Converts float32 rows, rounding to nearest, ties to even; int8 has one scale per row, the largest magnitude / 127. Finite numbers
        outside the range of the type are refused, for int8 all that are not finite.

        Args:
            rows: float32 [count, dimension]
            out: [count, dimension] of float32, float16, bfloat16 or int8
            scales: float32 [count], for int8 only
        """

    def decode_rows(rows: SpanRows, out: FloatMatrix("rows_given.count()", "rows_given.dimension")):
        """Converts rows to float32; an int8 is multiplied by its scale and rounded once.

        Args:
            rows: [count, dimension] of float32, float16, bfloat16, or int8 with `scales`
            out: float32 [count, dimension]
        """

    @cpp(name="VectorFile")
    def vectors_describe(path: Path, source: VectorsSource) -> VectorsInfo:
        """Reads the header of a file of vectors."""

    @hand("c")
    def vectors_read(path: Path, source: VectorsSource, first: Id, out: EncodedRows):
        """Reads the rows first ... first + count of a file of vectors, and converts them to the type of `out`, exactly to float32 or int64,
        otherwise as `encode_rows` does. After a failure, the arrays may have been written.

        Args:
            out: [count, dimension] of float32, float16, bfloat16 or int8; int64 for files of integers
            scales: float32 [count], for int8 only; 1 for a file of int8
        """

    @cpp(name="StoredVectors::build", order="context, path, to, options, progress")
    def vectors_build(context: Context, path: VectorsFile, source: VectorsSource, to: TargetFile, options: VectorsBuildOptions, progress: Progress):
        """Converts a file of vectors to one that kindred_index_load maps. It works in blocks: the file may exceed the memory.

        Args:
            path: the file to read; the id of a row is its number in it
            to: the file to write, atomically
            progress: receives the number of rows written so far
        """

    @cpp(name="StoredVectors::inspect")
    def vectors_inspect(path: Path, threads: Threads) -> VectorsFileInfo:
        """Validates every byte of a file of an index and describes its contents."""
