# SPDX-License-Identifier: Apache-2.0
"""Flags that were renamed are rejected with a message that gives the new name."""
import unittest

import harness

# The command, the old arguments, and what the message must contain.
OLD = (
    ("patterns info", ("--store", "s.knd"), "kindred patterns info STORE"),
    ("patterns verify", ("--store=s.knd",), "kindred patterns verify STORE"),
    ("patterns export", ("--store", "s.knd"), "kindred patterns export STORE"),
    ("vectors info", ("--store", "s.knd", "--json"), "kindred vectors info STORE"),
    ("vectors verify", ("--store", "s.knd"), "kindred vectors verify STORE"),
    ("graph info", ("--graph", "g.knd"), "kindred graph info GRAPH"),
    ("graph verify", ("--graph", "g.knd"), "kindred graph verify GRAPH"),
    ("graph build", ("--edges", "e.tsv", "--kinds", "--out", "g.knd"), "--edge-kinds"),
    ("index info", ("--index", "i.knd"), "kindred index info INDEX"),
    ("index export", ("--index", "i.knd", "--hnswlib", "h.bin"), "INDEX"),
    ("index export", ("i.knd", "--hnswlib", "h.bin"), "--out"),
    ("index import", ("--hnswlib", "h.bin", "--metric", "l2", "--dim", 3, "--out", "i.knd"), "--dimensions"),
    ("lattice analyze", ("--dims", 4), "--dimensions"),
    ("lattice analyze", ("--dims=4",), "--dimensions"),
    ("lattice path", ("--dims", 4, "--from", 0, "--to", 1), "--dimensions"),
    ("lattice build", ("--dims", 4, "--out", "g.knd"), "--dimensions"),
    ("lattice analyze", ("--measure",), "--by-search"),
    ("bulk xor", ("--input", "a.npy", "--key-out", "k.npy", "--out", "o.npy"), "--out-key"),
    ("seeds forward", ("--input", "x.npy", "--state", "s.json", "--out", "y.npy", "--telemetry", "t.json"), "--out-telemetry"),
    ("bulk matmul", ("--a", "a.npy", "--b", "b.npy", "--out", "c.npy", "--canonical"), "--reproducible"),
    ("vectors build", ("--vectors", "v.npy", "--out", "s.knd", "--no-shadow"), "--no-quantized-copy"),
)


class OldSpellings(harness.CommandTest):
    def test_are_refused_with_the_new_ones(self):
        for command, flags, now in OLD:
            with self.subTest(command=command, flags=flags):
                self.refuses(2, (f"{command}: instead of --", now), *command.split(), *flags, cwd=self.folder)
                self.assertEqual(list(self.folder.iterdir()), [])

    def test_are_not_in_the_help(self):
        for command, flags, _ in OLD:
            shown = self.succeeds(*command.split(), "--help").out.decode()
            old = next(flag for flag in map(str, flags) if flag.split("=")[0] in ("--store", "--graph", "--index", "--kinds", "--dim", "--dims", "--measure", "--key-out", "--telemetry", "--hnswlib", "--canonical", "--no-shadow") and
                       not (command == "index import" and flag == "--hnswlib"))
            self.assertNotRegex(shown, rf"(?m)^\s+{old.split('=')[0]}\b(?!-)")


if __name__ == "__main__":
    unittest.main()
