# SPDX-License-Identifier: Apache-2.0
"""`kindred bulk`: small results computed by hand, keys, and invalid input."""
import harness
import npy

XOR = "bulk xor --input bytes.npy"


class Bulk(harness.CommandTest):
    FILES = {
        "bytes.npy": npy.encode([1, 2, 3, 255], (2, 2), "|u1"), "key.npy": npy.encode([255, 2, 0, 1], (2, 2), "|u1"),
        "a.npy": npy.encode([1, 2, 3, 4, 5, 6], (2, 3)), "b.npy": npy.encode([1, 0, 0, 1, 2, 2], (3, 2)),
        "a3.npy": npy.encode([1, 2, 3, 4], (2, 1, 2), "<f8"), "b3.npy": npy.encode([1, 10, 100, 1000], (2, 2, 1), "<f8"),
        "batch.npy": npy.encode([1, 2, 3, 4, 5, 6], (3, 1, 2), "<f8"), "nan.npy": npy.encode([1, float("nan")], (2,)),
        "none.npy": npy.encode([], (0,))}

    def made(self, command, out="out.npy"):
        """The array that the command writes."""
        self.types(f"{command} --out {out}")
        return npy.read(self.folder / out)

    def reduced(self, op, name):
        return self.types(f"bulk reduce --op {op} --input {name} --json").lines()[0]["value"]

    def test_xor_with_a_key_undoes_itself(self):
        for space in harness.usable_spaces():
            self.assertEqual(self.made(f"{XOR} --key key.npy --space {space}"), ([254, 0, 3, 254], (2, 2), "|u1"))
            back = self.made(f"bulk xor --input out.npy --key key.npy --space {space}", "back.npy")
            self.assertEqual(back, npy.read(self.folder / "bytes.npy"))

    def test_a_key_that_is_made_is_written(self):
        for flags, place in (("", "out.key.npy"), (" --out-key mine.npy", "mine.npy")):
            self.made(XOR + flags)
            self.assertEqual(self.made(f"bulk xor --input out.npy --key {place}", "back.npy"), npy.read(self.folder / "bytes.npy"))

    def test_matmul(self):
        for space in harness.usable_spaces():
            for flags in ("", " --reproducible"):
                self.assertEqual(self.made(f"bulk matmul --a a.npy --b b.npy --space {space}{flags}"), ([7, 8, 16, 17], (2, 2), "<f4"))
        self.assertEqual(self.made("bulk matmul --a a3.npy --b b3.npy"), ([21, 4300], (2, 1, 1), "<f8"))

    def test_reduce(self):
        for op, name, value in (("sum", "a.npy", 21), ("min", "a.npy", 1), ("max", "a.npy", 6), ("mean", "a.npy", 3.5), ("sum", "batch.npy", [3, 7, 11]),
                                ("min", "nan.npy", None), ("sum", "none.npy", 0)):
            self.assertEqual(self.reduced(op, name), value, (op, name))
        self.assertEqual(self.types("bulk reduce --op max --input batch.npy").out, b"2.0\n4.0\n6.0\n")

    def test_reduce_integers(self):
        for descr in ("<i8", "<u8", "|u1"):
            self.file("whole.npy", npy.encode([7, 1, 3, 200], (2, 1, 2), descr))
            self.assertEqual(self.reduced("sum", "whole.npy"), [8, 203])
            self.assertEqual(self.reduced("mean", "whole.npy"), [4, 101.5])
            self.assertEqual(self.types("bulk reduce --op min --input whole.npy").out, b"1\n3\n")

    def test_explain_tells_the_operation_and_its_batches(self):
        record, batches = self.explained("bulk", "reduce", "--op", "sum", "--input", "a.npy", cwd=self.folder)
        self.assertEqual(record["op"], "reduction")
        self.assertEqual(batches["op"], "bulk reduce")
        if record["chosen"] != "cuda":
            self.assertEqual((batches["batches"], batches["batch_bytes"], batches["splits"]), (1, 0, 0))
