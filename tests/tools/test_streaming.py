# SPDX-License-Identifier: Apache-2.0
"""Queries from standard input are answered as they arrive, and a reader that closes the output ends the command."""
import json
import select
import subprocess
import tempfile
import unittest
from pathlib import Path

import golden_cases
import harness
import inputs


class Streams(harness.CommandTest):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory(prefix="kindred-streaming-")
        cls.addClassCleanup(temporary.cleanup)
        cls.inputs = Path(temporary.name)
        inputs.all_inputs(cls.inputs)

    def test_standard_input_is_answered_line_by_line(self):
        for flags in ([], ["--measure", "difflib", "--blocks"]):
            command = subprocess.Popen([harness.COMMAND, "match", "--patterns", str(self.inputs / "patterns.jsonl"), "--queries", "-", "--quiet", *flags],
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=harness.environment("/nonexistent/profile.json"))
            try:
                for line in (self.inputs / "queries.jsonl").read_bytes().splitlines()[:4]:
                    command.stdin.write(line + b"\n")
                    command.stdin.flush()
                    self.assertTrue(select.select([command.stdout], [], [], 60)[0], "no answer to a line within a minute")
                    self.assertEqual(harness.strict(command.stdout.readline())["query"], json.loads(line)["name"])
                command.stdin.write(b"nonsense\n")
                command.stdin.close()
                command.stdin = None
                out, err = command.communicate(timeout=60)
                self.assertEqual((command.returncode, out), (3, b""))
                self.assertIn("<stdin>:5:", err.decode())
            finally:
                command.kill()
                command.communicate()

    def test_lines_before_a_bad_one_are_answered(self):
        record = {"name": "q", "events": [["a", "b"], ["c"]]}
        patterns = self.file("patterns.jsonl", [record, {"events": [["a"], ["c"]]}])
        store = self.folder / "s.knd"
        self.succeeds("patterns", "build", "--patterns", patterns, "--out", store)
        text = self.file("patterns.txt", "abc\nac\n")
        good = (json.dumps(record) + "\n").encode()
        for source, line, bad_lines in ((("--patterns", patterns), good, (b"nonsense\n", b'{"tokens": ["a"]} x\n', b'{"tokens": ["a", 1]}\n', b"\n", b'{"events": [["a"], [')),
                                        (("--patterns", patterns, "--predict"), good, (b'{"events": [["a"], ["b", 1]]}\n',)),
                                        (("--store", store), good, (b'{"tokens": ["a"]} x\n',)),
                                        (("--store", store, "--predict"), good, (b'{"events": [["a"], ["b", 1]]}\n',)),
                                        (("--lines", text), b"abc\n", (b"ab\xff\n",))):
            flags = ("match", *source, "--queries", "-", "--threshold", "0")
            one = self.succeeds(*flags, stdin=line).out
            self.assertEqual(one.count(b"\n"), 1)
            for bad in bad_lines:
                for count in (0, 1, 3, 100, 5000) if bad == bad_lines[0] else (3,):
                    with self.subTest(source=source, bad=bad, count=count):
                        result = harness.run(*flags, stdin=line * count + bad + line * 2)
                        self.assertEqual(result.status, 3, result.err)
                        self.assertIn(f"<stdin>:{count + 1}:", result.err)
                        answers = result.out.splitlines(keepends=True)
                        self.assertEqual(len(answers), count)
                        if source[0] != "--lines":
                            self.assertEqual(set(answers), {one} if count else set())

    def test_standard_input_and_file_give_the_same(self):
        expected = self.succeeds(*golden_cases.MATCH, cwd=self.inputs).out
        piped = self.succeeds("match", "--patterns", "patterns.jsonl", "--queries", "-", cwd=self.inputs, stdin=(self.inputs / "queries.jsonl").read_bytes())
        self.assertEqual(piped.out, expected)

    def test_a_closed_reader_is_no_crash(self):
        shell = subprocess.run(["bash", "-c", '"$0" match --patterns patterns.jsonl --queries queries.jsonl --threshold 0 --top 2000 --quiet | head -c 10', harness.COMMAND],
                               cwd=self.inputs, capture_output=True, env=harness.environment("/nonexistent/profile.json"), timeout=300)
        self.assertEqual(len(shell.stdout), 10)
        self.assertNotIn(b"terminate", shell.stderr)


if __name__ == "__main__":
    unittest.main()
