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


# Files that break a rule, each with one that keeps it.
INCLUDE = "#include <{}>\n".format
GUARD = "#ifndef KINDRED_MATCHER_A_HPP\n#define KINDRED_MATCHER_A_HPP\n"
FORM_GUARD = "#ifndef KINDRED_CORE_VECTOR_SPECIAL_SCORES_HPP\n"
TOO_MANY = "policy(exec_space, {}, 8, 32)\n".format
SELECTS = "std::nth_element(first, middle, last);\n"
WRONG = [
    ("core/src/a.cpp", INCLUDE("kindred/matcher/RankFusion.hpp")), ("core/src/a.cpp", INCLUDE("nlohmann/json.hpp")),
    ("core/src/arch/a.cpp", INCLUDE("kindred/core/sequence/WordTable.hpp")), ("core/src/common/a.cpp", INCLUDE("kindred/core/arch/Spaces.hpp")),
    ("core/src/vector/Scores_Cuda.cpp", ""), ("core/src/vector/a.cpp", TOO_MANY("static_cast<int>(teams)")),
    ("core/src/vector/a.cpp", TOO_MANY("\n      static_cast<int>(teams)")), ("core/src/vector/a.cpp", TOO_MANY("0, static_cast<std::uint32_t>(count)")),
    ("matcher/vector/a.cpp", "Kokkos::RangePolicy<HostSpace> all(exec_space, 0, count);\n"),
    ("matcher/vector/a.cpp", "teams.set_scratch_size(0, Kokkos::PerTeam(bytes));\n"),
    ("matcher/vector/a.cpp", "Kokkos::TeamPolicy<HostSpace> teams(exec_space, 4, 1);\n"), ("core/src/graph/a.cpp", SELECTS),
    ("core/src/graph/a.cpp", "const int threads = exec_space.concurrency();\n"), ("memory/src/a.cpp", INCLUDE("kindred/backends/Context.hpp")),
    ("tools/a.cpp", INCLUDE("kindred/backends/impl/Instances.hpp")), ("bindings/c/src/a.cpp", INCLUDE("kindred/backends/impl/Instances.hpp")),
    ("bindings/c/src/a.cpp", INCLUDE("Kokkos_Core.hpp")), ("matcher/vector/include/kindred/matcher/A.hpp", GUARD + INCLUDE("Kokkos_Core.hpp")),
    ("core/src/vector/a.cpp", "#ifdef KOKKOS_ENABLE_CUDA\n"), ("core/src/vector/a.cpp", "  __syncthreads();\n"),
    ("backends/include/kindred/backends/Space.hpp", "#if KINDRED_HAS_DEVICE\n"), ("loader/src/a.cpp", INCLUDE("kindred/core/common/Error.hpp")),
    ("core/src/a.cpp", '  Kokkos::fence("x");\n'), ("matcher/vector/a.cpp", "  std::cout << 1;\n"), ("docs/a.md", "<" * 7 + " HEAD\n"),
    ("matcher/vector/A.cpp", INCLUDE("kindred/reference/Reference.hpp")), ("tools/a.cpp", INCLUDE("kindred/reference/Reference.hpp")),
    ("tools/a.cpp", INCLUDE("kindred/backends/vendor/HostGemm.hpp")), ("core/include/kindred/core/common/A.hpp", "#ifndef WRONG\n"),
    ("core/src/a.cpp", "\n" * 600)]
RIGHT = [
    ("core/src/a.cpp", INCLUDE("kindred/core/common/Error.hpp") + INCLUDE("vector")), ("core/src/arch/a.cpp", INCLUDE("kindred/core/common/Error.hpp")),
    ("core/src/sequence/a.cpp", INCLUDE("kindred/core/sequence/WordTable.hpp")), ("core/include/kindred/core/vector/special/Scores.hpp", FORM_GUARD),
    ("core/src/vector/a.cpp", "policy(exec_space, Arch::league_size(teams), static_cast<int>(size), 32)\n"),
    ("core/src/arch/launch/a.cpp", "Kokkos::RangePolicy<HostSpace> all(exec_space, 0, count);\n"),
    ("core/src/arch/launch/a.cpp", "teams.set_scratch_size(0, Kokkos::PerTeam(bytes));\n"), ("core/src/select/a.cpp", SELECTS), ("matcher/vector/a.cpp", SELECTS),
    ("core/src/graph/a.cpp", "const int threads = Arch::concurrency(exec_space);\n"), ("tools/a.cpp", INCLUDE("kindred/matcher/RankFusion.hpp")),
    ("bindings/c/src/a.cpp", INCLUDE("kindred.h") + INCLUDE("kindred/matcher/RankFusion.hpp")),
    ("matcher/vector/include/kindred/matcher/A.hpp", GUARD + INCLUDE("span")), ("backends/src/a.cpp", "#if defined(KOKKOS_ENABLE_CUDA)\n"),
    ("core/src/arch/a.cpp", "  __syncthreads();\n"), ("backends/src/Device.cpp", "#if KINDRED_HAS_DEVICE\n"),
    ("loader/src/a.cpp", INCLUDE("kindred/loader/Driver.hpp")), ("docs/a.md", "Title\n" + "=" * 5 + "\n"), ("core/src/a.cpp", "\n" * 590)]
# matcher/CMakeLists.txt, files of engines and what is found.
USES = "kindred_engine(storage)\nkindred_engine(vector USES storage LINK_PRIVATE Kindred::vendor)\n"
APART = "kindred_engine(storage)\nkindred_engine(vector)\n"
OF_ENGINES = [
    (USES, {"vector__A": '#include "storage/B.hpp"\n#include "C.hpp"\n'}, []),
    (USES, {"vector__A": INCLUDE("kindred/matcher/B.hpp"), "include__storage__B": ""}, []),
    (USES, {}, ["vector uses storage, but includes nothing of it"]),
    (APART, {"storage__A": '#include "vector/B.hpp"\n'}, ["storage does not use vector: vector/B.hpp"]),
    (APART, {"storage__A": INCLUDE("kindred/matcher/B.hpp"), "include__vector__B": ""}, ["storage does not use vector: kindred/matcher/B.hpp"]),
    ("kindred_engine(storage USES vector)\nkindred_engine(vector USES storage)\n",
     {"vector__A": '#include "storage/B.hpp"\n', "storage__A": '#include "vector/B.hpp"\n'}, ["storage uses vector, which is not declared above it"]),
    (APART, {"hnsw__A": ""}, ["is not in the folder of an engine"]),
    ("kindred_engine(storage)\n", {}, ["core's folder vector has the name of no engine"])]
# A check, files that keep its rule, a change of them, and the files that break the rule then.
CORE = "#include <kindred/core/{}/A.hpp>\n".format
UMBRELLA = "matcher/vector/include/kindred/Vector.hpp"
WHOLE = {"matcher/vector/include/kindred/matcher/A.hpp": "", "matcher/vector/include/kindred/matcher/B.hpp": "",
         UMBRELLA: INCLUDE("kindred/matcher/A.hpp") + INCLUDE("kindred/matcher/B.hpp"), "matcher/storage/include/kindred/matcher/A.hpp": ""}
OPTIONS = {"matcher/vector/include/kindred/matcher/A.hpp": "struct SearchOptions {\n};\n", "tests/consumers/Options.cpp": "use(SearchOptions{.top = 5});\n"}
FOLDERS = {ENGINES: "kindred_engine(vector)\n", "core/src/select/A.cpp": "", "tests/vector/Test_A.cpp": "", "tests/select/kernels/Test_A.cpp": "",
           "tests/layout/a.py": ""}
OF_FILES = [
    (cycle_breaches, {"core/src/graph/a.cpp": CORE("math"), "core/src/vector/a.cpp": CORE("graph") + CORE("vector")},
     {"core/include/kindred/core/graph/B.hpp": CORE("vector")}, ["core/graph", "core/vector"]),
    (umbrella_breaches, WHOLE, {UMBRELLA: ""}, [UMBRELLA]), (umbrella_breaches, WHOLE, {UMBRELLA: INCLUDE("kindred/matcher/A.hpp")}, [UMBRELLA]),
    (option_breaches, OPTIONS, {"tests/consumers/Options.cpp": "SearchOptions options;\n"}, ["tests/consumers/Options.cpp"]),
    (test_folder_breaches, FOLDERS, {"tests/matcher/Test_A.cpp": ""}, ["tests/matcher"])]


class CheckLayout(unittest.TestCase):
    def test_files_that_break_a_rule_are_found(self):
        for path, text in WRONG:
            self.assertTrue(found(path, text), (path, text[:80]))
        for path, text in RIGHT:
            self.assertEqual(found(path, text), [], (path, text[:80]))
        self.assertTrue(list(breaches_of("core/src/a.cpp", "int x;\n")), "no licence")
        for lines, files, wanted in OF_ENGINES:
            self.assertEqual(found_of_engines(lines, **files), wanted, files)

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

    def test_rules_of_several_files(self):
        for check, texts, change, wanted in OF_FILES:
            self.assertEqual(list(check(texts)), [])
            self.assertEqual([path for path, _ in check(texts | change)], wanted, change)

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


if __name__ == "__main__":
    unittest.main()
