# SPDX-License-Identifier: Apache-2.0
"""Texts that the library returns, cancellation and contexts"""
C_INCLUDES = ("Cancellation.hpp", "Context.hpp")
PYTHON_INCLUDES = ("ContextHandle.hpp",)
IMPORTS = """
import json

from pykindred import library
from pykindred._log import log_message
from pykindred._results import Record, record_of"""
C_DECLARATIONS = """\
/** Receives a log message, from any thread. The returned value is ignored. */
typedef int (*kindred_log_callback)(void* user, int32_t level, const char* message, size_t size);
/** Receives the record of a call that the dispatcher placed, from any thread. The returned value is ignored. */
typedef int (*kindred_dispatch_callback)(void* user, const kindred_record* record);
/** Called before an allocation within a budget, from any thread; nonzero refuses it, with KINDRED_NO_MEMORY. `memory` is `host` or `cuda`. */
typedef int (*kindred_allocation_callback)(void* user, const char* memory, uint64_t bytes, const char* label);
/** Receives the number of items done so far, on the calling thread; nonzero cancels the call. */
typedef int (*kindred_progress_callback)(void* user, uint64_t done);
/** Called when the library no longer reads arrays that it borrowed, from any thread. The returned value is ignored. It must not call the library. */
typedef int (*kindred_release_callback)(void* user);

/** A measured point of a calibration. */
typedef struct kindred_calibration_point {
  size_t struct_size;
  const char* operation; /* valid during the callback */
  int32_t space;
  int32_t threads;
  double work;
  double seconds;
} kindred_calibration_point;
/** Receives each measured point, on the calling thread; nonzero cancels, and the dispatcher is unchanged. */
typedef int (*kindred_calibration_callback)(void* user, const kindred_calibration_point* point);"""


class NamedSpace(Kind):
    c = ("int32_t {n}",)
    c_value = "space_argument({n})"
    python = ("{n}: str",)
    lines = ("const Space {n}_given = space_of({n}).value_or(Space::serial);",)
    value = "{n}_given"


class FoundText(Result):
    c = ("kindred_text* text",)
    c_write = "*text = view_of({found});"


class TextViews(Result):
    c = ("const kindred_text** texts!", "size_t* count!")
    c_write = "const std::span<const kindred_text> found = {found};\n*texts = found.data();\n*count = found.size();"


class FileKind(Result):
    c = ("kindred_string** kind",)
    c_write = '*kind = make_handle_of<kindred_string>({found}.value_or(""));'


class Json(Result):
    c = ("kindred_string** json",)
    python = "str"


class Requested(Kind):
    c = ("kindred_cancellation* {n}?",)


class RequestedBefore(Result):
    c = ("kindred_cancellation** before?",)


class PathText(Result):
    python = "str"
    value = "text_of_path(found)"


class Seconds(Kind):
    c = ("double {n}",)


class OnPoint(Kind):
    c = ("kindred_calibration_callback {n}?", "void* user?")


class I32Field(Field):
    members = ("int32_t {n}",)


class ThreadsField(I32Field):
    python = "int"
    value = 'narrow_of<int>({n}, "{n}", 0)'


class DeviceField(I32Field):
    defaults = ("-1",)
    c_lines = ("if (given.{n} != -1) out.{n} = device_of(given.{n});",)
    python = "int | None"
    assign = "if (!{n}.is_none()) options.{n} = narrow_of<int>({n}, \"{n}\", 0);"


class BudgetField(Field):
    members = ("uint64_t {n}",)
    defaults = ("KINDRED_UNSET",)
    c_value = "number_option(given.{n})"
    python = "int | None"
    assign = 'if (!{n}.is_none()) options.{n} = static_cast<std::uint64_t>(integer_of({n}, "{n}", 0));'


class LimitField(Field):
    """Of C alone."""
    members = ("uint64_t {n}",)


class OfDispatcherField(Field):
    """Of C alone: what sets an option of the dispatcher."""
    members = ("{0} {n}",)
    c_lines = ("out.dispatcher.{1};",)


class ProfileField(Field):
    members = ("const char* {n}",)
    defaults = ("NULL",)
    c_lines = ("if (given.{n} != nullptr) out.{n} = given.{n};",)
    python = "StrPath | None"
    assign = 'if (!{n}.is_none()) options.{n} = path_of({n}, "{n}");'


class CallbackField(Field):
    """A function of the type {0}, which is called with {1}; of C alone."""
    members = ("kindred_{0}_callback {n}", "void* {1}")
    defaults = ("NULL", "NULL")
    c_lines = ("if (given.{n} != nullptr) out.{n} = {0}_function(given.{n}, given.{1});",)


class LogField(CallbackField):
    python = "Callable[[str, str], object] | None"
    assign = "options.set_{n}({n});"
    passed = "log_message if {n} is None else {n}"


class OnDispatchField(LogField):
    python = "Callable[[Record], object] | None"
    passed = "None if {n} is None else lambda given: {n}(record_of(given))"


class TextField(Field):
    members = ("const char* {n}",)
    defaults = ("NULL",)
    c_out = ("out.{n} = {value}.c_str();",)


class LogLevel(Enum, c="KINDRED_LOG_", values="debug info warning"):
    """How important a message is."""


class ContextOptions(Options, c="context_options"):
    """Options of a context. The defaults use the whole machine."""
    threads: Threads = 0  # of the space ``openmp``, at most 512; 0: as many as this process may use; C: of the space openmp, at most 512; 0: as many as this process may use
    device: Device = None  # the GPU of the space ``cuda``, counted from 0; None: the first; C: GPU, counted from 0 among those visible to the process; -1: the first that Kokkos selects
    space: Space = None  # runs everything there; None: the dispatcher chooses; C: runs everything there; KINDRED_SPACE_ANY: the dispatcher chooses
    load_profile: Flag("true", "false") = True  # use the calibration of this machine if there is one; C: nonzero: use the calibration of this machine if there is one
    budget_fraction: Double = 0.8  # share of the free memory that may be used, in (0, 1]
    host_budget: Budget = None  # bytes, instead of the fraction; C: bytes; overrides the share; KINDRED_UNSET
    device_budget: Budget = None  # bytes, instead of the fraction; C: likewise
    device_budget_max: Limit = "UINT64_MAX"  # bytes; upper limit
    device_memory_min: Limit = 0  # bytes; a device with less memory is not used
    profile: Profile = None  # path of the calibration file; None: the usual one; C: path of the calibration file; NULL: `$KINDRED_PROFILE`, otherwise a file below `$XDG_CACHE_HOME` or `~/.cache`
    log: Log("log", "log_user") = None  # called with a level (``"debug"``, ``"info"``, ``"warning"``) and a message, from any thread; None: the logger ``pykindred``; C: NULL: no messages
    on_dispatch: OnDispatch("dispatch", "dispatch_user") = None  # called with a :class:`Record` after every dispatched call, from any thread; C: NULL: none
    before_allocation: Callback("allocation", "allocation_user") = None  # NULL: none
    window: OfDispatcher("uint64_t", "window = given.window") = 100  # of the dispatcher: observations behind a median
    probe_interval_ms: OfDispatcher("double", 'probe_interval = milliseconds(given.probe_interval_ms, "probe_interval_ms")') = 5000  # between probes of a space that is not chosen
    probe_loss_max: OfDispatcher("double", "probe_loss_max = loss_option(given.probe_loss_max)") = -1  # maximum predicted loss of a probe in seconds; negative: no limit
    breaker_interval_ms: OfDispatcher("double", 'breaker_interval = milliseconds(given.breaker_interval_ms, "breaker_interval_ms")') = 10000  # an open breaker lets one call through after this time
    device_items_min: OfDispatcher("uint64_t", "device_items_min = number_option(given.device_items_min)") = "KINDRED_UNSET"  # calls of fewer items stay on the host; KINDRED_UNSET
    device_items_from: OfDispatcher("uint64_t", "device_items_from = number_option(given.device_items_from)") = "KINDRED_UNSET"  # calls of at least this many items go to the device; KINDRED_UNSET


class SpaceInfo(Statistics, c="space_info", noun="info"):
    """Properties of a space. The texts are valid while the context lives."""
    compiled: Has
    usable: Has
    why_not: Text  # reason if not usable, otherwise empty
    device: Text  # name of the processor or the GPU
    device_index: I32  # of the GPU in use, among those visible to the process
    device_count: I32  # GPUs visible to the process
    concurrency: I32  # host threads, or streaming multiprocessors
    kernels_from_ptx: Has  # 1: the driver compiles the kernels at their first use
    compute_capability: Double  # of a CUDA device, such as 9.0
    kernels_for: Double  # compute capability that the kernels were compiled for
    memory_total: U64  # bytes
    memory_free: U64  # bytes free when the context started
    memory_budget: U64  # bytes that Kindred may use


class MemoryUse(Statistics, c="memory_use", noun="use", cpp="MemoryStatistics"):
    """Memory in use within the budget of a space, in bytes."""
    current: U64 = "found.bytes_in_use"
    peak: U64 = "found.bytes_peak"
    allocations: U64 = "found.allocations_total"  # number so far
    total: U64 = "found.bytes_total"  # bytes of all allocations so far
    current_allocations: U64 = "found.allocations_in_use"  # number in use
    failures: U64  # allocations that the system or the driver refused


class String(Handle, c="string", header="kindred/matcher/SectionFileKind.hpp", namespace="Texts", only="c"):
    """A text."""

    def get(self) -> FoundText:
        """The bytes, which a zero follows. Valid while the handle lives."""


class Strings(Handle, c="strings", header="kindred/matcher/SectionFileKind.hpp", namespace="Texts", only="c"):
    """Texts."""

    @cpp(name="views")
    def get(self) -> TextViews:
        """The texts of a list, which live as long as the handle. A text that does not exist has no `data`; an empty one has.

        C Args:
            count: number of texts
        """


class Files(Functions, header="kindred/matcher/SectionFileKind.hpp", namespace="Files", only="c"):
    """What files contain."""

    @cpp(name="section_file_kind")
    def file_kind(path: Path) -> FileKind:
        """What a file of this project contains, such as `vectors` or `graph`; empty for other files, and for those that cannot be read. Nothing else in it is validated."""


class Cancellation(Handle, c="cancellation", header="kindred/core/common/Cancellation.hpp", namespace="Cancellations", only="c"):
    """A request to end calls early."""

    @hand("c")
    def create() -> New:
        """Creates a request to end calls early, which is not made yet. Threads for which a handle is set that was destroyed keep what was requested until they set another."""

    @changes
    def cancel(self):
        """Cancels the present calls of all threads for which it is set, and all their later ones until `reset`. Any thread may call it and, with a valid handle, signal handlers."""

    @changes
    def reset(self):
        """Forgets the request: calls that have not seen it go on."""

    def is_cancelled(self) -> Bool:
        """Whether calls are cancelled.

        C Args:
            is_cancelled: 1: they are
        """


class OfThread(Functions, header="kindred/core/common/Cancellation.hpp", namespace="Cancellations", only="c"):
    """What a thread has set."""

    @hand("c")
    def set_cancellation(cancellation: Requested) -> RequestedBefore:
        """Lets a handle cancel the later calls of this thread, also on devices. Calls look for the request between their steps and, on the host, every few milliseconds; short ones may not.
        Those that are cancelled return KINDRED_CANCELLED: objects are as they were before the call, and arrays of the caller for results have unspecified values. A call that can no longer
        be undone finishes, and calls that free objects are never cancelled. A handle may be set for any number of threads. Calls that are running keep the one that was set when they began.

        C Args:
            cancellation: NULL: calls cannot be cancelled, as at the start of a thread
            before: the handle that was set before; NULL if there was none or it was destroyed
        """


class Context(Handle, c="context", header="kindred/backends/Context.hpp", namespace="Contexts", pointer=True):
    """Spaces, threads, memory budgets and the dispatcher, which chooses where a call runs.

    Every engine takes ``context=``; without it, they share the default context, which the first of them makes. Engines keep their
    context alive. Thread-safe. After ``os.fork`` the child has neither the threads nor the devices of a context: calls raise
    :class:`SpaceUnavailable` there.

    >>> with Context(threads=1, space="serial") as context:
    ...     context.threads
    1
    """

    @hand("c")
    @hand("python")
    def create(options: ContextOptions) -> New:
        """Creates a context. The first one of a process also chooses the library: the built-in one for hosts or, if a driver and a device are found, the one for NVIDIA GPUs that is installed
        beside it. KINDRED_LIBRARY overrides the choice. A process that was forked from one with a context has neither its threads nor its devices: calls with contexts, and with what needs one,
        return KINDRED_NO_SPACE there. A context that is destroyed ends when the objects that were created from it are destroyed, too.

        Raises:
            InvalidArgument: an option is out of range
            SpaceUnavailable: the space or the device cannot be used
        """

    @hand("c")
    @hand("python")
    @python("called")
    def describe(self) -> Json:
        """A context and what its dispatcher knows, as one line of JSON. `threads`: of the space openmp. `library`: the `name` of the build of the library that serves the context (`host`, that
        of a folder such as `cuda-90`, a path that KINDRED_LIBRARY names, or `built-in` for a library for GPUs that serves itself), and `why` it was chosen. `profile`: its `path`, whether
        the dispatcher is `calibrated`, and the `calibration`, as `load_profile_json` takes it. `dispatcher`: its `decisions`, the seconds `taken` by their calls, and those `lost`: the sum
        of max(0, taken - best predicted). `spaces`: for each what `Context.space` returns, the `threads` that a call may use there, and the sizes of `teams`. `operations`, by the names of
        kindred_record: `batch_bytes`, the bytes of the arrays of a list that a device processes at a time unless the options of a call say otherwise; and for each usable one of `spaces`
        whether its circuit breaker is open (`breaker_open`: calls are kept off it, because too many have failed there), and the `crossover`: the smallest power of two of work from which it
        is always predicted to be faster than every space before it; null if there is none.
        """

    def describe(self) -> dict[str, Any]:
        """What the context is, and what its dispatcher knows.

        Returns:
            a dictionary that the module ``json`` can write: ``threads``; the ``library``, with its ``name``, ``path`` and ``why`` it was chosen; the
            ``profile``, with its ``path``, whether the dispatcher is ``calibrated``, and the ``calibration`` as in that file; the ``dispatcher``,
            with its ``decisions``, the seconds ``taken`` by their calls, and those ``lost`` by decisions that another space would have beaten;
            the ``spaces`` of :meth:`spaces`; and by their names the ``operations``: ``batch_bytes``, which a device processes of a list at a
            time, and for each usable one of ``spaces`` whether its circuit breaker is open (``breaker_open``: calls are kept off it, because
            too many have failed there), and the ``crossover``: the least power of two of work from which it is always predicted to be faster
            than every space before it; None if there is none

        >>> Context(threads=1).describe()["operations"]["lcs"]["spaces"]["serial"]
        {'breaker_open': False, 'crossover': 1.0}
        """
        found = {"library": library._asdict(), **json.loads(self._native.describe())}
        found["profile"]["path"] = self.profile_path  # which may be of any bytes
        return found

    @gil("constant")
    @only("python")
    @property
    def threads(self) -> Size:
        """The threads of the space ``openmp``."""

    @cpp(name="info")
    @python("called")
    def space(self, space: NamedSpace) -> SpaceInfo:
        """Describes a space, also one that cannot be used."""

    def spaces(self) -> dict[str, dict[str, Any]]:
        """What is known of each space: whether it is usable, and if not, why; its processor or GPU; its memory."""
        return {name: self._native.space(name) for name in ("serial", "openmp", "cuda")}

    @python("called")
    def free_memory(self, space: NamedSpace) -> U64:
        """Bytes of the memory of a space that are free now, as the system or the driver reports it."""

    @cpp(name="memory_statistics")
    @python("called")
    def memory_use(self, space: NamedSpace) -> MemoryUse:
        """Memory that Kindred uses on a space."""

    def memory(self, space: str = "serial") -> dict[str, int]:
        """Bytes in use by this context in the memory of a ``space``, their peak, and bytes that the system reports as free.

        >>> sorted(Context(threads=1).memory("serial"))
        ['free', 'in_use', 'peak']
        """
        use = self._native.memory_use(space)
        return {"in_use": use["current"], "peak": use["peak"], "free": self._native.free_memory(space)}

    @changes
    @hand("c")
    @only("c")
    def calibrate(self, seconds: Seconds, on_point: OnPoint):
        """Measures every operation on every usable space and gives the costs to the dispatcher.

        C Args:
            seconds: approximate time limit, > 0
        """

    @gil("constant")
    @only("python")
    @property
    def profile_path(self) -> PathText:
        """The calibration file of this context."""

    def save_profile(self):
        """C: Writes the calibration to the profile of the context, atomically.

        Python: Writes the calibration, with what calls have taught, to :attr:`profile_path`.
        """

    @changes
    @cpp(name="dispatcher().load_profile_json")
    @only("c")
    def load_profile_json(self, json: Text):
        """Loads a calibration of this machine from JSON. KINDRED_INVALID for other JSON, KINDRED_NOT_FOUND if it has calibrations of other machines only; the dispatcher is then unchanged."""

    @only("c")
    def log(self, level: LogLevel, message: Text):
        """Passes a message to the callback of the context for messages.

        C Args:
            level: KINDRED_LOG_...
        """

    def close(self) -> None:
        """Releases the context once no engine uses it. May be called more than once."""
        self._native.close()

    def __repr__(self) -> str:
        if self._native.is_closed():
            return "<pykindred.Context: closed>"
        usable = ", ".join(name for name, space in self.spaces().items() if space["usable"])
        return f"<pykindred.Context: {usable}; {self.threads} threads>"


class DefaultContext(Functions, header="kindred/backends/Context.hpp", namespace="Contexts"):
    """The default context, and the records of the calling thread."""

    def native(context: Context | None) -> "_kindred.Context | None":
        """What the extension takes for the argument ``context``; it refuses other types."""
        return context._native if isinstance(context, Context) else context

    def default_context() -> Context:
        """The context of objects that are made without one. Makes it if it does not exist yet.

        >>> default_context().threads > 0
        True
        """
        context = Context.__new__(Context)
        context._native = _kindred.default_context()
        return context

    def last_record() -> Record | None:
        """Where the last dispatched call of this thread ran, and why; None before the first one.

        >>> import pykindred
        >>> _ = pykindred.SequenceMatcher(["abc"]).match("abc")
        >>> pykindred.last_record().space
        'serial'
        """
        given = _kindred.last_record()
        return None if given is None else record_of(given)
