#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The rows `seed-*` of `kindred-perf h200` by PyTorch (eager and compiled) and a Triton kernel, each at its best: the features'
coefficients are made beforehand, inputs are on the device, answers stay there, and the work is replayed from a CUDA graph.
The forward is the linear mode alone; telemetry is the mean and the population variance of every feature in float32, without minimum,
maximum, dead ratio, seeds or one order of sums: less than ours does.

    python perf/peers/gpu_seeds.py --out peers.json [--only seed-4096-bf16]"""
import argparse
import json
import platform

import torch
import triton
import triton.language as tl

SHAPES = {
    "seed-small": (32, 4096, torch.float32, 50, 1),
    "seed-small-bf16": (32, 4096, torch.bfloat16, 50, 1),
    "seed-4096-bf16": (4096, 4096, torch.bfloat16, 20, 3),
    "seed-4096": (4096, 4096, torch.float32, 20, 2),
    "seed-32768-bf16": (32768, 8192, torch.bfloat16, 3, 1),
    "seed-32768": (32768, 8192, torch.float32, 3, 1),
}


@triton.jit
def forward_kernel(x, y, t, u, sums, squares, rows, hidden, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """A block of rows of some columns; its sums go to a place of its own, added up by the caller."""
    columns = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    inside = columns < hidden
    of_t = tl.load(t + columns, mask=inside)
    of_u = tl.load(u + columns, mask=inside)
    total = tl.zeros((COLUMNS,), tl.float32)
    total_squares = tl.zeros((COLUMNS,), tl.float32)
    first = tl.program_id(1) * ROWS
    for i in range(0, ROWS, 8):
        row = first + i + tl.arange(0, 8)
        at = row[:, None].to(tl.int64) * hidden + columns[None, :]
        mask = (row < rows)[:, None] & inside[None, :]
        value = tl.load(x + at, mask=mask, other=0.0).to(tl.float32)
        tl.store(y + at, (of_t[None, :] * value + of_u[None, :] * value).to(y.dtype.element_ty), mask=mask)
        total += tl.sum(value, 0)
        total_squares += tl.sum(value * value, 0)
    place = tl.program_id(1) * hidden + columns
    tl.store(sums + place, total, mask=inside)
    tl.store(squares + place, total_squares, mask=inside)


def torch_forward(x, y, t, u):
    wide = x.float()
    y.copy_((t * wide + u * wide).to(x.dtype))
    return torch.var_mean(wide, dim=0, correction=0)


def replayed(run, calls):
    """Median microseconds of a call, of graphs of so many."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for i in range(3):
            run(i)
    torch.cuda.current_stream().wait_stream(stream)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for i in range(calls):
            run(i)
    times = []
    for _ in range(9):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        graph.replay()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end) * 1e3 / calls)
    return sorted(times)[len(times) // 2]


def peers(rows, hidden, dtype, sets):
    generator = torch.Generator("cuda").manual_seed(7)
    xs = [torch.randn(rows, hidden, device="cuda", generator=generator).to(dtype) for _ in range(sets)]
    ys = [torch.empty_like(x) for x in xs]
    t = torch.randn(hidden, device="cuda", generator=generator)
    u = torch.rand(hidden, device="cuda", generator=generator)
    yield "copy_", lambda i: ys[i % sets].copy_(xs[i % sets])
    if rows * hidden < 1 << 25:
        yield "torch eager", lambda i: torch_forward(xs[i % sets], ys[i % sets], t, u)
    compiled = torch.compile(torch_forward)
    yield "torch.compile", lambda i: compiled(xs[i % sets], ys[i % sets], t, u)
    wanted = t * xs[0].float() + u * xs[0].float()
    for block, columns, warps in ((32, 64, 2), (64, 128, 4), (256, 128, 4), (1024, 128, 8)):
        if block > max(rows, 32):
            continue
        blocks = triton.cdiv(rows, block)
        sums = torch.empty(2, blocks, hidden, device="cuda")
        grid = (triton.cdiv(hidden, columns), blocks)

        def run(i, block=block, columns=columns, warps=warps, sums=sums, grid=grid):
            forward_kernel[grid](
                xs[i % sets], ys[i % sets], t, u, sums[0], sums[1], rows, hidden, block, columns, num_warps=warps
            )
            if len(sums[0]) > 1:
                sums.sum(1)

        run(0)
        torch.testing.assert_close(ys[0].float(), wanted.to(dtype).float(), rtol=2e-2, atol=2e-2)
        torch.testing.assert_close(sums[0].sum(0), xs[0].float().sum(0), rtol=1e-3, atol=1e-1 * rows**0.5)
        yield f"Triton, {block} x {columns}", run


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    measured = []
    for row, (rows, hidden, dtype, calls, sets) in SHAPES.items():
        if arguments.only and row not in arguments.only.split(","):
            continue
        for peer, run in peers(rows, hidden, dtype, sets):
            try:
                microseconds = replayed(run, calls)
            except RuntimeError as error:
                torch.cuda.synchronize()
                print(f"{row}, {peer}: {str(error).splitlines()[0]}", flush=True)
                continue
            measured.append({"row": row, "peer": peer, "graph_microseconds": microseconds})
            print(json.dumps(measured[-1]), flush=True)
        torch.cuda.empty_cache()
    context = {
        "device": torch.cuda.get_device_name(),
        "torch": torch.__version__,
        "triton": triton.__version__,
        "cuda": torch.version.cuda,
        "python": platform.python_version(),
    }
    with open(arguments.out, "w", encoding="utf-8") as file:
        json.dump({"context": context, "measured": measured}, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
