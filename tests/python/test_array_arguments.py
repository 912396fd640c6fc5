# SPDX-License-Identifier: Apache-2.0
"""The arrays of every function, by what is described: of any layout, of other libraries and on
devices, of other types and shapes, and arrays for results."""
import itertools
import unittest
from fnmatch import fnmatch

import numpy as np

import pykindred
from support import Exported, same
from test_bad_input import CALLS, fault

HAS_GPU = pykindred.default_context().spaces()["cuda"]["usable"]
# These read their arrays at every run: they copy none.
NEVER_COPIES = ("PreparedBulk", "PreparedLayer")
# Without a sequence, whose results exist after its run.
CALLS = {name: one for name, one in CALLS.items() if one.handle != "SeedSequence"}
# Whose types, numbers of rows and lengths of rows are not those of other arguments.
ANY_TYPE = ("*Bulk.normalise.arrays", "*Bulk.reduce.arrays")
ANY_ROWS = (*ANY_TYPE, "*Bulk.multiply.a", "*.norm.x", "layer_norm_act.x", "*.linear.x",
            "linear_act.x", "PreparedLayer.linear.weight", "linear_act.weight", "VectorIndex.rows",
            "*.add.rows", "HnswIndex.rows", "*.search.queries", "*.score_all.queries", "top_rows.*",
            "*.search_at_least.queries", "*_seeds.weights", "forward_seeds.x",
            "SeedLayer.forward.x")
ANY_LENGTH = (*ANY_TYPE, "*Bulk.multiply.b", "*.norm.x", "layer_norm_act.x", "*Index.rows",
              "VectorIndex.score.candidates", "PreparedScore.score.candidates",
              "Vocabulary.decode.symbols", "*.spread_arrays.offsets", "*.add_blueprint.weights")
ANY_DIMENSIONS = ("*Bulk.normalise.arrays", "VectorIndex.replace.row")


def arrays_of(one):
    """The names and values of the arguments that are arrays, but for ``out``."""
    return [(name, value) for name, value in one.arguments.items()
            if isinstance(value, np.ndarray) and value.dtype.kind in "fiu" and name != "out"]


def takes_exports(one, name):
    return "Array" in str(one.parameters[name].annotation).replace("NDArray", "")


def layouts(array):
    """Arrays of the same elements."""
    read_only = array.copy()
    read_only.flags.writeable = False
    yield "read-only", read_only
    if array.ndim > 1:
        yield "gaps between rows", np.concatenate([array, array], -1)[:, :array.shape[1]]
        yield "columns", np.asfortranarray(array)
    yield "gaps", np.repeat(array, 2, -1)[..., ::2]
    yield "backwards", array[::-1].copy()[::-1]
    memory = b"." + array.tobytes()
    yield "unaligned", np.frombuffer(memory, array.dtype, offset=1).reshape(array.shape)


def is_read_in_place(array):
    """Whether its elements are aligned, forward, and without gaps within rows."""
    steps = [step for step, size in zip(array.strides, array.shape) if size > 1]
    has_rows = array.shape[-1] > 1
    return (array.flags.aligned and all(step > 0 for step in steps) and
            (not has_rows or array.strides[-1] == array.itemsize))


class Arguments(unittest.TestCase):
    def calls(self):
        for name, one in CALLS.items():
            for argument, value in arrays_of(one):
                yield name, one, argument, value

    def test_may_have_any_layout(self):
        """They are read in place or copied; prepared calls, and others with ``copy=False``, refuse
        what they would copy."""
        read = refused = 0
        for name, one, argument, value in self.calls():
            expected = one(**one.arguments)
            for layout, given in layouts(value):
                for copies in (None, False) if "copy" in one.parameters else (None,):
                    with self.subTest(name, argument=argument, layout=layout, copies=copies):
                        arguments = {**one.arguments, argument: given}
                        if copies is False:
                            arguments["copy"] = False
                        may_copy = copies is None and one.handle not in NEVER_COPIES
                        try:
                            self.assertTrue(same(one(**arguments), expected))
                            self.assertTrue(may_copy or is_read_in_place(given), "it was copied")
                            read += 1
                        except pykindred.InvalidArgument as error:
                            self.assertFalse(may_copy, error)
                            self.assertRegex(str(error), f"^{argument} is .* with gaps, a negative")
                            self.assertNotEqual(layout, "read-only")
                            refused += 1
        self.assertGreater(read, 300)
        self.assertGreater(refused, 50)

    def test_may_be_of_another_library(self):
        count = 0
        for name, one, argument, value in self.calls():
            if takes_exports(one, argument):
                with self.subTest(name, argument=argument):
                    expected = one(**one.arguments)
                    for given in (memoryview(value), Exported(value),
                                  Exported(np.asfortranarray(value))):
                        array = getattr(given, "array", value)
                        if one.handle not in NEVER_COPIES or array.flags.c_contiguous:
                            found = one(**{**one.arguments, argument: given})
                            self.assertTrue(same(found, expected))
                            count += 1
        self.assertGreater(count, 60)

    def check_change(self, change, accepted, least):
        """A changed array is refused by a message that names it, if it is not accepted."""
        refused = 0
        for name, one, argument, value in self.calls():
            changed = change(value)
            if value.ndim >= least and (changed.dtype, changed.shape) != (value.dtype, value.shape):
                with self.subTest(name, argument=argument):
                    found = fault(name, argument, changed, "other")
                    if any(fnmatch(f"{name}.{argument}", pattern) for pattern in accepted):
                        self.assertIn("is accepted", str(found))
                    else:
                        self.assertIsNone(found)
                        refused += 1
        self.assertGreater(refused, 20)

    def test_are_never_cast(self):
        self.check_change(lambda value: value.astype(np.float64), ANY_TYPE, 1)
        self.check_change(lambda value: value.astype(np.int16), ANY_TYPE[1:], 1)
        self.check_change(lambda value: value.astype(value.dtype.newbyteorder()), (), 1)

    def test_have_one_shape(self):
        self.check_change(lambda value: value[:-1].copy(), ANY_ROWS, 2)
        self.check_change(lambda value: value[..., :-1].copy(), ANY_LENGTH, 1)
        self.check_change(lambda value: value[np.newaxis], ANY_DIMENSIONS, 1)

    def test_on_a_device_that_is_not_used_are_refused(self):
        for name, one, argument, value in self.calls():
            if takes_exports(one, argument):
                given = Exported(value, device=99 if HAS_GPU else 0)
                with self.subTest(name, argument=argument), self.assertRaises(pykindred.Error):
                    one(**{**one.arguments, argument: given})

    def test_of_the_host_have_no_stream(self):
        for name, one in CALLS.items():
            if "stream" in one.parameters and arrays_of(one):
                with self.subTest(name):
                    with self.assertRaisesRegex(pykindred.InvalidArgument, "stream"):
                        one(**{**one.arguments, "stream": 7})


class Results(unittest.TestCase):
    def calls(self):
        for name, one in CALLS.items():
            out = one.parameters.get("out")
            if out is not None and out.default is None:
                found = self.call(one, None)
                if found is not None:
                    yield name, one, found

    def call(self, one, out, **given):
        found = one(**{**one.arguments, "out": out, **given})
        return found.run() if hasattr(found, "run") else found

    def test_are_written_to_the_arrays_of_the_caller(self):
        written = {0: [], 3: []}
        for name, one, expected in self.calls():
            several = isinstance(expected, tuple)
            for gap, kind in itertools.product(written, (np.asarray, Exported)):  # between rows
                made = []
                for result in expected if several else [expected]:
                    shape = (*result.shape[:-1], result.shape[-1] + gap)
                    made.append(np.full(shape, 7, result.dtype))
                out = tuple(kind(memory[..., :memory.shape[-1] - gap]) for memory in made)
                with self.subTest(name, gap=gap, kind=kind):
                    try:
                        found = self.call(one, out if several else out[0])
                    except pykindred.InvalidArgument as error:
                        self.assertTrue(gap)
                        self.assertIn("gaps", str(error))
                        continue
                    for array, given in zip(found if several else [found], out, strict=True):
                        self.assertIs(array, given)
                    arrays = tuple(getattr(one, "array", one) for one in out)
                    self.assertTrue(same(arrays, tuple(expected) if several else (expected,)))
                    for memory in made:
                        self.assertTrue((memory[..., memory.shape[-1] - gap:] == 7).all())
                    written[gap].append(name)
        self.assertGreater(len(written[0]), 15)
        self.assertGreater(len(written[3]), 10, written)

    def test_may_be_in_place_and_of_half_precision(self):
        for name in ("layer_norm_act", "PreparedLayer.norm", "forward_seeds", "SeedLayer.forward"):
            one = CALLS[name]
            x, expected = one.arguments["x"].copy(), self.call(one, None)
            half = np.empty(x.shape, np.float16)
            with self.subTest(name):
                self.assertIs(self.call(one, half), half)
                self.assertTrue(same(half, expected.astype(np.float16)))
                self.assertIs(self.call(one, x, x=x), x)
                self.assertTrue(same(x, expected))
        for name in ("backward_seeds", "SeedLayer.backward"):
            one = CALLS[name]
            gradient, expected = one.arguments["gradient"].copy(), self.call(one, None)
            out = gradient, np.empty_like(expected[1]), *[None] * len(expected[2:])
            with self.subTest(name):
                found = self.call(one, out, gradient=gradient)
                self.assertEqual(list(map(id, found)), list(map(id, out)))
                self.assertTrue(same(list(out[:2]), list(expected[:2])))

    def test_go_to_no_array_that_does_not_fit(self):
        for name, one, expected in self.calls():
            several = isinstance(expected, tuple)
            for place, result in enumerate(expected if several else [expected]):
                locked = np.zeros_like(result)
                locked.flags.writeable = False
                for given, words in (
                        (locked, "read-only"), (Exported(locked), "read-only"),
                        (np.zeros(result.shape, np.int16), "int16"), ("array", "is of type str"),
                        (np.zeros((2, *result.shape), result.dtype), ""),
                        (np.zeros_like(result)[..., :-1], "")):
                    out = [np.zeros_like(array) for array in expected] if several else given
                    if several:
                        out[place] = given
                        out = tuple(out)
                    with self.subTest(name, place=place, words=words):
                        with self.assertRaisesRegex(pykindred.Error, words):
                            self.call(one, out)


if __name__ == "__main__":
    unittest.main()
