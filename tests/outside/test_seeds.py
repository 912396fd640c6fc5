# SPDX-License-Identifier: Apache-2.0
"""`kindred seeds` against NumPy: outputs and gradients bit for bit, telemetry up to rounding, for
every state, mode and element."""
import json
import unittest

from numpy_oracle import equal_bits, harness, np

LIFECYCLES = ["dormant", "germinated", "training", "grafting", "stabilization", "evaluating", "fine_tuning", "fossilized",
              "culled", "cancelled", "rolled_back"]
MODES = ["linear", "multiplicative", "additive", "mixed"]


def to_bfloat16(values):
    """Rounds to nearest, ties to even; the result is float32."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32).astype(np.uint64)
    rounded = (((bits + 0x7FFF + (bits >> 16 & 1)) >> 16) << 16).astype(np.uint32)
    return rounded.view(np.float32)


class Layer:
    """The output of a layer for given rows, feature by feature, in float32 with one rounding per
    operation."""

    def __init__(self, generator, hidden, seeds, blueprints=3):
        self.hidden, self.seeds = hidden, seeds
        self.lifecycle = [int(code) for code in (np.arange(seeds) + generator.integers(0, 11)) % 11]
        self.mode = [int(code) for code in generator.integers(0, 4, seeds)]
        self.alpha = generator.choice(np.array([0, 0.25, 0.3, 0.7, 1], np.float32), seeds)
        self.blueprint = [int(i) for i in generator.integers(0, blueprints, seeds)]
        self.weights = generator.normal(1, 1, (blueprints, hidden)).astype(np.float32)
        self.chunks = np.array_split(np.arange(hidden), seeds)  # the first (hidden mod seeds) seeds have one more

    def state(self):
        return {"lifecycle": [LIFECYCLES[code] for code in self.lifecycle], "blueprint": self.blueprint,
                "mode": [MODES[code] for code in self.mode], "alpha": [float(a) for a in self.alpha]}

    def applied(self):
        """(features, weights, mode, alpha) of the seeds that modify their features."""
        for seed, features in enumerate(self.chunks):
            if 3 <= self.lifecycle[seed] <= 7:
                alpha = np.float32(1) if self.lifecycle[seed] == 7 else self.alpha[seed]
                yield features, self.weights[self.blueprint[seed], features], MODES[self.mode[seed]], alpha, self.blueprint[seed]

    def forward(self, x):
        y = x.astype(np.float32)
        half, one = np.float32(0.5), np.float32(1)
        for f, w, mode, a, _ in self.applied():
            if mode == "linear":
                y[:, f] = (a * w) * y[:, f] + (one - a) * y[:, f]
            elif mode == "multiplicative":
                y[:, f] = w * y[:, f]
            elif mode == "additive":
                y[:, f] = y[:, f] + w
            else:
                y[:, f] = half * y[:, f] + half * w
        return y

    def backward(self, x, g):
        x, dx, dw = x.astype(np.float64), g.astype(np.float32), np.zeros_like(self.weights)
        wide, half, one = g.astype(np.float64), np.float32(0.5), np.float32(1)
        for f, w, mode, a, blueprint in self.applied():
            with_x, plain = (x[:, f] * wide[:, f]).sum(0), wide[:, f].sum(0)
            if mode == "linear":
                dx[:, f] = (a * w) * dx[:, f] + (one - a) * dx[:, f]
                dw[blueprint, f] = np.float64(a) * with_x
            elif mode == "multiplicative":
                dx[:, f] = w * dx[:, f]
                dw[blueprint, f] = with_x
            elif mode == "additive":
                dw[blueprint, f] = plain
            else:
                dx[:, f] = half * dx[:, f]
                dw[blueprint, f] = 0.5 * plain
        return dx, dw

    def telemetry(self, x):
        parts = [x[:, f].astype(np.float64) for f in self.chunks]
        full = [p for p in parts]
        value = lambda function: [float(function(p)) if p.size else 0 for p in full]  # noqa: E731
        return {"count": [p.size for p in full], "mean": value(np.mean), "variance": value(np.var), "min": value(np.min),
                "max": value(np.max), "dead_ratio": value(lambda p: np.mean(np.abs(p) < 1e-8))}


class Seeds(harness.CommandTest):
    def setUp(self):
        super().setUp()
        self.generator = np.random.default_rng(11)

    def saved(self, name, array):
        np.save(self.folder / name, array)
        return self.folder / name

    def written(self, layer, x):
        return ["--input", self.saved("x.npy", x), "--state", self.file("S.json", json.dumps(layer.state(), indent=1)),
                "--weights", self.saved("w.npy", layer.weights), "--quiet"]

    def rows(self, rows, hidden):
        x = self.generator.normal(0.5, 2, (rows, hidden)).astype(np.float32)
        x[self.generator.random(x.shape) < 0.2] = 0
        return x

    def test_forward(self):
        for rows, hidden, seeds in ((1, 1, 1), (3, 7, 3), (65, 130, 200), (200, 64, 10), (17, 103, 10), (128, 1000, 90)):
            for element in ("float32", "float16", "bfloat16"):
                layer = Layer(self.generator, hidden, seeds)
                x = self.rows(rows, hidden)
                flags = []
                if element == "float16":
                    x = x.astype(np.float16)
                elif element == "bfloat16":
                    flags = ["--element", "bfloat16"]
                for space in harness.usable_spaces():
                    with self.subTest(shape=(rows, hidden, seeds), element=element, space=space):
                        self.succeeds("--space", space, "seeds", "forward", *self.written(layer, x), "--out", self.folder / "y.npy",
                                      "--out-telemetry", self.folder / "T.json", *flags)
                        seen = to_bfloat16(x) if element == "bfloat16" else x
                        expected = layer.forward(seen)
                        y = np.load(self.folder / "y.npy")
                        self.assertEqual(y.dtype, x.dtype)
                        if element == "float16":
                            expected = expected.astype(np.float16)
                        elif element == "bfloat16":
                            expected = to_bfloat16(expected)
                        self.assertTrue(equal_bits(y, expected))
                        told = json.loads((self.folder / "T.json").read_text())
                        wanted = layer.telemetry(seen)
                        self.assertEqual(list(told), list(wanted))
                        for name in ("count", "min", "max"):
                            self.assertEqual(told[name], wanted[name])
                        for name in ("mean", "variance", "dead_ratio"):
                            np.testing.assert_allclose(told[name], wanted[name], rtol=1e-12, atol=1e-14)

    def test_backward(self):
        for rows, hidden, seeds in ((1, 3, 2), (65, 130, 200), (300, 64, 10)):
            layer = Layer(self.generator, hidden, seeds)
            x, g = self.rows(rows, hidden), self.rows(rows, hidden)
            self.succeeds("seeds", "backward", *self.written(layer, x), "--gradient", self.saved("g.npy", g),
                          "--out", self.folder / "dx.npy", "--out-weights", self.folder / "dw.npy")
            dx, dw = layer.backward(x, g)
            self.assertTrue(equal_bits(np.load(self.folder / "dx.npy"), dx))
            np.testing.assert_allclose(np.load(self.folder / "dw.npy"), dw, rtol=1e-6, atol=1e-6 * np.sqrt(rows))

    def test_telemetry_of_epochs(self):
        layer = Layer(self.generator, 50, 7)
        epochs = [self.rows(rows, 50) for rows in (40, 1, 130)]
        inputs = [flag for i, x in enumerate(epochs) for flag in ("--input", self.saved(f"x{i}.npy", x))]
        *each, reduced = self.succeeds("seeds", "telemetry", *inputs, "--seeds", 7, "--quiet").lines()
        for told, x in zip(each, epochs, strict=True):
            wanted = layer.telemetry(x)
            for name in wanted:
                np.testing.assert_allclose(told[name], wanted[name], rtol=1e-12, atol=1e-14)
            health = 0.5 * np.minimum(1, np.array(wanted["variance"]) / 0.01) + 0.5 * (1 - np.array(wanted["dead_ratio"]))
            np.testing.assert_allclose(told["health"], health, rtol=1e-12)
        together = np.concatenate(epochs)
        for told, wanted in ((reduced["seeds"], layer.telemetry(together)), (reduced["all"], Layer(self.generator, 50, 1).telemetry(together))):
            for name in wanted:
                np.testing.assert_allclose(told[name], wanted[name], rtol=1e-12, atol=1e-14)


if __name__ == "__main__":
    unittest.main()
