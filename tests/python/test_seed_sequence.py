# SPDX-License-Identifier: Apache-2.0
"""A sequence of forward passes has the bits of the passes one after the other."""
import gc
import threading
import unittest
import weakref

import numpy as np

import pykindred
from pykindred import SeedSequence
from support import Exported, generator, torch_device, vectors
from watchdog import watch


def layer_of(name, hidden=33, seeds=5):
    """A layer with any states."""
    random = generator(f"layer {name}")
    layer = pykindred.SeedLayer(hidden, seeds)
    weights = layer.add_blueprint("weights", random.normal(1, 1, hidden).astype(np.float32))
    layer.update(np.arange(seeds), lifecycle=(np.arange(seeds) % 11).astype(np.int8), blueprint=weights,
                 mode=random.integers(0, 4, seeds).astype(np.int8), alpha=random.random(seeds, dtype=np.float32))
    return layer


class Sequence(unittest.TestCase):
    def test_passes_have_the_bits_of_the_layers(self):
        for space in (None, "serial", "openmp"):
            for rows in (0, 1, 2, 3, 31, 32, 33, 2000):
                layers, x = [layer_of(f"{number}") for number in range(3)], vectors("x", rows, 33)
                sequence, y = SeedSequence(space=space), x
                for layer in layers:
                    y = sequence.add(layer, y)
                self.assertEqual((len(sequence), y.shape, y.dtype), (3, x.shape, x.dtype))
                for _ in range(2):
                    sequence.run()
                    sequence.wait()
                    expected = x
                    for layer in layers:
                        expected = layer.forward(expected, telemetry="none")
                    np.testing.assert_array_equal(y, expected)
                    x *= 1.5

    def test_arrays_of_the_caller(self):
        layer, wide = layer_of("arrays"), vectors("wide", 8, 40)
        out, half = np.zeros((4, 33), np.float32), np.zeros((4, 33), np.float16)
        sequence = SeedSequence()
        self.assertIs(sequence.add(layer, wide[::2, :33], out=out), out)
        self.assertIs(sequence.add(layer, Exported(wide[::2, :33]), out=half, telemetry=False), half)
        x = vectors("x", 4, 33)
        before = x.copy()
        self.assertIs(sequence.add(layer, x, out=x), x)
        sequence.run()
        np.testing.assert_array_equal(out, layer.forward(wide[::2, :33]))
        np.testing.assert_array_equal(half, out.astype(np.float16))
        np.testing.assert_array_equal(x, layer.forward(before))

    def test_telemetry_and_changes_of_a_layer(self):
        layer, x = layer_of("telemetry"), vectors("x", 20, 33)
        silent, spoken = SeedSequence(), SeedSequence()
        silent.add(layer, x, telemetry=False)
        silent.run()
        self.assertFalse(layer.has_telemetry())
        y = spoken.add(layer, x)
        spoken.run()
        found = layer.telemetry()
        layer.forward(x)
        np.testing.assert_array_equal(found.mean, layer.telemetry().mean)
        layer.update(np.arange(5), lifecycle="fossilized", alpha=1.0)
        spoken.run()
        np.testing.assert_array_equal(y, layer.forward(x))
        layer.replace_blueprint(0, vectors("other", 33))
        spoken.run()
        np.testing.assert_array_equal(y, layer.forward(x))

    def test_it_keeps_layers_and_arrays_alive(self):
        class Kept(np.ndarray):
            pass
        x = vectors("x", 3, 33).view(Kept)
        x_of = weakref.ref(x)
        sequence, layer = SeedSequence(), layer_of("kept")
        y = sequence.add(layer, x)
        layer.close()
        del layer, x
        gc.collect()
        self.assertIsNotNone(x_of())
        sequence.run()
        self.assertFalse(np.array_equal(y, np.zeros_like(y)))
        self.assertEqual(repr(sequence), "<pykindred.SeedSequence: 1 passes>")
        with sequence:
            pass
        del sequence
        gc.collect()
        self.assertIsNone(x_of())

    def test_no_passes_and_closing(self):
        sequence = SeedSequence()
        sequence.run()
        sequence.wait()
        self.assertEqual(len(sequence), 0)
        sequence.close()
        self.assertEqual(repr(sequence), "<pykindred.SeedSequence: closed>")
        for call in (sequence.run, sequence.wait, lambda: len(sequence), lambda: sequence.add(layer_of("closed"), vectors("x", 1, 33))):
            with self.assertRaisesRegex(pykindred.Error, "closed"):
                call()

    def test_runs_of_several_threads_follow_each_other(self):
        watch(self)
        layer, x = layer_of("threads"), vectors("x", 500, 33)
        sequence = SeedSequence()
        y = sequence.add(layer, sequence.add(layer, x))
        threads = [threading.Thread(target=lambda: [sequence.run() for _ in range(30)]) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        np.testing.assert_array_equal(y, layer.forward(layer.forward(x)))

    def test_wrong_arguments_are_named(self):
        layer, x = layer_of("arguments"), vectors("x", 4, 33)
        sequence = SeedSequence()
        sequence.add(layer, x)
        cases = [
            (pykindred.InvalidType, "layer is of type", lambda: sequence.add(x, x)),
            (pykindred.InvalidType, "x is float64", lambda: sequence.add(layer, x.astype(float))),
            (pykindred.InvalidArgument, "x is", lambda: sequence.add(layer, x[:, :32])),
            (pykindred.InvalidArgument, "gaps", lambda: sequence.add(layer, vectors("wide", 4, 66)[:, ::2])),
            (pykindred.InvalidArgument, "out is", lambda: sequence.add(layer, x, out=x[:3])),
            (pykindred.InvalidType, "out is", lambda: sequence.add(layer, x, out=np.empty((4, 33)))),
            (pykindred.InvalidArgument, "overlap", lambda: sequence.add(layer, x[:3], out=x[1:])),
            (pykindred.InvalidType, "telemetry", lambda: sequence.add(layer, x, telemetry="last")),
            (pykindred.InvalidArgument, "space is", lambda: SeedSequence(space="gpu")),
            (pykindred.InvalidArgument, "stream", lambda: SeedSequence(space="serial", stream=0)),
            (pykindred.InvalidArgument, "stream", lambda: SeedSequence(stream=0).add(layer, x)),
            (pykindred.InvalidArgument, "lie", lambda: SeedSequence(space="cuda").add(layer, x)),
            (pykindred.InvalidType, "stream", lambda: SeedSequence(stream="first")),
        ]
        for error, message, call in cases:
            with self.subTest(message), self.assertRaisesRegex(error, message):
                call()
        self.assertEqual(len(sequence), 1)
        sequence.run()

    def test_rows_on_a_device(self):
        torch, device = torch_device(self)
        layers = [layer_of(f"{number}") for number in range(3)]
        for rows in (1, 33, 2000):
            x = vectors("x", rows, 33)
            given = torch.from_numpy(x).to(device)
            sequence, y = SeedSequence(), given
            for layer in layers:
                y = sequence.add(layer, y)
            for change in (None, 1.5, 0.5):
                if change is not None:
                    given *= change
                    x *= change
                    layers[0].update([0], lifecycle="fossilized", alpha=change / 2)
                sequence.run()
                sequence.wait()
                expected = x
                for layer in layers:
                    expected = layer.forward(expected, telemetry="none")
                np.testing.assert_array_equal(y.cpu().numpy(), expected)
            with self.assertRaises(pykindred.InvalidArgument):
                sequence.add(layers[0], x)


if __name__ == "__main__":
    unittest.main()
