# SPDX-License-Identifier: Apache-2.0
"""Prepared calls give the bits of the calls that they prepare, with whatever their arrays contain when they run."""
import gc
import signal
import threading
import unittest
import weakref

import numpy as np

import pykindred
from pykindred import PreparedBulk, PreparedLayer, PreparedScore
from support import METRICS, QUIET_FORK, SIZES, Exported, generator, run, torch_device, vectors

SPACES = [name for name, space in pykindred.default_context().spaces().items() if space["usable"] and name != "cuda"]
MATRICES = ((1, 1), (1, 33), (3, 7), (32, 31), (200, 300))


def numbers(name, dtype, *shape):
    return generator(name).standard_normal(shape).astype(dtype)


class OnlyArray(np.ndarray):
    """An array of NumPy of which there can be weak references."""


class Bulk(unittest.TestCase):
    def setUp(self):
        self.bulk = pykindred.Bulk()

    def run_twice(self, prepared, expected, change):
        """Runs before and after a change of what it reads."""
        for _ in range(2):
            found, wanted = prepared.run(), expected()
            self.assertIs(found, prepared.out)
            for one, other in zip(found, wanted) if isinstance(found, list) else [(found, wanted)]:
                np.testing.assert_array_equal(one, other)
                self.assertEqual(one.dtype, other.dtype)
            prepared.wait()
            change()

    def test_element_wise_operations_are_those_of_bulk(self):
        for space in (None, *SPACES):
            for dtype in ("float32", "float64"):
                for size in (*SIZES, 70_000):
                    a, b = np.abs(numbers("a", dtype, size)), numbers("b", dtype, size)

                    def change(a=a):
                        a += 1
                    for operation, other in (("add", b), ("multiply", 0.5), ("add", 3), ("square", None), ("sqrt", None), ("exp", None)):
                        self.run_twice(PreparedBulk.element_wise(operation, a, other, space=space),
                                       lambda operation=operation, other=other, a=a: self.bulk.element_wise(operation, a, other), change)

    def test_lists_are_one_call(self):
        arrays = [numbers(f"list {size}", "float32", size) for size in SIZES]
        others = [2 * array for array in arrays]

        def change():
            for array in arrays:
                array *= 1.5
        self.run_twice(PreparedBulk.element_wise("add", arrays, tuple(others)),
                       lambda: [self.bulk.element_wise("add", a, b) for a, b in zip(arrays, others)], change)
        out = [np.empty_like(array) for array in arrays]
        prepared = PreparedBulk.element_wise("square", arrays, out=out)
        self.assertEqual([id(array) for array in prepared.run()], [id(array) for array in out])
        np.testing.assert_array_equal(out[-1], arrays[-1] ** 2)
        self.run_twice(PreparedBulk.reduce("sum", arrays), lambda: np.array([self.bulk.reduce("sum", a.astype(np.float64))[0] for a in arrays]), lambda: None)

    def test_in_place(self):
        a = np.float32([1, 2])
        prepared = PreparedBulk.element_wise("multiply", a, 2, out=a)
        self.assertIs(prepared.run(), a)
        prepared.run()
        np.testing.assert_array_equal(a, [4, 8])

    def test_xor(self):
        for space in (None, *SPACES):
            for dtype in ("bool", "int8", "uint16", "int64"):
                for size in SIZES:
                    a, key = (generator(name).integers(0, 2, size).astype(dtype) for name in "ab")
                    np.testing.assert_array_equal(PreparedBulk.xor(a, key, space=space).run(), a ^ key)

    def test_reductions_of_rows_are_not_rounded(self):
        for space in (None, *SPACES):
            for dtype in ("float32", "float64"):
                for shape in ((1,), (33,), (3, 7), (5, 5000)):
                    a = numbers("a", dtype, *shape)
                    for reduction in ("sum", "min", "max", "mean", "deviation"):
                        found = PreparedBulk.reduce(reduction, a, space=space).run()
                        self.assertEqual(found.dtype, np.float64)
                        np.testing.assert_array_equal(found.astype(dtype), self.bulk.reduce(reduction, a))
        wide = numbers("wide", "float32", 6, 20)
        out = np.empty(3)
        self.assertIs(PreparedBulk.reduce("max", wide[::2, 5:10], out=out).run(), out)
        np.testing.assert_array_equal(out, wide[::2, 5:10].max(1))

    def test_products(self):
        for space in (None, *SPACES):
            for m, k, n in ((1, 1, 1), (3, 4, 5), (33, 31, 32), (0, 3, 2), (2, 0, 3)):
                a, b = numbers("a", "float64", m, k), numbers("b", "float64", k, n)
                self.run_twice(PreparedBulk.multiply(a, b, reproducible=True, space=space),
                               lambda a=a, b=b: self.bulk.multiply(a, b, reproducible=True), lambda a=a: np.negative(a, out=a))
                np.testing.assert_allclose(PreparedBulk.multiply(a, b).run(), a @ b, atol=1e-12)
        a, b = numbers("a", "float32", 4, 2, 3), numbers("b", "float32", 4, 3, 5)
        np.testing.assert_array_equal(PreparedBulk.multiply(a, b, reproducible=True).run(), self.bulk.multiply(a, b, reproducible=True))
        lists = [list(a), list(b)]
        np.testing.assert_array_equal(PreparedBulk.multiply(*lists, reproducible=True).run(), self.bulk.multiply(a, b, reproducible=True))

    def test_normalised_and_random_numbers(self):
        for space in (None, *SPACES):
            for dtype in ("float32", "float64"):
                a = numbers("a", dtype, 1000)
                found = PreparedBulk.normalise(a, space=space).run()
                np.testing.assert_allclose(found, (a - a.mean()) / (a.std() + 1e-8), rtol=1e-4, atol=1e-6)
                whole, parts = np.empty(100, dtype), [np.empty(30, dtype), np.empty(70, dtype)]
                PreparedBulk.random_fill(whole, 7, space=space).run()
                PreparedBulk.random_fill(parts, 7, space=space).run()
                np.testing.assert_array_equal(whole, np.concatenate(parts))
                self.assertTrue(0 <= whole.min() < whole.max() < 1)
        np.testing.assert_array_equal(PreparedBulk.random_fill(np.empty(9, np.uint8), 7, offset=3).run(),
                                      PreparedBulk.random_fill(np.empty(12, np.uint8), 7).run()[3:])

    def test_integers_and_rows_with_gaps(self):
        for dtype in ("bool", "int8", "uint16", "int64"):
            wide = generator("wide").integers(0, 2, (6, 8)).astype(dtype)
            a, out = wide[::2, 1:6], np.zeros((3, 5), dtype)
            self.run_twice(PreparedBulk.element_wise("add", a, a, out=out), lambda a=a: self.bulk.element_wise("add", a, a), lambda: None)
            self.assertEqual(PreparedBulk.reduce("sum", a).run().tolist(), a.sum(1).tolist())
            self.assertEqual(PreparedBulk.reduce("max", a).run().tolist(), a.max(1).tolist())
            self.assertEqual(PreparedBulk.reduce("mean", [a.copy()]).run().tolist(), [a.mean()])

    def test_scalars_of_numpy_are_numbers(self):
        for dtype in ("float32", "float64"):
            a = numbers("a", dtype, 10)
            for number in (np.float32(2), np.float64(2), np.int64(2), np.uint8(2)):
                np.testing.assert_array_equal(PreparedBulk.element_wise("add", a, number).run(), a + a.dtype.type(2))
                np.testing.assert_array_equal(self.bulk.element_wise("add", a, number), a + a.dtype.type(2))
        np.testing.assert_array_equal(self.bulk.element_wise("add", np.arange(3), np.int8(2)), [2, 3, 4])

    def test_errors_do_not_recommend_what_a_prepared_call_lacks(self):
        with self.assertRaises(pykindred.InvalidArgument) as raised:
            PreparedBulk.element_wise("add", np.ones((4, 4))[:, ::2], 1)
        self.assertNotIn("copy=", str(raised.exception))
        with self.assertRaisesRegex(pykindred.InvalidArgument, "or copy=None, which copies"):
            self.bulk.element_wise("add", np.ones((4, 4))[:, ::2], 1, copy=False)

    def test_arrays_are_kept_alive_until_it_is_closed(self):
        for call in (lambda a: PreparedBulk.element_wise("add", [a], [a], out=[a]), lambda a: PreparedBulk.reduce("sum", a),
                     lambda a: PreparedLayer.norm(a.reshape(1, -1).view(OnlyArray), out=np.empty((1, 8), np.float32))):
            array = np.ones(8, np.float32).view(OnlyArray)
            array_of = weakref.ref(array)
            prepared = call(array)
            del array
            gc.collect()
            self.assertIsNotNone(array_of())
            prepared.run()
            prepared.close()
            del prepared
            gc.collect()
            self.assertIsNone(array_of())

    def test_arrays_of_other_libraries(self):
        a = numbers("a", "float32", 5, 4)
        np.testing.assert_array_equal(PreparedBulk.element_wise("square", Exported(a)).run(), a * a)

    def test_arrays_on_a_device(self):
        torch, device = torch_device(self)
        stream = torch.cuda.Stream()
        arrays = [numbers(f"list {size}", "float32", size) for size in (1, 33, 70_000)]
        tensors = [torch.from_numpy(array).to(device) for array in arrays]
        a, b = (numbers(name, "float64", 40, 40) for name in "ab")
        left, right = (torch.from_numpy(one).to(device) for one in (a, b))
        torch.cuda.synchronize()
        for given in (None, stream):
            calls = [
                (PreparedBulk.element_wise("add", tensors, tensors, stream=given), lambda: [self.bulk.element_wise("add", one, one) for one in arrays]),
                (PreparedBulk.normalise(tensors, stream=given), lambda: PreparedBulk.normalise(arrays).run()),
                (PreparedBulk.reduce("sum", tensors, stream=given), lambda: [PreparedBulk.reduce("sum", arrays).run()]),
                (PreparedBulk.reduce("max", left[:, 3:], stream=given), lambda: [PreparedBulk.reduce("max", a[:, 3:]).run()]),
                (PreparedBulk.multiply(left, right, reproducible=True, stream=given), lambda: [self.bulk.multiply(a, b, reproducible=True)]),
            ]
            for prepared, expected in calls:
                self.assertEqual(prepared.space, "cuda")
                for _ in range(2):
                    found = prepared.run()
                    prepared.wait()
                    for one, other in zip(found if isinstance(found, list) else [found], expected()):
                        np.testing.assert_array_equal(one.cpu().numpy(), other)
        with self.assertRaises(pykindred.InvalidArgument):
            PreparedBulk.element_wise("add", tensors[0], arrays[0])

    def test_runs_of_several_threads_follow_each_other(self):
        a = np.zeros(40_000)
        prepared = PreparedBulk.element_wise("add", a, 1, out=a)
        threads = [threading.Thread(target=lambda: [prepared.run() for _ in range(50)]) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        np.testing.assert_array_equal(a, 200)

    def test_a_handler_of_a_signal_ends_a_run_and_the_next_one_is_complete(self):
        def late(*_):
            raise TimeoutError
        a = np.ones(10_000_000)
        prepared = PreparedBulk.element_wise("exp", a, space="serial")
        expected = prepared.run().copy()
        before = signal.signal(signal.SIGALRM, late)
        self.addCleanup(signal.signal, signal.SIGALRM, before)
        signal.setitimer(signal.ITIMER_REAL, 0.03)
        with self.assertRaises(TimeoutError):
            while True:
                prepared.run()
        signal.setitimer(signal.ITIMER_REAL, 0)
        np.testing.assert_array_equal(prepared.run(), expected)

    def test_a_child_process_cannot_run_it(self):
        self.assertEqual(run("""
            import os
            import numpy as np
            import pykindred
            a = np.ones((4, 40_000))
            prepared = [pykindred.PreparedBulk.element_wise("square", a), pykindred.PreparedLayer.norm(a.astype(np.float32))]
            for one in prepared:
                one.run()
            child = os.fork()
            if child == 0:
                refused = 0
                for one in prepared:
                    try:
                        one.run()
                    except pykindred.SpaceUnavailable:
                        refused += 1
                del one, prepared
                os._exit(refused)
            print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
            for one in prepared:
                one.run()
        """, PYTHONWARNINGS=QUIET_FORK), "2\n")

    def test_closing(self):
        a = np.ones(3)
        prepared = PreparedBulk.element_wise("square", a, space="serial")
        self.assertEqual((repr(prepared), prepared.space), ("<pykindred.PreparedBulk: on serial>", "serial"))
        with prepared:
            prepared.run()
        prepared.close()
        self.assertEqual(repr(prepared), "<pykindred.PreparedBulk: closed>")
        for call in (prepared.run, prepared.wait, lambda: prepared.space):
            with self.assertRaisesRegex(pykindred.Error, "closed"):
                call()
        with self.assertRaisesRegex(TypeError, "class methods"):
            PreparedBulk()

    def test_wrong_arguments_are_named(self):
        a, b = np.ones((2, 3), np.float32), np.ones((3, 2), np.float32)
        read_only = a.copy()
        read_only.flags.writeable = False
        cases = [
            (pykindred.InvalidType, "arrays is float16", lambda: PreparedBulk.element_wise("add", np.float16([1]), 1)),
            (pykindred.InvalidArgument, "128", lambda: PreparedBulk.element_wise("add", np.int8([1]), 128)),
            (pykindred.InvalidType, r"arrays\[1\] is float64", lambda: PreparedBulk.element_wise("square", [a, np.ones(2)])),
            (pykindred.InvalidArgument, "empty list", lambda: PreparedBulk.element_wise("square", [])),
            (pykindred.InvalidArgument, "the shape of", lambda: PreparedBulk.element_wise("add", a, b)),
            (pykindred.InvalidArgument, "others has 2", lambda: PreparedBulk.element_wise("add", [a], [a, a])),
            (pykindred.InvalidArgument, "needs a number", lambda: PreparedBulk.element_wise("add", a)),
            (pykindred.InvalidArgument, "no second operand", lambda: PreparedBulk.element_wise("sqrt", a, 2)),
            (pykindred.InvalidArgument, "operation is 'power'", lambda: PreparedBulk.element_wise("power", a)),
            (pykindred.InvalidArgument, "gaps", lambda: PreparedBulk.element_wise("square", a[:, ::2])),
            (pykindred.InvalidArgument, "gaps", lambda: PreparedBulk.normalise(a[:, :2])),
            (pykindred.InvalidArgument, "out is .* must be", lambda: PreparedBulk.element_wise("square", a, out=b)),
            (pykindred.InvalidType, "out is .* must be", lambda: PreparedBulk.element_wise("square", a, out=np.ones((2, 3)))),
            (pykindred.InvalidArgument, "read-only", lambda: PreparedBulk.element_wise("square", a, out=read_only)),
            (pykindred.InvalidArgument, "overlap", lambda: PreparedBulk.element_wise("square", a[:1], out=a.reshape(-1)[1:4].reshape(1, 3))),
            (pykindred.Error, "cuda", lambda: PreparedBulk.element_wise("square", a, space="cuda")),
            (pykindred.InvalidArgument, "stream", lambda: PreparedBulk.element_wise("square", a, stream=0)),
            (pykindred.InvalidArgument, "space is", lambda: PreparedBulk.element_wise("square", a, space="gpu")),
            (pykindred.InvalidType, "context", lambda: PreparedBulk.element_wise("square", a, context="default")),
            (pykindred.InvalidType, "arrays is float32", lambda: PreparedBulk.xor(a, a)),
            (pykindred.InvalidArgument, "min", lambda: PreparedBulk.reduce("min", np.empty((2, 0), np.float32))),
            (pykindred.InvalidArgument, "64 bits", lambda: PreparedBulk.reduce("sum", a, out=np.empty(2, np.float32))),
            (pykindred.InvalidArgument, r"b is float32 \[2, 3\]", lambda: PreparedBulk.multiply(a, a)),
            (pykindred.InvalidArgument, "as many", lambda: PreparedBulk.multiply([a], [b, b])),
            (pykindred.InvalidType, "uint8 or float32 or float64", lambda: PreparedBulk.random_fill(np.empty(3, np.int32), 1)),
            (pykindred.InvalidArgument, "seed", lambda: PreparedBulk.random_fill(np.empty(3), -1)),
            (pykindred.SpaceUnavailable, "device", lambda: PreparedBulk.element_wise("square", Exported(a, device=7), stream=0)),
        ]
        for error, message, call in cases:
            with self.subTest(message), self.assertRaisesRegex(error, message):
                call()


class Layers(unittest.TestCase):
    def test_layers_are_those_of_the_functions(self):
        for space in (None, *SPACES):
            for rows, columns in MATRICES:
                x, gradient = vectors("x", rows, columns), vectors("gradient", rows, columns)
                gamma, beta = vectors("gamma", columns), vectors("beta", columns)
                w, bias = vectors("w", 5, columns), vectors("bias", 5)
                of_linear = vectors("of linear", rows, 5)
                prepared = [
                    (PreparedLayer.norm(x, gamma, beta, statistics=True, space=space), lambda: pykindred.layer_norm_act(x, gamma, beta, statistics=True)),
                    (PreparedLayer.norm(x, activation="relu", space=space), lambda: pykindred.layer_norm_act(x, activation="relu")),
                    (PreparedLayer.norm_backward(x, gradient, gamma, beta, space=space), lambda: pykindred.layer_norm_act_backward(x, gradient, gamma, beta)),
                    (PreparedLayer.linear(x, w, bias, activation="gelu", reproducible=True, space=space),
                     lambda: pykindred.linear_act(x, w, bias, activation="gelu", reproducible=True)),
                    (PreparedLayer.linear_backward(x, of_linear, w, bias, activation="relu", reproducible=True, space=space),
                     lambda: pykindred.linear_act_backward(x, of_linear, w, bias, activation="relu", reproducible=True)),
                ]
                for _ in range(2):
                    for call, function in prepared:
                        found, expected = call.run(), function()
                        self.assertIs(type(found), type(expected))
                        for one, other in zip(found, expected) if isinstance(found, tuple) else [(found, expected)]:
                            np.testing.assert_array_equal(one, other)
                    x *= 1.5

    def test_gradients_that_are_not_asked_for_are_none(self):
        x, w = vectors("x", 3, 4), vectors("w", 2, 4)
        dw = np.empty_like(w)
        found = PreparedLayer.linear_backward(x, vectors("gradient", 3, 2), w, out=(None, dw, None)).run()
        self.assertEqual((found.dx, found.dbias), (None, None))
        self.assertIs(found.dweight, dw)

    def test_layers_on_a_device(self):
        torch, device = torch_device(self)
        x, w = vectors("x", 65, 130), vectors("w", 33, 130)
        given, weights = (torch.from_numpy(one).to(device) for one in (x, w))
        norm, linear = PreparedLayer.norm(given), PreparedLayer.linear(given, weights, reproducible=True)
        for factor in (1, 1.5):
            given *= factor
            x *= np.float32(factor)
            for prepared, expected in ((norm, pykindred.layer_norm_act(x)), (linear, pykindred.linear_act(x, w, reproducible=True))):
                found = prepared.run()
                prepared.wait()
                np.testing.assert_array_equal(found.cpu().numpy(), expected)

    def test_what_would_be_copied_is_refused(self):
        x = vectors("x", 4, 6)
        out = np.empty((4, 3), np.float32)
        np.testing.assert_array_equal(PreparedLayer.norm(x[:, :3], out=out).run(), pykindred.layer_norm_act(x[:, :3]))
        for call in (lambda: PreparedLayer.norm(x[:, ::2]), lambda: PreparedLayer.linear(x, x[::-1])):
            with self.assertRaisesRegex(pykindred.InvalidArgument, "gaps"):
                call()
        with self.assertRaisesRegex(pykindred.InvalidArgument, "weight is"):
            PreparedLayer.norm(x, vectors("gamma", 5))


class Score(unittest.TestCase):
    def expected(self, index, query, candidates, top, **options):
        lists = pykindred.Ragged(np.int64([0, len(candidates)]), np.asarray(candidates, np.int64), np.empty(len(candidates), np.float32))
        scores, ids = index.score(query, lists, top, **options)[0]
        empty = np.inf if options.get("metric") == "l2" else -np.inf
        return (np.append(scores, np.full(top - len(scores), empty, np.float32)), np.append(ids, np.full(top - len(ids), -1)))

    def test_scores_are_those_of_the_index(self):
        random = generator("scores")
        for space in (None, *SPACES):
            for size, dimension in ((1, 1), (33, 7), (500, 64), (3000, 100)):
                index = pykindred.VectorIndex(vectors("rows", size, dimension))
                for metric in METRICS:
                    longest = min(size, 200)
                    prepared = PreparedScore(index, longest, 5, metric=metric, space=space)
                    for length in sorted({0, 1, 2, 3, 31, 32, 33, longest} & set(range(longest + 1))):
                        query, candidates = vectors(f"query {length}", dimension), random.integers(0, size, length)
                        scores, ids = prepared.score(query, candidates)
                        wanted = self.expected(index, query, candidates, 5, metric=metric)
                        np.testing.assert_array_equal(scores, wanted[0])
                        np.testing.assert_array_equal(ids, wanted[1])
                        self.assertEqual((scores.dtype, ids.dtype), (np.float32, np.int64))

    def test_all_candidates_by_default_and_arrays_of_the_caller(self):
        index = pykindred.VectorIndex(vectors("rows", 10, 4))
        prepared, query = PreparedScore(index, 6), vectors("query", 4)
        self.assertEqual((prepared.top, len(prepared.score(query, np.arange(3))[0])), (6, 6))
        out = np.empty(6, np.float32), np.empty(6, np.int64)
        found = prepared.score(Exported(query), np.arange(6, dtype=np.uint64), out=out)
        self.assertIs(found[0], out[0])
        np.testing.assert_array_equal(out[1], prepared.score(query, np.arange(12)[::2] // 2)[1])

    def test_filters_and_changes_of_the_index(self):
        rows = vectors("rows", 50, 8)
        index, query = pykindred.VectorIndex(rows), vectors("query", 8)
        allowed = generator("filter").random(50) < 0.5
        filtered, prepared = PreparedScore(index, 50, 4, filter=allowed), PreparedScore(index, 50, 4)
        np.testing.assert_array_equal(filtered.score(query, np.arange(50))[1], self.expected(index, query, np.arange(50), 4, filter=allowed)[1])
        index.add(rows[:3] * 2)
        index.remove([7])
        np.testing.assert_array_equal(prepared.score(query, np.arange(8, 53))[1], self.expected(index, query, np.arange(8, 53), 4)[1])
        with self.assertRaisesRegex(pykindred.InvalidArgument, "filter"):
            filtered.score(query, np.arange(5))
        with self.assertRaisesRegex(pykindred.InvalidArgument, "7"):
            prepared.score(query, np.array([7]))

    def test_it_keeps_the_index_and_can_be_closed(self):
        prepared = PreparedScore(pykindred.VectorIndex(vectors("rows", 10, 4)), 6, 2, space="serial")
        gc.collect()
        query = vectors("query", 4)
        self.assertEqual(repr(prepared), "<pykindred.PreparedScore: the best 2 on serial>")
        with prepared:
            prepared.score(query, np.arange(6))
        with self.assertRaisesRegex(pykindred.Error, "closed"):
            prepared.score(query, np.arange(6))
        self.assertEqual(repr(prepared), "<pykindred.PreparedScore: closed>")
        index = pykindred.VectorIndex(vectors("rows", 10, 4))
        index.close()
        with self.assertRaisesRegex(pykindred.Error, "closed"):
            PreparedScore(index, 3)

    def test_calls_of_several_threads_follow_each_other(self):
        index = pykindred.VectorIndex(vectors("rows", 300, 16))
        prepared, queries = PreparedScore(index, 300, 3), vectors("queries", 4, 16)
        expected = [prepared.score(query, np.arange(300)) for query in queries]
        wrong = []

        def call(number):
            for _ in range(50):
                found = prepared.score(queries[number], np.arange(300))
                if not all(np.array_equal(one, other) for one, other in zip(found, expected[number])):
                    wrong.append(number)
        threads = [threading.Thread(target=call, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_an_index_on_a_device(self):
        torch_device(self)
        index = pykindred.VectorIndex(vectors("rows", 3000, 100), residency="both")
        prepared, host = PreparedScore(index, 200, 5), PreparedScore(index, 200, 5, space="serial")
        self.assertEqual(prepared.space, "cuda")
        for length in (0, 1, 33, 200):
            candidates = generator(f"candidates {length}").integers(0, 3000, length)
            for one, other in zip(prepared.score(vectors("query", 100), candidates), host.score(vectors("query", 100), candidates)):
                np.testing.assert_array_equal(one, other)

    def test_wrong_arguments_are_named(self):
        index = pykindred.VectorIndex(vectors("rows", 10, 4))
        prepared, query = PreparedScore(index, 3), vectors("query", 4)
        cases = [
            (pykindred.InvalidType, "index", lambda: PreparedScore(query, 3)),
            (pykindred.InvalidArgument, "longest is 0", lambda: PreparedScore(index, 0)),
            (pykindred.InvalidArgument, "top is 0", lambda: PreparedScore(index, 3, 0)),
            (pykindred.InvalidArgument, "metric", lambda: PreparedScore(index, 3, metric="dot")),
            (pykindred.InvalidArgument, "filter", lambda: PreparedScore(index, 3, filter=np.ones(9, bool))),
            (pykindred.InvalidType, "query is float64", lambda: prepared.score(query.astype(float), np.arange(3))),
            (pykindred.InvalidArgument, "query is", lambda: prepared.score(query[:3], np.arange(3))),
            (pykindred.InvalidArgument, "query is", lambda: prepared.score(query[np.newaxis], np.arange(3))),
            (pykindred.InvalidType, "candidates is int32", lambda: prepared.score(query, np.int32([1]))),
            (pykindred.InvalidArgument, "negative", lambda: prepared.score(query, np.array([1, -1]))),
            (pykindred.InvalidArgument, "4 candidates", lambda: prepared.score(query, np.arange(4))),
            (pykindred.InvalidArgument, "10", lambda: prepared.score(query, np.array([10]))),
            (pykindred.InvalidType, "tuple", lambda: prepared.score(query, np.arange(3), out=[query, query])),
            (pykindred.InvalidArgument, "top = 3", lambda: prepared.score(query, np.arange(3), out=(query, np.arange(4)))),
            (pykindred.InvalidType, "ids is", lambda: prepared.score(query, np.arange(3), out=(query[:3].copy(), np.arange(3.0)))),
        ]
        for error, message, call in cases:
            with self.subTest(message), self.assertRaisesRegex(error, message):
                call()


if __name__ == "__main__":
    unittest.main()
