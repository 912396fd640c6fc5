# SPDX-License-Identifier: Apache-2.0
"""Kindred: exact search in vectors, sequences and graphs, with the same results on CPU and GPU.

>>> import numpy as np, pykindred
>>> rows = np.eye(4, dtype=np.float32)
>>> scores, ids = pykindred.VectorIndex(rows).search(rows[2], top=2)
>>> ids
array([2, 0])

Importing starts no thread, makes no context and does not import NumPy: names are imported when they are first used, and the first
object that computes makes the context. Arrays are NumPy's or those of a library with ``__dlpack__``; their elements are never cast.
"""
import importlib
from typing import TYPE_CHECKING

from pykindred import _library

library: _library.Library = _library.load()  # before the extension, which is then bound to this library

from pykindred._version import __version__  # noqa: E402

if TYPE_CHECKING:
    from pykindred import difflib, distance, errors, fuzz, process
    from pykindred._bulk import Bulk
    from pykindred._context import Context, default_context, last_record
    from pykindred._hnsw import HnswIndex
    from pykindred._keyed import KeyedResults, KeyedVectorIndex, UpsertCounts
    from pykindred._lattice import Lattice, LatticeDistances, LatticeRows
    from pykindred._layers import (LinearGradients, NormGradients, NormResults, layer_norm_act, layer_norm_act_backward,
                                   linear_act, linear_act_backward)
    from pykindred._pattern_types import (Anomaly, EventLists, Learned, LearnedPatterns, PatternSettings, Prediction, StoredPattern,
                                          SyncRecord)
    from pykindred._patterns import PatternMemory
    from pykindred._prepared import Prepared, PreparedBulk, PreparedLayer
    from pykindred._results import Clusters, KeyedRagged, LatticePaths, Matches, Ragged, Record, Sequences, Spread, SpreadPath, SpreadStep
    from pykindred._rows import row_scores, top_rows
    from pykindred._seed_passes import SeedGradients, SeedSequence, SeedSums, backward_seeds, forward_seeds
    from pykindred._seed_types import (AlphaSchedule, ApplyMode, Blueprint, Lifecycle, ScheduleSettings, SeedEvent, SeedMetrics,
                                       SeedState, SeedTelemetry, TransitionResult, TransitionRules)
    from pykindred._seeds import SeedLayer
    from pykindred._sequence import PreparedQuery, SequenceMatcher, similarity
    from pykindred._spreading import SpreadingEngine, SpreadModifiers, SpreadQuery
    from pykindred._vector import PreparedScore, VectorIndex
    from pykindred._vocabulary import Vocabulary
    from pykindred.errors import (Busy, Cancelled, CorruptFile, DeviceLost, Error, InvalidArgument, InvalidType, NotFound,
                                  OutOfMemory, SpaceUnavailable)

__all__ = [
    "Anomaly", "Bulk", "Busy", "Cancelled", "Clusters", "Context", "CorruptFile", "DeviceLost", "Error", "EventLists", "HnswIndex",
    "InvalidArgument", "InvalidType", "Lattice", "LatticeDistances", "LatticePaths", "LatticeRows", "Learned", "LearnedPatterns", "Matches",
    "NormResults", "NotFound", "OutOfMemory", "PatternMemory", "PatternSettings", "Prediction", "PreparedQuery", "Ragged", "Record",
    "SequenceMatcher", "Sequences", "SpaceUnavailable", "Spread", "SpreadModifiers", "SpreadPath", "SpreadQuery", "SpreadStep",
    "SpreadingEngine", "StoredPattern", "SyncRecord", "VectorIndex", "Vocabulary", "__version__", "default_context", "difflib", "distance",
    "fuzz", "last_record", "layer_norm_act", "library", "linear_act", "process", "row_scores", "similarity", "top_rows",
    "LinearGradients", "NormGradients", "SeedGradients", "SeedSums", "backward_seeds", "forward_seeds", "layer_norm_act_backward",
    "linear_act_backward", "AlphaSchedule", "ApplyMode", "Blueprint", "Lifecycle", "ScheduleSettings", "SeedEvent", "SeedLayer", "SeedMetrics",
    "SeedState", "SeedTelemetry", "TransitionResult", "TransitionRules", "KeyedRagged", "KeyedResults", "KeyedVectorIndex", "UpsertCounts", "Prepared", "PreparedBulk",
    "PreparedLayer", "PreparedScore", "SeedSequence",
]

# Where these names are; the import statements above are for type checkers.
_modules = {
    "_bulk": "Bulk",
    "_context": "Context default_context last_record",
    "_hnsw": "HnswIndex",
    "_keyed": "KeyedResults KeyedVectorIndex UpsertCounts",
    "_lattice": "Lattice LatticeDistances LatticeRows",
    "_layers": "LinearGradients NormGradients NormResults layer_norm_act layer_norm_act_backward linear_act linear_act_backward",
    "_pattern_types": "Anomaly EventLists Learned LearnedPatterns PatternSettings Prediction StoredPattern SyncRecord",
    "_patterns": "PatternMemory",
    "_prepared": "Prepared PreparedBulk PreparedLayer",
    "_results": "Clusters KeyedRagged LatticePaths Matches Ragged Record Sequences Spread SpreadPath SpreadStep",
    "_rows": "row_scores top_rows",
    "_seed_passes": "SeedGradients SeedSequence SeedSums backward_seeds forward_seeds",
    "_seed_types": (
        "AlphaSchedule ApplyMode Blueprint Lifecycle ScheduleSettings SeedEvent SeedMetrics SeedState SeedTelemetry TransitionResult "
        "TransitionRules"
    ),
    "_seeds": "SeedLayer",
    "_sequence": "PreparedQuery SequenceMatcher similarity",
    "_spreading": "SpreadingEngine SpreadModifiers SpreadQuery",
    "_vector": "PreparedScore VectorIndex",
    "_vocabulary": "Vocabulary",
    "errors": "Busy Cancelled CorruptFile DeviceLost Error InvalidArgument InvalidType NotFound OutOfMemory SpaceUnavailable",
}
_submodules = ("difflib", "distance", "errors", "fuzz", "process")
_homes = {name: module for module, names in _modules.items() for name in names.split()}


def __getattr__(name: str) -> object:
    if name in _submodules:
        return importlib.import_module(f"pykindred.{name}")  # which makes it an attribute
    if name not in _homes:
        raise AttributeError(f"module 'pykindred' has no attribute {name!r}")
    found = globals()[name] = getattr(importlib.import_module(f"pykindred.{_homes[name]}"), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
