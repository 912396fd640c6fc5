# SPDX-License-Identifier: Apache-2.0
"""What `kindred info` says about matrix products."""
import json
import unittest

import harness


class Info(harness.CommandTest):
    def test_every_type_has_one_library_and_every_other_a_reason(self):
        libraries = json.loads(self.succeeds("info", "--json").out)["matrix_products"]
        on_host = [library for library in libraries if library["space"] == "host"]
        self.assertEqual([library["library"] for library in on_host], ["oneDNN", "OpenBLAS", "Kindred"])
        types = [element for library in on_host for element in library["used_for"]]
        self.assertEqual(sorted(types), sorted(set(types)))
        self.assertLessEqual({"float32", "float64"}, set(types))
        text = self.succeeds("info").out.decode()
        for library in libraries:
            with self.subTest(library["library"]):
                self.assertFalse(library["used_for"] and library["why_not"])
                if library["used_for"]:
                    self.assertIn(f"  {library['library']} {library['version']} ({library['space']}): {', '.join(library['used_for'])}\n", text)
                elif library["why_not"]:
                    self.assertIn(f"  {library['library']}: {library['why_not']}\n", text)


if __name__ == "__main__":
    unittest.main()
