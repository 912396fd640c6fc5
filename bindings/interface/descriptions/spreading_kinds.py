# SPDX-License-Identifier: Apache-2.0
"""What arguments, options and results of graphs are in C and in Python"""


class Given(Kind):
    """What its lines make is `{n}_given`."""
    value = "{n}_given"


class InC(Kind):
    """Parameters of C alone."""

    def __init__(self, *declared):
        super().__init__()
        self.c = declared


class Node(Given):
    c = ("uint32_t {n}",)
    python = ("{n}: int",)
    lines = ('const std::uint32_t {n}_given = node_of(static_cast<std::uint64_t>(integer_of({n}, "{n}", 0)), "{n}");',)


class NodeIds(Given):
    c = ("const uint32_t* {n}", "size_t count")
    c_value = 'span_of({n}, count, "{n}")'
    python = ("{n}: Ids",)
    lines = ('const std::vector<std::uint32_t> {n}_given = nodes_of({n}, "{n}");',)


class EdgeCodes(Given):
    """One byte for each of the edges, or none at all."""
    c = ("const uint8_t* {n}?",)
    c_value = 'codes_of({n}, count, "{n}")'
    python = ("* {n}: Array | None = None",)
    lines = ('const std::vector<std::uint8_t> {n}_given = values_of<std::uint8_t>({n}, "{n}", edges_given.size(), "edges");',)


class Edges(Given):
    c = ("const kindred_edge* {n}", "size_t count")
    c_value = "edges_of({n}, count)"
    python = ("sources: Ids", "targets: Ids", "weights: Array | None = None")
    lines = ("const std::vector<Edge> {n}_given = edges_of(sources, targets, weights);",)


class EdgeEnds(Given):
    c = ("const kindred_edge_ends* {n}", "size_t count")
    c_value = "edge_ends_of({n}, count)"
    python = ("sources: Ids", "targets: Ids", "* kinds: Array | None = None")
    lines = ("const std::vector<EdgeEnds> {n}_given = edge_ends_of(sources, targets, kinds);",)


class NewNodes(Kind):
    """A number of nodes, or their names."""
    c = ("const kindred_text* names?", "size_t count", "const uint8_t* kinds?")
    python = ("{n}: int | Iterable[str | bytes]", "* kinds: Array | None = None")


class NewGraph(Given):
    """A graph as lists of its nodes and edges."""
    c = ("size_t nodes", "const kindred_edge* edges", "size_t edge_count", "const uint8_t* edge_kinds?", "const uint8_t* node_kinds?", "const kindred_text* names?")
    c_lines = ("const GivenGraph {n}_given(nodes, edges, edge_count, edge_kinds, node_kinds, names);",)
    c_value = "{n}_given"
    python = ("nodes: int", "sources: Ids", "targets: Ids", "weights: Array | None = None", "* edge_kinds: Array | None = None",
              "* node_kinds: Array | None = None", "* names: Iterable[str | bytes] | None = None")
    lines = ("const GivenGraph {n}_given(nodes, sources, targets, weights, edge_kinds, node_kinds, names);",)


class Csr(Kind):
    """A graph as compressed sparse rows."""
    c = ("const DLTensor* offsets!", "const DLTensor* ends!", "const DLTensor* weights?")
    c_value = "csr_of(offsets, ends, weights)"
    python = ("indptr: Array", "indices: Array", "data: Array | None = None", "* copy: bool = True")
    lines = ("const GivenRows {n}_given(indptr, indices, data, copy);",)
    value = "{n}_given.graph()"
    keeps = "{n}_given.borrowed()"


class ColumnPointers(Kind):
    """Compressed sparse rows with a column that is multiplied, and the result."""
    c = ("const int32_t* offsets!", "const int32_t* ends", "const float* weights?", "size_t nodes", "const float* x", "float* y")
    c_lines = ('const std::span<const float> from = span_of(x, nodes, "x");  // so that nodes + 1 is a number', 'const std::span<float> to = span_of(y, nodes, "y");')
    c_value = "csr_of(offsets, ends, weights, nodes), from, to"


class CsrDirection(Kind):
    c = ("int32_t {n}",)
    c_value = 'CsrHopOptions{enum_of<HopDirection>({n}, 2, "{n}"), {}}'


class CsrDirectionAndSpace(Kind):
    c = ("int32_t direction", "int32_t space")
    c_value = 'CsrHopOptions{enum_of<HopDirection>(direction, 2, "direction"), space_option(space)}'


class SourceLists(Kind):
    c = ("const uint32_t* nodes", "const float* values", "const uint64_t* offsets", "size_t queries")
    c_value = "sources_of(nodes, values, offsets, queries)"
    python = ("{n}: Any",)
    lines = ("const Sources {n}_given({n});",)
    value = "{n}_given.span()"


class SourceArrays(Queries):
    c = ("const DLTensor* offsets!", "const DLTensor* nodes!", "const DLTensor* values!")
    c_value = 'SpreadSources(array_of(offsets, "offsets"), array_of(nodes, "nodes"), array_of(values, "values"))'
    python = ("offsets: Array", "nodes: Array", "values: Array")
    lines = ("const SourceArrays {n}_given(offsets, nodes, values, order, copying);",)
    value = "{n}_given.sources()"


class SpreadArrays(Kind):
    """Nodes and values of the results."""
    c = ("DLTensor* out_nodes!", "DLTensor* out_values!")
    c_lines = ('const Array out_nodes_array = output_array_of(out_nodes, "out_nodes");', 'check_columns(out_nodes_array, "out_nodes", options_given.top);')
    c_value = 'SpreadOutput{out_nodes_array, output_array_of(out_values, "out_values")}'
    python = ("* {n}: tuple[Array, Array] | None = None",)
    lines = ("const ResultArrays {n}_given(*shared->context, sources_given, {n}, top, order);",)
    value = "{n}_given.output()"
    returns = ("tuple[Any, Any]", "{n}_given.made()")


class Columns(Queries):
    lines = ('const Input {n}_array({n}, "{n}", &order, copying, Layout::dense);', *Queries.lines[1:])


class Products(Output):
    """An array of the shape of x."""
    python = ("* out: Array | None = None",)
    lines = ("const nb::object made = out.is_none() ? empty_array(x, x_array, DataType::float32, x_array.shape()) : nb::borrow(out);",
             'const Output {n}_array(made, "out", &order);', "{n}_array.require(DataType::float32, x_array.shape());")
    value = "{n}_array.array()"
    returns = ("Any", "made")


class TopField(Field):
    """None: all."""
    members = ("uint64_t {n}",)
    python = "int | None"
    value = '{n}.is_none() ? std::numeric_limits<std::size_t>::max() : static_cast<std::size_t>(integer_of({n}, "{n}", 1))'


class StoredWeightsField(Field):
    members = ("int32_t weights",)
    defaults = ("KINDRED_WEIGHTS_FLOAT32",)
    c_lines = ('out.weights = enum_of<EdgeWeights>(given.weights, 3, "weights");',)
    python = "str"
    value = 'value_of({n}, "{n}", edge_weights_names)'
    assign = "options.weights = {value};"


class KindBitsField(Field):
    """A set of 256 kinds, all of them by default."""
    members = ("uint64_t {n}[4]",)
    defaults = ("{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}",)
    c_value = "edge_kinds(given.{n})"
    python = "Ids | None"
    value = "kinds_of({n})"


class DecayField(Field):
    """In C the parameter; in Python the kind, too."""
    members = ("double {n}",)
    defaults = ("0.7",)
    c_lines = ("out.{n}.parameter = given.{n};",)
    python = "tuple[str, float]"
    value = "decay_of({n}, decay_kind_names)"


class KindOfDecayField(Field):
    members = ("int32_t {n}",)
    defaults = ("KINDRED_DECAY_EXPONENTIAL",)
    c_lines = ('out.decay.kind = enum_of<Decay::Kind>(given.{n}, 4, "{n}");',)


class ThresholdField(Field):
    members = ("double {n}",)
    defaults = ("-1",)
    c_value = "threshold_option(given.{n})"
    python = "float | None"
    value = "threshold_of({n})"


class PerQueryField(ListOfField):
    c_lines = ('out.{n} = out.queries = queries_of(given.{n}, given.{n}_size);',)
    python = "Sequence[SpreadQuery] | None"
    value = "options.queries = queries_of({n}, decay_kind_names)"


class ModifiersField(Field):
    members = ("const kindred_modifiers* {n}",)
    defaults = ("NULL",)
    c_lines = ("if (given.{n} != nullptr) out.{n} = modifiers(given.{n});",)
    python = "SpreadModifiers | None"
    value = "modifiers_of({n}, fan_kind_names)"


class PrecisionField(Field):
    """An enumeration that is a flag in C."""
    members = ("int32_t bfloat16",)
    defaults = ("0",)
    c_value = "given.bfloat16 != 0 ? ActivationPrecision::bfloat16 : ActivationPrecision::float32"
    python = "str"
    value = 'value_of({n}, "{n}", precisions)'


class StrengthsField(Field):
    members = ("double {n}[8][8]",)
    defaults = ("{" + ", ".join(["{1, 1, 1, 1, 1, 1, 1, 1}"] * 8) + "}",)
    c_lines = ("std::memcpy(&out.{n}, given.{n}, sizeof(given.{n}));",)


class FanFactorsField(Field):
    members = ("double {n}[8]",)
    defaults = ("{1, 1, 1, 1, 1, 1, 1, 1}",)
    c_lines = ("for (std::size_t kind = 0; kind < out.kinds; ++kind) out.fans[kind].factor = given.{n}[kind];",)


class FanKindsField(Field):
    members = ("int32_t {n}[8]",)
    defaults = ("{0, 0, 0, 0, 0, 0, 0, 0}",)
    c_lines = ("for (std::size_t kind = 0; kind < out.kinds; ++kind)",
               '  out.fans[kind].kind = enum_of<SpreadModifiers::Fan::Kind>(given.{n}[kind], 3, "modifiers.{n}");')


class NodeOrNone(Result):
    c = ("int64_t* node",)
    c_write = "*node = number_or_none({found});"
    python = "int | None"
    value = "found ? nb::object(nb::int_(*found)) : nb::none()"


class NodeList(Result):
    c = ("uint32_t* nodes?",)
    python = "NDArray[np.int64]"


class Removed(Result):
    c = ("uint64_t* removed?",)
    c_write = "write_optional(removed, {found});"
    python = "int"


class SpreadRows(Ragged):
    c_write = "*results = make_handle_of<kindred_results>(results_of({found}, options_given.trace_paths > 0));"
    python = "Spread"
    value = "spread_of(found, options_given.options.trace_paths > 0)"
    wrap = "Spread(*{call})"
