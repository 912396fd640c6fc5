# SPDX-License-Identifier: Apache-2.0
import math
import threading
import unittest

import numpy as np

import pykindred
from support import Exported, vectors
from watchdog import watch

ACTIVATIONS = {"none": lambda v: v, "relu": lambda v: np.maximum(v, 0), "gelu": np.vectorize(lambda v: v * (1 + math.erf(v / math.sqrt(2))) / 2, otypes=[float])}

DERIVATIVES = {"none": lambda v: np.ones_like(v), "relu": lambda v: (v > 0).astype(float),
               "gelu": np.vectorize(lambda v: (1 + math.erf(v / math.sqrt(2))) / 2 + v * math.exp(-v * v / 2) / math.sqrt(2 * math.pi), otypes=[float])}


class Layers(unittest.TestCase):
    def test_normalisation(self):
        for rows, columns in ((0, 3), (1, 1), (2, 33), (7, 100)):
            x, gamma, beta = vectors("x", rows, columns), vectors("gamma", columns), vectors("beta", columns)
            wide = x.astype(float)
            mean, variance = wide.mean(1, keepdims=True), wide.var(1, keepdims=True)
            for name, activation in ACTIVATIONS.items():
                expected = activation((wide - mean) / np.sqrt(variance + 1e-5) * gamma + beta)
                found = pykindred.layer_norm_act(x, gamma, beta, activation=name)
                self.assertEqual((found.dtype, found.shape), (np.float32, x.shape))
                np.testing.assert_allclose(found, expected, atol=1e-5)
                np.testing.assert_array_equal(pykindred.layer_norm_act(Exported(x), Exported(gamma), beta, activation=name, space="serial"), found)
            results = pykindred.layer_norm_act(x, statistics=True)
            np.testing.assert_allclose(results.mean, mean[:, 0], atol=1e-6)
            np.testing.assert_allclose(results.variance, variance[:, 0], rtol=1e-5)

    def test_linear(self):
        for rows, inputs, outputs in ((0, 3, 2), (1, 1, 1), (3, 33, 5), (40, 20, 30)):
            x, w, bias = vectors("x", rows, inputs), vectors("w", outputs, inputs), vectors("bias", outputs)
            for name, activation in ACTIVATIONS.items():
                for reproducible in (False, True):
                    found = pykindred.linear_act(x, w, bias, activation=name, reproducible=reproducible)
                    self.assertEqual((found.dtype, found.shape), (np.float32, (rows, outputs)))
                    np.testing.assert_allclose(found, activation(x.astype(float) @ w.T.astype(float) + bias), atol=1e-5)
            np.testing.assert_allclose(pykindred.linear_act(x, w), x @ w.T, atol=1e-4)

    def test_gradients_of_a_normalisation(self):
        for rows, columns in ((0, 3), (1, 1), (2, 33), (7, 100)):
            x, g, gamma, beta = vectors("x", rows, columns), vectors("g", rows, columns), vectors("gamma", columns), vectors("beta", columns)
            wide = x.astype(float)
            sigma = np.sqrt(wide.var(1, keepdims=True) + 1e-5)
            n = (wide - wide.mean(1, keepdims=True)) / sigma
            for name, derivative in DERIVATIVES.items():
                a = g * derivative(n * gamma + beta)
                b = a * gamma
                dx = (b - b.mean(1, keepdims=True) - n * (b * n).mean(1, keepdims=True)) / sigma
                found = pykindred.layer_norm_act_backward(x, g, gamma, beta, activation=name)
                self.assertEqual([(one.dtype, one.shape) for one in found], [(np.float32, x.shape), (np.float32, (columns,)), (np.float32, (columns,))])
                np.testing.assert_allclose(found.dx, dx, atol=2e-5)
                np.testing.assert_allclose(found.dweight, (a * n).sum(0), atol=2e-5)
                np.testing.assert_allclose(found.dbias, a.sum(0), atol=2e-5)
                serial = pykindred.layer_norm_act_backward(Exported(x), g, gamma, beta, activation=name, space="serial")
                for one, other in zip(serial, found, strict=True):
                    np.testing.assert_array_equal(one, other)
            out = np.empty_like(x), None, np.empty(columns, np.float32)
            found = pykindred.layer_norm_act_backward(x, g, out=out)
            self.assertEqual([one is other for one, other in zip(found, out, strict=True)], [True] * 3)
            whole = pykindred.layer_norm_act_backward(x, g)
            np.testing.assert_array_equal(out[0], whole.dx)
            np.testing.assert_array_equal(out[2], whole.dbias)

    def test_gradients_of_a_linear_layer(self):
        for rows, inputs, outputs in ((0, 3, 2), (1, 1, 1), (3, 33, 5), (40, 20, 30)):
            x, g, w, bias = vectors("x", rows, inputs), vectors("g", rows, outputs), vectors("w", outputs, inputs), vectors("bias", outputs)
            for name, derivative in DERIVATIVES.items():
                dz = g * derivative(x.astype(float) @ w.T + bias)
                for reproducible in (False, True):
                    found = pykindred.linear_act_backward(x, g, w, bias, activation=name, reproducible=reproducible)
                    self.assertEqual([(one.dtype, one.shape) for one in found],
                                     [(np.float32, x.shape), (np.float32, w.shape), (np.float32, (outputs,))])
                    np.testing.assert_allclose(found.dx, dz @ w, atol=1e-4)
                    np.testing.assert_allclose(found.dweight, dz.T @ x, atol=1e-4)
                    np.testing.assert_allclose(found.dbias, dz.sum(0), atol=1e-4)
            for chosen in range(3):
                out = [None, None, None]
                out[chosen] = np.empty_like((x, w, bias)[chosen])
                found = pykindred.linear_act_backward(x, g, w, out=tuple(out))
                self.assertEqual([one is not None for one in found], [one is not None for one in out])
                np.testing.assert_array_equal(found[chosen], pykindred.linear_act_backward(x, g, w)[chosen])

    def test_types_gaps_and_outputs(self):
        x, w = vectors("x", 6, 10), vectors("w", 4, 5)
        part, out = x[::2, :5], np.zeros((6, 10), np.float32)
        np.testing.assert_array_equal(pykindred.layer_norm_act(part, out=out[::2, 5:]), pykindred.layer_norm_act(part.copy()))
        np.testing.assert_array_equal(out[1::2], 0)
        np.testing.assert_array_equal(pykindred.linear_act(part, w), pykindred.linear_act(part.copy(), w))
        np.testing.assert_array_equal(pykindred.layer_norm_act(x[:, ::-2]), pykindred.layer_norm_act(x[:, ::-2].copy()))
        half = x.astype(np.float16)
        self.assertEqual(pykindred.layer_norm_act(half).dtype, np.float16)
        np.testing.assert_array_equal(pykindred.layer_norm_act(half, out=np.zeros((6, 10), np.float32)), pykindred.layer_norm_act(half.astype(np.float32)))
        expected = pykindred.layer_norm_act(x)
        self.assertIs(pykindred.layer_norm_act(x, out=x), x)
        np.testing.assert_array_equal(x, expected)

    def test_threads(self):
        watch(self)
        x, found = vectors("x", 20, 30), []
        threads = [threading.Thread(target=lambda: found.append(pykindred.layer_norm_act(x))) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(found), 8)
        for one in found:
            np.testing.assert_array_equal(one, found[0])

    def test_wrong_arguments_are_named(self):
        norm, linear = pykindred.layer_norm_act, pykindred.linear_act
        norm_back, linear_back = pykindred.layer_norm_act_backward, pykindred.linear_act_backward
        x, w, one = vectors("x", 4, 3), vectors("w", 2, 3), np.ones(3, np.float32)
        read_only = np.ones((4, 3), np.float32)
        read_only.flags.writeable = False
        for call, error, message in ((lambda: norm(x.astype(float)), TypeError, "x is float64"), (lambda: norm(x[0]), ValueError, "x is"),
                                     (lambda: norm([1]), TypeError, "x is of type list"), (lambda: norm(x[:, :0]), ValueError, ""),
                                     (lambda: norm(x, one[:2]), ValueError, "weight is"), (lambda: norm(x, bias=one.astype(float)), TypeError, "bias"),
                                     (lambda: norm(x, eps=0), ValueError, "eps"), (lambda: norm(x, eps="x"), TypeError, "eps"),
                                     (lambda: norm(x, activation="tanh"), ValueError, "activation"), (lambda: norm(x, statistics=1), TypeError, "statistics"),
                                     (lambda: norm(x, out=read_only), ValueError, "out is read-only"), (lambda: norm(x, out=x[:3]), ValueError, "out is"),
                                     (lambda: norm(x, out=x.astype(float)), TypeError, "out is"), (lambda: norm(x, space="gpu"), ValueError, "space"),
                                     (lambda: norm(Exported(x, 0)), (ValueError, RuntimeError), ""), (lambda: linear(x, w.astype(np.float16)), TypeError, "weight is"),
                                     (lambda: linear(x, w[:, :2]), ValueError, "weight is"), (lambda: linear(x, w, one), ValueError, "bias"),
                                     (lambda: linear(x, w, out=x), ValueError, "out is"), (lambda: linear(x[:3], x, out=x[:3, :].repeat(2, 1)[:, :4][:2]), ValueError, "out is"),
                                     (lambda: norm(x, stream=3), ValueError, "stream"), (lambda: linear(x, w, stream="x"), TypeError, "stream"),
                                     (lambda: norm_back(x, x[:3]), ValueError, "gradient is"), (lambda: norm_back(x, x.astype(float)), TypeError, "gradient is"),
                                     (lambda: norm_back(x, x, one[:2]), ValueError, "weight is"), (lambda: norm_back(x, x, out=x), TypeError, "out"),
                                     (lambda: norm_back(x, x, out=(x.astype(np.float16), None, None)), TypeError, "dx is"),
                                     (lambda: norm_back(x, x, out=(None, one[:2], None)), ValueError, "dweight is"),
                                     (lambda: norm_back(x, x, out=(None, None, one.astype(float))), TypeError, "dbias is"),
                                     (lambda: linear_back(x, x, w), ValueError, "gradient is"), (lambda: linear_back(x, x[:, :2], w[:, :2]), ValueError, "weight is"),
                                     (lambda: linear_back(x, x[:, :2], w, one), ValueError, "bias"), (lambda: linear_back(x, x[:, :2], w, out=(x[:3], None, None)), ValueError, "dx is"),
                                     (lambda: linear_back(x, x[:, :2], w, out=(None, x[:2], one)), ValueError, "dbias is"),
                                     (lambda: linear_back(x, x[:, :2].copy(), w, out=(x, None, None)), ValueError, "overlaps"),
                                     (lambda: linear(x, w, reproducible=1), TypeError, "reproducible"), (lambda: linear(x, w, context=3), TypeError, "context")):
            with self.subTest(message), self.assertRaisesRegex(error, message) as raised:
                call()
            self.assertIsInstance(raised.exception, pykindred.Error)


if __name__ == "__main__":
    unittest.main()
