# SPDX-License-Identifier: Apache-2.0
"""Invalid input and flags of `kindred search` and `kindred score`."""
import struct
import unittest

import harness
import npy


class BadVectors(harness.CommandTest):
    def setUp(self):
        super().setUp()
        self.vectors = npy.write(self.folder / "x.npy", [1, 0, 0, 1, 1, 1, -1, 0], (4, 2))
        self.queries = npy.write(self.folder / "q.npy", [1, 0.5], (1, 2))
        self.candidates = self.file("c.jsonl", [{"name": "c0", "ids": [0, 2]}])

    def refused(self, content, *words, status=3):
        bad = self.file("bad.npy", content)
        self.refuses(status, (bad, *words), "search", "--vectors", bad, "--queries", self.queries)
        self.refuses(status, (bad, *words), "search", "--vectors", self.vectors, "--queries", bad)
        self.refuses(status, (bad, *words), "score", "--vectors", bad, "--queries", self.queries, "--candidates", self.candidates)

    def refused_candidates(self, content, *words):
        bad = self.file("bad.jsonl", content)
        self.refuses(3, (bad, *words), "score", "--vectors", self.vectors, "--queries", self.queries, "--candidates", bad)

    def refused_flag(self, words, *flags):
        self.refuses(2, words, "search", "--vectors", self.vectors, "--queries", self.queries, *flags)

    def test_good_input_is_answered(self):
        lines = self.succeeds("search", "--vectors", self.vectors, "--queries", self.queries).lines()
        self.assertEqual([hit[0] for hit in lines[0]["results"]], [2, 0, 1, 3])
        lines = self.succeeds("score", "--vectors", self.vectors, "--queries", self.queries, "--candidates", self.candidates).lines()
        self.assertEqual((lines[0]["query"], [hit[0] for hit in lines[0]["results"]]), ("c0", [2, 0]))

    def test_missing_file_and_directory(self):
        missing = self.folder / "missing.npy"
        self.refuses(3, (missing, "No such file"), "search", "--vectors", missing, "--queries", self.queries)
        self.refuses(3, (missing, "No such file"), "search", "--vectors", self.vectors, "--queries", missing)
        self.refuses(3, (self.folder,), "search", "--vectors", self.folder, "--queries", self.queries)
        self.refuses(3, (missing, "No such file"), "score", "--vectors", self.vectors, "--queries", self.queries, "--candidates", missing)

    def test_zero_bytes(self):
        self.refused(b"")

    def test_not_npy(self):
        self.refused(b"name,x,y\n1,2,3\n" * 20)
        self.refused(b"PK\x03\x04" + bytes(200))

    def test_every_cut_of_a_good_file(self):
        whole = self.vectors.read_bytes()
        for length in (1, 5, 6, 7, 8, 9, 10, 11, 40, 127, 128, 129, len(whole) - 4, len(whole) - 1):
            with self.subTest(length):
                bad = self.file("bad.npy", whole[:length])
                self.refuses(3, (bad,), "search", "--vectors", bad, "--queries", self.queries)

    def test_bytes_after_the_data(self):
        self.refused(self.vectors.read_bytes() + b"\0\0\0\0")

    def test_version(self):
        good = self.vectors.read_bytes()
        self.refused(good[:6] + b"\x09\x00" + good[8:])
        for version in ((1, 0), (2, 0), (3, 0)):
            same = self.file("same.npy", npy.encode([1, 0, 0, 1, 1, 1, -1, 0], (4, 2), version=version))
            self.assertEqual(self.succeeds("search", "--vectors", same, "--queries", self.queries).out,
                             self.succeeds("search", "--vectors", self.vectors, "--queries", self.queries).out)

    def test_header_that_lies(self):
        data = struct.pack("<8f", *range(8))
        for shape in ((5, 2), (4, 3), (2**40, 2**40), (2**63, 2), (10**30, 1), (10**12, 768), (3, 2), (-4, 2), (4, -2)):
            with self.subTest(shape):
                self.refused(npy.header("<f4", shape) + data)

    def test_header_that_is_no_dictionary(self):
        good = self.vectors.read_bytes()
        for text in (b"{'descr': '<f4', 'fortran_order': False, 'shape': (4, 2", b"{'descr': '<f4', 'fortran_order': False}", b"{'shape': (4, 2)}",
                     b"[]", b"", b"{'descr': '<f4', 'fortran_order': Maybe, 'shape': (4, 2)}", b"{'descr': '<f4', 'fortran_order': False, 'shape': (4, 'x')}",
                     b"\xff" * 30, b"{" * 90):
            with self.subTest(text):
                header = text + b" " * (128 - 10 - 1 - len(text)) + b"\n"
                self.refused(good[:8] + struct.pack("<H", len(header)) + header + good[128:])

    def test_header_longer_than_the_file(self):
        good = self.vectors.read_bytes()
        self.refused(good[:8] + b"\xff\xff" + good[10:])
        self.refused(good[:6] + b"\x02\x00\xff\xff\xff\x7f" + good[12:])

    def test_shape_that_is_not_a_matrix(self):
        self.refused(npy.encode(range(8), (2, 2, 2)))
        self.refused(npy.encode([1], ()))

    def test_dtype(self):
        self.refused(npy.encode(range(8), (4, 2), "<f8"), "f8", "f4")
        self.refused(npy.header("<u4", (4, 2)) + bytes(32), "u4", "f4")
        self.refused(npy.header(">f4", (4, 2)) + bytes(32), ">f4")
        self.refused(npy.header("|O", (4, 2)) + bytes(32))
        self.refused(npy.header([("a", "<f4")], (4, 2)) + bytes(32))

    def test_fortran_order(self):
        self.refused(npy.encode(range(8), (4, 2), fortran_order=True), "ortran")

    def test_dimensions_that_differ(self):
        wide = npy.write(self.folder / "wide.npy", [1, 2, 3], (1, 3))
        result = self.refuses(3, (wide, "3", "2"), "search", "--vectors", self.vectors, "--queries", wide)
        self.assertIn("dimension", result.err)
        self.refuses(3, (wide, "3", "2"), "score", "--vectors", self.vectors, "--queries", wide, "--candidates", self.candidates)

    def test_dimension_zero(self):
        bad = self.file("bad.npy", npy.encode([], (4, 0)))
        self.refuses(3, (bad,), "search", "--vectors", bad, "--queries", self.queries)

    def test_no_rows(self):
        none = self.file("none.npy", npy.encode([], (0, 2)))
        self.assertEqual(self.succeeds("search", "--vectors", self.vectors, "--queries", none).out, b"")
        self.assertEqual(self.succeeds("search", "--vectors", self.vectors, "--queries", none, "--path", "quantized", "--explain").out, b"")
        store, index = self.folder / "none.knd", self.folder / "none.index"
        self.succeeds("vectors", "build", "--vectors", none, "--out", store)
        self.succeeds("index", "build", "--vectors", none, "--out", index)
        told = ("0 rows", "at least 1")
        queries = ("--queries", self.queries)
        self.refuses(3, (none, *told), "search", "--vectors", none, *queries)
        self.refuses(3, (none, *told), "search", "--vectors", none, *queries, "--at-least", "0")
        self.refuses(3, (store, *told), "search", "--store", store, *queries)
        self.refuses(3, (none, *told), "score", "--vectors", none, *queries, "--candidates", self.candidates)
        self.refuses(3, (store, *told), "score", "--store", store, *queries, "--candidates", self.candidates)
        self.refuses(3, (index, *told), "index", "search", "--index", index, *queries)

    def test_other_layouts(self):
        good = struct.pack("<i2f", 2, 1, 0.5)
        for name, content, words in (
            ("x.fvecs", b"", ("0 bytes",)),
            ("x.fvecs", good + struct.pack("<i3f", 3, 1, 2, 3), ("byte 12:", "dimension 3", "dimension 2")),
            ("x.fvecs", good[:-1], ("cut",)),
            ("x.bvecs", struct.pack("<i", 0), ("dimension 0",)),
            ("x.ivecs", struct.pack("<i2i", 2, 1, 2**24 + 1), ("byte 8:", "16777217")),
            ("x.fbin", struct.pack("<II2f", 2, 2, 1, 2), ("2 rows of dimension 2", "8 bytes")),
            ("x.fbin", struct.pack("<II", 2**32 - 1, 2**32 - 1), ("4294967295",)),
            ("x.u8bin", struct.pack("<II", 2, 0), ("dimension 0",)),
            ("x.i8bin", struct.pack("<II4bx", 2, 2, 1, 2, 3, 4), ("5 bytes",)),
            ("x.hdf5", b"\x89HDF\r\n\x1a\n" + bytes(100), ("HDF5",)),
            ("x.vectors", good, ("x.vectors", ".fvecs")),
        ):
            with self.subTest(name, words=words):
                bad = self.file(name, content)
                result = harness.run("search", "--vectors", bad, "--queries", self.queries)
                if name == "x.hdf5" and ("not installed" in result.err or "Kindred_ENABLE_HDF5=OFF" in result.err):
                    self.assertEqual(result.status, 1)
                    continue
                self.refuses(3, (bad, *words), "search", "--vectors", bad, "--queries", self.queries)
                self.refuses(3, (bad, *words), "search", "--vectors", self.vectors, "--queries", bad)

    def test_every_layout_gives_the_same_answer(self):
        wanted = self.succeeds("search", "--vectors", self.vectors, "--queries", self.queries).out
        rows = ((1, 0), (0, 1), (1, 1), (-1, 0))
        for name, content in (
            ("x.fvecs", b"".join(struct.pack("<i2f", 2, *row) for row in rows)),
            ("x.ivecs", b"".join(struct.pack("<i2i", 2, *row) for row in rows)),
            ("x.fbin", struct.pack("<II", 4, 2) + b"".join(struct.pack("<2f", *row) for row in rows)),
            ("x.i8bin", struct.pack("<II", 4, 2) + b"".join(struct.pack("<2b", *row) for row in rows)),
            ("i8.npy", npy.header("|i1", (4, 2)) + b"".join(struct.pack("<2b", *row) for row in rows)),
            ("f2.npy", npy.header("<f2", (4, 2)) + b"".join(struct.pack("<2e", *row) for row in rows)),
        ):
            with self.subTest(name):
                self.assertEqual(self.succeeds("search", "--vectors", self.file(name, content), "--queries", self.queries).out, wanted)

    def test_filter(self):
        def mask(content, *words):
            bad = self.file("mask.npy", content)
            self.refuses(3, (bad, *words), "search", "--vectors", self.vectors, "--queries", self.queries, "--filter", bad)
        mask(npy.encode([1, 0, 1], (3,), "|b1"), "3", "4")
        mask(npy.encode([1] * 5, (5,), "|b1"), "5", "4")
        mask(npy.encode([1] * 4, (4,), "<f4"))
        mask(npy.encode([1] * 4, (2, 2), "|b1"))
        mask(b"")
        bad = npy.write(self.folder / "three.npy", [1, 0, 1], (3,), "|u1")
        self.refuses(3, (bad, "3", "4"), "score", "--vectors", self.vectors, "--queries", self.queries, "--candidates", self.candidates, "--filter", bad)

    def test_top(self):
        for value in ("0", "-1", "1.5", "ten", "", "99999999999999999999999"):
            with self.subTest(value):
                self.refused_flag(("--top", value), f"--top={value}")

    def test_top_beyond_the_rows_gives_all_of_them(self):
        lines = self.succeeds("search", "--vectors", self.vectors, "--queries", self.queries, "--top", "50").lines()
        self.assertEqual(len(lines[0]["results"]), 4)

    def test_top_beyond_the_candidates_only_limits(self):
        lines = self.succeeds("score", "--vectors", self.vectors, "--queries", self.queries, "--candidates", self.candidates, "--top", "50").lines()
        self.assertEqual(len(lines[0]["results"]), 2)

    def test_metric(self):
        self.refused_flag(("manhattan", "cosine", "ip", "l2"), "--metric", "manhattan")

    def test_missing_flags(self):
        self.refuses(2, ("--queries",), "search", "--vectors", self.vectors)
        self.refuses(2, ("--vectors",), "search", "--queries", self.queries)
        self.refuses(2, ("--candidates",), "score", "--vectors", self.vectors, "--queries", self.queries)

    def test_candidates(self):
        for ids in ('["0"]', "[0.5]", "[null]", "[-1]", "[4]", "[0, 1, 99]", "[18446744073709551616]", "[18446744073709551615]", "7", "null", '"0 1"', '{"0": 1}', "[[0]]", "[true]", "[1e0]"):
            with self.subTest(ids):
                self.refused_candidates('{"name": "c", "ids": %s}\n' % ids, "bad.jsonl:1:")
        self.refused_candidates('{"name": "c", "ids": [0, 99]}\n', "99", "4")
        self.refused_candidates('{"name": "c"}\n', "bad.jsonl:1:", "ids")
        self.refused_candidates('{"name": "c", "ids": [0}\n', "bad.jsonl:1:")
        self.refused_candidates('{"name": "c", "ids": [0', "bad.jsonl:1:")

    def test_candidate_lines_must_be_as_many_as_queries(self):
        self.refused_candidates("", "0", "1")
        self.refused_candidates('{"name": "c", "ids": [0]}\n' * 2, "2", "1")

    def test_a_failed_call_leaves_files_as_they_were(self):
        old = self.file("ids.npy", b"old")
        bad = self.file("bad.npy", self.vectors.read_bytes()[:-1])
        before = sorted(self.folder.iterdir())
        self.refuses(3, (bad,), "search", "--vectors", bad, "--queries", self.queries, "--out-ids", old, "--out-scores", self.folder / "scores.npy")
        self.refused_flag(("--top",), "--top", "x", "--out-ids", old, "--out-scores", self.folder / "scores.npy")
        lists = self.file("lists.jsonl", [{"ids": [4]}])
        score = ("score", "--vectors", self.vectors, "--queries", self.queries, "--candidates")
        self.refuses(3, (lists, "4"), *score, lists, "--out-ids", old, "--out-scores", self.folder / "scores.npy")
        lists.unlink()
        self.assertEqual(old.read_bytes(), b"old")
        self.assertEqual(sorted(self.folder.iterdir()), before)

    def test_more_vectors_than_memory(self):
        if "cuda" in harness.usable_spaces():
            self.skipTest("a CUDA driver cannot run under a limit on address space")
        huge = self.folder / "huge.npy"
        with huge.open("wb") as file:
            file.write(npy.header("<f4", (2**30, 2)))
            file.truncate(128 + 2**33)  # a sparse file
        self.refuses(4, ("memory",), "search", "--vectors", huge, "--queries", self.queries, "--threads", 2, address_space=2**32)

    def test_files_that_cannot_be_written(self):
        nowhere = self.folder / "no" / "folder" / "ids.npy"
        before = sorted(self.folder.iterdir())
        result = harness.run("search", "--vectors", self.vectors, "--queries", self.queries, "--out-ids", nowhere, "--out-scores", self.folder / "scores.npy")
        self.assertEqual(result.status, 2, result.err)
        self.assertIn(str(nowhere), result.err)
        self.assertEqual(sorted(self.folder.iterdir()), before)

    def test_input_is_not_written_over(self):
        old = self.vectors.read_bytes()
        link = self.folder / "link.npy"
        link.symlink_to(self.vectors)
        scores = self.folder / "scores.npy"
        for out in (self.vectors, link):
            self.refuses(2, (out, "over the input"), "vectors", "build", "--vectors", self.vectors, "--out", out)
            self.refuses(2, (out, "over the input"), "index", "build", "--vectors", self.vectors, "--out", out)
            self.refused_flag((out, "over the input"), "--out-ids", out, "--out-scores", scores)
            self.refuses(2, (out, "over the input"), "score", "--vectors", self.vectors, "--queries", self.queries, "--candidates", self.candidates,
                         "--out-ids", scores, "--out-scores", out)
        index = self.folder / "i.knd"
        self.succeeds("index", "build", "--vectors", self.vectors, "--out", index)
        self.refuses(2, (index, "over the input"), "index", "export", index, "--out", index)
        self.assertEqual(self.vectors.read_bytes(), old)


if __name__ == "__main__":
    unittest.main()
