# SPDX-License-Identifier: Apache-2.0
"""Files, bytes, pickles and copies of objects hold the same, and damaged ones are refused."""
import copy
import os
import pickle
import unittest

import numpy as np

import pykindred
from pykindred import SeedLayer
from support import LATIN, check_refusals, context, folder_of, same, vectors

ROWS = vectors("rows", 40, 7)
QUERIES = vectors("queries", 3, 7)


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
        folder = folder_of(self, LATIN)
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
        damaged = bytearray(data)
        damaged[len(data) // 2] ^= 0xFF
        path.write_bytes(damaged)
        with self.assertRaisesRegex(pykindred.CorruptFile, LATIN) as raised:
            load(path)
        self.assertEqual(raised.exception.path, str(path))
        again = pickle.loads(pickle.dumps(raised.exception))
        self.assertEqual(again.why, raised.exception.why)

    def test_damaged_bytes_and_those_of_other_objects_are_refused(self):
        made = [make() for make, _ in FILES.values()]
        for one, other in zip(made, made[-1:] + made[:-1]):
            data = one.to_bytes()
            changed = bytearray(data)
            changed[len(data) // 3] ^= 1
            for wrong, words in ((b"", "the buffer"), (data[:-1], "the buffer"),
                                 (changed, "the buffer"), (other.to_bytes(), "holds '")):
                if words != "holds '" or type(one) is not type(other):
                    with self.assertRaisesRegex(pykindred.CorruptFile, words):
                        type(one).from_bytes(wrong)

    def test_rows_with_keys_are_also_rows(self):
        data = FILES["KeyedVectorIndex"][0]().to_bytes()
        rows = pykindred.VectorIndex.from_bytes(data)
        self.assertEqual(len(rows), 3)
        with self.assertRaisesRegex(pykindred.InvalidArgument, "has vectors without keys"):
            pykindred.KeyedVectorIndex.from_bytes(rows.to_bytes())

    def test_options_belong_to_the_call(self):
        options = {"residency": "host", "quantized_copy": False, "context": context()}
        other = pykindred.VectorIndex.from_bytes(vector_index().to_bytes(), **options)
        self.assertTrue(same(other, vector_index()))

    def test_of_a_lattice_are_graphs(self):
        lattice, path = PICKLED["Lattice"][0](), folder_of(self) / "lattice"
        lattice.save(path)
        graph, found = pykindred.SpreadingEngine.load(path), pykindred.SpreadingEngine.inspect(path)
        self.assertEqual((found["nodes"], found["edges"]), (graph.nodes, graph.edges))
        x = np.arange(16, dtype=np.float32)
        rows = pykindred.SpreadingEngine.from_csr(*lattice.rows())
        np.testing.assert_array_equal(graph.hop(x), rows.hop(x))

    def test_of_a_seed_layer_are_its_blueprints_and_its_state(self):
        layer, other, answer = seed_layer(), SeedLayer(7, 3), PICKLED["SeedLayer"][1]
        folder = folder_of(self, LATIN)
        state, blueprints, missing = folder / "state", folder / "blueprints", folder / "missing"
        layer.save(state)
        layer.save_blueprints(blueprints)
        check_refusals(self, (lambda: other.restore(state), ValueError, ""),  # without blueprints
                       (lambda: layer.restore(missing), KeyError, LATIN),
                       (lambda: layer.restore_blueprints(missing), KeyError, LATIN),
                       (lambda: layer.restore_blueprints(state), pykindred.CorruptFile, ""))
        other.restore_blueprints(blueprints)
        other.restore(state)
        self.assertTrue(same(answer(other), answer(layer)))

    def test_of_patterns_grow(self):
        memory, path = pattern_memory(), folder_of(self) / "memory"
        memory.save(path)
        memory.learn([["new"]], name="new")
        memory.append(path)
        found = pykindred.PatternMemory.inspect(path)
        self.assertEqual((found["patterns"], found["commits"]), (len(memory), 2))
        self.assertEqual(pykindred.PatternMemory.load(path).find("new"), memory.find("new"))

    def test_of_hnswlib_are_written_and_read(self):
        index, path = hnsw_index(), folder_of(self) / "hnswlib"
        index.export_hnswlib(path)
        found = pykindred.HnswIndex.import_hnswlib(path, metric="l2", dimension=7)
        self.assertTrue(same(found.search(QUERIES, 5), index.search(QUERIES, 5)))
        with self.assertRaises(pykindred.CorruptFile):
            pykindred.HnswIndex.load(path)


if __name__ == "__main__":
    unittest.main()
