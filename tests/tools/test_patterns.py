# SPDX-License-Identifier: Apache-2.0
"""`kindred patterns` and `match --store`: a store is built, searched, summarized, verified and
exported; damage is rejected."""
import json

import harness
import inputs

RECORDS = [
    {"name": "p0", "events": [["a", "b"], ["c"]]},
    {"name": "p1", "tokens": ["a", "bé", "🙂", ""]},
    {"name": "empty", "events": []},
    {"events": [["a", "b"], [], ["c"]], "frequency": 4},
    {"events": [["a"], ["b"], ["c"]], "frequency": 2},
    {"name": 'quotes " and \\ and \u0001', "tokens": ["line\nbreak", "a"]},
]


class Patterns(harness.CommandTest):
    def build(self, name, records, *flags):
        store = self.folder / name
        self.succeeds("patterns", "build", "--patterns", self.file(name + ".jsonl", records), "--out", store, *flags)
        return store

    def info(self, store):
        return self.succeeds("patterns", "info", store, "--json").json()

    def exported(self, store):
        return self.succeeds("patterns", "export", store).lines()

    def test_what_is_built_is_told_and_given_back(self):
        store = self.build("s.knd", RECORDS)
        info = self.info(store)
        self.assertEqual(info["patterns"], 5)
        self.assertEqual(info["total_frequency"], 10)
        self.assertEqual(info["vocabulary"], 7)
        self.assertEqual(info["symbols"], 3 + 4 + 0 + 3 + 2)
        self.assertEqual(info["bulk"], 5)
        self.assertEqual((info["commits"], info["uncommitted_bytes"]), (1, 0))
        self.assertEqual(info["bytes"], store.stat().st_size)
        self.assertEqual(self.exported(store), [
            {"name": "p0", "events": [["a", "b"], ["c"]], "frequency": 5},
            {"name": "p1", "events": [["a"], ["bé"], ["🙂"], [""]], "frequency": 1},
            {"name": "empty", "events": [], "frequency": 1},
            {"events": [["a"], ["b"], ["c"]], "frequency": 2},
            {"name": 'quotes " and \\ and \u0001', "events": [["line\nbreak"], ["a"]], "frequency": 1},
        ])
        self.assertIn(b"intact", self.succeeds("patterns", "verify", store).out)
        self.assertIn(b"patterns", self.succeeds("patterns", "info", store).out)

    def test_an_export_builds_the_same_bytes(self):
        inputs.sequences(self.folder)
        store = self.folder / "s.knd"
        self.succeeds("patterns", "build", "--patterns", self.folder / "patterns.jsonl", "--out", store)
        export = self.file("export.jsonl", self.succeeds("patterns", "export", store).out)
        again = self.folder / "again.knd"
        self.succeeds("patterns", "build", "--patterns", export, "--out", again)
        self.assertEqual(again.read_bytes(), store.read_bytes())

    def test_appending_equals_building_at_once(self):
        inputs.sequences(self.folder)
        lines = (self.folder / "patterns.jsonl").read_bytes().splitlines(keepends=True)
        store = self.build("s.knd", b"".join(lines[:700]))
        for i, part in enumerate((lines[700:1200], [], lines[1200:], lines[100:110])):
            self.succeeds("patterns", "build", "--append", "--patterns", self.file(f"part{i}.jsonl", b"".join(part)), "--out", store)
        whole = self.build("whole.knd", b"".join(lines + lines[100:110]))
        self.assertEqual(self.info(store)["commits"], 5)
        self.assertEqual(self.exported(store), self.exported(whole))

    def test_a_store_answers_as_its_lines_do(self):
        inputs.sequences(self.folder)
        store = self.folder / "s.knd"
        self.succeeds("patterns", "build", "--patterns", self.folder / "patterns.jsonl", "--out", store)
        lines = [json.loads(line) for line in (self.folder / "patterns.jsonl").read_text().splitlines()]
        # Lines that the store merged with an earlier line have no index of their own.
        index, seen = [], {}
        for record in lines:
            events = record["events"] if "events" in record else [[token] for token in record["tokens"]]
            index.append(seen.setdefault(json.dumps([event for event in events if event]), len(seen)))
        first = {number: line for line, number in reversed(list(enumerate(index)))}
        for flags in ([], ["--measure", "difflib", "--threshold", "0.3", "--blocks"], ["--level", "character", "--threshold", "0.6", "--blocks"]):
            flags += ["--queries", self.folder / "queries.jsonl", "--top", "3000"]
            by_line = self.succeeds("match", "--patterns", self.folder / "patterns.jsonl", *flags).lines()
            by_store = self.succeeds("match", "--store", store, *flags).lines()
            for a, b in zip(by_line, by_store, strict=True):
                kept = [dict(hit, index=index[hit["index"]]) for hit in a["results"] if first[index[hit["index"]]] == hit["index"]]
                self.assertEqual(b, {"query": a["query"], "results": kept})

    def test_global_flags_stand_anywhere(self):
        store = self.build("s.knd", RECORDS)
        for arguments in (["--json", "patterns", "info"], ["patterns", "--json", "info"], ["patterns", "info", "--json"]):
            self.succeeds(*arguments, store).json()
        self.assertEqual(self.succeeds("patterns", "export", store, "--quiet").err, "")

    def test_predictions_of_a_store_equal_those_of_its_lines(self):
        records = [{"name": f"p{i}", "events": [[f"s{(i * 7 + j * j) % 11}" for j in range(k + 1)] for k in range(1 + i % 3)], "frequency": 1 + i % 4} for i in range(8)]
        patterns = self.file("p.jsonl", records)
        store = self.build("s.knd", records)
        self.assertEqual(self.info(store)["patterns"], len(records))
        queries = self.file("q.jsonl", [{"name": "q", "events": [["s0"], ["s1", "s5"]]}, {"name": "one", "tokens": ["s7"]}])
        affinity = self.file("a.jsonl", [{"symbol": "s1", "affinity": 2.5}, {"symbol": "s7", "affinity": -1}])
        for flags in ([], ["--rank", "similarity"], ["--affinity", affinity, "--rank", "weighted_confidence"], ["--single-symbol-fast-path"], ["--fuzzy", "0.5", "--blocks"], ["--level", "character"]):
            flags = ["--queries", queries, "--predict", "--threshold", "0.2", *flags]
            self.assertEqual(self.succeeds("match", "--store", store, *flags).out, self.succeeds("match", "--patterns", patterns, *flags).out)
