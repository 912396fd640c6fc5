# SPDX-License-Identifier: Apache-2.0
"""`kindred bulk`: small results computed by hand, keys, and invalid input."""
import json
import unittest

import harness
import npy


class Bulk(harness.CommandTest):
    def setUp(self):
        super().setUp()
        self.bytes = npy.write(self.folder / "bytes.npy", [1, 2, 3, 255], (2, 2), "|u1")
        self.a = npy.write(self.folder / "a.npy", [1, 2, 3, 4, 5, 6], (2, 3))
        self.b = npy.write(self.folder / "b.npy", [1, 0, 0, 1, 2, 2], (3, 2))
        self.out = self.folder / "out.npy"

    def refused(self, status, words, *arguments):
        self.out.write_bytes(b"as it was")
        self.refuses(status, words, "bulk", *arguments)
        self.assertEqual(self.out.read_bytes(), b"as it was")

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

    def test_stdout_is_the_same_on_every_space(self):
        told = {self.succeeds("bulk", "reduce", "--op", "mean", "--input", self.a, "--json", "--space", space).out for space in harness.usable_spaces()}
        self.assertEqual(told, {b'{"value": 3.5}\n'})

    def test_wrong_flags(self):
        self.refused(2, ("cube", "sum, min, max"), "reduce", "--op", "cube", "--input", self.a)
        self.refused(2, ("--out-key",), "xor", "--input", self.bytes, "--key", self.bytes, "--out-key", self.folder / "k.npy", "--out", self.out)
        self.refused(2, (self.out,), "xor", "--input", self.bytes, "--out-key", self.out, "--out", self.out)
        self.refused(2, ("two outputs are",), "xor", "--input", self.bytes, "--out-key", self.folder / "." / ".." / self.folder.name / self.out.name, "--out", self.out)
        self.refuses(2, (self.a,), "bulk", "matmul", "--a", self.a, "--b", self.b, "--out", self.a)
        self.refuses(2, (), "bulk")
        self.refuses(2, ("--input",), "bulk", "reduce", "--op", "sum")

    def test_files_that_do_not_fit(self):
        short = npy.write(self.folder / "short.npy", [1, 2, 3], (3,), "|u1")
        self.refused(3, (short, "(3,)", "(2, 2)"), "xor", "--input", self.bytes, "--key", short, "--out", self.out)
        self.refused(3, (self.a, "uint8"), "xor", "--input", self.a, "--out", self.out)
        self.refused(3, (self.bytes, "float32 or float64"), "matmul", "--a", self.bytes, "--b", self.b, "--out", self.out)
        self.refused(3, (self.bytes, "uint8", "float32 or float64"), "reduce", "--op", "deviation", "--input", self.bytes)
        self.refused(3, ("(2, 3)", "do not multiply"), "matmul", "--a", self.a, "--b", self.a, "--out", self.out)
        wide = npy.write(self.folder / "wide.npy", [1, 0, 0, 1, 2, 2], (3, 2), "<f8")
        self.refused(3, (wide, "float64"), "matmul", "--a", self.a, "--b", wide, "--out", self.out)
        flat = npy.write(self.folder / "flat.npy", [1, 2, 3], (3,))
        self.refused(3, (flat, "1 dimensions"), "matmul", "--a", flat, "--b", self.b, "--out", self.out)
        none = npy.write(self.folder / "none.npy", [], (0, 3))
        self.refused(3, (none, "no min"), "reduce", "--op", "min", "--input", none)
        half = npy.write(self.folder / "half.npy", [1, 2], (2,), "<f2")
        self.refused(3, (half, "<f2"), "reduce", "--op", "sum", "--input", half)
        columns = npy.write(self.folder / "fortran.npy", [1, 2, 3, 4], (2, 2), fortran_order=True)
        self.refused(3, (columns, "Fortran"), "reduce", "--op", "sum", "--input", columns)
        for content in (b"", b"\x93NUMPY\x01", self.a.read_bytes()[:-1], self.a.read_bytes() + b"x"):
            bad = self.file("bad.npy", content)
            self.refused(3, (bad,), "matmul", "--a", bad, "--b", self.b, "--out", self.out)
            self.refused(3, (bad,), "reduce", "--op", "sum", "--input", bad)
        missing = self.folder / "missing.npy"
        self.refused(3, (missing, "No such file"), "reduce", "--op", "sum", "--input", missing)

    def test_explain_tells_the_operation_and_its_batches(self):
        told = self.succeeds("bulk", "reduce", "--op", "sum", "--input", self.a, "--explain", "--quiet")
        record, batches = map(json.loads, told.err.splitlines())
        self.assertEqual(record["op"], "reduction")
        self.assertEqual(batches["op"], "bulk reduce")
        if record["chosen"] != "cuda":
            self.assertEqual((batches["batches"], batches["batch_bytes"], batches["splits"]), (1, 0, 0))


if __name__ == "__main__":
    unittest.main()
