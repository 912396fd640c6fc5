#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The checker detects what it is meant to detect."""
import unittest

from check_symbols import NODE, REQUIRED, breaches_of

HEADERS = "class VectorIndex { struct State; void search(); }; class Error; class CorruptFile; std::string library_file();"


def found(*symbols):
    return list(breaches_of([f"{symbol}@@{NODE}" for symbol in (*REQUIRED, *symbols)], HEADERS))


class CheckSymbols(unittest.TestCase):
    def test_public_names_pass(self):
        self.assertEqual(found("_ZNK7Kindred11VectorIndex6searchEv", "_ZTVN7Kindred11VectorIndexE", "_ZN7Kindred11VectorIndexD1Ev",
                               "_ZN7Kindred11VectorIndex6searchIfEESt6vectorIT_SaIS3_EES3_"), [])

    def test_other_names_are_refused(self):
        for symbol in ("_ZN6Kokkos10initializeERiPPc", "_ZTIN6Kokkos10ScopeGuardE", "_ZN3fmt2v97vformatEN7Kindred11VectorIndexE",
                       "_ZN7Kindred4Impl10with_graphEi", "_ZN7Kindred11VectorIndex5State6searchEv", "_ZN7Kindred13BudgetAdaptor8allocateEm",
                       "_ZNSt6vectorIN7Kindred11VectorIndexESaIS1_EE9push_backERKS1_", "main"):
            with self.subTest(symbol):
                self.assertEqual(len(found(symbol)), 1)

    def test_names_need_their_version(self):
        self.assertEqual(len(list(breaches_of([f"{symbol}@@{NODE}" for symbol in REQUIRED] + ["_ZN7Kindred11VectorIndex6searchEv@@OTHER"], HEADERS))), 1)

    def test_exceptions_are_exported(self):
        self.assertEqual(len(list(breaches_of([f"{REQUIRED[0]}@@{NODE}"], HEADERS))), len(REQUIRED) - 1)


if __name__ == "__main__":
    unittest.main()
