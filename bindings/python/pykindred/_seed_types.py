# SPDX-License-Identifier: Apache-2.0
"""What :class:`SeedLayer` takes and returns: states, settings, metrics and results."""
import enum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pykindred._types import Array


class Lifecycle(enum.IntEnum):
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


class ApplyMode(enum.IntEnum):
    """How a seed applies the weights w of its blueprint with alpha a.

    >>> ApplyMode["additive"] == 2
    True
    """

    linear = 0  #: a·w·x + (1 − a)·x
    multiplicative = 1  #: w·x
    additive = 2  #: x + w
    mixed = 3  #: x/2 + w/2


class AlphaSchedule(enum.IntEnum):
    """How alpha rises while a seed is grafting.

    >>> [schedule.name for schedule in AlphaSchedule][:2]
    ['linear', 'drift_controlled']
    """

    linear = 0  #: in proportion to the epochs
    drift_controlled = 1  #: linear, with pauses while the weights drift
    momentum = 2  #: faster where the performance improves
    adaptive = 3  #: as drift_controlled, momentum or linear, depending on the metrics
    stability = 4  #: linear, and back to an earlier alpha while the metrics are unstable


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
    embargo_epochs: int = 100  #: epochs in culled before dormant


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
