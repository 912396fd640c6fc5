#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The described sections of kindred.h are those of the descriptions, mistakes in these are named, and what is made of them is well formed."""
import re
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INTERFACE = ROOT / "bindings/interface"
sys.path[:0] = [str(INTERFACE), str(ROOT / "bindings/python"), str(ROOT / "tests/layout"), str(ROOT / "tests/c")]

import count_lines  # noqa: E402
import generate  # noqa: E402
import make_names  # noqa: E402
import make_rows  # noqa: E402
from read import Statistics  # noqa: E402

# Numbers of 32 bits that calls read, and of which make_rows.py makes no bad value.
BY_HAND = {"kindred_cosine_sigmoids(space)": "Test_RowsOfC.cpp", "kindred_weighted_average(space)": "Test_RowsOfC.cpp", "kindred_edge_ends.kind": "Test_GraphsOfC.cpp", "kindred_lattice_task.work": "Test_LatticesOfC.cpp", "kindred_memory_options.level": "Test_BadOptions.cpp",
           "kindred_modifiers.fan_kinds": "Test_GraphsOfC.cpp", "kindred_rank_name(rank_by)": "Test_PredictionsOfC.cpp", "kindred_seed_arrays.mode_codes": "Test_SeedPassesOfC.cpp",
           "kindred_spread_query.decay_kind": "Test_GraphsOfC.cpp",
           **{f"kindred_seed_state.{name}": "Test_SeedsOfC.cpp" for name in ("lifecycle", "parent", "blueprint", "checkpoint", "mode", "schedule", "epochs", "errors")}}
ANY_NUMBER = ["kindred_seed_sequence_add(telemetry)", "kindred_seed_transition_origin(from)", "kindred_seed_transition_origin(to)", "kindred_seeds_germinate(blueprint)"]
RESULTS = ["kindred_learned", "kindred_seed_change", "kindred_seed_event"]

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

    def test_the_header_is_generated(self):
        made = generate.header(generate.interfaces())
        for wanted, found in zip(made.split("\n\n"), HEADER.split("\n\n"), strict=False):  # the first difference is short
            self.assertEqual(generate.compact(wanted), generate.compact(found), "run bindings/interface/generate.py --header bindings/c/include/kindred.h")
        self.assertEqual(generate.compact(made), generate.compact(HEADER))

    def test_the_names_of_the_package_are_written(self):
        text = (make_names.PACKAGE / "__init__.py").read_text(encoding="utf-8")
        self.assertEqual(make_names.written(text), text, "run bindings/python/make_names.py")

    def test_comments_name_what_is_declared(self):
        declared = set(re.findall(r"\w+", re.sub(r"/\*.*?\*/", "", HEADER, flags=re.S)))
        for comment in re.findall(r"/\*.*?\*/", HEADER, re.S):
            for name in re.findall(r"\bkindred_\w+|\bKINDRED_\w+(?=\.\.\.)", comment):
                self.assertTrue(any(one.startswith(name) if name[-1] == "_" else one == name for one in declared), f"{name} in {comment}")

    def test_a_difference_is_found(self):
        for old, new, found in (("top: Count(1) = 10", "top: Count(1) = 11", "sizeof(kindred_search_options), 11"), ('values="cosine ip l2"', 'values="ip cosine l2"', "KINDRED_IP = 0"),
                                ("def remove(self, ids: Ids)", "def remove(self, id: Id)", "kindred_index_remove(kindred_index* index, uint64_t id)"),
                                ("host_bytes: U64", "host_size: U64", "uint64_t host_size;"), ("def remove(self, ids: Ids)", "def erase(self, ids: Ids)", "kindred_index_erase"),
                                ("Removes rows;", "Deletes rows;", "Deletes rows;")):
            with self.subTest(old):
                made = generate.header(self.changed(old, new))
                self.assertNotEqual(generate.compact(made), generate.compact(HEADER))
                self.assertIn(generate.compact(found), generate.compact(made))

    def test_texts_are_those_of_the_language(self):
        text = generate.c.header(generate.interfaces()["vector"])
        for found in ("An index of the bytes of kindred_to_bytes, or of a file of kindred_save, which are copied.", "@param threads maximum number of threads; 0: all of the machine",
                      "KINDRED_NOT_FOUND: no row has the id.", "/* nonzero: `stream` orders a call on tensors on a device */"):
            self.assertIn(generate.compact(found), generate.compact(text))
        self.assertTrue(text.isascii())
        self.assertIn("struct kindred_learned { uint64_t index;", " ".join(HEADER.split()))  # an element of an array has no size
        self.assertNotIn("KINDRED_LEARNED_INIT", HEADER)
        self.assertNotIn("@param first_id", generate.python.module(generate.interfaces()["vector"], ""))

    def test_functions_of_all_kinds_of_handles_call_those_of_the_kind(self):
        made = generate.files(generate.interfaces())["c/Handles.cpp"]
        for found in ("case Kind::graph: return kindred_graph_has(handle_to<kindred_graph>(handle), narrowed(id), has);",
                      "case Kind::memory: return kindred_memory_get_statistics(handle_to<kindred_memory>(handle), static_cast<kindred_memory_statistics*>(statistics));",
                      "refuse_kind(handle, {Kind::prepared, Kind::seed_sequence});", 'if (is_named(name, "kindred_search_options"))'):
            self.assertIn(generate.compact(found), generate.compact(made))
        handles = {one.c for interface in generate.interfaces().values() for one in interface.handles.values() if not one.kept}
        self.assertEqual(handles, set(re.findall(r"case Kind::\w+:\s+return kindred_(\w+)_destroy", made)))

    def test_mistakes_are_named_with_their_line(self):
        for old, new, message in (("queries: Queries", "queries: Querys", "vector.py:.*Querys is neither a kind nor a struct"),
                                  ("(self, path: Path)", "(self, path)", "vector.py:.*path has no kind"), ("metric: Metric", "metric: Metrics", "Metrics is no kind of a field"),
                                  ("@changes", "@change", "change is no decorator"), ("(Handle, c=\"index\"", "(Handles, c=\"index\"", "Handles is neither a kind nor one of")):
            with self.subTest(new), self.assertRaisesRegex(SystemExit, message):
                self.changed(old, new)

    def test_files_are_well_formed(self):
        made = generate.files(generate.interfaces())
        self.assertEqual(sorted(made), sorted(generate.outputs()))
        for name, text in made.items():
            with self.subTest(name):
                self.assertNotRegex(text, r"\{(n|0|1|top|value|found|call)\}")  # a template that was not filled
                if name.endswith((".py", ".pyi")):
                    compile(text, name, "exec")
                elif name.endswith(".cpp"):
                    self.assertEqual(text.count("{"), text.count("}"))
                    self.assertEqual(text.count("("), text.count(")"))

    def test_every_function_is_called_by_a_test_of_its_results(self):
        """Test_BadInput.cpp calls all of them with bad input, and make_rows.py has all members of structs."""
        tests = "".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("*.[hc]pp") if not path.name.startswith("Test_Bad"))
        tests += (Path(__file__).parent / "Test_BadOptions.cpp").read_text(encoding="utf-8")
        missing = [name for name in re.findall(r"^KINDRED_API\s[\w*\s]*?(kindred_\w+)\(", HEADER, re.M) if not re.search(rf"\b{name}\b", tests)]
        self.assertEqual(missing, ["kindred_status_name"])  # of Test_BadInput.cpp

    def test_every_number_of_32_bits_has_a_bad_value_or_a_reason(self):
        rows = " ".join(row for function in make_rows.FUNCTIONS for row in make_rows.bad_input_of(function))
        found = {f"{function}({name})" for function, name in re.findall(r"BAD_ARGUMENT\((\w+), (\w+)", rows)}
        found |= {f"{struct}.{member}" for struct, member in re.findall(r"BAD_MEMBER\(\w+, \w+, (\w+), \w+, (\w+)", rows)}
        read = [(f"{generate.c.name_of(function)}({{}})", one, one.of("c")) for function in make_rows.FUNCTIONS for one in function.parameters
                if isinstance(one.kind, make_rows.kinds.Kind)]
        read += [(f"{struct.c}.{{}}", field, field.of("members")) for struct in make_rows.STRUCTS.values()
                 if not isinstance(struct, Statistics) and struct.c not in RESULTS for field in struct.fields]
        wanted = {place.format(name[1]) for place, one, declared in read for name in filter(None, (re.match(r"int32_t (\w+)", text) for text in declared))
                  if f"{name[1]} != 0" not in make_rows.text_of(one, "c_value", "c_lines")}
        self.assertEqual(sorted(wanted - found), sorted([*BY_HAND, *ANY_NUMBER]))

    def test_the_generator_is_small(self):
        self.assertLessEqual(sum(count_lines.line_counts(path, path.read_text(encoding="utf-8"))[0] for path in INTERFACE.glob("*.py")), 1200)

    def test_functions_without_a_body_by_hand_have_one(self):
        made = generate.files(generate.interfaces())
        for name, interface in generate.interfaces().items():
            for handle in interface.handles.values():
                for function in generate.c.functions_of(handle):
                    defined = f"kindred_status {generate.c.own_name(function)}(" in made[f"c/{name.capitalize()}.cpp"]
                    self.assertEqual(defined, "c" not in function.hand, function.name)


if __name__ == "__main__":
    unittest.main()
