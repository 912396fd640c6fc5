# SPDX-License-Identifier: Apache-2.0
import unittest

import numpy as np

import pykindred
from pykindred import AlphaSchedule, ApplyMode, Lifecycle, SeedLayer, SeedMetrics
from support import check_refusals, generator, run, same, vectors


def layer_of(name, hidden=103, seeds=10, blueprints=3):
    """A layer with any states, and the same as arrays of `forward_seeds`."""
    random, layer = generator(f"layer {name}"), SeedLayer(hidden, seeds)
    weights = random.normal(1, 1, (blueprints, hidden)).astype(np.float32)
    for number, row in enumerate(weights):
        assert layer.add_blueprint(f"blueprint {number}", row) == number
    state = pykindred.SeedState(*map(np.copy, layer.state()))._replace(
        lifecycle=((np.arange(seeds) + 3) % 11).astype(np.int8),
        blueprint=random.integers(0, blueprints, seeds).astype(np.int32),
        mode=random.integers(0, 4, seeds).astype(np.int8),
        alpha=random.random(seeds, dtype=np.float32))
    layer.set_state(state)
    return layer, (state.lifecycle, state.blueprint, state.mode, state.alpha, weights)


class Layer(unittest.TestCase):
    def test_passes_have_the_bits_of_the_functions(self):
        for hidden, seeds in ((1, 1), (103, 10), (5, 9)):
            layer, arrays = layer_of(f"{hidden} {seeds}", hidden, seeds)
            for dtype in (np.float32, np.float16):
                x, g = (vectors(name, 33, hidden).astype(dtype) for name in "xg")
                expected = pykindred.backward_seeds(x, g, *arrays)
                for space in ("serial", "openmp", None):
                    y, (dx, dw) = layer.forward(x, space=space), layer.backward(x, g, space=space)
                    self.assertEqual((y.dtype, y.shape), (x.dtype, x.shape))
                    np.testing.assert_array_equal(y, pykindred.forward_seeds(x, *arrays))
                    np.testing.assert_array_equal(dx, expected.dx)
                    np.testing.assert_array_equal(dw, expected.dweights.sum(0))
            self.assertEqual(layer.forward(x[:0]).shape, (0, hidden))

    def test_the_lifecycle_of_a_seed(self):
        changes = []
        layer = SeedLayer(8, 4, on_transition=lambda *change: changes.append(
            (*change, layer.state().lifecycle[change[0]])))
        blueprint = layer.add_blueprint("triples", np.full(8, 3, np.float32))
        self.assertFalse(layer.request(1, Lifecycle.training).accepted)
        self.assertTrue(layer.germinate(1, blueprint, "linear", AlphaSchedule.momentum).accepted)
        self.assertFalse(layer.germinate(1, blueprint).accepted)
        self.assertTrue(layer.request(1, "training").accepted)
        why = layer.request(1, "grafting").why
        self.assertEqual(why, "0 epochs in training; at least 100 are needed")
        self.assertEqual([layer.step() for _ in range(100)], [[]] * 100)
        self.assertFalse(layer.request(1, "grafting").accepted)
        self.assertTrue(layer.request(1, 3, SeedMetrics(reconstruction_loss=0.001)).accepted)
        self.assertIsNone(layer.schedule_state(0))
        layer.step(SeedMetrics(performance_delta=0.5))
        numbers = layer.schedule_state(1)
        layer.step([SeedMetrics(performance_delta=0.1)] * 4)
        self.assertFalse(np.array_equal(layer.schedule_state(1), numbers))
        layer.set_schedule_state(1, numbers)
        self.assertTrue(same(layer.schedule_state(1), numbers))
        self.assertEqual((layer.epoch, layer.state().alpha[1] > 0), (102, True))
        event, = layer.step(SeedMetrics(error_rate=0.9))
        self.assertEqual(event[:3], (1, Lifecycle.grafting, Lifecycle.rolled_back))
        self.assertEqual({type(event.target), type(changes[0][1])}, {Lifecycle})
        self.assertEqual(layer.history(1), [(3, 10), (2, 3), (1, 2), (0, 1)])
        self.assertEqual(changes, [(1, a, b, b) for a, b in reversed(layer.history(1))])
        layer.germinate(2, blueprint)
        self.assertEqual([layer.report_error(2) for _ in range(5)], [False] * 4 + [True])
        self.assertEqual(Lifecycle(layer.state().lifecycle[2]), Lifecycle.culled)
        self.assertEqual(layer.statistics()["lifecycle"],
                         {"dormant": 2, "culled": 1, "rolled_back": 1})

    def test_rules_and_schedules(self):
        layer = SeedLayer(4, 2, rules=pykindred.TransitionRules(errors_max=1),
                          schedules=pykindred.ScheduleSettings(ramp_epochs=4, alpha_min=0.1))
        blueprint = layer.add_blueprint("ones", np.ones(4, np.float32))
        layer.update(0, lifecycle="grafting", blueprint=blueprint, schedule="linear")
        alphas = [layer.step() or float(layer.state().alpha[0]) for _ in range(5)]
        np.testing.assert_allclose(alphas, [0.25, 0.5, 0.75, 1, 1])
        layer.germinate(1, blueprint)
        self.assertTrue(layer.report_error(1))

    def test_updates(self):
        layer, _ = layer_of("updates", 20, 5)
        layer.update([0, 2, 0], lifecycle=["training", Lifecycle.fossilized, "grafting"],
                     blueprint=1, alpha=np.float32([0.1, 0.2, 0.3]), mode="additive", epochs=7,
                     errors=2, evaluation=0.5, checkpoint=9, schedule=[AlphaSchedule.linear, 1, 2])
        state, other = layer.state(), SeedLayer(20, 5)
        self.assertEqual([tuple(values[[0, 2]].tolist()) for values in (
            state.lifecycle, state.alpha, state.schedule, state.blueprint, state.mode, state.epochs,
            state.errors, state.evaluation, state.checkpoint)],
            [(3, 7), tuple(np.float32([0.3, 0.2]).tolist()), (2, 1), (1, 1),
             (ApplyMode.additive,) * 2, (7, 7), (2, 2), (0.5, 0.5), (9, 9)])
        for one in layer.blueprints().values():
            other.add_blueprint(one.name, one.weights)
        other.set_state(state)
        self.assertTrue(same(list(other.state()), list(state)))

    def test_blueprints(self):
        layer = SeedLayer(6, 3)
        self.assertEqual(layer.blueprints(), {})
        first = layer.add_blueprint("short", np.ones(2, np.float32))
        second = layer.add_blueprint("long", np.ones(6, np.float32))
        layer.replace_blueprint(first, np.float32([5, 6]))
        found = {key: (one.name, one.weights.tolist(), one.version)
                 for key, one in layer.blueprints().items()}
        self.assertEqual(found, {0: ("short", [5, 6], 2), 1: ("long", [1] * 6, 1)})
        layer.update(0, lifecycle="grafting", blueprint=first)
        layer.remove_blueprint(second)
        check_refusals(
            self, (lambda: layer.update(2, lifecycle="grafting", blueprint=first), ValueError, ""),
            (lambda: layer.remove_blueprint(first), ValueError, ""),  # too short, and in use
            (lambda: layer.replace_blueprint(second, np.ones(6, np.float32)), KeyError, ""))
        self.assertEqual(list(layer.blueprints()), [0])
        self.assertEqual([layer.features(seed) for seed in range(3)],
                         [range(0, 2), range(2, 4), range(4, 6)])

    def test_telemetry(self):
        layer, x = layer_of("telemetry", 40, 8)[0], vectors("x", 30, 40)
        self.assertFalse(layer.has_telemetry())
        x[x < -1] = 0
        parts = x.astype(float).reshape(30, 8, 5)
        layer.forward(x)
        layer.start_telemetry()
        found = layer.telemetry()
        dead = (np.abs(parts) < 1e-8).mean((0, 2))
        health = np.minimum(1, parts.var((0, 2)) / 0.01) / 2 + (1 - dead) / 2
        for one, expected in ((found.count, [150] * 8), (found.min, parts.min((0, 2))),
                              (found.max, parts.max((0, 2))), (found.mean, parts.mean((0, 2))),
                              (found.variance, parts.var((0, 2))), (found.dead_ratio, dead),
                              (found.health(), health)):
            np.testing.assert_allclose(one, expected, rtol=1e-12)
        layer.forward(x, telemetry="merged")
        layer.forward(x[:1], telemetry="none")
        np.testing.assert_array_equal(layer.telemetry().count, 300)
        layer.step()
        self.assertEqual((layer.has_telemetry(), layer.has_telemetry(1)), (False, True))
        layer.forward(x[:10])
        each, whole = layer.reduce_telemetry(2, 1, 3)
        self.assertEqual((each.count.tolist(), whole.count.tolist()), ([350] * 3, [1050]))
        self.assertEqual(layer.reduce_telemetry(1)[0].count.tolist(), [50] * 8)
        self.assertEqual(SeedLayer(2, 4).reduce_telemetry(1)[0].health().tolist(), [0] * 4)

    def test_texts_and_numbers(self):
        layer = SeedLayer(3, 2)
        self.assertEqual(repr(layer), "<pykindred.SeedLayer: 2 seeds, 3 features, epoch 0>")
        self.assertEqual((len(layer), layer.hidden, layer.seeds), (2, 3, 2))
        has_gpu = pykindred.default_context().spaces()["cuda"]["usable"]
        self.assertEqual(layer.on_device, has_gpu, layer.device_trouble)

    def test_listeners_may_raise(self):
        self.assertEqual(run("""
            import numpy, sys, pykindred
            sys.unraisablehook = lambda unraisable: print(unraisable.exc_value)
            def listener(*change):
                raise ValueError("no")
            layer = pykindred.SeedLayer(3, 2, on_transition=listener)
            print(layer.germinate(0, layer.add_blueprint("a", numpy.ones(3, "float32"))).accepted)
        """), "no\nTrue\n")


if __name__ == "__main__":
    unittest.main()
