# SPDX-License-Identifier: Apache-2.0
"""Files, bytes, pickles and copies of objects hold the same, and damaged ones are refused."""
import contextlib
import copy
import os
import pickle
import tempfile
import unittest
from pathlib import Path

import numpy as np

import pykindred
from pykindred import SeedLayer
from support import generator, same, vectors

ROWS = vectors("rows", 40, 7)
QUERIES = vectors("queries", 3, 7)
LATIN = os.fsdecode(b"caf\xe9")  # a name of a folder that is not UTF-8


def vector_index():
    index = pykindred.VectorIndex(ROWS, element="float16", residency="host", quantized_copy=False)
    index.remove([3])
    return index


def hnsw_index():
    index = pykindred.HnswIndex(ROWS, m=4, ef_construction=10, metric="l2")
    index.remove([5])
    return index


def pattern_memory():
    memory = pykindred.PatternMemory(level="character")
    memory.learn_all([[["a", "b"], ["c"]], [["d"]], [["a", "ä"]]], names=["one", "two", None])
    memory.forget("two")
    return memory


def seed_layer():
    layer = SeedLayer(7, 3, rules=pykindred.TransitionRules(errors_max=2))
    for name in ("ones", os.fsdecode(b"weights \xe9")):
        layer.add_blueprint(name, vectors(f"{len(name)}", 7))
    layer.update([0, 1], lifecycle="grafting", schedule="momentum", blueprint=[0, 1], alpha=0.25)
    layer.step(pykindred.SeedMetrics(performance_delta=0.3))
    return layer


# What makes an object, and what it answers.
FILES = {
    "VectorIndex": (vector_index, lambda one: (one.search(QUERIES, 5), one.ids, one.element)),
    "HnswIndex": (hnsw_index, lambda one: one.search(QUERIES, 5)),
    "KeyedVectorIndex": (lambda: pykindred.KeyedVectorIndex(["apple", b"pear\0", ""], ROWS[:3]),
                         lambda one: (one.search(QUERIES, 3), one.key_kind)),
    "KeyedVectorIndex of integers": (lambda: pykindred.KeyedVectorIndex([5, 2**64 - 1], ROWS[:2]),
                                     lambda one: (one.search(QUERIES, 3), one.key_kind)),
    "SpreadingEngine": (lambda: pykindred.SpreadingEngine(3, [0, 1], [1, 2], np.float32([0.5, 1]),
                                                          names=["a", "b", "c"]),
                        lambda one: (one.hop(np.ones(3, np.float32)), one.find("c"))),
    "PatternMemory": (pattern_memory, lambda one: (
        one.match([[["a", "c"]]], threshold=0), one.find("one"), one.level, one.symbols())),
    "Vocabulary": (lambda: pykindred.Vocabulary(["b", "", "naïve", "\udc80"]), list),
}
PICKLED = FILES | {
    "Lattice": (lambda: pykindred.Lattice(2, 4, blocked_nodes=[5], blocked_edges=[(0, 1)]),
                lambda one: one.distances([0])),
    "SequenceMatcher": (lambda: pykindred.SequenceMatcher(["abc", "", "ä☃", "abcabc" * 30]),
                        lambda one: (one.match(["abcab", "☃"], threshold=0), one.patterns())),
    "SequenceMatcher of words": (
        lambda: pykindred.SequenceMatcher(pykindred.Sequences(np.int64([0, 2, 3]),
                                                              np.uint32([7, 2**32 - 2, 7]))),
        lambda one: one.patterns()),
    "SeedLayer": (seed_layer, lambda one: (
        one.forward(QUERIES), list(one.state()), one.schedule_state(1), one.report_error(2),
        [blueprint.name for blueprint in one.blueprints().values()])),
}


@contextlib.contextmanager
def latin_folder():
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent, LATIN)
        folder.mkdir()
        yield folder


class Copies(unittest.TestCase):
    def test_answer_the_same(self):
        for name, (make, answer) in PICKLED.items():
            one = make()
            copies = [copy.copy(one), copy.deepcopy(one),
                      *(pickle.loads(pickle.dumps(one, protocol)) for protocol in range(2, 6))]
            expected = answer(make())
            for other in copies:
                with self.subTest(name):
                    self.assertEqual((type(other), repr(other)), (type(one), repr(one)))
                    self.assertTrue(same(answer(other), expected))
                    if hasattr(other, "close"):
                        other.close()  # the others stay
            self.assertTrue(same(answer(one), expected))

    def test_a_pickle_may_have_its_rows_beside_it(self):
        index, buffers = vector_index(), []
        pickled = pickle.dumps(index, 5, buffer_callback=buffers.append)
        self.assertEqual(len(buffers), 1)
        self.assertTrue(same(pickle.loads(pickled, buffers=buffers), index))

    def test_pickles_of_earlier_versions_are_read(self):
        index = vector_index()
        pickled = (b"cpykindred._vector\n_restored\n(cpykindred._vector\nVectorIndex\n" +
                   pickle.dumps(index.to_bytes(), 2)[2:-1] + pickle.dumps("host", 2)[2:-1] +
                   b"I00\ntR.")
        self.assertTrue(same(pickle.loads(pickled), index))


class Files(unittest.TestCase):
    def test_have_the_bytes_of_the_object_in_a_folder_of_any_name(self):
        with latin_folder() as folder:
            for number, (name, (make, answer)) in enumerate(FILES.items()):
                one, path = make(), folder / str(number)
                with self.subTest(name):
                    one.save(path)
                    data = one.to_bytes()
                    self.assertEqual(path.read_bytes(), data)
                    for given in (data, bytearray(data), memoryview(data),
                                  np.frombuffer(data, np.uint8)):
                        self.assertTrue(same(type(one).from_bytes(given), one))
                    options = {"level": one.level} if name == "PatternMemory" else {}
                    found = type(one).load(path, **options)
                    self.assertTrue(same(answer(found), answer(one)))
                    self.check_damage(type(one).load, folder, path, data)

    def check_damage(self, load, folder, path, data):
        for missing in (folder / "missing", folder / "missing" / "file",
                        os.fsencode(folder / "missing")):
            with self.assertRaisesRegex(pykindred.NotFound, LATIN):
                load(missing)
        path.write_bytes(data[:len(data) // 2] + bytes([data[len(data) // 2] ^ 0xFF]) +
                         data[len(data) // 2 + 1:])
        with self.assertRaisesRegex(pykindred.CorruptFile, LATIN) as raised:
            load(path)
        self.assertEqual(raised.exception.path, str(path))
        again = pickle.loads(pickle.dumps(raised.exception))
        self.assertEqual(again.why, raised.exception.why)

    def test_damaged_bytes_and_those_of_other_objects_are_refused(self):
        random, made = generator("damage"), [make() for make, _ in FILES.values()]
        for one in made:
            data = one.to_bytes()
            damaged = [data[:size] for size in (0, 1, 127, len(data) - 1)]
            for at in random.integers(0, len(data), 40):
                changed = bytearray(data)
                changed[at] ^= 1 << int(random.integers(8))
                damaged.append(bytes(changed))
            for wrong in damaged:
                with self.assertRaisesRegex(pykindred.CorruptFile, "the buffer"):
                    type(one).from_bytes(wrong)
            for other in made:
                kinds = {type(one), type(other)}
                if pykindred.KeyedVectorIndex in kinds or len(kinds) == 1:
                    continue
                with self.assertRaisesRegex(pykindred.CorruptFile, "holds '"):
                    type(one).from_bytes(other.to_bytes())

    def test_rows_with_keys_are_also_rows(self):
        data = FILES["KeyedVectorIndex"][0]().to_bytes()
        rows = pykindred.VectorIndex.from_bytes(data)
        self.assertEqual(len(rows), 3)
        with self.assertRaisesRegex(pykindred.InvalidArgument, "has vectors without keys"):
            pykindred.KeyedVectorIndex.from_bytes(rows.to_bytes())

    def test_options_belong_to_the_call(self):
        other = pykindred.VectorIndex.from_bytes(vector_index().to_bytes(), residency="host",
                                                 quantized_copy=False,
                                                 context=pykindred.Context(threads=1))
        self.assertTrue(same(other, vector_index()))

    def test_of_a_lattice_are_graphs(self):
        lattice = PICKLED["Lattice"][0]()
        with tempfile.TemporaryDirectory() as folder:
            lattice.save(Path(folder, "lattice"))
            graph = pykindred.SpreadingEngine.load(Path(folder, "lattice"))
            found = pykindred.SpreadingEngine.inspect(Path(folder, "lattice"))
            self.assertEqual((found["nodes"], found["edges"]), (graph.nodes, graph.edges))
        x = np.arange(16, dtype=np.float32)
        rows = pykindred.SpreadingEngine.from_csr(*lattice.rows())
        np.testing.assert_array_equal(graph.hop(x), rows.hop(x))
        np.testing.assert_array_equal(pykindred.Lattice(2, 4).dense() @ x,
                                      pykindred.SpreadingEngine.from_csr(
                                          *pykindred.Lattice(2, 4).rows()).hop(x))

    def test_of_a_seed_layer_are_its_blueprints_and_its_state(self):
        layer, other, answer = seed_layer(), SeedLayer(7, 3), PICKLED["SeedLayer"][1]
        with latin_folder() as folder:
            layer.save(folder / "state")
            layer.save_blueprints(folder / "blueprints")
            with self.assertRaises(pykindred.InvalidArgument):
                other.restore(folder / "state")  # without its blueprints
            other.restore_blueprints(folder / "blueprints")
            other.restore(folder / "state")
            for restore in (layer.restore, layer.restore_blueprints):
                with self.assertRaisesRegex(pykindred.NotFound, LATIN):
                    restore(folder / "missing")
            with self.assertRaises(pykindred.CorruptFile):
                layer.restore_blueprints(folder / "state")
        self.assertTrue(same(answer(other), answer(layer)))

    def test_of_patterns_grow(self):
        memory = pattern_memory()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "memory")
            memory.save(path)
            memory.learn([["new"]], name="new")
            memory.append(path)
            found = pykindred.PatternMemory.inspect(path)
            self.assertEqual((found["patterns"], found["commits"]), (len(memory), 2))
            self.assertEqual(pykindred.PatternMemory.load(path).find("new"), memory.find("new"))

    def test_of_hnswlib_are_written_and_read(self):
        index = hnsw_index()
        with tempfile.TemporaryDirectory() as folder:
            index.export_hnswlib(Path(folder, "hnswlib"))
            found = pykindred.HnswIndex.import_hnswlib(Path(folder, "hnswlib"), metric="l2",
                                                       dimension=7)
            with self.assertRaises(pykindred.CorruptFile):
                pykindred.HnswIndex.load(Path(folder, "hnswlib"))
        self.assertTrue(same(found.search(QUERIES, 5), index.search(QUERIES, 5)))


if __name__ == "__main__":
    unittest.main()
