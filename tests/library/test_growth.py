#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which changes of structs the comparison of binary interfaces accepts, before abidiff reports the others."""
import unittest

from test_package import without_growth


def interface(**structs):
    """The XML of abidw for structs with members of 64 bits."""
    classes = "".join(
        f"<class-decl name='{name}' size-in-bits='{64 * len(members)}'>"
        + "".join(f"<data-member layout-offset-in-bits='{64 * i}'><var-decl name='{member}'/></data-member>" for i, member in enumerate(members))
        + "</class-decl>" for name, members in structs.items())
    return f"<abi-corpus>{classes}</abi-corpus>".encode()


def interface_as_written(members):
    """An interface in the form in which `without_growth` writes it."""
    return without_growth(interface(options=members), interface())


class Growth(unittest.TestCase):
    def accepted(self, old, new):
        return without_growth(interface(options=new), interface(options=old)) == interface_as_written(old)

    def test_structs_that_know_their_size_may_grow(self):
        self.assertTrue(self.accepted(["struct_size", "top"], ["struct_size", "top"]))
        self.assertTrue(self.accepted(["struct_size", "top"], ["struct_size", "top", "space", "stream"]))

    def test_other_changes_stay(self):
        old = ["struct_size", "top", "space"]
        for new in (["struct_size", "top"], ["struct_size", "space", "top"], ["struct_size", "new", "top", "space"], ["size", "top", "space"]):
            with self.subTest(new):
                self.assertFalse(self.accepted(old, new))

    def test_other_structs_must_not_grow(self):
        self.assertFalse(self.accepted(["from", "to"], ["from", "to", "weight"]))

    def test_structs_of_one_version_stay(self):
        new = interface(options=["struct_size"], added=["struct_size", "top"])
        self.assertIn(b"added", without_growth(new, interface(options=["struct_size"], removed=["struct_size"])))


if __name__ == "__main__":
    unittest.main()
