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

# Written by bindings/python/make_names.py: do not edit.
if TYPE_CHECKING:
    from pykindred import difflib, distance, errors, fuzz, process
    from pykindred._bulk import Bulk
    from pykindred._context import Context, default_context, last_record
    from pykindred._hnsw import HnswIndex
    from pykindred._keyed import KeyedResults, KeyedVectorIndex, UpsertCounts
    from pykindred._lattice import Lattice, LatticeDistances, LatticeRows
    from pykindred._layers import (LinearGradients, NormGradients, NormResults, layer_norm_act, layer_norm_act_backward, linear_act,
        linear_act_backward)
    from pykindred._pattern_types import (Anomaly, EventLists, Learned, LearnedPatterns, PatternSettings, Prediction, StoredPattern,
        SyncRecord)
    from pykindred._patterns import PatternMemory
    from pykindred._prepared import Prepared, PreparedBulk, PreparedLayer
    from pykindred._results import Clusters, KeyedRagged, LatticePaths, Matches, Ragged, Record, Sequences, Spread, SpreadPath, SpreadStep
    from pykindred._rows import row_scores, top_rows
    from pykindred._seed_passes import SeedGradients, SeedSequence, SeedSums, backward_seeds, forward_seeds
    from pykindred._seed_types import (AlphaSchedule, ApplyMode, Blueprint, Lifecycle, ScheduleSettings, SeedEvent, SeedMetrics, SeedState,
        SeedTelemetry, TransitionResult, TransitionRules)
    from pykindred._seeds import SeedLayer
    from pykindred._sequence import PreparedQuery, SequenceMatcher, similarity
    from pykindred._spreading import SpreadModifiers, SpreadQuery, SpreadingEngine
    from pykindred._vector import PreparedScore, VectorIndex
    from pykindred._vocabulary import Vocabulary
    from pykindred.errors import (Busy, Cancelled, CorruptFile, DeviceLost, Error, InvalidArgument, InvalidType, NotFound, OutOfMemory,
        SpaceUnavailable)

__all__ = ["AlphaSchedule", "Anomaly", "ApplyMode", "Blueprint", "Bulk", "Busy", "Cancelled", "Clusters", "Context", "CorruptFile",
    "DeviceLost", "Error", "EventLists", "HnswIndex", "InvalidArgument", "InvalidType", "KeyedRagged", "KeyedResults", "KeyedVectorIndex",
    "Lattice", "LatticeDistances", "LatticePaths", "LatticeRows", "Learned", "LearnedPatterns", "Lifecycle", "LinearGradients", "Matches",
    "NormGradients", "NormResults", "NotFound", "OutOfMemory", "PatternMemory", "PatternSettings", "Prediction", "Prepared", "PreparedBulk",
    "PreparedLayer", "PreparedQuery", "PreparedScore", "Ragged", "Record", "ScheduleSettings", "SeedEvent", "SeedGradients", "SeedLayer",
    "SeedMetrics", "SeedSequence", "SeedState", "SeedSums", "SeedTelemetry", "SequenceMatcher", "Sequences", "SpaceUnavailable", "Spread",
    "SpreadModifiers", "SpreadPath", "SpreadQuery", "SpreadStep", "SpreadingEngine", "StoredPattern", "SyncRecord", "TransitionResult",
    "TransitionRules", "UpsertCounts", "VectorIndex", "Vocabulary", "__version__", "backward_seeds", "default_context", "difflib",
    "distance", "forward_seeds", "fuzz", "last_record", "layer_norm_act", "layer_norm_act_backward", "library", "linear_act",
    "linear_act_backward", "process", "row_scores", "similarity", "top_rows"]

# Where these names are; the import statements above are for type checkers.
_homes = {"Bulk": "_bulk", "Context": "_context", "default_context": "_context", "last_record": "_context", "HnswIndex": "_hnsw",
    "KeyedResults": "_keyed", "KeyedVectorIndex": "_keyed", "UpsertCounts": "_keyed", "Lattice": "_lattice", "LatticeDistances": "_lattice",
    "LatticeRows": "_lattice", "LinearGradients": "_layers", "NormGradients": "_layers", "NormResults": "_layers",
    "layer_norm_act": "_layers", "layer_norm_act_backward": "_layers", "linear_act": "_layers", "linear_act_backward": "_layers",
    "Anomaly": "_pattern_types", "EventLists": "_pattern_types", "Learned": "_pattern_types", "LearnedPatterns": "_pattern_types",
    "PatternSettings": "_pattern_types", "Prediction": "_pattern_types", "StoredPattern": "_pattern_types", "SyncRecord": "_pattern_types",
    "PatternMemory": "_patterns", "Prepared": "_prepared", "PreparedBulk": "_prepared", "PreparedLayer": "_prepared",
    "Clusters": "_results", "KeyedRagged": "_results", "LatticePaths": "_results", "Matches": "_results", "Ragged": "_results",
    "Record": "_results", "Sequences": "_results", "Spread": "_results", "SpreadPath": "_results", "SpreadStep": "_results",
    "row_scores": "_rows", "top_rows": "_rows", "SeedGradients": "_seed_passes", "SeedSequence": "_seed_passes", "SeedSums": "_seed_passes",
    "backward_seeds": "_seed_passes", "forward_seeds": "_seed_passes", "AlphaSchedule": "_seed_types", "ApplyMode": "_seed_types",
    "Blueprint": "_seed_types", "Lifecycle": "_seed_types", "ScheduleSettings": "_seed_types", "SeedEvent": "_seed_types",
    "SeedMetrics": "_seed_types", "SeedState": "_seed_types", "SeedTelemetry": "_seed_types", "TransitionResult": "_seed_types",
    "TransitionRules": "_seed_types", "SeedLayer": "_seeds", "PreparedQuery": "_sequence", "SequenceMatcher": "_sequence",
    "similarity": "_sequence", "SpreadModifiers": "_spreading", "SpreadQuery": "_spreading", "SpreadingEngine": "_spreading",
    "PreparedScore": "_vector", "VectorIndex": "_vector", "Vocabulary": "_vocabulary", "Busy": "errors", "Cancelled": "errors",
    "CorruptFile": "errors", "DeviceLost": "errors", "Error": "errors", "InvalidArgument": "errors", "InvalidType": "errors",
    "NotFound": "errors", "OutOfMemory": "errors", "SpaceUnavailable": "errors"}
_submodules = ("difflib", "distance", "errors", "fuzz", "process")
# The end of what is written.


def __getattr__(name: str) -> object:
    if name in _submodules:
        return importlib.import_module(f"pykindred.{name}")  # which makes it an attribute
    if name not in _homes:
        raise AttributeError(f"module 'pykindred' has no attribute {name!r}")
    found = globals()[name] = getattr(importlib.import_module(f"pykindred.{_homes[name]}"), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
