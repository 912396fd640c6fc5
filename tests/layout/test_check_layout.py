#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The checker finds what it is there to find."""
import unittest

from check_layout import breaches_of

HEADER = "// SPDX-License-Identifier: Apache-2.0\n"


def found(path, text):
    return [what for _, what in breaches_of(path, HEADER + text)]


class CheckLayout(unittest.TestCase):
    def test_core_may_not_look_up(self):
        self.assertTrue(found("core/src/a.cpp", "#include <kindred/matcher/Recall.hpp>\n"))
        self.assertTrue(found("core/src/a.cpp", "#include <nlohmann/json.hpp>\n"))
        self.assertFalse(found("core/src/a.cpp", "#include <kindred/core/common/Error.hpp>\n#include <vector>\n"))

    def test_memory_may_not_include_backends(self):
        self.assertTrue(found("memory/src/a.cpp", "#include <kindred/backends/Context.hpp>\n"))

    def test_tools_use_public_headers_only(self):
        self.assertTrue(found("tools/a.cpp", "#include <kindred/backends/impl/Instances.hpp>\n"))
        self.assertFalse(found("tools/a.cpp", "#include <kindred/matcher/Recall.hpp>\n"))

    def test_engine_headers_include_no_kokkos(self):
        guard = "#ifndef KINDRED_MATCHER_A_HPP\n#define KINDRED_MATCHER_A_HPP\n"
        self.assertTrue(found("matcher/include/kindred/matcher/A.hpp", guard + "#include <Kokkos_Core.hpp>\n"))
        self.assertFalse(found("matcher/include/kindred/matcher/A.hpp", guard + "#include <span>\n"))

    def test_conditions_of_a_space_belong_to_arch(self):
        self.assertTrue(found("core/src/vector/a.cpp", "#ifdef KOKKOS_ENABLE_CUDA\n"))
        self.assertFalse(found("backends/src/a.cpp", "#if defined(KOKKOS_ENABLE_CUDA)\n"))

    def test_global_fence_and_printing_are_refused(self):
        self.assertTrue(found("core/src/a.cpp", '  Kokkos::fence("x");\n'))
        self.assertTrue(found("matcher/src/a.cpp", "  std::cout << 1;\n"))

    def test_unfinished_merges_are_refused(self):
        self.assertTrue(found("docs/a.md", "<" * 7 + " HEAD\n"))
        self.assertFalse(found("docs/a.md", "Title\n" + "=" * 5 + "\n"))

    def test_licence_and_guard(self):
        self.assertTrue(list(breaches_of("core/src/a.cpp", "int x;\n")))
        self.assertTrue(found("core/include/kindred/core/common/A.hpp", "#ifndef WRONG\n"))


if __name__ == "__main__":
    unittest.main()
