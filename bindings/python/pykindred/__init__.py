# SPDX-License-Identifier: Apache-2.0
"""Kindred: exact search in vectors, sequences and graphs, with the same results on CPU and GPU.

>>> import numpy as np, pykindred
>>> rows = np.eye(4, dtype=np.float32)
>>> scores, ids = pykindred.VectorIndex(rows).search(rows[2], top=2)
>>> ids
array([2, 0])

Importing starts no thread and makes no context: the first object that computes does. Arrays are NumPy's or those of a library
with ``__dlpack__``; their elements are never cast.
"""
from pykindred import _library

library: _library.Library = _library.load()  # before the extension, which is then bound to this library

from pykindred import difflib, distance, fuzz, process  # noqa: E402
from pykindred._bulk import Bulk  # noqa: E402
from pykindred._context import Context, default_context, last_record  # noqa: E402
from pykindred._hnsw import HnswIndex  # noqa: E402
from pykindred._keyed import KeyedRagged, KeyedResults, KeyedVectorIndex, UpsertCounts  # noqa: E402
from pykindred._lattice import Lattice, LatticeDistances, LatticePaths, LatticeRows  # noqa: E402
from pykindred._layers import (LinearGradients, NormGradients, NormResults, layer_norm_act, layer_norm_act_backward,  # noqa: E402
                               linear_act, linear_act_backward)
from pykindred._patterns import (Anomaly, EventLists, Learned, LearnedPatterns, PatternMemory, PatternSettings, Prediction,  # noqa: E402
                                 StoredPattern, SyncRecord)
from pykindred._prepared import Prepared, PreparedBulk, PreparedLayer  # noqa: E402
from pykindred._prepared_score import PreparedScore  # noqa: E402
from pykindred._results import Ragged, Record  # noqa: E402
from pykindred._rows import row_scores, top_rows  # noqa: E402
from pykindred._seed_layer import SeedLayer  # noqa: E402
from pykindred._seed_sequence import SeedSequence  # noqa: E402
from pykindred._seed_types import (AlphaSchedule, ApplyMode, Blueprint, Lifecycle, ScheduleSettings, SeedEvent, SeedMetrics,  # noqa: E402
                                   SeedState, SeedTelemetry, TransitionResult, TransitionRules)
from pykindred._seeds import SeedGradients, SeedSums, backward_seeds, forward_seeds  # noqa: E402
from pykindred._sequence import Clusters, Matches, PreparedQuery, SequenceMatcher, Sequences, similarity  # noqa: E402
from pykindred._spreading import Spread, SpreadingEngine, SpreadModifiers, SpreadPath, SpreadQuery, SpreadStep  # noqa: E402
from pykindred._vector import VectorIndex  # noqa: E402
from pykindred._vocabulary import Vocabulary  # noqa: E402
from pykindred._version import __version__  # noqa: E402
from pykindred.errors import (Busy, Cancelled, CorruptFile, DeviceLost, Error, InvalidArgument, InvalidType, NotFound,  # noqa: E402
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
