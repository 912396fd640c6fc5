# SPDX-License-Identifier: Apache-2.0
"""`forward_seeds` and `backward_seeds` have the bits of their definition in NumPy."""
import unittest

import numpy as np

import pykindred
from support import generator, vectors

MODE_CODES = {"kindred": {0: "linear", 1: "multiplicative", 2: "additive", 3: "mixed"},
              "kasmina_v2": {0: "linear", 1: "multiplicative"},
              "kasmina_simple": {0: "multiplicative", 1: "additive"}}
OTHERWISE = {"kindred": None, "kasmina_v2": "additive", "kasmina_simple": "mixed"}
ONE, HALF = np.float32(1), np.float32(0.5)


class Seeds:
    """Seeds with any codes, also such without a meaning, and their passes in NumPy: one rounding
    per operation."""

    def __init__(self, name, hidden, seeds, blueprints=5, code=np.int32, chunk_size=0,
                 mode_codes="kindred", fossilized_applies=True):
        random = generator(f"seeds {name}")
        least = 0 if code is np.uint8 else -1
        self.lifecycle = random.integers(least, 13, seeds).astype(code)
        self.mode = random.integers(0, 6, seeds).astype(code)
        self.alpha = random.choice(np.float32([0, 0.25, 0.3, 0.7, 1, 1.5]), seeds)
        # A weight is applied by at most one seed: features differ.
        self.blueprint = random.integers(-1, blueprints + 1, seeds).astype(np.int32)
        self.weights = random.normal(1, 1, (blueprints, hidden)).astype(np.float32)
        self.options = {"chunk_size": chunk_size, "mode_codes": mode_codes,
                        "fossilized_applies": fossilized_applies}
        features = np.arange(hidden)
        if chunk_size == 0:
            self.chunks = np.array_split(features, max(seeds, 1))[:seeds]
        else:
            self.chunks = [features[s * chunk_size:(s + 1) * chunk_size] for s in range(seeds)]

    def state(self):
        return self.lifecycle, self.blueprint, self.mode, self.alpha, self.weights

    def applied(self):
        codes = MODE_CODES[self.options["mode_codes"]]
        last = 7 if self.options["fossilized_applies"] else 6
        for seed, features in enumerate(self.chunks):
            mode = codes.get(int(self.mode[seed]), OTHERWISE[self.options["mode_codes"]])
            applies, blueprint = 3 <= self.lifecycle[seed] <= last, self.blueprint[seed]
            if applies and mode is not None and 0 <= blueprint < len(self.weights):
                alpha = ONE if self.lifecycle[seed] == 7 else self.alpha[seed]
                yield seed, features, self.weights[blueprint, features], mode, alpha, blueprint

    def forward(self, x):
        y = x.astype(np.float32)
        for _, f, w, mode, a, _ in self.applied():
            given = y[:, f]
            y[:, f] = {"linear": (a * w) * given + (ONE - a) * given, "multiplicative": w * given,
                       "additive": given + w, "mixed": HALF * given + HALF * w}[mode]
        return y.astype(x.dtype)

    def backward(self, x, g):
        dx, wide_x, wide_g = g.astype(np.float32), x.astype(float), g.astype(float)
        dweights, dalpha = np.zeros_like(self.weights), np.zeros(len(self.chunks), np.float32)
        for seed, f, w, mode, a, blueprint in self.applied():
            products, sums = (wide_x[:, f] * wide_g[:, f]).sum(0), wide_g[:, f].sum(0)
            given = dx[:, f]
            dx[:, f] = {"linear": (a * w) * given + (ONE - a) * given, "multiplicative": w * given,
                        "additive": given, "mixed": HALF * given}[mode]
            dweights[blueprint, f] = {"linear": np.float64(a) * products, "additive": sums,
                                      "multiplicative": products, "mixed": sums / 2}[mode]
            if mode == "linear" and self.lifecycle[seed] != 7:
                dalpha[seed] = ((w.astype(np.float64) - 1) * products).sum()
        return dx.astype(x.dtype), dweights, dalpha


SHAPES = ((0, 4, 2), (1, 1, 1), (3, 7, 3), (2, 0, 2), (2, 5, 0), (65, 130, 200), (40, 64, 10),
          (33, 103, 10))
OPTIONS = [{"chunk_size": chunk, "mode_codes": codes, "fossilized_applies": codes != "kasmina_v2"}
           for chunk in (0, 1, 8) for codes in MODE_CODES]


class SeedFunctions(unittest.TestCase):
    def cases(self, **given):
        for rows, hidden, seeds in SHAPES:
            for options in OPTIONS:
                layer = Seeds(f"{hidden} {seeds}", hidden, seeds, **given, **options)
                yield layer, vectors("x", rows, hidden), vectors("g", rows, hidden)

    def test_forward_has_the_bits_of_the_definition(self):
        for code in (np.int32, np.int8, np.uint8):
            for layer, wide, _ in self.cases(code=code):
                for x in (wide, wide.astype(np.float16)):
                    expected = layer.forward(x)
                    for space in ("serial", "openmp", None):
                        y = pykindred.forward_seeds(x, *layer.state(), **layer.options, space=space)
                        self.assertEqual((y.dtype, y.shape), (x.dtype, x.shape))
                        np.testing.assert_array_equal(y, expected)

    def test_backward_is_that_of_the_definition(self):
        for layer, x, g in self.cases():
            expected = layer.backward(x, g)
            found, serial = (pykindred.backward_seeds(x, g, *layer.state(), **layer.options,
                                                      space=space) for space in (None, "serial"))
            self.assertIsInstance(found, pykindred.SeedGradients)
            np.testing.assert_array_equal(found.dx, expected[0])
            for one, other in zip(found[1:], expected[1:], strict=True):
                np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5)
            for one, other in zip(serial, found, strict=True):
                np.testing.assert_array_equal(one, other)

    def test_telemetry_is_written_to_the_arrays(self):
        for layer, x, _ in self.cases():
            seeds, parts = len(layer.chunks), [x[:, f].astype(float) for f in layer.chunks]
            sums = pykindred.SeedSums(np.full(seeds, 7.0), np.full(seeds, 7, np.float32),
                                      np.full(seeds, 7, np.int64))
            pykindred.forward_seeds(x, *layer.state(), **layer.options, telemetry=sums)
            for found, power in ((sums.sum, 1), (sums.sum_of_squares, 2)):
                expected = [(part**power).sum() for part in parts]
                np.testing.assert_allclose(found, expected, rtol=1e-12 if power == 1 else 1e-6,
                                           atol=1e-12)
            np.testing.assert_array_equal(sums.count, [part.size for part in parts])
            again = pykindred.SeedSums(sum=np.zeros(seeds))
            pykindred.forward_seeds(x, *layer.state(), **layer.options, telemetry=again)
            np.testing.assert_array_equal(again.sum, sums.sum)

    def test_state_and_weights_are_read_at_every_call(self):
        x, weights = np.full((2, 4), 2, np.float32), np.full((1, 4), 3, np.float32)
        lifecycle, mode = np.int32([3, 0]), np.int32([1, 1])
        state = lifecycle, np.int32([0, 0]), mode, np.float32([0, 0]), weights
        np.testing.assert_array_equal(pykindred.forward_seeds(x, *state), [[6, 6, 2, 2]] * 2)
        lifecycle[1], weights[0, 3] = 4, 5
        np.testing.assert_array_equal(pykindred.forward_seeds(x, *state), [[6, 6, 6, 10]] * 2)

    def test_outputs(self):
        layer = Seeds("outputs", 6, 3)
        x, g, state = vectors("x", 5, 6), vectors("g", 5, 6), layer.state()
        expected, same, half = layer.forward(x), x.copy(), np.empty((5, 6), np.float16)
        np.testing.assert_array_equal(pykindred.forward_seeds(x, *state, out=half),
                                      expected.astype(np.float16))
        self.assertIs(pykindred.forward_seeds(same, *state, out=same), same)
        np.testing.assert_array_equal(same, expected)
        whole, dweights = pykindred.backward_seeds(x, g, *state), np.empty((5, 6), np.float32)
        out = g, dweights, None
        found = pykindred.backward_seeds(x, g, *state, out=out)
        self.assertEqual(list(map(id, found)), list(map(id, out)))
        np.testing.assert_array_equal(g, whole.dx)
        np.testing.assert_array_equal(dweights, whole.dweights)


if __name__ == "__main__":
    unittest.main()
