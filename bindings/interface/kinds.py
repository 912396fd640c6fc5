# SPDX-License-Identifier: Apache-2.0
"""The vocabulary of descriptions: what a parameter, a field or a result of each kind is in C and in Python.

A kind is a table of templates, in which {n} is the name of the parameter and {0}, {1} are the arguments of the annotation: `Count(1)`.
`c` and `python` declare it; `..._lines` come before the call; `..._value` is the expression that the call of C++ gets.
"""


class Kind:
    c = ()  # parameters of C; a trailing `?` marks one that may be NULL, `!` one that is checked by require
    c_lines = ()
    c_value = "{n}"
    python = ()  # parameters of Python: `name: type`, `name: type = default`; after `*`, by name alone
    lines = ()
    value = "{n}"

    def __init__(self, *arguments):
        self.arguments = arguments

    def filled(self, template, name):
        return template.replace("{n}", name).replace("{0}", str((*self.arguments, "")[0])).replace("{1}", str((*self.arguments, "", "")[1]))


# Parameters

class Context(Kind):
    c = ("kindred_context* context",)
    c_lines = ("const SharedContext& shared = context_of(context);",)
    c_value = "*shared"
    python = ("* context: Context | None = None",)
    lines = ("const SharedContext shared = context_of(context);",)
    value = "*shared"


class Path(Kind):
    c = ("const char* {n}",)
    c_value = 'path_of({n}, "{n}")'
    python = ("{n}: StrPath",)
    lines = ('const std::string {n}_text = path_of({n}, "{n}");',)
    value = "{n}_text"


class Bytes(Kind):
    c = ("const uint8_t* {n}", "size_t size")
    c_value = 'std::as_bytes(span_of({n}, size, "{n}"))'
    python = ("data: Bytes",)
    lines = ('const Input data_array(data, "data", nullptr, Copying::if_needed, Layout::dense);', "const std::span<const std::byte> {n} = data_array.host_bytes();")


class Threads(Kind):
    c = ("int32_t {n}",)
    c_value = "threads_argument({n})"
    python = ("* {n}: int = 0",)
    lines = ("const int {n}_number = threads_of({n});",)
    value = "{n}_number"


class Count(Kind):
    """An integer that is at least {0}."""
    c = ("size_t {n}",)
    python = ("{n}: int",)
    lines = ('const auto {n}_number = static_cast<std::size_t>(integer_of({n}, "{n}", {0}));',)
    value = "{n}_number"


class Id(Kind):
    c = ("uint64_t {n}",)
    python = ("{n}: int",)
    lines = ('const auto {n}_number = static_cast<std::uint64_t>(integer_of({n}, "{n}", 0));',)
    value = "{n}_number"


class Float(Kind):
    c = ("float {n}",)
    python = ("{n}: float",)
    lines = ('const auto {n}_number = static_cast<float>(number_of({n}, "{n}"));',)
    value = "{n}_number"


class Ids(Kind):
    c = ("const uint64_t* {n}", "size_t count")
    c_lines = ('const std::span<const std::uint64_t> {n}_given = span_of({n}, count, "{n}");',)
    c_value = "{n}_given"
    python = ("{n}: Ids",)
    lines = ('const std::vector<std::uint64_t> {n}_given = ids_of({n}, "{n}");',)
    value = "{n}_given"


class Queries(Kind):
    """An array of float32, of which a single row may have one dimension."""
    c = ("const DLTensor* {n}!",)
    c_value = 'array_of({n}, "{n}")'
    python = ("{n}: Array",)
    lines = ('const Input {n}_array({n}, "{n}", &order, copying);', "{n}_array.require_type({DataType::float32});", "{n}_array.require_rank(1, 2);")
    value = "{n}_array.array()"


class Candidates(Kind):
    c = ("const DLTensor* {n}!",)
    c_value = 'array_of({n}, "{n}")'
    python = ("{n}: Array",)
    lines = ('const Input {n}_array({n}, "{n}", &order, copying);', "{n}_array.require_type({DataType::int64});",
             "{n}_array.require_rank(queries_array.rank(), queries_array.rank());",
             "const std::int64_t top_number = top.is_none() ? std::max<std::int64_t>({n}_array.extent({n}_array.rank() - 1), 1) : integer_of(top, \"top\", 1);")
    value = "{n}_array.array()"


class HostQueries(Kind):
    """Float32 on the host without gaps."""
    c = ("const DLTensor* {n}",)
    c_lines = ("std::uint64_t rows = 0;", 'const std::span<const float> {n}_given = matrix_of<float>({n}, "{n}", object.dimension(), &rows);')
    c_value = "{n}_given"
    python = ("{n}: Array",)
    lines = ("const HostQueries {n}_given({n}, object.dimension());",)
    value = "{n}_given.values()"


class Progress(Kind):
    """A callback on the calling thread, which may cancel."""
    c = ("kindred_progress_callback {n}?", "void* user?")
    c_value = "progress_of({n}, user)"
    python = ("* {n}: Callable[[int], object] | None = None",)
    lines = ('const std::function<void(std::uint64_t)> {n}_call = progress_of({n}, "{n}");',)
    value = "{n}_call"


class Rows(Kind):
    """Rows on the host without gaps, of any element type."""
    c = ("const DLTensor* {n}", "const DLTensor* scales?")
    c_value = 'rows_of({n}, scales, "{n}")'
    python = ("{n}: Array", "* scales: Array | None = None")


class RowArray(Kind):
    """Rows to add, on the host or on a device; there may be gaps between them."""
    c = ("const DLTensor* {n}", "const DLTensor* scales?")
    c_value = "row_array_of({n}, scales)"
    python = ("{n}: Array", "* scales: Array | None = None")
    lines = ('const VectorRows {n}_given({n}, scales, "{n}", scales.is_none() ? Layout::rows : Layout::dense);',
             "{n}_given.input().require_rank(2, 2);", "{n}_given.input().require_columns(object.dimension());")
    value = "{n}_given.array()"


class Flag(Kind):
    c = ("int32_t {n}",)
    c_value = "{n} != 0"
    python = ("* {n}: bool = False",)


class Span(Kind):
    """Elements {0}."""
    c = ("const {0}* {n}", "size_t count")
    c_value = 'span_of({n}, count, "{n}")'


class Text(Kind):
    c = ("const char* {n}", "size_t size")
    c_value = 'text_of({n}, size, "{n}")'
    python = ("{n}: str | bytes",)
    lines = ('const std::string {n}_text = bytes_of_text({n}, "{n}");',)
    value = "{n}_text"


class Texts(Kind):
    c = ("const kindred_text* {n}", "size_t count")
    c_value = 'texts_of({n}, count, "{n}")'
    python = ("{n}: Iterable[str | bytes]",)


# Outputs: arrays of the caller in C; in Python the argument `out`, or new arrays, which are then the result

class Ranked(Kind):
    """Scores and ids of the best of every query."""
    c = ("DLTensor* scores!", "DLTensor* ids!")
    c_lines = ('const Array scores_array = output_array_of(scores, "scores");', 'check_columns(scores_array, "scores", options_given.top);')
    c_value = '{scores_array, output_array_of(ids, "ids")}'
    python = ("* {n}: tuple[Array, Array] | None = None",)
    lines = ("const RankedOutputs {n}_arrays(*shared->context, queries, queries_array, {n}, {top}, &order);",)
    value = "{n}_arrays.arrays()"
    returns = ("tuple[Any, Any]", "{n}_arrays.made()")


class Output(Kind):
    c = ("DLTensor* {n}!",)
    c_value = 'output_array_of({n}, "{n}")'
    python = ("* {n}: Array | None = None",)
    returns = ("Any", "")


class Matrix(Kind):
    """New rows of float32: as many as {0} has, of {1} elements."""
    c = ("DLTensor* {n}",)
    c_value = 'output_matrix_of<float>({n}, "{n}", {0}_given.size(), {1})'
    lines = ('const RowsOutput {n}_made(empty_matrix(*shared->context, {0}_given.size(), {1}), "{n}");',)
    value = "{n}_made.values<float>()"
    returns = ("NDArray[np.float32]", "{n}_made.made()")


class EnumArgument(Kind):
    c = ("int32_t {n}",)
    python = ("* {n}: str",)
    value = "{n}_value"

    def __init__(self, enum):
        super().__init__()
        self.enum = enum
        if enum.default:
            self.python = (f'* {{n}}: str = "{enum.default}"',)
        self.lines = (f'const {enum.cpp} {{n}}_value = value_of({{n}}, "{{n}}", {enum.table});',)
        self.c_value = f'enum_of<{enum.cpp}>({{n}}, {len(enum.values)}, "{{n}}")'


# Fields of options: `python` is their type, `value` converts the argument; the names of fields are those of C++

class Field(Kind):
    members = ()  # of the struct of C
    defaults = ()  # of these
    comments = ()  # of these in C; that of the field replaces the first
    c_value = "given.{n}"  # of the struct, for C++
    assign = "options.{n} = {value};"
    python_out = ('out["{n}"] = {value};',)  # of statistics


class CountField(Field):
    members = ("uint64_t {n}",)
    python = "int"
    value = 'static_cast<std::size_t>(integer_of({n}, "{n}", {0}))'


class FlagField(Field):
    """True is {0} of C++, False is {1}."""
    members = ("int32_t {n}",)
    c_value = "given.{n} != 0 ? {0} : {1}"
    python = "bool"
    value = 'flag_of({n}, "{n}") ? {0} : {1}'


class FilterField(Field):
    members = ("const uint8_t* {n}", "uint64_t {n}_size", "const uint64_t* {n}_bits", "uint64_t {n}_bits_size")
    c_lines = ('out.{n} = span_of(given.{n}, given.{n}_size, "{n}");', 'out.{n}_bits = span_of(given.{n}_bits, given.{n}_bits_size, "{n}_bits");')
    defaults = ("NULL", "0", "NULL", "0")
    comments = ("one byte per id: a row may be returned if it is nonzero; NULL: every row", "",
                "the same as bits, for all queries or one bitmap per query; not together with `filter`", "words")
    python = "Array | None"
    assign = "m_{n}.emplace({n}).set(options);"
    holds = "std::optional<Filter> m_{n};"


class StreamField(Field):
    members = ("int32_t has_{n}", "void* {n}")
    c_value = "stream_option(given.has_{n}, given.{n})"
    defaults = ("0", "NULL")
    comments = ("nonzero: `stream` orders a call on tensors on a device", "")
    python = "Stream"


class EnumField(Field):
    """{0} is the enumeration."""
    members = ("int32_t {n}",)

    def __init__(self, enum):
        super().__init__(enum.cpp)
        self.enum = enum
        self.comments = ("" if enum.prefix == "KINDRED_" else enum.prefix + "...",)
        self.python = "str | None" if enum.any else "str"
        if enum.name in ("Space", "Residency"):  # with messages of their own
            self.c_value = f"{enum.name.lower()}_option(given.{{n}})"
        elif enum.any:
            self.c_value = None
            self.c_lines = (f'if (given.{{n}} != {enum.constant(enum.any)}) out.{{n}} = enum_of<{enum.cpp}>(given.{{n}}, {len(enum.values)}, "{{n}}");',)
        else:
            self.c_value = f'enum_of<{enum.cpp}>(given.{{n}}, {len(enum.values)}, "{{n}}")'
        self.value = f'value_of({{n}}, "{{n}}", {enum.table})'
        if enum.any:
            self.assign = "if (!{n}.is_none()) options.{n} = {value};"
        self.python_out = ('out["{n}"] = std::string(to_string({value}));',)


class MemberField(Field):
    """A member of the type {0} that C alone has; its default is that of the field, or {1}."""

    def __init__(self, type, default=None):
        super().__init__()
        self.members, self.defaults = (f"{type} {{n}}",), (default,) if default else ()


class DoubleField(Field):
    members = ("double {n}",)
    python = "float"
    value = 'number_of({n}, "{n}")'


class U32Field(Field):
    """At least {0}; greater numbers than its type has are the greatest one."""
    members = ("uint32_t {n}",)
    python = "int"
    value = 'narrow_of<std::uint32_t>({n}, "{n}", {0})'

    def __init__(self, lowest=0):
        super().__init__(lowest)


class ListOfField(Field):
    members = ("const {0}* {n}", "uint64_t {n}_size")
    defaults = ("NULL", "0")


class HasField(Field):
    members = ("int32_t {n}",)
    c_out = ("out.{n} = {value} ? 1 : 0;",)


class PerSpaceField(Field):
    members = ("uint64_t {n}[3]",)
    defaults = ("{0, 0, 0}",)
    c_out = ("std::copy(std::begin({value}), std::end({value}), out.{n});",)
    python_out = ('out["host_bytes"] = {value}[space_index(Space::serial)];', 'out["device_bytes"] = {value}[space_index(Space::cuda)];')


# Results: `c` is a parameter that the call writes, `python` the type, `value` an expression of what C++ returned, `found`

class Result(Kind):
    c_write = "*{n} = {found};"
    optional = False
    python = "None"
    value = "found"


class Nothing(Result):
    c_write = "{found};"
    value = ""


class Out(Result):
    """A number of the type {0}, which is {1} in Python."""

    def __init__(self, type, python="int"):
        super().__init__()
        self.c, self.python = (f"{type}* {{n}}",), python


class Size(Result):
    c = ("size_t* {n}",)
    python = "int"


class U64(Result):
    c = ("uint64_t* {n}",)
    python = "int"
    python_out = Field.python_out


class Bool(Result):
    c = ("int32_t* {n}",)
    c_write = "*{n} = {found} ? 1 : 0;"
    python = "bool"


class Has(Bool):
    c = ("int32_t* has",)
    c_write = "*has = {found} ? 1 : 0;"


class FirstId(Result):
    c = ("uint64_t* first_id?",)
    c_write = "write_optional(first_id, {found});"
    python = "range"
    value = "range_of(found, rows_given.input().extent(0))"


class List(Result):
    """A list of elements {0}."""
    c = ("{0}* {n}", "size_t capacity", "size_t* count!")
    c_write = 'write_list({found}, {n}, capacity, count, "{n}");'


class IdList(List):
    c = ("uint64_t* {n}", *List.c[1:])
    python = "NDArray[np.int64]"
    value = "ids_array_of(found)"


class ByteText(Result):
    c = ("kindred_string** bytes",)
    c_write = "*bytes = make_string({found});"
    python = "bytes"
    value = "bytes_of(found)"


class Ragged(Result):
    c = ("kindred_results** results",)
    c_write = "*results = make_handle_of<kindred_results>(results_of({found}));"
    python = "Ragged"
    value = "ragged_of(found.results)"
    before = ("keep_record(found.record);",)
    wrap = "Ragged(*{call})"


class Record(Result):
    """Where a call ran, which C++ returned; with others, its member `record`."""
    c = ("kindred_record* record?",)
    c_write = "write_record(record, {found});"
    c_check = "check_record(record);"


class RecordOf(Record):
    """The record in what C++ returned."""


class EnumName(Result):
    c = ("int32_t* {n}",)
    c_write = "*{n} = static_cast<std::int32_t>({found});"
    python = "str"
    value = "std::string(to_string(found))"
