# SPDX-License-Identifier: Apache-2.0
"""Layers and their gradients beside NumPy in float64; reproducible sums bit for bit."""
import math
import unittest

import numpy as np

import pykindred
from reproducible import equal_bits, reproducible_sum
from support import vectors

SQRT_2PI = math.sqrt(2 * math.pi)
phi = np.vectorize(lambda v: (1 + math.erf(v / math.sqrt(2))) / 2, otypes=[float])
# Each with its derivative.
ACTIVATIONS = {"none": (lambda v: v, np.ones_like),
               "relu": (lambda v: np.maximum(v, 0), lambda v: (v > 0).astype(float)),
               "gelu": (lambda v: v * phi(v), lambda v: phi(v) + v * np.exp(-v * v / 2) / SQRT_2PI)}
LINEAR = ((0, 3, 2), (1, 1, 1), (3, 33, 5), (40, 20, 30), (130, 129, 131), (9, 4100, 65))
NORMS = ((0, 3, 0), (1, 1, 0), (3, 2, 5), (7, 33, 0), (20, 768, 100), (4, 4097, -1000))


class Layers(unittest.TestCase):
    def on_spaces(self, call, *given, **options):
        """What a function returns in every space, the same bits."""
        found = call(*given, **options)
        serial = call(*given, **options, space="serial")
        for one, other in zip(found, serial) if isinstance(found, tuple) else [(found, serial)]:
            np.testing.assert_array_equal(one, other)
        return found

    def test_normalisation(self):
        for rows, columns, shift in NORMS:
            x = vectors("x", rows, columns) + np.float32(shift)
            gamma, beta, wide = vectors("gamma", columns), vectors("beta", columns), x.astype(float)
            mean, variance = wide.mean(1, keepdims=True), wide.var(1, keepdims=True)
            n = (wide - mean) / np.sqrt(variance + np.float64(np.float32(1e-5)))
            for name, (activation, _) in ACTIVATIONS.items():
                y = self.on_spaces(pykindred.layer_norm_act, x, gamma, beta, activation=name)
                self.assertEqual((y.dtype, y.shape), (np.float32, x.shape))
                bound = 2e-6 * (1 + np.abs(n * gamma + beta).max(initial=0))
                np.testing.assert_allclose(y, activation(n * gamma + beta), rtol=0, atol=bound)
            found = pykindred.layer_norm_act(x, statistics=True)
            np.testing.assert_allclose(found.variance, variance[:, 0], rtol=1e-5)
            # The moments are roundings of reproducible sums of differences from the first element.
            shifted = wide - wide[:, :1]
            offset = reproducible_sum(shifted) / columns
            moment = reproducible_sum(shifted * shifted) / columns - offset * offset
            self.assertTrue(equal_bits(found.mean, wide[:, 0] + offset))
            self.assertTrue(equal_bits(found.variance, np.maximum(moment, 0)))

    def test_linear(self):
        for rows, inputs, outputs in LINEAR:
            x, w, bias = (vectors("x", rows, inputs), vectors("w", outputs, inputs),
                          vectors("bias", outputs))
            z = x.astype(float) @ w.T + bias
            sums = [reproducible_sum(x.astype(float) * row) for row in w.astype(float)]
            sums = np.stack(sums, 1) + bias
            scale = np.linalg.norm(x, axis=1)[:, None] * np.linalg.norm(w, axis=1)
            bound = 2.0**-22 * (1.13 * (inputs + 64) * scale + np.abs(z))
            for name, (activation, _) in ACTIVATIONS.items():
                for options in ({}, {"reproducible": True}):
                    y = pykindred.linear_act(x, w, bias, activation=name, **options)
                    self.assertEqual((y.dtype, y.shape), (np.float32, (rows, outputs)))
                    self.assertTrue((np.abs(y - activation(z)) <= bound).all())
                exact = self.on_spaces(pykindred.linear_act, x, w, bias, activation=name,
                                       reproducible=True)
                if name != "gelu":
                    self.assertTrue(equal_bits(exact, activation(sums.astype(np.float32))))
            np.testing.assert_allclose(pykindred.linear_act(x, w), z - bias, atol=1e-3)

    def test_gradients_of_a_normalisation(self):
        for rows, columns in ((0, 3), (1, 1), (2, 33), (7, 100)):
            x, g = vectors("x", rows, columns), vectors("g", rows, columns)
            gamma, beta, wide = vectors("gamma", columns), vectors("beta", columns), x.astype(float)
            sigma = np.sqrt(wide.var(1, keepdims=True) + 1e-5)
            n = (wide - wide.mean(1, keepdims=True)) / sigma
            for name, (_, derivative) in ACTIVATIONS.items():
                a = g * derivative(n * gamma + beta)
                b = a * gamma
                dx = b - b.mean(1, keepdims=True) - n * (b * n).mean(1, keepdims=True)
                found = self.on_spaces(pykindred.layer_norm_act_backward, x, g, gamma, beta,
                                       activation=name)
                for one, other in zip(found, (dx / sigma, (a * n).sum(0), a.sum(0)), strict=True):
                    self.assertEqual((one.dtype, one.shape), (np.float32, other.shape))
                    np.testing.assert_allclose(one, other, atol=2e-5)

    def test_gradients_of_a_linear_layer(self):
        for rows, inputs, outputs in LINEAR[:4]:
            x, g, w, bias = (vectors("x", rows, inputs), vectors("g", rows, outputs),
                             vectors("w", outputs, inputs), vectors("bias", outputs))
            for name, (_, derivative) in ACTIVATIONS.items():
                dz = g * derivative(x.astype(float) @ w.T + bias)
                for reproducible in (False, True):
                    found = pykindred.linear_act_backward(x, g, w, bias, activation=name,
                                                          reproducible=reproducible)
                    for one, other in zip(found, (dz @ w, dz.T @ x, dz.sum(0)), strict=True):
                        self.assertEqual((one.dtype, one.shape), (np.float32, other.shape))
                        np.testing.assert_allclose(one, other, atol=1e-4)

    def test_only_requested_gradients_are_written(self):
        x, g, w = vectors("x", 3, 4), vectors("g", 3, 2), vectors("w", 2, 4)
        linear, norm = pykindred.linear_act_backward, pykindred.layer_norm_act_backward
        for call, given, out in ((linear, (x, g, w), (x, None, None)),
                                 (linear, (x, g, w), (None, w, None)),
                                 (linear, (x, g, w), (None, None, w[:, 0])),
                                 (norm, (x, x), (x, None, x[0]))):
            out = tuple(None if one is None else np.empty_like(one) for one in out)
            found = call(*given, out=out)
            for one, other, expected in zip(found, out, call(*given), strict=True):
                self.assertIs(one, other)
                if one is not None:
                    np.testing.assert_array_equal(one, expected)

    def test_types_and_in_place(self):
        x, norm = vectors("x", 6, 10), pykindred.layer_norm_act
        half = x.astype(np.float16)
        self.assertEqual(norm(half).dtype, np.float16)
        np.testing.assert_array_equal(norm(half, out=np.zeros((6, 10), np.float32)),
                                      norm(half.astype(np.float32)))
        expected = norm(x)
        self.assertIs(norm(x, out=x), x)
        np.testing.assert_array_equal(x, expected)


if __name__ == "__main__":
    unittest.main()
