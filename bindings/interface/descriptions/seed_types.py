# SPDX-License-Identifier: Apache-2.0
"""Seeds: their states and rules, and blueprints"""
C_INCLUDES = ("Seeds.hpp",)
C_DECLARATIONS = """/* Number of transitions that a seed stores. */
#define KINDRED_SEED_HISTORY 10
/* Below it, the health of a seed is bad. */
#define KINDRED_SEED_HEALTH_MIN 0.7

/** Receives every lifecycle change. The returned value is ignored. */
typedef int (*kindred_transition_callback)(void* user, uint32_t seed, int32_t from, int32_t to);"""
IMPORTS = """
import enum"""


class Lifecycle(IntEnum, c="KINDRED_SEED_"):
    """The state of a seed. From grafting to fossilized it applies its blueprint.

    >>> Lifecycle(3).name, int(Lifecycle.fossilized)
    ('grafting', 7)
    """

    dormant = 0  #: copies its features, as all states that do not apply a blueprint
    germinated = 1  #: has a blueprint
    training = 2  #: the weights are trained elsewhere
    grafting = 3  #: alpha rises
    stabilization = 4
    evaluating = 5
    fine_tuning = 6
    fossilized = 7  #: permanent
    culled = 8  #: given up; may be dormant again after an embargo
    cancelled = 9  #: given up before it was grafted
    rolled_back = 10  #: given up for good


class ApplyMode(IntEnum, c="KINDRED_APPLY_"):
    """How a seed applies the weights w of its blueprint with alpha a.

    >>> ApplyMode["additive"] == 2
    True
    """

    linear = 0  #: a·w·x + (1 − a)·x
    multiplicative = 1  #: w·x
    additive = 2  #: x + w
    mixed = 3  #: x/2 + w/2


class AlphaSchedule(IntEnum, c="KINDRED_SCHEDULE_"):
    """How alpha rises while a seed is grafting.

    >>> [schedule.name for schedule in AlphaSchedule][:2]
    ['linear', 'drift_controlled']
    """

    linear = 0  #: in proportion to the epochs
    drift_controlled = 1  #: linear, with pauses while the weights drift
    momentum = 2  #: faster where the performance improves
    adaptive = 3  #: as drift_controlled, momentum or linear, depending on the metrics
    stability = 4  #: linear, and back to an earlier alpha while the metrics are unstable


class SeedTelemetryUse(Enum, c="KINDRED_TELEMETRY_", values="none last merged"):
    """Which telemetry a forward pass writes: none; that of this pass; that of all passes of the epoch."""


class TransitionOrigin(Enum, c="KINDRED_TRANSITION_", values="none table design"):
    """The origin of a transition: it does not exist, Kasmina's table, or an addition of its design."""


class SeedField(Enum, bits=True, c="KINDRED_FIELD_", values="lifecycle blueprint epochs mode alpha schedule checkpoint evaluation errors"):
    """The fields of a kindred_seed_update that are set, as bits."""


class SeedMetric(Enum, bits=True, c="KINDRED_METRIC_", values="reconstruction_loss performance_delta stability_score error_rate total_improvement "
                 "final_stability loss_variance gradient_norm accuracy_variance"):
    """The metrics that are given, as bits."""


class TransitionRules(NamedTuple):
    """Limits for the guards of transitions.

    >>> layer = SeedLayer(4, 2, rules=TransitionRules(errors_max=1))
    >>> layer.germinate(0, layer.add_blueprint("ones", np.ones(4, np.float32))).accepted, layer.report_error(0)
    (True, True)
    """

    reconstruction_loss_max: float = 0.01  #: for grafting
    stability_min: float = 0.8  #: for fine_tuning
    total_improvement_min: float = 0.01  #: for fossilized
    final_stability_min: float = 0.95  #: for fossilized
    performance_loss: float = -0.05  #: below it an evaluated seed may be culled
    error_rate_max: float = 0.1  #: above it too
    errors_max: int = 5  #: above it too; a seed whose errors reach it is culled
    embargo_epochs: int = 100  #: epochs in culled before dormant, at least 0


class ScheduleSettings(NamedTuple):
    """Parameters of the schedules that raise alpha.

    >>> layer = SeedLayer(4, 2, schedules=ScheduleSettings(ramp_epochs=4))
    >>> layer.update(0, lifecycle="grafting", blueprint=layer.add_blueprint("ones", np.ones(4, np.float32)))
    >>> events = layer.step()
    >>> layer.state().alpha
    array([0.25, 0.  ], dtype=float32)
    """

    ramp_epochs: float = 50  #: epochs in which alpha rises from 0 to 1, above 0
    drift_threshold: float = 0.01  #: above it a ramp pauses, at least 0
    pause_epochs: int = 10  #: at least 0
    momentum: float = 0.1  #: of the velocity, from 0 to below 1
    stability_window: int = 5  #: epochs between checks, at least 1
    alpha_min: float = 0  #: from 0 to alpha_max
    alpha_max: float = 1  #: from alpha_min to 1
    abort_error_rate: float = 0.5  #: above it a graft is aborted


class SeedMetrics(NamedTuple):
    """What is measured outside of the layer, for transitions and schedules; None: not measured.

    >>> layer = SeedLayer(4, 2)
    >>> layer.update(0, lifecycle="training", epochs=100, blueprint=layer.add_blueprint("ones", np.ones(4, np.float32)))
    >>> layer.request(0, "grafting", SeedMetrics(reconstruction_loss=0.001)).accepted
    True
    """

    reconstruction_loss: float | None = None  #: for grafting; None: infinite
    performance_delta: float | None = None  #: for fine_tuning and culled, and for schedules; None: 0
    stability_score: float | None = None  #: for fine_tuning; None: 0
    error_rate: float | None = None  #: for culled, and to abort a graft; None: 0
    total_improvement: float | None = None  #: for fossilized; None: 0
    final_stability: float | None = None  #: for fossilized; None: 0
    loss_variance: float | None = None  #: for the schedule stability; None: stable
    gradient_norm: float | None = None  #: for the schedule stability; None: stable
    accuracy_variance: float | None = None  #: for the schedule stability; None: stable
    weights: Array | None = None  #: float32 [count], whose drift is monitored by schedules


class TransitionResult(NamedTuple):
    """The outcome of a request.

    >>> SeedLayer(4, 2).request(0, "germinated").accepted
    True
    """

    accepted: bool  #: whether the seed changed its state
    why: str  #: if refused: the value and the limit


class SeedEvent(NamedTuple):
    """A transition that a layer made on its own.

    >>> layer = SeedLayer(4, 2)
    >>> layer.update(0, lifecycle="grafting", blueprint=layer.add_blueprint("ones", np.ones(4, np.float32)))
    >>> event, = layer.step(SeedMetrics(error_rate=0.9))
    >>> event.seed, event.target.name
    (0, 'rolled_back')
    """

    seed: int  #: from 0
    source: Lifecycle  #: the state before
    target: Lifecycle  #: the state since
    why: str  #: the value and the limit


class SeedState(NamedTuple):
    """The state of all seeds, one element per seed.

    >>> SeedLayer(4, 2).state().blueprint
    array([-1, -1], dtype=int32)
    """

    lifecycle: NDArray[np.int8]  #: codes of :class:`Lifecycle`
    blueprint: NDArray[np.int32]  #: −1: none
    epochs: NDArray[np.int16]  #: in the current state, at most 32767
    mode: NDArray[np.int8]  #: codes of :class:`ApplyMode`
    schedule: NDArray[np.int8]  #: codes of :class:`AlphaSchedule`
    alpha: NDArray[np.float32]  #: in 0 … 1
    parent: NDArray[np.int8]  #: the previous state
    checkpoint: NDArray[np.int32]  #: −1: none
    evaluation: NDArray[np.float32]  #: a number of the caller
    errors: NDArray[np.int16]  #: reported since the seed was dormant
    history_from: NDArray[np.int8]  #: [seeds, 10], circular: the states before the last transitions
    history_to: NDArray[np.int8]  #: [seeds, 10], the states after them
    history_next: NDArray[np.uint8]  #: slot of the next transition
    history_count: NDArray[np.uint8]  #: number of recorded transitions


class Blueprint(NamedTuple):
    """A set of weights.

    >>> layer = SeedLayer(4, 2)
    >>> key = layer.add_blueprint("short", np.float32([1, 2]))
    >>> layer.blueprints()[key]
    Blueprint(name='short', weights=array([1., 2.], dtype=float32), version=1)
    """

    name: str  #: as it was added
    weights: NDArray[np.float32]  #: [at most hidden]
    version: int  #: 1 for a new one; counts replacements


class SeedTelemetry(NamedTuple):
    """Statistics of the elements that seeds processed, one element per seed; all 0 where there were none.

    >>> layer = SeedLayer(4, 2)
    >>> _ = layer.forward(np.float32([[1, 3, 0, 0]]))
    >>> found = layer.telemetry()
    >>> found.mean, found.dead_ratio
    (array([2., 0.]), array([0., 1.]))
    """

    count: NDArray[np.uint64]  # type: ignore[assignment]  #: number of elements
    mean: NDArray[np.float64]  #: NaN if an element is not finite
    variance: NDArray[np.float64]  #: of the population; NaN if an element is not finite
    min: NDArray[np.float32]  #: NaN is ignored, unless there is nothing else
    max: NDArray[np.float32]  #: NaN is ignored, unless there is nothing else
    dead_ratio: NDArray[np.float64]  #: share of elements with \\|x\\| < 1e-8

    def health(self) -> NDArray[np.float64]:
        """One half for the variance (up to 0.01), one half for the share of elements that are not dead; 0 without data.

        Below 0.7 a seed is unhealthy.

        Returns:
            float64 ``[seeds]``, from 0 to 1

        >>> layer = SeedLayer(4, 2)
        >>> _ = layer.forward(np.float32([[1, 3, 0, 0]]))
        >>> layer.telemetry().health()
        array([1., 0.])
        """
        healthy = 0.5 * np.minimum(1, self.variance / 0.01) + 0.5 * (1 - self.dead_ratio)
        return np.where(self.count == 0, 0.0, healthy)


class OneChange(Plain, c="seed_change"):
    """A completed transition."""
    from_: Lifecycle
    to: Lifecycle


class History(Plain, c="seed_history"):
    """The last transitions of a seed, newest first."""
    changes: Member("kindred_seed_change", "[KINDRED_SEED_HISTORY]")
    count: U32
    reserved: U32  # 0


class OneState(Plain, c="seed_state"):
    """The state of one seed."""
    lifecycle: Lifecycle
    parent: Lifecycle  # the previous state
    blueprint: Member("int32_t")  # -1: none
    checkpoint: Member("int32_t")  # -1: none
    mode: ApplyMode
    schedule: AlphaSchedule
    epochs: Member("int32_t")  # in the current state
    errors: Member("int32_t")
    alpha: Member("float")
    evaluation: Member("float")


class OneUpdate(Plain, c="seed_update"):
    """New values of some fields of a seed."""
    seed: U32
    fields: U32  # bits KINDRED_FIELD_...
    values: Member("kindred_seed_state")  # `parent` is not used


class OneEvent(Plain, c="seed_event"):
    """A lifecycle change that a layer made on its own."""
    seed: U32
    from_: Lifecycle
    to: Lifecycle
    why: Member("char", "[116]")  # longer reasons are cut


class OneTelemetry(Plain, c="seed_telemetry"):
    """Telemetry of a seed."""
    count: U64  # elements
    mean: Double
    variance: Double
    dead_ratio: Double
    min: Member("float")
    max: Member("float")


class MetricValues(Input, c="seed_metrics", cpp="SeedMetrics", noun="metrics"):
    """Metrics that are measured outside of a layer."""
    given: Metrics(SeedMetrics)  # C:


class SeedLayerOptions(Options, c="seeds_options", required=True):
    """Options of a layer.

    C: `hidden` and `seeds` must be set."""
    hidden: U32 = 0  # features of a row
    seeds: U32 = 0
    telemetry_epochs: U32 = 8  # epochs whose telemetry is kept, at most 1048576; 0: none
    residency: Residency = "automatic"  # where the state is kept: on the host, on host and device, or for calls on the device only; C:
    blueprint_bytes: Count(0) = 268435456  # memory on a device for weights that are in use
    rules: Tuple(TransitionRules) = None  # limits for the guards of transitions; C:
    schedules: Tuple(ScheduleSettings) = None  # parameters of the schedules that raise alpha; C:
    on_transition: TransitionCallback = None  # NULL: none


class OneBlueprint(Statistics, c="blueprint", noun="blueprint"):
    """A set of weights. The pointers are valid until the blueprints change or are destroyed."""
    name: View("char") = "object.name(id)"
    weights: View("float") = "object.weights(id)"  # weight f applies to feature f
    version: U64 = "object.version(id)"  # 1 for a new set, incremented by every replacement


class BlueprintRegistry(Handle, only="c", c="blueprints", header="kindred/matcher/BlueprintRegistry.hpp"):
    """Blueprints: named sets of weights in host memory."""

    def create() -> New:
        """Creates blueprints without a set. Calls that change them are not thread-safe."""

    def load(path: Path) -> New:
        """Loads the sets of a file of `save`."""

    def save(self, path: Path):
        """Writes all sets to a file, atomically."""

    def size(self) -> Size:
        """Number of assigned ids, which are those below it, including those of removed sets."""

    def find(self, name: Text) -> Found("name, size"):
        """The id of the set of a name. KINDRED_NOT_FOUND if there is none."""

    def get(self, id: Number("int32_t")) -> OneBlueprint:
        """A set. KINDRED_NOT_FOUND for an id that was never assigned or was removed."""

    @changes
    def add(self, name: BlueprintName, weights: Values("float")) -> Out("int32_t", "id"):
        """Adds a set. KINDRED_INVALID for no weights, an empty name or an existing name."""

    @changes
    def replace(self, id: Number("int32_t"), weights: Values("float")):
        """Replaces the weights of a set by as many others."""

    @changes
    def remove(self, id: Number("int32_t")):
        """Removes a set, whose id is not assigned again."""


class GraftingSchedule(Handle, only="c", c="schedule", header="kindred/matcher/SeedSchedule.hpp"):
    """Computes the alpha of one grafting seed."""

    def create(kind: AlphaSchedule, options: RulesOf("schedules")) -> New:
        """Creates a schedule, which computes the alpha of one grafting seed. Not thread-safe.

        C Args:
            kind: KINDRED_SCHEDULE_...
            options: whose settings of schedules apply
        """

    def kind(self) -> EnumName:
        """KINDRED_SCHEDULE_..."""

    @changes
    def next(self, epoch: Number("int64_t"), alpha: Number("double"), metrics: SomeMetrics(SeedMetrics)) -> Out("double", "next"):
        """The alpha of an epoch of the graft. A metric that is not given counts as stable, NaN as unstable.

        C Args:
            alpha: the current one
        """

    def aborts(self, metrics: SomeMetrics(SeedMetrics)) -> Bool:
        """Whether the graft must be aborted."""

    def state(self) -> Numbers:
        """The internal numbers; `capacity` and `count` as for kindred_seeds_schedule_state."""

    @changes
    @cpp(name="restore")
    def set_state(self, numbers: Values("double")):
        """Sets them. KINDRED_INVALID, changing nothing, for numbers that are no state of the schedule."""


class SeedRules(Functions, only="c", header="kindred/matcher/SeedTransition.hpp"):
    """The rules of seeds without a layer."""

    def seed_health(telemetry: StructOf("kindred_seed_telemetry", "telemetry_from")) -> Out("double", "health"):
        """Health of a seed from 0 to 1, by the variance and the share of dead elements; 0 without data."""

    @c("seed_transition_origin")
    def transition_origin(from_: StateCode("from", ", false"), to: StateCode("to", ", false")) -> Out("int32_t", "origin"):
        """The origin of a transition; KINDRED_TRANSITION_NONE also for states that do not exist."""

    @c("seed_minimum_epochs")
    def minimum_epochs(from_: StateCode("from"), options: RulesOf("rules")) -> Out("int32_t", "epochs"):
        """The least number of epochs in a state before a transition, except one to ROLLED_BACK.

        C Args:
            options: of which `embargo_epochs` is used
        """

    @c("seed_check_transition")
    def check_transition(seed: StructOf("kindred_seed_state", "situation_of"), to: StateCode("to"), metrics: SomeMetrics(SeedMetrics), options: RulesOf("rules")) -> Outcome:
        """Whether a seed may go to a state. Changes nothing.

        C Args:
            seed: of which lifecycle, epochs, blueprint and errors are used
            options: whose rules apply
            why: the reason of a refusal, or an empty text; must be destroyed
        """
