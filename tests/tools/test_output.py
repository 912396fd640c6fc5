# SPDX-License-Identifier: Apache-2.0
"""The format of the command's output: paths, explain, trace; and what a terminal shows while a command prints results and progress: whole
lines of results, and no progress between or after them."""
import json
import os
import pty
import random
import re
import select
import struct
import subprocess
import termios
import time
from fcntl import ioctl

import golden_cases
import harness

PATTERNS = 3000


class Answers(harness.InputsTest):
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
        records = self.explained(*golden_cases.SPREAD, cwd=self.inputs)
        for record in records:
            self.assertEqual(set(record), {"op", "items", "predicted", "chosen", "taken", "why", "threads",
                                           "starts", "first"})
            self.assertEqual(record["op"], "spread")
            self.assertIn(record["chosen"], record["predicted"])
            self.assertGreater(record["taken"], 0)

    def test_explain_says_forced(self):
        records = self.explained(*golden_cases.SEARCH, "--space", "serial", cwd=self.inputs)
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


def screen_lines(stream):
    """The lines that a terminal shows after `stream`: `\\r` goes to the beginning of a line, ESC [ K removes the rest of it."""
    lines = []
    for line in stream.split("\n"):
        shown, column = "", 0
        for part in re.split("(\r|\x1b\\[K)", line):
            if part == "\r":
                column = 0
            elif part == "\x1b[K":
                shown = shown[:column]
            else:
                shown = shown[:column] + part + shown[column + len(part):]
                column += len(part)
        lines.append(shown)
    return lines


class Terminal(harness.CommandTest):
    def setUp(self):
        super().setUp()
        letters = random.Random(7)
        self.patterns = self.file("patterns.txt", "".join("".join(letters.choices("abcdefgh", k=12)) + "\n" for _ in range(PATTERNS)))

    def shows(self, *flags, columns=200):
        """Runs a long `match` with a terminal of its own, from which is read in pauses. Returns what it received."""
        arguments = ("match", "--lines", self.patterns, "--self", "--threshold", 0, "--top", 20, *flags)
        here, there = pty.openpty()
        try:
            ioctl(there, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
            command = subprocess.Popen([harness.COMMAND, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=there, stderr=there,
                                       env=dict(harness.environment("/nonexistent/profile.json"), TERM="xterm", NO_COLOR="1"))
            os.close(there)
            there = -1
            received, paused = b"", 0
            while select.select([here], [], [], 120)[0]:
                try:
                    part = os.read(here, 1 << 16)
                except OSError:  # the other side is closed
                    break
                received += part
                if len(received) > paused + (1 << 19):  # so long that progress is due
                    paused = len(received)
                    time.sleep(0.2)
            self.assertEqual(command.wait(timeout=60), 0, received[-500:])
            return received.decode()
        finally:
            os.close(here)
            if there >= 0:
                os.close(there)

    def test_results_and_progress_share_no_line(self):
        for flags in ((), ("--explain",)):
            with self.subTest(flags):
                stream = self.shows(*flags)
                self.assertRegex(stream, r"answering \[#*\.*")
                lines = screen_lines(stream)
                self.assertEqual(lines.pop(), "")
                answers = [json.loads(line) for line in lines if line.startswith('{"query"')]
                self.assertEqual(len(answers), PATTERNS)
                for line in lines:
                    self.assertRegex(line, r'^(\{.*\}|kindred: info: .*)\r?$')
                    self.assertNotIn("answering [", line)

    def test_progress_stays_on_one_line(self):
        stream = self.shows(columns=30)
        shown = re.findall("\r\x1b\\[K(answering [^\r\n]*)", stream)
        self.assertTrue(shown)
        self.assertLess(max(map(len, shown)), 30)

    def test_quiet_shows_no_progress(self):
        stream = self.shows("--quiet")
        self.assertNotIn("\x1b", stream)
        self.assertEqual(len(stream.splitlines()), PATTERNS)
