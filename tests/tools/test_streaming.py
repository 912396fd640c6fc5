# SPDX-License-Identifier: Apache-2.0
"""Queries from standard input are answered as they arrive, and a reader that closes the output ends the command."""
import json
import select
import subprocess

import golden_cases
import harness


class Streams(harness.InputsTest):
    def start(self, *arguments):
        command = subprocess.Popen([harness.COMMAND, *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0,
                                   env=harness.environment("/nonexistent/profile.json"))
        self.addCleanup(command.communicate)
        self.addCleanup(command.kill)
        return command

    def test_standard_input_is_answered_line_by_line(self):
        lines = (self.inputs / "queries.jsonl").read_bytes().splitlines(keepends=True)[:4]
        exchanges = [(line, self.asked(json.loads(line)["name"])) for line in lines]
        for flags in ([], ["--measure", "difflib", "--blocks"]):
            status, err = self.dialogue(("match", "--patterns", self.inputs / "patterns.jsonl", "--queries", "-", *flags), [*exchanges, (b"nonsense\n", [])])
            self.assertEqual(status, 3)
            self.assertIn("<stdin>:5:", err)

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

    def dialogue(self, arguments, exchanges):
        """Sends each text and then expects the queries of the answers to it, before the next text is sent. Returns status and stderr."""
        command = self.start(*arguments)
        for text, answers in exchanges:
            if callable(text):
                text()
                continue
            command.stdin.write(text)
            for answer in answers:
                self.assertTrue(select.select([command.stdout], [], [], 60)[0], f"no answer within a minute: {text!r}")
                answer(command.stdout.readline())
        out, err = command.communicate(timeout=60)
        self.assertEqual(out, b"")
        return command.returncode, err.decode()

    def asked(self, *queries):
        def check(query):
            return lambda line: self.assertEqual(harness.strict(line)["query"], query)
        return [check(query) for query in queries]

    def test_a_record_is_answered_before_the_next_one_is_complete(self):
        names = self.file("p.csv", "company\nabc\n\"a\nc\"\n")
        status, _ = self.dialogue(("match", "--patterns", names, "--column", "company", "--queries", "-"),
                                  [(b"id,com", []), (b'pany\n1,abc\n2,"x\ny', self.asked("abc")), (b'z"\r\n3', self.asked("x\nyz")), (b",", []), (b"w\n", self.asked("w"))])
        self.assertEqual(status, 0)
        text = self.file("p.txt", "abc\n")
        status, err = self.dialogue(("match", "--lines", text, "--queries", "-"), [(b"(", []), (b"\nP*M", self.asked("(")), (b"\nab\xff\nab\n", self.asked("P*M"))])
        self.assertEqual(status, 3)
        self.assertIn("<stdin>:3:", err)

    def test_output_does_not_depend_on_the_writes(self):
        patterns = self.file("p.jsonl", [{"name": "p", "events": [["a", "b"], ["c"]]}, {"events": [["a"], ["c"]]}])
        names = self.file("p.csv", "company\nabc\n\"a\nc\"\n")
        lines = b"".join(b'{"name": "q%d", "tokens": ["a", "b"]}\n' % i for i in range(40))
        rows = b"company,id\n" + b'"a\nb",1\nac,2\n' * 20
        for source, text in ((("--patterns", patterns), lines + b"bad\n" + lines), (("--patterns", patterns, "--skip-bad"), lines + b"bad\n\n" + lines),
                             (("--patterns", names, "--column", "company"), rows + b'"b"ad,1\n' + rows[11:]),
                             (("--patterns", names, "--column", "company", "--skip-bad", "--format", "csv"), rows + b'"b"ad,1\nbad\n' + rows[11:])):
            flags = ("match", *source, "--queries", "-")
            whole = harness.run(*flags, stdin=text)
            self.assertEqual(whole.status, 0 if "--skip-bad" in source else 3, whole.err)
            self.assertGreaterEqual(whole.out.count(b"\n"), 40)
            for size in (1, 7, 100, 1000):
                with self.subTest(source=source, size=size):
                    command = self.start(*flags)
                    for begin in range(0, len(text), size):
                        try:
                            command.stdin.write(text[begin:begin + size])
                        except BrokenPipeError:
                            break  # the command ended at the bad line
                    out, _ = command.communicate(timeout=60)
                    self.assertEqual((command.returncode, out), (whole.status, whole.out))

    def test_bad_lines_are_skipped(self):
        record = {"events": [["a", "b"], ["c"]]}
        patterns = self.file("patterns.jsonl", [record, {"events": [["a"], ["c"]]}])
        store = self.folder / "s.knd"
        self.succeeds("patterns", "build", "--patterns", patterns, "--out", store)
        good = json.dumps(record).encode() + b"\n"
        bad_lines = (b"nonsense\n", b"\n", b'{"tokens": ["a", 1]}\n', b'{"events": [["a"], ["b", {}]]}\n', b'{"tokens": ["\xff\xfe"]}\n', b"{\n")
        for source in (("--patterns", patterns), ("--patterns", patterns, "--predict"), ("--store", store), ("--store", store, "--predict")):
            for count in (1, 5000):
                text = (good * count).join((b"", *bad_lines, b""))
                file = self.file("q.jsonl", text)
                for queries, options in (("-", {"stdin": text}), (file, {})):
                    with self.subTest(source=source, count=count, queries=queries):
                        result = self.succeeds("match", *source, "--skip-bad", "--queries", queries, **options)
                        self.assertIn(f"6 of {7 * count + 6} queries are skipped", result.err)
                        answers = [harness.strict(line) for line in result.out.decode().splitlines()]
                        self.assertEqual(len(answers), 7 * count + 6)
                        errors = [i for i, answer in enumerate(answers) if "error" in answer]
                        self.assertEqual(errors, [(count + 1) * i + count for i in range(6)])
                        for i, answer in enumerate(answers):
                            if "error" in answer:
                                self.assertEqual(list(answer), ["error", "line"])
                                self.assertEqual(answer["line"], i + 1)
                                self.assertNotIn("stdin", answer["error"])
                            else:
                                self.assertEqual(answer["query"], i)
                                self.assertEqual(answer["results"], answers[0]["results"])
        lines = self.file("p.txt", "abc\n")
        result = self.succeeds("match", "--lines", lines, "--queries", "-", "--skip-bad", stdin=b"ab\xff\nabc\n")
        self.assertEqual(result.lines()[0], {"error": "not UTF-8: byte 0xff at 2 of the text", "line": 1})
        self.assertEqual(result.lines()[1]["query"], "abc")
        self.refuses(3, ("p2.txt:1:",), "match", "--lines", self.file("p2.txt", b"\xff\n"), "--queries", lines, "--skip-bad")
        self.refuses(3, ("no column",), "match", "--lines", lines, "--column", "abc", "--queries", "-", "--skip-bad", stdin=b"x\ny\n")

    def test_a_store_is_followed(self):
        store = self.folder / "s.knd"

        def build(*flags):
            def run():
                self.succeeds("patterns", "build", "--out", store, "--patterns", self.file("p.jsonl", flags[-1]), *flags[:-1])
            return run

        def best(name):
            return [lambda line: self.assertEqual([hit["name"] for hit in json.loads(line)["results"]][:1], [name])]
        first, second, third = ([{"name": name, "tokens": [*name]}] for name in ("abc", "abd", "xyz"))
        ask = json.dumps({"tokens": [*"abd"]}).encode() + b"\n"
        affinities = self.file("a.jsonl", [{"symbol": symbol, "affinity": 0.5} for symbol in "abcd"])
        for flags in ((), ("--level", "character"), ("--predict",), ("--predict", "--affinity", affinities)):
            with self.subTest(flags):
                build(first)()
                status, err = self.dialogue(("match", "--store", store, "--queries", "-", "--follow", *flags),
                                            [(ask, best("abc")), (build("--append", second), []), (ask, best("abd")), (ask, best("abd")),
                                             (build("--append", third), []), (ask, best("abd")), (build(first), []), (ask * 2, best("abc") * 2),
                                             (lambda: store.with_suffix(".new").write_bytes(b"no store"), []),
                                             (lambda: store.with_suffix(".new").rename(store), []), (ask, [])])
                self.assertEqual(status, 3)
                self.assertIn(str(store), err)
        build(first)()
        aside = self.folder / "aside.knd"
        status, err = self.dialogue(("match", "--store", store, "--queries", "-", "--follow"),
                                    [(ask, best("abc")), (store.unlink, []), (ask * 2, best("abc") * 2), (ask, best("abc")), (build(second), []), (ask, best("abd")),
                                     (lambda: store.rename(aside), []), (ask, best("abd")), (lambda: aside.rename(store), []), (ask, best("abd"))])
        self.assertEqual(status, 0, err)
        self.assertEqual(err.count("the store was removed; answers come from its last state until it exists again"), 2, err)
        self.assertEqual(err.count("the store exists again"), 2, err)
        build(first)()
        status, _ = self.dialogue(("match", "--store", store, "--queries", "-"), [(ask, best("abc")), (build("--append", second), []), (ask, best("abc"))])
        self.assertEqual(status, 0)

    def test_standard_input_and_file_give_the_same(self):
        for flags in ((), ("--predict", "--affinity", "affinities.jsonl")):
            expected = self.succeeds(*golden_cases.MATCH, *flags, cwd=self.inputs).out
            piped = self.succeeds("match", "--patterns", "patterns.jsonl", "--queries", "-", *flags, cwd=self.inputs,
                                  stdin=(self.inputs / "queries.jsonl").read_bytes())
            self.assertEqual(piped.out, expected)

    def test_a_closed_reader_is_no_crash(self):
        shell = subprocess.run(["bash", "-c", '"$0" match --patterns patterns.jsonl --queries queries.jsonl --threshold 0 --top 2000 --quiet | head -c 10', harness.COMMAND],
                               cwd=self.inputs, capture_output=True, env=harness.environment("/nonexistent/profile.json"), timeout=300)
        self.assertEqual(len(shell.stdout), 10)
        self.assertNotIn(b"terminate", shell.stderr)
