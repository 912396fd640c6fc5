# SPDX-License-Identifier: Apache-2.0
import copy
import gc
import pickle
import tempfile
import threading
import unittest
from pathlib import Path

import numpy as np

import pykindred
from pykindred import AlphaSchedule, ApplyMode, Lifecycle, SeedMetrics
from support import Exported, generator, run, vectors
from watchdog import watch


def layer_of(name, hidden=103, seeds=10, blueprints=3, **options):
    """A layer with any states, and the same as arrays of `forward_seeds`."""
    random = generator(f"layer {name}")
    layer = pykindred.SeedLayer(hidden, seeds, **options)
    weights = random.normal(1, 1, (blueprints, hidden)).astype(np.float32)
    for number, row in enumerate(weights):
        assert layer.add_blueprint(f"blueprint {number}", row) == number
    state = pykindred.SeedState(*map(np.copy, layer.state()))._replace(
        lifecycle=((np.arange(seeds) + 3) % 11).astype(np.int8), blueprint=random.integers(0, blueprints, seeds).astype(np.int32),
        mode=random.integers(0, 4, seeds).astype(np.int8), alpha=random.random(seeds, dtype=np.float32))
    layer.set_state(state)
    return layer, (state.lifecycle, state.blueprint, state.mode, state.alpha, weights)


class SeedLayer(unittest.TestCase):
    def test_passes_have_the_bits_of_the_functions(self):
        for hidden, seeds in ((1, 1), (7, 3), (103, 10), (5, 9), (130, 200)):
            layer, arrays = layer_of(f"{hidden} {seeds}", hidden, seeds)
            for rows in (0, 1, 33):
                for dtype in (np.float32, np.float16):
                    x, g = vectors("x", rows, hidden).astype(dtype), vectors("g", rows, hidden).astype(dtype)
                    for space in ("serial", "openmp", None):
                        y = layer.forward(x, space=space)
                        self.assertEqual((y.dtype, y.shape), (x.dtype, x.shape))
                        np.testing.assert_array_equal(y, pykindred.forward_seeds(x, *arrays))
                        dx, dw = layer.backward(x, g, space=space)
                        expected = pykindred.backward_seeds(x, g, *arrays)
                        np.testing.assert_array_equal(dx, expected.dx)
                        np.testing.assert_array_equal(dw, expected.dweights.sum(0) if rows else np.zeros(hidden))

    def test_outputs_and_gaps(self):
        layer, arrays = layer_of("gaps")
        wide, out = vectors("x", 8, 120), np.zeros((8, 120), np.float32)
        expected = pykindred.forward_seeds(wide[::2, 5:108], *arrays)
        np.testing.assert_array_equal(layer.forward(wide[::2, 5:108], copy=False), expected)
        np.testing.assert_array_equal(layer.forward(wide[::2, 5:108], out=out[1::2, :103]), expected)
        np.testing.assert_array_equal(out[::2], 0)
        half = np.empty((4, 103), np.float16)
        self.assertIs(layer.forward(Exported(wide[::2, 5:108]), out=half), half)
        np.testing.assert_array_equal(half, expected.astype(np.float16))
        x, g = wide[:4, :103].copy(), vectors("g", 4, 103)
        dx, dw = layer.backward(x, g)
        places = np.empty_like(x), np.empty(103, np.float32)
        self.assertIs(layer.backward(x, g, out=places)[0], places[0])
        np.testing.assert_array_equal(places[0], dx)
        np.testing.assert_array_equal(places[1], dw)
        self.assertIs(layer.backward(x, g, out=(g, dw))[0], g)
        np.testing.assert_array_equal(g, dx)
        dx, _ = layer.backward(wide[:, :103], vectors("g", 8, 103))
        np.testing.assert_array_equal(dx, layer.backward(wide[:, :103].copy(), vectors("g", 8, 103))[0])
        y = layer.forward(x)
        self.assertIs(layer.forward(x, out=x), x)
        np.testing.assert_array_equal(x, y)

    def test_the_lifecycle_of_a_seed(self):
        changes = []
        layer = pykindred.SeedLayer(8, 4, on_transition=lambda *change: changes.append((*change, layer.state().lifecycle[change[0]])))
        blueprint = layer.add_blueprint("triples", np.full(8, 3, np.float32))
        refused = layer.request(1, Lifecycle.training)
        self.assertFalse(refused.accepted)
        self.assertTrue(layer.germinate(1, blueprint, "linear", AlphaSchedule.momentum).accepted)
        self.assertFalse(layer.germinate(1, blueprint).accepted)
        self.assertTrue(layer.request(1, "training").accepted)
        self.assertEqual(layer.request(1, "grafting").why, "0 epochs in training; at least 100 are needed")
        for _ in range(100):
            self.assertEqual(layer.step(), [])
        self.assertFalse(layer.request(1, "grafting").accepted)
        self.assertTrue(layer.request(1, 3, SeedMetrics(reconstruction_loss=0.001)).accepted)
        self.assertIsNone(layer.schedule_state(0))
        self.assertEqual(layer.schedule_state(1).dtype, np.float64)
        layer.step(SeedMetrics(performance_delta=0.5))
        numbers = layer.schedule_state(1)
        layer.step([SeedMetrics(), SeedMetrics(performance_delta=0.1), SeedMetrics(), SeedMetrics()])
        self.assertFalse(np.array_equal(layer.schedule_state(1), numbers))
        layer.set_schedule_state(1, numbers)
        np.testing.assert_array_equal(layer.schedule_state(1), numbers)
        self.assertGreater(layer.state().alpha[1], 0)
        self.assertEqual(layer.epoch, 102)
        event, = layer.step(SeedMetrics(error_rate=0.9))
        self.assertEqual(event[:3], (1, Lifecycle.grafting, Lifecycle.rolled_back))
        self.assertIsInstance(event.target, Lifecycle)
        self.assertEqual(layer.history(1), [(3, 10), (2, 3), (1, 2), (0, 1)])
        self.assertEqual(changes, [(1, a, b, b) for a, b in reversed(layer.history(1))])
        self.assertIsInstance(changes[0][1], Lifecycle)
        layer.germinate(2, blueprint)
        self.assertEqual([layer.report_error(2) for _ in range(5)], [False] * 4 + [True])
        self.assertEqual(Lifecycle(layer.state().lifecycle[2]), Lifecycle.culled)
        self.assertEqual(layer.statistics()["lifecycle"], {"dormant": 2, "culled": 1, "rolled_back": 1})

    def test_rules_and_schedules(self):
        layer = pykindred.SeedLayer(4, 2, rules=pykindred.TransitionRules(errors_max=1), schedules=pykindred.ScheduleSettings(ramp_epochs=4, alpha_min=0.1))
        blueprint = layer.add_blueprint("ones", np.ones(4, np.float32))
        layer.update(0, lifecycle="grafting", blueprint=blueprint, schedule="linear")
        alphas = []
        for _ in range(5):
            layer.step()
            alphas.append(float(layer.state().alpha[0]))
        np.testing.assert_allclose(alphas, [0.25, 0.5, 0.75, 1, 1])
        layer.germinate(1, blueprint)
        self.assertTrue(layer.report_error(1))

    def test_updates(self):
        layer, _ = layer_of("updates", 20, 5)
        layer.update([0, 2, 0], lifecycle=["training", Lifecycle.fossilized, "grafting"], blueprint=1, alpha=np.float32([0.1, 0.2, 0.3]), mode="additive",
                     epochs=7, errors=2, evaluation=0.5, checkpoint=9, schedule=[AlphaSchedule.linear, 1, 2])
        state = layer.state()
        self.assertEqual([state.lifecycle[0], state.lifecycle[2], state.mode[0], state.epochs[2], state.errors[0], state.checkpoint[0], state.schedule[0]],
                         [3, 7, ApplyMode.additive, 7, 2, 9, 2])
        self.assertEqual((state.alpha[0], state.alpha[2], state.evaluation[0]), (np.float32(0.3), np.float32(0.2), np.float32(0.5)))
        other = pykindred.SeedLayer(20, 5)
        for one in layer.blueprints().values():
            other.add_blueprint(one.name, one.weights)
        other.set_state(state)
        for one, copied in zip(state, other.state(), strict=True):
            np.testing.assert_array_equal(one, copied)

    def test_blueprints(self):
        layer = pykindred.SeedLayer(6, 3)
        self.assertEqual(layer.blueprints(), {})
        first, second = layer.add_blueprint("short", np.ones(2, np.float32)), layer.add_blueprint("long", np.ones(6, np.float32))
        layer.replace_blueprint(first, np.float32([5, 6]))
        found = layer.blueprints()
        self.assertEqual({key: (one.name, one.weights.tolist(), one.version) for key, one in found.items()}, {0: ("short", [5, 6], 2), 1: ("long", [1] * 6, 1)})
        with self.assertRaises(pykindred.InvalidArgument):
            layer.update(2, lifecycle="grafting", blueprint=first)
        layer.update(0, lifecycle="grafting", blueprint=first)
        with self.assertRaises(ValueError):
            layer.remove_blueprint(first)
        layer.remove_blueprint(second)
        self.assertEqual(list(layer.blueprints()), [0])
        with self.assertRaises(KeyError):
            layer.replace_blueprint(second, np.ones(6, np.float32))
        self.assertEqual([layer.features(seed) for seed in range(3)], [range(0, 2), range(2, 4), range(4, 6)])

    def test_telemetry(self):
        layer, _ = layer_of("telemetry", 40, 8)
        self.assertFalse(layer.has_telemetry())
        with self.assertRaises(KeyError):
            layer.telemetry()
        x = vectors("x", 30, 40)
        x[x < -1] = 0
        parts = x.astype(float).reshape(30, 8, 5)
        layer.forward(x)
        layer.start_telemetry()
        found = layer.telemetry()
        np.testing.assert_array_equal(found.count, 150)
        np.testing.assert_allclose(found.mean, parts.mean((0, 2)), rtol=1e-12)
        np.testing.assert_allclose(found.variance, parts.var((0, 2)), rtol=1e-12)
        np.testing.assert_array_equal(found.min, parts.min((0, 2)))
        np.testing.assert_array_equal(found.max, parts.max((0, 2)))
        np.testing.assert_allclose(found.dead_ratio, (np.abs(parts) < 1e-8).mean((0, 2)))
        np.testing.assert_allclose(found.health(), 1 - found.dead_ratio / 2)
        layer.forward(x, telemetry="merged")
        np.testing.assert_array_equal(layer.telemetry().count, 300)
        layer.forward(x[:1], telemetry="none")
        np.testing.assert_array_equal(layer.telemetry().count, 300)
        layer.step()
        self.assertEqual((layer.has_telemetry(), layer.has_telemetry(1)), (False, True))
        layer.forward(x[:10])
        each, whole = layer.reduce_telemetry(2, 1, 3)
        self.assertEqual((each.count.tolist(), whole.count.tolist()), ([350] * 3, [1050]))
        self.assertEqual(layer.reduce_telemetry(1)[0].count.tolist(), [50] * 8)
        self.assertEqual(pykindred.SeedLayer(2, 4).reduce_telemetry(1)[0].health().tolist(), [0] * 4)

    def test_checkpoints_copies_and_pickles(self):
        layer, _ = layer_of("files", 20, 5, rules=pykindred.TransitionRules(errors_max=2))
        layer.update(1, lifecycle="grafting", schedule="momentum", blueprint=0)
        layer.step(SeedMetrics(performance_delta=0.3))
        x = vectors("x", 4, 20)
        with tempfile.TemporaryDirectory() as folder:
            layer.save(Path(folder, "state"))
            layer.save_blueprints(Path(folder, "blueprints"))
            other = pykindred.SeedLayer(20, 5)
            with self.assertRaises(ValueError):
                other.restore(Path(folder, "state"))
            other.restore_blueprints(Path(folder, "blueprints"))
            other.restore(Path(folder, "state"))
            with self.assertRaises(KeyError):
                layer.restore(Path(folder, "nothing"))
            with self.assertRaises(pykindred.CorruptFile):
                layer.restore_blueprints(Path(folder, "state"))
        copies = [other, copy.copy(layer), copy.deepcopy(layer), *(pickle.loads(pickle.dumps(layer, protocol)) for protocol in range(2, 6))]
        for one in copies:
            np.testing.assert_array_equal(one.forward(x), layer.forward(x))
            for mine, given in zip(one.state(), layer.state(), strict=True):
                np.testing.assert_array_equal(mine, given)
            np.testing.assert_array_equal(one.schedule_state(1), layer.schedule_state(1))
        empty = pickle.loads(pickle.dumps(pykindred.SeedLayer(3, 2)))
        self.assertEqual((empty.hidden, empty.seeds, empty.blueprints()), (3, 2, {}))
        self.assertEqual([one.report_error(1) for one in copies[1:2] for _ in range(2)], [False, True])

    def test_closing_and_texts(self):
        with pykindred.SeedLayer(3, 2) as layer:
            self.assertEqual(repr(layer), "<pykindred.SeedLayer: 2 seeds, 3 features, epoch 0>")
            self.assertEqual((len(layer), layer.hidden, layer.seeds, layer.on_device, layer.device_trouble), (2, 3, 2, pykindred.default_context().spaces()["cuda"]["usable"], layer.device_trouble))
        self.assertEqual(repr(layer), "<pykindred.SeedLayer: closed>")
        for call in (layer.step, layer.state, lambda: layer.hidden, lambda: layer.forward(np.ones((1, 3), np.float32))):
            with self.assertRaisesRegex(pykindred.Error, "the SeedLayer is closed"):
                call()

    def test_threads(self):
        watch(self)
        layer, arrays = layer_of("threads", 60, 7)
        x, failures = vectors("x", 20, 60), []
        expected = pykindred.forward_seeds(x, *arrays)

        def work():
            for _ in range(20):
                if not np.array_equal(layer.forward(x), expected):
                    failures.append(1)
                layer.telemetry()
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_listeners_may_raise_and_are_released(self):
        self.assertEqual(run("""
            import sys
            import pykindred
            sys.unraisablehook = lambda unraisable: print(unraisable.exc_value)
            def listener(*change):
                raise ValueError("no")
            layer = pykindred.SeedLayer(3, 2, on_transition=listener)
            print(layer.germinate(0, layer.add_blueprint("a", __import__("numpy").ones(3, "float32"))).accepted)
        """), "no\nTrue\n")

        class Listener:
            def __call__(self, *change):
                released.append(None)

            def __del__(self):
                released.append(1)
        released = []
        layer = pykindred.SeedLayer(3, 2, on_transition=Listener())
        layer.close()
        del layer
        gc.collect()
        self.assertEqual(released, [1])

    def test_wrong_arguments_are_named(self):
        layer, _ = layer_of("wrong", 6, 3)
        x, state = vectors("x", 5, 6), layer.state()
        read_only = np.empty((5, 6), np.float32)
        read_only.flags.writeable = False
        make = pykindred.SeedLayer
        for call, error, message in (
                (lambda: make(0, 1), ValueError, "hidden"), (lambda: make(-1, 1), ValueError, "hidden"), (lambda: make(2**32, 1), ValueError, "hidden"), (lambda: make("6", 1), TypeError, "hidden"),
                (lambda: make(6, 2**40), ValueError, "seeds"), (lambda: make(6, 1, telemetry_epochs=-1), ValueError, "telemetry_epochs"), (lambda: make(6, 1, residency="gpu"), ValueError, "residency"),
                (lambda: make(6, 1, rules=3), TypeError, "rules"), (lambda: make(6, 1, rules=pykindred.TransitionRules(errors_max=0)), ValueError, ""), (lambda: make(6, 1, rules=pykindred.TransitionRules(errors_max=2**15)), ValueError, "errors_max"),
                (lambda: make(6, 1, schedules=pykindred.ScheduleSettings(ramp_epochs="x")), TypeError, "ramp_epochs"), (lambda: make(6, 1, schedules=pykindred.ScheduleSettings(ramp_epochs=0)), ValueError, ""),
                (lambda: make(6, 1, on_transition=3), TypeError, "on_transition"), (lambda: make(6, 1, context=3), TypeError, "context"),
                (lambda: layer.add_blueprint(3, x[0]), TypeError, "name"), (lambda: layer.add_blueprint("", x[0]), ValueError, ""), (lambda: layer.add_blueprint("a", x), ValueError, "weights is"),
                (lambda: layer.add_blueprint("a", x[0].astype(float)), TypeError, "weights is"), (lambda: layer.add_blueprint("a", np.ones(7, np.float32)), ValueError, ""), (lambda: layer.remove_blueprint(-1), ValueError, "blueprint"),
                (lambda: layer.remove_blueprint(9), KeyError, ""), (lambda: layer.set_state(3), TypeError, "state"), (lambda: layer.set_state(state._replace(alpha=state.alpha.astype(float))), TypeError, "state.alpha"),
                (lambda: layer.set_state(state._replace(alpha=state.alpha[:2])), ValueError, "alpha"), (lambda: layer.set_state(state._replace(history_to=state.history_to[:, :9])), ValueError, "state.history_to"),
                (lambda: layer.set_state(state._replace(mode=np.int8([0, 9, 0]))), ValueError, "mode"), (lambda: layer.update(9, alpha=0.5), ValueError, "seed"), (lambda: layer.update(0, alpha=2), ValueError, "alpha"),
                (lambda: layer.update(0, alpha="x"), ValueError, "alpha"), (lambda: layer.update(0, lifecycle="asleep"), ValueError, "lifecycle is 'asleep'"), (lambda: layer.update([0, 1], alpha=[0.5]), ValueError, "alpha has 1 values"),
                (lambda: layer.update(0, lifecycle=np.int64([1])), TypeError, "lifecycle is"), (lambda: layer.update(0, epochs=2**20), ValueError, "epochs"), (lambda: layer.update(-1, alpha=0.5), ValueError, "seeds"),
                (lambda: layer.update(0, blueprint=77), ValueError, "blueprint"), (lambda: layer.request(9, "training"), ValueError, "seed"), (lambda: layer.request(0, "asleep"), ValueError, "to is 'asleep'"), (lambda: layer.request(0, 11), ValueError, "to is"),
                (lambda: layer.request(0, None), TypeError, "to is"), (lambda: layer.request(0, "training", 3), TypeError, "metrics"), (lambda: layer.request(0, "training", SeedMetrics(error_rate="x")), TypeError, "metrics.error_rate"),
                (lambda: layer.germinate(0, "a"), TypeError, "blueprint"), (lambda: layer.germinate(0, 0, mode="divide"), ValueError, "mode is 'divide'"), (lambda: layer.germinate(0, 0, schedule=5), ValueError, "schedule is"),
                (lambda: layer.step([SeedMetrics()]), ValueError, ""), (lambda: layer.step(SeedMetrics(weights=x)), ValueError, "metrics.weights"), (lambda: layer.set_schedule_state(1, np.ones(3)), ValueError, ""),
                (lambda: layer.history(3), ValueError, "seed is 3"), (lambda: layer.features(3), ValueError, "seed is 4"), (lambda: layer.forward(x.astype(float)), TypeError, "x is float64"), (lambda: layer.forward(x[:, :5]), ValueError, "x is"),
                (lambda: layer.forward(x[0]), ValueError, "x is"), (lambda: layer.forward(x, telemetry="all"), ValueError, "telemetry"), (lambda: layer.forward(x, space="gpu"), ValueError, "space"), (lambda: layer.forward(x, stream=3), ValueError, "stream"),
                (lambda: layer.forward(x, out=read_only), ValueError, "out is read-only"), (lambda: layer.forward(x, out=x[:4]), ValueError, "out is"), (lambda: layer.forward(x, out=np.empty((5, 6))), TypeError, "out is"),
                (lambda: layer.forward(x[:4], out=x[1:]), ValueError, "overlap"), (lambda: layer.forward(Exported(x, 0)), (ValueError, RuntimeError), ""), (lambda: layer.forward(x[:, ::-1], copy=False), ValueError, "x is"),
                (lambda: layer.backward(x, x.astype(np.float16)), TypeError, "gradient is"), (lambda: layer.backward(x, x[:4]), ValueError, "gradient is"), (lambda: layer.backward(x, x.copy(), out=3), TypeError, "out"),
                (lambda: layer.backward(x, x.copy(), out=(x.astype(np.float16), x[0])), TypeError, "dx is"), (lambda: layer.backward(x, x.copy(), out=(np.empty_like(x), np.ones(5, np.float32))), ValueError, "dw is"),
                (lambda: layer.telemetry(-1), ValueError, "age"), (lambda: layer.telemetry(99), KeyError, ""), (lambda: layer.reduce_telemetry(0), ValueError, ""), (lambda: layer.reduce_telemetry(1, 2, 5), ValueError, ""), (lambda: layer.save(3), TypeError, "path")):
            with self.subTest(message), self.assertRaisesRegex(error, message) as raised:
                call()
            self.assertIsInstance(raised.exception, pykindred.Error)


if __name__ == "__main__":
    unittest.main()
