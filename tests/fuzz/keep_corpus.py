#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keeps the inputs that fuzzing found: the fewest that reach all the code that the corpus in the build folder reaches.

usage: keep_corpus.py BUILD [TEST...]

BUILD is the folder of a build under AddressSanitizer whose fuzz tests ran. For each test (`Fuzz.<test>`; all, without names) the smallest
inputs are merged with those that are committed and written to seeds/<test>.tar.xz, which every run of the test replays.
"""

import argparse
import hashlib
import io
import json
import os
import pathlib
import subprocess
import tarfile
import tempfile

SEEDS = pathlib.Path(__file__).parent / "seeds"
BYTES_MAX = 32768  # as the tests


def fuzz_tests(build):
    """Name, program, folders of inputs and environment of each fuzz test, from CTest."""
    listed = subprocess.run(
        ["ctest", "--test-dir", build, "-L", "fuzz", "--show-only=json-v1"], stdout=subprocess.PIPE, text=True, check=True
    )
    for test in json.loads(listed.stdout)["tests"]:
        command = test["command"]
        folders = [argument for argument in command[1:] if not argument.startswith("-")]
        properties = {entry["name"]: entry["value"] for entry in test["properties"]}
        environment = dict(line.split("=", 1) for line in properties.get("ENVIRONMENT", []))
        yield test["name"].removeprefix("Fuzz."), command[0], folders, environment


def merge(program, folders, environment):
    """The bytes of the fewest inputs of the folders that reach the same code, sorted."""
    with tempfile.TemporaryDirectory() as merged:
        subprocess.run(
            [program, "-merge=1", f"-max_len={BYTES_MAX}", merged, *folders],
            env={**os.environ, **environment}, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        return sorted(path.read_bytes() for path in pathlib.Path(merged).iterdir())


def pack(path, inputs):
    """Writes an archive that depends on the inputs alone."""
    with tarfile.open(path, "w:xz", format=tarfile.USTAR_FORMAT) as archive:
        for content in inputs:
            entry = tarfile.TarInfo(hashlib.sha1(content).hexdigest())
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("tests", nargs="*")
    arguments = parser.parse_args()
    for name, program, folders, environment in fuzz_tests(arguments.build):
        if arguments.tests and name not in arguments.tests:
            continue
        inputs = merge(program, folders, environment)
        target = SEEDS / f"{name}.tar.xz"
        pack(target, inputs)
        print(f"{name}: {len(inputs)} inputs, {target.stat().st_size} bytes", flush=True)


if __name__ == "__main__":
    main()
