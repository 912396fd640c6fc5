# SPDX-License-Identifier: Apache-2.0
"""The output has the same bytes on every space, thread count and machine. `--regenerate` rewrites
golden.json."""
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import golden_cases
import harness
import inputs
import npy

GOLDEN = Path(__file__).with_name("golden.json")
ALL_ROWS = {**golden_cases.CASES, **golden_cases.OUT_FILES}
# Makes glibc (2.33 or later) assume a processor without fused operations: its exp, log and pow then
# have other bits.
WITHOUT_FMA = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA"}

BUILDS = ("index build --vectors wide.npy --out i.knd",
          "patterns build --patterns patterns.jsonl --out s.knd",
          "graph build --edges kinds.tsv --edge-kinds --nodes nodes.tsv --out k.knd")
EVERYWHERE = (
    "index build --vectors wide.npy --out out", "index search --index i.knd --queries wide_queries.npy",
    "match --store s.knd --queries queries.jsonl --blocks", "patterns build --patterns patterns.jsonl --out out",
    "spread --graph k.knd --sources kind_sources.jsonl --modifiers engram --fan 0=inverse",
    "spread --graph k.knd --sources kind_sources.jsonl --kinds 0-7 --activations bfloat16",
    "spread --graph k.knd --sources kind_sources.jsonl --trace-paths 3 --confidence",
    "bulk reduce --op mean --input wide.npy --json", "bulk matmul --a square.npy --b square.npy --reproducible --out out",
    "seeds backward --input seed_rows.npy --gradient seed_rows.npy --state seeds.json "
    "--weights seed_weights.npy --out out --out-weights other.npy",
    "lattice analyze --by-search --json", "lattice path --from 0 --to 9999 --json")


def launches():
    """(--space, --threads) pairs: the dispatcher's choice, and every usable space with several
    thread counts; with KINDRED_TEST_LAUNCHES=few, one of `serial` and one of `openmp`."""
    if os.environ.get("KINDRED_TEST_LAUNCHES") == "few":
        yield from (("serial", 1), ("openmp", 2))
        return
    yield "auto", None
    for space in harness.usable_spaces():
        for threads in ((1, 2, 3, 7) if space == "openmp" else (1, 2)):
            yield space, threads


def answer(name, folder, space, threads, settings=None):
    """stdout, and the content of the files that the call wrote."""
    arguments = list(ALL_ROWS[name]) + ["--space", space] + (["--threads", str(threads)] if threads else [])
    result = harness.run(*arguments, cwd=folder, settings=settings)
    if result.status != 0:
        raise AssertionError(f"{' '.join(arguments)}: exit status {result.status}\n{result.err}")
    files = [Path(folder, arguments[i + 1]) for i, argument in enumerate(arguments) if argument in golden_cases.OUT_FLAGS]
    return result.out + b"".join(file.read_bytes() for file in files)


def digest(data):
    return hashlib.sha256(data).hexdigest()


class SameBytes(harness.InputsTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.golden = json.loads(GOLDEN.read_text())
        cls.launches = list(launches())

    def test_inputs_are_the_golden_ones(self):
        self.assertGreater(len(self.golden["inputs"]), 5)
        self.assertEqual({name: digest((self.inputs / name).read_bytes()) for name in self.golden["inputs"]}, self.golden["inputs"])

    def test_every_case_has_a_golden_sum(self):
        self.assertEqual(sorted(self.golden["answers"]), sorted(ALL_ROWS))

    def test_answers_without_golden_sums_are_the_same_everywhere(self):
        kinds = "".join(f"n{i % 50} n{i * 7 % 53} {1 + i % 8}e-1 {i % 9}\n" for i in range(400))
        (self.inputs / "kinds.tsv").write_text(kinds)
        (self.inputs / "nodes.tsv").write_text("".join(f"n{i} {i % 3}\n" for i in range(53)))
        inputs.json_lines(self.inputs / "kind_sources.jsonl", [
            {"sources": [[f"n{i}", (1 + i % 16) / 16]], **({"kinds": [0, i % 9]} if i % 3 else {})} for i in range(50)])
        npy.write(self.inputs / "square.npy", [i % 7 / 4 for i in range(900)], (30, 30))
        for build in BUILDS:
            self.assertEqual(harness.run(*build.split(), cwd=self.inputs).status, 0, build)
        for command in EVERYWHERE:
            answers = set()
            for space, threads in self.launches:
                arguments = [*command.split(), "--space", space, *(["--threads", threads] if threads else [])]
                result = harness.run(*arguments, cwd=self.inputs)
                self.assertEqual(result.status, 0, f"{arguments}\n{result.err}")
                written = (self.inputs / "out").read_bytes() if "--out out" in command else b""
                answers.add(result.out + written)
            self.assertEqual(len(answers), 1, command)
            self.assertTrue(answers.pop(), command)

    def test_the_c_librarys_mathematics_changes_nothing(self):
        logarithm = [sys.executable, "-c", "import math; print(math.log2(55 / 57).hex())"]
        bits = {subprocess.run(logarithm, capture_output=True, check=True, env=env).stdout for env in ({}, WITHOUT_FMA)}
        if len(bits) == 1:
            self.skipTest("this C library has the same bits without fused operations")
        for name in ALL_ROWS:
            if name.split()[0] in ("predict", "score", "seeds", "spread"):
                with self.subTest(name):
                    self.assertEqual(digest(answer(name, self.inputs, "serial", 1, WITHOUT_FMA)), self.golden["answers"][name])


def same_bytes(name):
    def test(self):
        for space, threads in self.launches:
            with self.subTest(space=space, threads=threads):
                data = answer(name, self.inputs, space, threads)
                self.assertGreater(len(data), 500, "an answer this small shows nothing")
                self.assertEqual(digest(data), self.golden["answers"][name])
    return test


for case in ALL_ROWS:
    setattr(SameBytes, "test_" + case.replace(" ", "_"), same_bytes(case))


def regenerate():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        inputs.all_inputs(folder)
        golden = {"inputs": {file.name: digest(file.read_bytes()) for file in sorted(folder.iterdir())},
                  "answers": {case: digest(answer(case, folder, "serial", 1)) for case in sorted(ALL_ROWS)}}
    GOLDEN.write_text(json.dumps(golden, indent=1) + "\n")


if __name__ == "__main__" and "--regenerate" in sys.argv:
    regenerate()
