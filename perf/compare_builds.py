#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the rows of two builds of kindred-perf by interleaved runs.

Usage: compare_builds.py BEFORE AFTER [--rows a,b,…] [--pairs N] [--seconds S] [--out FILE] [-- OPTION…]

BEFORE and AFTER are two executables `kindred-perf`: of two commits, or of builds with Kindred_ENABLE_SPECIALIZED off and on. A pair
is one run of each, in turns of who goes first, with the options after `--`. For each row, and for its time per call, in kernels and
queued, the table gives the median before and the ratio after / before: its median, and the 95 % interval of its geometric mean.
A row is slower if the interval lies above 1.03 (exit status 1), faster if it lies below 0.97.
"""
import argparse
import json
import math
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TIMES = {"seconds": "call", "kernel_seconds": "kernels", "queued_seconds": "queued"}
TOLERANCE = 0.03
# Student's t for 95 %, by degrees of freedom; the last one for more.
T_95 = [12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.20, 2.18, 2.16, 2.14, 2.13, 2.12, 2.11, 2.10, 2.09, 2.05]


def run(program, rows, options):
    """The rows of one run, by name."""
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder, "record.json")
        command = [program, "h200", "--out", str(record), *(["--only", rows] if rows else []), *options]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode != 0 or not record.exists():
            sys.exit(f"{' '.join(command)} failed:\n{done.stdout}")
        return {row["row"]: row for row in json.loads(record.read_text())["rows"]}


def ratio_of(before, after):
    """Median ratio, and the ends of the 95 % interval of the geometric mean."""
    logs = [math.log(b / a) for a, b in zip(before, after)]
    half = T_95[min(len(logs) - 2, len(T_95) - 1)] * statistics.stdev(logs) / math.sqrt(len(logs))
    mean = statistics.mean(logs)
    return math.exp(statistics.median(logs)), math.exp(mean - half), math.exp(mean + half)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--rows", default="", help="comma-separated rows (default: all)")
    parser.add_argument("--pairs", type=int, default=15)
    parser.add_argument("--seconds", type=float, default=math.inf, help="no pair starts after this time")
    parser.add_argument("--out", help="JSON file of all times")
    arguments, options = parser.parse_known_args()
    options = [option for option in options if option != "--"]
    start = time.monotonic()
    times = {}
    pairs = 0
    while pairs < arguments.pairs and (pairs < 2 or time.monotonic() - start < arguments.seconds):
        for side in (0, 1) if pairs % 2 == 0 else (1, 0):
            for name, row in run((arguments.before, arguments.after)[side], arguments.rows, options).items():
                for key in TIMES:
                    if row.get(key, 0) > 0:
                        times.setdefault((name, key), ([], []))[side].append(row[key])
        pairs += 1
        if arguments.out:
            record = [{"row": name, "time": TIMES[key], "before": sides[0], "after": sides[1]} for (name, key), sides in times.items()]
            Path(arguments.out).write_text(json.dumps({"pairs": pairs, "rows": record}))
    print(f"{pairs} pairs in {time.monotonic() - start:.0f} s")
    print(f"{'row':24} {'time':8} {'before ms':>11} {'ratio':>7}  95 % interval")
    slower = []
    for (name, key), (before, after) in times.items():
        if len(before) != len(after):
            continue
        ratio, low, high = ratio_of(before, after)
        verdict = "slower" if low > 1 + TOLERANCE else "faster" if high < 1 - TOLERANCE else ""
        if verdict == "slower":
            slower.append(f"{name} ({TIMES[key]})")
        print(f"{name:24} {TIMES[key]:8} {1e3 * statistics.median(before):11.5f} {ratio:7.3f}  [{low:.3f}, {high:.3f}] {verdict}")
    if slower:
        sys.exit("slower: " + ", ".join(slower))


if __name__ == "__main__":
    main()
