# SPDX-License-Identifier: Apache-2.0
"""A sequence of forward passes has the bits of the passes one after the other."""
import gc
import unittest

import numpy as np

import pykindred
from pykindred import SeedSequence
from support import Exported, torch_device, vectors
from test_seed_layer import layer_of


def layers_of(*names):
    return [layer_of(name, 33, 5)[0] for name in names]


def one_by_one(layers, x):
    for layer in layers:
        x = layer.forward(x, telemetry="none")
    return x


class Sequence(unittest.TestCase):
    def sequence_of(self, layers, x, **options):
        sequence = SeedSequence(**options)
        for layer in layers:
            x = sequence.add(layer, x)
        return sequence, x

    def test_passes_have_the_bits_of_the_layers(self):
        layers = layers_of(*"abc")
        for space in (None, "serial", "openmp"):
            for rows in (0, 1, 33, 2000):
                x = vectors("x", rows, 33)
                sequence, y = self.sequence_of(layers, x, space=space)
                self.assertEqual((len(sequence), y.shape, y.dtype), (3, x.shape, x.dtype))
                for _ in range(2):
                    sequence.run()
                    sequence.wait()
                    np.testing.assert_array_equal(y, one_by_one(layers, x))
                    x *= 1.5
        sequence = SeedSequence()
        sequence.run()
        sequence.wait()
        self.assertEqual(len(sequence), 0)

    def test_arrays_of_the_caller(self):
        (layer,), wide = layers_of("arrays"), vectors("wide", 8, 40)
        out, half = np.zeros((4, 33), np.float32), np.zeros((4, 33), np.float16)
        sequence, part = SeedSequence(), wide[::2, :33]
        self.assertIs(sequence.add(layer, part, out=out), out)
        self.assertIs(sequence.add(layer, Exported(part), out=half, telemetry=False), half)
        x = vectors("x", 4, 33)
        before = x.copy()
        self.assertIs(sequence.add(layer, x, out=x), x)
        sequence.run()
        np.testing.assert_array_equal(out, layer.forward(part))
        np.testing.assert_array_equal(half, out.astype(np.float16))
        np.testing.assert_array_equal(x, layer.forward(before))

    def test_telemetry_and_changes_of_a_layer(self):
        (layer,), x = layers_of("telemetry"), vectors("x", 20, 33)
        silent, (spoken, y) = SeedSequence(), self.sequence_of([layer], x)
        silent.add(layer, x, telemetry=False)
        silent.run()
        self.assertFalse(layer.has_telemetry())
        spoken.run()
        found = layer.telemetry()
        layer.forward(x)
        np.testing.assert_array_equal(found.mean, layer.telemetry().mean)
        for change in (lambda: layer.update(np.arange(5), lifecycle="fossilized", alpha=1.0),
                       lambda: layer.replace_blueprint(0, vectors("other", 33))):
            change()
            spoken.run()
            np.testing.assert_array_equal(y, layer.forward(x))

    def test_it_keeps_closed_layers_alive(self):
        layer, = layers_of("kept")
        sequence, y = self.sequence_of([layer], vectors("x", 3, 33))
        layer.close()
        del layer
        gc.collect()
        sequence.run()
        self.assertTrue(y.any())
        self.assertEqual(repr(sequence), "<pykindred.SeedSequence: 1 passes>")

    def test_rows_on_a_device(self):
        torch, device = torch_device(self)
        layers = layers_of(*"abc")
        for rows in (1, 33, 2000):
            x = vectors("x", rows, 33)
            given = torch.from_numpy(x).to(device)
            sequence, y = self.sequence_of(layers, given)
            for change in (1, 1.5, 0.5):
                given *= change
                x *= np.float32(change)
                layers[0].update([0], lifecycle="fossilized", alpha=change / 2)
                sequence.run()
                sequence.wait()
                np.testing.assert_array_equal(y.cpu().numpy(), one_by_one(layers, x))
            with self.assertRaises(pykindred.InvalidArgument):
                sequence.add(layers[0], x)


if __name__ == "__main__":
    unittest.main()
