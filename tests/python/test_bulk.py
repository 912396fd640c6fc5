# SPDX-License-Identifier: Apache-2.0
import math
import threading
import unittest

import numpy as np

import pykindred
from support import SIZES, Exported, generator
from watchdog import watch

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

    def test_element_wise_results_are_those_of_numpy(self):
        for dtype in ("bool", *INTEGERS, *FLOATS):
            for shape in ((0,), (1,), (33,), (3, 7), (2, 3, 4), (1, 2, 3, 4)):
                a, b = values("a", dtype, *shape), values("b", dtype, *shape)
                for operation, expected in (("add", np.add), ("multiply", np.multiply)):
                    found = self.bulk.element_wise(operation, a, b)
                    self.assertEqual((found.dtype, found.shape), (np.dtype(dtype), shape))
                    np.testing.assert_array_equal(found, expected(a, b))
                    out = np.zeros_like(a)
                    self.assertIs(self.bulk.element_wise(operation, Exported(a), Exported(b), space="serial", out=out), out)
                    np.testing.assert_array_equal(out, expected(a, b))
                if dtype != "bool":
                    np.testing.assert_array_equal(self.bulk.element_wise("square", a), a * a)
                    np.testing.assert_array_equal(self.bulk.element_wise("add", a, 3), a + np.array(3, dtype))
        a = values("a", "float64", 33)
        np.testing.assert_array_equal(self.bulk.element_wise("sqrt", np.abs(a)), np.sqrt(np.abs(a)))
        np.testing.assert_allclose(self.bulk.element_wise("exp", a), np.exp(a), rtol=1e-15)
        np.testing.assert_array_equal(self.bulk.element_wise("multiply", a, 0.1), a * 0.1)
        np.testing.assert_array_equal(self.bulk.element_wise("add", np.array([True, False]), True), [True, True])
        np.testing.assert_array_equal(self.bulk.element_wise("add", np.uint64([1]), 2**64 - 2), np.uint64([2**64 - 1]))

    def test_in_place_and_with_gaps(self):
        a = values("a", "float32", 6, 10)
        expected = a + a
        self.bulk.element_wise("add", a, a, out=a)
        np.testing.assert_array_equal(a, expected)
        part = a[::2, :5]
        out = np.zeros((6, 10), np.float32)
        np.testing.assert_array_equal(self.bulk.element_wise("square", part, out=out[::2, 5:]), part * part)
        np.testing.assert_array_equal(out[1::2], 0)
        np.testing.assert_array_equal(self.bulk.element_wise("square", a[:, ::-3]), a[:, ::-3] ** 2)

    def test_xor(self):
        for dtype in ("bool", *INTEGERS):
            for size in SIZES:
                a, key = values("a", dtype, size), values("key", dtype, size)
                found = self.bulk.xor(a, key)
                self.assertEqual(found.dtype, np.dtype(dtype))
                np.testing.assert_array_equal(found, a ^ key)
                np.testing.assert_array_equal(self.bulk.xor(found, key, out=found), a)

    def test_reductions(self):
        for dtype in ("bool", *INTEGERS):
            for shape in ((1,), (33,), (3, 7)):
                a = values("a", dtype, *shape)
                for reduction in ("sum", "min", "max"):
                    found, expected = self.bulk.reduce(reduction, a), np.atleast_1d(getattr(np, reduction)(a, axis=-1))
                    if dtype == "bool" and reduction == "sum":
                        expected = expected.astype(np.int64)
                    np.testing.assert_array_equal(found, expected)
                    self.assertEqual(found.dtype, expected.dtype)
                exact = [sum(row.tolist()) / len(row) for row in np.atleast_2d(a)]  # the quotient of ints is rounded once
                self.assertEqual(self.bulk.reduce("mean", a).tolist(), exact)
        for size in SIZES:
            a = values("a", "float64", size)
            found = self.bulk.reduce("sum", a)
            np.testing.assert_allclose(found, [math.fsum(a)], rtol=1e-13)
            np.testing.assert_array_equal(self.bulk.reduce("sum", a, space="serial"), found)
        a = values("a", "float32", 4, 100)
        np.testing.assert_array_equal(self.bulk.reduce("sum", a), np.float32([math.fsum(row) for row in a]))
        np.testing.assert_allclose(self.bulk.reduce("deviation", a), a.std(axis=1), rtol=1e-6)
        self.assertEqual((self.bulk.reduce("sum", a[:, :0]).tolist(), self.bulk.reduce("sum", a[:0]).shape), ([0] * 4, (0,)))
        out = np.zeros(4, np.float32)
        self.assertIs(self.bulk.reduce("max", a, out=out), out)
        np.testing.assert_array_equal(out, a.max(axis=1))
        self.assertTrue(np.isnan(self.bulk.reduce("min", np.float32([1, np.nan]))[0]))

    def test_products(self):
        for dtype, tolerance in (("float32", 1e-4), ("float64", 1e-12)):
            for m, k, n in ((0, 3, 2), (1, 1, 1), (2, 0, 3), (3, 33, 5), (40, 20, 30)):
                a, b = values("a", dtype, m, k), values("b", dtype, k, n)
                for reproducible in (False, True):
                    found = self.bulk.multiply(a, b, reproducible=reproducible)
                    self.assertEqual((found.dtype, found.shape), (np.dtype(dtype), (m, n)))
                    np.testing.assert_allclose(found, a @ b, atol=tolerance)
            a, b = values("a", dtype, 4, 3, 5), values("b", dtype, 4, 5, 2)
            out = np.zeros((4, 3, 2), dtype)
            self.assertIs(self.bulk.multiply(Exported(a), b, out=out), out)
            np.testing.assert_allclose(out, a @ b, atol=tolerance)
            exact = [[math.fsum(x * y for x, y in zip(row, column)) for column in b[0].T.tolist()] for row in a[0].tolist()]
            np.testing.assert_allclose(self.bulk.multiply(a[0], b[0], reproducible=True, space="serial"), exact, rtol=1e-6)

    def test_lists_are_one_call(self):
        for dtype in ("int16", "float64"):
            arrays, others = ([values(f"{name} {size}", dtype, size) for size in SIZES] for name in "ab")
            out = [np.empty_like(array) for array in arrays]
            self.assertIs(self.bulk.element_wise("add", arrays, tuple(others), out=out), out)
            for found, again, a, b in zip(out, self.bulk.element_wise("add", arrays, others, space="serial"), arrays, others, strict=True):
                np.testing.assert_array_equal(found, a + b)
                np.testing.assert_array_equal(again, found)
            np.testing.assert_array_equal(self.bulk.reduce("sum", arrays), [self.bulk.reduce("sum", a)[0] for a in arrays])
            matrices = [values("m", dtype, 3, 4), values("m", dtype, 2, 5)]
            self.assertEqual(self.bulk.reduce("max", matrices).tolist(), [m.max() for m in matrices])
        products = self.bulk.multiply([np.eye(2), np.eye(3)], [np.ones((2, 3)), np.ones((3, 1))])
        self.assertEqual([one.tolist() for one in products], [[[1] * 3] * 2, [[1]] * 3])
        for call, message in ((lambda: self.bulk.element_wise("square", []), "arrays is an empty list"), (lambda: self.bulk.element_wise("add", [np.ones(2)], [np.ones(2)] * 2), "others has 2"),
                              (lambda: self.bulk.element_wise("square", [np.ones(2)], out=[]), "out is an empty list"), (lambda: self.bulk.multiply([np.eye(2)], [np.eye(2)] * 2), "as many"),
                              (lambda: self.bulk.element_wise("square", [np.ones(2), np.ones(3)], out=[np.ones(2)]), "results has 1")):
            with self.assertRaisesRegex(pykindred.InvalidArgument, message):
                call()

    def test_normalised_and_random_numbers(self):
        for dtype in FLOATS:
            arrays = [values("a", dtype, 1000), values("b", dtype, 3, 40)]
            for found, a in zip(self.bulk.normalise(arrays), arrays):
                self.assertEqual((found.dtype, found.shape), (a.dtype, a.shape))
                np.testing.assert_allclose(found, (a - a.mean()) / (a.std() + 1e-8), rtol=1e-4, atol=1e-5)
            np.testing.assert_array_equal(self.bulk.normalise(arrays[1][:, 3:9]), self.bulk.normalise(arrays[1][:, 3:9].copy()))
            whole, parts = np.empty(100, dtype), [np.empty(30, dtype), np.empty((7, 10), dtype)]
            self.assertIs(self.bulk.random_fill(whole, 7), whole)
            self.bulk.random_fill(parts, 7, space="serial")
            np.testing.assert_array_equal(whole, np.concatenate([one.ravel() for one in parts]))
            np.testing.assert_array_equal(self.bulk.random_fill(np.empty(9, dtype), 7, offset=3), whole[3:12])
        for call, error, message in ((lambda: self.bulk.normalise(np.arange(3)), TypeError, "arrays is int64"), (lambda: self.bulk.random_fill(np.arange(3), 1), TypeError, "out is int64"),
                                     (lambda: self.bulk.random_fill(np.ones(3), -1), ValueError, "seed is -1"), (lambda: self.bulk.random_fill([], 1), ValueError, "out is an empty list"),
                                     (lambda: self.bulk.normalise(np.ones((3, 4)), out=np.ones((3, 8))[:, :4]), ValueError, "gaps")):
            with self.subTest(message), self.assertRaisesRegex(error, message):
                call()

    def test_threads(self):
        watch(self)
        a, failures = values("a", "float32", 1000), []
        expected = self.bulk.reduce("sum", a)

        def call():
            try:
                for _ in range(50):
                    np.testing.assert_array_equal(self.bulk.reduce("sum", a), expected)
            except Exception as error:
                failures.append(error)
        threads = [threading.Thread(target=call) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_wrong_arguments_are_named(self):
        bulk, x, i = self.bulk, np.ones(4, np.float32), np.ones(4, np.int8)
        read_only, matrix = np.ones(4, np.float32), np.ones((3, 2))
        read_only.flags.writeable = False
        for call, error, message in ((lambda: pykindred.Bulk(context=3), TypeError, "context"),
                                     (lambda: bulk.element_wise("log", x), ValueError, "operation is 'log'"),
                                     (lambda: bulk.element_wise(3, x), TypeError, "operation"), (lambda: bulk.element_wise("add", x), ValueError, "add"),
                                     (lambda: bulk.element_wise("square", x, x), ValueError, "square"),
                                     (lambda: bulk.element_wise("square", [1, 2]), TypeError, r"arrays\[0\] is of type int"),
                                     (lambda: bulk.element_wise("square", x.astype(np.float16)), TypeError, "float16"),
                                     (lambda: bulk.element_wise("square", x.astype(complex)), TypeError, "array"),
                                     (lambda: bulk.element_wise("sqrt", i), ValueError, "integers"), (lambda: bulk.element_wise("square", i > 0), ValueError, "bool"),
                                     (lambda: bulk.element_wise("add", x, x.astype(float)), TypeError, "float64"),
                                     (lambda: bulk.element_wise("add", x, x[:3]), ValueError, "other"), (lambda: bulk.element_wise("add", x, "a"), TypeError, "other"),
                                     (lambda: bulk.element_wise("add", i, 128), ValueError, "other is 128"), (lambda: bulk.element_wise("add", i, 0.5), TypeError, "other is of type float"),
                                     (lambda: bulk.element_wise("add", np.uint64([1]), -1), ValueError, "other is -1"),
                                     (lambda: bulk.element_wise("add", i > 0, 1), TypeError, "other"),
                                     (lambda: bulk.element_wise("add", x, 1, out=read_only), ValueError, "out is read-only"),
                                     (lambda: bulk.element_wise("add", x, 1, out=x[:3]), ValueError, ""), (lambda: bulk.element_wise("add", x, 1, out=i), TypeError, "out is"),
                                     (lambda: bulk.element_wise("add", x[:3], 1, out=x[1:]), ValueError, "overlap"),
                                     (lambda: bulk.element_wise("add", x[::2], 1, copy=False), ValueError, "arrays is"),
                                     (lambda: bulk.element_wise("add", x, 1, space="gpu"), ValueError, "space"), (lambda: bulk.element_wise("add", x, 1, stream=1), ValueError, "stream"),
                                     (lambda: bulk.xor(x, x), TypeError, "float32"), (lambda: bulk.xor(i, i[:2]), ValueError, "key"), (lambda: bulk.xor(i, None), TypeError, "key"),
                                     (lambda: bulk.reduce("median", x), ValueError, "reduction"), (lambda: bulk.reduce("max", x[:0]), ValueError, ""),
                                     (lambda: bulk.reduce("deviation", i), ValueError, ""), (lambda: bulk.reduce("sum", np.ones((2, 2, 2))), ValueError, "array is"),
                                     (lambda: bulk.reduce("sum", x, out=np.ones(2, np.float32)), ValueError, "results"), (lambda: bulk.reduce("sum", i, out=i[:1]), ValueError, ""),
                                     (lambda: bulk.multiply(matrix, matrix), ValueError, ""), (lambda: bulk.multiply(matrix, x), TypeError, "b is float32"),
                                     (lambda: bulk.multiply(i, i), TypeError, "a is int8"), (lambda: bulk.multiply(x, x), ValueError, "a is"),
                                     (lambda: bulk.multiply(matrix, matrix.T, reproducible=1), TypeError, "reproducible"),
                                     (lambda: bulk.multiply(matrix, matrix.T, out=np.ones((3, 2))), ValueError, ""),
                                     (lambda: bulk.multiply(np.ones((2**40, 0)), np.ones((0, 2**40))), MemoryError, ""),
                                     (lambda: bulk.reduce("sum", Exported(x, 0)), (ValueError, RuntimeError), "")):
            with self.subTest(message), self.assertRaisesRegex(error, message) as raised:
                call()
            self.assertIsInstance(raised.exception, pykindred.Error)
        np.testing.assert_array_equal(x, 1)
        with bulk:
            self.assertEqual(repr(bulk), "<pykindred.Bulk>")
        self.assertEqual(repr(bulk), "<pykindred.Bulk: closed>")
        for call in (lambda: bulk.reduce("sum", x), lambda: bulk.xor(i, i), lambda: bulk.multiply(matrix, matrix), lambda: bulk.element_wise("square", x)):
            with self.assertRaisesRegex(pykindred.Error, "closed"):
                call()


if __name__ == "__main__":
    unittest.main()
