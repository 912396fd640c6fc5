#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The rows `hop-*` and `engram-hop-*` of `kindred-perf h200` by cuSPARSE through PyTorch, at its best: graphs of the same shapes made on
the device, x and y there too, the median of repeats between CUDA events and of replays from a CUDA graph. One column is SpMV, several are SpMM.

    python perf/peers/gpu_graphs.py --out peers.json [--scale 1] [--only hop-100m,spmm-32]"""
import argparse
import json

import torch

from gpu_timing import milliseconds, replayed, write

# Row → nodes, edges a node, exponent of the targets n·uᵖ, columns.
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


def transpose_of(nodes, degree, exponent):
    """Wᵀ, rows in the order of sources."""
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
    write(arguments.out, measured, scale=arguments.scale)


if __name__ == "__main__":
    main()
