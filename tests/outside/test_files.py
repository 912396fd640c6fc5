# SPDX-License-Identifier: Apache-2.0
"""Files of other programs that the command reads: arrays of NumPy, datasets of h5py, vectors as
benchmarks publish them, and matrices of SciPy."""
import unittest

from outside import programs

np, h5py, _ = programs("numpy", "h5py", "scipy")
import harness  # noqa: E402
import pykindred  # noqa: E402
import scipy.io  # noqa: E402
import scipy.sparse  # noqa: E402

LAYOUTS = {"fvecs": "<f4", "bvecs": "u1", "ivecs": "<i4", "fbin": "<f4", "u8bin": "u1",
           "i8bin": "i1"}


class VectorFiles(harness.CommandTest):
    def setUp(self):
        super().setUp()
        self.generator = np.random.default_rng(7)

    def small(self, dtype, *shape):
        """Numbers that every type can represent."""
        least = 0 if np.dtype(dtype).kind == "u" else -100
        return self.generator.integers(least, 100, shape).astype(dtype)

    def save(self, name, array, **options):
        with (self.folder / name).open("wb") as file:
            np.lib.format.write_array(file, array, **options)
        return self.folder / name

    def check(self, rows, queries, vectors, query_file, source="--vectors"):
        """The command has the results of the same arrays, bit for bit."""
        ids, scores = self.folder / "ids.npy", self.folder / "scores.npy"
        self.succeeds("search", source, vectors, "--queries", query_file, "--top", len(rows),
                      "--metric", "l2", "--out-ids", ids, "--out-scores", scores)
        index = pykindred.VectorIndex(np.ascontiguousarray(rows, np.float32))
        found = index.search(queries.astype(np.float32), len(rows), metric="l2")
        np.testing.assert_array_equal(np.load(ids), found[1])
        np.testing.assert_array_equal(np.load(scores), found[0])

    def refused(self, path, *words):
        queries = self.save("refused.npy", self.small("<f4", 2, 9))
        self.refuses(3, (path, *words), "search", "--vectors", path, "--queries", queries)

    def test_numpy_types_and_versions(self):
        for dtype in ("<f4", "<f2", "i1", "u1", "<i4", "<i8"):
            for version in ((1, 0), (2, 0), (3, 0)):
                with self.subTest(dtype, version=version):
                    rows, queries = self.small(dtype, 40, 9), self.small("<f4", 3, 9)
                    self.check(rows, queries, self.save("x.npy", rows, version=version),
                               self.save("q.npy", queries))

    def test_numpy_layouts(self):
        rows, queries = self.small("<f4", 60, 9), self.small("<f4", 3, 9)
        query_file = self.save("q.npy", queries)
        for given in (rows[::2], rows[:, ::-1]):  # which NumPy writes in C order
            self.check(given, queries, self.save("x.npy", given), query_file)
        self.refused(self.save("bad.npy", np.asfortranarray(rows)), "ortran")
        self.check(rows, queries[:1], self.save("x.npy", rows), self.save("one.npy", queries[0]))

    def test_vecs_and_bin(self):
        for name, dtype in LAYOUTS.items():
            with self.subTest(name):
                arrays, paths = (self.small(dtype, 50, 11), self.small(dtype, 3, 11)), []
                for part, array in zip("xq", arrays):
                    paths.append(self.folder / f"{part}.{name}")
                    head = np.array(array.shape, "<u4").tobytes()
                    content = [head, array.tobytes()]
                    if name.endswith("vecs"):
                        content = [head[4:] + row.tobytes() for row in array]
                    paths[-1].write_bytes(b"".join(content))
                self.check(*arrays, *paths)

    def skip_without_hdf5(self):
        path, out = self.file("any.hdf5", b""), self.folder / "any.knd"
        result = harness.run("vectors", "build", "--vectors", path, "--out", out)
        if "Kindred_ENABLE_HDF5=OFF" in result.err:
            self.skipTest("this build does not read HDF5 files")

    def test_hdf5(self):
        self.skip_without_hdf5()
        for options in ({}, {"chunks": (7, 5)}, {"compression": "gzip"},
                        {"compression": "gzip", "shuffle": True, "chunks": (13, 9)}):
            for dtype in ("<f4", "<f2", "i1", "u1", "<i4"):
                with self.subTest(dtype, **options):
                    rows, queries = self.small(dtype, 50, 9), self.small(dtype, 3, 9)
                    path = self.folder / "x.hdf5"
                    with h5py.File(path, "w") as file:
                        file.create_dataset("train", data=rows, **options)
                        file.create_dataset("test", data=queries)
                        file.create_dataset("neighbors", data=np.zeros((3, 10), "<i4"))
                    self.check(rows, queries, path, path)
        store = self.folder / "s.knd"
        self.succeeds("vectors", "build", "--vectors", path, "--dataset", "test", "--out", store)
        self.check(queries, queries, store, path, source="--store")

    def test_hdf5_that_cannot_be_used(self):
        self.skip_without_hdf5()
        rows, path = self.small("<f4", 50, 9), self.folder / "bad.h5"
        for word, name, given in (
                ("8 bytes", "train", {"data": rows.astype("<f8")}),
                ("little-endian", "train", {"data": rows.astype(">f4")}),
                ("1 dimensions", "train", {"data": rows[0]}),
                ("length 0", "train", {"data": rows[:, :0]}),
                ("neither", "train", {"data": np.full((2, 2), b"x")}),
                ("no dataset", "other", {"data": rows}), ("no dataset", "train/group", {"data": rows}),
                ("stores only 0 bytes", "train",
                 {"shape": (10**9, 9), "dtype": "<f4", "chunks": (1000, 9)})):
            with h5py.File(path, "w") as file:
                file.create_dataset(name, **given)
            self.refused(path, word)
        whole = path.read_bytes()
        for length in (0, 7, 50, 200, len(whole) // 2):
            path.write_bytes(whole[:length])
            self.refused(path)


class MatrixFiles(harness.CommandTest):
    def test_matrix_market_of_scipy(self):
        generator, shape = np.random.default_rng(6), (400, 400)
        real = scipy.sparse.random(*shape, density=0.01, random_state=7, format="coo")
        ends, numbers = (real.row, real.col), generator.integers(1, 9, real.nnz)
        ones, whole = (scipy.sparse.coo_matrix((values, ends), shape)
                       for values in (np.ones(real.nnz), numbers))
        path, graph = self.folder / "graph.mtx", self.folder / "graph.knd"
        for data, field, symmetry in (
                (real, "real", "general"), (-2 * real, "real", "general"),
                ((real + real.T) / 2, "real", "symmetric"),
                (ones, "pattern", "general"), (whole, "integer", "general")):
            with self.subTest(field=field, symmetry=symmetry):
                scipy.io.mmwrite(path, scipy.sparse.coo_matrix(data), field=field, symmetry=symmetry)
                self.succeeds("graph", "build", "--edges", path, "--out", graph)
                engine = pykindred.SpreadingEngine.load(graph)
                x = generator.random(400).astype(np.float32)
                np.testing.assert_allclose(engine.hop(x), scipy.io.mmread(path).T @ x, rtol=1e-5,
                                           atol=1e-6)


if __name__ == "__main__":
    unittest.main()
