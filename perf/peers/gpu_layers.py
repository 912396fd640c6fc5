#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The rows `norm-*` and `linear-*` of `kindred-perf rows --tag h200` with PyTorch in its fastest way, and a copy of the same size. Four inputs on
the device are used in turn; times are medians between CUDA events; `graph` is the same work replayed from a CUDA graph.
PyTorch's LayerNorm sums in float32, its products use cuBLASLt, and its GELU epilogue is the approximation with tanh.

    python perf/peers/gpu_layers.py --out peers.json [--only norm-4k-bf16,linear-4k-gelu]"""
import argparse
import json

import torch
from gpu_timing import milliseconds, replayed, write
from torch.nn import functional


def normal(*shape, dtype):
    return torch.randn(*shape, device="cuda", dtype=torch.float32).to(dtype)


def norms(rows, columns, dtype):
    copies = max(1, min(4, (1 << 30) // (2 * rows * columns * dtype.itemsize)))
    inputs = [normal(rows, columns, dtype=dtype) for _ in range(copies)]
    outputs = [torch.empty_like(x) for x in inputs]
    gamma, beta = normal(columns, dtype=torch.float32), normal(columns, dtype=torch.float32)
    short_gamma, short_beta = gamma.to(dtype), beta.to(dtype)

    def fused(x):
        return functional.gelu(functional.layer_norm(x, (columns,), short_gamma, short_beta))

    compiled = torch.compile(fused)
    compiled_best = torch.compile(fused, mode="max-autotune-no-cudagraphs")

    def each(call):
        def run():
            for x, y in zip(inputs, outputs):
                call(x, y)

        return run, copies

    yield "copy", *each(lambda x, y: y.copy_(x))
    yield "torch layer_norm alone", *each(lambda x, y: functional.layer_norm(x, (columns,), short_gamma, short_beta))
    yield "torch layer_norm and gelu, eager", *each(lambda x, y: fused(x))
    yield "torch.compile", *each(lambda x, y: compiled(x))
    if rows * columns < 1 << 26:
        yield "torch.compile, max-autotune", *each(lambda x, y: compiled_best(x))


def small_norms(layers, rows, columns, dtype):
    inputs = [normal(rows, columns, dtype=dtype) for _ in range(layers)]
    gamma, beta = normal(columns, dtype=dtype), normal(columns, dtype=dtype)

    def run():
        for x in inputs:
            functional.gelu(functional.layer_norm(x, (columns,), gamma, beta))

    yield "torch layer_norm and gelu, one after the other", run, 1


def linears(rows, inputs, outputs, dtype, activation):
    torch.backends.cuda.matmul.allow_tf32 = False
    x, w, bias = normal(rows, inputs, dtype=dtype), normal(outputs, inputs, dtype=dtype), normal(outputs, dtype=dtype)
    out = torch.empty(rows, outputs, device="cuda", dtype=dtype)
    act = {"none": lambda z: z, "relu": torch.relu, "gelu": functional.gelu}[activation]

    def layer():
        return act(functional.linear(x, w, bias))

    compiled = torch.compile(layer)
    yield "cuBLAS alone: torch.mm", lambda: torch.mm(x, w.T, out=out), 1
    yield "torch linear and activation, eager", layer, 1
    yield "torch.compile", compiled, 1
    if activation != "none" and hasattr(torch, "_addmm_activation"):
        name = "cuBLASLt's epilogue" + (", tanh" if activation == "gelu" else "")
        yield name, lambda: torch._addmm_activation(bias, x, w.T, use_gelu=activation == "gelu"), 1


def small_linears(layers, rows, inputs, outputs, dtype):
    x, w = normal(layers, rows, inputs, dtype=dtype), normal(layers, outputs, inputs, dtype=dtype)
    bias = normal(layers, 1, outputs, dtype=dtype)

    def one_by_one():
        for i in range(layers):
            functional.gelu(functional.linear(x[i], w[i], bias[i, 0]))

    yield "torch linear and gelu, one after the other", one_by_one, 1
    yield "torch baddbmm and gelu", lambda: functional.gelu(torch.baddbmm(bias, x, w.transpose(1, 2))), 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    torch.manual_seed(7)
    bf16, fp32 = torch.bfloat16, torch.float32
    works = {
        "norm-4k-bf16": lambda: norms(4096, 4096, bf16),
        "norm-4k-fp32": lambda: norms(4096, 4096, fp32),
        "norm-32k-bf16": lambda: norms(32768, 8192, bf16),
        "norm-32k-fp32": lambda: norms(32768, 8192, fp32),
        "norm-64-small": lambda: small_norms(64, 32, 256, bf16),
        "linear-4k-none": lambda: linears(4096, 4096, 4096, bf16, "none"),
        "linear-4k-relu": lambda: linears(4096, 4096, 4096, bf16, "relu"),
        "linear-4k-gelu": lambda: linears(4096, 4096, 4096, bf16, "gelu"),
        "linear-4k-fp32": lambda: linears(4096, 4096, 4096, fp32, "gelu"),
        "linear-256-small": lambda: small_linears(256, 32, 64, 64, bf16),
    }
    measured = []
    for row, work in works.items():
        if arguments.only and row not in arguments.only.split(","):
            continue
        for peer, run, calls in work():
            try:
                plain, graph = milliseconds(run, 9, 2), replayed(run, 9, 4)
            except Exception as error:  # the compiler may be missing
                print(json.dumps({"row": row, "peer": peer, "error": str(error)[:200]}), flush=True)
                continue
            entry = {
                "row": row,
                "peer": peer,
                "milliseconds": plain / calls,
                "graph_milliseconds": None if graph is None else graph / calls,
            }
            measured.append(entry)
            print(json.dumps(entry), flush=True)
        torch.cuda.empty_cache()
    write(arguments.out, measured)


if __name__ == "__main__":
    main()
