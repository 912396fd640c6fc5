# SPDX-License-Identifier: Apache-2.0
"""Vector files written by NumPy and h5py, stores of every element type with NumPy's rounding, and
FAISS on the same rows."""
import sys
import unittest

from numpy_oracle import equal_bits, harness, np, ranked, vector_scores

try:
    import faiss
    import h5py
except ImportError as error:
    print(f"skipped: {error}; install them with: {sys.executable} -m pip install -r tests/outside/requirements.txt")
    sys.exit(77)

LAYOUTS = {"fvecs": ("<f4", "vecs"), "bvecs": ("u1", "vecs"), "ivecs": ("<i4", "vecs"), "fbin": ("<f4", "bin"), "u8bin": ("u1", "bin"), "i8bin": ("i1", "bin")}


def rounded(element, rows):
    """The float32 rows that a store of `element` holds."""
    if element == "float16":
        return rows.astype(np.float16).astype(np.float32)
    if element == "bfloat16":
        bits = rows.view(np.uint32).astype(np.uint64)
        return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16 << 16).astype(np.uint32).view(np.float32)
    if element == "int8":
        scale = np.abs(rows).max(axis=1, keepdims=True) / np.float32(127)
        levels = np.divide(rows, scale, out=np.zeros_like(rows), where=scale > 0)
        return scale * np.clip(np.rint(levels), -127, 127)
    return rows


class VectorFiles(harness.CommandTest):
    def setUp(self):
        super().setUp()
        self.generator = np.random.default_rng(7)

    def small(self, dtype, shape):
        """Numbers that every type can represent."""
        return self.generator.integers(0 if np.dtype(dtype).kind == "u" else -100, 100, shape).astype(dtype)

    def save(self, name, array, **options):
        with (self.folder / name).open("wb") as file:
            np.lib.format.write_array(file, array, **options)
        return self.folder / name

    def search(self, vectors, queries, *flags, source="--vectors"):
        ids, scores = self.folder / "ids.npy", self.folder / "scores.npy"
        self.succeeds("search", source, vectors, "--queries", queries, "--out-ids", ids, "--out-scores", scores, *flags)
        return np.load(ids), np.load(scores)

    def answers(self, rows, queries, vectors, query_file, *flags, source="--vectors"):
        """The command's answer must equal that of the float32 rows bit for bit."""
        ids, scores = self.search(vectors, query_file, "--top", len(rows), "--metric", "l2", *flags, source=source)
        for query, row_ids, row_scores in zip(queries, ids, scores, strict=True):
            expected = vector_scores("l2", rows, query)
            np.testing.assert_array_equal(row_ids, ranked("l2", expected, np.arange(len(rows)), len(rows)))
            self.assertTrue(equal_bits(row_scores, expected[row_ids]))

    def test_numpy_types_and_versions(self):
        for dtype in ("<f4", "<f2", "i1", "u1", "<i4", "<i8"):
            for version in ((1, 0), (2, 0), (3, 0)):
                with self.subTest(dtype, version=version):
                    rows, queries = self.small(dtype, (40, 9)), self.small("<f4", (3, 9))
                    self.answers(rows.astype(np.float32), queries, self.save("x.npy", rows, version=version), self.save("q.npy", queries))

    def test_numpy_layouts(self):
        rows, queries = self.small("<f4", (60, 9)), self.small("<f4", (3, 9))
        query_file = self.save("q.npy", queries)
        # NumPy writes slices that are not contiguous in C order.
        self.answers(rows[::2], queries, self.save("x.npy", rows[::2]), query_file)
        self.answers(rows[:, ::-1], queries, self.save("x.npy", rows[:, ::-1]), query_file)
        for array, word in ((np.asfortranarray(rows), "ortran"), (rows.T, "ortran"), (rows.astype(">f4"), ">f4"), (rows.astype("<f8"), "<f8"), (rows.astype("<u4"), "<u4"),
                            (rows.astype("<c8"), "<c8"), (rows.astype([("a", "<f4")]), "fields"), (rows > 0, "|b1"), (rows[0], "1 dimensions"), (rows.reshape(60, 3, 3), "3 dimensions"), (rows[:, :0], "length 0")):
            with self.subTest(word, shape=array.shape):
                bad = self.save("bad.npy", array)
                self.refuses(3, (bad, word), "search", "--vectors", bad, "--queries", query_file)
        one = self.save("one.npy", queries[0])
        self.assertEqual(self.succeeds("search", "--vectors", self.save("x.npy", rows), "--queries", one).out.count(b"\n"), 1)

    def test_vecs_and_bin(self):
        for name, (dtype, kind) in LAYOUTS.items():
            with self.subTest(name):
                rows, queries = self.small(dtype, (50, 11)), self.small(dtype, (3, 11))
                paths = []
                for part, array in (("x", rows), ("q", queries)):
                    paths.append(self.folder / f"{part}.{name}")
                    with paths[-1].open("wb") as file:
                        if kind == "bin":
                            np.array(array.shape, "<u4").tofile(file)
                            array.tofile(file)
                        else:
                            for row in array:
                                np.array([len(row)], "<i4").tofile(file)
                                row.tofile(file)
                self.answers(rows.astype(np.float32), queries.astype(np.float32), *paths)

    def skip_without_hdf5(self):
        (self.folder / "any.hdf5").write_bytes(b"")
        result = harness.run("vectors", "build", "--vectors", self.folder / "any.hdf5", "--out", self.folder / "any.knd")
        if "Kindred_ENABLE_HDF5=OFF" in result.err:
            self.skipTest("this build does not read HDF5 files")

    def test_hdf5(self):
        self.skip_without_hdf5()
        for options in ({}, {"chunks": (7, 5)}, {"compression": "gzip"}, {"compression": "gzip", "shuffle": True, "chunks": (13, 9)}):
            for dtype in ("<f4", "<f2", "i1", "u1", "<i4"):
                with self.subTest(dtype, **options):
                    rows, queries = self.small(dtype, (50, 9)), self.small(dtype, (3, 9))
                    path = self.folder / "x.hdf5"
                    with h5py.File(path, "w") as file:
                        file.create_dataset("train", data=rows, **options)
                        file.create_dataset("test", data=queries)
                        file.create_dataset("neighbors", data=np.zeros((3, 10), "<i4"))
                        file.create_dataset("distances", data=np.zeros((3, 10), "<f4"))
                    self.answers(rows.astype(np.float32), queries.astype(np.float32), path, path)
        store = self.folder / "s.knd"
        self.succeeds("vectors", "build", "--vectors", path, "--dataset", "test", "--out", store)
        self.answers(queries.astype(np.float32), queries.astype(np.float32), store, path, source="--store")

    def test_hdf5_that_cannot_be_used(self):
        self.skip_without_hdf5()
        rows = self.small("<f4", (50, 9))
        queries = self.save("q.npy", rows[:2])
        for name, word in (("f8", "8 bytes"), ("be", "little-endian"), ("flat", "1 dimensions"), ("thin", "length 0"), ("text", "neither"), ("hole", "stores only 0 bytes"), ("missing", "no dataset"), ("group", "no dataset")):
            with self.subTest(name):
                path = self.folder / "bad.h5"
                with h5py.File(path, "w") as file:
                    if name == "group":
                        file.create_group("train")
                    elif name == "hole":
                        file.create_dataset("train", (10**9, 9), "<f4", chunks=(1000, 9))
                    elif name != "missing":
                        file.create_dataset("train", data={"f8": rows.astype("<f8"), "be": rows.astype(">f4"), "flat": rows[0], "thin": rows[:, :0], "text": np.full((2, 2), b"x")}[name])
                self.refuses(3, (path, word), "search", "--vectors", path, "--queries", queries)
        whole = path.read_bytes()
        for length in (0, 7, 50, 200, len(whole) // 2):
            path.write_bytes(whole[:length])
            self.refuses(3, (path,), "search", "--vectors", path, "--queries", queries)

    def test_elements_as_numpy_rounds_them(self):
        rows = (self.generator.standard_normal((300, 67)) * np.exp(self.generator.standard_normal((300, 1)) * 3)).astype(np.float32)
        rows[5], rows[6, 3:] = 0, 0
        queries = self.generator.standard_normal((5, 67)).astype(np.float32)
        vectors, query_file = self.save("x.npy", rows), self.save("q.npy", queries)
        for element in ("float32", "float16", "bfloat16", "int8"):
            with self.subTest(element):
                store = self.folder / f"{element}.knd"
                self.succeeds("vectors", "build", "--vectors", vectors, "--element", element, "--out", store)
                self.answers(rounded(element, rows), queries, store, query_file, source="--store")

    def test_faiss_finds_the_same_rows(self):
        rows = self.generator.standard_normal((4000, 64)).astype(np.float32)
        queries = self.generator.standard_normal((40, 64)).astype(np.float32)
        vectors, query_file = self.save("x.npy", rows), self.save("q.npy", queries)
        unit = lambda x: x / np.linalg.norm(x, axis=1, keepdims=True)
        for metric, index, x, q in (("ip", faiss.IndexFlatIP(64), rows, queries), ("l2", faiss.IndexFlatL2(64), rows, queries), ("cosine", faiss.IndexFlatIP(64), unit(rows), unit(queries))):
            with self.subTest(metric):
                index.add(x)
                theirs, their_ids = index.search(q, 11)
                if metric == "l2":
                    theirs = np.sqrt(np.maximum(theirs, 0))
                ids, scores = self.search(vectors, query_file, "--metric", metric, "--top", 10)
                np.testing.assert_allclose(scores, theirs[:, :10], rtol=1e-4, atol=1e-4)
                apart = np.abs(np.diff(theirs, axis=1)) > 1e-3
                clear = apart & np.concatenate([np.ones((40, 1), bool), apart[:, :-1]], axis=1)
                self.assertGreater(clear.mean(), 0.5)
                np.testing.assert_array_equal(ids[clear], their_ids[:, :10][clear])


if __name__ == "__main__":
    unittest.main()
