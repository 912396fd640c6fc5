#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The rows `search-*` and `score-*` of `kindred-perf rows --tag h200` with PyTorch and cuBLAS, each in its fastest way. Inputs and answers are
on the device; times are medians between CUDA events; `graph` is the same work replayed from a CUDA graph if it can be captured.
None of them is exact in the last bits, and those with 16 bits or TF32 miss rows of the answer.

    python perf/peers/gpu_vectors.py --out peers.json [--rows 1000000] [--only search-1,score-1]"""
import argparse
import functools
import json

import torch

from gpu_timing import milliseconds, replayed, write

DIMENSION = 768
TOP = 100


class Rows:
    """Unit rows and queries in the element type of a mode."""

    def __init__(self, count):
        generator = torch.Generator("cuda").manual_seed(7)
        self.values = torch.randn(count, DIMENSION, device="cuda", generator=generator)
        self.values /= self.values.norm(dim=1, keepdim=True)
        self.generator = generator
        self.short = {}

    def queries(self, count):
        queries = torch.randn(count, DIMENSION, device="cuda", generator=self.generator)
        return queries / queries.norm(dim=1, keepdim=True)

    def in_mode(self, mode):
        torch.backends.cuda.matmul.allow_tf32 = mode == "tf32"
        types = {"bf16": torch.bfloat16, "fp16": torch.float16}
        if mode not in types:
            self.short.clear()
            return self.values
        if mode not in self.short:
            self.short = {mode: self.values.to(types[mode])}
        return self.short[mode]


def searches(rows, count, modes):
    queries = rows.queries(count)
    block = max(1, (1 << 30) // len(rows.values))  # products of at most 2 or 4 GB
    for mode in modes:
        corpus = rows.in_mode(mode)
        asked = queries.to(corpus.dtype)

        def products(top):
            for begin in range(0, count, block):
                scores = asked[begin : begin + block] @ corpus.T
                if top:
                    torch.topk(scores, TOP)

        def gemv(top):
            scores = torch.mv(corpus, asked[0])
            if top:
                torch.topk(scores, TOP)

        for name, run in [("mm", products)] + ([("mv", gemv)] if count == 1 else []):
            repeats = 20 if count == 1 else 5
            yield f"cuBLAS {name}, {mode}", functools.partial(run, False), repeats
            yield f"cuBLAS {name} and topk, {mode}", functools.partial(run, True), repeats


def candidates(rows, count, length):
    queries = rows.queries(count)
    ids = torch.randint(0, len(rows.values), (count, length), device="cuda", generator=rows.generator)
    rows.in_mode("fp32")
    block = max(1, (1 << 21) // length)

    def run():
        for begin in range(0, count, block):
            gathered = rows.values[ids[begin : begin + block]]
            torch.topk(torch.bmm(gathered, queries[begin : begin + block].unsqueeze(2)).squeeze(2), 10)

    yield "gather, bmm and topk, fp32", run, 20 if count == 1 else 5


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    rows = Rows(arguments.rows)
    modes = ("fp32", "tf32", "bf16", "fp16")
    works = {
        "search-1": lambda: searches(rows, 1, ("fp32", "bf16", "fp16")),
        "search-1024": lambda: searches(rows, 1024, modes),
        "search-10k": lambda: searches(rows, 10_000, modes),
        "score-1": lambda: candidates(rows, 1, 1024),
        "score-1024": lambda: candidates(rows, 1024, 1024),
        "score-10k": lambda: candidates(rows, 10_000, 1000),
    }
    measured = []
    for row, work in works.items():
        if arguments.only and row not in arguments.only.split(","):
            continue
        for peer, run, repeats in work():
            entry = {"row": row, "peer": peer, "milliseconds": milliseconds(run, repeats)}
            if repeats == 20:
                entry["graph_milliseconds"] = replayed(run, 10)
            measured.append(entry)
            print(json.dumps(entry), flush=True)
    write(arguments.out, measured, rows=arguments.rows, dimension=DIMENSION, top=TOP)


if __name__ == "__main__":
    main()
