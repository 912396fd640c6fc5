# SPDX-License-Identifier: Apache-2.0
"""`kindred bulk` against NumPy: bytes, products within their error bound, reproducible sums
recomputed bit for bit."""
import unittest
from fractions import Fraction

from numpy_oracle import reproducible_sum, harness, np


class Bulk(harness.CommandTest):
    def setUp(self):
        super().setUp()
        self.generator = np.random.default_rng(8)

    def save(self, name, array):
        np.save(self.folder / name, array)
        return self.folder / name

    def test_xor(self):
        data = self.generator.integers(0, 256, (5, 1001), np.uint8)
        key = self.generator.integers(0, 256, (5, 1001), np.uint8)
        out = self.folder / "out.npy"
        self.succeeds("bulk", "xor", "--input", self.save("x.npy", data), "--key", self.save("k.npy", key), "--out", out)
        self.assertTrue(np.array_equal(np.load(out), data ^ key))
        self.succeeds("bulk", "xor", "--input", self.folder / "x.npy", "--out", out)
        made = np.load(self.folder / "out.key.npy")
        self.assertEqual((made.shape, made.dtype), (data.shape, np.uint8))
        self.assertTrue(np.array_equal(np.load(out) ^ made, data))
        self.assertLess(abs(made.mean() - 127.5), 4 * 74 / np.sqrt(made.size))

    def test_matmul(self):
        for dtype, unit in ((np.float32, 2.0**-22), (np.float64, 2.0**-51)):
            for shape in ((3, 4, 5), (10, 64, 64, 64), (7, 33, 129, 65), (300, 301, 302), (1, 1, 1)):
                *batch, m, n, k = shape
                a = self.generator.standard_normal((*batch, m, k)).astype(dtype)
                b = self.generator.standard_normal((*batch, k, n)).astype(dtype)
                exact = a.astype(np.longdouble) @ b.astype(np.longdouble)
                norms = np.linalg.norm(a, axis=-1)[..., :, None] * np.linalg.norm(b, axis=-2)[..., None, :]
                for flags in ((), ("--reproducible",)):
                    out = self.folder / "c.npy"
                    self.succeeds("bulk", "matmul", "--a", self.save("a.npy", a), "--b", self.save("b.npy", b), "--out", out, *flags)
                    c = np.load(out)
                    with self.subTest(dtype=dtype, shape=shape, flags=flags):
                        self.assertEqual((c.shape, c.dtype), (exact.shape, dtype))
                        self.assertLessEqual(np.max(np.abs(c - exact) / norms), (k + 64) * unit)

    def test_reduce(self):
        for dtype in (np.float32, np.float64):
            for shape in ((1,), (33,), (100, 70), (3, 50, 100), (2, 1, 4097)):
                x = (self.generator.standard_normal(shape) * 1e3).astype(dtype)
                path = self.save("x.npy", x)
                rows = x.reshape(shape[0], -1) if len(shape) == 3 else x.reshape(1, -1)
                wide = rows.astype(np.float64)
                sums = reproducible_sum(wide)
                wanted = {"sum": sums, "mean": sums / wide.shape[1], "min": wide.min(axis=1), "max": wide.max(axis=1)}
                for op, values in wanted.items():
                    told = self.succeeds("bulk", "reduce", "--op", op, "--input", path, "--json").lines()[0]["value"]
                    told = np.array(told if len(shape) == 3 else [told], dtype)
                    with self.subTest(dtype=dtype, shape=shape, op=op):
                        self.assertTrue(np.array_equal(told, values.astype(dtype)))
                        np.testing.assert_allclose(told, getattr(rows, op)(axis=1), rtol=1e-4, atol=1e-2)

    def test_reduce_integers(self):
        for dtype in (np.bool_, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64):
            for shape in ((1,), (33,), (100, 170), (3, 50, 1000), (2, 1, 4097)):
                if dtype is np.bool_:
                    x = self.generator.integers(0, 2, shape).astype(bool)
                else:
                    limits = np.iinfo(dtype)
                    x = self.generator.integers(limits.min, limits.max, shape, dtype, endpoint=True)
                path = self.save("x.npy", x)
                rows = x.reshape(shape[0], -1) if len(shape) == 3 else x.reshape(1, -1)
                # The sum of 64-bit integers wraps around in NumPy too; the mean is that of the exact sum.
                means = [float(Fraction(sum(map(int, row)), len(row))) for row in rows]
                wanted = {"sum": rows.sum(axis=1).tolist(), "min": rows.min(axis=1).tolist(), "max": rows.max(axis=1).tolist(), "mean": means}
                for op, values in wanted.items():
                    told = self.succeeds("bulk", "reduce", "--op", op, "--input", path, "--json").lines()[0]["value"]
                    with self.subTest(dtype=dtype, shape=shape, op=op):
                        self.assertEqual(told if len(shape) == 3 else [told], [int(v) if op != "mean" else v for v in values])
                if x.dtype.itemsize < 8:
                    self.assertEqual(means, rows.mean(axis=1).tolist())


if __name__ == "__main__":
    unittest.main()
