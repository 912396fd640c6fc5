#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The checker detects what it is meant to detect."""
import unittest

from check_layout import (ENGINES, breaches_of, cycle_breaches, engine_breaches, export_breaches, kernel_breaches, option_breaches,
                          special_breaches, special_rows, test_folder_breaches, umbrella_breaches)

HEADER = "// SPDX-License-Identifier: Apache-2.0\n"


def found(path, text):
    return [what for _, what in breaches_of(path, HEADER + text)]


def found_of_engines(lines, **files):
    """The violations in files of matcher, named `a__B` for matcher/a/B.hpp and `include__a__B` for
    the public header B of a."""
    texts = {ENGINES: lines, "core/src/vector/A.cpp": ""}
    for name, text in files.items():
        *folders, stem = name.split("__")
        path = f"{folders[1]}/include/kindred/matcher" if folders[0] == "include" else folders[0]
        texts[f"matcher/{path}/{stem}.hpp"] = text
    return [what for _, what in engine_breaches(texts)]


class CheckLayout(unittest.TestCase):
    def test_core_may_not_look_up(self):
        self.assertTrue(found("core/src/a.cpp", "#include <kindred/matcher/RankFusion.hpp>\n"))
        self.assertTrue(found("core/src/a.cpp", "#include <nlohmann/json.hpp>\n"))
        self.assertFalse(found("core/src/a.cpp", "#include <kindred/core/common/Error.hpp>\n#include <vector>\n"))

    def test_kernels_check_their_arguments_and_are_tested(self):
        header = "core/include/kindred/core/vector/A.hpp"
        kernel = "template <class ExecutionSpace>\nvoid scale(const ExecutionSpace& exec_space, float by);\n"
        here = "void scale_here(float by);\n"
        check = 'const Impl::ArgumentCheck check("scale");\nconst Impl::ArgumentCheck check("scale_here");\n'
        row = '    {"scale",\n     [](const HostSpace& on, Arguments& a) {}},\n    {"scale_here", [](const HostSpace&, Arguments& a) {}},\n'
        texts = {header: kernel + here}
        self.assertEqual(len(list(kernel_breaches(texts))), 4)
        texts["core/src/vector/A.cpp"] = check
        self.assertEqual(len(list(kernel_breaches(texts))), 2)
        texts["tests/vector/kernels/Test_VectorArguments.cpp"] = row
        self.assertFalse(list(kernel_breaches(texts)))
        texts["core/include/kindred/core/vector/B.hpp"] = kernel.replace("scale", "candidate_plan")
        self.assertFalse(list(kernel_breaches(texts)))

    def test_the_leaves_of_core_include_no_engine(self):
        line = "#include <kindred/core/sequence/WordTable.hpp>\n"
        self.assertTrue(found("core/src/arch/a.cpp", line))
        self.assertTrue(found("core/src/common/a.cpp", "#include <kindred/core/arch/Spaces.hpp>\n"))
        self.assertFalse(found("core/src/arch/a.cpp", "#include <kindred/core/common/Error.hpp>\n"))
        self.assertFalse(found("core/src/sequence/a.cpp", line))

    def test_special_forms_are_listed(self):
        names = "core/include/kindred/core/arch/SpecialForms.hpp"
        form = "core/include/kindred/core/vector/special/Scores.hpp"
        line = '{Form::scores, "Scores", "vector/special/Scores.hpp", Machine::host, "search-1", 2.5, "2026-01-02, Zen 5"},\n'
        machine = 'case Machine::host:\n      return "hosts";\n'
        comment = "/// A special form for hosts: 2.5 × on\n/// `search-1`, 2026-01-02, Zen 5.\n"

        def breaches(entry, **more):
            texts = {names: machine + entry, form: comment, "docs/internals/kernels.md": "\n".join(special_rows(machine + entry).values())}
            texts.update({path.replace("__", "/"): text for path, text in more.items()})
            return list(special_breaches(texts))
        self.assertFalse(breaches(line))
        self.assertTrue(breaches(line.replace("Scores.hpp", "Sums.hpp")))
        self.assertTrue(breaches(line.replace('"2026-01-02, Zen 5"', '""')))
        self.assertTrue(breaches(line.replace("2.5", "3.5").replace("Scores.hpp", "Scores.hpp") + line))
        self.assertTrue(breaches(line, **{form: ""}))
        self.assertTrue(breaches(line, **{"docs/internals/kernels.md": ""}))
        part = form.replace("Scores", "Part")
        self.assertTrue(breaches(line, **{part: ""}))
        self.assertFalse(breaches(line, **{part: "", form: comment + "#include <kindred/core/vector/special/Part.hpp>\n"}))

    def test_names_have_no_suffixes(self):
        self.assertTrue(found("core/src/vector/Scores_Cuda.cpp", ""))
        self.assertFalse(found("core/include/kindred/core/vector/special/Scores.hpp",
                               "#ifndef KINDRED_CORE_VECTOR_SPECIAL_SCORES_HPP\n"))

    def test_launches_check_their_numbers_of_teams_and_indices(self):
        for bad in ("policy(exec_space, static_cast<int>(teams), 8, 32)", "policy(\n      exec_space,\n      static_cast<int>(teams), 8, 32)",
                    "policy(exec_space, 0, static_cast<std::uint32_t>(count))"):
            self.assertTrue(found("core/src/vector/a.cpp", bad + "\n"), bad)
        self.assertFalse(found("core/src/vector/a.cpp", "policy(exec_space, Arch::league_size(teams), static_cast<int>(size), 32)\n"))
        for bad in ("Kokkos::RangePolicy<HostSpace> all(exec_space, 0, count);", "teams.set_scratch_size(0, Kokkos::PerTeam(bytes));",
                    "Kokkos::TeamPolicy<HostSpace> teams(exec_space, 4, 1);"):
            self.assertTrue(found("matcher/vector/a.cpp", bad + "\n"), bad)
            self.assertFalse(found("core/src/arch/launch/a.cpp", bad + "\n"), bad)

    def test_core_selects_in_one_place(self):
        self.assertTrue(found("core/src/graph/a.cpp", "std::nth_element(first, middle, last);\n"))
        self.assertFalse(found("core/src/select/a.cpp", "std::nth_element(first, middle, last);\n"))
        self.assertFalse(found("matcher/vector/a.cpp", "std::nth_element(first, middle, last);\n"))

    def test_concurrency_is_that_of_an_instance(self):
        self.assertTrue(found("core/src/graph/a.cpp", "const int threads = exec_space.concurrency();\n"))
        self.assertFalse(found("core/src/graph/a.cpp", "const int threads = Arch::concurrency(exec_space);\n"))

    def test_memory_may_not_include_backends(self):
        self.assertTrue(found("memory/src/a.cpp", "#include <kindred/backends/Context.hpp>\n"))

    def test_tools_use_public_headers_only(self):
        self.assertTrue(found("tools/a.cpp", "#include <kindred/backends/impl/Instances.hpp>\n"))
        self.assertFalse(found("tools/a.cpp", "#include <kindred/matcher/RankFusion.hpp>\n"))

    def test_bindings_use_public_headers_only(self):
        self.assertTrue(found("bindings/c/src/a.cpp", "#include <kindred/backends/impl/Instances.hpp>\n"))
        self.assertTrue(found("bindings/c/src/a.cpp", "#include <Kokkos_Core.hpp>\n"))
        self.assertFalse(found("bindings/c/src/a.cpp", "#include <kindred.h>\n#include <kindred/matcher/RankFusion.hpp>\n"))

    def test_engine_headers_include_no_kokkos(self):
        guard = "#ifndef KINDRED_MATCHER_A_HPP\n#define KINDRED_MATCHER_A_HPP\n"
        self.assertTrue(found("matcher/vector/include/kindred/matcher/A.hpp", guard + "#include <Kokkos_Core.hpp>\n"))
        self.assertFalse(found("matcher/vector/include/kindred/matcher/A.hpp", guard + "#include <span>\n"))

    def test_conditions_of_a_space_belong_to_arch(self):
        self.assertTrue(found("core/src/vector/a.cpp", "#ifdef KOKKOS_ENABLE_CUDA\n"))
        self.assertFalse(found("backends/src/a.cpp", "#if defined(KOKKOS_ENABLE_CUDA)\n"))
        self.assertTrue(found("core/src/vector/a.cpp", "  __syncthreads();\n"))
        self.assertFalse(found("core/src/arch/a.cpp", "  __syncthreads();\n"))

    def test_public_headers_are_the_same_for_every_space(self):
        self.assertTrue(found("backends/include/kindred/backends/Space.hpp", "#if KINDRED_HAS_DEVICE\n"))
        self.assertFalse(found("backends/src/Device.cpp", "#if KINDRED_HAS_DEVICE\n"))

    def test_the_loader_uses_nothing_of_kindred(self):
        self.assertTrue(found("loader/src/a.cpp", "#include <kindred/core/common/Error.hpp>\n"))
        self.assertFalse(found("loader/src/a.cpp", "#include <kindred/loader/Driver.hpp>\n"))

    def test_global_fence_and_printing_are_refused(self):
        self.assertTrue(found("core/src/a.cpp", '  Kokkos::fence("x");\n'))
        self.assertTrue(found("matcher/vector/a.cpp", "  std::cout << 1;\n"))

    def test_unfinished_merges_are_refused(self):
        self.assertTrue(found("docs/a.md", "<" * 7 + " HEAD\n"))
        self.assertFalse(found("docs/a.md", "Title\n" + "=" * 5 + "\n"))

    def test_the_oracle_is_for_tests_and_perf(self):
        self.assertTrue(found("matcher/vector/A.cpp", "#include <kindred/reference/Reference.hpp>\n"))
        self.assertTrue(found("tools/a.cpp", "#include <kindred/reference/Reference.hpp>\n"))
        self.assertFalse(found("perf/a.cpp", "#include <kindred/reference/Reference.hpp>\n"))

    def test_products_of_vendors_are_no_public_headers(self):
        self.assertTrue(found("tools/a.cpp", "#include <kindred/backends/vendor/HostGemm.hpp>\n"))

    def test_engines_include_what_they_use(self):
        lines = "kindred_engine(storage)\nkindred_engine(vector USES storage LINK_PRIVATE Kindred::vendor)\n"
        self.assertFalse(found_of_engines(lines, vector__A='#include "storage/B.hpp"\n#include "C.hpp"\n'))
        self.assertFalse(found_of_engines(lines, vector__A="#include <kindred/matcher/B.hpp>\n", include__storage__B=""))
        self.assertEqual(found_of_engines(lines), ["vector uses storage, but includes nothing of it"])

    def test_engines_include_nothing_else(self):
        lines = "kindred_engine(storage)\nkindred_engine(vector)\n"
        self.assertEqual(found_of_engines(lines, storage__A='#include "vector/B.hpp"\n'),
                         ["storage does not use vector: vector/B.hpp"])
        self.assertEqual(found_of_engines(lines, storage__A="#include <kindred/matcher/B.hpp>\n", include__vector__B=""),
                         ["storage does not use vector: kindred/matcher/B.hpp"])

    def test_engines_have_no_cycle(self):
        lines = "kindred_engine(storage USES vector)\nkindred_engine(vector USES storage)\n"
        self.assertEqual(found_of_engines(lines, vector__A='#include "storage/B.hpp"\n', storage__A='#include "vector/B.hpp"\n'),
                         ["storage uses vector, which is not declared above it"])

    def test_folders_are_engines(self):
        lines = "kindred_engine(storage)\nkindred_engine(vector)\n"
        self.assertEqual(found_of_engines(lines, hnsw__A=""), ["is not in the folder of an engine"])
        self.assertEqual(found_of_engines("kindred_engine(storage)\n"), ["core's folder vector has the name of no engine"])

    def test_folders_of_core_have_no_cycle(self):
        include = "#include <kindred/core/{}/A.hpp>\n".format
        texts = {"core/src/graph/a.cpp": include("math"), "core/src/vector/a.cpp": include("graph") + include("vector")}
        self.assertEqual(list(cycle_breaches(texts)), [])
        texts["core/include/kindred/core/graph/B.hpp"] = include("vector")
        self.assertEqual([name for name, _ in cycle_breaches(texts)], ["core/graph", "core/vector"])

    def test_an_umbrella_header_includes_all_of_its_engine(self):
        texts = {"matcher/vector/include/kindred/matcher/A.hpp": "", "matcher/vector/include/kindred/matcher/B.hpp": ""}
        umbrella = "matcher/vector/include/kindred/Vector.hpp"
        self.assertEqual([path for path, _ in umbrella_breaches(texts)], [umbrella])
        half = texts | {umbrella: "#include <kindred/matcher/A.hpp>\n"}
        self.assertEqual([path for path, _ in umbrella_breaches(half)], [umbrella])
        whole = texts | {umbrella: "#include <kindred/matcher/A.hpp>\n#include <kindred/matcher/B.hpp>\n"}
        self.assertEqual(list(umbrella_breaches(whole)), [])
        self.assertEqual(list(umbrella_breaches({"matcher/storage/include/kindred/matcher/A.hpp": ""})), [])

    def test_each_public_struct_of_options_is_tried(self):
        header = "matcher/vector/include/kindred/matcher/A.hpp"
        texts = {header: "struct SearchOptions {\n};\n", "tests/consumers/Options.cpp": "SearchOptions options;\n"}
        self.assertEqual(len(list(option_breaches(texts))), 1)
        texts["tests/consumers/Options.cpp"] = "use(SearchOptions{.top = 5});\n"
        self.assertEqual(list(option_breaches(texts)), [])

    def test_public_headers_alone_export_their_names(self):
        exported, hidden = "namespace KINDRED_PUBLIC Kindred {\n", "namespace Kindred {\n"
        texts = {"matcher/vector/include/kindred/matcher/A.hpp": "#include <kindred/core/common/B.hpp>\n" + exported,
                 "core/include/kindred/core/common/B.hpp": exported, "core/include/kindred/core/common/C.hpp": hidden,
                 "backends/include/kindred/backends/impl/D.hpp": hidden, "matcher/vector/A.cpp": hidden,
                 "core/include/kindred/core/common/E.hpp": exported, "tools/A.cpp": "#include <kindred/core/common/E.hpp>\n"}
        self.assertEqual(list(export_breaches(texts)), [])
        for path, text in list(texts.items())[:-1]:
            with self.subTest(path):
                other = text.replace(exported, hidden) if exported in text else text.replace(hidden, exported)
                self.assertEqual([found for found, _ in export_breaches(texts | {path: other})], [path])

    def test_sources_export_the_functions_of_public_headers_alone(self):
        header = {"matcher/vector/include/kindred/matcher/A.hpp": "namespace KINDRED_PUBLIC Kindred {\nint f(int a);\nclass A {\n  int g();\n};\n"}
        for body, exports in (("int f(int a) { return a; }\n", True), ("int A::g() { return 1; }\n", False),
                              ("namespace {\n\nint f(int a) { return a; }\n\n}  // namespace\n", False)):
            for opened, marked in (("namespace KINDRED_PUBLIC Kindred {\n", True), ("namespace Kindred {\n", False)):
                texts = header | {"matcher/vector/A.cpp": "#include <kindred/matcher/A.hpp>\n" + opened + body}
                with self.subTest(body=body, opened=opened):
                    self.assertEqual([path for path, _ in export_breaches(texts)], [] if marked == exports else ["matcher/vector/A.cpp"])

    def test_folders_of_tests_are_named_after_what_they_test(self):
        texts = {ENGINES: "kindred_engine(vector)\n", "core/src/select/A.cpp": "", "tests/vector/Test_A.cpp": "",
                 "tests/select/kernels/Test_A.cpp": "", "tests/layout/a.py": ""}
        self.assertEqual(list(test_folder_breaches(texts)), [])
        self.assertEqual([path for path, _ in test_folder_breaches(texts | {"tests/matcher/Test_A.cpp": ""})], ["tests/matcher"])

    def test_licence_and_guard(self):
        self.assertTrue(list(breaches_of("core/src/a.cpp", "int x;\n")))
        self.assertTrue(found("core/include/kindred/core/common/A.hpp", "#ifndef WRONG\n"))


if __name__ == "__main__":
    unittest.main()
