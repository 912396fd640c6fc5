# SPDX-License-Identifier: Apache-2.0
"""Damaged files. Text and arrays with bytes flipped, removed, duplicated or swapped are processed or
refused without a crash; files of Kindred, which have checksums, are refused by every command. The
damage is the same in every run."""
import harness
import npy
from inputs import Generator

DAMAGES = 60
TEXT = b'0123456789.-+eE"[]{}:,\\/ \t\r\n\x00\xff%'
FILES = {
    "p.jsonl": [{"name": "p0", "tokens": ["a", "bé", "🙂"]}, {"name": "p1", "events": [["a"], ["c", "d"]]},
                {"name": "p2", "tokens": []}],
    "more.jsonl": [{"tokens": ["z"]}, {"name": "p0", "tokens": ["a", "bé", "🙂"]}],
    "q.jsonl": [{"name": "q0", "tokens": ["a", "c"]}, {"name": "q1", "events": [["d"]]}],
    "x.npy": npy.encode(range(60), (20, 3)), "q.npy": npy.encode([1, 0.5, 2], (1, 3)),
    "mask.npy": npy.encode([1, 0, 1, 1] * 5, (20,), "|b1"), "c.jsonl": [{"name": "c0", "ids": [0, 2, 3]}],
    "g.tsv": "a\tb\t1\nb\tc\t0.5\nc a 0.25\n# end\n",
    "g.mtx": "%%MatrixMarket matrix coordinate real symmetric\n% made\n3 3 2\n2 1 0.5\n3 3 1e-1\n",
    "s.jsonl": [{"name": "q", "sources": [["a", 1.0], ["b", 0.25]]}],
    "n.jsonl": [{"name": "q", "sources": [["1", 1.0]]}]}
# Files, and commands that read them.
INPUTS = (
    ("p.jsonl", "match --patterns p.jsonl --queries q.jsonl"),
    ("q.jsonl", "match --patterns p.jsonl --queries q.jsonl --level character --blocks"),
    ("x.npy", "search --vectors x.npy --queries q.npy"),
    ("mask.npy", "search --vectors x.npy --queries q.npy --filter mask.npy"),
    ("c.jsonl", "score --vectors x.npy --queries q.npy --candidates c.jsonl"),
    ("g.tsv", "spread --graph g.tsv --sources s.jsonl"),
    ("g.mtx", "spread --graph g.mtx --sources n.jsonl"),
    ("s.jsonl", "spread --graph g.tsv --sources s.jsonl"))
# How a file is built, and the commands that refuse it.
STORES = (
    ("patterns build --patterns p.jsonl --out bad", "patterns info bad", "patterns verify bad",
     "patterns export bad", "match --store bad --queries q.jsonl",
     "patterns build --append --patterns more.jsonl --out bad"),
    ("vectors build --vectors x.npy --out bad", "vectors info bad", "vectors verify bad",
     "search --store bad --queries q.npy", "score --store bad --queries q.npy --candidates c.jsonl",
     "index build --store bad --out other"),
    ("index build --vectors x.npy --out bad", "index info bad", "index export bad --out other",
     "index search --index bad --queries q.npy"),
    ("graph build --edges g.tsv --out bad", "graph info bad", "graph verify bad",
     "spread --graph bad --sources s.jsonl"))


def damaged(data, generator):
    data = bytearray(data)
    for _ in range(1 + generator.below(3)):
        at = generator.below(len(data) + 1)
        kind = generator.below(6)
        if kind == 0 and at < len(data):
            data[at] ^= 1 << generator.below(8)
        elif kind == 1 and at < len(data):
            data[at] = TEXT[generator.below(len(TEXT))]
        elif kind == 2:
            del data[at:at + 1 + generator.below(9)]
        elif kind == 3:
            data[at:at] = bytes([TEXT[generator.below(len(TEXT))]])
        elif kind == 4:
            data[at:at] = data[at:at + generator.below(40)]
        elif kind == 5 and generator.below(3) == 0:
            del data[at:]
    return bytes(data)


class Damage(harness.CommandTest):
    FILES = FILES

    def test_inputs_are_read_or_refused(self):
        for name, command in INPUTS:
            whole = (self.folder / name).read_bytes()
            generator = Generator(len(whole))
            refused = 0
            for number in range(DAMAGES):
                data = damaged(whole, generator)
                self.file(name, data)
                result = harness.run(*command.split(), "--quiet", cwd=self.folder, timeout=60)
                told = f"{command}, damage {number}: status {result.status}: {data!r}\n{result.err}"
                self.assertIn(result.status, (0, 3), told)
                if result.status == 3:
                    refused += 1
                    self.assertEqual(result.out, b"", told)
                    self.assertTrue(result.err.startswith("kindred: error: "), told)
                    self.assertNotIn("Sanitizer", result.err, told)
            self.assertGreater(refused, DAMAGES // 6, command)
            self.file(name, whole)

    def test_files_of_kindred_are_refused_by_every_command(self):
        for build, *commands in STORES:
            self.types(build)
            whole = (self.folder / "bad").read_bytes()
            generator = Generator(len(whole))
            for number in range(24):
                if number % 4 == 0:
                    data = whole[:9 + generator.below(len(whole) - 9)]
                else:
                    # A store of patterns has a second header, which is not used yet.
                    at = (128 if build.startswith("patterns") else 8)
                    at += generator.below(len(whole) - at - (128 if at == 128 else 0))
                    data = whole[:at] + bytes([whole[at] ^ 1 << generator.below(8)]) + whole[at + 1:]
                self.file("bad", data)
                for command in commands:
                    with self.subTest(command, number=number):
                        self.refuses(3, ("bad",), *command.split(), cwd=self.folder)
                self.assertEqual((self.folder / "bad").read_bytes(), data)
            self.assertFalse((self.folder / "other").exists())

    def test_an_append_that_did_not_finish_is_ignored(self):
        store = self.folder / "s.knd"
        build = ("patterns", "build", "--patterns", self.folder / "p.jsonl", "--out", store)
        self.succeeds(*build)
        store.write_bytes(store.read_bytes() + b"an append that did not finish")
        self.succeeds("patterns", "verify", store)
        for left in (29, 0):
            info = self.succeeds("patterns", "info", store, "--json").json()
            self.assertEqual(info["uncommitted_bytes"], left)
            self.succeeds(*build, "--append")
