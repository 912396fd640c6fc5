# SPDX-License-Identifier: Apache-2.0
import enum
from collections.abc import Callable
from collections.abc import Sequence as Items
from typing import Any, NamedTuple, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from pykindred import _kindred
from pykindred._bytes import bytes_of, in_pickle, loaded_from
from pykindred._closing import Closing
from pykindred._context import Context, native
from pykindred._types import Array, Ids, StrPath, Stream
from pykindred.errors import InvalidArgument


class Lifecycle(enum.IntEnum):
    """The state of a seed. From grafting to fossilized it applies its blueprint."""

    dormant = 0
    germinated = 1
    training = 2
    grafting = 3
    stabilization = 4
    evaluating = 5
    fine_tuning = 6
    fossilized = 7
    culled = 8
    cancelled = 9
    rolled_back = 10


class ApplyMode(enum.IntEnum):
    """How a seed applies the weights w of its blueprint with alpha a."""

    linear = 0  #: a·w·x + (1 − a)·x
    multiplicative = 1  #: w·x
    additive = 2  #: x + w
    mixed = 3  #: x/2 + w/2


class AlphaSchedule(enum.IntEnum):
    """How alpha rises while a seed is grafting."""

    linear = 0
    drift_controlled = 1
    momentum = 2
    adaptive = 3
    stability = 4


class TransitionRules(NamedTuple):
    """Limits for the guards of transitions."""

    reconstruction_loss_max: float = 0.01
    stability_min: float = 0.8
    total_improvement_min: float = 0.01
    final_stability_min: float = 0.95
    performance_loss: float = -0.05  #: below it an evaluated seed may be culled
    error_rate_max: float = 0.1  #: above it too
    errors_max: int = 5  #: above it too; a seed whose errors reach it is culled
    embargo_epochs: int = 100  #: epochs in culled before dormant


class ScheduleSettings(NamedTuple):
    """Parameters of the schedules that raise alpha."""

    ramp_epochs: float = 50
    drift_threshold: float = 0.01
    pause_epochs: int = 10
    momentum: float = 0.1
    stability_window: int = 5
    alpha_min: float = 0
    alpha_max: float = 1
    abort_error_rate: float = 0.5


class SeedMetrics(NamedTuple):
    """What is measured outside of the layer, for transitions and schedules; None: not measured, which passes no guard."""

    reconstruction_loss: float | None = None
    performance_delta: float | None = None
    stability_score: float | None = None
    error_rate: float | None = None
    total_improvement: float | None = None
    final_stability: float | None = None
    loss_variance: float | None = None
    gradient_norm: float | None = None
    accuracy_variance: float | None = None
    weights: Array | None = None  #: float32, whose drift is monitored


class TransitionResult(NamedTuple):
    """The outcome of a request."""

    accepted: bool
    why: str  #: if refused: the value and the limit


class SeedEvent(NamedTuple):
    """A transition that a layer made on its own."""

    seed: int
    source: Lifecycle
    target: Lifecycle
    why: str


class SeedState(NamedTuple):
    """The state of all seeds, one element per seed."""

    lifecycle: NDArray[np.int8]  #: codes of :class:`Lifecycle`
    blueprint: NDArray[np.int32]  #: −1: none
    epochs: NDArray[np.int16]  #: in the current state
    mode: NDArray[np.int8]  #: codes of :class:`ApplyMode`
    schedule: NDArray[np.int8]  #: codes of :class:`AlphaSchedule`
    alpha: NDArray[np.float32]  #: in 0 … 1
    parent: NDArray[np.int8]  #: the previous state
    checkpoint: NDArray[np.int32]  #: −1: none
    evaluation: NDArray[np.float32]
    errors: NDArray[np.int16]
    history_from: NDArray[np.int8]  #: [seeds, 10], circular
    history_to: NDArray[np.int8]
    history_next: NDArray[np.uint8]  #: slot of the next transition
    history_count: NDArray[np.uint8]


class Blueprint(NamedTuple):
    """A set of weights."""

    name: str
    weights: NDArray[np.float32]
    version: int  #: 1 for a new one


class SeedTelemetry(NamedTuple):
    """Statistics of the elements that seeds processed, one element per seed; all 0 where there were none."""

    count: NDArray[np.uint64]  # type: ignore[assignment]
    mean: NDArray[np.float64]
    variance: NDArray[np.float64]
    min: NDArray[np.float32]
    max: NDArray[np.float32]
    dead_ratio: NDArray[np.float64]  #: share of elements with \\|x\\| < 1e-8

    def health(self) -> NDArray[np.float64]:
        """One half for the variance (up to 0.01), one half for the share of elements that are not dead; 0 without data. Below 0.7 a seed is
        unhealthy."""
        healthy = 0.5 * np.minimum(1, self.variance / 0.01) + 0.5 * (1 - self.dead_ratio)
        return np.where(self.count == 0, 0.0, healthy)


def _code(kind: type[enum.IntEnum], given: Any, option: str) -> Any:
    """The code of a member or its name; the extension refuses other types."""
    if isinstance(given, str):
        try:
            return int(kind[given])
        except KeyError:
            raise InvalidArgument(f"{option} is '{given}'; it must be one of {', '.join(one.name for one in kind)}") from None
    return given


class SeedLayer(Closing):
    """A layer of seeds, each of which owns a slice of the features and transforms it according to its state.

    The layer owns the state, the blueprints and the telemetry; :func:`forward_seeds` takes them as arrays instead. Results have the same bits
    on every space. Thread-safe: calls of one layer run one after the other. A call that raises has changed nothing.

    Args:
        hidden: features of a row
        seeds: number of seeds, all dormant at first; the last ones own nothing if there are more than features
        telemetry_epochs: epochs whose telemetry is kept; 0: none
        blueprint_bytes: memory on a device for weights that are in use
        residency: ``"automatic"``, ``"host"``, ``"both"`` or ``"device"``
        on_transition: called with a seed, its old and its new :class:`Lifecycle` after every change, by the thread of the call; may call the
            layer

    >>> import numpy as np
    >>> layer = SeedLayer(8, 4)
    >>> triples = layer.add_blueprint("triples", np.full(8, 3, np.float32))
    >>> layer.germinate(1, triples).accepted, layer.request(1, "training").accepted
    (True, True)
    >>> layer.request(1, "grafting").why
    '0 epochs in training; at least 100 are needed'
    >>> for _ in range(100):
    ...     events = layer.step()
    >>> layer.request(1, "grafting", SeedMetrics(reconstruction_loss=0.001)).accepted
    True
    >>> for _ in range(25):
    ...     events = layer.step()
    >>> layer.forward(np.full((1, 8), 2, np.float32))
    array([[2., 2., 4., 4., 2., 2., 2., 2.]], dtype=float32)
    >>> layer.telemetry().mean
    array([2., 2., 2., 2.])
    """

    __slots__ = ("_native", "_options")

    def __init__(self, hidden: int, seeds: int, *, telemetry_epochs: int = 8, blueprint_bytes: int = 1 << 28, residency: str = "automatic",
                 rules: TransitionRules = TransitionRules(), schedules: ScheduleSettings = ScheduleSettings(),
                 on_transition: Callable[[int, Lifecycle, Lifecycle], object] | None = None, context: Context | None = None) -> None:
        report: Any = on_transition
        if callable(on_transition):
            listener = on_transition

            def report(seed: int, source: int, target: int) -> None:
                listener(seed, Lifecycle(source), Lifecycle(target))
        self._native = _kindred.SeedLayer(hidden, seeds, telemetry_epochs, blueprint_bytes, residency, rules, schedules, report, native(context))
        self._options = {"telemetry_epochs": telemetry_epochs, "blueprint_bytes": blueprint_bytes, "residency": residency, "rules": rules,
                         "schedules": schedules}

    @property
    def hidden(self) -> int:
        """Features of a row."""
        return self._native.hidden()

    @property
    def seeds(self) -> int:
        """Number of seeds."""
        return self._native.seeds()

    def __len__(self) -> int:
        return self._native.seeds()

    @property
    def epoch(self) -> int:
        """Number of steps so far."""
        return self._native.epoch()

    @property
    def on_device(self) -> bool:
        """Whether a device has a copy of the state."""
        return self._native.on_device()

    @property
    def device_trouble(self) -> str:
        """Why the device cannot run forward passes; empty if it can."""
        return self._native.device_trouble()

    def features(self, seed: int) -> range:
        """The features that a seed owns."""
        return range(self._native.chunk_begin(seed), self._native.chunk_begin(seed + 1))

    # Blueprints

    def blueprints(self) -> dict[int, Blueprint]:
        """Copies of all blueprints by their ids."""
        return {key: Blueprint(*one) for key, one in self._native.blueprints().items()}

    def add_blueprint(self, name: str, weights: Array) -> int:
        """Adds weights, float32 ``[at most hidden]``, of which weight i is that of feature i. Returns their id, which is never reused."""
        return self._native.add_blueprint(name, weights)

    def replace_blueprint(self, blueprint: int, weights: Array) -> None:
        """Replaces the weights by as many others."""
        self._native.replace_blueprint(blueprint, weights)

    def remove_blueprint(self, blueprint: int) -> None:
        """Removes a blueprint that no seed uses."""
        self._native.remove_blueprint(blueprint)

    def save_blueprints(self, path: StrPath) -> None:
        """Writes all blueprints to a file."""
        self._native.save_blueprints(path)

    def restore_blueprints(self, path: StrPath) -> None:
        """Replaces all blueprints by those of a file."""
        self._native.restore_blueprints(path)

    # State

    def state(self) -> SeedState:
        """A copy of the state."""
        return SeedState(*self._native.state())

    def set_state(self, state: SeedState) -> None:
        """Replaces the state of all seeds. Schedules of grafting seeds restart."""
        self._native.set_state(state)

    def history(self, seed: int) -> list[tuple[Lifecycle, Lifecycle]]:
        """The last transitions of a seed, at most 10, newest first."""
        return [(Lifecycle(source), Lifecycle(target)) for source, target in self._native.history(seed)]

    def update(self, seeds: Ids, *, lifecycle: Any = None, blueprint: Any = None, epochs: Any = None, mode: Any = None, alpha: Any = None,
               schedule: Any = None, checkpoint: Any = None, evaluation: Any = None, errors: Any = None) -> None:
        """Sets fields of seeds without the rules of transitions: a number for all of them, or one per seed. Fields that are None stay.

        If a seed is given several times, the last one wins. Epochs restart at 0 where the lifecycle changes, unless they are given.

        Raises:
            InvalidArgument: a number is out of range, or a blueprint does not exist or is too short for the features of its seed
        """
        count = np.size(seeds)

        def field(given: Any, dtype: Any, name: str, kind: type[enum.IntEnum] | None = None) -> Any:
            if given is None or isinstance(given, np.ndarray) and given.ndim > 0:
                return given
            values = [_code(kind, one, name) if kind else one for one in (given if isinstance(given, list | tuple) else [given])]
            try:
                exact = np.array(values, dtype)
            except (TypeError, ValueError, OverflowError) as error:
                raise InvalidArgument(f"{name} has a value that is not of type {np.dtype(dtype).name}: {error}") from None
            return exact if isinstance(given, list | tuple) else np.full(count, exact[0])
        self._native.update(seeds, (
            field(lifecycle, np.int8, "lifecycle", Lifecycle), field(blueprint, np.int32, "blueprint"), field(epochs, np.int16, "epochs"),
            field(mode, np.int8, "mode", ApplyMode), field(alpha, np.float32, "alpha"), field(schedule, np.int8, "schedule", AlphaSchedule),
            field(checkpoint, np.int32, "checkpoint"), field(evaluation, np.float32, "evaluation"), field(errors, np.int16, "errors")))

    def request(self, seed: int, to: Lifecycle | str, metrics: SeedMetrics | None = None) -> TransitionResult:
        """Requests a transition. A refusal gives the reason and changes nothing."""
        return TransitionResult(*self._native.request(seed, _code(Lifecycle, to, "to"), metrics))

    def germinate(self, seed: int, blueprint: int, mode: ApplyMode | str = ApplyMode.linear,
                  schedule: AlphaSchedule | str = AlphaSchedule.linear) -> TransitionResult:
        """Germinates a dormant seed with a blueprint."""
        return TransitionResult(*self._native.germinate(seed, blueprint, _code(ApplyMode, mode, "mode"), _code(AlphaSchedule, schedule, "schedule")))

    def report_error(self, seed: int) -> bool:
        """Counts an error of a seed. Returns whether it was culled for it."""
        return self._native.report_error(seed)

    def step(self, metrics: SeedMetrics | Items[SeedMetrics] | None = None) -> list[SeedEvent]:
        """Ends an epoch: counts it, and advances the alphas of grafting seeds and the telemetry.

        Args:
            metrics: of every seed, or a list of those of each

        Returns:
            the transitions that the layer made
        """
        given = metrics if metrics is None or isinstance(metrics, SeedMetrics) else list(metrics)
        return [SeedEvent(seed, Lifecycle(source), Lifecycle(target), why) for seed, source, target, why in self._native.step(given)]

    def schedule_state(self, seed: int) -> NDArray[np.float64] | None:
        """The numbers of the schedule of a grafting seed; None for another one."""
        return self._native.schedule_state(seed)

    def set_schedule_state(self, seed: int, numbers: Array) -> None:
        """Restores the numbers of :meth:`schedule_state`."""
        self._native.set_schedule_state(seed, numbers)

    # Calls

    def forward(self, x: Array, *, telemetry: str = "last", space: str | None = None, out: Array | None = None, stream: Stream = None,
                copy: bool | None = None) -> Any:
        """The seeds applied to the rows of x, on the host or on the GPU of the layer's context.

        On a GPU the call is ordered by ``stream`` and does not wait. The stream must outlive the layer.

        Args:
            x: float32, float16 or bfloat16 ``[rows, hidden]``; rows may lie apart
            telemetry: what the telemetry of the epoch is afterwards: ``"last"``, of this call; ``"merged"``, of all calls of the epoch;
                ``"none"``, as before
            out: ``[rows, hidden]`` of float32, float16 or bfloat16; may be x
            stream: of the GPU; None: the current stream of the library of x
            copy: False raises where the layout of an array would need a copy

        Returns:
            ``out``, or a new array of the type of x beside it
        """
        return self._native.forward(x, telemetry, space, out, stream, copy)

    def backward(self, x: Array, gradient: Array, *, space: str | None = None, out: tuple[Array, Array] | None = None, stream: Stream = None,
                 copy: bool | None = None) -> tuple[Any, Any]:
        """The gradients of :meth:`forward` for the current state. Other arguments as there.

        Args:
            gradient: with respect to y, of the type and shape of x
            out: ``(dx, dw)``; ``dx`` may be ``gradient``

        Returns:
            ``(dx, dw)``: ``dx`` of the type of x, and ``dw``, float32 ``[hidden]``, the gradient of the weight that each feature is given; 0 where
            it is given none
        """
        return self._native.backward(x, gradient, space, out, stream, copy)

    # Telemetry

    def has_telemetry(self, age: int = 0) -> bool:
        """Whether an epoch that is kept had a forward pass with telemetry. 0 is the current epoch."""
        return self._native.has_telemetry(age)

    def start_telemetry(self, age: int = 0) -> None:
        """Starts the transfer of the telemetry of an epoch from a device, which :meth:`telemetry` waits for."""
        self._native.start_telemetry(age)

    def telemetry(self, age: int = 0) -> SeedTelemetry:
        """The telemetry of every seed in an epoch.

        Raises:
            NotFound: the epoch is not kept, or had no forward pass
        """
        return SeedTelemetry(*self._native.telemetry(age))

    def reduce_telemetry(self, epochs: int, first: int = 0, count: int | None = None) -> tuple[SeedTelemetry, SeedTelemetry]:
        """The telemetry of the last ``epochs`` epochs, of ``count`` seeds from ``first``: of each, and of all of them as one."""
        each, whole = self._native.reduce_telemetry(epochs, first, self.seeds - first if count is None else count)
        return SeedTelemetry(*each), SeedTelemetry(*whole)

    # Checkpoints

    def save(self, path: StrPath) -> None:
        """Writes state, history, schedules and the names of the blueprints, without their weights and the telemetry."""
        self._native.save(path)

    def restore(self, path: StrPath) -> None:
        """Restores what :meth:`save` wrote, into a layer with as many features and seeds and the same blueprints."""
        self._native.restore(path)

    def info(self) -> dict[str, Any]:
        """What the layer holds."""
        state = self.state()
        counts = {one.name: int(np.count_nonzero(state.lifecycle == one)) for one in Lifecycle}
        return {"hidden": self.hidden, "seeds": self.seeds, "epoch": self.epoch, "on_device": self.on_device,
                "blueprints": len(self.blueprints()), "lifecycle": {name: count for name, count in counts.items() if count}}

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[Any, ...]:
        """State and blueprints, without telemetry and ``on_transition``; the copy has the default context."""
        return _unpickled, (self.hidden, self.seeds, self._options, in_pickle(bytes_of(self.save_blueprints), protocol),
                            in_pickle(bytes_of(self.save), protocol))

    def __repr__(self) -> str:
        if self._native.is_closed():
            return "<pykindred.SeedLayer: closed>"
        return f"<pykindred.SeedLayer: {self.seeds} seeds, {self.hidden} features, epoch {self.epoch}>"


def _unpickled(hidden: int, seeds: int, options: dict[str, Any], blueprints: bytes, state: bytes) -> SeedLayer:
    layer = SeedLayer(hidden, seeds, **options)
    loaded_from(blueprints, layer.restore_blueprints)
    loaded_from(state, layer.restore)
    return layer
