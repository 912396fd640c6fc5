#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The descriptions of the interface are those of kindred.h, mistakes in them are named, and what is made of them is well formed."""
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INTERFACE = ROOT / "bindings/interface"
sys.path.insert(0, str(INTERFACE))

import generate  # noqa: E402

HEADER = (ROOT / "bindings/c/include/kindred.h").read_text(encoding="utf-8")


class Interface(unittest.TestCase):
    def changed(self, old, new, name="vector"):
        """The interfaces of descriptions in which `old` is `new`."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        shutil.copytree(INTERFACE / "descriptions", folder.name, dirs_exist_ok=True)
        path = Path(folder.name, f"{name}.py")
        text = path.read_text(encoding="utf-8")
        self.assertIn(old, text)
        path.write_text(text.replace(old, new, 1), encoding="utf-8")
        return generate.interfaces(folder.name)

    def test_declarations_are_those_of_the_header(self):
        described = generate.interfaces()
        self.assertEqual(generate.missing(described, HEADER), [])
        declared = [one for interface in described.values() for one in generate.declarations(generate.c.header(interface))]
        self.assertGreater(len([one for one in declared if one.startswith("KINDRED_API")]), 40)

    def test_a_difference_is_found(self):
        for old, new, found in (("top: Count(1) = 10", "top: Count(1) = 11", "_INIT"), ('values="cosine ip l2"', 'values="ip cosine l2"', "KINDRED_COSINE"),
                                ("def remove(self, ids: Ids)", "def remove(self, id: Id)", "kindred_index_remove"),
                                ("host_bytes: U64", "host_size: U64", "kindred_index_statistics"), ("def size(self)", "def count(self)", "kindred_index_count")):
            with self.subTest(old):
                self.assertIn(found, " ".join(generate.missing(self.changed(old, new), HEADER)))

    def test_mistakes_are_named_with_their_line(self):
        for old, new, message in (("queries: Queries", "queries: Querys", "vector.py:.*Querys is neither a kind"),
                                  ("(self, path: Path)", "(self, path)", "vector.py:.*path has no kind"), ("metric: Metric", "metric: Metrics", "Metrics is no kind of a field"),
                                  ("@changes", "@change", "change is no decorator"), ("(Handle, c=\"index\"", "(Handles, c=\"index\"", "Handles is none of")):
            with self.subTest(new), self.assertRaisesRegex(SystemExit, message):
                self.changed(old, new)

    def test_files_are_well_formed(self):
        made = generate.files(generate.interfaces())
        self.assertEqual({"c/vector.cpp", "c/hnsw.cpp", "python/VectorIndex.cpp", "pykindred/_vector.py", "pykindred/_vector.pyi"} - set(made), set())
        for name, text in made.items():
            with self.subTest(name):
                self.assertNotRegex(text, r"\{(n|0|1|top|value|found|call)\}")  # a template that was not filled
                if name.endswith((".py", ".pyi")):
                    compile(text, name, "exec")
                elif name.endswith(".cpp"):
                    self.assertEqual(text.count("{"), text.count("}"))
                    self.assertEqual(text.count("("), text.count(")"))

    def test_functions_without_a_body_by_hand_have_one(self):
        made = generate.files(generate.interfaces())
        for name in ("vector", "hnsw"):
            for handle in generate.interfaces()[name].handles.values():
                for function in generate.c.functions_of(handle):
                    defined = f"kindred_status {generate.c.name_of(function)}(" in made[f"c/{name}.cpp"]
                    self.assertEqual(defined, "c" not in function.hand, function.name)


if __name__ == "__main__":
    unittest.main()
