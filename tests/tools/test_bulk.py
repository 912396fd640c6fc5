# SPDX-License-Identifier: Apache-2.0
"""`kindred bulk`: small results computed by hand, keys, and invalid input."""
import json

import harness
import npy


class Bulk(harness.CommandTest):
    def setUp(self):
        super().setUp()
        self.bytes = npy.write(self.folder / "bytes.npy", [1, 2, 3, 255], (2, 2), "|u1")
        self.a = npy.write(self.folder / "a.npy", [1, 2, 3, 4, 5, 6], (2, 3))
        self.b = npy.write(self.folder / "b.npy", [1, 0, 0, 1, 2, 2], (3, 2))
        self.out = self.folder / "out.npy"

    def reduced(self, op, path):
        return self.succeeds("bulk", "reduce", "--op", op, "--input", path, "--json").lines()[0]["value"]

    def test_xor_with_a_key_undoes_itself(self):
        key = npy.write(self.folder / "key.npy", [255, 2, 0, 1], (2, 2), "|u1")
        for space in harness.usable_spaces():
            self.succeeds("bulk", "xor", "--input", self.bytes, "--key", key, "--out", self.out, "--space", space)
            self.assertEqual(npy.read(self.out), ([254, 0, 3, 254], (2, 2), "|u1"))
            back = self.folder / "back.npy"
            self.succeeds("bulk", "xor", "--input", self.out, "--key", key, "--out", back, "--space", space)
            self.assertEqual(npy.read(back), npy.read(self.bytes))

    def test_a_key_that_is_made_is_written(self):
        for flags, place in (((), "out.key.npy"), (("--out-key", self.folder / "mine.npy"), "mine.npy")):
            self.succeeds("bulk", "xor", "--input", self.bytes, "--out", self.out, *flags)
            back = self.folder / "back.npy"
            self.succeeds("bulk", "xor", "--input", self.out, "--key", self.folder / place, "--out", back)
            self.assertEqual(npy.read(back), npy.read(self.bytes))

    def test_matmul(self):
        for space in harness.usable_spaces():
            for flags in ((), ("--reproducible",)):
                self.succeeds("bulk", "matmul", "--a", self.a, "--b", self.b, "--out", self.out, "--space", space, *flags)
                self.assertEqual(npy.read(self.out), ([7, 8, 16, 17], (2, 2), "<f4"))
        a = npy.write(self.folder / "a3.npy", [1, 2, 3, 4], (2, 1, 2), "<f8")
        b = npy.write(self.folder / "b3.npy", [1, 10, 100, 1000], (2, 2, 1), "<f8")
        self.succeeds("bulk", "matmul", "--a", a, "--b", b, "--out", self.out)
        self.assertEqual(npy.read(self.out), ([21, 4300], (2, 1, 1), "<f8"))

    def test_reduce(self):
        wanted = {"sum": 21, "min": 1, "max": 6, "mean": 3.5}
        for op, value in wanted.items():
            self.assertEqual(self.reduced(op, self.a), value)
        batch = npy.write(self.folder / "batch.npy", [1, 2, 3, 4, 5, 6], (3, 1, 2), "<f8")
        self.assertEqual(self.reduced("sum", batch), [3, 7, 11])
        self.assertEqual(self.succeeds("bulk", "reduce", "--op", "max", "--input", batch).out, b"2.0\n4.0\n6.0\n")
        nan = npy.write(self.folder / "nan.npy", [1, float("nan")], (2,))
        self.assertIsNone(self.reduced("min", nan))
        self.assertEqual(self.reduced("sum", npy.write(self.folder / "none.npy", [], (0,))), 0)

    def test_reduce_integers(self):
        for descr in ("<i8", "<u8", "|u1"):
            whole = npy.write(self.folder / "int.npy", [7, 1, 3, 200], (2, 1, 2), descr)
            self.assertEqual(self.reduced("sum", whole), [8, 203])
            self.assertEqual(self.reduced("mean", whole), [4, 101.5])
            self.assertEqual(self.succeeds("bulk", "reduce", "--op", "min", "--input", whole).out, b"1\n3\n")

    def test_explain_tells_the_operation_and_its_batches(self):
        told = self.succeeds("bulk", "reduce", "--op", "sum", "--input", self.a, "--explain", "--quiet")
        record, batches = map(json.loads, told.err.splitlines())
        self.assertEqual(record["op"], "reduction")
        self.assertEqual(batches["op"], "bulk reduce")
        if record["chosen"] != "cuda":
            self.assertEqual((batches["batches"], batches["batch_bytes"], batches["splits"]), (1, 0, 0))
