# SPDX-License-Identifier: Apache-2.0
"""`kindred lattice`: KA Lattice's golden results, paths around blocked nodes, graph files; invalid
input is rejected."""
import json

import harness

SHAPE = ("--dimensions", 4, "--size", 10)


class Lattices(harness.CommandTest):
    def analyze(self, *flags):
        return self.succeeds("lattice", "analyze", "--json", *flags).json()

    def path(self, *flags):
        return self.succeeds("lattice", "path", "--json", *flags).json()

    def test_goldens(self):
        for size, vertices, edges, diameter, degree, density in ((10, 10000, 36000, 36, 7.2, 7.2007e-4), (8, 4096, 14336, 28, 7.0, 1.7094e-3)):
            flags = ("--dimensions", 4, "--size", size)
            told = self.analyze(*flags)
            self.assertAlmostEqual(told.pop("density"), density, delta=5e-8)
            self.assertEqual(told, {"vertices": vertices, "edges": edges, "connected": True, "diameter": diameter, "average_degree": degree, "clustering": 0})
            said = self.succeeds("lattice", "analyze", "--json", *flags).out
            for space in harness.usable_spaces():
                self.assertEqual(self.succeeds("lattice", "analyze", "--json", "--by-search", "--space", space, *flags).out, said)
        self.assertIn(b"36000", self.succeeds("lattice", "analyze").out, "4 and 10 are the defaults")
        self.assertEqual(self.analyze("--dimensions", 20, "--size", 9)["edges"], 160 * 9**19, "beyond 64 bits")

    def test_paths(self):
        self.assertEqual(self.path(*SHAPE, "--from", 0, "--to", 100), {"path": [0, 100], "length": 2})
        self.assertEqual(self.path(*SHAPE, "--from", "0,0,0,0", "--to", "0,1,0,0"), {"path": [0, 100], "length": 2})
        self.assertEqual(self.path(*SHAPE, "--from", 7, "--to", 7), {"path": [7], "length": 1})
        self.assertEqual(self.succeeds("lattice", "path", *SHAPE, "--from", 0, "--to", 12).out, b"0 1 2 12\n")
        blocked = self.file("b.txt", "# a comment\n\n1\n0,0,1,0\n0 100\n")
        for space in harness.usable_spaces():
            found = self.path(*SHAPE, "--from", 0, "--to", 100, "--blocked", blocked, "--space", space)
            self.assertEqual(found, {"path": [0, 1000, 1100, 100], "length": 4})
        wall = self.file("wall.txt", "1 0\n1000 0\n10\n0 100\n")
        self.assertEqual(self.path(*SHAPE, "--from", 0, "--to", 9, "--blocked", wall), {"path": [], "length": 0})
        self.assertIn(b"no path", self.succeeds("lattice", "path", *SHAPE, "--from", 0, "--to", 9, "--blocked", wall).out)

    def batch(self, lines, *flags):
        return self.succeeds("lattice", "batch", "--tasks", self.file("tasks.jsonl", lines), *flags)

    def test_a_batch_answers_every_line_as_its_command_does(self):
        graph, other = self.folder / 'the "graph".knd', self.folder / "o.knd"
        lines = [{"name": "a", "do": "analyze"}, {"dimensions": 3, "size": 6, "do": "measure"}, {"do": "path", "from": 0, "to": "0,1,0,0"},
                 {"name": "round", "do": "path", "from": "0,0,0,0", "to": 100, "blocked": [1, "0,0,1,0", [0, "0,1,0,0"]]},
                 {"name": "none", "dimensions": 1, "do": "path", "from": 0, "to": 9, "blocked": [5]}, {"name": "g", "dimensions": 3, "size": 5, "do": "build", "out": str(graph)}]
        told = self.batch(lines)
        answers = told.lines()
        self.assertEqual(answers[0], {"task": "a", "do": "analyze", **self.analyze()})
        self.assertEqual(answers[1], {"task": 1, "do": "measure", **self.analyze("--dimensions", 3, "--size", 6, "--by-search")})
        self.assertEqual(answers[2], {"task": 2, "do": "path", "path": [0, 100], "length": 2})
        self.assertEqual(answers[3], {"task": "round", "do": "path", "path": [0, 1000, 1100, 100], "length": 4})
        self.assertEqual(answers[4], {"task": "none", "do": "path", "path": [], "length": 0})
        self.assertEqual(answers[5], {"task": "g", "do": "build", "out": str(graph), "vertices": 125, "edges": 300})
        self.succeeds("lattice", "build", "--dimensions", 3, "--size", 5, "--out", other)
        self.assertEqual(graph.read_bytes(), other.read_bytes())
        for flags in (("--threads", 1), ("--threads", 7), *(("--space", space) for space in harness.usable_spaces())):
            self.assertEqual(self.batch(lines, *flags).out, told.out, flags)
        self.assertEqual(self.succeeds("lattice", "batch", "--tasks", "-", stdin=json.dumps(lines[2]).encode()).lines()[0]["path"], [0, 100])
        self.assertEqual(self.batch("").out, b"", "no lines, no answers")
        many = self.batch([{"dimensions": 2, "size": 2 + i % 30, "do": ("analyze", "measure")[i % 2]} for i in range(300)], "--threads", 4).lines()
        self.assertEqual([line["task"] for line in many], list(range(300)))
