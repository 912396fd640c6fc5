# SPDX-License-Identifier: Apache-2.0
import threading
import unittest

import numpy as np

import pykindred
from support import Exported, generator, vectors
from watchdog import watch

MODE_CODES = {"kindred": {0: "linear", 1: "multiplicative", 2: "additive", 3: "mixed"}, "kasmina_v2": {0: "linear", 1: "multiplicative"},
              "kasmina_simple": {0: "multiplicative", 1: "additive"}}
OTHERWISE = {"kindred": None, "kasmina_v2": "additive", "kasmina_simple": "mixed"}
ONE, HALF = np.float32(1), np.float32(0.5)


class Seeds:
    """Seeds with any codes, also such without a meaning, and their passes in NumPy: one rounding per operation."""

    def __init__(self, name, hidden, seeds, blueprints=5, code=np.int32, chunk_size=0, mode_codes="kindred", fossilized_applies=True):
        random = generator(f"seeds {name}")
        self.lifecycle = random.integers(-1, 13, seeds).astype(code) if code is not np.uint8 else random.integers(0, 13, seeds).astype(code)
        self.mode = random.integers(0, 6, seeds).astype(code)
        self.alpha = random.choice(np.float32([0, 0.25, 0.3, 0.7, 1, 1.5]), seeds)
        # A weight is applied by at most one seed: features differ.
        self.blueprint = random.integers(-1, blueprints + 1, seeds).astype(np.int32)
        self.weights = random.normal(1, 1, (blueprints, hidden)).astype(np.float32)
        self.options = {"chunk_size": chunk_size, "mode_codes": mode_codes, "fossilized_applies": fossilized_applies}
        if chunk_size == 0:
            self.chunks = np.array_split(np.arange(hidden), max(seeds, 1))[:seeds]
        else:
            self.chunks = [np.arange(min(s * chunk_size, hidden), min((s + 1) * chunk_size, hidden)) for s in range(seeds)]

    def state(self):
        return self.lifecycle, self.blueprint, self.mode, self.alpha, self.weights

    def applied(self):
        codes, otherwise = MODE_CODES[self.options["mode_codes"]], OTHERWISE[self.options["mode_codes"]]
        last = 7 if self.options["fossilized_applies"] else 6
        for seed, features in enumerate(self.chunks):
            mode, blueprint = codes.get(int(self.mode[seed]), otherwise), self.blueprint[seed]
            if 3 <= self.lifecycle[seed] <= last and mode is not None and 0 <= blueprint < len(self.weights):
                alpha = ONE if self.lifecycle[seed] == 7 else self.alpha[seed]
                yield seed, features, self.weights[blueprint, features], mode, alpha, blueprint

    def forward(self, x):
        y = x.astype(np.float32)
        for _, f, w, mode, a, _ in self.applied():
            y[:, f] = {"linear": (a * w) * y[:, f] + (ONE - a) * y[:, f], "multiplicative": w * y[:, f], "additive": y[:, f] + w,
                       "mixed": HALF * y[:, f] + HALF * w}[mode]
        return y.astype(x.dtype)

    def backward(self, x, g):
        dx, dweights, dalpha = g.astype(np.float32), np.zeros_like(self.weights), np.zeros(len(self.chunks), np.float32)
        wide_x, wide_g = x.astype(np.float64), g.astype(np.float64)
        for seed, f, w, mode, a, blueprint in self.applied():
            products, sums, g32 = (wide_x[:, f] * wide_g[:, f]).sum(0), wide_g[:, f].sum(0), dx[:, f]
            dx[:, f] = {"linear": (a * w) * g32 + (ONE - a) * g32, "multiplicative": w * g32, "additive": g32, "mixed": HALF * g32}[mode]
            dweights[blueprint, f] = {"linear": np.float64(a) * products, "multiplicative": products, "additive": sums, "mixed": sums / 2}[mode]
            if mode == "linear" and self.lifecycle[seed] != 7:
                dalpha[seed] = ((w.astype(np.float64) - 1) * products).sum()
        return dx.astype(x.dtype), dweights, dalpha

    def sums(self, x):
        parts = [x[:, f].astype(np.float64) for f in self.chunks]
        return [part.sum() for part in parts], [(part * part).sum() for part in parts], [part.size for part in parts]


CASES = [(rows, hidden, seeds, {"chunk_size": chunk, "mode_codes": codes, "fossilized_applies": fossilized})
         for rows, hidden, seeds in ((0, 4, 2), (1, 1, 1), (3, 7, 3), (2, 0, 2), (2, 5, 0), (65, 130, 200), (40, 64, 10), (33, 103, 10))
         for chunk in (0, 1, 8) for codes, fossilized in (("kindred", True), ("kasmina_v2", False), ("kasmina_simple", True))]


class SeedFunctions(unittest.TestCase):
    def test_forward_has_the_bits_of_the_definition(self):
        for rows, hidden, seeds, options in CASES:
            for number, code in enumerate((np.int32, np.int8, np.uint8)):
                layer = Seeds(f"{hidden} {seeds}", hidden, seeds, code=code, **options)
                for dtype in (np.float32, np.float16):
                    x = vectors("x", rows, hidden).astype(dtype)
                    for space in ("serial", "openmp", None):
                        found = pykindred.forward_seeds(x, *layer.state(), **layer.options, space=space)
                        self.assertEqual((found.dtype, found.shape), (x.dtype, x.shape))
                        np.testing.assert_array_equal(found, layer.forward(x), f"{rows} {hidden} {seeds} {options} {number}")

    def test_backward_is_that_of_the_definition(self):
        for rows, hidden, seeds, options in CASES:
            layer = Seeds(f"{hidden} {seeds}", hidden, seeds, **options)
            x, g = vectors("x", rows, hidden), vectors("g", rows, hidden)
            expected = layer.backward(x, g)
            found = pykindred.backward_seeds(x, g, *layer.state(), **layer.options)
            self.assertIsInstance(found, pykindred.SeedGradients)
            np.testing.assert_array_equal(found.dx, expected[0])
            np.testing.assert_allclose(found.dweights, expected[1], rtol=1e-6, atol=1e-6)
            np.testing.assert_allclose(found.dalpha, expected[2], rtol=1e-5, atol=1e-5)
            serial = pykindred.backward_seeds(x, g, *layer.state(), **layer.options, space="serial")
            for one, other in zip(serial, found, strict=True):
                np.testing.assert_array_equal(one, other)

    def test_telemetry_is_written_to_the_arrays(self):
        for rows, hidden, seeds, options in CASES:
            layer = Seeds(f"{hidden} {seeds}", hidden, seeds, **options)
            x = vectors("x", rows, hidden)
            sums = pykindred.SeedSums(np.full(seeds, 7.0), np.full(seeds, 7, np.float32), np.full(seeds, 7, np.int64))
            pykindred.forward_seeds(x, *layer.state(), **layer.options, telemetry=sums)
            expected = layer.sums(x)
            np.testing.assert_allclose(sums.sum, expected[0], rtol=1e-12, atol=1e-12)
            np.testing.assert_allclose(sums.sum_of_squares, expected[1], rtol=1e-6)
            np.testing.assert_array_equal(sums.count, expected[2])
            again = pykindred.SeedSums(sum=np.zeros(seeds))
            pykindred.forward_seeds(x, *layer.state(), **layer.options, telemetry=again)
            np.testing.assert_array_equal(again.sum, sums.sum)

    def test_state_and_weights_are_read_at_every_call(self):
        x, weights = np.full((2, 4), 2, np.float32), np.full((1, 4), 3, np.float32)
        lifecycle, blueprint, mode, alpha = np.int32([3, 0]), np.int32([0, 0]), np.int32([1, 1]), np.float32([0, 0])
        state = lifecycle, blueprint, mode, alpha, weights
        np.testing.assert_array_equal(pykindred.forward_seeds(x, *state), [[6, 6, 2, 2]] * 2)
        lifecycle[1] = 4
        weights[0, 3] = 5
        np.testing.assert_array_equal(pykindred.forward_seeds(x, *state), [[6, 6, 6, 10]] * 2)

    def test_outputs_gaps_and_other_arrays(self):
        layer = Seeds("gaps", 6, 3)
        x, g, wide = vectors("x", 5, 6), vectors("g", 5, 6), vectors("wide", 10, 9)
        state, part = layer.state(), wide[::2, :6]
        np.testing.assert_array_equal(pykindred.forward_seeds(part, *state), layer.forward(part))
        np.testing.assert_array_equal(pykindred.forward_seeds(wide[:, 1:7], *state, copy=False), layer.forward(wide[:, 1:7]))
        np.testing.assert_array_equal(pykindred.forward_seeds(x[:, ::-1], *state), layer.forward(x[:, ::-1]))
        np.testing.assert_array_equal(pykindred.forward_seeds(Exported(x), *map(Exported, state)), layer.forward(x))
        out = np.zeros((10, 9), np.float32)
        self.assertIsInstance(pykindred.forward_seeds(x, *state, out=out[::2, 2:8]), np.ndarray)
        np.testing.assert_array_equal(out[::2, 2:8], layer.forward(x))
        np.testing.assert_array_equal(out[1::2], 0)
        half = np.empty((5, 6), np.float16)
        np.testing.assert_array_equal(pykindred.forward_seeds(x, *state, out=half), layer.forward(x).astype(np.float16))
        expected, same = layer.forward(x), x.copy()
        self.assertIs(pykindred.forward_seeds(same, *state, out=same), same)
        np.testing.assert_array_equal(same, expected)
        dx, dweights = np.empty_like(x), np.empty((5, 6), np.float32)
        found = pykindred.backward_seeds(x, g, *state, out=(dx, dweights, None))
        self.assertIs(found.dx, dx)
        self.assertIs(found.dweights, dweights)
        self.assertIsNone(found.dalpha)
        whole = pykindred.backward_seeds(x, g, *state)
        np.testing.assert_array_equal(dx, whole.dx)
        np.testing.assert_array_equal(dweights, whole.dweights)
        self.assertIs(pykindred.backward_seeds(x, g, *state, out=(g, None, None)).dx, g)
        np.testing.assert_array_equal(g, dx)

    def test_threads(self):
        watch(self)
        layer = Seeds("threads", 60, 7)
        x, found = vectors("x", 50, 60), []
        threads = [threading.Thread(target=lambda: found.append(pykindred.forward_seeds(x, *layer.state()))) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(found), 8)
        for one in found:
            np.testing.assert_array_equal(one, layer.forward(x))

    def test_wrong_arguments_are_named(self):
        layer = Seeds("wrong", 6, 3)
        x, g, good = vectors("x", 5, 6), vectors("g", 5, 6), dict(zip(("lifecycle", "blueprint", "mode", "alpha", "weights"), layer.state(), strict=True))
        read_only = np.empty((5, 6), np.float32)
        read_only.flags.writeable = False

        def forward(given=x, **changes):
            options = {name: changes.pop(name) for name in list(changes) if name not in good}
            return pykindred.forward_seeds(given, **{**good, **changes}, **options)

        def backward(gradient=g, **options):
            return pykindred.backward_seeds(x, gradient, **good, **options)

        number = np.zeros(3)
        for call, error, message in (
                (lambda: forward(x.astype(float)), TypeError, "x is float64"), (lambda: forward(x[0]), ValueError, "x is"), (lambda: forward([[1]]), TypeError, "x is of type list"),
                (lambda: forward(lifecycle=number), TypeError, "lifecycle is float64"), (lambda: forward(lifecycle=good["lifecycle"][:2]), ValueError, "blueprint"),
                (lambda: forward(mode=good["mode"].astype(np.int64)), TypeError, "mode is int64"), (lambda: forward(alpha=number), TypeError, "alpha is float64"),
                (lambda: forward(blueprint=good["blueprint"].astype(np.int64)), TypeError, "blueprint is int64"), (lambda: forward(alpha=good["alpha"][None]), ValueError, "alpha is"),
                (lambda: forward(weights=good["weights"][:, :5]), ValueError, "weights is"), (lambda: forward(weights=good["weights"][0]), ValueError, "weights is"),
                (lambda: forward(chunk_size=-1), ValueError, "chunk_size"), (lambda: forward(chunk_size=2**32), ValueError, "chunk_size"), (lambda: forward(chunk_size=1.0), TypeError, "chunk_size"),
                (lambda: forward(mode_codes="v3"), ValueError, "mode_codes"), (lambda: forward(fossilized_applies=1), TypeError, "fossilized_applies"),
                (lambda: forward(telemetry=number), TypeError, "telemetry"), (lambda: forward(telemetry=(number.astype(np.int32), None, None)), TypeError, "telemetry.sum"),
                (lambda: forward(telemetry=(None, None, number[:2])), ValueError, "count"), (lambda: forward(out=read_only), ValueError, "out is read-only"),
                (lambda: forward(out=x.astype(float)), TypeError, "out is"), (lambda: forward(out=np.empty((5, 5), np.float32)), ValueError, "out is"),
                (lambda: forward(x[:4], out=x[1:]), ValueError, "overlap"), (lambda: forward(space="gpu"), ValueError, "space"), (lambda: forward(space="cuda"), (ValueError, RuntimeError), ""),
                (lambda: forward(stream=3), ValueError, "stream"), (lambda: forward(stream="x"), TypeError, "stream"), (lambda: forward(x[:, ::-1], copy=False), ValueError, "x is"),
                (lambda: forward(copy=True), TypeError, "copy"), (lambda: forward(context=3), TypeError, "context"), (lambda: forward(Exported(x, 0)), (ValueError, RuntimeError), ""),
                (lambda: backward(g.astype(np.float16)), TypeError, "gradient is float16"), (lambda: backward(g[:4]), ValueError, "gradient"), (lambda: backward(out=g), TypeError, "out"),
                (lambda: backward(out=(g.astype(np.float16), None, None)), TypeError, "dx is"), (lambda: backward(out=(None, number, None)), TypeError, "dweights"),
                (lambda: backward(out=(None, np.empty((4, 6), np.float32), None)), ValueError, "dweights"), (lambda: backward(out=(x, None, None)), ValueError, "overlap")):
            with self.subTest(message), self.assertRaisesRegex(error, message) as raised:
                call()
            self.assertIsInstance(raised.exception, pykindred.Error)


if __name__ == "__main__":
    unittest.main()
