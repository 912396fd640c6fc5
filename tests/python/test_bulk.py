# SPDX-License-Identifier: Apache-2.0
"""`Bulk` has the results of NumPy: the same, or close ones of sums of floats."""
import unittest
from fractions import Fraction

import numpy as np

import pykindred
from support import SIZES, generator

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
FLOATS = ("float32", "float64")


def values(name, dtype, *shape):
    random = generator(f"{name} {dtype}")
    if dtype == "bool":
        return random.random(shape) < 0.5
    if dtype in FLOATS:
        return random.standard_normal(shape).astype(dtype)
    limits = np.iinfo(dtype)
    return random.integers(limits.min, limits.max, shape, dtype=dtype, endpoint=True)


class Bulk(unittest.TestCase):
    bulk = pykindred.Bulk()

    def assert_equal(self, found, expected, tolerance=0):
        expected = np.asarray(expected)
        if self.bulk is PreparedBulk.bulk and found.dtype != expected.dtype:
            self.assertEqual(found.dtype.itemsize, 8)  # its reductions are not rounded
            found = found.astype(expected.dtype)
        self.assertEqual((found.dtype, found.shape), (expected.dtype, expected.shape))
        if tolerance == 0:
            np.testing.assert_array_equal(found, expected)
        else:
            np.testing.assert_allclose(found, expected, atol=tolerance)

    def test_element_wise_results_are_those_of_numpy(self):
        for dtype in ("bool", *INTEGERS, *FLOATS):
            for shape in ((0,), (1,), (33,), (3, 7), (2, 3, 4), (1, 2, 3, 4)):
                a, b = values("a", dtype, *shape), values("b", dtype, *shape)
                for operation, expected in (("add", a + b), ("multiply", a * b)):
                    self.assert_equal(self.bulk.element_wise(operation, a, b), expected)
                if dtype != "bool":
                    self.assert_equal(self.bulk.element_wise("square", a), a * a)
                    self.assert_equal(self.bulk.element_wise("add", a, 3), a + np.array(3, dtype))
        a = values("a", "float64", 33)
        self.assert_equal(self.bulk.element_wise("sqrt", np.abs(a)), np.sqrt(np.abs(a)))
        np.testing.assert_allclose(self.bulk.element_wise("exp", a), np.exp(a), rtol=1e-15)
        self.assert_equal(self.bulk.element_wise("multiply", a, 0.1), a * 0.1)
        self.assert_equal(self.bulk.element_wise("add", np.array([True, False]), True), [True] * 2)
        largest = np.uint64([2**64 - 1])
        self.assert_equal(self.bulk.element_wise("add", np.uint64([1]), 2**64 - 2), largest)
        for number in (np.float32(2), np.float64(2), np.int64(2), np.uint8(2)):
            self.assert_equal(self.bulk.element_wise("add", a, number), a + 2)
        self.assert_equal(self.bulk.element_wise("add", np.arange(3), np.int8(2)), [2, 3, 4])

    def test_in_place(self):
        a = values("a", "float32", 6, 10)
        expected = a + a
        self.bulk.element_wise("add", a, a, out=a)
        self.assert_equal(a, expected)
        part, out = a[::2, :5], np.zeros((6, 10), np.float32)
        self.assert_equal(self.bulk.element_wise("square", part, out=out[::2, 5:]), part * part)
        np.testing.assert_array_equal(out[1::2], 0)

    def test_xor(self):
        for dtype in ("bool", *INTEGERS):
            for size in SIZES:
                a, key = values("a", dtype, size), values("key", dtype, size)
                found = self.bulk.xor(a, key)
                self.assert_equal(found, a ^ key)
                self.assert_equal(self.bulk.xor(found, key, out=found), a)

    def test_reductions(self):
        for dtype in ("bool", *INTEGERS, *FLOATS):
            of_mean, tolerance = (dtype, 1e-3) if dtype in FLOATS else (float, 0)
            for shape in ((1,), (33,), (3, 7), (2, 4097)):
                a = values("a", dtype, *shape)
                rows = np.atleast_2d(a)
                for reduction in ("sum", "min", "max"):  # sums wrap around in NumPy, too
                    expected = getattr(np, reduction)(rows, axis=-1)
                    self.assert_equal(self.bulk.reduce(reduction, a), expected, tolerance)
                means = [float(sum(map(Fraction, row.tolist())) / len(row)) for row in rows]
                self.assert_equal(self.bulk.reduce("mean", a), np.array(means, of_mean), tolerance)
        a = values("a", "float32", 4, 100)
        np.testing.assert_allclose(self.bulk.reduce("deviation", a), a.std(axis=1), rtol=1e-6)
        self.assertEqual(self.bulk.reduce("sum", a[:, :0]).tolist(), [0] * 4)
        self.assertEqual(self.bulk.reduce("sum", a[:0]).shape, (0,))
        self.assertTrue(np.isnan(self.bulk.reduce("min", np.float32([1, np.nan]))[0]))

    def test_products(self):
        for dtype, tolerance in ((np.float32, 1e-4), (np.float64, 1e-12)):
            for *batch, m, n, k in ((0, 2, 3), (2, 3, 0), (1, 1, 1), (4, 64, 33, 64), (65, 7, 80)):
                a = values("a", dtype.__name__, *batch, m, k)
                b = values("b", dtype.__name__, *batch, k, n)
                for reproducible in (False, True):
                    found = self.bulk.multiply(a, b, reproducible=reproducible)
                    self.assertEqual((found.dtype, found.shape), (dtype, (*batch, m, n)))
                    np.testing.assert_allclose(found, a.astype(float) @ b, atol=tolerance)

    def test_lists_are_one_call(self):
        for dtype in ("int16", "float64"):
            arrays, others = ([values(f"{name} {size}", dtype, size) for size in SIZES]
                              for name in "ab")
            out = [np.empty_like(array) for array in arrays]
            found = self.bulk.element_wise("add", arrays, tuple(others), out=out)
            self.assertEqual(list(map(id, found)), list(map(id, out)))
            again = self.bulk.element_wise("add", arrays, others, space="serial")
            for *both, a, b in zip(out, again, arrays, others, strict=True):
                for found in both:
                    self.assert_equal(found, a + b)
            for given in (arrays, [values("m", dtype, 3, 4), values("m", dtype, 2, 5)]):
                sums = [self.bulk.reduce("sum", array.ravel())[0] for array in given]
                np.testing.assert_array_equal(self.bulk.reduce("sum", given), sums)
        products = self.bulk.multiply([np.eye(2), np.eye(3)], [np.ones((2, 3)), np.ones((3, 1))])
        self.assertEqual([one.tolist() for one in products], [[[1] * 3] * 2, [[1]] * 3])

    def test_normalised_and_random_numbers(self):
        for dtype in (*FLOATS, "uint8"):
            whole, parts = np.empty(100, dtype), [np.empty(30, dtype), np.empty((7, 10), dtype)]
            self.assertIs(self.bulk.random_fill(whole, 7), whole)
            self.bulk.random_fill(parts, 7, space="serial")
            self.assert_equal(whole, np.concatenate([one.ravel() for one in parts]))
            self.assert_equal(self.bulk.random_fill(np.empty(9, dtype), 7, offset=3), whole[3:12])
            arrays = [values("a", dtype, 1000), values("b", dtype, 3, 40)]
            for found, a in zip(self.bulk.normalise(arrays) if dtype in FLOATS else (), arrays):
                self.assertEqual((found.dtype, found.shape), (a.dtype, a.shape))
                np.testing.assert_allclose(found, (a - a.mean()) / (a.std() + 1e-8), rtol=1e-4,
                                           atol=1e-5)


class Runs:
    """`pykindred.PreparedBulk`, with the results of a run."""

    def __getattr__(self, name):
        prepare = getattr(pykindred.PreparedBulk, name)
        return lambda *given, **options: prepare(*given, **options).run()


class PreparedBulk(Bulk):
    bulk = Runs()


if __name__ == "__main__":
    unittest.main()
