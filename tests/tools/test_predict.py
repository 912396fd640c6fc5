# SPDX-License-Identifier: Apache-2.0
"""`kindred match --predict`: the format of its output, and invalid input."""
import harness

FIELDS = ["name", "index", "similarity", "matched", "frequency", "matches", "past", "present", "future", "missing", "extras", "anomalies", "evidence",
          "confidence", "fragmentation", "snr", "entropy", "normalized_entropy", "global_normalized_entropy", "confluence", "tfidf_score",
          "itfdf_similarity", "bayesian_prior", "bayesian_likelihood", "bayesian_posterior", "predictive_information", "potential"]
WEIGHTED = ["weighted_similarity", "weighted_evidence", "weighted_confidence", "weighted_snr"]

MATCH = "match --patterns patterns.jsonl --queries "


class Predict(harness.CommandTest):
    FILES = {
        "patterns.jsonl": [{"name": "p0", "events": [["a", "b"], ["c", "d"], ["e"]]}, {"name": "p1", "tokens": ["b", "c", "ü"], "frequency": 3},
                           {"events": [["x"], [], ["b", "b"]]}],
        "queries.jsonl": [{"name": "q0", "tokens": ["b", "c"]}, {"events": [[], ["b", "no\nwhere"], []]}, {"name": "empty", "events": [[]]}],
        "affinity.jsonl": [{"symbol": "b", "affinity": -2.5}, {"symbol": "never", "affinity": 1}]}

    def predict(self, flags="", queries="queries.jsonl"):
        return self.types(f"{MATCH}{queries} --predict {flags}").lines()

    def test_fields_have_katos_names_in_one_order(self):
        for line in self.predict():
            for hit in line["results"]:
                self.assertEqual(list(hit), FIELDS)
        for line in self.predict("--affinity affinity.jsonl --blocks"):
            for hit in line["results"]:
                self.assertEqual(list(hit), FIELDS[:4] + ["blocks"] + FIELDS[4:] + WEIGHTED)

    def test_events_are_lists_of_texts(self):
        lines = self.predict("--blocks")
        hit = next(hit for hit in lines[0]["results"] if hit["name"] == "p0")
        self.assertEqual((hit["past"], hit["present"], hit["future"]), ([], [["a", "b"], ["c", "d"]], [["e"]]))
        self.assertEqual((hit["missing"], hit["extras"], hit["matches"]), ([["a"], ["d"]], [[], []], ["b", "c"]))
        self.assertEqual((hit["evidence"], hit["confidence"], hit["snr"], hit["fragmentation"], hit["blocks"]), (0.4, 0.5, 1.0, 0.0, [[1, 0, 2]]))
        self.assertEqual(next(hit for hit in lines[0]["results"] if hit["name"] == "p1")["frequency"], 3)

    def test_empty_events_are_ignored_and_unknown_texts_are_kept(self):
        line = self.predict()[1]
        self.assertEqual(line["query"], 1)
        for hit in line["results"]:
            self.assertEqual(hit["extras"], [["no\nwhere"]])
        nameless = next(hit for hit in line["results"] if hit["index"] == 2)
        self.assertIsNone(nameless["name"])
        self.assertEqual((nameless["past"], nameless["present"]), ([["x"]], [["b", "b"]]))

    def test_an_empty_query_predicts_nothing(self):
        self.assertEqual(self.predict("--threshold 0")[2], {"query": "empty", "results": []})

    def test_no_patterns_predict_nothing(self):
        self.file("none.jsonl", "")
        lines = self.types("match --patterns none.jsonl --queries queries.jsonl --predict --affinity affinity.jsonl --rank weighted_snr").lines()
        self.assertEqual([line["results"] for line in lines], [[], [], []])

    def test_the_fast_path_has_lists_without_borders(self):
        self.file("single.jsonl", [{"tokens": ["b"]}, {"tokens": ["b", "c"]}, {"tokens": ["nowhere"]}])
        lines = self.predict("--single-symbol-fast-path", "single.jsonl")
        self.assertEqual([(hit["name"], hit["present"], hit["future"], hit["missing"]) for hit in lines[0]["results"]], [("p1", ["b"], ["c", "ü"], [])])
        self.assertEqual(lines[1]["results"][0]["present"], [["b"], ["c"]])
        self.assertEqual(lines[2]["results"], [])

    def test_without_predict_the_frequency_is_no_field(self):
        self.file("odd.jsonl", [{"name": "p", "tokens": ["b"], "frequency": "often"}])
        hits = self.types("match --patterns odd.jsonl --queries queries.jsonl").lines()[0]["results"]
        self.assertEqual(hits, [{"name": "p", "index": 0, "similarity": 2 / 3, "matched": 1}])
