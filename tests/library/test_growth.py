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


class Growth(unittest.TestCase):
    def test_structs_that_know_their_size_may_grow_and_nothing_else(self):
        for old, new, is_accepted in (("struct_size top", "struct_size top", True), ("struct_size top", "struct_size top space stream", True),
                                      ("struct_size top space", "struct_size top", False), ("struct_size top space", "struct_size space top", False),
                                      ("struct_size top space", "struct_size new top space", False), ("struct_size top space", "size top space", False),
                                      ("from to", "from to weight", False)):
            old, new = interface(options=old.split()), interface(options=new.split())
            as_written = without_growth(old, interface())
            self.assertEqual(without_growth(new, old) == as_written, is_accepted, new)
        one_version = without_growth(interface(options=["struct_size"], added=["struct_size", "top"]), interface(options=["struct_size"], removed=["struct_size"]))
        self.assertIn(b"added", one_version)


if __name__ == "__main__":
    unittest.main()
