# SPDX-License-Identifier: Apache-2.0
import json
import logging
import os
from collections.abc import Callable
from typing import Any

from pykindred import _kindred, library
from pykindred._closing import Closing
from pykindred._results import Record, record_of

_logger = logging.getLogger("pykindred")
_logger.addHandler(logging.NullHandler())
_levels = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING}


def _log(level: str, message: str) -> None:
    _logger.log(_levels[level], "%s", message)


_kindred.set_default_log(_log)


class Context(Closing):
    """Spaces, threads, memory budgets and the dispatcher, which chooses where a call runs.

    Every engine takes ``context=``; without it, they share the default context, which the first of them makes. Engines keep their
    context alive. Thread-safe. After ``os.fork`` the child has neither the threads nor the devices of a context: calls raise
    :class:`SpaceUnavailable` there.

    Args:
        threads: of the space ``openmp``, at most 512; 0: as many as this process may use
        device: the GPU of the space ``cuda``, counted from 0; None: the first
        space: runs everything there: ``"serial"``, ``"openmp"`` or ``"cuda"``; None: the dispatcher chooses
        budget_fraction: share of the free memory that may be used
        host_budget, device_budget: bytes, instead of the fraction
        profile: path of the calibration file; None: the usual one
        load_profile: use the calibration of this machine if there is one
        log: called with a level (``"debug"``, ``"info"``, ``"warning"``) and a message, from any thread; None: the logger ``pykindred``
        on_dispatch: called with a :class:`Record` after every dispatched call, from any thread

    Raises:
        InvalidArgument: an option is out of range
        SpaceUnavailable: the space or the device cannot be used

    >>> with Context(threads=1, space="serial") as context:
    ...     context.threads
    1
    """

    __slots__ = ("_native",)

    def __init__(self, *, threads: int = 0, device: int | None = None, space: str | None = None, budget_fraction: float = 0.8,
                 host_budget: int | None = None, device_budget: int | None = None, profile: str | os.PathLike[str] | None = None,
                 load_profile: bool = True, log: Callable[[str, str], object] | None = None,
                 on_dispatch: Callable[[Record], object] | None = None) -> None:
        report: Callable[[dict[str, Any]], object] | None = None if on_dispatch is None else lambda given: on_dispatch(record_of(given))
        self._native = _kindred.Context(threads, device, space, budget_fraction, host_budget, device_budget, profile, load_profile,
                                        _log if log is None else log, report)

    @property
    def threads(self) -> int:
        """The threads of the space ``openmp``."""
        return self._native.threads()

    def spaces(self) -> dict[str, dict[str, Any]]:
        """What is known of each space: whether it is usable, and if not, why; its processor or GPU; its memory."""
        return self._native.spaces()

    def memory(self, space: str = "serial") -> dict[str, int]:
        """Bytes in use by this context in the memory of a ``space``, their peak, and bytes that the system reports as free.

        >>> sorted(Context(threads=1).memory("serial"))
        ['free', 'in_use', 'peak']
        """
        return self._native.memory(space)

    @property
    def profile_path(self) -> str:
        """The calibration file of this context."""
        return self._native.profile_path()

    def save_profile(self) -> None:
        """Writes the calibration, with what calls have taught, to :attr:`profile_path`."""
        self._native.save_profile()

    def describe(self) -> dict[str, Any]:
        """What the context is, and what its dispatcher knows.

        Returns:
            a dictionary that :mod:`json` can write: ``threads``; the ``library``, with its ``name``, ``path`` and ``why`` it was chosen; the
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

    def close(self) -> None:
        """Releases the context once no engine uses it. May be called more than once."""
        self._native.close()

    def __repr__(self) -> str:
        if self._native.is_closed():
            return "<pykindred.Context: closed>"
        usable = ", ".join(name for name, space in self.spaces().items() if space["usable"])
        return f"<pykindred.Context: {usable}; {self.threads} threads>"


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
