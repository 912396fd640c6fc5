# SPDX-License-Identifier: Apache-2.0
"""`forward_seeds` and `backward_seeds`: values of their definition, and kinds of arrays."""
import unittest

import numpy as np

import pykindred
from support import generator, vectors

# Of the codes -1 to 5 of modes, with the weight 3, alpha 0.5 and x = 2: 4 is linear, 6
# multiplicative, 5 additive, 2.5 mixed; a code without a meaning copies x.
OF_CODES = {"kindred": (2, 4, 6, 5, 2.5, 2, 2), "kasmina_v2": (5, 4, 6, 5, 5, 5, 5),
            "kasmina_simple": (2.5, 6, 5, 2.5, 2.5, 2.5, 2.5)}
# The derivatives by x, the weight and alpha of those results, and of copies.
GRADIENTS = {4: (2, 1, 4), 6: (3, 2, 0), 5: (1, 1, 0), 2.5: (0.5, 0.5, 0), 2: (1, 0, 0)}


def state_of(name, hidden, seeds):
    """Seeds with any codes, also such without a meaning."""
    random = generator(f"seeds {name}")
    lifecycle, blueprint, mode = random.integers(-1, [[13], [6], [6]], (3, seeds), np.int32)
    alpha = random.choice(np.float32([0, 0.25, 0.3, 0.7, 1, 1.5]), seeds)
    return lifecycle, blueprint, mode, alpha, random.normal(1, 1, (5, hidden)).astype(np.float32)


class SeedFunctions(unittest.TestCase):
    def cases(self):
        """The state, the options, and what x = 2 becomes."""
        for code in (np.int32, np.int8, np.uint8):
            for codes, values in OF_CODES.items():
                for chunk in (0, 1, 3):
                    width = max(chunk, 1)
                    state = (np.zeros(7, np.int32), np.arange(-1, 6).astype(code),
                             np.full(7, 0.5, np.float32), np.full((1, 7 * width), 3, np.float32))
                    options = {"mode_codes": codes, "chunk_size": chunk}
                    fossilized = [6 if value == 4 else value for value in values]  # alpha is 1
                    for lifecycle, applies, expected in ((6, True, values), (7, True, fossilized),
                                                         (7, False, [2] * 7), (2, True, [2] * 7)):
                        options["fossilized_applies"] = applies
                        given = np.full(7, lifecycle, code), *state
                        yield given, options, np.repeat(expected, width)

    def test_forward_has_the_values_of_the_definition(self):
        for state, options, expected in self.cases():
            for kind in (np.float32, np.float16):
                x = np.full((5, len(expected)), 2, kind)
                for space in ("serial", "openmp", None):
                    y = pykindred.forward_seeds(x, *state, **options, space=space)
                    self.assertEqual((y.dtype, y.shape), (x.dtype, x.shape))
                    np.testing.assert_array_equal(y, [expected] * 5)

    def test_backward_has_the_values_of_the_definition(self):
        for state, options, expected in self.cases():
            if state[0][0] == 7 and options["fossilized_applies"]:
                continue  # whose linear mode has other derivatives
            x = np.full((5, len(expected)), 2, np.float32)
            dx, dw, dalpha = np.transpose([GRADIENTS[value] for value in expected])
            for space in ("serial", "openmp", None):
                found = pykindred.backward_seeds(x, np.ones_like(x), *state, **options, space=space)
                self.assertIsInstance(found, pykindred.SeedGradients)
                np.testing.assert_array_equal(found.dx, [dx] * 5)
                np.testing.assert_array_equal(found.dweights, [5 * dw])
                np.testing.assert_array_equal(found.dalpha, 5 * dalpha.reshape(7, -1).sum(1))

    def test_telemetry_is_written_to_the_arrays(self):
        state, x = state_of("telemetry", 64, 10), vectors("x", 40, 64)
        for chunk, width in ((0, None), (8, 8)):
            features = np.arange(64)
            chunks = np.array_split(features, 10) if width is None else [
                features[width * seed:width * seed + width] for seed in range(10)]
            parts = [x[:, chunk].astype(float) for chunk in chunks]
            sums = pykindred.SeedSums(np.full(10, 7.0), np.full(10, 7, np.float32),
                                      np.full(10, 7, np.int64))
            pykindred.forward_seeds(x, *state, chunk_size=chunk, telemetry=sums)
            for found, power in ((sums.sum, 1), (sums.sum_of_squares, 2)):
                expected = [(part**power).sum() for part in parts]
                np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-12)
            np.testing.assert_array_equal(sums.count, [part.size for part in parts])
            again = pykindred.SeedSums(sum=np.zeros(10))
            pykindred.forward_seeds(x, *state, chunk_size=chunk, telemetry=again)
            np.testing.assert_array_equal(again.sum, sums.sum)

    def test_state_and_weights_are_read_at_every_call(self):
        x, weights = np.full((2, 4), 2, np.float32), np.full((1, 4), 3, np.float32)
        lifecycle, mode = np.int32([3, 0]), np.int32([1, 1])
        state = lifecycle, np.int32([0, 0]), mode, np.float32([0, 0]), weights
        np.testing.assert_array_equal(pykindred.forward_seeds(x, *state), [[6, 6, 2, 2]] * 2)
        lifecycle[1], weights[0, 3] = 4, 5
        np.testing.assert_array_equal(pykindred.forward_seeds(x, *state), [[6, 6, 6, 10]] * 2)


if __name__ == "__main__":
    unittest.main()
