#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The generator makes what it says, and what accepted_survivors.txt lists exists."""

import pathlib
import unittest

import accepted_survivors
import mutants
import plan

ROOT = pathlib.Path(__file__).resolve().parents[2]


def made(text):
    """What becomes of a function with this body: the operators, and the copy."""
    mutator = mutants.Mutator("a.cpp", f"void f(int a, int b) {{\n{text}\n}}\n", 1)
    return [mutant.key.split(" | ")[3] for mutant in mutator.mutants], mutator.copy()


class Generator(unittest.TestCase):
    def test_makes_enough_mutants_in_every_group(self):
        count = dict.fromkeys(plan.MUTATED, 0)
        for mutator in mutants.generate(ROOT):
            count[plan.group_of(mutator.path)] += len(mutator.mutants)
            mutator.copy()
        self.assertGreaterEqual(sum(count.values()), 200)
        for group, mutant_count in count.items():
            self.assertGreaterEqual(mutant_count, 40, group)

    def test_keys_are_unique_and_name_no_line(self):
        keys = [mutant.key for mutator in mutants.generate(ROOT) for mutant in mutator.mutants]
        self.assertEqual(len(keys), len(set(keys)))
        before = mutants.Mutator("a.cpp", "int f(int a) {\n  return a < 5;\n}\n", 1)
        after = mutants.Mutator("a.cpp", "int g() { return 1 + 2; }\n\n\nint f(int a) {\n  return a < 5;\n}\n", 1)
        self.assertTrue({m.key for m in before.mutants} <= {m.key for m in after.mutants})

    def test_keys_do_not_depend_on_where_lines_break(self):
        one = mutants.Mutator("a.cpp", "bool f(int a) {\n  return g(a, b.c()) < 5 && a;\n}\n", 1)
        other = mutants.Mutator("a.cpp", "bool f(int a) {\n  return g(\n    a,\n    b\n      .c()) < 5 &&\n    a;  // why\n}\n", 1)
        self.assertEqual([m.key for m in one.mutants], [m.key for m in other.mutants])

    def test_survivors_exist(self):
        keys = {mutant.key for mutator in mutants.generate(ROOT) for mutant in mutator.mutants}
        listed = accepted_survivors.read()
        self.assertEqual([key for key in listed if key not in keys], [])
        self.assertLess(len(listed), 0.1 * len(keys))

    def test_every_operator_has_its_opposite(self):
        for text, expected in [
            ("g(a < b);", "< → <="), ("g(a >= b);", ">= → >"), ("g(a == b);", "== → !="), ("g(a && b);", "&& → ||"),
            ("g(a + b);", "+ → -"), ("g(a * b);", "* → /"), ("g(!a);", "! → "), ("g(std::min(a, b));", "min → max"),
            ("return true;", "true → false"), ("g(a < 5);", "5 → (5 + 1)"), ("g(a < 0.5);", "0.5 → (0.5 * 2)"),
            ("check(a);", "call → nothing"), ("KINDRED_THROW_IF(a < b, g());", "condition → false"),
            ("if (g(a)) return;", "condition → false"),
        ]:  # fmt: skip
            self.assertIn(expected, made(text)[0], text)

    def test_copies_switch_between_right_and_wrong(self):
        self.assertIn("return (KINDRED_MUTANT(1) ? (a <= b) : (a < b\n));", made("return a < b;")[1])
        self.assertIn("(KINDRED_MUTANT(1) ? void() : void(check(a)\n));", made("check(a);")[1])

    def test_types_and_declarations_are_left_alone(self):
        for text in [
            "std::vector<int> x(a);", "T* p = q;", "auto&& r = a;", "static_assert(a < b);", "constexpr int n = 2 * 3;",
            "if constexpr (a < b) {}", "int list[4];", "Type name(a);", "switch (a) { case 1 + 2: break; }",
        ]:  # fmt: skip
            self.assertEqual(made(text)[0], [], text)

    def test_comments_and_texts_are_left_alone(self):
        self.assertEqual(made('// a < b\nconst char* x = "a < b"; /* a && b */')[0], [])


class Survivors(unittest.TestCase):
    def test_have_reasons(self):
        self.assertEqual(accepted_survivors.read("# equivalent:\n# no time\nkey | a\nkey | b\n\n# other\nkey | c\n"),
                         {"key | a": "equivalent: no time", "key | b": "equivalent: no time", "key | c": "other"})
        with self.assertRaises(SystemExit):
            accepted_survivors.read("# why\nkey | a\n\nkey | b\n")


if __name__ == "__main__":
    unittest.main()
