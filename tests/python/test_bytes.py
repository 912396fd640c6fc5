# SPDX-License-Identifier: Apache-2.0
"""Engines as bytes: those of their files, read with the same checks."""
import tempfile
import unittest
from pathlib import Path

import numpy as np

import pykindred
from support import generator, vectors


def engines():
    rows = vectors("rows", 40, 7)
    index = pykindred.VectorIndex(rows, element="float16")
    index.remove([3])
    memory = pykindred.PatternMemory()
    memory.learn([["a", "b"], ["c"]], name="one")
    vocabulary = pykindred.Vocabulary()
    vocabulary.add_all(["b", "", "naïve"])
    hnsw = pykindred.HnswIndex(rows, m=4, ef_construction=10)
    hnsw.remove([5])
    engine = pykindred.SpreadingEngine(3, [0, 1], [1, 2], np.float32([0.5, 1]), names=["a", "b", "c"])
    return [index, hnsw, engine, memory, vocabulary]


def keyed():
    return pykindred.KeyedVectorIndex(["apple", b"pear\0", ""], vectors("keyed", 3, 7))


class Bytes(unittest.TestCase):
    def test_they_are_those_of_the_file(self):
        with tempfile.TemporaryDirectory() as folder:
            for number, engine in enumerate([*engines(), keyed()]):
                path = Path(folder, str(number))
                engine.save(path)
                data = engine.to_bytes()
                self.assertEqual(path.read_bytes(), data)
                for given in (data, bytearray(data), memoryview(data), np.frombuffer(data, np.uint8)):
                    other = type(engine).from_bytes(given)
                    self.assertEqual((len(other), other.to_bytes()), (len(engine), data))

    def test_any_damage_is_found(self):
        random = generator("damage")
        for engine in [*engines(), keyed()]:
            data = engine.to_bytes()
            damaged = [data[:size] for size in (0, 1, 127, len(data) - 1)]
            for at in random.integers(0, len(data), 40):
                changed = bytearray(data)
                changed[at] ^= 1 << int(random.integers(8))
                damaged.append(bytes(changed))
            for wrong in damaged:
                with self.assertRaisesRegex(pykindred.CorruptFile, "the buffer"):
                    type(engine).from_bytes(wrong)

    def test_those_of_another_engine_are_refused(self):
        made = engines()
        for engine in made:
            for other in made:
                if other is not engine:
                    with self.assertRaisesRegex(pykindred.CorruptFile, "holds '"):
                        type(engine).from_bytes(other.to_bytes())

    def test_rows_with_keys_are_also_rows(self):
        data = keyed().to_bytes()
        self.assertEqual(len(pykindred.VectorIndex.from_bytes(data)), 3)
        with self.assertRaisesRegex(pykindred.InvalidArgument, "the buffer has vectors without keys"):
            pykindred.KeyedVectorIndex.from_bytes(pykindred.VectorIndex.from_bytes(data).to_bytes())

    def test_what_is_no_buffer_is_refused(self):
        for engine in engines():
            for wrong in (None, "text", 3, [1, 2]):
                with self.assertRaises(pykindred.InvalidType):
                    type(engine).from_bytes(wrong)
            with self.assertRaises((pykindred.InvalidType, pykindred.InvalidArgument, pykindred.CorruptFile)):
                type(engine).from_bytes(np.zeros((2, 3), np.float32))

    def test_options_belong_to_the_call(self):
        index = engines()[0]
        other = pykindred.VectorIndex.from_bytes(index.to_bytes(), residency="host", quantized_copy=False, context=pykindred.Context(threads=1))
        np.testing.assert_array_equal(other.ids, index.ids)


if __name__ == "__main__":
    unittest.main()
