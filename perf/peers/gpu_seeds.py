#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The rows `seed-*` of `kindred-perf rows --tag h200` by PyTorch (eager and compiled) and a Triton kernel, each at its best: seeds are in the same
states and modes, the features' coefficients are made beforehand, inputs are on the device, answers stay there, and the work is
replayed from a CUDA graph. Telemetry is in float32 and in no certain order: mean, population variance, minimum, maximum and dead
elements, of every feature by the Triton kernel, of every seed by PyTorch; beside them the forward alone, and with mean and variance of
features only.

    python perf/peers/gpu_seeds.py --out peers.json [--only seed-4096-bf16]"""
import argparse
import json

import torch
import triton
import triton.language as tl
from gpu_timing import write

SHAPES = {
    "seed-small": (32, 4096, torch.float32, 50, 1),
    "seed-small-bf16": (32, 4096, torch.bfloat16, 50, 1),
    "seed-4096-bf16": (4096, 4096, torch.bfloat16, 20, 3),
    "seed-4096": (4096, 4096, torch.float32, 20, 2),
    "seed-32768-bf16": (32768, 8192, torch.bfloat16, 3, 1),
    "seed-32768": (32768, 8192, torch.float32, 3, 1),
}


@triton.jit
def forward_kernel(
    x, y, t, v, linear, stats, rows, hidden, blocks, ROWS: tl.constexpr, COLUMNS: tl.constexpr, KEEPS: tl.constexpr
):
    """Processes a block of rows and columns; its statistics are stored separately and merged by the caller."""
    columns = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    inside = columns < hidden
    of_t = tl.load(t + columns, mask=inside)
    of_v = tl.load(v + columns, mask=inside)
    is_linear = tl.load(linear + columns, mask=inside) != 0
    total = tl.zeros((COLUMNS,), tl.float32)
    squares = tl.zeros((COLUMNS,), tl.float32)
    dead = tl.zeros((COLUMNS,), tl.float32)
    least = tl.full((COLUMNS,), float("inf"), tl.float32)
    greatest = tl.full((COLUMNS,), float("-inf"), tl.float32)
    first = tl.program_id(1) * ROWS
    for i in range(0, ROWS, 8):
        row = first + i + tl.arange(0, 8)
        at = row[:, None].to(tl.int64) * hidden + columns[None, :]
        mask = (row < rows)[:, None] & inside[None, :]
        value = tl.load(x + at, mask=mask, other=0.0).to(tl.float32)
        other = of_v[None, :] * tl.where(is_linear[None, :], value, 1.0)
        tl.store(y + at, (of_t[None, :] * value + other).to(y.dtype.element_ty), mask=mask)
        if KEEPS:
            total += tl.sum(value, 0)
            squares += tl.sum(value * value, 0)
            dead += tl.sum(tl.where((tl.abs(value) < 1e-8) & mask, 1.0, 0.0), 0)
            least = tl.minimum(least, tl.min(tl.where(mask, value, float("inf")), 0))
            greatest = tl.maximum(greatest, tl.max(tl.where(mask, value, float("-inf")), 0))
    if KEEPS:
        place = tl.program_id(1) * hidden + columns
        step = blocks * hidden
        tl.store(stats + place, total, mask=inside)
        tl.store(stats + step + place, squares, mask=inside)
        tl.store(stats + 2 * step + place, dead, mask=inside)
        tl.store(stats + 3 * step + place, least, mask=inside)
        tl.store(stats + 4 * step + place, greatest, mask=inside)


class Layer:
    """Seeds in every state, a third of which apply one of four blueprints. y = t·x + v·(x or 1)."""

    def __init__(self, hidden, seeds, generator):
        i = torch.arange(seeds, device="cuda")
        life, mode = i % 11, i // 11 % 4
        alpha = torch.where(life == 7, 1.0, (i % 8) / 8)
        applies = (life >= 3) & (life <= 7)
        widths = hidden // seeds + (i < hidden % seeds).long()
        self.owner = torch.repeat_interleave(i, widths)
        self.widths = widths.float()
        f = self.owner
        w = torch.randn(4, hidden, device="cuda", generator=generator)[(i % 4)[f], torch.arange(hidden, device="cuda")]
        of_mode = torch.where(applies, mode, 4)[f]
        a = alpha[f]
        one, nothing = torch.ones_like(w), torch.full_like(w, -0.0)
        choose = lambda *by_mode: torch.stack(by_mode).gather(0, of_mode[None])[0].contiguous()
        self.t = choose(a * w, w, one, 0.5 * one, one)
        self.v = choose(1 - a, nothing, w, 0.5 * w, nothing)
        self.linear = of_mode == 0
        self.linear_bytes = self.linear.to(torch.int8)

    def alone(self, x, y):
        self.forward(x, y)

    def forward(self, x, y):
        wide = x.float()
        y.copy_((self.t * wide + torch.where(self.linear, self.v * wide, self.v)).to(x.dtype))
        return wide

    def with_moments(self, x, y):
        return torch.var_mean(self.forward(x, y), dim=0, correction=0)

    def with_telemetry(self, x, y):
        wide = self.forward(x, y)
        variance, mean = torch.var_mean(wide, dim=0, correction=0)
        zeros = torch.zeros_like(self.widths)
        of_seeds = lambda values: zeros.index_add(0, self.owner, values)
        of_mean = of_seeds(mean) / self.widths
        between = mean - of_mean[self.owner]
        of_variance = of_seeds(variance + between * between) / self.widths
        dead = of_seeds((wide.abs() < 1e-8).sum(0, dtype=torch.float32)) / (self.widths * len(x))
        least = zeros.scatter_reduce(0, self.owner, wide.amin(0), "amin", include_self=False)
        greatest = zeros.scatter_reduce(0, self.owner, wide.amax(0), "amax", include_self=False)
        return of_mean, of_variance, least, greatest, dead


def replayed(run, calls):
    """Median microseconds per call, from graphs of several calls."""
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
    layer = Layer(hidden, 1000, generator)
    yield "copy_", lambda i: ys[i % sets].copy_(xs[i % sets])
    if rows * hidden < 1 << 25:
        yield "torch eager", lambda i: layer.with_telemetry(xs[i % sets], ys[i % sets])
    for name, method in (
        ("torch.compile, forward alone", layer.alone),
        ("torch.compile, mean and variance of features", layer.with_moments),
        ("torch.compile", layer.with_telemetry),
    ):
        compiled = torch.compile(method)
        yield name, lambda i, compiled=compiled: compiled(xs[i % sets], ys[i % sets])
    reference = torch.empty_like(ys[0])
    layer.forward(xs[0], reference)
    for block, columns, warps in ((32, 64, 2), (64, 128, 4), (256, 128, 4)):
        if block > max(rows, 32):
            continue
        blocks = triton.cdiv(rows, block)
        stats = torch.empty(5, blocks, hidden, device="cuda")
        grid = (triton.cdiv(hidden, columns), blocks)
        for keeps in (True, False):

            def run(i, block=block, columns=columns, warps=warps, stats=stats, grid=grid, keeps=keeps, checks=False):
                x, y = xs[i % sets], ys[i % sets]
                forward_kernel[grid](
                    x,
                    y,
                    layer.t,
                    layer.v,
                    layer.linear_bytes,
                    stats,
                    rows,
                    hidden,
                    len(stats[0]),
                    block,
                    columns,
                    keeps,
                    num_warps=warps,
                )
                if keeps and len(stats[0]) > 1:
                    stats[:3].sum(1), stats[3].amin(0), stats[4].amax(0)
                if checks:
                    torch.testing.assert_close(y.float(), reference.float(), rtol=2e-2, atol=2e-2)
                    if keeps:
                        torch.testing.assert_close(stats[0].sum(0), x.float().sum(0), rtol=1e-3, atol=1e-1 * rows**0.5)

            yield f"Triton, {block} x {columns}" + ("" if keeps else ", forward alone"), run


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
                if peer.startswith("Triton"):
                    run(0, checks=True)
                microseconds = replayed(run, calls)
            except Exception as error:  # continue with the other peers
                torch.cuda.synchronize()
                print(f"{row}, {peer}: {(str(error) or repr(error)).splitlines()[0]}", flush=True)
                continue
            measured.append({"row": row, "peer": peer, "graph_microseconds": microseconds})
            print(json.dumps(measured[-1]), flush=True)
        torch.cuda.empty_cache()
    write(arguments.out, measured, triton=triton.__version__)


if __name__ == "__main__":
    main()
