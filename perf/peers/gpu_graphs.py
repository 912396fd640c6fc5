#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The rows `hop-*`, `engram-hop-*` and `spread-*` of `kindred-perf rows --tag h200` with cuSPARSE through PyTorch, in its fastest way. Graphs of the
same shapes are generated on the device, where x and y are too; times are medians between CUDA events and of replays from a CUDA graph. One column
is SpMV, several are SpMM; a small spread is three SpMV with Engram's update in between, and the top 10.

    python perf/peers/gpu_graphs.py --out peers.json [--scale 1] [--only hop-100m,spmm-32]"""
import argparse
import json
import math

import torch

from gpu_timing import milliseconds, replayed, write

# Row → nodes, edges per node, exponent of the targets n·uᵖ, columns.
ROWS = {
    "hop-100m": (10_000_000, 10, 2, 1),
    "hop-uniform": (10_000_000, 10, 1, 1),
    "hop-power-law": (10_000_000, 10, 4, 1),
    "hop-32q": (10_000_000, 10, 2, 32),
    "hop-uniform-32q": (10_000_000, 10, 1, 32),
    "hop-power-law-32q": (10_000_000, 10, 4, 32),
    "engram-hop-1k": (1_000, 50, 2, 1),
    "engram-hop-10k": (10_000, 50, 2, 1),
}
# Row → nodes, edges per node, minimum activation by tier.
SPREADS = {
    "spread-1k": (100_000, 3, (0.0, 0.0, 0.0)),
    "spread-1m": (1_000_000, 10, (1e-3, 1e-3, 1e-3)),
    "spread-small": (10_000, 50, (0.01, 0.05, 0.10)),
}


def spread_of(matrix, source, thresholds, top=10):
    """Three thresholded hops as full products: the work can be captured in a graph, since no size depends on the data."""
    nodes = matrix.shape[0]
    start = torch.zeros(nodes, device="cuda")
    start[source] = 0.9
    least = torch.tensor(thresholds, device="cuda")
    first = torch.full((nodes,), 2, dtype=torch.int64, device="cuda")
    first[source] = 0

    def run():
        value, tier, passed = start.clone(), first.clone(), start
        touched = start > 0
        for hop in range(1, 4):
            c = (matrix @ passed) * math.exp(-0.7 * hop)
            is_new = (c > 0) & ~touched
            touched = touched | is_new
            tier = torch.where(is_new, 1 if hop <= 2 else 2, tier)
            bound = least[tier]
            updated = torch.clamp(value + c, max=1.0)
            takes = (c > 0) & (updated >= bound)
            passed = torch.where(takes & (c > bound), updated - value, 0.0)
            value = torch.where(takes, updated, value)
        return torch.topk(value, top)

    return run


def transpose_of(nodes, degree, exponent):
    """Wᵀ, with the rows in the order of the sources."""
    generator = torch.Generator("cuda").manual_seed(7)
    count = nodes * degree
    sources = torch.randint(0, nodes, (count,), device="cuda", generator=generator)
    uniform = torch.rand(count, device="cuda", dtype=torch.float64, generator=generator)
    targets = (uniform.pow_(exponent) * nodes).long().clamp_(max=nodes - 1)
    keys = (targets * nodes + sources).sort().values
    targets, sources = keys // nodes, keys % nodes
    rows = torch.zeros(nodes + 1, dtype=torch.int64, device="cuda")
    rows[1:] = torch.bincount(targets, minlength=nodes).cumsum(0)
    weights = torch.rand(count, device="cuda", generator=generator)
    return torch.sparse_csr_tensor(rows.int(), sources.int(), weights, size=(nodes, nodes))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    measured = []
    shape, matrix = None, None
    for row, (nodes, degree, exponent, columns) in sorted(ROWS.items(), key=lambda item: item[1][:3]):
        if arguments.only and row not in arguments.only.split(","):
            continue
        nodes = max(1024, int(nodes * arguments.scale)) if nodes > 10_000 else nodes
        if shape != (nodes, degree, exponent):
            matrix = None  # one graph at a time
            shape, matrix = (nodes, degree, exponent), transpose_of(nodes, degree, exponent)
        x = torch.rand(nodes, columns, device="cuda")
        if columns == 1:
            x = x[:, 0].contiguous()
        entry = {"row": row, "peer": "cuSPARSE SpMV" if columns == 1 else "cuSPARSE SpMM", "columns": columns}
        entry["milliseconds"] = milliseconds(lambda: matrix @ x, 9)
        entry["graph_milliseconds"] = replayed(lambda: matrix @ x, 5)
        measured.append(entry)
        print(json.dumps(entry), flush=True)
    for row, (nodes, degree, thresholds) in SPREADS.items():
        if arguments.only and row not in arguments.only.split(","):
            continue
        run = spread_of(transpose_of(nodes, degree, 2), nodes // 3, thresholds)
        entry = {"row": row, "peer": "cuSPARSE SpMV, 3 hops", "columns": 1}
        entry["milliseconds"] = milliseconds(run, 9)
        entry["graph_milliseconds"] = replayed(run, 5)
        measured.append(entry)
        print(json.dumps(entry), flush=True)
    write(arguments.out, measured, scale=arguments.scale)


if __name__ == "__main__":
    main()
