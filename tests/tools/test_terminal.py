# SPDX-License-Identifier: Apache-2.0
"""What a terminal shows while a command prints results and progress: whole lines of results, and no progress between or after them."""
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

import harness

PATTERNS = 3000


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

    def shows(self, *arguments, columns=200):
        """Runs the command with a terminal of its own, from which is read in pauses. Returns what it received."""
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
                stream = self.shows("match", "--lines", self.patterns, "--self", "--threshold", 0, "--top", 20, *flags)
                self.assertRegex(stream, r"answering \[#*\.*")
                lines = screen_lines(stream)
                self.assertEqual(lines.pop(), "")
                answers = [json.loads(line) for line in lines if line.startswith('{"query"')]
                self.assertEqual(len(answers), PATTERNS)
                for line in lines:
                    self.assertRegex(line, r'^(\{.*\}|kindred: info: .*)\r?$')
                    self.assertNotIn("answering [", line)

    def test_progress_stays_on_one_line(self):
        stream = self.shows("match", "--lines", self.patterns, "--self", "--threshold", 0, "--top", 20, columns=30)
        shown = re.findall("\r\x1b\\[K(answering [^\r\n]*)", stream)
        self.assertTrue(shown)
        self.assertLess(max(map(len, shown)), 30)

    def test_quiet_shows_no_progress(self):
        stream = self.shows("match", "--lines", self.patterns, "--self", "--threshold", 0, "--top", 20, "--quiet")
        self.assertNotIn("\x1b", stream)
        self.assertEqual(len(stream.splitlines()), PATTERNS)
