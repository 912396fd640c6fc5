#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the tests against every mutant and compares the survivors with accepted_survivors.txt.

First every test runs alone, without a fault: it must pass, and what it reaches is recorded. Then each mutant is run with the
tests that reach it, cheapest first, until one fails. A test that crashes or takes ten times as long kills the mutant, too.
Exit status: 0; 1 where a survivor is not listed, a listed one was killed, or less than 90 % were killed.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import accepted_survivors  # noqa: E402
import plan  # noqa: E402

PROGRAMS = [*plan.PROGRAMS, "headers"]
KILLED_LEAST = 0.9
SLOW_SECONDS = 3  # a test that takes longer is named: plan.py had better leave it out
MEMORY_MAX = 12 << 30


class Programs:
    def __init__(self, folder, scratch):
        self.folder = folder
        self.scratch = scratch

    def run(self, program, tests, mutant, seconds, **more):
        """The exit status of some tests of a program; None where they took longer than `seconds`."""
        environment = dict(
            os.environ,
            KINDRED_MUTANT=str(mutant),
            KINDRED_TEST_CASES="50",
            RC_PARAMS="max_success=50 seed=20261121 noshrink=1",
            OMP_WAIT_POLICY="PASSIVE",
            OMP_NUM_THREADS="2",
            TMPDIR=self.scratch,
            **more,
        )
        command = [self.folder / f"mutation_{program}", "--gtest_filter=" + ":".join(tests), "--gtest_fail_fast", "--gtest_brief=1"]
        limit = lambda: (  # noqa: E731
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0)),
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY_MAX, MEMORY_MAX)),
        )
        try:
            done = subprocess.run(
                command, env=environment, timeout=seconds, preexec_fn=limit, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
        except subprocess.TimeoutExpired:
            return None
        return done.returncode

    def tests_of(self, program):
        listed = subprocess.run(
            [self.folder / f"mutation_{program}", "--gtest_list_tests", "--gtest_filter=-" + ":".join(plan.EXCLUDED_TESTS)],
            stdout=subprocess.PIPE, text=True, check=True,
        )  # fmt: skip
        suite = ""
        for line in listed.stdout.splitlines():
            name = line.split("#")[0].rstrip()
            if line.startswith("  "):
                yield suite + name.strip()
            elif name.endswith("."):
                suite = name


def record(programs, test, number):
    """The seconds that a test takes without a fault, and the mutants that it reaches."""
    program, name = test
    path = pathlib.Path(programs.scratch, f"reached-{number}")
    begin = time.monotonic()
    status = programs.run(program, [name], -1, 120, KINDRED_MUTANTS_REACHED=str(path))
    seconds = time.monotonic() - begin
    if status != 0:
        raise SystemExit(f"{program}: {name} fails without a fault (exit status {status})")
    reached = [int(line) for line in path.read_text().split()] if path.exists() else []
    path.unlink(missing_ok=True)
    return test, seconds, reached


def is_killed(programs, mutant, tests):
    """Whether one of the tests, (seconds, program, name), fails; they are run cheapest first, in growing batches."""
    tests = sorted(tests)
    batch_seconds = 0.3
    while tests:
        program = tests[0][1]
        batch, rest, seconds = [], [], 0
        for test in tests:
            if test[1] == program and (not batch or seconds + test[0] <= batch_seconds):
                batch.append(test[2])
                seconds += test[0]
            else:
                rest.append(test)
        if programs.run(program, batch, mutant, 2 + 10 * seconds) != 0:
            return True
        batch_seconds *= 3
        tests = rest
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, help="where the programs of tests/mutation were built")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="only mutants whose key has this text; nothing is compared")
    parser.add_argument("--programs", nargs="+", default=PROGRAMS, choices=PROGRAMS, help="only the tests of these")
    arguments = parser.parse_args()
    begin = time.monotonic()
    keys = {int(number): key for number, key in json.loads((arguments.folder / "sources/mutants.json").read_text()).items()}
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        os.chmod(scratch, 0o1777)  # as /tmp: some tests are several users
        programs = Programs(arguments.folder.resolve(), scratch)
        tests = [(program, name) for program in arguments.programs for name in programs.tests_of(program)]
        reaching = {number: [] for number in keys}
        slow = []
        for (program, name), seconds, reached in pool.map(lambda job: record(programs, job[1], job[0]), enumerate(tests)):
            if seconds > SLOW_SECONDS:
                slow.append(f"{name} ({seconds:.0f} s)")
            for number in reached:
                reaching[number].append((seconds, program, name))
        print(f"{len(tests)} tests pass without a fault ({time.monotonic() - begin:.0f} s)", flush=True)
        if slow:
            print("slow: " + ", ".join(slow))
        chosen = [number for number, key in keys.items() if arguments.only in key]
        killed = dict(zip(chosen, pool.map(lambda number: is_killed(programs, number, reaching[number]), chosen)))
    alive = [keys[number] for number in chosen if not killed[number]]
    unreached = {keys[number] for number in chosen if not reaching[number]}
    for group, files in plan.MUTATED.items():
        of_group = [number for number in chosen if keys[number].split(" | ")[0] in files]
        print(f"{group}: {sum(killed[number] for number in of_group)} of {len(of_group)} mutants killed")
    print(f"{len(chosen) - len(alive)} of {len(chosen)} mutants killed, {time.monotonic() - begin:.0f} s")
    (arguments.folder / "survivors.txt").write_text("".join(key + "\n" for key in alive), encoding="utf-8")
    def named(key):
        return key + (" (no test reaches it)" if key in unreached else "")

    if arguments.only or arguments.programs != PROGRAMS:
        print(*(f"alive: {named(key)}\n" for key in alive), sep="", end="")
        return 0
    listed = accepted_survivors.read()
    faults = [f"survives and is not listed: {named(key)}" for key in alive if key not in listed]
    for key in listed:
        if key not in alive:
            faults.append("is listed as a survivor, but " + ("is killed: " if key in keys.values() else "does not exist: ") + key)
    if len(chosen) - len(alive) < KILLED_LEAST * len(chosen):
        faults.append(f"less than {KILLED_LEAST:.0%} were killed")
    print(*(fault + "\n" for fault in faults), sep="", end="")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
