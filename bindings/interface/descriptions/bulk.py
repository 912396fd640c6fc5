# SPDX-License-Identifier: Apache-2.0
"""Bulk: operations on lists of arrays and on single arrays, and prepared calls"""
C_INCLUDES = ("Bulk.hpp", "Prepared.hpp")
PYTHON_INCLUDES = ("Prepared.hpp",)


class Choice(Kind):
    """One of the {1} values of the enumeration {0}."""
    c = ("int32_t {n}",)
    c_value = 'enum_of<{0}>({n}, {1}, "{n}")'
    python = ("{n}: str",)


class ArrayList(Queries):
    """Arrays that a call reads: as many as the parameter `count`; in Python one array, or a list."""
    c = ("const DLTensor* const* {n}",)
    c_lines = ('const std::vector<ConstArray> {n}_list = arrays_of({n}, count, "{n}");',)
    c_value = "bulk_arrays({n}_list)"
    python = ("{n}: Arrays",)


class CountedArrayList(ArrayList):
    c = ("const DLTensor* const* {n}", "size_t count")


class OperandList(Kind):
    """The second operand of `operation` on `arrays`, or a number."""
    c = ("const DLTensor* const* {n}?", "double number")
    c_lines = ("const std::vector<ConstArray> {n}_list = {n} == nullptr ? std::vector<ConstArray>() : arrays_of({n}, count, \"{n}\");",)
    c_value = "{n} == nullptr ? number_operand(operation, number, arrays_list) : bulk_arrays({n}_list)"
    python = ("other: Arrays | float | None = None",)


class KeyList(Kind):
    """Arrays that a call writes, too."""
    c = ("DLTensor* const* {n}",)
    c_lines = ('const std::vector<Array> {n}_list = output_arrays_of({n}, count, "{n}");',)
    c_value = "bulk_arrays({n}_list)"


class ResultList(KeyList):
    c = ("DLTensor* const* {n}", "size_t count")
    python = ("* out: Arrays | None = None",)


class FilledList(Queries):
    """Arrays that a call only writes."""
    c, c_lines, c_value = ResultList.c, ResultList.c_lines, ResultList.c_value
    python = ("out: Arrays",)


class ResultArray(Kind):
    c = ("DLTensor* {n}!",)
    c_value = 'output_array_of({n}, "{n}")'
    python = ("* out: Array | None = None",)


class StreamSeed(Kind):
    c = ("uint64_t {n}",)
    python = ("{n}: int",)


class SystemSeed(Kind):
    c = ("uint64_t {n}",)
    c_value = "{n} == KINDRED_UNSET ? std::optional<std::uint64_t>() : {n}"


class StreamOffset(Kind):
    c = ("uint64_t {n}",)
    python = ("* {n}: int = 0",)


class Preparation(Kind):
    """Whether the call is prepared instead of running; in the extension of Python, `copy` says so."""
    c = ("kindred_prepared** {n}?",)


class BulkDone(Result):
    c = ("kindred_bulk_report* report?", "kindred_record* record?")
    c_check = 'check_output(report, "report", true);\ncheck_record(record);'
    c_write = "write_bulk_report(report, record, {found});"
    python = "Any"


class ElementWise(Enum, c="KINDRED_BULK_", values="add multiply square square_root exponential", python={"square_root": "sqrt", "exponential": "exp"}):
    """Operations on every element."""


class Reduction(Enum, c="KINDRED_REDUCE_", values="sum min max mean deviation"):
    """Reductions to one number."""


class BulkOptions(Options, c="bulk_options", hand="python"):
    """Options of an operation."""
    batch_bytes: Count(0) = 0  # bytes of arrays on a device at a time; 0: the best size
    space: Space = None  # instead of the dispatcher's choice; C: KINDRED_SPACE_ANY: the dispatcher chooses; for a prepared call, the device for arrays there, otherwise the host
    reproducible: Flag("true", "false") = False  # the same bits on every space, but slower; otherwise those of the fastest library; C: of products; nonzero: the same bits on every space, but slower
    stream: Stream = None


class BulkReport(Statistics, c="bulk_report", noun="report"):
    """The batches of an operation."""
    batches: U64  # 1 on the host, where nothing is copied
    batch_bytes: U64  # bytes of arrays on the device at a time; 0 on the host
    splits: U64  # how often the batch was halved because of insufficient memory


class Prepared(Handle, c="prepared", namespace="PreparedCalls", header="kindred/matcher/Bulk.hpp"):
    """A prepared call.

    C: A call with the parameter `prepared` is checked and partitioned, and does not run. Its tensors must stay in place as long as the handle is used: on a device, or in host memory. A run
    computes their current contents, and neither allocates nor copies. A prepared call is not thread-safe.
    """

    @changes
    def run(self):
        """Runs the call. On a device, does not fence: the stream of the options orders it, or that of the context; on the host, the result is complete on return."""

    @changes
    def wait(self):
        """Waits for the last run."""

    @gil("constant")
    @only("python")
    def space(self) -> EnumName:
        """Where the call runs."""


class Bulk(Handle, c="bulk", namespace="Bulks", kept=True, header="kindred/matcher/Bulk.hpp"):
    """Operations on whole arrays, with the same bits on every machine and space, products excepted. Thread-safe.

    C: Arrays are of bool, integers, float32 or float64, all of one type. Lists are in host memory; a single array per operand may be on a device, too, where it is used in place, except by
    `normalise` and `random_fill`. Prepared calls take lists on a device as well. Only rows of a matrix may have gaps between them. A result has the shape of its array, may be
    the array itself, and must not overlap any other array of the call. Integers wrap around; bool elements are 0 or 1: ADD is "or", MULTIPLY is "and". On a stream, which must outlive the context, a call fences if it
    needs more workspace than the calls before it on that stream. If `prepared` is not NULL, it receives the prepared call, which does not run yet; this fences the stream, which must outlive it, and `report` and `record` are
    not written.

    Python: Arrays are one array, or a list of them, of bool, integers, float32 or float64, and of one type; there may be gaps between rows. A list is one launch. All lie on the host or, except
    for lists, all on the device of the context. On a device they are used in place; the call is ordered by ``stream`` (by default the current stream of the library of the first
    array) and does not wait for the device, and the stream must outlive this object. Workspace is kept for later calls.

    Python: Arguments of all calls: ``space`` instead of the dispatcher's choice; ``out`` takes the result, which is otherwise a new array beside the
    first one; ``copy=False`` raises where the layout of an array would need a copy.

    Python Args:
        context: None: the default context

    >>> bulk = Bulk()
    >>> bulk.element_wise("add", np.int8([100, -3]), 100)
    array([-56,  97], dtype=int8)
    >>> bulk.reduce("mean", np.uint8([[1, 2], [3, 4]]))
    array([1.5, 3.5])
    """

    @only("python")
    def create(context: Context) -> New:
        """Creates the object that keeps the workspace of operations."""

    @hand("python")
    @python("called")
    @c("xor")
    @cpp(name="call<&Bulk::xor_elements, &Bulk::prepare_xor>", order="options, prepared, arrays, keys, results")
    @without("batch_bytes", "reproducible")
    def xor_elements(self, arrays: ArrayList, keys: ArrayList, results: ResultList, options: BulkOptions, prepared: Preparation) -> BulkDone:
        """results[i] = arrays[i] ^ keys[i], bit by bit, of bool or integers.

        C Args:
            arrays: count tensors, as all lists
        """

    def xor(self, arrays: Arrays, keys: Arrays, *, space: str | None = None, out: Arrays | None = None, stream: Stream = None,
            copy: bool | None = None) -> Any:
        """``arrays ^ keys``, bit by bit, of bool or integers of the same shapes. Raises as :meth:`element_wise`.

        >>> Bulk().xor(np.uint8([12, 10]), np.uint8([10, 10]))
        array([6, 0], dtype=uint8)
        """
        return self._native.xor_elements(arrays, keys, space, out, stream, copy)

    @only("c")
    @cpp(name="call<&Bulk::xor_with_new_keys>", order="options, arrays, keys, results, seed")
    def xor_with_new_keys(self, arrays: ArrayList, keys: KeyList, results: ResultList, seed: SystemSeed, options: BulkOptions) -> BulkDone:
        """The same of uint8 in host memory with generated keys, which are written to `keys`. Not a cipher: the seed determines them.

        C Args:
            seed: KINDRED_UNSET: from the system
        """

    @hand("python")
    @cpp(name="call<&Bulk::element_wise, &Bulk::prepare_element_wise>", order="options, prepared, operation, arrays, others, results")
    @without("batch_bytes", "reproducible")
    def element_wise(self, operation: Choice("ElementWise", 5), arrays: ArrayList, others: OperandList, results: ResultList, options: BulkOptions,
                     prepared: Preparation) -> BulkDone:
        """One operation on every element. Integers wrap around; of bool, add is "or" and multiply is "and".

        C: Integers have no square roots and exponentials.

        C Args:
            operation: KINDRED_BULK_...
            others: the second operands of ADD and MULTIPLY, of the shapes of `arrays`; one tensor of a single element in host memory, for one array; or NULL: `number`, which must be a number of the element type for bool and integers

        Python Args:
            operation: ``"add"`` or ``"multiply"`` with other arrays or a number; ``"square"``, ``"sqrt"`` or ``"exp"``, the latter two of floating-point numbers
            other: of the shapes of ``arrays``; or a number, which their type must be able to represent
            out: of the shapes of ``arrays``; may be ``arrays`` or ``other``

        Raises:
            InvalidType: an array has elements of another type
            InvalidArgument: a shape or the operation does not fit

        >>> Bulk().element_wise("sqrt", np.float32([1, 4]))
        array([1., 2.], dtype=float32)
        """

    @hand("python")
    @cpp(name="call<&Bulk::normalise, &Bulk::prepare_normalise>", order="options, prepared, arrays, results")
    @without("batch_bytes", "reproducible")
    def normalise(self, arrays: ArrayList, results: ResultList, options: BulkOptions, prepared: Preparation) -> BulkDone:
        """(x − mean) / (deviation + 1e-8) of every element x of float32 or float64, each array by itself.

        C: Arrays have no gaps.

        Python: On the host. Raises as :meth:`element_wise`.

        >>> Bulk().normalise(np.float64([1, 3])).round(6)
        array([-1.,  1.])
        """

    @hand("python")
    @cpp(name="call<&Bulk::random_fill, &Bulk::prepare_random_fill>", order="options, prepared, results, seed, offset")
    @without("batch_bytes", "reproducible")
    def random_fill(self, results: FilledList, seed: StreamSeed, offset: StreamOffset, options: BulkOptions, prepared: Preparation) -> BulkDone:
        """Uniform random numbers: of uint8, or of float32 or float64 in [0, 1). The arrays receive consecutive parts of a stream.

        C Args:
            offset: position of the first number in the stream of `seed`

        Python: On the host. Raises as :meth:`element_wise`.

        Python Args:
            out: arrays of uint8, float32 or float64
            seed: of the random stream
            offset: the position where it begins

        >>> numbers = Bulk().random_fill(np.empty(4), 1)
        >>> (numbers == Bulk().random_fill(np.empty(3), 1, offset=1)[0]).tolist()
        [False, True, False, False]
        """

    @hand("python")
    @cpp(name="call<&Bulk::reduce, &Bulk::prepare_reduce>", order="options, prepared, reduction, arrays, results")
    @without("batch_bytes", "reproducible")
    def reduce(self, reduction: Choice("Reduction", 5), arrays: CountedArrayList, results: ResultArray, options: BulkOptions, prepared: Preparation) -> BulkDone:
        """Reduces arrays to numbers. Sums of floating-point numbers are reproducible.

        C: Each array of one dimension has one result, and each row of a matrix. Sums of integers are exact modulo 2^64; integers have no deviation.

        Python: Those of integers are exact modulo 2⁶⁴. The ``"sum"``, ``"min"``, ``"max"``, ``"mean"`` or ``"deviation"`` of every row of a matrix, or of an array of one dimension; of a list, of every array.

        C Args:
            reduction: KINDRED_REDUCE_...
            results: one element each, which overlap no array: of the type of the arrays, or float64; for sums of bool and integers int64 or, of unsigned ones, uint64, for their means float64; minima and maxima of integers may have these 64 bits, too. A prepared call needs elements of 64 bits

        Python Args:
            out: ``[rows]``, or one element per array

        Returns:
            ``out``, or a new array: of the type of ``arrays``; sums of bool and integers are int64 or, of unsigned ones, uint64, their means
            float64

        Raises:
            InvalidArgument: a shape or the reduction does not fit, or a row without elements has none

        >>> Bulk().reduce("max", np.float32([[1, 2], [4, 3]]))
        array([2., 4.], dtype=float32)
        """

    @hand("python")
    @cpp(name="call<&Bulk::multiply, &Bulk::prepare_multiply>", order="options, prepared, a, b, c")
    @without("batch_bytes")
    def multiply(self, a: ArrayList, b: ArrayList, c: ResultList, options: BulkOptions, prepared: Preparation) -> BulkDone:
        """The matrix products of float32 or float64 `a` [m, k] and `b` [k, n], or of batches of them, [batch, m, k] and [batch, k, n].

        C: Matrices have no gaps, and c overlaps no input. Reproducible products on a stream wait for it once.

        Python Args:
            out: ``[m, n]`` or ``[batch, m, n]``

        Raises:
            InvalidType: an array has elements of another type
            InvalidArgument: the shapes do not fit

        >>> Bulk().multiply(np.float32([[1, 2]]), np.float32([[3], [4]]))
        array([[11.]], dtype=float32)
        """

    def __repr__(self) -> str:
        return "<pykindred.Bulk: closed>" if self._native.is_closed() else "<pykindred.Bulk>"
