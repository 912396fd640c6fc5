# SPDX-License-Identifier: Apache-2.0
"""The reproducible sums and scores by their definitions. Needs NumPy alone."""
import numpy as np


def pairwise_tree_sum(values):
    """Adds the upper half of the last axis, padded with +0, to the lower half until one element is
    left."""
    width = 1 << max(0, values.shape[-1] - 1).bit_length()
    padded = np.zeros(values.shape[:-1] + (width,))
    padded[..., :values.shape[-1]] = values
    while width > 1:
        width //= 2
        padded = padded[..., :width] + padded[..., width:2 * width]
    return padded[..., 0]


def reproducible_sum(terms):
    """The reproducible sum over the last axis: blocks of 4096, 32 lanes in double, pairwise tree
    reductions."""
    length = terms.shape[-1]
    blocks = -(-length // 4096)
    if blocks == 0:
        return np.zeros(terms.shape[:-1])
    padded = np.zeros(terms.shape[:-1] + (blocks * 4096,))
    padded[..., :length] = terms
    padded = padded.reshape(terms.shape[:-1] + (blocks, 128, 32))
    lanes = np.zeros(padded.shape[:-2] + (32,))
    for step in range(128 if blocks > 1 else -(-length // 32)):
        lanes = lanes + padded[..., step, :]
    return pairwise_tree_sum(pairwise_tree_sum(lanes))


def equal_bits(a, b):
    a, b = np.asarray(a, np.float32), np.asarray(b, np.float32)
    return a.shape == b.shape and np.array_equal(a.view(np.uint32), b.view(np.uint32))


def vector_scores(metric, rows, query):
    """The float32 scores of all rows, by reproducible sums."""
    rows, query = rows.astype(np.float64), query.astype(np.float64)
    with np.errstate(all="ignore"):
        if metric == "ip":
            scores = reproducible_sum(rows * query)
        elif metric == "l2":
            scores = np.sqrt(reproducible_sum((query - rows) ** 2))
        else:
            qq, xx = reproducible_sum(query * query), reproducible_sum(rows * rows)
            scores = np.clip(reproducible_sum(rows * query) / (np.sqrt(qq) * np.sqrt(xx)), -1, 1)
            scores = np.where((xx == 0) | (qq == 0), 0, scores)
        scores = scores.astype(np.float32)
    scores[np.isnan(scores)] = np.array([0x7FC00000], np.uint32).view(np.float32)[0]
    return scores + np.float32(0)
