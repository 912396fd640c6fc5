#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The bulk rows of `kindred-perf rows --tag h200` with PyTorch, and copies that move as many bytes. Inputs are on the device; times are medians
between CUDA events; `graph` is the same work replayed from a CUDA graph. Products use cuBLAS in float32 without TF32.

    python perf/peers/gpu_bulk.py --out peers.json"""
import argparse
import json

import torch
from gpu_timing import milliseconds, replayed, write

MILLIONS = 100_000_000


def works():
    a, key, out = (torch.randint(0, 256, (MILLIONS,), dtype=torch.uint8, device="cuda") for _ in range(3))
    many, copied = torch.empty(MILLIONS // 2 * 3, dtype=torch.uint8, device="cuda"), torch.empty(MILLIONS // 2 * 3, dtype=torch.uint8, device="cuda")
    yield "bulk-xor-100m", "torch bitwise_xor", lambda: torch.bitwise_xor(a, key, out=out)
    yield "bulk-xor-100m", "copy of as many bytes", lambda: copied.copy_(many)
    x, y, z = (torch.rand(MILLIONS, device="cuda") for _ in range(3))
    yield "bulk-add-100m", "torch add", lambda: torch.add(x, y, out=z)
    yield "bulk-reduce-100m", "torch sum, float32", lambda: torch.sum(x)
    yield "bulk-random-100m", "torch uniform_", lambda: z.uniform_()
    for row, count, side in (("bmm-10-256", 10, 256), ("bmm-1000-32", 1000, 32), ("matmul-1024", 1, 1024)):
        left, right, product = (torch.rand(count, side, side, device="cuda") for _ in range(3))
        yield row, "torch bmm", lambda left=left, right=right, product=product: torch.bmm(left, right, out=product)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()
    torch.manual_seed(7)
    torch.backends.cuda.matmul.allow_tf32 = False
    measured = []
    for row, peer, run in works():
        entry = {"row": row, "peer": peer, "milliseconds": milliseconds(run, 9, 20), "graph_milliseconds": replayed(run, 9)}
        measured.append(entry)
        print(json.dumps(entry), flush=True)
    write(arguments.out, measured)


if __name__ == "__main__":
    main()
