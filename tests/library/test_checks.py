#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The checker of symbols detects what it is meant to detect, and the comparison of binary interfaces accepts some changes of structs, before
abidiff reports the others."""
import unittest

from check_symbols import NODE, REQUIRED, breaches_of
from test_package import without_growth

HEADERS = "class VectorIndex { struct State; void search(); }; class Error; class CorruptFile; std::string library_file();"


def found(*symbols):
    return list(breaches_of([f"{symbol}@@{NODE}" for symbol in (*REQUIRED, *symbols)], HEADERS))


class CheckSymbols(unittest.TestCase):
    def test_public_names_pass(self):
        self.assertEqual(found("_ZNK7Kindred11VectorIndex6searchEv", "_ZTVN7Kindred11VectorIndexE", "_ZN7Kindred11VectorIndexD1Ev",
                               "_ZN7Kindred11VectorIndex6searchIfEESt6vectorIT_SaIS3_EES3_"), [])

    def test_other_names_and_versions_are_refused(self):
        for symbol in ("_ZN6Kokkos10initializeERiPPc", "_ZTIN6Kokkos10ScopeGuardE", "_ZN3fmt2v97vformatEN7Kindred11VectorIndexE",
                       "_ZN7Kindred4Impl10with_graphEi", "_ZN7Kindred11VectorIndex5State6searchEv", "_ZN7Kindred13BudgetAdaptor8allocateEm",
                       "_ZNSt6vectorIN7Kindred11VectorIndexESaIS1_EE9push_backERKS1_", "main"):
            with self.subTest(symbol):
                self.assertEqual(len(found(symbol)), 1)
        for symbols, count in (([f"{symbol}@@OTHER" for symbol in REQUIRED[:1]], len(REQUIRED)), ([f"{REQUIRED[0]}@@{NODE}"], len(REQUIRED) - 1)):
            self.assertEqual(len(list(breaches_of(symbols, HEADERS))), count)


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
