# SPDX-License-Identifier: Apache-2.0
"""Layers and their gradients beside NumPy in float64."""
import math
import unittest

import numpy as np

import pykindred
from pykindred import PreparedLayer
from support import same, vectors

phi = np.vectorize(lambda v: (1 + math.erf(v / math.sqrt(2))) / 2, otypes=[float])
# Each with its derivative.
ACTIVATIONS = {"none": (lambda v: v, np.ones_like),
               "relu": (lambda v: np.maximum(v, 0), lambda v: (v > 0).astype(float)),
               "gelu": (lambda v: v * phi(v),
                        lambda v: phi(v) + v * np.exp(-v * v / 2) / math.sqrt(2 * math.pi))}


class Layers(unittest.TestCase):
    norm = staticmethod(pykindred.layer_norm_act)
    norm_backward = staticmethod(pykindred.layer_norm_act_backward)
    linear = staticmethod(pykindred.linear_act)
    linear_backward = staticmethod(pykindred.linear_act_backward)

    def check(self, call, given, expected, atol, **options):
        """A call has the results of NumPy, in every space the same bits."""
        for name, of_activation in ACTIVATIONS.items():
            found = call(*given, activation=name, **options)
            self.assertTrue(same(call(*given, activation=name, space="serial", **options), found)
                            or not options.get("reproducible", True))
            results = expected(*of_activation)
            for one, other in zip(found if isinstance(found, tuple) else [found], results,
                                  strict=True):
                self.assertEqual((one.dtype, one.shape), (np.float32, other.shape))
                np.testing.assert_allclose(one, other, rtol=0, atol=atol)

    def test_normalisation_and_its_gradients(self):
        for rows, columns, shift in ((0, 3, 0), (1, 1, 0), (7, 33, 0), (20, 768, 100)):
            x, g = vectors("x", rows, columns) + np.float32(shift), vectors("g", rows, columns)
            gamma, beta, wide = vectors("gamma", columns), vectors("beta", columns), x.astype(float)
            mean, sigma = wide.mean(1), np.sqrt(wide.var(1, keepdims=True) + 1e-5)
            n = (wide - mean[:, None]) / sigma

            def gradients(_, derivative):
                a = g * derivative(n * gamma + beta)
                b = a * gamma
                dx = b - b.mean(1, keepdims=True) - n * (b * n).mean(1, keepdims=True)
                return dx / sigma, (a * n).sum(0), a.sum(0)
            given = x, gamma, beta
            self.check(self.norm, given, lambda f, _: [f(n * gamma + beta)], 1e-4)
            self.check(self.norm, given, lambda f, _: [
                f(n * gamma + beta), mean, wide.var(1)], 1e-4, statistics=True)
            self.check(self.norm_backward, (x, g, gamma, beta), gradients, 1e-4)

    def test_linear_and_its_gradients(self):
        for rows, inputs, outputs in ((0, 3, 2), (1, 1, 1), (3, 33, 5), (40, 20, 30)):
            x, g, w, bias = (vectors("x", rows, inputs), vectors("g", rows, outputs),
                             vectors("w", outputs, inputs), vectors("bias", outputs))
            z = x.astype(float) @ w.T + bias

            def gradients(_, derivative):
                dz = g * derivative(z)
                return dz @ w, dz.T @ x, dz.sum(0)
            for reproducible in (False, True):
                options = {"reproducible": reproducible}
                self.check(self.linear, (x, w, bias), lambda f, _: [f(z)], 1e-4, **options)
                self.check(self.linear_backward, (x, g, w, bias), gradients, 1e-4,
                           **options)
            np.testing.assert_allclose(self.linear(x, w), z - bias, atol=1e-4)

    def test_only_requested_gradients_are_written(self):
        x, g, w = vectors("x", 3, 4), vectors("g", 3, 2), vectors("w", 2, 4)
        linear, norm = self.linear_backward, self.norm_backward
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

    def test_inputs_of_half_precision(self):
        half, norm = vectors("x", 6, 10).astype(np.float16), self.norm
        self.assertEqual(norm(half).dtype, np.float16)
        np.testing.assert_array_equal(norm(half, out=np.zeros((6, 10), np.float32)),
                                      norm(half.astype(np.float32)))


def run_of(prepare):
    """The results of a run of a prepared call."""
    return staticmethod(lambda *given, **options: prepare(*given, **options).run())


class PreparedLayers(Layers):
    norm, norm_backward = run_of(PreparedLayer.norm), run_of(PreparedLayer.norm_backward)
    linear, linear_backward = run_of(PreparedLayer.linear), run_of(PreparedLayer.linear_backward)


if __name__ == "__main__":
    unittest.main()
