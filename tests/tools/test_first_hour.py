# SPDX-License-Identifier: Apache-2.0
"""The first hour: what is warned of, help, completion, manual pages, configuration, colours. The
tasks of the first hour are tested where users find them: those of docs/guide/quickstart.md by
Docs.CommandsPrintWhatPagesShow, linking by Consumer.as_package, a sweep by perf_smoke.sweep_end."""
import os
import pty
import re
import select
import subprocess

import harness
import npy

ROWS, DIMENSION = 6, 2
SEARCH = "search --vectors v.npy --queries q.npy"
INDEX = "index search --index i.knd --queries q.npy"
SPREAD = "spread --graph e.tsv --sources s.jsonl"

# What is typed, and the warning on stderr; the command succeeds.
NONSENSE = (
    ("vectors build --vectors nan.npy --out n.knd", "nan.npy: every row contains NaN"),
    ("search --vectors nan.npy --queries q.npy", "nan.npy: every row contains NaN, so every score is NaN"),
    ("search --vectors v.npy --queries nan.npy", "nan.npy: every row contains NaN"),
    ("search --vectors v.npy --queries q.npy --at-least 1000 --metric ip", "search: no query has a result"),
    ("search --vectors v.npy --queries q.npy --filter none_allowed.npy", "search: no query has a result"),
    ("score --vectors v.npy --queries q.npy --candidates no_candidates.jsonl", "score: no query has a result"),
    ("index search --index i.knd --queries q.npy --filter none_allowed.npy", "index search: no query has a result"),
    ("match --lines no_lines.txt --queries mixed.txt", "no_lines.txt: there are no patterns"),
    ("patterns build --patterns no_lines.txt --out n.knd", "no_lines.txt: there are no patterns"),
    ("match --lines p.jsonl --queries p.jsonl", "p.jsonl: --lines compares whole lines as text; JSON lines are read with --patterns"),
    ("match --lines names.csv --queries names.csv",
     "names.csv: --lines compares whole lines; --column NAME compares one column"),
    ("match --lines mixed.txt --queries stranger.txt", "the query does not have a result: no similarity reaches the threshold 0.1"),
    ("graph build --edges empty.tsv --out n.knd", "empty.tsv: the graph has no edges"),
    ("spread --graph empty.tsv --sources no_sources.jsonl", "empty.tsv: the graph has no edges"),
)


FILES = {
    "v.npy": npy.encode(range(ROWS * DIMENSION), (ROWS, DIMENSION)),
    "q.npy": npy.encode([1, 2, 3, 4], (2, DIMENSION)),
    "nan.npy": npy.encode([float("nan"), 1] * 2, (2, DIMENSION)),
    "none_allowed.npy": npy.encode([0] * ROWS, (ROWS,), "|b1"),
    "e.tsv": "from\tto\tweight\na\tb\t0.5\nb\tc\t1\n", "titles.tsv": "source\ttarget\na\tb\n",
    "mixed.txt": "a b\nb c 1\n", "empty.tsv": "# nothing\n", "no_lines.txt": "",
    "stranger.txt": "xyz\n", "s.jsonl": [{"name": "q", "sources": [["a", 1]]}],
    "no_sources.jsonl": [{"name": "q", "sources": []}], "no_candidates.jsonl": [{"ids": []}] * 2,
    "p.jsonl": [{"tokens": ["a", "b"]}], "names.csv": "name\nAcme\nAcme Ltd\n", "typo.toml": ""}


class FirstHour(harness.CommandTest):
    FILES = FILES
    BUILT = ("vectors build --vectors v.npy --out v.knd", "index build --vectors v.npy --out i.knd", "graph build --edges e.tsv --out g.knd")

    def test_nonsense_is_warned_of(self):
        for text, warning in NONSENSE:
            with self.subTest(text):
                err = self.types(text).err
                self.assertIn(f"kindred: warning: {warning}", err)
                self.assertEqual(err.count("warning: "), 1, err)
                self.assertNotIn("warning", self.types(text + " --quiet").err)

    def test_sense_is_not_warned_of_and_k_is_short_for_top(self):
        for text in (SEARCH, INDEX, SPREAD):
            self.assertNotIn("warning", self.types(text).err)
            self.assertEqual(self.types(text + " -k 1").out, self.types(text + " --top 1").out)
            self.assertEqual(self.types(text + " -k1").out, self.types(text + " --top=1").out)

    def test_a_top_above_what_exists_answers_with_what_exists(self):
        self.file("c.jsonl", [{"ids": [0, 5, 2]}, {"ids": [1]}])
        for text in (SEARCH, INDEX, "score --vectors v.npy --queries q.npy --candidates c.jsonl", SPREAD, SPREAD + " --mode pagerank",
                     "match --patterns p.jsonl --queries p.jsonl"):
            with self.subTest(text):
                expected = self.types(text + f" --top {ROWS}").out
                for top in (ROWS + 1, 1 << 32, 10**12, (1 << 64) - 1):
                    self.assertEqual(self.types(f"{text} --top {top}").out, expected)

    def test_one_output_file_suffices(self):
        for text in (SEARCH, INDEX):
            self.types(text + " --out-ids both.npy --out-scores scores.npy")
            for flag, both in (("--out-ids", "both.npy"), ("--out-scores", "scores.npy")):
                self.assertEqual(self.types(f"{text} {flag} one.npy").out, b"")
                self.assertEqual((self.folder / "one.npy").read_bytes(), (self.folder / both).read_bytes())

    def test_format_of_a_file_with_another_name(self):
        raw = b"".join(b"\x02\0\0\0" + (self.folder / "v.npy").read_bytes()[128 + 8 * i:136 + 8 * i] for i in range(ROWS))
        (self.folder / "v.data").write_bytes(raw)
        expected = self.types(SEARCH).out
        self.assertEqual(self.types("search --vectors v.data --format fvecs --queries q.npy").out, expected)
        self.types("index build --vectors v.data --format fvecs --out i2.knd")
        self.assertEqual((self.folder / "i2.knd").read_bytes(), (self.folder / "i.knd").read_bytes())

    def test_edge_lists(self):
        answer = self.types(SPREAD)
        self.assertIn("e.tsv:1: skipped as a header: 'from\\x09to\\x09weight' (--no-header reads it as an edge)", answer.err)
        self.assertEqual([name for name, _ in answer.lines()[0]["activations"]], ["a", "b", "c"])
        self.file("plain.txt", "a b\nb c\n")
        self.file("ones.txt", "a b 1\nb c 1\n")
        self.assertEqual(self.types(SPREAD + " --weights none").out, self.types("spread --graph ones.txt --sources s.jsonl").out)
        self.file("both.txt", "a b 1\nb a 1\nb c 1\nc b 1\n")
        self.file("back.jsonl", [{"sources": [["c", 1]]}])
        expected = self.types("spread --graph both.txt --sources back.jsonl --mode linear").out
        self.assertEqual(self.types("spread --graph plain.txt --undirected --sources back.jsonl --mode linear").out, expected)
        self.types("graph build --edges plain.txt --undirected --out u.knd")
        self.assertEqual(self.types("spread --graph u.knd --sources back.jsonl --mode linear").out, expected)
        for flag, nodes in (("--header", 2), ("--no-header", 4)):
            self.types(f"graph build --edges titles.tsv {flag} --out t.knd")
            self.assertIn(f'"nodes": {nodes}', self.types("graph info t.knd --json").out.decode())

    def test_help_of_a_command(self):
        overview = self.types("help").out.decode()
        for command in ("info", "calibrate", "match", "search", "score", "spread"):
            self.assertIn(command, overview)
            text = self.types(f"{command} --help").out.decode()
            self.assertIn(f"kindred {command}", text)
            self.assertIn("--space", text)
        self.assertEqual(self.types("help graph build").out, self.types("graph build --help").out)
        self.assertEqual(self.types("help").out, self.types("--help").out)
        text = self.types("help search").out.decode()
        self.assertIn("Changes speed only, never results", re.sub(r"\s+", " ", text))
        self.assertIn("not its square as in FAISS and hnswlib", re.sub(r"\s+", " ", text))

    def test_version_says_how_it_was_built(self):
        lines = self.types("--version").out.decode().splitlines()
        self.assertRegex(lines[0], r"^kindred \d+\.\d+\.\d+$")
        self.assertEqual([line.split()[0] for line in lines[1:]], ["commit", "compiler", "Kokkos", "spaces"])
        self.assertIn("serial", lines[-1])

    def test_config_gives_defaults(self):
        self.file("kindred.toml", 'quiet = true\n\n[search]\ntop = 1\nmetric = "ip"\n\n[index.search]\ntop = 2\n')
        expected = self.types(SEARCH + " --top 1 --metric ip").out
        self.assertNotEqual(self.types(SEARCH).out, expected, "the file in the working directory is not read")
        for text, settings in ((f"--config kindred.toml {SEARCH}", {}), (f"{SEARCH} --config kindred.toml", {}), (SEARCH, {"KINDRED_CONFIG": "kindred.toml"})):
            result = self.types(text, settings=settings)
            self.assertEqual(result.out, expected)
            self.assertEqual(result.err, "")
        self.assertEqual(self.types(f"--config kindred.toml {SEARCH} --top 2").out, self.types(SEARCH + " --top 2 --metric ip").out)
        self.assertEqual(self.types(f"--config kindred.toml {INDEX}").out, self.types(INDEX + " -k 2").out)
        self.refuses(2, ("none.toml",), "info", settings={"KINDRED_CONFIG": "none.toml"}, cwd=self.folder)

    def test_colours(self):
        self.assertIn("\x1b[1;31merror:", harness.run("--color", "always", "fly").err)
        self.assertIn("\x1b[1;31merror:", harness.run("fly", "--color=always").err)
        self.assertNotIn("\x1b", harness.run("fly").err, "stderr is not a terminal")
        self.assertIn(b"\x1b[1m", harness.run("--color", "always", "--help").out)
        self.assertNotIn(b"\x1b", harness.run("--help").out)
        self.assertNotIn(b"\x1b", harness.run("info", "--color", "always", "--json").out)

    def test_times_are_in_words(self):
        err = self.types(SEARCH + " --space serial").err
        self.assertRegex(err, r"kindred: info: search: read \d+ .?s, prepare \d+ .?s, compute \d+ .?s on 1 CPU thread \(as requested\)\n$")
        self.assertIn("(chosen automatically)", self.types(SEARCH).err)

    def test_completion_scripts_are_valid(self):
        for shell in ("bash", "zsh", "fish"):
            script = self.types(f"completion {shell}").out
            for word in (b"search", b"queries", b"build"):
                self.assertIn(word, script)
            if shell == "fish":
                self.assertIn(b"-n '__fish_seen_subcommand_from graph; and __fish_seen_subcommand_from build' -l edges -r", script)
            path = self.file(f"completion.{shell}", script)
            try:
                checked = subprocess.run([shell, "-n", path], capture_output=True)
            except FileNotFoundError:
                continue
            self.assertEqual((checked.returncode, checked.stderr), (0, b""))

    def test_bash_completes(self):
        script = self.file("completion.bash", self.types("completion bash").out)
        for words, expected in (("sea", "search"), ("graph bu", "build"), ("search --que", "--queries"), ("graph build --und", "--undirected"), ("index search --spa", "--space"), ("help lat", "lattice")):
            typed = ["kindred", *words.split()]
            code = f'source {script}; COMP_WORDS=({" ".join(typed)}); COMP_CWORD={len(typed) - 1}; _kindred; echo "${{COMPREPLY[@]}}"'
            try:
                done = subprocess.run(["bash", "--norc", "-c", code], capture_output=True, cwd=self.folder)
            except FileNotFoundError:
                self.skipTest("bash is not installed")
            self.assertIn(expected, done.stdout.decode().split(), done.stderr)

    def test_zsh_completes(self):
        self.file("_kindred", self.types("completion zsh").out)
        here, there = pty.openpty()
        self.addCleanup(os.close, here)
        try:
            shell = subprocess.Popen(["zsh", "-f", "-i"], stdin=there, stdout=there, stderr=there, cwd=self.folder, start_new_session=True,
                                     env={"PATH": os.environ["PATH"], "HOME": str(self.folder), "ZDOTDIR": str(self.folder), "TERM": "dumb"})
        except FileNotFoundError:
            self.skipTest("zsh is not installed")
        finally:
            os.close(there)
        self.addCleanup(shell.wait)
        self.addCleanup(shell.kill)

        def shows(typed, expected):
            os.write(here, typed.encode())
            shown = b""
            while expected.encode() not in shown:
                self.assertTrue(select.select([here], [], [], 10)[0], f"{typed!r}: {expected!r} is not in {shown!r}")
                shown += os.read(here, 1 << 16)
        shows("fpath=($PWD $fpath); autoload -Uz compinit; compinit -u -D; setopt no_beep; PS1='ready''> '\n", "ready> ")
        for words, expected in (("sea", "search "), ("graph bu", "build "), ("search --que", "--queries "), ("graph build --und", "--undirected "),
                                ("index search --spa", "--space "), ("help lat", "lattice "), ("match --patterns typo.to", "typo.toml ")):
            shows(f"kindred {words}\t", expected)
            shows("\x15\n", "ready> ")

    def test_manual_pages(self):
        for name, words in (("", (".TH KINDRED 1", ".SH COMMANDS", ".SH EXIT STATUS")), ("graph build", (".TH KINDRED", "\\-\\-undirected")),
                            ("search", ("\\fB\\-k\\fR, \\fB\\-\\-top\\fR \\fIN\\fR", ".SH SYNOPSIS\n\\fBkindred search \\-\\-queries FILE [FLAGS]"))):
            page = self.types(f"man {name}").out.decode()
            for word in words:
                self.assertIn(word, page)
        self.types("man --out pages")
        names = sorted(path.name for path in (self.folder / "pages").iterdir())
        for name in ("kindred.1", "kindred-search.1", "kindred-graph-build.1"):
            self.assertIn(name, names)
