# SPDX-License-Identifier: Apache-2.0
"""Reports: what each command shows, in which order, whatever the texts and the size of the inputs."""
import re

import harness
import npy
import report_page

PARTS = ["inputs", "results", "run"]
BYTES_MAX = 2_000_000


class ReportTest(harness.InputsTest):
    def page(self, *arguments, **options):
        path = self.folder / "report.html"
        self.succeeds(*arguments, "--report", path, cwd=self.inputs, **options)
        html = path.read_text(encoding="utf-8")
        page = report_page.Page(html)
        self.assertEqual(page.errors, [])
        self.assertEqual(page.sections, PARTS, arguments)
        self.assertLess(len(html.encode()), BYTES_MAX)
        self.assertTrue(page.command.startswith("kindred " + arguments[0]), page.command)
        self.assertRegex(page.facts["Date"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$")
        self.assertRegex(page.facts["Version"], r"^\d+\.\d+\.\d+, commit ")
        self.assertIn("CPU threads", page.facts["Machine"])
        self.assertIsNone(re.search(r"https?:|\bsrc\s*=|@import|url\((?!#)", html), "the page fetches nothing")
        self.assertEqual(page.tags & {"link", "img", "iframe", "object", "embed", "base"}, set())
        for table in page.tables:
            self.assertTrue(all(0 <= bar <= 100 for bar in table.bars))
            self.assertTrue(all(len(row) == len(table.head) for row in table.rows), table.head)
        return page


class Results(ReportTest):
    def test_match(self):
        page = self.page("match", "--patterns", "patterns.jsonl", "--queries", "queries.jsonl")
        files = page.table("file")
        self.assertEqual([row[:3] for row in files.rows], [["patterns", "patterns.jsonl", "1\u202f502 patterns"], ["queries", "queries.jsonl", ""]])
        self.assertRegex(files.rows[0][3], r"^\d+ kB$")
        table = page.table("similarity")
        answers = self.succeeds("match", "--patterns", "patterns.jsonl", "--queries", "queries.jsonl", cwd=self.inputs).lines()
        self.assertEqual([group.split()[0] for group in table.groups], [answer["query"] for answer in answers])
        hits = [(hit["name"], hit["similarity"], hit["matched"]) for answer in answers for hit in answer["results"]]
        self.assertEqual([row[1] for row in table.rows], [name for name, _, _ in hits])
        for row, bar, (_, similarity, matched) in zip(table.rows, table.bars, hits):
            self.assertAlmostEqual(float(row[2]), similarity, places=3)
            self.assertAlmostEqual(bar, 100 * similarity, delta=0.06)
            self.assertEqual(row[3], str(matched))
        self.assertIn("33 queries", page.text["results"])
        self.assertEqual(len(page.table("results").rows), 10, "the histogram")

    def test_match_from_a_store_clusters_and_self(self):
        store = self.folder / "s.knd"
        self.succeeds("patterns", "build", "--patterns", self.inputs / "patterns.jsonl", "--out", store)
        page = self.page("match", "--store", store, "--queries", "queries.jsonl", "--measure", "levenshtein", "--threshold", "0.01")
        self.assertIn("distance", page.table("similarity").head)
        lines = self.file("lines.txt", "abcd\nxyz\nabce\n")
        page = self.page("match", "--lines", lines, "--self", "--threshold", "0.5")
        table = page.table("similarity")
        self.assertEqual(([group.strip() for group in table.groups], table.rows), (["abce"], [["1", "abcd", "0.75", "3"]]))
        page = self.page("match", "--lines", lines, "--self", "--threshold", "0.5", "--measure", "jaro-winkler")
        self.assertEqual(page.table("similarity").rows[0][-1], "0.1167", "a distance that counts no edits")
        page = self.page("match", "--patterns", "patterns.jsonl", "--self", "--threshold", "0.5", "--clusters", "single")
        sizes = [int(row[1]) for row in page.table("representative").rows]
        self.assertEqual(sizes, sorted(sizes, reverse=True))

    def test_search_and_score(self):
        for arguments, column in ((("search",), "cosine"), (("search", "--metric", "l2"), "distance"),
                                  (("score", "--candidates", "candidates.jsonl", "--metric", "ip"), "product")):
            page = self.page(*arguments, "--vectors", "vectors.npy", "--queries", "queries.npy")
            self.assertEqual(page.table("file").rows[0][2], "1\u202f200 rows of dimension 67")
            table = page.table(column)
            answers = self.succeeds(*arguments, "--vectors", "vectors.npy", "--queries", "queries.npy", cwd=self.inputs).lines()
            self.assertEqual([row[1] for row in table.rows], [f"row {row}" for answer in answers for row, _ in answer["results"]])
            self.assertEqual(len(table.groups), len(answers))
        vectors = self.folder / "signs.npy"
        npy.write(vectors, [1.0] * 20 + [-1.0] * 15, (35, 1))
        bins = self.page("search", "--vectors", vectors, "--queries", vectors, "--top", 35).table("results").rows
        self.assertEqual((bins[0], bins[-1]), (["0.9 – 1.0", "625"], ["below 0", "600"]))

    def test_spread(self):
        arguments = ("spread", "--graph", "graph.tsv", "--sources", "sources.jsonl")
        page = self.page(*arguments)
        answers = self.succeeds(*arguments, cwd=self.inputs).lines()
        table = page.table("activation")
        self.assertEqual([row[1] for row in table.rows], [node for answer in answers for node, _ in answer["activations"]])
        self.assertIn("Neighbourhood of the query q0", page.text["results"])
        self.assertTrue({"svg", "line", "marker"} <= page.tags)
        self.assertEqual(page.facts["mode"], "engine")
        self.assertEqual(page.facts["nodes activated and printed"], str(len(table.rows)))
        for mode in ("pagerank", "linear"):
            self.assertIn("Neighbourhood of the query q0", self.page(*arguments, "--mode", mode).text["results"])

    def test_picture(self):
        edges = self.file("g.tsv", "a b 1\nb c 0.5\nc a 0.5\nb z 0\n")
        sources = self.file("s.jsonl", [{"name": "q", "sources": [["a", 1]]}])
        path = self.folder / "p.html"
        self.succeeds("spread", "--graph", edges, "--sources", sources, "--report", path)
        html = path.read_text(encoding="utf-8")
        self.assertEqual(re.findall(r"<title>(\w → \w: [\d.]+)</title>", html), ["a → b: 1", "b → c: 0.5", "c → a: 0.5"])
        self.assertEqual(re.findall(r'<div class="node( source)?" [^>]*>.*?<b>(\w)</b>', html), [(" source", "a"), ("", "b"), ("", "c")])
        calls = report_page.read(path).table("calls")
        self.assertEqual([row[3] for row in calls.rows], ["1"], "the hops of the picture are not calls of the command")

    def test_index(self):
        index = self.folder / "i.knd"
        page = self.page("index", "build", "--vectors", "wide.npy", "--out", index)
        self.assertIn(["rows", "40"], page.table("property").rows)
        ids = self.folder / "ids.npy"
        self.succeeds("search", "--vectors", self.inputs / "wide.npy", "--queries", self.inputs / "wide_queries.npy", "--top", 5, "--out-ids", ids)
        page = self.page("index", "search", "--index", index, "--queries", "wide_queries.npy", "--top", 5, "--truth", ids)
        self.assertEqual(page.facts["recall"], "1.0000")
        self.assertIn("the best 5", page.facts["requested"])
        self.assertLessEqual({"rows visited", "queries answered by a scan"}, set(page.facts))
        self.assertIn("compute", [row[0] for row in page.table("phase").rows])
        self.assertEqual(len(page.table("cosine").rows), 15)
        self.assertTrue(all(row[1].startswith("row ") for row in page.table("cosine").rows))

    def test_lattice(self):
        page = self.page("lattice", "path", "--dimensions", 2, "--size", 4, "--from", 0, "--to", "3,3")
        steps = page.table("coordinates").rows
        self.assertEqual((steps[0], steps[-1]), (["0", "0", "0, 0"], ["6", "15", "3, 3"]))
        page = self.page("lattice", "analyze", "--dimensions", 2, "--size", 4)
        self.assertIn(["vertices", "16"], page.table("property").rows)
        tasks = self.file("t.jsonl", [{"name": "one", "dimensions": 2, "size": 3, "do": "path", "from": 0, "to": 8}, {"dimensions": 2, "size": 3, "do": "analyze"}])
        page = self.page("lattice", "batch", "--tasks", tasks)
        self.assertEqual(page.table("task").rows, [["one", "path", "4 steps"], ["1", "analyze", "9 vertices, 12 edges, diameter 4"]])

    def test_seeds(self):
        forward = ("--input", "seed_rows.npy", "--state", "seeds.json", "--weights", "seed_weights.npy", "--out", self.folder / "y.npy")
        page = self.page("seeds", "forward", *forward)
        self.assertEqual(len(page.table("lifecycle").rows), 11)
        for title in ("Seeds in each state", "Mean of the input", "Health"):
            self.assertIn(title, page.text["results"])
        page = self.page("seeds", "backward", *forward, "--gradient", "seed_rows.npy", "--out-weights", self.folder / "w.npy")
        self.assertEqual(len(page.table("Euclidean norm").rows), 3)
        steps = self.file("steps.jsonl", [{"seed": 0, "to": "germinated", "blueprint": 0}, {"seed": 1, "to": "dormant"}])
        page = self.page("seeds", "step", "--state", "seeds.json", "--steps", steps, "--out", self.folder / "after.json")
        changes = page.table("result").rows
        self.assertEqual(changes[0][:4], ["1", "0", "dormant", "germinated"])
        self.assertRegex(changes[1][4], "^refused: ")
        self.page("seeds", "telemetry", "--input", "seed_rows.npy", "--seeds", 11)


class AnyInput(ReportTest):
    def test_the_command_line_can_be_pasted(self):
        path = self.file("it's <here>.txt", "abc\n")
        page = self.page("match", "--lines", path, "--queries", path)
        quoted = str(path).replace("'", "'\\''")
        self.assertIn(f"--lines '{quoted}' --queries '{quoted}'", page.command)

    def test_the_date_is_that_of_the_build_environment(self):
        page = self.page("match", "--lines", "lines.txt", "--queries", "query_lines.txt", settings={"SOURCE_DATE_EPOCH": "86400"})
        self.assertEqual(page.facts["Date"], "1970-01-02T00:00:00+00:00")
        page = self.page("match", "--lines", "lines.txt", "--queries", "query_lines.txt", settings={"TZ": "UTC-5:30"})
        self.assertRegex(page.facts["Date"], r"\+05:30$")

    def test_large_inputs(self):
        wide = "&<>\"" * 200
        lines = self.file("lines.txt", "".join(f"{i} {wide}\n" for i in range(120)))
        page = self.page("match", "--lines", lines, "--queries", lines, "--top", 120)
        self.assertIn("120 queries, 120 with results; 14\u202f400 results in total. The first 50 queries are shown.", page.text["results"])
        self.assertIn("the first 20 of 120 results", page.text["results"])
        edges = self.file("g.tsv", "".join(f"{'<' * 300}{i % 60}\t{'>' * 300}{i * 7 % 61}\t0.9\n" for i in range(4000)))
        sources = self.file("s.jsonl", [{"sources": [["<" * 300 + str(i), 1] for i in range(60)]}] * 200)
        page = self.page("spread", "--graph", edges, "--sources", sources, "--top", 1000)
        self.assertIn("the first 10 of 60", page.text["results"])

    def test_the_results_do_not_depend_on_space_and_threads(self):
        def results(*more):
            self.page("spread", "--graph", "graph.tsv", "--sources", "sources.jsonl", *more)
            html = (self.folder / "report.html").read_text(encoding="utf-8")
            return html[html.index('<section id="results">'):html.index('<section id="run">')]
        first = results()
        for space in harness.usable_spaces():
            self.assertEqual(results("--space", space, "--threads", 2), first)

    def test_no_results(self):
        lines = self.file("lines.txt", "abc\n")
        queries = self.file("queries.txt", "xyz\n")
        page = self.page("match", "--lines", lines, "--queries", queries)
        self.assertEqual(page.table("similarity").rows, [])
        self.assertIn("no result", page.table("similarity").groups[0])
