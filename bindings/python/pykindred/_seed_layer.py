# SPDX-License-Identifier: Apache-2.0
import enum
from collections.abc import Callable
from collections.abc import Sequence as Items
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from pykindred import _kindred
from pykindred._bytes import bytes_of, in_pickle, loaded_from
from pykindred._closing import Closing
from pykindred._context import Context, native
from pykindred._seed_types import (AlphaSchedule, ApplyMode, Blueprint, Lifecycle, ScheduleSettings, SeedEvent, SeedMetrics, SeedState,
                                   SeedTelemetry, TransitionResult, TransitionRules)
from pykindred._types import Array, Ids, StrPath, Stream, is_array, is_list
from pykindred.errors import InvalidArgument


def _code(kind: type[enum.IntEnum], given: Any, option: str) -> Any:
    """The code of a member or its name; the extension refuses other types."""
    if isinstance(given, str):
        try:
            return int(kind[given])
        except KeyError:
            raise InvalidArgument(f"{option} is '{given}'; it must be one of {', '.join(one.name for one in kind)}") from None
    return given


def _reporting(listener: Callable[[int, Lifecycle, Lifecycle], object]) -> Callable[[int, int, int], None]:
    """What the extension calls with codes."""
    def report(seed: int, source: int, target: int) -> None:
        listener(seed, Lifecycle(source), Lifecycle(target))
    return report


class SeedLayer(Closing):
    """A layer of seeds, each of which owns a slice of the features and transforms it according to its state.

    The layer owns the state, the blueprints and the telemetry; :func:`forward_seeds` takes them as arrays instead. Results have the same bits
    on every space. Thread-safe: calls of one layer run one after the other. A call that raises has changed nothing.

    Args:
        hidden: features of a row
        seeds: number of seeds, all dormant at first; the last ones own nothing if there are more than features
        telemetry_epochs: epochs whose telemetry is kept; 0: none
        blueprint_bytes: memory on a device for weights that are in use
        residency: ``"automatic"``, ``"host"``, ``"both"`` (host and device) or ``"device"`` (calls run there only)
        rules: limits for the guards of transitions
        schedules: parameters of the schedules that raise alpha
        on_transition: called with a seed, its old and its new :class:`Lifecycle` after every change, by the thread of the call; may call the
            layer
        context: None: the default context

    Raises:
        InvalidArgument: a number or a setting is out of range
        SpaceUnavailable: the context cannot use the memory of ``residency``

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
        report = _reporting(on_transition) if callable(on_transition) else on_transition
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
        """Number of seeds."""
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
        """The features that a ``seed`` owns.

        >>> SeedLayer(8, 4).features(1)
        range(2, 4)
        """
        return range(self._native.chunk_begin(seed), self._native.chunk_begin(seed + 1))

    # Blueprints

    def blueprints(self) -> dict[int, Blueprint]:
        """Copies of all blueprints by their ids."""
        return {key: Blueprint(*one) for key, one in self._native.blueprints().items()}

    def add_blueprint(self, name: str, weights: Array) -> int:
        """Adds a set of weights.

        Args:
            name: not empty, and that of no other blueprint
            weights: float32 ``[at most hidden]``; weight i is that of feature i

        Returns:
            the id of the set, which is never reused

        Raises:
            InvalidType: the weights are not float32
            InvalidArgument: there are more weights than features, or the name is empty or taken

        >>> SeedLayer(4, 2).add_blueprint("twos", np.full(4, 2, np.float32))
        0
        """
        return self._native.add_blueprint(name, weights)

    def replace_blueprint(self, blueprint: int, weights: Array) -> None:
        """Replaces the weights of a set by as many others, and increments its version.

        Args:
            blueprint: its id
            weights: float32, of the length of the old ones

        Raises:
            NotFound: there is no such blueprint
            InvalidArgument: there is another number of weights

        >>> layer = SeedLayer(4, 2)
        >>> twos = layer.add_blueprint("twos", np.full(4, 2, np.float32))
        >>> layer.replace_blueprint(twos, np.full(4, 5, np.float32))
        >>> layer.blueprints()[twos].version
        2
        """
        self._native.replace_blueprint(blueprint, weights)

    def remove_blueprint(self, blueprint: int) -> None:
        """Removes a ``blueprint`` by its id.

        Raises:
            NotFound: there is no such blueprint
            InvalidArgument: a seed uses it
        """
        self._native.remove_blueprint(blueprint)

    def save_blueprints(self, path: StrPath) -> None:
        """Writes all blueprints to the file at ``path``, atomically."""
        self._native.save_blueprints(path)

    def restore_blueprints(self, path: StrPath) -> None:
        """Replaces all blueprints by those of the file at ``path``.

        Raises:
            NotFound: there is no such file
            CorruptFile: it is damaged
            InvalidArgument: it lacks blueprints that seeds use

        >>> layer = SeedLayer(4, 2)
        >>> twos = layer.add_blueprint("twos", np.full(4, 2, np.float32))
        >>> layer.save_blueprints("blueprints.kindred")
        >>> other = SeedLayer(4, 2)
        >>> other.restore_blueprints("blueprints.kindred")
        >>> other.blueprints()[twos].name
        'twos'
        """
        self._native.restore_blueprints(path)

    # State

    def state(self) -> SeedState:
        """A copy of the state."""
        return SeedState(*self._native.state())

    def set_state(self, state: SeedState) -> None:
        """Replaces the ``state`` of all seeds. Schedules of grafting seeds restart.

        Raises:
            InvalidType: an array of the state has elements of another type
            InvalidArgument: an array has another length or a value out of range, or a blueprint does not exist or is too short

        >>> layer = SeedLayer(4, 2)
        >>> layer.set_state(layer.state()._replace(lifecycle=np.int8([0, Lifecycle.culled])))
        >>> layer.state().lifecycle
        array([0, 8], dtype=int8)
        """
        self._native.set_state(state)

    def history(self, seed: int) -> list[tuple[Lifecycle, Lifecycle]]:
        """The last transitions of a ``seed``, at most 10, newest first: the state before and the state after each.

        >>> layer = SeedLayer(4, 2)
        >>> twos = layer.add_blueprint("twos", np.full(4, 2, np.float32))
        >>> layer.germinate(0, twos).accepted
        True
        >>> [(source.name, target.name) for source, target in layer.history(0)]
        [('dormant', 'germinated')]
        """
        return [(Lifecycle(source), Lifecycle(target)) for source, target in self._native.history(seed)]

    def update(self, seeds: Ids, *, lifecycle: Any = None, blueprint: Any = None, epochs: Any = None, mode: Any = None, alpha: Any = None,
               schedule: Any = None, checkpoint: Any = None, evaluation: Any = None, errors: Any = None) -> None:
        """Sets fields of seeds without the rules of transitions: a value for all of them, or one per seed. Fields that are None stay.

        If a seed is given several times, the last one wins. Epochs restart at 0 where the lifecycle changes, unless they are given.

        Args:
            seeds: integers ``[n]``, or one
            lifecycle: a :class:`Lifecycle`, its name or code, a list of them, or int8 ``[n]``
            blueprint: an id or int32 ``[n]``; −1: none
            epochs: a number or int16 ``[n]``, in the current state
            mode: an :class:`ApplyMode`, its name or code, a list of them, or int8 ``[n]``
            alpha: from 0 to 1, a number or float32 ``[n]``
            schedule: an :class:`AlphaSchedule`, its name or code, a list of them, or int8 ``[n]``
            checkpoint: a number or int32 ``[n]``; −1: none
            evaluation: a number or float32 ``[n]``
            errors: a number or int16 ``[n]``

        Raises:
            InvalidType: an array has elements of another type
            InvalidArgument: a number is out of range, or a blueprint does not exist or is too short for the features of its seed

        >>> layer = SeedLayer(4, 2)
        >>> twos = layer.add_blueprint("twos", np.full(4, 2, np.float32))
        >>> layer.update([0, 1], lifecycle=["grafting", "fossilized"], blueprint=twos, alpha=np.float32([0.25, 1]))
        >>> layer.forward(np.ones((1, 4), np.float32))
        array([[1.25, 1.25, 2.  , 2.  ]], dtype=float32)
        """
        count = np.size(seeds)

        def field(given: Any, dtype: Any, name: str, kind: type[enum.IntEnum] | None = None) -> Any:
            if given is None or is_array(given) and given.ndim > 0:
                return given
            values = [_code(kind, one, name) if kind else one for one in (given if is_list(given) else [given])]
            try:
                exact: NDArray[Any] = np.array(values, dtype)
            except (TypeError, ValueError, OverflowError) as error:
                raise InvalidArgument(f"{name} has a value that is not of type {np.dtype(dtype).name}: {error}") from None
            return exact if is_list(given) else np.full(count, exact[0])
        self._native.update(seeds, (
            field(lifecycle, np.int8, "lifecycle", Lifecycle), field(blueprint, np.int32, "blueprint"), field(epochs, np.int16, "epochs"),
            field(mode, np.int8, "mode", ApplyMode), field(alpha, np.float32, "alpha"), field(schedule, np.int8, "schedule", AlphaSchedule),
            field(checkpoint, np.int32, "checkpoint"), field(evaluation, np.float32, "evaluation"), field(errors, np.int16, "errors")))

    def request(self, seed: int, to: Lifecycle | str, metrics: SeedMetrics | None = None) -> TransitionResult:
        """Requests a transition. A refusal gives the reason and changes nothing.

        A graft begins with ``alpha_min`` of the schedules; a seed that returns to dormant loses its blueprint, errors and alpha.

        Args:
            seed: from 0
            to: a :class:`Lifecycle`, its name or code
            metrics: for the guards of the transition

        Raises:
            InvalidArgument: there is no such seed or state

        >>> SeedLayer(4, 2).request(0, "grafting").accepted
        False
        """
        return TransitionResult(*self._native.request(seed, _code(Lifecycle, to, "to"), metrics))

    def germinate(self, seed: int, blueprint: int, mode: ApplyMode | str = ApplyMode.linear,
                  schedule: AlphaSchedule | str = AlphaSchedule.linear) -> TransitionResult:
        """Germinates a dormant seed with a blueprint. A refusal gives the reason and changes nothing.

        Args:
            seed: from 0
            blueprint: the id of its weights
            mode: how they are applied: an :class:`ApplyMode`, its name or code
            schedule: how alpha will rise: an :class:`AlphaSchedule`, its name or code

        Raises:
            InvalidArgument: there is no such seed, mode or schedule

        >>> layer = SeedLayer(4, 2)
        >>> twos = layer.add_blueprint("twos", np.full(4, 2, np.float32))
        >>> layer.germinate(0, twos, "additive").accepted, layer.germinate(0, twos).accepted
        (True, False)
        """
        return TransitionResult(*self._native.germinate(seed, blueprint, _code(ApplyMode, mode, "mode"), _code(AlphaSchedule, schedule, "schedule")))

    def report_error(self, seed: int) -> bool:
        """Counts an error of a ``seed``, which is culled when its errors reach ``errors_max`` of the rules. Returns whether it was.

        >>> layer = SeedLayer(4, 2)
        >>> twos = layer.add_blueprint("twos", np.full(4, 2, np.float32))
        >>> layer.germinate(0, twos).accepted
        True
        >>> [layer.report_error(0) for _ in range(5)]
        [False, False, False, False, True]
        """
        return self._native.report_error(seed)

    def step(self, metrics: SeedMetrics | Items[SeedMetrics] | None = None) -> list[SeedEvent]:
        """Ends an epoch: counts it, and advances the alphas of grafting seeds and the telemetry.

        Args:
            metrics: of every seed, or a list of those of each

        Returns:
            the transitions that the layer made, in the order of the seeds

        Raises:
            InvalidArgument: there is another number of metrics than seeds, or weights have another length than those that a schedule has seen

        >>> layer = SeedLayer(4, 2)
        >>> layer.step(), layer.epoch
        ([], 1)
        """
        given = metrics if metrics is None or isinstance(metrics, SeedMetrics) else list(metrics)
        return [SeedEvent(seed, Lifecycle(source), Lifecycle(target), why) for seed, source, target, why in self._native.step(given)]

    def schedule_state(self, seed: int) -> NDArray[np.float64] | None:
        """The numbers of the schedule of a grafting ``seed``, float64; None for another one.

        >>> SeedLayer(4, 2).schedule_state(0) is None
        True
        """
        return self._native.schedule_state(seed)

    def set_schedule_state(self, seed: int, numbers: Array) -> None:
        """Restores the ``numbers`` of :meth:`schedule_state` of a ``seed``.

        Raises:
            InvalidArgument: the seed is not grafting, or the numbers are not a state of its schedule

        >>> layer = SeedLayer(4, 2)
        >>> twos = layer.add_blueprint("twos", np.full(4, 2, np.float32))
        >>> layer.update([0, 1], lifecycle="grafting", blueprint=twos, schedule="momentum")
        >>> events = layer.step([SeedMetrics(performance_delta=0.5), SeedMetrics()])
        >>> layer.set_schedule_state(1, layer.schedule_state(0))
        >>> np.array_equal(layer.schedule_state(1), layer.schedule_state(0))
        True
        """
        self._native.set_schedule_state(seed, numbers)

    # Calls

    def forward(self, x: Array, *, telemetry: str = "last", space: str | None = None, out: Array | None = None, stream: Stream = None,
                copy: bool | None = None) -> Any:
        """The seeds applied to the rows of x, on the host or on the GPU of the layer's context.

        On a GPU the call is ordered by ``stream`` and does not wait. The stream must outlive the layer.

        Args:
            x: float32, float16 or bfloat16 ``[rows, hidden]``; there may be gaps between rows
            telemetry: what the telemetry of the epoch is afterwards: ``"last"``, of this call; ``"merged"``, of all calls of the epoch;
                ``"none"``, as before
            space: ``"serial"``, ``"openmp"`` or ``"cuda"`` instead of the dispatcher's choice
            out: ``[rows, hidden]`` of float32, float16 or bfloat16; may be x
            stream: of the GPU; None: the current stream of the library of x
            copy: False raises where the layout of an array would need a copy

        Returns:
            ``out``, or a new array of the type of x beside it

        Raises:
            InvalidType: an array has elements of another type
            InvalidArgument: a shape or an option does not fit, or arrays overlap
            SpaceUnavailable: the call cannot run in ``space``

        >>> layer = SeedLayer(4, 2)
        >>> twos = layer.add_blueprint("twos", np.full(4, 2, np.float32))
        >>> layer.update(1, lifecycle="fossilized", blueprint=twos, mode="multiplicative")
        >>> layer.forward(np.float32([[1, 2, 3, 4]]))
        array([[1., 2., 6., 8.]], dtype=float32)
        """
        return self._native.forward(x, telemetry, space, out, stream, copy)

    def backward(self, x: Array, gradient: Array, *, space: str | None = None, out: tuple[Array, Array] | None = None, stream: Stream = None,
                 copy: bool | None = None) -> tuple[Any, Any]:
        """The gradients of :meth:`forward` for the current state. Other arguments and exceptions as there.

        Args:
            gradient: with respect to y, of the type and shape of x
            out: ``(dx, dw)``; ``dx`` may be ``gradient``

        Returns:
            ``(dx, dw)``: ``dx`` of the type of x, and ``dw``, float32 ``[hidden]``, the gradient of the weight that each feature is given; 0 where
            it is given none

        >>> layer = SeedLayer(4, 2)
        >>> twos = layer.add_blueprint("twos", np.full(4, 2, np.float32))
        >>> layer.update(1, lifecycle="fossilized", blueprint=twos, mode="multiplicative")
        >>> layer.backward(np.float32([[1, 2, 3, 4]]), np.ones((1, 4), np.float32))
        (array([[1., 1., 2., 2.]], dtype=float32), array([0., 0., 3., 4.], dtype=float32))
        """
        return self._native.backward(x, gradient, space, out, stream, copy)

    # Telemetry

    def has_telemetry(self, age: int = 0) -> bool:
        """Whether an epoch that is kept had a forward pass with telemetry.

        Args:
            age: of the epoch; 0: the current one

        >>> SeedLayer(4, 2).has_telemetry()
        False
        """
        return self._native.has_telemetry(age)

    def start_telemetry(self, age: int = 0) -> None:
        """Starts the transfer of the telemetry of an epoch from a device, which :meth:`telemetry` waits for.

        Args:
            age: of the epoch; 0: the current one

        Raises:
            NotFound: the epoch is not kept, or had no forward pass
        """
        self._native.start_telemetry(age)

    def telemetry(self, age: int = 0) -> SeedTelemetry:
        """The telemetry of every seed in an epoch.

        Args:
            age: of the epoch; 0: the current one

        Raises:
            NotFound: the epoch is not kept, or had no forward pass

        >>> layer = SeedLayer(4, 2)
        >>> _ = layer.forward(np.float32([[1, 3, 0, 0]]))
        >>> layer.telemetry().max
        array([3., 0.], dtype=float32)
        """
        return SeedTelemetry(*self._native.telemetry(age))

    def reduce_telemetry(self, epochs: int, first: int = 0, count: int | None = None) -> tuple[SeedTelemetry, SeedTelemetry]:
        """The telemetry of several epochs and seeds, merged.

        Args:
            epochs: how many, including the current one
            first: the first seed
            count: number of seeds; None: all from ``first``

        Returns:
            the telemetry of each seed, ``[count]``, and that of all of them as one, ``[1]``

        Raises:
            InvalidArgument: epochs or seeds are out of range

        >>> layer = SeedLayer(4, 2)
        >>> for _ in range(3):
        ...     _ = layer.forward(np.float32([[1, 3, 0, 0]]))
        ...     events = layer.step()
        >>> each, whole = layer.reduce_telemetry(4)
        >>> each.count, whole.count
        (array([6, 6], dtype=uint64), array([12], dtype=uint64))
        """
        each, whole = self._native.reduce_telemetry(epochs, first, self.seeds - first if count is None else count)
        return SeedTelemetry(*each), SeedTelemetry(*whole)

    # Checkpoints

    def save(self, path: StrPath) -> None:
        """Writes state, history, schedules and the names of the blueprints, without their weights and the telemetry.

        The file at ``path`` is written atomically.
        """
        self._native.save(path)

    def restore(self, path: StrPath) -> None:
        """Restores what :meth:`save` wrote to ``path``, into a layer with as many features and seeds and the same blueprints.

        Raises:
            NotFound: there is no such file
            CorruptFile: it is damaged
            InvalidArgument: it is of a layer of another shape, or with other blueprints

        >>> layer = SeedLayer(4, 2)
        >>> events = layer.step()
        >>> layer.save("layer.kindred")
        >>> other = SeedLayer(4, 2)
        >>> other.restore("layer.kindred")
        >>> other.epoch
        1
        """
        self._native.restore(path)

    def statistics(self) -> dict[str, Any]:
        """What the layer holds.

        >>> SeedLayer(4, 2).statistics()["lifecycle"]
        {'dormant': 2}
        """
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
