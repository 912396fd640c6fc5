# SPDX-License-Identifier: Apache-2.0
"""Wrong use and invalid files: one loop checks the status, the message, that nothing is printed, and that
every file stays as it was. The rows are in `refused_flags` and `refused_files`."""
import json
import tempfile
import zipfile
from pathlib import Path

import harness
import npy
import refused_files
import refused_flags

FILES = {
    "p.jsonl": [{"name": "first", "tokens": ["a", "b"]}],
    "q.jsonl": [{"name": "q0", "tokens": ["a", "c"]}],
    "single.jsonl": [{"tokens": ["one string"]}],
    "a.jsonl": [{"symbol": "a", "affinity": 1}],
    "names.csv": "name\nAcme\nAcme Ltd\n", "names.txt": "Acme\nAcme Ltd\n",
    "q.csv": "id,company\n1,Acme\n",
    "v.npy": npy.encode(range(12), (6, 2)), "q.npy": npy.encode([1, 2, 3, 4], (2, 2)),
    "one.npy": npy.encode([1, 2], (1, 2)), "none.npy": npy.encode([], (0, 2)), "v.csv": "1,2\n3,4\n",
    "c.jsonl": [{"name": "c0", "ids": [0, 2]}, {"ids": []}],
    "b.npy": npy.encode([1, 2, 3, 255], (2, 2), "|u1"),
    "e.tsv": "from\tto\tweight\na\tb\t0.5\nb\tc\t1\n", "empty.tsv": "# nothing\n",
    "kinds.tsv": "a b 1 0\n", "heavy.tsv": "a b 1.5\nb a -1\n", "nodes.txt": "a\n", "huge.tsv": "a b 3.4e38\n",
    "m.mtx": "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n",
    "s.jsonl": [{"name": "q", "sources": [["a", 1]]}], "numbered.jsonl": [{"sources": [["1", 1]]}],
    "blocked.txt": "5\n", "over.jsonl": [{"do": "build", "out": "over.jsonl"}], "empty.jsonl": "",
    "x.npy": npy.encode(range(14), (2, 7)), "w.npy": npy.encode([10.0] * 7 + [3.0] * 7, (2, 7)),
    "seeds.json": json.dumps(refused_files.state()[0]),
    "grafting.json": json.dumps({"lifecycle": ["grafting", 0], "blueprint": [0, -1],
                                 "schedule": ["drift_controlled"] * 2}),
    "typo.toml": "[search]\ntopp = 3\n", "common.toml": "[search]\nthreads = 2\n",
    "command.toml": "[serch]\ntop = 3\n", "value.toml": '[search]\ntop = "many"\n'}
BUILT = (
    "vectors build --vectors v.npy --out v.knd", "vectors build --vectors none.npy --out none.knd",
    "index build --vectors v.npy --out i.knd", "index build --vectors none.npy --out none.index",
    "index export i.knd --out h.bin", "patterns build --patterns p.jsonl --out p.knd",
    "graph build --edges e.tsv --out g.knd", "graph build --edges m.mtx --out m.knd",
    "graph build --edges heavy.tsv --out heavy.knd")


class Refusals(harness.CommandTest):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory(prefix="kindred-refusals-")
        cls.addClassCleanup(temporary.cleanup)
        cls.shared = Path(temporary.name)
        for name, content in FILES.items():
            harness.write(cls.shared / name, content)
        for name, first in (("names.xlsx", "docProps/app.xml"), ("rows.npz", "arr_0.npy")):
            with zipfile.ZipFile(cls.shared / name, "w") as archive:
                archive.writestr(first, "x")
        (cls.shared / "link.npy").symlink_to("v.npy")
        for command in BUILT:
            assert harness.run(*command.split(), cwd=cls.shared).status == 0, command
        cls.before = cls.contents()

    @classmethod
    def contents(cls):
        return {path.name: path.read_bytes() for path in cls.shared.iterdir()}

    def refused(self, status, command, words):
        with self.subTest(command, words=words):
            self.refuses(status, words, *command.split(), cwd=self.shared)
            self.assertEqual(self.contents(), self.before)

    def test_wrong_use_is_answered_by_what_to_do(self):
        for command, words, *values in refused_flags.ROWS:
            for value in values or ("",):
                with_value = (*words, value) if command.endswith("={}") else words
                self.refused(2, command.replace("{}", value), with_value)

    def test_invalid_files_are_named_with_the_place(self):
        for commands, name, *contents in refused_files.ROWS:
            for content, *words in contents:
                harness.write(self.shared / name, content)
                type(self).before = self.contents()
                for command in commands:
                    self.refused(3, command.replace("{}", name), (name, *words))
            (self.shared / name).unlink()
        type(self).before = self.contents()

    def test_files_of_another_kind_are_named_with_their_use(self):
        for command, message in refused_files.KINDS:
            for name in ("info", "verify", "export") if "{}" in command else ("",):
                self.refused(3, command.replace("{}", name), (message,))

    def test_good_files_are_answered(self):
        for command in (
                "match --patterns p.jsonl --queries q.jsonl", "search --vectors v.npy --queries q.npy",
                "score --vectors v.npy --queries q.npy --candidates c.jsonl",
                "spread --graph e.tsv --sources s.jsonl", "spread --graph m.mtx --sources numbered.jsonl",
                "match --patterns q.csv --queries q.csv --column company",
                "index search --index i.knd --queries q.npy"):
            self.assertTrue(self.succeeds(*command.split(), cwd=self.shared).lines(), command)

    def test_hdf5_is_damaged_or_cannot_be_read(self):
        bad = self.file("x.hdf5", b"\x89HDF\r\n\x1a\n" + bytes(100))
        result = harness.run("search", "--vectors", bad, "--queries", "q.npy", cwd=self.shared)
        is_read = "not installed" not in result.err and "Kindred_ENABLE_HDF5=OFF" not in result.err
        self.assertEqual(result.status, 3 if is_read else 1, result.err)
        self.assertIn("HDF5", result.err)

    def test_standard_input_is_checked_as_files_are(self):
        query = ("match", "--lines", "names.txt", "--queries", "-")
        self.refuses(3, ("<stdin> is a Parquet file, not UTF-8 text; convert it: duckdb -c \"COPY 'FILE' "
                         "TO 'FILE.csv'\"",), *query, cwd=self.shared, stdin=b"PAR1\x15" + bytes(40))
        self.succeeds(*query, cwd=self.shared, stdin=b"PAR1 Ltd\n")
        tasks = json.dumps({"do": "analyze"}) + "\n" + json.dumps(
            {"dimensions": 6, "size": 1000, "do": "path", "from": 0, "to": 9, "blocked": [5]})
        result = harness.run("lattice", "batch", "--tasks", "-", stdin=tasks.encode())
        self.assertEqual((result.status, len(result.lines())), (2, 1), "what came before the failure")
        self.assertIn("<stdin>:2:", result.err)
        self.assertIn("64 · 2³²", result.err)

    def test_a_failed_call_leaves_outputs_as_they_were(self):
        old = self.file("old", b"old")
        for command in (
                f"search --vectors v.npy --queries none --out-ids {old} --out-scores {old}2",
                f"score --vectors v.npy --queries q.npy --candidates empty.jsonl --out-ids {old}",
                f"match --patterns missing --queries q.jsonl --trace {old} --report {old}2",
                f"vectors build --vectors v.csv --out {old}", f"index info v.knd --trace {old}",
                f"bulk matmul --a v.npy --b v.npy --out {old}"):
            self.assertIn(harness.run(*command.split(), cwd=self.shared).status, (2, 3), command)
            self.assertEqual([path.name for path in self.folder.iterdir()], ["old"], command)
            self.assertEqual(old.read_bytes(), b"old", command)

    def test_more_vectors_than_memory(self):
        if "cuda" in harness.usable_spaces():
            self.skipTest("a CUDA driver cannot run under a limit on address space")
        huge = self.folder / "huge.npy"
        with huge.open("wb") as file:
            file.write(npy.header("<f4", (2**30, 2)))
            file.truncate(128 + 2**33)  # a sparse file
        self.refuses(4, ("memory",), "search", "--vectors", huge, "--queries", "q.npy", "--threads", 2,
                     cwd=self.shared, address_space=2**32)

    def test_cuda_where_there_is_none(self):
        if "cuda" in harness.usable_spaces():
            self.skipTest("this machine has a CUDA device")
        self.refuses(1, ("cuda", "cannot be used"), "info", "--space", "cuda")
