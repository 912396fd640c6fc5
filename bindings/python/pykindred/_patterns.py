# SPDX-License-Identifier: Apache-2.0
import contextlib
from collections.abc import Generator, Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pykindred import _kindred
from pykindred._bytes import in_pickle
from pykindred._closing import Closing
from pykindred._context import Context, native
from pykindred._results import Matches, Sequences
from pykindred._types import Events, Ids, StrPath


class PatternSettings(NamedTuple):
    """How a :class:`PatternMemory` keeps its patterns. Results do not depend on it.

    >>> PatternMemory(settings=PatternSettings(sync_threshold=10, background_sync=False))
    <pykindred.PatternMemory: 0 patterns, level token>
    """

    enabled: bool = True  #: the bulk tier may be on the device
    fallback_to_host: bool = True  #: without a usable device; otherwise making a memory is an error
    min_compute_capability: float = 7.0  #: devices below it are not used
    max_pattern_length: int = 0  #: longer patterns stay on the host; 0: no limit
    memory_fraction: float = 0.6  #: share of the budget of the device for the bulk tier
    growth_fraction: float = 0.2  #: part of that share that is kept free for growth
    max_bulk_patterns: int | None = None  #: limit of the bulk tier
    sync_threshold: int = 1000  #: number of recent patterns at which they are moved to the bulk tier
    sync_interval_seconds: float = 300.0  #: time between moves in the background
    background_sync: bool = True  #: by a thread; otherwise in the call that reaches the threshold
    log_memory_usage: bool = True  #: every synchronisation logs the memory use
    log_kernel_timing: bool = False  #: every match logs its space and duration


class EventLists:
    """Patterns of numbers: pattern ``i`` has the events ``lims[i]`` to ``lims[i + 1]``, event ``e`` the symbols
    ``symbols[event_lims[e]:event_lims[e + 1]]``. Calls use the arrays in place.

    >>> lists = EventLists(np.array([0, 2]), np.array([0, 1, 3]), np.uint32([0, 1, 2]))  # one pattern: [0], [1, 2]
    >>> PatternMemory().learn_all(lists, dictionary=["a", "b", "c"]).indices
    array([0])
    """

    __slots__ = ("event_lims", "lims", "symbols")

    def __init__(self, lims: NDArray[np.int64], event_lims: NDArray[np.int64], symbols: NDArray[np.uint32]) -> None:
        self.lims: NDArray[np.int64] = lims  #: int64 [patterns + 1], from 0
        self.event_lims: NDArray[np.int64] = event_lims  #: int64 [lims[-1] + 1], from 0
        self.symbols: NDArray[np.uint32] = symbols  #: uint32 [event_lims[-1]]

    def __len__(self) -> int:
        """The number of patterns."""
        return max(len(self.lims) - 1, 0)

    def __repr__(self) -> str:
        return f"<pykindred.EventLists: {len(self)} patterns, {len(self.symbols)} symbols>"


class Learned(NamedTuple):
    """A pattern that was learned.

    >>> memory = PatternMemory()
    >>> memory.learn([["a"]]), memory.learn([["a"]])
    (Learned(index=0, frequency=1, is_new=True), Learned(index=0, frequency=2, is_new=False))
    """

    index: int  # type: ignore[assignment]  #: the number of the pattern, never reused
    frequency: int  #: how often it was learned so far
    is_new: bool  #: whether it was not known before


class LearnedPatterns(NamedTuple):
    """Patterns that were learned in one call, as arrays ``[patterns]`` of what :class:`Learned` has.

    >>> PatternMemory().learn_all([[["a"]], [["b"]], [["a"]]]).frequencies
    array([1, 1, 2], dtype=uint64)
    """

    indices: NDArray[np.int64]
    frequencies: NDArray[np.uint64]
    is_new: NDArray[np.bool_]


class StoredPattern(NamedTuple):
    """A pattern as it was learned, without its empty events.

    >>> memory = PatternMemory()
    >>> memory.pattern(memory.learn([["a"], [], ["b", "c"]], name="first").index).events
    [['a'], ['b', 'c']]
    """

    index: int  # type: ignore[assignment]
    name: str | None  #: None: it has none
    events: list[list[str]]
    frequency: int  #: how often it was learned


class SyncRecord(NamedTuple):
    """The outcome of one synchronisation.

    >>> memory = PatternMemory()
    >>> _ = memory.learn([["a"]])
    >>> done = memory.sync()
    >>> done.trigger, done.moved, done.left
    ('manual', 1, 0)
    """

    trigger: str  #: ``threshold``, ``interval``, ``manual`` or ``training``
    moved: int  #: patterns that left the recent tier
    left: int  #: patterns that stay there, and remain searchable
    seconds: float
    why_left: str  #: empty if nothing was left


class Anomaly(NamedTuple):
    """A symbol of the query that was treated as another spelling of one of the pattern.

    >>> memory = PatternMemory()
    >>> _ = memory.learn([["kitten"], ["milk"]])
    >>> memory.predict([["kittn"], ["milk"]], fuzzy_token_threshold=0.8)[0].anomalies[0].expected
    'kitten'
    """

    observed: str  #: in the query
    expected: str  #: in the pattern
    similarity: float  #: of the two, in [0, 1]


class Prediction(NamedTuple):
    """What a pattern predicts for a query. The numbers from ``evidence`` on are those of KATO.

    >>> memory = PatternMemory()
    >>> _ = memory.learn([["a"], ["b", "c"], ["d"]])
    >>> found = memory.predict([["a"], ["b"]])[0]
    >>> found.present, found.missing, found.future
    ([['a'], ['b', 'c']], [[], ['c']], [['d']])
    """

    index: int  # type: ignore[assignment]
    name: str
    matched: int  #: matched symbols
    frequency: int  #: how often the pattern was learned
    matches: list[str]  #: the symbols of the query that were found, in its order
    past: list[Any]  #: the events of the pattern before those with a match
    present: list[Any]  #: from the first match to the last
    future: list[Any]  #: after them
    missing: list[Any]  #: per event of ``present``: its symbols that were not observed
    extras: list[Any]  #: per event of the query: its symbols that are not in ``present``
    anomalies: list[Anomaly]
    blocks: NDArray[np.uint32]  #: [n, 3], as :meth:`Matches.blocks`
    flat: bool  #: of the fast path for one symbol: the lists of events are lists of symbols, without boundaries
    evidence: float
    confidence: float
    similarity: float
    fragmentation: float
    snr: float
    entropy: float
    normalized_entropy: float
    global_normalized_entropy: float
    confluence: float
    tfidf_score: float
    itfdf_similarity: float
    bayesian_prior: float
    bayesian_likelihood: float
    bayesian_posterior: float
    predictive_information: float
    potential: float
    weighted_similarity: float | None  #: with weights, as the following ones
    weighted_evidence: float | None
    weighted_confidence: float | None
    weighted_snr: float | None


class PatternMemory(Closing):
    """A memory of named event sequences with exact search that can learn and forget during searches.

    A pattern is a sequence of events, and an event a sequence of texts (str, in which surrogates stand for bytes as in ``os.fsdecode``, or
    bytes). Patterns are identified by their events: learning them again increases the frequency of the pattern. An index is the number
    of the learned pattern, and is never reused. What was learned is visible to the next query. Thread-safe.

    Args:
        level: ``"token"`` compares texts, ``"character"`` the code points of the texts, joined by spaces
        settings: None: those of ``PatternSettings()``
        context: None: the default context

    >>> memory = PatternMemory()
    >>> memory.learn([["a"], ["b", "c"], ["d"]], name="first")
    Learned(index=0, frequency=1, is_new=True)
    >>> memory.learn([["a"], ["x"]]).index
    1
    >>> [ids.tolist() for scores, ids in memory.match([[["a"], ["b"]]])]
    [[0, 1]]
    >>> memory.predict([["a"], ["b", "c"]])[0].future
    [['d']]
    """

    __slots__ = ("__weakref__", "_native", "_options")

    def __init__(self, *, level: str = "token", settings: PatternSettings | None = None, context: Context | None = None) -> None:
        self._native = _kindred.PatternMemory(level, _fields(settings), native(context))
        self._options = (level, settings)

    @classmethod
    def load(cls, path: StrPath, *, level: str = "token", settings: PatternSettings | None = None,
             context: Context | None = None) -> "PatternMemory":
        """Maps the file of :meth:`save` and :meth:`append` at ``path``.

        Args:
            level, settings, context: as in the constructor; the file records none of them

        Raises:
            NotFound: there is no such file
            CorruptFile: it is damaged; nothing of it is used

        >>> PatternMemory().save("patterns.kindred")
        >>> PatternMemory.load("patterns.kindred")
        <pykindred.PatternMemory: 0 patterns, level token>
        """
        return cls._of(_kindred.PatternMemory.load(path, level, _fields(settings), native(context)), level, settings)

    @classmethod
    def from_bytes(cls, data: bytes, *, level: str = "token", settings: PatternSettings | None = None,
                   context: Context | None = None) -> "PatternMemory":
        """A memory of the ``data`` of :meth:`to_bytes`. Other arguments as in the constructor. Raises CorruptFile.

        >>> PatternMemory.from_bytes(PatternMemory().to_bytes())
        <pykindred.PatternMemory: 0 patterns, level token>
        """
        return cls._of(_kindred.PatternMemory.from_bytes(data, level, _fields(settings), native(context)), level, settings)

    @classmethod
    def _of(cls, made: "_kindred.PatternMemory", level: str, settings: PatternSettings | None) -> "PatternMemory":
        memory = cls.__new__(cls)
        memory._native = made
        memory._options = (level, settings)
        return memory

    @staticmethod
    def inspect(path: StrPath) -> dict[str, int]:
        """Validates every byte of the file at ``path``, and describes its contents. Raises NotFound, CorruptFile."""
        return _kindred.PatternMemory.inspect(path)

    def save(self, path: StrPath) -> None:
        """Writes the memory to a file, atomically: the file at ``path`` is the old or the new one.

        What others learn during the call is written by the next :meth:`append`.
        """
        self._native.save(path)

    def append(self, path: StrPath) -> None:
        """Appends everything learned, repeated and forgotten since the last save, append or load to that file, whose path is ``path``."""
        self._native.append(path)

    def to_bytes(self) -> bytes:
        """The bytes of the file, from one moment."""
        return self._native.to_bytes()

    def learn(self, events: Events, *, name: str | bytes | None = None, times: int = 1) -> Learned:
        """Learns a pattern, or increases the frequency of a known one, which keeps its first name.

        Args:
            events: a sequence of events, each a sequence of texts
            name: None: a new pattern has none
            times: the frequency of a new pattern, or what is added to that of a known one

        Raises:
            InvalidArgument: the name belongs to a pattern with other events

        >>> PatternMemory().learn([["a"], ["b", "c"]], name="first", times=3)
        Learned(index=0, frequency=3, is_new=True)
        """
        return Learned(*self._native.learn(events, name, times))

    def learn_all(self, patterns: "Iterable[Events] | EventLists", *, dictionary: Iterable[str | bytes] | None = None,
                  names: Iterable[str | bytes | None] | None = None, times: Ids | None = None) -> LearnedPatterns:
        """Learns many patterns in one call, all or none, with the results of :meth:`learn` in their order.

        Args:
            patterns: of texts; or :class:`EventLists` of numbers, which is faster
            dictionary: symbol s of :class:`EventLists` stands for the text ``dictionary[s]``; None: for ``symbols()[s]``
            names: one per pattern
            times: occurrences, one per pattern; None: one each

        Raises:
            InvalidArgument: as :meth:`learn`, of any of them; nothing is learned then

        >>> PatternMemory().learn_all([[["a"], ["b"]], [["c"]]], names=["first", "second"]).indices
        array([0, 1])
        """
        return LearnedPatterns(*self._native.learn_all(patterns, dictionary, names, times))

    def set_frequency(self, index: int, frequency: int) -> None:
        """Sets the ``frequency`` of the pattern ``index``, at least 1. Raises NotFound."""
        self._native.set_frequency(index, frequency)

    def forget(self, pattern: int | str | bytes) -> bool:
        """Forgets the pattern of an index or a name. Returns whether it existed.

        >>> memory = PatternMemory()
        >>> _ = memory.learn([["a"]], name="first")
        >>> memory.forget("first"), memory.forget("first")
        (True, False)
        """
        return self._native.forget(pattern)

    def clear(self) -> None:
        """Forgets all patterns. Their indices are not reused."""
        self._native.clear()

    def find(self, pattern: "str | bytes | Events") -> int | None:
        """The index of the pattern with a name, or with these events; None if there is none.

        >>> memory = PatternMemory()
        >>> _ = memory.learn([["a"], ["b"]], name="first")
        >>> memory.find("first"), memory.find([["a"], ["b"]]), memory.find([["b"]])
        (0, 0, None)
        """
        return self._native.find(pattern)

    def find_all(self, names: Iterable[str | bytes]) -> NDArray[np.int64]:
        """The index of the pattern of each of the ``names``, −1 where there is none, from one moment: int64 ``[names]``."""
        return self._native.find_all(names)

    def names(self, indices: Ids) -> list[str | None]:
        """The names of the patterns ``indices``, from one moment; None for those without a name or that do not exist."""
        return self._native.names(indices)

    def pattern(self, index: int) -> StoredPattern:
        """The pattern of an index. Raises NotFound."""
        return StoredPattern(*self._native.pattern(index))

    def frequency(self, index: int) -> int:
        """How often a pattern was learned; 0 if it does not exist."""
        return self._native.frequency(index)

    def symbols(self) -> list[str]:
        """The texts of all symbols that were ever learned, by their numbers."""
        return self._native.symbols()

    def symbol_frequencies(self) -> NDArray[np.int64]:
        """How often each of :meth:`symbols` was learned."""
        return self._native.symbol_frequencies()

    def encode(self, queries: "Iterable[Events] | Sequences", *, level: str | None = None) -> Sequences:
        """Queries as symbols, for many calls of :meth:`match` at the same level; a text that was never learned matches nothing.

        Args:
            queries, level: as for :meth:`match`
        """
        return Sequences(*self._native.encode(queries, level))

    def match(self, queries: "Iterable[Events] | Sequences", *, level: str | None = None, measure: str = "lcs", threshold: float = 0.1,
              top: int | None = 10, blocks: bool = False, autojunk: bool = False, postings: str = "automatic", filter: Ids | None = None,
              space: str | None = None) -> Matches:
        """The best patterns of every query: ``ids`` are their indices. Other arguments as :meth:`SequenceMatcher.match`.

        Args:
            queries: a collection of patterns; or the result of :meth:`encode`
            level: None: that of the memory. The first call at another one stores all patterns at that level, too

        >>> memory = PatternMemory()
        >>> _ = memory.learn_all([[["a"], ["b"]], [["a"], ["c"]]])
        >>> matches = memory.match([[["a"], ["c"]]])
        >>> matches.ids, matches.scores
        (array([1, 0]), array([1. , 0.5]))
        """
        return Matches(*self._native.match(queries, level, measure, threshold, top, blocks, autojunk, postings, filter, space))

    def predict(self, query: Events, *, level: str | None = None, measure: str = "lcs", autojunk: bool = False, threshold: float = 0.1,
                top: int = 100, rank_by: str = "potential", fuzzy_token_threshold: float = 0.0, single_symbol_fast_path: bool = False,
                weights: NDArray[np.float64] | None = None, filter: Ids | None = None, threads: int = 0,
                space: str | None = None) -> list[Prediction]:
        """Predictions from all patterns whose similarity to the query is at least ``threshold``, best first.

        Args:
            rank_by: the name of a number of :class:`Prediction`
            fuzzy_token_threshold: above 0: the similarity at which two texts are spellings of the same symbol
            single_symbol_fast_path: treat a query of one symbol as KATO does, :attr:`Prediction.flat`
            weights: float64, by symbol: for the numbers ``weighted_…``
            filter: indices of the patterns that may predict; sums over all candidates then cover these alone
            threads: at most so many of the host; 0: all
            level, measure, autojunk, top, space: as for :meth:`match`

        Raises:
            InvalidArgument: an option is out of range, or ``weights`` has another length than :meth:`symbols`

        >>> memory = PatternMemory()
        >>> _ = memory.learn_all([[["a"], ["b"], ["c"]], [["a"], ["d"]]])
        >>> [found.future for found in memory.predict([["a"]], rank_by="similarity")]
        [[['d']], [['b'], ['c']]]
        """
        found = self._native.predict(query, level, measure, autojunk, threshold, top, rank_by, fuzzy_token_threshold,
                                     single_symbol_fast_path, weights, filter, threads, space)
        for given in found:
            given["anomalies"] = [Anomaly(*one) for one in given["anomalies"]]
        return [Prediction(**given) for given in found]

    def sync(self) -> SyncRecord:
        """Moves recent patterns to the bulk tier, and merges small segments. Queries continue meanwhile."""
        return SyncRecord(*self._native.sync())

    def begin_training(self) -> None:
        """Suspends automatic synchronisation."""
        self._native.begin_training()

    def end_training(self) -> SyncRecord:
        """Resumes automatic synchronisation, and synchronises once."""
        return SyncRecord(*self._native.end_training())

    @contextlib.contextmanager
    def training(self) -> Generator[None, None, None]:
        """A ``with`` block between :meth:`begin_training` and :meth:`end_training`.

        >>> memory = PatternMemory()
        >>> with memory.training():
        ...     _ = memory.learn([["a"]])
        """
        self.begin_training()
        try:
            yield
        finally:
            self.end_training()

    def __contains__(self, pattern: object) -> bool:
        """Whether there is a pattern with this name, or with these events."""
        return self._native.find(pattern) is not None

    def __len__(self) -> int:
        """The number of patterns that can be found."""
        return self._native.size()

    @property
    def level(self) -> str:
        """``"token"`` or ``"character"``."""
        return self._native.level()

    def statistics(self) -> dict[str, Any]:
        """What the memory holds."""
        return self._native.statistics()

    def sync_statistics(self) -> dict[str, Any]:
        """The synchronisations so far; ``last`` is a :class:`SyncRecord`."""
        found = self._native.sync_statistics()
        return {**found, "last": SyncRecord(*found["last"])}

    def __reduce_ex__(self, protocol: Any) -> Any:
        data = self._native.to_bytes()
        return _restored, (type(self), in_pickle(data, protocol), *self._options)

    def __repr__(self) -> str:
        if self._native.is_closed():
            return "<pykindred.PatternMemory: closed>"
        return f"<pykindred.PatternMemory: {len(self)} patterns, level {self.level}>"


def _fields(settings: PatternSettings | None) -> Any:
    """What the extension takes for the argument ``settings``; it refuses other types."""
    return settings._asdict() if isinstance(settings, PatternSettings) else settings


def _restored(kind: type[PatternMemory], data: bytes, level: str, settings: PatternSettings | None) -> PatternMemory:
    """An unpickled or copied memory, in the default context."""
    return kind.from_bytes(data, level=level, settings=settings)
