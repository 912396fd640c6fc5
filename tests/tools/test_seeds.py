# SPDX-License-Identifier: Apache-2.0
"""`kindred seeds`: its input, its output and what it rejects."""
import json

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

    def test_codes_and_names_and_what_is_left_out(self):
        self.succeeds(*self.forward())
        expected = self.y.read_bytes()
        self.succeeds(*self.forward(state=self.state(lifecycle=[0, 3, 7], mode=[0, 2, 1])))
        self.assertEqual(self.y.read_bytes(), expected)
        only = self.file("only.json", json.dumps({"lifecycle": ["dormant"] * 9}, indent=2))
        self.succeeds("seeds", "forward", "--input", self.x, "--state", only, "--out", self.y)
        self.assertEqual(npy.read(self.y)[0], [float(i) for i in range(14)])

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

    def test_report(self):
        self.succeeds(*self.forward("--out-telemetry", self.t))
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
