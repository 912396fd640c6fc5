#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Cycles of the loops in InnerLoops.cpp by llvm-mca's models of processors: the portable forms and those for NEON.

usage: cycles.py LLVM_MCA COMPILER [OPTION]...

Prints the table of docs/internals/kernels.md. Exit status 1 if a NEON form keeps the units of the first processor busy for longer than the
portable form does.
"""

import pathlib
import re
import subprocess
import sys

PROCESSORS = ["neoverse-n1", "neoverse-v2"]
ITERATIONS = 200
# What is counted, the name of the functions, and how often each innermost loop of the two forms runs for it.
ROWS = [
    ("codes of a row of 64 patterns looked up", "recode", [64], [1]),
    ("int8 products: 16 values, 4 queries of 2 planes", "dots", [4], [1]),
    ("byte codes: 16 values of 4 rows", "codes", [4, 0], [1]),
]
BRANCH = re.compile(r"\s+(?:b\.?\w*|cbn?z|tbn?z)\s+(?:[^,]+,\s*)*(\.L\w+)$")


def functions_of(assembly):
    """The lines of each function."""
    functions, lines = {}, []
    for line in assembly.splitlines():
        name = re.match(r"([A-Za-z_]\w*):", line)
        if name:
            lines = functions.setdefault(name[1], [])
        lines.append(line)
    return functions


def innermost_loops(lines):
    """The instructions of every loop without a branch in it, in order."""
    labels = {line[:-1]: i for i, line in enumerate(lines) if re.match(r"\.L\w+:$", line)}
    for i, line in enumerate(lines):
        branch = BRANCH.match(line)
        if branch and labels.get(branch[1], i) < i:
            body = [one for one in lines[labels[branch[1]] : i + 1] if not re.match(r"\s*\.", one)]
            if not any(BRANCH.match(one) for one in body[:-1]):
                yield body


def cycles(mca, processor, body):
    """Cycles of one iteration: until the last result is there, and of the busiest unit alone."""
    command = [mca, "-mtriple=aarch64", f"-mcpu={processor}", f"-iterations={ITERATIONS}"]
    out = subprocess.run(command, input="\n".join(body) + "\n", capture_output=True, text=True, check=True).stdout
    total, least = (float(re.search(name + r":\s+([0-9.]+)", out)[1]) for name in ("Total Cycles", "Block RThroughput"))
    return total / ITERATIONS, least


def sums_of(mca, lines, times):
    """For each processor the cycles of all loops of a function."""
    loops = list(innermost_loops(lines))
    if len(loops) != len(times):
        raise SystemExit(f"{lines[0]} {len(loops)} innermost loops, not {len(times)}: the compiler is another one than Debian 12's")
    return [[sum(n * c for n, c in zip(times, column)) for column in zip(*(cycles(mca, processor, body) for body in loops))]
            for processor in PROCESSORS]


def main():
    mca, *compiler = sys.argv[1:]
    source = str(pathlib.Path(__file__).with_name("InnerLoops.cpp"))
    functions = functions_of(subprocess.run([*compiler, "-S", "-o", "-", source], capture_output=True, text=True, check=True).stdout)
    heads = [f"{processor}, {form}" for processor in PROCESSORS for form in ("portable", "NEON")]
    print(f"| loop | {' | '.join(heads)} |\n|---|{'---:|' * len(heads)}")
    worse = 0
    for label, name, portable, neon in ROWS:
        before, after = (sums_of(mca, functions[f"{name}_{form}"], times) for form, times in (("portable", portable), ("neon", neon)))
        cells = [f"{total:.0f} ({least:.0f})" for pair in zip(before, after) for total, least in pair]
        print(f"| {label} | {' | '.join(cells)} |")
        worse += before[0][1] < after[0][1]
    sys.exit(worse > 0)


if __name__ == "__main__":
    main()
