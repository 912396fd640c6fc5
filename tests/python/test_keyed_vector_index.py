# SPDX-License-Identifier: Apache-2.0
import copy
import pickle
import tempfile
import threading
import unittest
from pathlib import Path

import numpy as np

import pykindred
from support import METRICS, SIZES, Exported, generator, vectors
from watchdog import watch

KINDS = ("integer", "bytes", "width")


def keys_of(kind, count, first=0):
    """Keys of a kind, distinct, and as results have them."""
    numbers = (np.arange(first, first + count, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15))
    if kind == "integer":
        return numbers, numbers
    if kind == "width":
        wide = np.stack([numbers, numbers], 1).view(np.uint8).reshape(count, 16)
        return wide, np.array([*map(bytes, wide), b""], object)[:-1]
    texts = [f"key {number} é" if number % 2 else f"key {number}".encode() for number in range(first, first + count)]
    return texts, np.array([*(one if isinstance(one, bytes) else one.encode() for one in texts), b""], object)[:-1]


class KeyedVectorIndex(unittest.TestCase):
    def test_results_are_those_of_an_index_with_keys(self):
        for kind in KINDS:
            for count in SIZES:
                rows, queries = vectors("rows", count, 5), vectors("queries", 3, 5)
                keys, expected_keys = keys_of(kind, count)
                index, plain = pykindred.KeyedVectorIndex(keys, rows), pykindred.VectorIndex(rows)
                for metric in METRICS:
                    found = index.search(queries, 7, metric=metric)
                    scores, ids = plain.search(queries, 7, metric=metric)
                    np.testing.assert_array_equal(found.ids, ids)
                    np.testing.assert_array_equal(found.scores, scores)
                    empty = 0 if index.key_kind == "integer" else b""  # a list without keys says nothing
                    self.assertEqual(found.keys.tolist(), [[expected_keys[i] if i >= 0 else empty for i in row] for row in ids])
                    one = index.search(queries[1], 7, metric=metric)
                    self.assertEqual([part.shape for part in one], [(7,)] * 3)
                    np.testing.assert_array_equal(one.keys, found.keys[1])
                    np.testing.assert_array_equal(index.search(Exported(queries), 7, metric=metric).keys, found.keys)
                    self.assertEqual(index.search(queries[:0], 7).scores.shape, (0, 7))
                    least = index.search_at_least(queries, 0.5, metric=metric)
                    ragged = plain.search_at_least(queries, 0.5, metric=metric)
                    np.testing.assert_array_equal(least.ids, ragged.ids)
                    np.testing.assert_array_equal(least.scores, ragged.scores)
                    self.assertEqual(least.keys.tolist(), expected_keys[ragged.ids].tolist())
                    for (scores_of_row, keys_of_row), (other, numbers) in zip(least, ragged, strict=True):
                        np.testing.assert_array_equal(scores_of_row, other)
                        self.assertEqual(keys_of_row.tolist(), expected_keys[numbers].tolist())

    def test_a_table_with_the_same_changes(self):
        for kind in KINDS:
            random, table = generator(kind), {}
            keys, names = keys_of(kind, 60)
            index = pykindred.KeyedVectorIndex(keys[:0] if kind != "bytes" else np.empty((0, 3), np.uint8), np.empty((0, 4), np.float32))
            self.assertEqual(index.key_kind, "integer" if kind == "integer" else "bytes")
            for turn in range(20):
                chosen = random.integers(0, 60, 9)
                given, rows = [keys[i] for i in chosen] if kind == "bytes" else keys[chosen], vectors(f"{turn}", 9, 4)
                before = set(table)
                for i, row in zip(chosen, rows, strict=True):
                    table[names[i]] = row
                counts = index.upsert(given, rows)
                self.assertEqual(counts, (len(set(table) - before), len({names[i] for i in chosen} & before)))
                gone = [i for i in range(60) if names[i] in table][:3]
                index.remove([keys[i] for i in gone] if kind == "bytes" else keys[gone])
                for i in gone:
                    del table[names[i]]
                self.assertEqual(len(index), len(table))
                present = [names[i] in table for i in range(60)]
                self.assertEqual((index.find(keys) >= 0).tolist(), present)
                query = vectors("query", 4)
                found = index.search(query, len(table), metric="ip")
                self.assertEqual(set(found.keys.tolist()), set(table))
                for key, score in zip(found.keys, found.scores, strict=True):
                    np.testing.assert_allclose(score, table[key] @ query, rtol=1e-5, atol=1e-5)
                if table:
                    self.assertIn(int(keys[present.index(True)]) if kind == "integer" else names[present.index(True)], index)

    def test_candidates_and_filters(self):
        rows, query = vectors("rows", 30, 6), vectors("queries", 2, 6)
        names = [f"row {i}" for i in range(30)]
        index, plain = pykindred.KeyedVectorIndex(names, rows), pykindred.VectorIndex(rows)
        found = index.score(query, [names[3:9], ["row 1", b"row 2", "row 1"]], top=4)
        expected = plain.score(query, pykindred.Ragged(np.int64([0, 6, 9]), np.int64([3, 4, 5, 6, 7, 8, 1, 2, 1]), np.empty(9)), top=4)
        np.testing.assert_array_equal(found.offsets, expected.offsets)
        np.testing.assert_array_equal(found.ids, expected.ids)
        np.testing.assert_array_equal(found.scores, expected.scores)
        self.assertEqual(found.keys.tolist(), [names[i].encode() for i in expected.ids])
        self.assertEqual(len(index.score(query[:1], [[]])[0][0]), 0)
        allowed = np.zeros(index.end_id, bool)
        allowed[index.find(["row 4", "row 7", "row 99"])[:2]] = True
        self.assertEqual(set(index.search(query[0], 3, filter=allowed).keys), {b"row 4", b"row 7", b""})

    def test_forms_of_keys(self):
        rows = vectors("rows", 3, 2)
        largest = [0, 2**64 - 1, 5]
        for keys in (largest, tuple(largest), np.array(largest, np.uint64), Exported(np.array(largest, np.uint64)), [np.uint64(0), 2**64 - 1, np.int8(5)]):
            index = pykindred.KeyedVectorIndex(keys, rows)
            self.assertEqual(index.find([5, 2**64 - 1, 7]).tolist(), [2, 1, -1])
        self.assertEqual(pykindred.KeyedVectorIndex(np.arange(3), rows).find(np.arange(4)).tolist(), [0, 1, 2, -1])
        texts = pykindred.KeyedVectorIndex(["", "ä", b"a\0b"], rows)
        self.assertEqual(texts.find([b"", "ä".encode(), "a\0b", "a"]).tolist(), [0, 1, 2, -1])

    def test_other_elements(self):
        rows = vectors("rows", 4, 8)
        half = pykindred.KeyedVectorIndex([1, 2, 3, 4], rows.astype(np.float16))
        self.assertEqual((half.element, half.dimension), ("float16", 8))
        self.assertEqual(half.upsert([4, 5], rows[:2].astype(np.float16)), (1, 1))
        small = pykindred.KeyedVectorIndex([1, 2], np.int8([[1, 2], [3, -4]]), scales=np.float32([0.5, 2]))
        np.testing.assert_array_equal(small.search(np.float32([1, 0]), 2, metric="ip").scores, [6, 0.5])

    def test_files_copies_and_pickles(self):
        for kind in KINDS:
            keys, _ = keys_of(kind, 20)
            rows, query = vectors("rows", 20, 4), vectors("query", 4)
            index = pykindred.KeyedVectorIndex(keys, rows)
            expected = index.search(query, 5)
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder, "index")
                index.save(path)
                copies = [pykindred.KeyedVectorIndex.load(path), copy.copy(index), *(pickle.loads(pickle.dumps(index, protocol)) for protocol in (2, 5))]
                np.testing.assert_array_equal(pykindred.VectorIndex.load(path).search(query, 5)[1], expected.ids)
                pykindred.VectorIndex(rows).save(path)
                with self.assertRaises(ValueError):
                    pykindred.KeyedVectorIndex.load(path)
                with self.assertRaises(KeyError):
                    pykindred.KeyedVectorIndex.load(Path(folder, "none"))
            for one in copies:
                self.assertEqual((one.key_kind, len(one)), (index.key_kind, 20))
                for mine, other in zip(one.search(query, 5), expected, strict=True):
                    np.testing.assert_array_equal(mine, other)

    def test_closing_and_texts(self):
        with pykindred.KeyedVectorIndex([7], np.ones((1, 2), np.float32)) as index:
            self.assertEqual(repr(index), "<pykindred.KeyedVectorIndex: 1 rows of 2 float32, keys: integer>")
            self.assertEqual({name: index.statistics()[name] for name in ("keys", "key_kind", "end_id")}, {"keys": 1, "key_kind": "integer", "end_id": 1})
        self.assertEqual(repr(index), "<pykindred.KeyedVectorIndex: closed>")
        for call in (lambda: len(index), lambda: index.find([7]), lambda: index.search(np.ones(2, np.float32))):
            with self.assertRaisesRegex(pykindred.Error, "the index is closed"):
                call()

    def test_threads(self):
        watch(self)
        index, failures = pykindred.KeyedVectorIndex(np.arange(100), vectors("rows", 100, 4)), []

        def search():
            for _ in range(50):
                found = index.search(vectors("query", 4), 5)
                failures.extend(1 for key, number in zip(found.keys, found.ids, strict=True) if key != number)

        def change():
            for turn in range(50):
                index.upsert(np.arange(turn, turn + 10), vectors("other", 10, 4))
        threads = [threading.Thread(target=one) for one in (search, search, change)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_wrong_arguments_are_named(self):
        rows = vectors("rows", 3, 4)
        index, texts = pykindred.KeyedVectorIndex([1, 2, 3], rows), pykindred.KeyedVectorIndex(["a", "b", "c"], rows)
        make = pykindred.KeyedVectorIndex
        for call, error, message in (
                (lambda: make([1, "a", 2], rows), TypeError, "keys has ints and texts"), (lambda: make([1.5, 2, 3], rows), TypeError, "keys has an item of type float"), (lambda: make(3, rows), TypeError, "keys is of type int"),
                (lambda: make([-1, 2, 3], rows), ValueError, "keys has the number -1"), (lambda: make([2**64, 2, 3], rows), ValueError, "keys has the number"), (lambda: make(np.int64([-5, 1, 2]), rows), ValueError, "keys has the number -5"),
                (lambda: make(np.ones(3), rows), TypeError, "keys is float64"), (lambda: make(np.ones(3, np.uint8), rows), ValueError, "keys is uint8"), (lambda: make(np.ones((3, 0), np.uint8), rows), ValueError, "keys is uint8"),
                (lambda: make(np.ones((3, 1), np.int64), rows), ValueError, "keys is int64"), (lambda: make([1, 2], rows), ValueError, ""), (lambda: make([1, 2, 3], rows[0]), ValueError, "rows is"), (lambda: make([], rows[:0, :0]), ValueError, "rows is"),
                (lambda: make([1, 2, 3], rows.astype(float)), TypeError, "rows is"), (lambda: make([1, 2, 3], rows, residency="gpu"), ValueError, "residency"), (lambda: make([1, 2, 3], rows, context=3), TypeError, "context"),
                (lambda: index.upsert(["a"], rows[:1]), ValueError, ""), (lambda: texts.upsert([1], rows[:1]), ValueError, ""), (lambda: index.upsert([1], rows[:1, :3]), ValueError, "rows is"), (lambda: index.upsert([1], rows), ValueError, ""),
                (lambda: index.remove([9]), KeyError, ""), (lambda: index.remove([1, 1]), KeyError, ""), (lambda: index.find(["a"]), ValueError, ""), (lambda: index.search(rows, 0), ValueError, "top is 0"), (lambda: index.search(rows[:, :3]), ValueError, "queries"),
                (lambda: index.search(rows, metric="dot"), ValueError, "metric"), (lambda: index.search(rows, 2**60), MemoryError, ""), (lambda: index.search_at_least(rows, "x"), TypeError, "score"), (lambda: index.score(rows, 3), TypeError, "candidates"),
                (lambda: index.score(rows, [[1]]), ValueError, ""), (lambda: index.score(rows[:1], [[9]]), ValueError, ""), (lambda: index.score(rows[:1], [3]), TypeError, "candidates"), (lambda: index.save(3), TypeError, "path")):
            with self.subTest(message), self.assertRaisesRegex(error, message) as raised:
                call()
            self.assertIsInstance(raised.exception, pykindred.Error)
        self.assertEqual((len(index), len(texts)), (3, 3))


if __name__ == "__main__":
    unittest.main()
