# SPDX-License-Identifier: Apache-2.0
"""Normalization and linear layers of the library against NumPy and SciPy in double; reproducible
sums recomputed bit for bit."""
import os
import subprocess
import unittest

from numpy_oracle import reproducible_sum, equal_bits, harness, np
from scipy.special import erf


def gelu(x):
    return 0.5 * x * (1 + erf(x / np.sqrt(2)))


ACTIVATIONS = {"none": lambda z: z, "relu": lambda z: np.maximum(z, 0), "gelu": gelu}


class Layers(harness.CommandTest):
    def setUp(self):
        super().setUp()
        self.generator = np.random.default_rng(11)

    def answers(self, rows, inputs, outputs, mean):
        normal = lambda *shape: self.generator.standard_normal(shape).astype(np.float32)
        arrays = {"x": normal(rows, inputs) + np.float32(mean), "gamma": normal(inputs), "beta": normal(inputs), "w": normal(outputs, inputs), "bias": normal(outputs)}
        for name, array in arrays.items():
            array.astype(np.float32).tofile(self.folder / name)
        done = subprocess.run([os.environ["KINDRED_LAYER_ANSWERS"], str(self.folder), str(rows), str(inputs), str(outputs)], capture_output=True, text=True, check=True)
        spaces = done.stdout.split()
        self.assertIn("serial", spaces)
        read = lambda name, *shape: np.fromfile(self.folder / name, np.float32).reshape(shape)
        return arrays, spaces, read

    def test_norm(self):
        for rows, inputs, mean in ((1, 1, 0), (3, 2, 5), (7, 33, 0), (20, 768, 100), (4, 4097, -1000), (2, 12301, 0)):
            arrays, spaces, read = self.answers(rows, inputs, 3, mean)
            x = arrays["x"].astype(np.float64)
            mean64, variance = x.mean(axis=1), x.var(axis=1)
            normal = (x - mean64[:, None]) / np.sqrt(variance[:, None] + np.float64(np.float32(1e-5)))
            affine = normal * arrays["gamma"] + arrays["beta"]
            # The returned moments are float32 roundings of reproducible sums of differences from
            # the first element.
            shifted = x - x[:, :1]
            offset = reproducible_sum(shifted) / inputs
            for space in spaces:
                with self.subTest(space=space, rows=rows, inputs=inputs):
                    self.assertTrue(equal_bits(read(f"{space}.mean", rows), (x[:, 0] + offset).astype(np.float32)))
                    told = np.maximum(reproducible_sum(shifted * shifted) / inputs - offset * offset, 0)
                    self.assertTrue(equal_bits(read(f"{space}.variance", rows), told.astype(np.float32)))
                    np.testing.assert_allclose(read(f"{space}.variance", rows), variance, rtol=1e-6, atol=1e-12)
                    y = read(f"{space}.norm", rows, inputs)
                    self.assertLess(np.abs(y - gelu(affine)).max(), 2e-6 * (1 + np.abs(affine).max()))
                    self.assertTrue(equal_bits(y, read("serial.norm", rows, inputs)))

    def test_linear(self):
        for rows, inputs, outputs in ((1, 1, 1), (5, 33, 7), (130, 129, 131), (9, 4100, 65)):
            arrays, spaces, read = self.answers(rows, inputs, outputs, 0)
            x, w, bias = (arrays[name].astype(np.float64) for name in ("x", "w", "bias"))
            z = x @ w.T + bias
            sums = np.stack([reproducible_sum(x * row) for row in w], axis=1) + bias
            scale = np.linalg.norm(x, axis=1)[:, None] * np.linalg.norm(w, axis=1)[None]
            for name, activation in ACTIVATIONS.items():
                for space in spaces:
                    with self.subTest(space=space, rows=rows, inputs=inputs, outputs=outputs, activation=name):
                        y = read(f"{space}.linear.{name}", rows, outputs)
                        bound = 1.13 * (inputs + 64) * 2.0**-22 * scale + 2.0**-22 * np.abs(z)
                        self.assertTrue((np.abs(y - activation(z)) <= bound).all())
                        exact = read(f"{space}.reproducible.{name}", rows, outputs)
                        if name == "gelu":
                            self.assertTrue((np.abs(exact - gelu(z)) <= 2.0**-22 * np.abs(z) + 1e-12).all())
                        else:
                            self.assertTrue(equal_bits(exact, activation(sums.astype(np.float32))))
                        self.assertTrue(equal_bits(exact, read(f"serial.reproducible.{name}", rows, outputs)))


if __name__ == "__main__":
    unittest.main()
