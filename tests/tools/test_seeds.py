# SPDX-License-Identifier: Apache-2.0
"""`kindred seeds`: its input, its output and what it rejects."""
import json
import unittest

import harness
import npy
import report_page

GOOD = {"lifecycle": ["dormant", "grafting", 7], "blueprint": [-1, 0, 1], "mode": ["linear", "additive", "multiplicative"],
        "alpha": [0, 0.5, 0.25]}


class Seeds(harness.CommandTest):
    def setUp(self):
        super().setUp()
        self.x = npy.write(self.folder / "x.npy", [float(i) for i in range(14)], (2, 7))
        self.w = npy.write(self.folder / "w.npy", [10.0] * 7 + [3.0] * 7, (2, 7))
        self.y = self.folder / "y.npy"
        self.t = self.folder / "T.json"

    def state(self, **changes):
        return self.file("S.json", json.dumps(GOOD | changes))

    def forward(self, *flags, state=None):
        return ["seeds", "forward", "--input", self.x, "--state", state or self.state(), "--weights", self.w, "--out", self.y, *flags]

    def test_forward(self):
        result = self.succeeds(*self.forward("--out-telemetry", self.t))
        self.assertEqual(result.out, b"")
        values, shape, descr = npy.read(self.y)
        # Chunks of 3, 2 and 2 features: copied, + 10, · 3.
        self.assertEqual(values, [0, 1, 2, 13, 14, 15, 18, 7, 8, 9, 20, 21, 36, 39])
        self.assertEqual((shape, descr), ((2, 7), "<f4"))
        told = json.loads(self.t.read_text())
        self.assertEqual(told["count"], [6, 4, 4])
        self.assertEqual(told["mean"], [4.5, 7, 9])
        self.assertEqual(told["min"], [0, 3, 5])
        self.assertEqual(told["max"], [9, 11, 13])
        self.assertEqual(told["dead_ratio"], [1 / 6, 0, 0])
        self.assertEqual(list(told), ["count", "mean", "variance", "min", "max", "dead_ratio"])

    def test_same_bytes_everywhere(self):
        self.succeeds(*self.forward("--out-telemetry", self.t))
        expected = self.y.read_bytes(), self.t.read_bytes()
        for flags in [["--space", space] for space in harness.usable_spaces()] + [["--threads", "1"], ["--threads", "3"]]:
            self.succeeds(*flags, *self.forward("--out-telemetry", self.t))
            self.assertEqual((self.y.read_bytes(), self.t.read_bytes()), expected)

    def test_codes_and_names_and_what_is_left_out(self):
        self.succeeds(*self.forward())
        expected = self.y.read_bytes()
        self.succeeds(*self.forward(state=self.state(lifecycle=[0, 3, 7], mode=[0, 2, 1])))
        self.assertEqual(self.y.read_bytes(), expected)
        only = self.file("only.json", json.dumps({"lifecycle": ["dormant"] * 9}, indent=2))
        self.succeeds("seeds", "forward", "--input", self.x, "--state", only, "--out", self.y)
        self.assertEqual(npy.read(self.y)[0], [float(i) for i in range(14)])

    def test_bad_states(self):
        for words, changes in (
                (["\"alpha\" has 2 entries", "\"lifecycle\" has 3"], {"alpha": [0, 1]}),
                (["\"mode\" has 4 entries"], {"mode": ["linear"] * 4}),
                (["\"alpha\" of seed 1 is 1.5", "[0, 1]"], {"alpha": [0, 1.5, 0]}),
                (["\"alpha\" of seed 2 is null"], {"alpha": [0, 1, None]}),
                (["\"alpha\" of seed 0 is -0.1"], {"alpha": [-0.1, 1, 1]}),
                (["\"lifecycle\" of seed 0 is 11", "0 to 10"], {"lifecycle": [11, 0, 0]}),
                (["\"lifecycle\" of seed 1 is -1"], {"lifecycle": [0, -1, 0]}),
                (["\"lifecycle\" of seed 2 is \"asleep\""], {"lifecycle": [0, 0, "asleep"]}),
                (["\"mode\" of seed 0 is \"gradual\""], {"mode": ["gradual", "linear", "linear"]}),
                (["\"mode\" of seed 0 is 4"], {"mode": [4, 0, 0]}),
                (["\"mode\" of seed 1 is 1.5"], {"mode": [0, 1.5, 0]}),
                (["\"blueprint\" of seed 2 is -2"], {"blueprint": [-1, 0, -2]}),
                (["\"blueprint\" of seed 2 is 1e+20"], {"blueprint": [-1, 0, 99999999999999999999]}),
                (["seed 1 is grafting", "no blueprint 2"], {"blueprint": [-1, 2, 1]}),
                (["seed 1 is grafting", "the seed has no blueprint"], {"blueprint": [-1, -1, 1]}),
                (["\"lifecycle\" must be an array"], {"lifecycle": "dormant"}),
                (["there is no \"alhpa\"", "alpha"], {"alhpa": [0, 0, 0]}),
                (["\"epochs\" of seed 0 is 40000"], {"epochs": [40000, 0, 0]}),
                (["\"history\" of seed 0"], {"history": [[["dormant"]], [], []]}),
                (["\"history\" of seed 1"], {"history": [[], [["dormant", "germinated"]] * 11, []]})):
            with self.subTest(words=words):
                self.refuses(3, ["S.json", *words], *self.forward("--out-telemetry", self.t, state=self.state(**changes)))
                self.assertFalse(self.y.exists() or self.t.exists())
        for name, text in (("not JSON", "{"), ("not JSON", '{"lifecycle": [NaN]}'), ("a JSON object", "[1]"), ("\"lifecycle\" is missing", "{}"),
                           ("not JSON", '{"lifecycle": ["\xff"]}'.encode("latin-1")), ("not JSON", "")):
            self.refuses(3, ["S.json", name], *self.forward(state=self.file("S.json", text)))
        deep = "[" * 200000 + "]" * 200000
        self.refuses(3, ["\"alpha\" of seed 0 is a list of 1"], *self.forward(state=self.file("S.json", f'{{"lifecycle": [0], "alpha": [{deep}]}}')))
        for path in (self.folder / "none.json", self.folder):
            self.refuses(3, ["cannot be read"], *self.forward(state=path))

    def test_bad_arrays(self):
        def refuses(words, **files):
            names = {"input": self.x, "weights": self.w} | files
            self.refuses(3, words, "seeds", "forward", "--input", names["input"], "--state", self.state(), "--weights", names["weights"], "--out", self.y)
            self.assertFalse(self.y.exists())

        refuses(["blueprints of 6 weights; the rows have 7 features"], weights=npy.write(self.folder / "w6.npy", [1.0] * 12, (2, 6)))
        refuses(["no blueprint 1"], weights=npy.write(self.folder / "w1.npy", [1.0] * 7, (1, 7)))
        refuses(["doubles are not converted"], input=npy.write(self.folder / "d.npy", [1.0] * 7, (1, 7), "<f8"))
        refuses(["int64"], input=npy.write(self.folder / "i.npy", [1] * 7, (1, 7), "<i8"))
        refuses(["none.npy"], input=self.folder / "none.npy")
        cut = self.file("cut.npy", self.x.read_bytes()[:-1])
        refuses(["cut.npy"], input=cut)
        refuses(["cut.npy"], weights=cut)
        g = npy.write(self.folder / "g.npy", [1.0] * 7, (1, 7))
        self.refuses(3, ["g.npy: 1 rows of 7"], "seeds", "backward", "--input", self.x, "--gradient", g, "--state", self.state(), "--weights", self.w,
                     "--out", self.y, "--out-weights", self.folder / "dw.npy")
        self.refuses(3, ["float16 cannot represent"], *self.forward("--element", "float16"))

    def test_usage(self):
        self.refuses(2, ["--element", "float64"], *self.forward("--element", "float64"))
        self.refuses(2, ["--state"], "seeds", "forward", "--input", self.x, "--out", self.y)
        self.refuses(2, ["would be written over the input"], "seeds", "forward", "--input", self.x, "--state", self.state(), "--out", self.x)
        self.refuses(2, ["two outputs are"], *self.forward("--out-telemetry", self.y))
        self.refuses(2, ["no/where"], *self.forward("--out-telemetry", self.folder / "no/where"))
        self.refuses(2, ["--seeds"], "seeds", "telemetry", "--input", self.x, "--seeds", 0)
        self.refuses(2, [""], "seeds")
        before = self.x.read_bytes()
        self.assertEqual(self.x.read_bytes(), before)

    def test_backward(self):
        g = npy.write(self.folder / "g.npy", [1.0] * 14, (2, 7))
        dw = self.folder / "dw.npy"
        self.succeeds("seeds", "backward", "--input", self.x, "--gradient", g, "--state", self.state(), "--weights", self.w, "--out", self.y,
                      "--out-weights", dw)
        self.assertEqual(npy.read(self.y)[0], [1, 1, 1, 1, 1, 3, 3] * 2)
        # Additive: the sum of g; multiplicative: the sum of x · g.
        self.assertEqual(npy.read(dw)[0], [0, 0, 0, 2, 2, 0, 0] + [0, 0, 0, 0, 0, 5 + 12, 6 + 13])
        self.assertEqual(npy.read(dw)[1], (2, 7))

    def step(self, steps, state=None, out="S2.json"):
        path = state or self.file("S0.json", json.dumps({"lifecycle": ["dormant"] * 3}))
        self.out = self.folder / out
        return self.succeeds("seeds", "step", "--state", path, "--steps", self.file("E.jsonl", steps), "--out", self.out, "--quiet").lines()

    def test_step(self):
        lines = self.step([
            {"seed": 1, "to": "germinated", "blueprint": 123456789, "mode": "mixed", "schedule": "momentum"},
            {"seed": 1, "to": "training"},
            {"seed": 1, "to": "grafting", "reconstruction_loss": 0.001},
            {"epochs": 100},
            {"seed": 1, "to": "grafting"},
            {"seed": 1, "to": "grafting", "reconstruction_loss": 0.001},
            {"epochs": 10, "performance_delta": 1},
            {"seed": 0, "to": "fossilized"}])
        self.assertEqual([line.get("accepted") for line in lines], [True, True, False, None, False, True, None, False])
        self.assertIn("0 epochs in training; at least 100", lines[2]["why"])
        self.assertIn("reconstruction_loss was not given", lines[4]["why"])
        self.assertEqual(lines[7]["why"], "dormant does not go to fossilized, but to germinated")
        after = json.loads(self.out.read_text())
        self.assertEqual(after["lifecycle"], ["dormant", "grafting", "dormant"])
        self.assertEqual(after["blueprint"], [-1, 123456789, -1])
        self.assertEqual(after["epochs"], [110, 10, 110])
        self.assertEqual(after["history"][1], [["training", "grafting"], ["germinated", "training"], ["dormant", "germinated"]])
        self.assertEqual(after["epoch"], 110)
        # v becomes 0.01 / 0.9: 10 / 50 plus that.
        self.assertAlmostEqual(after["alpha"][1], 0.2 + 0.01 / 0.9, places=6)
        # Several smaller steps give the same result.
        whole = self.step([{"epochs": 20, "performance_delta": [0, 0.5, 0]}], self.out, "S3.json")
        self.assertEqual(whole, [{"line": 1, "epochs": 20, "changes": []}])
        one = self.out.read_text()
        self.step([{"epochs": 7, "performance_delta": 0.5}], self.folder / "S2.json", "S4.json")
        self.step([{"epochs": 13, "performance_delta": 0.5}], self.folder / "S4.json", "S5.json")
        self.assertEqual(self.out.read_text(), one)
        gone = self.step([{"epochs": 1, "error_rate": [0, 0.6, 0]}], self.folder / "S3.json", "S6.json")
        self.assertEqual(gone[0]["changes"][0]["to"], "rolled_back")
        self.assertIn("0.6", gone[0]["changes"][0]["why"])

    def test_errors_cull(self):
        state = self.file("S0.json", json.dumps({"lifecycle": ["training"], "blueprint": [4]}))
        lines = self.step([{"seed": 0, "error": True}] * 6, state)
        self.assertEqual([line["errors"] for line in lines], [1, 2, 3, 4, 5, 6])
        self.assertEqual([len(line["changes"]) for line in lines], [0, 0, 0, 0, 1, 0])
        self.assertEqual(json.loads(self.out.read_text())["lifecycle"], ["culled"])

    def test_bad_steps(self):
        state = self.file("S0.json", json.dumps({"lifecycle": ["grafting", 0], "blueprint": [0, -1], "schedule": ["drift_controlled"] * 2}))
        out = self.folder / "S2.json"

        def refuses(words, *steps):
            self.refuses(3, words, "seeds", "step", "--state", state, "--steps", self.file("E.jsonl", list(steps)), "--out", out)
            self.assertFalse(out.exists())

        refuses(["E.jsonl", "2", "one of"], {"epochs": 1}, {"seed": 0})
        refuses(["one of"], {"epochs": 1, "to": "dormant", "seed": 0})
        refuses(["\"seed\" is 2", "0 to 1"], {"seed": 2, "to": "dormant"})
        refuses(["\"to\" is \"asleep\""], {"seed": 0, "to": "asleep"})
        refuses(["\"to\" is 3"], {"seed": 0, "to": 3})
        refuses(["\"epochs\" is 0"], {"epochs": 0})
        refuses(["\"epochs\" is -1"], {"epochs": -1})
        refuses(["\"mode\" is \"safe\""], {"seed": 1, "to": "germinated", "blueprint": 0, "mode": "safe"})
        refuses(["\"error_rate\"", "a list of 2"], {"epochs": 1, "error_rate": [1]})
        refuses(["\"error_rate\" is \"high\""], {"epochs": 1, "error_rate": "high"})
        refuses(["\"weights\""], {"epochs": 1, "weights": 3})
        refuses(["not a list"], {"seed": 0, "to": "stabilization", "error_rate": [1, 2]})
        self.refuses(3, ["\"error\" is a list of 1"], "seeds", "step", "--state", state, "--out", out,
                     "--steps", self.file("E.jsonl", '{"seed": 0, "error": ' + "[" * 200000 + "]" * 200000 + "}"))
        refuses(["\"error\" is false"], {"seed": 0, "error": False})
        refuses(["E.jsonl", "2", "1 weights; the epochs before had 2"], {"epochs": 1, "weights": [1, 2]}, {"epochs": 1, "weights": [1]})
        self.refuses(3, ["not JSON"], "seeds", "step", "--state", state, "--steps", self.file("E.jsonl", "{"), "--out", out)
        bad = self.file("S1.json", json.dumps({"lifecycle": ["grafting"], "blueprint": [0], "schedule_state": [[7]]}))
        self.refuses(3, ["S1.json", "linear"], "seeds", "step", "--state", bad, "--steps", self.file("E.jsonl", ""), "--out", out)

    def test_report(self):
        self.succeeds(*self.forward("--out-telemetry", self.t, "--report", self.folder / "F.html"))
        self.assertIn("fossilized", [row[1] for row in report_page.read(self.folder / "F.html").table("lifecycle").rows])
        page = self.folder / "R.html"
        self.succeeds("seeds", "report", "--state", self.state(), "--telemetry", self.t, "--out", page)
        text = page.read_text()
        self.assertFalse(any(scheme in text for scheme in ("http:", "https:", "src=")), "the page fetches nothing")
        shown = report_page.read(page)
        self.assertEqual((shown.errors, shown.sections), ([], ["inputs", "results"]))
        seeds = shown.table("lifecycle").rows
        self.assertEqual((len(seeds), seeds[1][3]), (3, "additive"))
        for seed, mean in enumerate(("4.5", "7", "9")):
            self.assertIn(f'title="seed {seed}: {mean}"', text)
        other = self.file("two.json", json.dumps({"lifecycle": [0, 0]}))
        self.refuses(3, ["two.json: 2 seeds"], "seeds", "report", "--state", self.state(), "--state", other, "--out", page)
        self.refuses(3, ["T2.json", "\"mean\" is missing"], "seeds", "report", "--state", self.state(), "--telemetry",
                     self.file("T2.json", '{"count": [1, 2, 3]}'), "--out", page)


if __name__ == "__main__":
    unittest.main()
