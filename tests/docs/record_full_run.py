#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the table of the last full run, `./run test --all`, into a document, between its two comments.

usage: record_full_run.py BUILD DOCUMENT

BUILD is the folder with parts.tsv (for each step a line of part, step, seconds or "failed", and commit, separated by tabs) and the log of each part.
Parts may have been run one by one, at several commits.
"""

import datetime
import pathlib
import re
import sys

BEGIN = "<!-- full run: written by tests/docs/record_full_run.py -->"
END = "<!-- end of the full run -->"
# What the programs print when their tests have passed, and the text for it.
COUNTS = [
    (r"\d+ tests failed out of (\d+)", "{} of CTest"),
    (r"\[  PASSED  \] (\d+) tests?", "{} of GoogleTest"),
    (r"(\d+ of \d+) mutants killed, ", "{} mutants killed"),
]


def counts_of(build, part):
    """What a part ran, as text; empty where it has no log."""
    log = build / f"{part}.log"
    if not log.exists():
        return ""
    text = log.read_text(encoding="utf-8", errors="replace")
    for pattern, words in COUNTS:
        found = re.findall(pattern, text)
        if found:
            return words.format(found[-1])
    raise SystemExit(f"{log} has no line with counts of tests")


def table(build, date, processor, cores):
    """The lines of the table."""
    lines = [f"{date}, {cores} cores of {processor}:", "", "| part | minutes | of which tests | commit | result |", "|---|---:|---:|---|---|"]
    steps, commits = {}, {}
    for line in (build / "parts.tsv").read_text(encoding="utf-8").splitlines():
        part, step, seconds, commit = line.split("\t")
        steps.setdefault(part, {})[step] = seconds
        commits[part] = commit
    total = 0
    for part, seconds in steps.items():
        if "failed" in seconds.values():
            lines.append(f"| {part} | | | {commits[part]} | **failed** |")
            continue
        minutes = {step: int(number) / 60 for step, number in seconds.items()}
        total += sum(minutes.values())
        tests = f"{minutes['tests']:.1f}" if "tests" in minutes else ""
        counts = counts_of(build, part)
        lines.append(f"| {part} | {sum(minutes.values()):.1f} | {tests} | {commits[part]} | passed{': ' + counts if counts else ''} |")
    lines.append(f"| **all** | **{total:.0f}** | | | |")
    return lines


def replaced(text, lines):
    """The document with the lines between the two comments."""
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        raise SystemExit(f"the document must have one line {BEGIN} and one {END}")
    head, rest = text.split(BEGIN)
    return head + BEGIN + "\n" + "\n".join(lines) + "\n" + END + rest.split(END)[1]


def main():
    build, document = map(pathlib.Path, sys.argv[1:])
    cpus = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    processor = (re.findall(r"model name\s*: (.*)", cpus) or ["an unnamed processor"])[0]
    cores = len(re.findall(r"^processor\s*:", cpus, re.MULTILINE))
    lines = table(build, datetime.date.today().isoformat(), processor, cores)
    document.write_text(replaced(document.read_text(encoding="utf-8"), lines), encoding="utf-8")


if __name__ == "__main__":
    main()
