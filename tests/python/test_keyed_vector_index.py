# SPDX-License-Identifier: Apache-2.0
import unittest
import uuid

import numpy as np

import pykindred
from support import METRICS, Exported, same, vectors

KINDS = ("integer", "bytes", "width")


def keys_of(kind, count):
    """Distinct keys of a kind, and a list of them as results have them."""
    numbers = np.arange(count, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    if kind == "integer":
        return numbers, numbers.tolist()
    if kind == "width":
        wide = np.stack([numbers, numbers], 1).view(np.uint8).reshape(count, 16)
        return wide, list(map(bytes, wide))
    texts = [f"key {number} é" if number % 2 else b"key %d" % number for number in range(count)]
    return texts, [one if isinstance(one, bytes) else one.encode() for one in texts]


class KeyedVectorIndex(unittest.TestCase):
    def assert_named(self, found, expected, names):
        """The results are those of an index without keys, with the names of the rows."""
        fields = ("offsets", "scores", "ids") if hasattr(found, "offsets") else ("scores", "ids")
        plain = [getattr(expected, field) for field in fields] if "offsets" in fields else expected
        self.assertTrue(same([getattr(found, field) for field in fields], list(plain)))
        self.assertEqual(found.keys.tolist(), names[found.ids].tolist())

    def test_results_are_those_of_an_index_with_keys(self):
        for kind in KINDS:
            for count in (0, 1, 33):
                rows, queries = vectors("rows", count, 5), vectors("queries", 3, 5)
                keys, names = keys_of(kind, count)
                index, plain = pykindred.KeyedVectorIndex(keys, rows), pykindred.VectorIndex(rows)
                # A list without keys says nothing of their kind.
                named = np.array([*names, 0 if index.key_kind == "integer" else b""], object)
                for metric in METRICS:
                    for call, *given in (("search", queries, 7), ("search", queries[1], 7),
                                         ("search_at_least", queries, 0.5)):
                        found, expected = (getattr(one, call)(*given, metric=metric)
                                           for one in (index, plain))
                        self.assert_named(found, expected, named)
                self.assertEqual(index.search(queries[:0], 7).scores.shape, (0, 7))

    def test_changes(self):
        for kind in KINDS:
            keys, names = keys_of(kind, 9)
            rows, none = vectors("rows", 9, 4), np.empty((0, 4), np.float32)
            index = pykindred.KeyedVectorIndex(
                np.empty((0, 3), np.uint8) if kind == "bytes" else keys[:0], none)
            self.assertEqual(index.key_kind, "integer" if kind == "integer" else "bytes")
            self.assertEqual(index.upsert(keys[:6], rows[:6]), (6, 0))
            self.assertEqual(index.upsert(keys[4:], -rows[4:]), (3, 2))
            index.remove(keys[:2])
            self.assertEqual((index.find(keys) >= 0).tolist(), [False] * 2 + [True] * 7)
            self.assertEqual([name in index for name in names], [False] * 2 + [True] * 7)
            for i, sign in ((3, 1), (5, -1)):
                found = index.search(sign * rows[i], 1, metric="l2")
                self.assertEqual((found.keys[0], found.scores[0]), (names[i], 0))
            self.assertEqual(len(index), 7)

    def test_candidates_and_filters(self):
        rows, query = vectors("rows", 30, 6), vectors("queries", 2, 6)
        names = [f"row {i}" for i in range(30)]
        index, plain = pykindred.KeyedVectorIndex(names, rows), pykindred.VectorIndex(rows)
        found = index.score(query, [names[3:9], ["row 1", b"row 2", "row 1"]], top=4)
        lists = np.int64([0, 6, 9]), np.int64([3, 4, 5, 6, 7, 8, 1, 2, 1]), np.empty(9)
        self.assert_named(found, plain.score(query, pykindred.Ragged(*lists), top=4),
                          np.array(list(map(str.encode, names)), object))
        self.assertEqual(len(index.score(query[:1], [[]])[0][0]), 0)
        allowed = np.zeros(index.end_id, bool)
        allowed[index.find(["row 4", "row 7", "row 99"])[:2]] = True
        keys = index.search(query[0], 3, filter=allowed).keys
        self.assertEqual(set(keys), {b"row 4", b"row 7", b""})

    def test_forms_of_keys(self):
        rows = vectors("rows", 3, 2)
        largest = [0, 2**64 - 1, 5]
        array = np.array(largest, np.uint64)
        for keys in (largest, tuple(largest), array, Exported(array),
                     [np.uint64(0), 2**64 - 1, np.int8(5)]):
            index = pykindred.KeyedVectorIndex(keys, rows)
            self.assertEqual(index.find([5, 2**64 - 1, 7]).tolist(), [2, 1, -1])
        numbers = pykindred.KeyedVectorIndex(np.arange(3), rows)
        self.assertEqual(numbers.find(np.arange(4)).tolist(), [0, 1, 2, -1])
        texts = pykindred.KeyedVectorIndex(["", "ä", b"a\0b"], rows)
        self.assertEqual(texts.find([b"", "ä".encode(), "a\0b", "a"]).tolist(), [0, 1, 2, -1])

    def test_a_missing_key_of_any_bytes_is_not_found(self):
        keys, missing = (np.array([list(uuid.UUID(int=(first << 120) + i).bytes) for i in range(3)],
                                  np.uint8) for first in (0xFF, 0xFE))
        for present, others in ((keys, missing[:1]), ([b"\xff\xfe", "é", "x"], [b"\xfa\xfb"])):
            index = pykindred.KeyedVectorIndex(present, vectors("rows", 3, 4))
            with self.assertRaises(pykindred.NotFound):
                index.remove(others)

    def test_other_elements(self):
        rows = vectors("rows", 4, 8)
        half = pykindred.KeyedVectorIndex([1, 2, 3, 4], rows.astype(np.float16))
        self.assertEqual((half.element, half.dimension), ("float16", 8))
        self.assertEqual(half.upsert([4, 5], rows[:2].astype(np.float16)), (1, 1))
        codes, scales = np.int8([[1, 2], [3, -4]]), np.float32([0.5, 2])
        small = pykindred.KeyedVectorIndex([1, 2], codes, scales=scales)
        found = small.search(np.float32([1, 0]), 2, metric="ip")
        np.testing.assert_array_equal(found.scores, [6, 0.5])

    def test_texts(self):
        index = pykindred.KeyedVectorIndex([7], np.ones((1, 2), np.float32))
        text = "<pykindred.KeyedVectorIndex: 1 rows of 2 float32, keys: integer>"
        self.assertEqual(repr(index), text)
        told = index.statistics()
        self.assertEqual((told["keys"], told["key_kind"], told["end_id"]), (1, "integer", 1))


if __name__ == "__main__":
    unittest.main()
