# SPDX-License-Identifier: Apache-2.0
"""The kinds of parameters, fields and results of seeds."""


# Fields

class MemberField(Field):
    """Of the type {0} of C; {1}: the size of an array."""
    members = ("{0} {n}{1}",)


class ViewField(Field):
    """What lies in an object of C++: elements of the type {0}."""
    members = ("const {0}* {n}", "uint64_t {n}_size")
    defaults = ("NULL", "0")
    c_out = ("out.{n} = {value}.data();", "out.{n}_size = {value}.size();")


class TensorField(Field):
    members = ("const DLTensor* {n}",)
    defaults = ("NULL",)
    c_value = 'array_of(given.{n}, "seeds.{n}")'


class ModesField(EnumField):
    """An enumeration of the struct `seeds`."""

    def __init__(self, enum):
        super().__init__(enum)
        self.c_value = self.c_value.replace('"{n}"', '"seeds.{n}"')


class OutputField(Field):
    """A tensor of the struct {0} that may be missing."""
    members = ("DLTensor* {n}",)
    defaults = ("NULL",)
    c_value = 'output_or_none(given.{n}, "{0}.{n}")'
    python = "Array | None"
    assign = "{}"  # an array of the call


class WorkspaceBytesField(Field):
    """Where a call writes the size of its workspace instead of running."""
    members = ("uint64_t* {n}",)
    defaults = ("NULL",)
    c_value = None
    assign = "{}"


class TransitionCallbackField(Field):
    members = ("kindred_transition_callback {n}", "void* transition_user")
    defaults = ("NULL", "NULL")
    c_value = "listener_of(given.{n}, given.transition_user)"
    assign = "{}"  # it is an argument of its own


class TupleField(Field):
    """A named tuple of numbers. In C, they are members of the struct, those of 8 bytes first."""
    python = "Any"

    def __init__(self, items):
        super().__init__()
        ordered = sorted(items, key=lambda one: one.kind == "int")
        self.members = [("int32_t " if one.kind == "int" else "double ") + one.name for one in ordered]
        self.defaults = [one.default for one in ordered]
        self.comments = [one.doc for one in ordered]
        self.c_lines = [f'set_number(out.{{n}}.{one.name}, given.{one.name}, "{one.name}");' for one in ordered]
        self.native = "\n".join(["auto {n}_of(nb::handle given) {", '  const nb::tuple items = tuple_of(given, "{n}", ' + f"{len(items)});", "  decltype(SeedLayerOptions::{n}) out;",
                                 *(f'  set_number(out.{one.name}, items[{i}], "{{n}}.{one.name}");' for i, one in enumerate(items)), "  return out;", "}"])
        self.value = "{n}_of({n})"


class MetricsField(Field):
    """The items of a named tuple of metrics, of which bits say which are given, and weights."""

    def __init__(self, items):
        super().__init__()
        *metrics, weights = (one.name for one in items)
        self.members = ["uint64_t given", *(f"double {one}" for one in metrics), f"const float* {weights}", f"uint64_t {weights}_size"]
        self.defaults = ["0"] * (len(metrics) + 1) + ["NULL", "0"]
        self.comments = ["bits KINDRED_METRIC_...", *(one.doc.replace("None", "not given") for one in items), ""]
        self.c_lines = ["check_metrics(given.given, name);", *(f"if ((given.given & KINDRED_METRIC_{one.upper()}) != 0) out.{one} = given.{one};" for one in metrics),
                        f'out.{weights} = span_of(given.{weights}, given.{weights}_size, (std::string(name) + ".{weights}").c_str());']


# Parameters

class Number(Kind):
    """A number of the type {0}; in Python an integer that is at least 0; {1}: its default."""
    c = ("{0} {n}",)
    python = ("{n}: int{1}",)
    lines = ('const auto {n}_number = narrow_of<{0}>({n}, "{n}", 0);',)
    value = "{n}_number"


class SeedOfLayer(Kind):
    """A seed that exists, or in Python one of {0} behind the last."""
    c = ("uint32_t {n}",)
    c_lines = ("check_seed(object, {n});",)
    python = ("{n}: int",)
    lines = ("const std::uint32_t {n}_number = seed_of(object, {n}, {0});",)
    value = "{n}_number"


class Code(EnumArgument):
    """A member of an enumeration of Python, its name or its code; {1}: the default."""

    def __init__(self, enum, default=""):
        super().__init__(enum)
        self.python = (f"{{n}}: {enum.name} | str{default}",)
        self.lines = (f'const auto {{n}}_value = code_of<{enum.cpp}>({{n}}, "{{n}}");',)


class StateCode(Kind):
    """The state {0}, of a parameter of C with this name, which is a word of Python; {1}: it need not exist."""
    c = ("int32_t {0}",)
    c_value = 'state_of({0}, "{0}"{1})'


class Values(Kind):
    """Numbers of the type {0}."""
    c = ("const {0}* {n}", "size_t count")
    c_value = 'span_of({n}, count, "{n}")'
    python = ("{n}: Array",)
    lines = ('const Input {n}_array({n}, "{n}", nullptr, Copying::if_needed, Layout::dense);', "{n}_array.require_rank(1, 1);",
             "const std::span<const {0}> {n}_values = {n}_array.host_values<{0}>();")
    value = "{n}_values"


class BlueprintName(Text):
    c_value = 'std::string(text_of({n}, size, "{n}"))'
    python = ("{n}: str",)
    lines = ('const std::string {n}_text = name_of({n}, "{n}");',)
    value = "{n}_text"


class SomeMetrics(Kind):
    """A named tuple of metrics: {0}."""
    c = ("const kindred_seed_metrics* {n}?",)
    c_value = "seed_metrics({n})"
    python = ("{n}: SeedMetrics | None = None",)
    lines = ("const MetricsGiven {n}_given({n});",)
    value = "{n}_given.values()"

    def __init__(self, items):
        super().__init__()
        *metrics, weights = (one.name for one in items)
        self.native = "\n".join(["template <class Call>\nvoid for_each_metric(SeedMetrics& metrics, const Call& call) {",
                                 *(f'  call("metrics.{one}", metrics.{one});' for one in metrics), "}"])


class EachMetrics(SomeMetrics):
    """The same, of every seed or of all."""
    c = ("const kindred_seed_metrics* const* {n}", "size_t {n}_count")
    python = ("{n}: SeedMetrics | Items[SeedMetrics] | None = None",)


class StateOfAll(Kind):
    """A named tuple with the state: {0}."""
    c = ("const kindred_seed_state* states", "const kindred_seed_history* histories?", "size_t count")
    c_value = "state_from(object, states, histories, count)"
    python = ("{n}: SeedState",)
    lines = ("const SeedState {n}_given = state_from({n});",)
    value = "{n}_given"

    def __init__(self, items):
        super().__init__()
        self.native = "\n".join(["template <class State, class Call>\nvoid for_each_column(State& state, const Call& call) {", *(
            f'  call("state.{one.name}", state.{one.name}, {"seed_history" if one.doc.startswith("[seeds, 10]") else "1"});' for one in items), "}"])


class Updates(Kind):
    """Values of some fields of seeds; {0}: the enumeration of fields."""
    c = ("const kindred_seed_update* {n}", "size_t count")
    c_value = "updates_of({n}, count)"
    python = ("seeds: Ids", "fields: Any")
    lines = ("const std::vector<SeedUpdate> {n}_given = updates_from(seeds, fields);",)
    value = "{n}_given"

    def __init__(self, fields):
        super().__init__()
        self.native = "\n".join(["template <class Call>\nvoid for_each_field(const Call& call) {",
                                 *(f'  call("{one}", seed_{one}, &SeedUpdate::{one});' for one in fields.values), "}"])


class Listener(Kind):
    python = ("* {n}: Callable[[int, Lifecycle, Lifecycle], object] | None = None",)


class RestOfSeeds(Kind):
    """A number of seeds; None: all from the first on."""
    c = ("size_t {n}",)
    c_value = "static_cast<std::uint32_t>(std::min<std::size_t>({n}, UINT32_MAX))"
    python = ("{n}: int | None = None",)
    lines = ('const std::uint32_t {n}_number = {n}.is_none() ? object.seeds() - std::min(first_number, object.seeds()) : narrow_of<std::uint32_t>({n}, "{n}", 0);',)
    value = "{n}_number"


class Given(Kind):
    """A number that Python has by its position."""
    python = ("{n}: int",)


class RulesOf(Kind):
    """What {0} the options of a layer have."""
    c = ("const kindred_seeds_options* {n}?",)
    c_value = "seeds_options({n}).{0}"


class StructOf(Kind):
    """A struct {0}, which the function {1} converts."""
    c = ("const {0}* {n}!",)
    c_value = "{1}(*{n})"


# Parameters of passes

class RowsOut(Output):
    """The rows that a pass writes: y in C."""
    c = ("DLTensor* y!",)
    c_value = 'output_array_of(y, "y")'
    python = ("* out: Array | None = None",)
    lines = ("const nb::object out_made = out.is_none() ? rows.made_rows() : nb::borrow(out);", 'const Output out_array(out_made, "out", &order);',
             "rows.require_output(out_array);")
    value = "out_array.array()"
    returns = ("Any", "out_made")


class LayerRows(Queries):
    """The rows of a pass of a layer."""
    lines = ('const Input x_array(x, "x", &order, copying);', "const LayerRows rows(*shared, x, x_array, options_given.options.space, !stream.is_none());")


class Gradient(Queries):
    """The gradient with respect to y."""
    lines = ('const Input {n}_array({n}, "{n}", &order, copying);', "rows.require_type_of_x({n}_array);", "rows.require_like({n}_array);")


class LayerGradients(Output):
    """dx; in Python also dw."""
    python = ("* out: tuple[Array, Array] | None = None",)
    lines = ("const nb::tuple made = rows.gradients_of(out);", 'const Output dx(made[0], "dx", &order);', 'const Output dw(made[1], "dw", &order);',
             "rows.require_gradients(dx, dw);")
    value = "dx.array()"
    returns = ("tuple[Any, Any]", "made")


class FlatOutput(Kind):
    """A tensor of one number per feature, in any number of dimensions."""
    c = ("DLTensor* {n}!",)
    c_value = 'flat_output_of({n}, "{n}")'
    value = "{n}.array()"


class TelemetryFlag(Kind):
    c = ("int32_t {n}",)
    python = ("* {n}: bool = True",)


class OwnContext(Context):
    """That of C: in Python, the layers have it."""
    python = ()


class SequenceOptions(Kind):
    c = ("const kindred_seeds_call* {n}?",)
    c_lines = ("const SeedForwardOptions given = seeds_call({n});",)
    c_value = "host_space(*shared, given.space), given.stream"
    python = ("* space: str | None = None", "* stream: Stream = None")


class PassRows(Queries):
    """The rows of a pass of arrays."""
    lines = ('const Input x_array(x, "x", &order, copying);', "const PassRows rows(*shared, x, x_array);")


class ArraysOfC(Kind):
    c = ("const kindred_seed_arrays* seeds!",)
    c_lines = ("const SeedArrays seeds_given = seed_arrays(seeds);",)
    c_value = "seeds_given"
    value = "seeds_given"


class ArraysOfPython(Kind):
    """The arrays of the seeds, and what their numbers mean, behind the rows."""
    python = ("lifecycle: Array", "blueprint: Array", "mode: Array", "alpha: Array", "weights: Array", "* chunk_size: int = 0",
              '* mode_codes: str = "kindred"', "* fossilized_applies: bool = True")
    lines = ("const SeedInputs inputs(lifecycle, blueprint, mode, alpha, weights, order, copying);",
             'const SeedArrays seeds_given = inputs.arrays(narrow_of<std::uint32_t>(chunk_size, "chunk_size", 0), '
             'value_of(mode_codes, "mode_codes", seed_mode_codes_names), flag_of(fossilized_applies, "fossilized_applies"));')


class PassSums(Kind):
    c = ("const kindred_seed_sums* {n}?",)
    c_lines = ("const SeedSums {n}_given = seed_sums({n});",)
    c_value = "{n}_given"
    python = ("* telemetry: SeedSums | None = None",)
    lines = ("const SumOutputs outputs(telemetry, order);", "const SeedSums {n}_given = outputs.arrays();")
    value = "{n}_given"


class PassOutput(Output):
    """An output that may be missing."""
    c = ("DLTensor* {n}?",)
    c_value = 'output_or_none({n}, "{n}")'
    python = ()
    value = "gradients.{n}.array()"


class PassGradients(Output):
    """dx; in Python also the gradients of weights and alphas."""
    python = ("* out: tuple[Array | None, Array | None, Array | None] | None = None",)
    lines = ("const GradientOutputs gradients(out, rows, inputs, order);",)
    value = "gradients.dx.array()"
    returns = ("SeedGradients", "gradients.made()")


class WorkspaceSize(Kind):
    """Workspaces of a pass: {0} computes their size, with the further arguments {1}. C asks for it by the options; in Python the pass makes one."""
    c_lines = ("if (std::uint64_t* const bytes = workspace_bytes_of(options); bytes != nullptr) {",
               '  *bytes = {0}(*shared, seeds_given, array_of(x, "x"){1});', "  return;", "}")
    lines = ("const PassWorkspace workspace_given(workspace, x, x_array, order, [&] { return {0}(*shared, seeds_given, x_array.array(){1}); });",
             "options_given.options.workspace = workspace_given.array();")


# Results

class Out(Result):
    """The number {1} of the type {0}."""
    c = ("{0}* {1}",)
    c_write = "*{1} = static_cast<{0}>({found});"
    python = "int"


class Why(Result):
    c = ("kindred_string** why",)
    c_write = "*why = make_handle_of<kindred_string>({found});"
    python = "str"


class Copies(Result):
    c = ("kindred_blueprints** {n}",)
    c_write = "*{n} = make_handle_of<kindred_blueprints>({found});"
    python = "dict[int, Blueprint]"
    value = "blueprints_of(found)"


class States(Result):
    c = ("kindred_seed_state* states", "kindred_seed_history* histories?", "size_t capacity", "size_t* count!")
    c_write = "write_states({found}, states, histories, capacity, count);"
    python = "SeedState"
    value = "state_of(found)"
    wrap = "SeedState(*{call})"


class Changes(Result):
    python = "list[tuple[Lifecycle, Lifecycle]]"
    value = "changes_of(found)"


class Outcome(Result):
    c = ("int32_t* accepted!", "kindred_string** why?")
    c_write = "write_outcome({found}, accepted, why);"
    python = "TransitionResult"
    value = "nb::make_tuple(found.accepted, found.why)"
    wrap = "TransitionResult(*{call})"


class Culled(Bool):
    c = ("int32_t* culled?",)
    c_write = "write_optional(culled, {found} ? 1 : 0);"


class Found(Result):
    """The id of a name, which may not exist: {0}."""
    c = ("int32_t* id",)
    c_write = "*id = found_of({found}, {0});"


class Events(Result):
    c = ("kindred_seed_event* events", "size_t capacity", "size_t* count?")
    c_before = 'const std::span<kindred_seed_event> out = span_of(events, capacity, "events");'
    c_write = "write_events({found}, out, count);"
    python = "list[SeedEvent]"
    value = "events_of(found)"


class Numbers(Result):
    """Those of a schedule: {0} of what C++ returns and {1}."""
    c = ("double* numbers", "size_t capacity", "size_t* count!")
    c_before = 'span_of(numbers, capacity, "numbers");'
    c_write = 'write_list({0}({found}{1}), numbers, capacity, count, "numbers");'
    python = "NDArray[np.float64] | None"
    value = "numbers_of(found)"


class OneOfEachSeed(Result):
    c = ("kindred_seed_telemetry* telemetry", "size_t capacity", "size_t* count!")
    c_before = 'span_of(telemetry, capacity, "telemetry");'
    c_write = 'write_list(values_of({found}), telemetry, capacity, count, "telemetry");'
    python = "SeedTelemetry"
    value = "telemetry_of(found)"
    wrap = "SeedTelemetry(*{call})"


class Reduced(Result):
    c = ("kindred_seed_telemetry* each", "kindred_seed_telemetry* whole?")
    c_before = 'const std::span<kindred_seed_telemetry> out = span_of(each, count, "each");'
    c_write = "write_reduced({found}, out, whole);"
    python = "tuple[SeedTelemetry, SeedTelemetry]"
    value = "nb::make_tuple(telemetry_of(found.each), telemetry_of({&found.whole, 1}))"
    wrap = "(SeedTelemetry(*(found := {call})[0]), SeedTelemetry(*found[1]))"


class PassRecord(Record):
    wrap = "SeedGradients(*{call})"
