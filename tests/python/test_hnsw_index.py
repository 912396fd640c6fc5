# SPDX-License-Identifier: Apache-2.0
import copy
import io
import pickle
import re
import tempfile
import threading
import unittest
from pathlib import Path

import numpy as np

import pykindred
from support import METRICS, Exported, vectors
from watchdog import watch


class HnswIndex(unittest.TestCase):
    def test_few_rows_are_found_exactly(self):
        for count in (0, 1, 2, 33):
            rows, queries = vectors("rows", count, 9), vectors("queries", 4, 9)
            exact = pykindred.VectorIndex(rows)
            for metric in METRICS:
                index = pykindred.HnswIndex(rows, metric=metric)
                found, expected = index.search(queries, 5), exact.search(queries, 5, metric=metric)
                self.assertEqual((found[0].dtype, found[1].dtype), (np.float32, np.int64))
                np.testing.assert_array_equal(found[1], expected[1])
                np.testing.assert_array_equal(found[0], expected[0])
                np.testing.assert_array_equal(index.search(queries[0], 5)[1], expected[1][0])

    def test_most_rows_are_found_with_exact_scores(self):
        rows, queries = vectors("rows", 3000, 16), vectors("queries", 50, 16)
        index, exact = pykindred.HnswIndex(rows, m=12, ef_construction=100), pykindred.VectorIndex(rows)
        scores, ids = index.search(queries, 10, ef=200)
        expected = exact.search(queries, 10)[1]
        recall = np.mean([len(np.intersect1d(a, b)) / 10 for a, b in zip(ids, expected)])
        self.assertGreater(recall, 0.95)
        all_scores = exact.score_all(queries)
        np.testing.assert_array_equal(scores, np.take_along_axis(all_scores, ids, 1))
        again = pykindred.HnswIndex(Exported(np.asfortranarray(rows)), m=12, ef_construction=100, context=pykindred.Context(threads=1))
        np.testing.assert_array_equal(again.search(queries, 10, ef=200, space="serial")[1], ids)

    def test_changes(self):
        rows = vectors("rows", 60, 9)
        index = pykindred.HnswIndex(rows[:0])
        self.assertEqual((index.add(rows[:50]), index.add(rows[50:])), (range(0, 50), range(50, 60)))
        index.remove([3, 59])
        self.assertEqual((len(index), index.end_id, 3 in index, 4 in index, -1 in index, "a" in index), (58, 60, False, True, False, False))
        np.testing.assert_array_equal(index.row(7), rows[7])
        self.assertNotIn(3, index.search(rows[3], 58)[1])
        index.repair()
        self.assertEqual((len(index), index.statistics()["removed"], index.statistics()["metric"]), (58, 0, "cosine"))
        allowed = np.zeros(60, bool)
        allowed[[5, 8]] = True
        self.assertEqual(sorted(index.search(rows[8], 3, filter=allowed)[1]), [-1, 5, 8])
        bits = np.uint64([(1 << 5) | (1 << 8)])
        np.testing.assert_array_equal(index.search(rows[8], 3, filter=bits)[1], index.search(rows[8], 3, filter=allowed)[1])

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

    def test_files_pickles_and_hnswlib(self):
        rows = vectors("rows", 300, 9)
        index = pykindred.HnswIndex(rows, metric="l2")
        index.remove([7])
        expected = index.search(rows[:9], 5)[1]
        with tempfile.TemporaryDirectory() as folder:
            index.save(Path(folder, "index"))
            index.export_hnswlib(Path(folder, "hnswlib"))
            for other in (pykindred.HnswIndex.load(Path(folder, "index")), pickle.loads(pickle.dumps(index, 5)),
                          pickle.loads(pickle.dumps(index, 2)), copy.copy(index),
                          pykindred.HnswIndex.import_hnswlib(Path(folder, "hnswlib"), metric="l2", dimension=9)):
                self.assertEqual((len(other), repr(other)), (299, "<pykindred.HnswIndex: 299 rows of 9 float32, l2>"))
                np.testing.assert_array_equal(other.search(rows[:9], 5)[1], expected)
            with self.assertRaises(pykindred.CorruptFile):
                pykindred.HnswIndex.load(Path(folder, "hnswlib"))

    def test_changes_during_searches(self):
        watch(self)
        rows, failures, done = vectors("rows", 400, 9), [], threading.Event()
        index = pykindred.HnswIndex(rows)

        def read():
            try:
                while not done.is_set():
                    self.assertEqual(index.search(rows[3], 1)[1][0], 3)
            except Exception as error:
                failures.append(error)
        threads = [threading.Thread(target=read) for _ in range(3)]
        for thread in threads:
            thread.start()
        for _ in range(20):
            index.remove(index.add(-rows[:5]))
        index.repair()
        done.set()
        for thread in threads:
            thread.join()
        self.assertEqual((failures, len(index)), ([], 400))

    def test_wrong_arguments_are_named(self):
        rows = vectors("rows", 30, 7)
        index = pykindred.HnswIndex(rows)
        for call, error, message in ((lambda: pykindred.HnswIndex(rows.astype(float)), TypeError, "rows is float64"),
                                     (lambda: pykindred.HnswIndex(rows[0]), ValueError, "rows"),
                                     (lambda: pykindred.HnswIndex(rows[:, :0]), ValueError, "imension"),
                                     (lambda: pykindred.HnswIndex(rows * np.float32(np.nan)), ValueError, "finite"),
                                     (lambda: pykindred.HnswIndex(rows, m=1), ValueError, "m"),
                                     (lambda: pykindred.HnswIndex(rows, traversal="x"), ValueError, "traversal"),
                                     (lambda: pykindred.HnswIndex(rows, progress=3), TypeError, "progress"),
                                     (lambda: index.search(rows[:, 1:]), ValueError, "queries is float32 .30, 6."),
                                     (lambda: index.search(rows, 0), ValueError, "top is 0"),
                                     (lambda: index.search(rows, 2**50), MemoryError, "results"),
                                     (lambda: index.search(rows, 10, ef=5), ValueError, "ef"),
                                     (lambda: index.search(rows, space="cuda"), RuntimeError, "on the host"),
                                     (lambda: index.search(rows, filter=np.ones(29, bool)), ValueError, "filter"),
                                     (lambda: index.add(rows[:, 1:]), ValueError, "rows"),
                                     (lambda: index.remove([30]), KeyError, "30"), (lambda: index.row(30), KeyError, "30")):
            with self.subTest(message), self.assertRaisesRegex(error, message) as raised:
                call()
            self.assertIsInstance(raised.exception, pykindred.Error)
        index.close()
        with self.assertRaisesRegex(pykindred.Error, "closed"):
            index.search(rows)


if __name__ == "__main__":
    unittest.main()
