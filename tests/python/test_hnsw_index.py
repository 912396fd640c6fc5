# SPDX-License-Identifier: Apache-2.0
import io
import re
import unittest
from pathlib import Path

import numpy as np

import pykindred
from support import METRICS, vectors


class HnswIndex(unittest.TestCase):
    def test_few_rows_are_found_exactly(self):
        for count in (0, 1, 2, 33):
            rows, queries = vectors("rows", count, 9), vectors("queries", 4, 9)
            exact = pykindred.VectorIndex(rows)
            for metric in METRICS:
                index = pykindred.HnswIndex(rows, metric=metric)
                found, expected = index.search(queries, 5), exact.search(queries, 5, metric=metric)
                self.assertEqual((found[0].dtype, found[1].dtype), (np.float32, np.int64))
                np.testing.assert_array_equal(found, expected)
                np.testing.assert_array_equal(index.search(queries[0], 5)[1], expected[1][0])

    def test_most_rows_are_found_with_exact_scores(self):
        rows, queries = vectors("rows", 3000, 16), vectors("queries", 50, 16)
        options = {"m": 12, "ef_construction": 100}
        index, exact = pykindred.HnswIndex(rows, **options), pykindred.VectorIndex(rows)
        scores, ids = index.search(queries, 10, ef=200)
        expected = exact.search(queries, 10)[1]
        recall = np.mean([len(np.intersect1d(a, b)) / 10 for a, b in zip(ids, expected)])
        self.assertGreater(recall, 0.95)
        all_scores = exact.score_all(queries)
        np.testing.assert_array_equal(scores, np.take_along_axis(all_scores, ids, 1))
        again = pykindred.HnswIndex(rows, **options, context=pykindred.Context(threads=1))
        np.testing.assert_array_equal(again.search(queries, 10, ef=200, space="serial")[1], ids)

    def test_changes(self):
        rows = vectors("rows", 60, 9)
        index = pykindred.HnswIndex(rows[:0])
        self.assertEqual((index.add(rows[:50]), index.add(rows[50:])), (range(50), range(50, 60)))
        index.remove([3, 59])
        self.assertEqual([one in index for one in (3, 4, -1, "a")], [False, True, False, False])
        self.assertEqual((len(index), index.end_id), (58, 60))
        np.testing.assert_array_equal(index.row(7), rows[7])
        self.assertNotIn(3, index.search(rows[3], 58)[1])
        index.repair()
        told = index.statistics()
        self.assertEqual((len(index), told["removed"], told["metric"]), (58, 0, "cosine"))
        allowed = np.zeros(60, bool)
        allowed[[5, 8]] = True
        for given in (allowed, np.uint64([(1 << 5) | (1 << 8)])):
            self.assertEqual(index.search(rows[8], 3, filter=given)[1].tolist(), [8, 5, -1])

    def test_progress_is_reported_and_may_stop(self):
        rows, counts = vectors("rows", 5000, 4), []
        pykindred.HnswIndex(rows, m=2, ef_construction=4, progress=counts.append)
        self.assertEqual(sum(counts), 5000)
        self.assertTrue(0 < min(counts) <= max(counts) <= 4096)

        def stop(count):
            raise KeyboardInterrupt(count)
        with self.assertRaises(KeyboardInterrupt):
            pykindred.HnswIndex(rows, m=2, ef_construction=4, progress=stop)

    def test_progress_is_what_tqdm_takes(self):
        try:
            from tqdm import tqdm
        except ImportError:
            class tqdm:  # noqa: N801
                def __init__(self, total, file):
                    self.total, self.file, self.n = total, file, 0

                def update(self, n=1):
                    self.n += n
        bars = []

        def kept(**options):
            bars.append(tqdm(file=io.StringIO(), **options))
            return bars[-1]

        guide = Path(__file__).parents[2].joinpath("docs", "guide", "python.md").read_text()
        line, = re.findall(r"`progress=([^`]*)`", guide)
        for count in (1, 2, 100, 9000):
            rows = vectors("rows", count, 4)
            progress = eval(line, {"rows": rows, "tqdm": kept})
            pykindred.HnswIndex(rows, m=2, ef_construction=4, progress=progress)
            self.assertEqual((bars[-1].n, bars[-1].total), (count, count))


if __name__ == "__main__":
    unittest.main()
