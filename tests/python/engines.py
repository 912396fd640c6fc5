# SPDX-License-Identifier: Apache-2.0
"""An object of every class that has a context, for tests of any of them."""
from functools import partial

import numpy as np

import pykindred
from support import vectors

ROWS, EDGES = vectors("rows", 300, 16), (np.arange(299), np.arange(1, 300))
TEXTS = [f"text {i} of {i * 7}" for i in range(300)]
PATTERNS = [[["a"], [str(i)]] for i in range(100)]


def pattern_memory(**options):
    settings = pykindred.PatternSettings(sync_threshold=50)
    memory = pykindred.PatternMemory(settings=settings, **options)
    memory.learn_all(PATTERNS)
    return memory


def seed_layer(**options):
    layer = pykindred.SeedLayer(16, 4, **options)
    weights = layer.add_blueprint("weights", ROWS[0])
    layer.update([0, 2], lifecycle="grafting", blueprint=weights, alpha=0.25)
    return layer


def seed_sequence(**options):
    passes = pykindred.SeedSequence()
    passes.add(seed_layer(**options), ROWS)
    return passes


def prepared_score(**options):
    return pykindred.PreparedScore(pykindred.VectorIndex(ROWS, **options), 300, 3)


# They take ``context=``.
ENGINES = {
    "Bulk": pykindred.Bulk,
    "HnswIndex": partial(pykindred.HnswIndex, ROWS, m=4, ef_construction=10),
    "KeyedVectorIndex": partial(pykindred.KeyedVectorIndex, np.arange(300), ROWS),
    "Lattice": partial(pykindred.Lattice, 3, 7),
    "PatternMemory": pattern_memory,
    "PreparedBulk": partial(pykindred.PreparedBulk.reduce, "sum", ROWS),
    "PreparedLayer": partial(pykindred.PreparedLayer.norm, ROWS),
    "PreparedScore": prepared_score,
    "SeedLayer": seed_layer,
    "SeedSequence": seed_sequence,
    "SequenceMatcher": partial(pykindred.SequenceMatcher, TEXTS),
    "SpreadingEngine": partial(pykindred.SpreadingEngine, 300, *EDGES),
    "VectorIndex": partial(pykindred.VectorIndex, ROWS),
}
