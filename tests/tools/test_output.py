# SPDX-License-Identifier: Apache-2.0
"""The format of the command's output: answers, explain, trace."""
import json

import golden_cases
import harness


class Answers(harness.InputsTest):
    def answers(self, case, *more):
        return self.succeeds(*golden_cases.CASES[case], *more, cwd=self.inputs).lines()

    def test_match_clusters(self):
        names = [json.loads(line)["name"] for line in (self.inputs / "patterns.jsonl").read_text().splitlines()]
        clusters = self.answers("match clusters")
        self.assertEqual([cluster["cluster"] for cluster in clusters], list(range(len(clusters))))
        for cluster in clusters:
            self.assertEqual(list(cluster), ["cluster", "size", "representative", "members"])
            self.assertEqual(cluster["size"], len(cluster["members"]))
            self.assertIn(cluster["representative"], cluster["members"])
            self.assertTrue(all(member == {"index": member["index"], "name": names[member["index"]]} for member in cluster["members"]))
        members = [[member["index"] for member in cluster["members"]] for cluster in clusters]
        self.assertTrue(all(row == sorted(row) for row in members))
        self.assertEqual(sorted(index for row in members for index in row), list(range(len(names))))
        self.assertEqual([row[0] for row in members], sorted(row[0] for row in members))
        self.assertGreater(max(len(row) for row in members), 1)
        lines = (self.inputs / "lines.txt").read_text().splitlines()
        complete = self.answers("match clusters complete")
        self.assertEqual(sum(cluster["size"] for cluster in complete), len(lines))
        for cluster in complete:
            self.assertEqual(cluster["representative"]["name"], lines[cluster["representative"]["index"]])

    def test_spread_paths(self):
        graph = self.file("paths.tsv", "a b 0.5\na c 1\nc b 0.25\n")
        sources = self.file("sources.jsonl", [{"name": "q", "sources": [["a", 1]]}])
        arguments = ["spread", "--graph", graph, "--sources", sources, "--mode", "linear", "--decay", "constant:1", "--hops", "2"]
        plain = self.succeeds(*arguments).lines()
        answer = self.succeeds(*arguments, "--trace-paths", "5").lines()[0]
        self.assertEqual(answer["activations"], plain[0]["activations"])
        self.assertEqual(answer["activations"], [["a", 1], ["c", 1], ["b", 0.75]])
        self.assertEqual(answer["paths"], [
            [{"strength": 1, "steps": []}],
            [{"strength": 1, "steps": [["a", "c", 1]]}],
            [{"strength": 0.5, "steps": [["a", "b", 0.5]]},
             {"strength": 0.25, "steps": [["a", "c", 1], ["c", "b", 0.25]]}]])

    def test_explain(self):
        result = self.succeeds(*golden_cases.SPREAD, "--explain", "--quiet", cwd=self.inputs)
        records = [harness.strict(line) for line in result.err.splitlines()]
        self.assertTrue(records)
        for record in records:
            self.assertEqual(set(record), {"op", "items", "predicted", "chosen", "taken", "why", "threads",
                                           "starts", "first"})
            self.assertEqual(record["op"], "spread")
            self.assertIn(record["chosen"], record["predicted"])
            self.assertGreater(record["taken"], 0)

    def test_explain_says_forced(self):
        result = self.succeeds(*golden_cases.SEARCH, "--explain", "--quiet", "--space", "serial", cwd=self.inputs)
        records = [harness.strict(line) for line in result.err.splitlines()]
        dispatches = [record for record in records if "chosen" in record]
        self.assertTrue(dispatches)
        for record in dispatches:
            self.assertEqual((record["chosen"], record["why"]), ("serial", "forced"))
        self.assertEqual([set(record) for record in records if record not in dispatches], [{"op", "path", "prefiltered", "survivors"}])

    def test_trace(self):
        trace = self.folder / "trace.json"
        self.succeeds(*golden_cases.MATCH, "--trace", trace, cwd=self.inputs)
        events = harness.strict(trace.read_text())
        events = events["traceEvents"] if isinstance(events, dict) else events
        self.assertTrue(events)
        for event in events:
            self.assertIn("ph", event)
            self.assertIn("name", event)
            if event["ph"] == "X":
                self.assertGreaterEqual(event["dur"], 0)
                self.assertGreaterEqual(event["ts"], 0)
        self.assertTrue(any(event["ph"] == "X" for event in events))
