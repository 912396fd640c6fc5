# SPDX-License-Identifier: Apache-2.0
"""What a PatternMemory takes and returns."""
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


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
    """Patterns of numbers: pattern ``i`` has the events ``offsets[i]`` to ``offsets[i + 1]``, event ``e`` the symbols
    ``symbols[event_offsets[e]:event_offsets[e + 1]]``. Calls use the arrays in place.

    >>> lists = EventLists(np.array([0, 2]), np.array([0, 1, 3]), np.uint32([0, 1, 2]))  # one pattern: [0], [1, 2]
    >>> PatternMemory().learn_all(lists, dictionary=["a", "b", "c"]).indices
    array([0])
    """

    __slots__ = ("event_offsets", "offsets", "symbols")

    def __init__(self, offsets: NDArray[np.int64], event_offsets: NDArray[np.int64], symbols: NDArray[np.uint32]) -> None:
        self.offsets: NDArray[np.int64] = offsets  #: int64 [patterns + 1], from 0
        self.event_offsets: NDArray[np.int64] = event_offsets  #: int64 [offsets[-1] + 1], from 0
        self.symbols: NDArray[np.uint32] = symbols  #: uint32 [event_offsets[-1]]

    def __len__(self) -> int:
        """The number of patterns."""
        return max(len(self.offsets) - 1, 0)

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
