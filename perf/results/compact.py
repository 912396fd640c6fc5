#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns the records of kindred-perf and of the peers' scripts into the format of this folder: JSON lines.

Usage: compact.py RECORD... writes NAME.jsonl into this folder for each RECORD NAME.json or NAME.txt.

The first line is {"context": …}: when, which commit, compiler and flags, devices, threads, environment. Every other line is one row:
{"table": T, …}, where T is the name of the list in the record. Numbers have five significant digits. What can be recomputed or
says nothing about a result (repetition counters, Kokkos' configuration, times of every kernel but the longest) is left out. A
record that is text becomes one row {"text": …} per line.
"""
import json
import re
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
LEFT_OUT = {"family_index", "per_family_instance_index", "run_name", "run_type", "repetitions", "repetition_index", "iterations",
            "cpu_time", "misses"}
KERNELS_KEPT = 3


def compacted(value):
    """The value with numbers rounded to five digits and without the omitted fields."""
    if isinstance(value, float):
        short = float(f"{value:.5g}")
        return int(short) if short.is_integer() and abs(short) < 1e15 else short
    if isinstance(value, dict):
        return {key: compacted(item) for key, item in value.items() if key not in LEFT_OUT}
    if isinstance(value, list):
        return [compacted(item) for item in value]
    if isinstance(value, str):
        return re.sub(r"-isystem \S+ ", "", value)
    return value


def context_of(record):
    """What identifies a run."""
    full = record.get("context", {})
    kept = {key: full[key] for key in ("date", "threads", "environment", "calibrated", "seed", "limits", "device", "torch", "cuda",
                                       "triton", "python", "scale") if full.get(key)}
    for key in ("version", "commit", "dirty", "compiler", "flags", "arch"):
        if key in full.get("kindred", {}):
            kept[key] = full["kindred"][key]
    if "kokkos" in full:
        kept["kokkos"] = full["kokkos"]["version"]
    devices = [(space["space"], space["device"]) for space in full.get("spaces", ()) if space.get("usable")]
    if devices:
        kept["devices"] = dict(devices)
    kept.update((key, value) for key, value in record.items() if not isinstance(value, (dict, list)))
    return kept


def rows_of(record, prefix=""):
    """Every row of every list of the record, at any depth of objects."""
    for key, value in record.items():
        name = prefix + key
        if key == "context" or name == "summary.kernels" or not value:
            continue
        if isinstance(value, dict):
            if any(isinstance(item, dict) or item and isinstance(item, list) and isinstance(item[0], dict) for item in value.values()):
                yield from rows_of(value, name + ".")
            else:
                yield {"table": name, **value}
        elif isinstance(value, list) and isinstance(value[0], dict):
            for row in value:
                nested = row.get("points")
                if nested:  # dispatch-quality: one list per process
                    for point in nested:
                        yield {"table": name, **{key: point[key] for key in ("op", "size", "seconds", "calibrated", "priors") if key in point}}
                    continue
                row = dict(row)
                if isinstance(row.get("kernels"), list):
                    longest = sorted(row["kernels"], key=lambda kernel: -kernel["seconds"])[:KERNELS_KEPT]
                    row["kernels"] = {kernel["label"]: kernel["seconds"] for kernel in longest}
                yield {"table": name, **row}


def lines_of(path):
    if path.suffix == ".txt":
        texts = path.read_text(encoding="utf-8").splitlines()
        return [{"context": {}}] + [{"text": text.rstrip()} for text in texts if text.strip()]
    record = json.loads(path.read_text(encoding="utf-8"))
    return [{"context": compacted(context_of(record))}] + [compacted(row) for row in rows_of(record)]


def main(paths):
    for path in map(Path, paths):
        lines = [json.dumps(line, ensure_ascii=False, separators=(",", ":")) for line in lines_of(path)]
        (FOLDER / f"{path.stem}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
