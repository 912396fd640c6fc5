# SPDX-License-Identifier: Apache-2.0
"""SeedLayer: seeds that own slices of the hidden dimension"""
C_INCLUDES = ("Seeds.hpp",)
PYTHON_INCLUDES = ("SeedArguments.hpp", "Texts.hpp")
IMPORTS = """
from collections.abc import Sequence as Items
from typing import SupportsIndex
from pykindred._bytes import bytes_of, loaded_from
from pykindred._seed_types import AlphaSchedule, ApplyMode, Blueprint, Lifecycle, ScheduleSettings, SeedEvent, SeedMetrics, SeedState, SeedTelemetry, TransitionResult, TransitionRules
from pykindred._types import is_array, is_list"""


class SeedsCall(Options, c="seeds_call", cpp="SeedForwardOptions"):
    """Options of a pass."""
    telemetry: SeedTelemetryUse = "last"  # the telemetry of the epoch afterwards: as before, of this call, or of all calls of the epoch; C:
    space: Space = None  # instead of the dispatcher's choice
    stream: Stream = None  # C: nonzero: `stream`, which must outlive the layer, orders a pass on rows on a device


class SeedsStatistics(Statistics, c="seeds_statistics"):
    """Size and state of a layer."""
    epoch: U64 = "object.epoch()"  # number of steps so far
    hidden: U32 = "object.hidden()"
    seeds: U32 = "object.seeds()"
    on_device: Has = "object.on_device()"


def _unpickled(hidden: int, seeds: int, options: tuple[Any, ...], blueprints: bytes, state: bytes) -> "SeedLayer":
    names = ("telemetry_epochs", "residency", "blueprint_bytes", "rules", "schedules")
    layer = SeedLayer(hidden, seeds, **dict(zip(names, options, strict=True)))
    loaded_from(blueprints, layer.restore_blueprints)
    loaded_from(state, layer.restore)
    return layer


class SeedLayer(Handle, c="seeds", namespace="Seeds", shared=True, noun="SeedLayer", header="kindred/matcher/SeedLayer.hpp"):
    """A layer of seeds, each of which owns a slice of the features and transforms it according to its state.

    The layer owns the state, the blueprints and the telemetry; :func:`forward_seeds` takes them as arrays instead. Results have the same bits
    on every space. Thread-safe: calls of one layer run one after the other. A call that raises has changed nothing.

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

    @kept
    @hand("python")
    @without("hidden", "seeds", "on_transition")
    @python(rules="TransitionRules = TransitionRules()", schedules="ScheduleSettings = ScheduleSettings()")
    @cpp(order="context, options")
    def create(context: Context, hidden: Given, seeds: Given, options: SeedLayerOptions, on_transition: Listener) -> New:
        """Creates a layer of dormant seeds.

        Python Args:
            hidden: features of a row
            seeds: number of seeds, all dormant at first; the last ones own nothing if there are more than features
            on_transition: called with a seed, its old and its new :class:`Lifecycle` after every change, by the thread of the call; may call the
                layer

        Raises:
            InvalidArgument: a number or a setting is out of range
            SpaceUnavailable: the context cannot use the memory of ``residency``
        """

    @only("c")
    def statistics(self) -> SeedsStatistics:
        """Size and state."""

    @gil("constant")
    @only("python")
    @property
    def hidden(self) -> Size:
        """Features of a row."""

    @gil("constant")
    @only("python")
    @property
    def seeds(self) -> Size:
        """Number of seeds."""

    @gil("atomic")
    @only("python")
    @property
    def epoch(self) -> Size:
        """Number of steps so far."""

    @gil("constant")
    @only("python")
    @property
    def on_device(self) -> Bool:
        """Whether a device has a copy of the state."""

    def __len__(self) -> int:
        """Number of seeds."""
        return self.seeds

    @property
    def device_trouble(self) -> Why:
        """Why the device cannot run forward passes on its rows; empty if it can."""

    @gil("constant")
    @python("called")
    def chunk_begin(self, seed: SeedOfLayer(1)) -> Out("uint32_t", "feature"):
        """The first feature of a seed."""

    def features(self, seed: int) -> range:
        """The features that a ``seed`` owns.

        >>> SeedLayer(8, 4).features(1)
        range(2, 4)
        """
        return range(self._native.chunk_begin(seed), self._native.chunk_begin(seed + 1))

    @changes
    def add_blueprint(self, name: BlueprintName, weights: Values("float")) -> Out("int32_t", "blueprint"):
        """Adds a set of weights, of which weight i is that of feature i.

        Python Args:
            name: not empty, and that of no other blueprint
            weights: float32 ``[at most hidden]``

        Returns:
            the id of the set, which is never reused

        Raises:
            InvalidType: the weights are not float32
            InvalidArgument: there are more weights than features, or the name is empty or taken

        >>> SeedLayer(4, 2).add_blueprint("twos", np.full(4, 2, np.float32))
        0
        """

    @changes
    def replace_blueprint(self, blueprint: Number("int32_t"), weights: Values("float")):
        """Replaces the weights of a set by as many others, and increments its version.

        Python Args:
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

    @changes
    def remove_blueprint(self, blueprint: Number("int32_t")):
        """Removes a set that no seed uses.

        Python Args:
            blueprint: its id

        Raises:
            NotFound: there is no such blueprint
            InvalidArgument: a seed uses it
        """

    def blueprints(self) -> Copies:
        """Copies of all blueprints, which later changes of the layer do not change.

        Returns:
            blueprints by their ids
        """

    @only("python")
    @cpp(name="blueprints().save")
    def save_blueprints(self, path: Path):
        """Writes all blueprints to a file, atomically."""

    @changes
    def restore_blueprints(self, path: Path):
        """Replaces all blueprints by those of a file.

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

    @c("states")
    def state(self) -> States:
        """A copy of the state of all seeds.

        C Args:
            states: at most `capacity` are written
            histories: as many, for the transitions of the seeds
            count: number of seeds; if it exceeds `capacity`, the call fails with KINDRED_INVALID, and sets only this
        """

    @changes
    @c("set_states")
    def set_state(self, state: StateOfAll(SeedState)):
        """Replaces the state of all seeds. Schedules of grafting seeds restart.

        C: KINDRED_INVALID for values out of range, another number of seeds, and a blueprint that does not exist or is too short.

        C Args:
            states: count, one per seed
            histories: as many; NULL: no transitions

        Python Args:
            state: of all seeds

        Raises:
            InvalidType: an array of the state has elements of another type
            InvalidArgument: an array has another length or a value out of range, or a blueprint does not exist or is too short

        >>> layer = SeedLayer(4, 2)
        >>> layer.set_state(layer.state()._replace(lifecycle=np.int8([0, Lifecycle.culled])))
        >>> layer.state().lifecycle
        array([0, 8], dtype=int8)
        """

    @only("python")
    @cpp(name="state().history")
    def history(self, seed: SeedOfLayer(0)) -> Changes:
        """The last transitions of a ``seed``, at most 10, newest first: the state before and the state after each.

        >>> layer = SeedLayer(4, 2)
        >>> twos = layer.add_blueprint("twos", np.full(4, 2, np.float32))
        >>> layer.germinate(0, twos).accepted
        True
        >>> [(source.name, target.name) for source, target in layer.history(0)]
        [('dormant', 'germinated')]
        """

    @changes
    @python("called")
    def update(self, updates: Updates(SeedField)):
        """Sets fields of seeds; the rules of transitions are not checked."""

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
        def field(given: Any, dtype: Any, name: str, kind: Any = None) -> Any:
            if given is None or is_array(given) and given.ndim > 0:
                return given
            names = kind.__members__ if kind else {}
            values = [names.get(one, one) if isinstance(one, str) else one for one in (given if is_list(given) else [given])]
            try:
                listed: NDArray[Any] = np.array(values or np.empty(0, dtype))
                exact = listed.astype(dtype, casting="same_kind")
                if exact.ndim != 1 or exact.dtype.kind == "i" and (exact != listed).any():
                    raise ValueError(f"{listed.tolist()}")
                return exact if is_list(given) else np.full(len(seeds) if is_list(seeds) else np.size(seeds), exact[0])
            except (TypeError, ValueError, OverflowError) as error:
                raise InvalidArgument(f"{name} is {given!r}; its values must be {', '.join(names) or np.dtype(dtype).name}: {error}") from None
        self._native.update(seeds, (
            field(lifecycle, np.int8, "lifecycle", Lifecycle), field(blueprint, np.int32, "blueprint"), field(epochs, np.int16, "epochs"),
            field(mode, np.int8, "mode", ApplyMode), field(alpha, np.float32, "alpha"), field(schedule, np.int8, "schedule", AlphaSchedule),
            field(checkpoint, np.int32, "checkpoint"), field(evaluation, np.float32, "evaluation"), field(errors, np.int16, "errors")))

    @changes
    def request(self, seed: Number("uint32_t"), to: Code(Lifecycle), metrics: SomeMetrics(SeedMetrics)) -> Outcome:
        """Requests a transition. A refusal gives the reason and changes nothing.

        Python: A graft begins with ``alpha_min`` of the schedules; a seed that returns to dormant loses its blueprint, errors and alpha.

        C Args:
            accepted: 0 if it is refused
            why: the reason of a refusal, or an empty text; must be destroyed

        Python Args:
            seed: from 0
            to: a :class:`Lifecycle`, its name or code
            metrics: for the guards of the transition

        Raises:
            InvalidArgument: there is no such seed or state

        >>> SeedLayer(4, 2).request(0, "grafting").accepted
        False
        """

    @changes
    def germinate(self, seed: Number("uint32_t"), blueprint: Number("int32_t"), mode: Code(ApplyMode, " = ApplyMode.linear"),
                  schedule: Code(AlphaSchedule, " = AlphaSchedule.linear")) -> Outcome:
        """Germinates a dormant seed with a blueprint; otherwise as `request`.

        Python Args:
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

    @changes
    def report_error(self, seed: Number("uint32_t")) -> Culled:
        """Counts an error of a seed, which is culled when its errors reach ``errors_max``.

        C Args:
            culled: 1 if the seed was culled

        Returns:
            whether the seed was culled

        >>> layer = SeedLayer(4, 2)
        >>> twos = layer.add_blueprint("twos", np.full(4, 2, np.float32))
        >>> layer.germinate(0, twos).accepted
        True
        >>> [layer.report_error(0) for _ in range(5)]
        [False, False, False, False, True]
        """

    @changes
    @hand("c", "python")
    def step(self, metrics: EachMetrics(SeedMetrics)) -> Events:
        """Ends an epoch: counts it, and advances the alphas of grafting seeds and the telemetry.

        C: KINDRED_INVALID for another number of metrics than 0, 1 and the number of seeds.

        C Args:
            metrics: metrics_count pointers: one for all seeds, or one per seed
            events: the changes that the layer made, in order of the seeds; at most `capacity` are written
            count: number of changes, which may exceed `capacity`

        Python Args:
            metrics: of every seed, or a list of those of each

        Returns:
            the transitions that the layer made, in the order of the seeds

        Raises:
            InvalidArgument: there is another number of metrics than seeds, or weights have another length than those that a schedule has seen

        >>> layer = SeedLayer(4, 2)
        >>> layer.step(), layer.epoch
        ([], 1)
        """

    def schedule_state(self, seed: SeedOfLayer(0)) -> Numbers("of_graft", ", seed"):
        """The numbers of the schedule of a grafting seed.

        C: KINDRED_NOT_FOUND for a seed that is not grafting.

        C Args:
            numbers: at most `capacity` are written
            count: how many there are; if they exceed `capacity`, the call fails with KINDRED_INVALID, and sets only this

        Python Args:
            seed: from 0

        Returns:
            float64; None for a seed that is not grafting

        >>> SeedLayer(4, 2).schedule_state(0) is None
        True
        """

    @changes
    def set_schedule_state(self, seed: Number("uint32_t"), numbers: Values("double")):
        """Restores the numbers of `schedule_state` of a seed.

        Python Args:
            seed: from 0
            numbers: float64

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

    @changes
    @cpp(order="x, out, options")
    def forward(self, x: LayerRows, out: RowsOut, options: SeedsCall) -> Record:
        """The seeds applied to the rows of x, on the host or on a device.

        C: A call on a device does not fence, even without a stream of the caller: then it is ordered by the stream of the context.

        Python: On a GPU the call is ordered by ``stream`` and does not wait. The stream must outlive the layer.

        C Args:
            x,y: rows * hidden of float32, float16 or bfloat16, both in the same memory; rows may have gaps between them; y may be x

        Python Args:
            x: float32, float16 or bfloat16 ``[rows, hidden]``; there may be gaps between rows
            out: ``[rows, hidden]`` of float32, float16 or bfloat16; may be x

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

    @changes
    @without("telemetry")
    def backward(self, x: LayerRows, gradient: Gradient, dx: LayerGradients, dw: FlatOutput, options: SeedsCall) -> Record:
        """The gradients of `forward` with respect to x and the weights, for the current state. Other arguments and failures as there.

        C Args:
            gradient: with respect to y, of the type of x
            dx: of the type and shape of x
            dw: float32, one per feature, in the same memory

        Python Args:
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

    @c("has")
    def has_telemetry(self, age: Number("uint32_t", " = 0")) -> Has:
        """Whether an epoch that is kept had a forward pass with telemetry.

        Args:
            age: of the epoch; 0: the current one

        >>> SeedLayer(4, 2).has_telemetry()
        False
        """

    @changes
    def start_telemetry(self, age: Number("uint32_t", " = 0")):
        """Starts the transfer of the telemetry of an epoch from a device, for a later `telemetry`. Does not fence.

        Args:
            age: of the epoch; 0: the current one

        Raises:
            NotFound: the epoch is not kept, or had no forward pass
        """

    @changes
    def telemetry(self, age: Number("uint32_t", " = 0")) -> OneOfEachSeed:
        """The telemetry of every seed in an epoch.

        Args:
            age: of the epoch; 0: the current one

        C Args:
            telemetry: at most `capacity` are written
            count: number of seeds; if it exceeds `capacity`, the call fails with KINDRED_INVALID, and sets only this

        Raises:
            NotFound: the epoch is not kept, or had no forward pass

        >>> layer = SeedLayer(4, 2)
        >>> _ = layer.forward(np.float32([[1, 3, 0, 0]]))
        >>> layer.telemetry().max
        array([3., 0.], dtype=float32)
        """

    @changes
    def reduce_telemetry(self, epochs: Number("uint32_t"), first: Number("uint32_t", " = 0"), count: RestOfSeeds) -> Reduced:
        """The telemetry of several epochs and seeds, merged.

        Args:
            epochs: how many, including the current one
            first: the first seed
            count: number of seeds

        C Args:
            each: one per seed
            whole: of all of them as one

        Python Args:
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

    def save(self, path: Path):
        """Writes state, history, schedules and the names of the blueprints, without their weights and the telemetry, to a file, atomically."""

    @changes
    def restore(self, path: Path):
        """Restores what `save` wrote, into a layer with as many features and seeds and the same blueprints.

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
