# SPDX-License-Identifier: Apache-2.0
"""Prepared calls give the bits of the calls that they prepare, with whatever their arrays contain
when they run."""
import gc
import unittest

import numpy as np

import pykindred
from pykindred import PreparedBulk, PreparedLayer, PreparedScore
from support import METRICS, Exported, generator, same, torch_device, vectors

SPACES = [name for name, space in pykindred.default_context().spaces().items()
          if space["usable"] and name != "cuda"]
BULK = pykindred.Bulk()


def numbers(name, dtype, *shape):
    return generator(name).standard_normal(shape).astype(dtype)


def on_host(found):
    """Results that may be tensors on a device."""
    if isinstance(found, list):
        return [on_host(one) for one in found]
    return found.cpu().numpy() if hasattr(found, "cpu") else found


class Prepared(unittest.TestCase):
    def run_twice(self, prepared, expected, change=lambda: None):
        """Runs before and after a change of what it reads."""
        for _ in range(2):
            found, wanted = prepared.run(), expected()
            self.assertIs(found, prepared.out)
            prepared.wait()
            found = on_host(found)
            self.assertIs(type(found), type(wanted))
            self.assertTrue(same(found, wanted))
            change()


class Bulk(Prepared):
    def test_arrays_are_read_at_every_run(self):
        x, w, g = np.abs(vectors("x", 200, 300)), vectors("w", 5, 300), vectors("gradient", 200, 5)
        exact, wide, codes = {"reproducible": True}, x.astype(float), w.view(np.int32)
        for prepare, call, given, options in (
                (PreparedBulk.element_wise, BULK.element_wise, ("exp", x), {}),
                (PreparedBulk.element_wise, BULK.element_wise, ("add", [x, w], [x, w]), {}),
                (PreparedBulk.reduce, BULK.reduce, ("deviation", wide), {}),
                (PreparedBulk.reduce, BULK.reduce, ("max", wide[::2, :70]), {}),
                (PreparedBulk.multiply, BULK.multiply, (g, w), exact),
                (PreparedBulk.multiply, BULK.multiply, ([g, g], [w, w]), exact),
                (PreparedBulk.normalise, BULK.normalise, (x,), {}),
                (PreparedBulk.xor, BULK.xor, (codes[0], codes[1]), {}),
                (PreparedLayer.norm, pykindred.layer_norm_act, (x, w[0], w[1]), {}),
                (PreparedLayer.norm, pykindred.layer_norm_act, (x,), {"statistics": True}),
                (PreparedLayer.norm_backward, pykindred.layer_norm_act_backward, (x, x), {}),
                (PreparedLayer.linear, pykindred.linear_act, (x, w, g[:5, 0].copy()), exact),
                (PreparedLayer.linear_backward, pykindred.linear_act_backward, (x, g, w), exact)):
            for space in (None, *SPACES):
                with self.subTest(prepare=prepare, space=space):
                    self.run_twice(prepare(*given, **options, space=space),
                                   lambda: call(*given, **options),
                                   lambda: [np.add(one, one, out=one) for one in (x, wide, w, g)])
                    for one in (x, wide, w, g):
                        one /= 4

    def test_errors_do_not_recommend_what_a_prepared_call_lacks(self):
        gaps = np.ones((4, 4))[:, ::2]
        with self.assertRaises(pykindred.InvalidArgument) as raised:
            PreparedBulk.element_wise("add", gaps, 1)
        self.assertNotIn("copy=", str(raised.exception))
        with self.assertRaisesRegex(pykindred.InvalidArgument, "or copy=None, which copies"):
            BULK.element_wise("add", gaps, 1, copy=False)

    def test_arrays_on_a_device(self):
        torch, device = torch_device(self)
        arrays = [numbers(f"list {size}", "float32", size) for size in (1, 33, 70_000)]
        a, b = (numbers(name, "float64", 40, 40) for name in "ab")
        tensors = [torch.from_numpy(array).to(device) for array in arrays]
        left, right = (torch.from_numpy(one).to(device) for one in (a, b))
        torch.cuda.synchronize()
        for stream in (None, torch.cuda.Stream()):
            add, reduce = PreparedBulk.element_wise, PreparedBulk.reduce
            for call, on_device, given, options in (
                    (add, ("add", tensors, tensors), ("add", arrays, arrays), {}),
                    (PreparedBulk.normalise, (tensors,), (arrays,), {}),
                    (reduce, ("sum", tensors), ("sum", arrays), {}),
                    (reduce, ("max", left[:, 3:]), ("max", a[:, 3:]), {}),
                    (PreparedBulk.multiply, (left, right), (a, b), {"reproducible": True})):
                prepared = call(*on_device, stream=stream, **options)
                self.assertEqual(prepared.space, "cuda")
                self.run_twice(prepared, lambda: call(*given, **options).run())
        with self.assertRaises(pykindred.InvalidArgument):
            PreparedBulk.element_wise("add", tensors[0], arrays[0])

    def test_texts(self):
        prepared = PreparedBulk.element_wise("square", np.ones(3), space="serial")
        self.assertEqual((repr(prepared), prepared.space),
                         ("<pykindred.PreparedBulk: on serial>", "serial"))
        with self.assertRaisesRegex(TypeError, "class methods"):
            PreparedBulk()


class Layers(Prepared):
    def test_layers_on_a_device(self):
        torch, device = torch_device(self)
        x, w = vectors("x", 65, 130), vectors("w", 33, 130)
        given, weights = (torch.from_numpy(one).to(device) for one in (x, w))
        norm, exact = PreparedLayer.norm(given), {"reproducible": True}
        linear = PreparedLayer.linear(given, weights, **exact)
        for factor in (1, 1.5):
            given *= factor
            x *= np.float32(factor)
            self.run_twice(norm, lambda: pykindred.layer_norm_act(x))
            self.run_twice(linear, lambda: pykindred.linear_act(x, w, **exact))


class Score(unittest.TestCase):
    def check(self, prepared, index, query, candidates, **options):
        """The results are those of the index for one list, padded."""
        ends, ids = np.int64([0, len(candidates)]), np.asarray(candidates, np.int64)
        lists = pykindred.Ragged(ends, ids, np.empty(len(ids), np.float32))
        expected = index.score(query[np.newaxis], lists, prepared.top, **options)[0]
        found, count = prepared.score(query, candidates), len(expected[0])
        self.assertTrue(same([one[:count] for one in found], list(expected)))
        self.assertTrue((found[1][count:] == -1).all() and np.isinf(found[0][count:]).all())

    def test_scores_are_those_of_the_index(self):
        index = pykindred.VectorIndex(vectors("rows", 500, 64))
        for metric in METRICS:
            for space in (None, *SPACES):
                prepared = PreparedScore(index, 200, 5, metric=metric, space=space)
                for length in (0, 1, 33, 200):
                    candidates = generator(f"{length}").integers(0, 500, length)
                    self.check(prepared, index, vectors("query", 64), candidates, metric=metric)

    def test_all_candidates_by_default_and_arrays_of_the_caller(self):
        index = pykindred.VectorIndex(vectors("rows", 10, 4))
        prepared, query = PreparedScore(index, 6), vectors("query", 4)
        self.assertEqual((prepared.top, len(prepared.score(query, np.arange(3))[0])), (6, 6))
        out = np.empty(6, np.float32), np.empty(6, np.int64)
        found = prepared.score(Exported(query), np.arange(6, dtype=np.uint64), out=out)
        self.assertIs(found[0], out[0])
        np.testing.assert_array_equal(out[1], prepared.score(query, np.arange(12)[::2] // 2)[1])

    def test_filters_and_changes_of_the_index(self):
        rows, query = vectors("rows", 50, 8), vectors("query", 8)
        index, allowed = pykindred.VectorIndex(rows), generator("filter").random(50) < 0.5
        filtered = PreparedScore(index, 50, 4, filter=allowed)
        prepared = PreparedScore(index, 50, 4)
        self.check(filtered, index, query, np.arange(50), filter=allowed)
        index.add(rows[:3] * 2)
        index.remove([7])
        self.check(prepared, index, query, np.arange(8, 53))
        for one, candidates, words in ((filtered, np.arange(5), "filter"), (prepared, [7], "7")):
            with self.assertRaisesRegex(pykindred.InvalidArgument, words):
                one.score(query, np.array(candidates))

    def test_it_keeps_the_index_but_not_a_closed_one(self):
        index = pykindred.VectorIndex(vectors("rows", 10, 4))
        prepared = PreparedScore(index, 6, 2, space="serial")
        self.assertEqual(repr(prepared), "<pykindred.PreparedScore: the best 2 on serial>")
        other = PreparedScore(pykindred.VectorIndex(vectors("rows", 10, 4)), 6, 2)
        gc.collect()
        other.score(vectors("query", 4), np.arange(6))
        index.close()
        with self.assertRaisesRegex(pykindred.Error, "closed"):
            PreparedScore(index, 3)

    def test_an_index_on_a_device(self):
        torch_device(self)
        index = pykindred.VectorIndex(vectors("rows", 3000, 100), residency="both")
        prepared, host = (PreparedScore(index, 200, 5, space=space) for space in (None, "serial"))
        self.assertEqual(prepared.space, "cuda")
        for length in (0, 1, 33, 200):
            given = vectors("query", 100), generator(f"{length}").integers(0, 3000, length)
            self.assertTrue(same(prepared.score(*given), host.score(*given)))


if __name__ == "__main__":
    unittest.main()
