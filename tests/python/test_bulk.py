# SPDX-License-Identifier: Apache-2.0
"""`Bulk` has the results of NumPy: the same, the nearest, or within the bound of the product."""
import unittest
from fractions import Fraction

import numpy as np

import pykindred
from reproducible import reproducible_sum
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
    def setUp(self):
        self.bulk = pykindred.Bulk()

    def assert_equal(self, found, expected):
        expected = np.asarray(expected)
        self.assertEqual((found.dtype, found.shape), (expected.dtype, expected.shape))
        np.testing.assert_array_equal(found, expected)

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

    def test_reductions_of_integers_are_exact(self):
        for dtype in ("bool", *INTEGERS):
            for shape in ((1,), (33,), (3, 7), (2, 4097)):
                a = values("a", dtype, *shape)
                rows = np.atleast_2d(a)
                for reduction in ("sum", "min", "max"):  # sums wrap around in NumPy, too
                    expected = getattr(np, reduction)(rows, axis=-1)
                    self.assert_equal(self.bulk.reduce(reduction, a), expected)
                means = [float(Fraction(sum(map(int, row)), len(row))) for row in rows]
                self.assertEqual(self.bulk.reduce("mean", a).tolist(), means)

    def test_reductions_have_the_bits_of_reproducible_sums(self):
        for dtype in FLOATS:
            for shape in ((1,), (33,), (100, 70), (2, 4097)):
                a = values("a", dtype, *shape) * np.dtype(dtype).type(1e3)
                rows = np.atleast_2d(a).astype(float)
                sums = reproducible_sum(rows)
                for reduction, expected in (("sum", sums), ("mean", sums / rows.shape[1]),
                                            ("min", rows.min(1)), ("max", rows.max(1))):
                    for space in ("serial", None):
                        found = self.bulk.reduce(reduction, a, space=space)
                        self.assert_equal(found, expected.astype(dtype))
        a = values("a", "float32", 4, 100)
        np.testing.assert_allclose(self.bulk.reduce("deviation", a), a.std(axis=1), rtol=1e-6)
        self.assertEqual(self.bulk.reduce("sum", a[:, :0]).tolist(), [0] * 4)
        self.assertEqual(self.bulk.reduce("sum", a[:0]).shape, (0,))
        self.assertTrue(np.isnan(self.bulk.reduce("min", np.float32([1, np.nan]))[0]))

    def test_products(self):
        for dtype, unit in ((np.float32, 2.0**-22), (np.float64, 2.0**-51)):
            for *batch, m, n, k in ((0, 2, 3), (2, 3, 0), (1, 1, 1), (3, 4, 5), (4, 64, 33, 64),
                                    (7, 33, 129, 65), (200, 201, 202)):
                a = values("a", dtype.__name__, *batch, m, k)
                b = values("b", dtype.__name__, *batch, k, n)
                exact = a.astype(np.longdouble) @ b.astype(np.longdouble)
                norms = (np.linalg.norm(a, axis=-1)[..., :, None] *
                         np.linalg.norm(b, axis=-2)[..., None, :])
                for reproducible in (False, True):
                    found = self.bulk.multiply(a, b, reproducible=reproducible)
                    self.assertEqual((found.dtype, found.shape), (dtype, exact.shape))
                    self.assertTrue((np.abs(found - exact) <= (k + 64) * unit * norms).all())
                if not batch and dtype is np.float32:
                    sums = reproducible_sum(a[:, None].astype(float) * b.T[None])
                    self.assert_equal(found, sums.astype(dtype))

    def test_lists_are_one_call(self):
        for dtype in ("int16", "float64"):
            arrays, others = ([values(f"{name} {size}", dtype, size) for size in SIZES]
                              for name in "ab")
            out = [np.empty_like(array) for array in arrays]
            self.assertIs(self.bulk.element_wise("add", arrays, tuple(others), out=out), out)
            again = self.bulk.element_wise("add", arrays, others, space="serial")
            for found, other, a, b in zip(out, again, arrays, others, strict=True):
                self.assert_equal(found, a + b)
                self.assert_equal(other, a + b)
            sums = [self.bulk.reduce("sum", a)[0] for a in arrays]
            np.testing.assert_array_equal(self.bulk.reduce("sum", arrays), sums)
            matrices = [values("m", dtype, 3, 4), values("m", dtype, 2, 5)]
            found = self.bulk.reduce("max", matrices).tolist()
            self.assertEqual(found, [m.max() for m in matrices])
        products = self.bulk.multiply([np.eye(2), np.eye(3)], [np.ones((2, 3)), np.ones((3, 1))])
        self.assertEqual([one.tolist() for one in products], [[[1] * 3] * 2, [[1]] * 3])

    def test_normalised_and_random_numbers(self):
        for dtype in FLOATS:
            arrays = [values("a", dtype, 1000), values("b", dtype, 3, 40)]
            for found, a in zip(self.bulk.normalise(arrays), arrays):
                self.assertEqual((found.dtype, found.shape), (a.dtype, a.shape))
                np.testing.assert_allclose(found, (a - a.mean()) / (a.std() + 1e-8), rtol=1e-4,
                                           atol=1e-5)
            whole, parts = np.empty(100, dtype), [np.empty(30, dtype), np.empty((7, 10), dtype)]
            self.assertIs(self.bulk.random_fill(whole, 7), whole)
            self.bulk.random_fill(parts, 7, space="serial")
            self.assert_equal(whole, np.concatenate([one.ravel() for one in parts]))
            self.assert_equal(self.bulk.random_fill(np.empty(9, dtype), 7, offset=3), whole[3:12])


if __name__ == "__main__":
    unittest.main()
