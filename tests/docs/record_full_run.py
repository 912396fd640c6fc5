#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the table of the last full run, `./run test --all`, into a document, between its two comments.

usage: record_full_run.py BUILD DOCUMENT

BUILD is the folder with parts.tsv (a line of name, tab and seconds for each part) and the logs of the tests.
"""

import datetime
import pathlib
import re
import subprocess
import sys

BEGIN = "<!-- full run: written by tests/docs/record_full_run.py -->"
END = "<!-- end of the full run -->"
CTEST = r"\d+ tests failed out of (\d+)"
GOOGLE_TEST = r"\[  PASSED  \] (\d+) tests?"
# The log that holds the counts of a part, how they are read, and the text for the last one and for the sum of all.
COUNTS = {
    "tests under AddressSanitizer and UndefinedBehaviorSanitizer": [("asan/ctest.log", CTEST, "{last} programs")],
    "tests under ThreadSanitizer": [("tsan/test.log", GOOGLE_TEST, "{last} tests")],
    "tests without FMA and AVX2 in the C library": [("release/no-fma.log", CTEST, "{last} of CTest")],
    "tests without vendor libraries": [("no-vendors/ctest.log", CTEST, "{last} of CTest")],
    "tests for aarch64 under qemu-user": [("aarch64/ctest.log", CTEST, "{last} of CTest")],
    "mutation check": [("release/mutation.log", r"(\d+ of \d+) mutants killed, ", "{last} mutants killed")],
    "all other tests": [
        ("release/ctest.log", CTEST, "{last} of CTest"),
        ("release/Testing/Temporary/LastTest.log", GOOGLE_TEST, "with {sum} of GoogleTest"),
    ],
}


def counts_of(build, part):
    """What a part ran, as text; empty for a build."""
    texts = []
    for log, pattern, text in COUNTS.get(part, []):
        found = re.findall(pattern, (build / log).read_text(encoding="utf-8", errors="replace"))
        if not found:
            raise SystemExit(f"{build / log} has no line like {pattern!r}")
        texts.append(text.format(last=found[-1], sum=sum(int(count) for count in found if count.isdigit())))
    return " ".join(texts)


def table(build, commit, date, processor, cores):
    """The lines of the table."""
    lines = [f"Commit {commit}, {date}, {cores} cores of {processor}:", "", "| part | minutes | counts |", "|---|---:|---|"]
    total = 0
    for line in (build / "parts.tsv").read_text(encoding="utf-8").splitlines():
        part, seconds = line.split("\t")
        total += int(seconds)
        lines.append(f"| {part} | {int(seconds) / 60:.1f} | {counts_of(build, part)} |")
    lines.append(f"| **all** | **{total / 60:.0f}** | |")
    return lines


def replaced(text, lines):
    """The document with the lines between the two comments."""
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        raise SystemExit(f"the document must have one line {BEGIN} and one {END}")
    head, rest = text.split(BEGIN)
    return head + BEGIN + "\n" + "\n".join(lines) + "\n" + END + rest.split(END)[1]


def main():
    build, document = map(pathlib.Path, sys.argv[1:])
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    cpus = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    processor = (re.findall(r"model name\s*: (.*)", cpus) or ["an unnamed processor"])[0]
    cores = len(re.findall(r"^processor\s*:", cpus, re.MULTILINE))
    lines = table(build, commit, datetime.date.today().isoformat(), processor, cores)
    document.write_text(replaced(document.read_text(encoding="utf-8"), lines), encoding="utf-8")


if __name__ == "__main__":
    main()
