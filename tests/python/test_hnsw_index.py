# SPDX-License-Identifier: Apache-2.0
import re
import unittest
from pathlib import Path
from unittest import mock

import numpy as np

import pykindred
from support import METRICS, same, vectors


class HnswIndex(unittest.TestCase):
    def test_few_rows_are_found_exactly(self):
        for count in (0, 1, 2, 33):
            rows, queries = vectors("rows", count, 9), vectors("queries", 4, 9)
            exact = pykindred.VectorIndex(rows)
            for metric in METRICS:
                options = {"metric": metric, "m": 12, "ef_construction": 100}
                index = pykindred.HnswIndex(rows, **options)
                expected = exact.search(queries, 5, metric=metric)
                for search in ({}, {"ef": 200}, {"space": "serial"}, {"space": "openmp"}):
                    self.assertTrue(same(index.search(queries, 5, **search), expected))
                np.testing.assert_array_equal(index.search(queries[0], 5)[1], expected[1][0])

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
        """What the guide shows gets as many updates as there are rows."""
        guide = Path(__file__).parents[2].joinpath("docs", "guide", "python.md").read_text()
        line, = re.findall(r"`progress=([^`]*)`", guide)
        for count in (1, 2, 100, 9000):
            rows, bar = vectors("rows", count, 4), mock.Mock()
            progress = eval(line, {"rows": rows, "tqdm": mock.Mock(return_value=bar)})
            pykindred.HnswIndex(rows, m=2, ef_construction=4, progress=progress)
            self.assertEqual(sum(call.args[0] for call in bar.update.call_args_list), count)


if __name__ == "__main__":
    unittest.main()
