# SPDX-License-Identifier: Apache-2.0
"""Mistakes of the first hour: what a user types, and what the message must say to put it right. The
tasks of the first hour are tested where users find them: those of docs/guide/quickstart.md by
Docs.CommandsPrintWhatPagesShow, linking by Consumer.as_package, a sweep by perf_smoke.sweep_end."""
import gzip
import os
import pty
import re
import select
import subprocess
import unittest
import zipfile

import harness
import npy

ROWS, DIMENSION = 6, 2

# What is typed, the exit status, and what stderr contains. The files are those of `setUp`.
MISTAKES = (
    # Commands and flags
    ("", 2, ("a command is required: info, ",)),
    ("serch", 2, ("there is no command 'serch'; did you mean search? (see kindred --help)",)),
    ("vector build", 2, ("there is no command 'vector'; did you mean vectors?",)),
    ("fly", 2, ("there is no command 'fly'; there are info, ", "spread")),
    ("--fly", 2, ("there is no flag '--fly'",)),
    ("graph", 2, ("graph: a command is required: build, info, verify",)),
    ("graph bild --edges e.tsv", 2, ("graph: there is no command 'bild'; did you mean build?",)),
    ("graph export g.knd", 2, ("graph: there is no command 'export'; there are build, info, verify",)),
    ("help serch", 2, ("help: there is no command 'serch'; did you mean search?",)),
    ("man grahp", 2, ("man: there is no command 'grahp'; did you mean graph?",)),
    ("completion tcsh", 2, ("'tcsh' is not one of bash, zsh, fish",)),
    ("search v.npy q.npy", 2, ("search: there are no arguments 'v.npy', 'q.npy'; files are given by flags: --vectors FILE, --store FILE, --queries FILE",)),
    ("index search i.knd --queries q.npy", 2, ("index search: there is no argument 'i.knd'", "--index FILE")),
    ("spread e.tsv s.jsonl", 2, ("spread: there are no arguments 'e.tsv', 's.jsonl'", "--graph FILE", "--sources FILE")),
    ("search --vector v.npy --queries q.npy", 2, ("there is no flag '--vector'; did you mean --vectors?",)),
    ("search --vectors v.npy --query q.npy", 2, ("there is no flag '--query'; did you mean --queries?",)),
    ("search --vectors v.npy --queries q.npy --topp 3", 2, ("there is no flag '--topp'; did you mean --top?",)),
    ("search --vectors v.npy --queries q.npy --limit 3", 2, ("there is no flag '--limit'; did you mean --top?",)),
    ("search --vectors v.npy --queries q.npy -n 3", 2, ("did you mean --top?",)),
    ("search --vectors v.npy --queries q.npy --distance l2", 2, ("did you mean --metric?",)),
    ("search --vectors v.npy --queries q.npy --gpu", 2, ("did you mean --space cuda?",)),
    ("index build --vectors v.npy -o i2.knd", 2, ("there is no flag '-o'; did you mean --out?",)),
    ("index build --vectors v.npy --out i2.knd --M 8", 2, ("did you mean --m?",)),
    ("index search --index i.knd --queries q.npy --ef-search 9", 2, ("did you mean --ef?",)),
    ("--vectors v.npy search --queries q.npy", 2, ("'--vectors' is given before the command search; give it after: kindred search --vectors",)),
    ("search --vectors v.npy --queries q.npy c b a", 2, ("'c', 'b', 'a'",)),
    ("graph info", 2, ("graph info: GRAPH is required",)),
    ("graph info g.knd h.knd", 2, ("graph info: there is no argument 'h.knd'; it takes GRAPH",)),
    ("vectors verify --vectors v.knd", 2, ("there is no flag '--vectors'; the file is an argument: kindred vectors verify STORE",)),
    ("vectors info --store v.knd", 2, ("instead of --store use the file alone: kindred vectors info STORE",)),
    ("search --vectors v.npy", 2, ("search: --queries FILE is required",)),
    ("index search", 2, ("--index FILE, --queries FILE are required",)),
    ("search --vectors v.npy --queries", 2, ("search: --queries needs a value",)),
    ("search --vectors v.npy --queries q.npy --queries q.npy", 2, ("--queries is given more than once",)),
    ("search --vectors v.npy --queries q.npy --top 0", 2, ("search: --top: '0' is not a whole number ≥ 1",)),
    ("search --vectors v.npy --queries q.npy -k x", 2, ("--top: 'x' is not a whole number",)),
    ("search --vectors v.npy --queries q.npy --metric l1", 2, ("'l1' is not one of cosine, ip, l2",)),
    ("search --vectors v.npy --queries q.npy --path plain", 2, ("--path: instead of plain use brute_force",)),
    ("search --vectors v.npy --queries q.npy --at-least 0.5 --out-scores s.npy", 2, ("--at-least", "--out-scores; omit one")),
    ("match --patterns p.jsonl --queries p.jsonl --measure token-set --level token", 2, ("token-set compares the words of texts: use --level character",)),
    ("match --store p.knd --queries p.jsonl --measure token-sort", 2, ("token-sort compares the words of texts", "use --lines, --column or --patterns")),
    ("match --patterns p.jsonl --queries p.jsonl --measure jaro", 2, ("'jaro' is not one of indel, lcs, ", "jaro-winkler, token-sort, token-set")),
    ("match --patterns p.jsonl --queries p.jsonl --measure token-set --blocks", 2, ("--blocks: token-set has none; use --measure lcs or difflib",)),
    ("search --queries q.npy", 2, ("search: one of --vectors and --store must be given",)),
    ("--color sometimes info", 2, ("--color: 'sometimes' is not one of auto, always, never",)),
    ("spread --graph e.tsv --sources s.jsonl --weights some", 2, ("--weights: 'some' is not one of float32, bfloat16, none",)),
    ("spread --graph e.tsv --sources s.jsonl --header --no-header", 2, ("--header and --no-header contradict each other",)),
    ("spread --graph g.knd --sources s.jsonl --undirected", 2, ("--undirected is for an edge list", "graph build")),
    ("spread --graph g.knd --sources s.jsonl --weights none", 2, ("--weights is for an edge list",)),
    ("spread --graph m.mtx --sources s.jsonl --undirected", 2, ("--undirected does not go with a Matrix Market file", "symmetric")),
    # Names of other programs
    ("search --vectors v.npy --queries q.npy --metric euclidean", 2, ("'euclidean' is not one of cosine, ip, l2; did you mean l2?",)),
    ("search --vectors v.npy --queries q.npy --metric L2", 2, ("did you mean l2?",)),
    ("index build --vectors v.npy --out i2.knd --metric dot", 2, ("did you mean ip?",)),
    ("search --vectors v.npy --queries q.npy --out ids.npy", 2, ("there is no flag '--out'; did you mean --out-ids?",)),
    ("search --vectors v.npy --queries q.npy --threshold 0.9", 2, ("did you mean --at-least?",)),
    ("match --patterns p.jsonl --queries p.jsonl --score-cutoff 0.9", 2, ("did you mean --threshold?",)),
    ("match --patterns p.jsonl --queries p.jsonl --scorer osa", 2, ("did you mean --measure?",)),
    ("spread --graph e.tsv --sources s.jsonl --mode pagerank --alpha 0.9", 2, ("did you mean --damping?",)),
    ("pagerank --graph e.tsv", 2, ("there is no command 'pagerank'; did you mean spread --mode pagerank?",)),
    ("dedupe names.csv", 2, ("did you mean match --self?",)),
    ("verify v.knd", 2, ("did you mean vectors verify, graph verify or patterns verify?",)),
    # Text in another form
    ("match --patterns names.csv --self --threshold 0.9", 2, ("names.csv is a table; --column NAME gives the column to compare",)),
    ("match --patterns p.jsonl --queries names.csv", 2, ("names.csv is a table",)),
    ("match --patterns p.jsonl --column tokens --self --threshold 0.9", 2, ("p.jsonl has JSON lines, not columns; omit --column",)),
    ("match --patterns names.txt --self --threshold 0.9", 3, ("names.txt:1: a line must be a JSON object",)),
    # The configuration
    ("--config none.toml info", 2, ("--config: none.toml",)),
    ("--config typo.toml info", 2, ("--config: search: there is no flag 'topp'; did you mean top?",)),
    ("--config common.toml info", 2, ("--config: 'threads' is a flag of every command: give it before the first [section]",)),
    ("--config command.toml info", 2, ("--config: there is no command 'serch'; did you mean search?",)),
    ("--config value.toml info", 2, ("--config: --top: 'many' is not a whole number",)),
    # Files of another kind
    ("search --store v.npy --queries q.npy", 3, ("v.npy is an array of rows, not a store of vectors; use --vectors v.npy",)),
    ("search --vectors v.knd --queries q.npy", 3, ("v.knd is a store of vectors, not an array of rows; use --store v.knd",)),
    ("search --vectors i.knd --queries q.npy", 3, ("i.knd is an index (HNSW)", "kindred index search --index i.knd")),
    ("search --vectors v.npy --queries v.knd", 3, ("v.knd is a store of vectors", "write the queries to a .npy file")),
    ("index search --index v.knd --queries q.npy", 3, ("build one: kindred index build --store v.knd --out INDEX",)),
    ("index search --index v.npy --queries q.npy", 3, ("build one: kindred index build --vectors v.npy --out INDEX",)),
    ("index build --store v.npy --out n.knd", 3, ("use --vectors v.npy",)),
    ("index info v.knd", 3, ("v.knd is a store of vectors, not an index",)),
    ("vectors info v.npy", 3, ("build one: kindred vectors build --vectors v.npy --out STORE",)),
    ("vectors build --vectors v.knd --out n.knd", 3, ("v.knd is a store of vectors, not an array of rows",)),
    ("graph info e.tsv", 3, ("e.tsv is text, not a graph; build one: kindred graph build --edges e.tsv --out GRAPH",)),
    ("graph build --edges g.knd --out n.knd", 3, ("g.knd is a graph, not an edge list",)),
    ("spread --graph v.knd --sources s.jsonl", 3, ("v.knd is a store of vectors, not a graph",)),
    ("spread --graph v.npy --sources s.jsonl", 3, ("v.npy is an array of rows, not an edge list",)),
    ("patterns info p.jsonl", 3, ("p.jsonl is text, not a store of patterns; build one: kindred patterns build --patterns p.jsonl --out STORE",)),
    ("search --vectors v.csv --queries q.npy", 3, ("v.csv: unknown format of vectors", ".npy", "--format")),
    ("search --vectors double.npy --queries q.npy", 3, ("double.npy: byte 10: dtype '<f8'", "x.astype('<f4')")),
    ("search --vectors cut.fvecs --queries q.npy", 3, ("cut.fvecs: byte ",)),
    ("search --vectors v.npy --queries none.npy", 3, ("none.npy", "No such file")),
    # Files of other programs
    ("match --lines x.parquet --queries p.jsonl", 3, ("x.parquet is a Parquet file, not UTF-8 text; convert it: duckdb -c \"COPY 'x.parquet' TO 'x.parquet.csv'\"",)),
    ("match --patterns p.jsonl --queries x.parquet", 3, ("x.parquet is a Parquet file",)),
    ("match --patterns x.arrow --column a --queries v.csv", 3, ("x.arrow is an Arrow IPC file", "pandas.read_feather('x.arrow').to_csv('x.arrow.csv'")),
    ("match --patterns v.npy --queries p.jsonl", 3, ("v.npy is an array of NumPy, not UTF-8 text; it is for kindred search --vectors v.npy",)),
    ("match --patterns v.knd --queries p.jsonl", 3, ("v.knd is a store of vectors, not UTF-8 text; it is for kindred search --store v.knd",)),
    ("match --lines names.xlsx --queries p.jsonl", 3, ("names.xlsx is an Office document (.xlsx), not UTF-8 text; save the sheet as CSV (UTF-8)",)),
    ("match --lines names.utf16 --queries p.jsonl", 3, ("names.utf16 is UTF-16 text, not UTF-8 text; convert it: iconv -f UTF-16 -t UTF-8 names.utf16",)),
    ("search --vectors x.parquet --queries q.npy", 3, ("x.parquet is a Parquet file, not an array of rows", "numpy.save('x.parquet.npy', pandas.read_parquet('x.parquet').to_numpy('float32'))")),
    ("search --vectors v.npy --queries rows.npz", 3, ("rows.npz is an archive of arrays (.npz), not an array of rows", "numpy.load('rows.npz')")),
    ("vectors build --vectors x.arrow --out n.knd", 3, ("x.arrow is an Arrow IPC file, not an array of rows",)),
    ("graph build --edges x.arrow --out n.knd", 3, ("x.arrow is an Arrow IPC file, not an edge list",)),
    ("patterns build --patterns x.parquet --out n.knd", 3, ("x.parquet is a Parquet file, not UTF-8 text",)),
    ("patterns info x.parquet", 3, ("x.parquet is a Parquet file, not a store of patterns",)),
    # Edge lists
    ("graph build --edges titles.tsv --out n.knd", 3, ("titles.tsv:1: 'source' and 'target' may be a header or an edge; give --header to skip the line, or --no-header to read it",)),
    ("graph build --edges numbers.txt --out n.knd", 3, ("numbers.txt:1: the weight 'heavy' is not a finite number; if the line is a header, give --header",)),
    ("graph build --edges mixed.txt --out n.knd", 3, ("mixed.txt:2: 3 fields; the edge on line 1 has 2; either all edges have a weight or none",)),
    ("graph build --edges commas.txt --out n.knd", 3, ("commas.txt:1: 1 fields", "name a file with commas *.csv")),
    ("graph build --edges kinds.txt --out n.knd", 3, ("kinds.txt:1: 4 fields", "--edge-kinds")),
    ("spread --graph e.tsv --sources stranger.jsonl", 3, ("stranger.jsonl:1: the node 'z' is not in the graph, which has 3 nodes",)),
    ("spread --graph e.tsv --sources broken.jsonl", 3, ("broken.jsonl:1: not JSON: column ",)),
)

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
    ("match --lines mixed.txt --queries stranger.txt", "the query does not have a result: no similarity reaches the threshold 0.1"),
    ("graph build --edges empty.tsv --out n.knd", "empty.tsv: the graph has no edges"),
    ("spread --graph empty.tsv --sources no_sources.jsonl", "empty.tsv: the graph has no edges"),
)


class FirstHour(harness.CommandTest):
    def setUp(self):
        super().setUp()
        npy.write(self.folder / "v.npy", range(ROWS * DIMENSION), (ROWS, DIMENSION))
        npy.write(self.folder / "q.npy", [1, 2, 3, 4], (2, DIMENSION))
        npy.write(self.folder / "nan.npy", [float("nan"), 1] * 2, (2, DIMENSION))
        npy.write(self.folder / "double.npy", [1.0, 2.0], (1, DIMENSION), "<f8")
        npy.write(self.folder / "none_allowed.npy", [0] * ROWS, (ROWS,), "|b1")
        self.file("v.csv", "1,2\n3,4\n")
        self.file("x.parquet", b"PAR1\x15\x04\x15\x20" + bytes(40) + b"PAR1")
        self.file("x.arrow", b"ARROW1\0\0\xff\xff\xff\xff" + bytes(40))
        self.file("names.utf16", "name\n".encode("utf-16"))
        for name, first in (("names.xlsx", "docProps/app.xml"), ("rows.npz", "arr_0.npy")):
            with zipfile.ZipFile(self.folder / name, "w") as archive:
                archive.writestr(first, "x")
        self.file("cut.fvecs", b"\x02\0\0\0\0\0\0\0")
        self.file("e.tsv", "from\tto\tweight\na\tb\t0.5\nb\tc\t1\n")
        self.file("titles.tsv", "source\ttarget\na\tb\n")
        self.file("numbers.txt", "1 2 heavy\n3 4 1\n")
        self.file("mixed.txt", "a b\nb c 1\n")
        self.file("commas.txt", "a,b,1\n")
        self.file("kinds.txt", "a b 1 7\n")
        self.file("empty.tsv", "# nothing\n")
        self.file("no_lines.txt", "")
        self.file("stranger.txt", "xyz\n")
        self.file("m.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n")
        self.file("s.jsonl", [{"name": "q", "sources": [["a", 1]]}])
        self.file("no_sources.jsonl", [{"name": "q", "sources": []}])
        self.file("stranger.jsonl", [{"sources": [["z", 1]]}])
        self.file("broken.jsonl", '{"sources": [["a" 1]]}\n')
        self.file("no_candidates.jsonl", [{"ids": []}, {"ids": []}])
        self.file("p.jsonl", [{"tokens": ["a", "b"]}])
        self.file("names.csv", "name\nAcme\nAcme Ltd\n")
        self.file("names.txt", "Acme\nAcme Ltd\n")
        self.file("typo.toml", "[search]\ntopp = 3\n")
        self.file("common.toml", "[search]\nthreads = 2\n")
        self.file("command.toml", "[serch]\ntop = 3\n")
        self.file("value.toml", '[search]\ntop = "many"\n')
        for build in ("vectors build --vectors v.npy --out v.knd", "index build --vectors v.npy --out i.knd", "graph build --edges e.tsv --out g.knd"):
            self.types(build)

    def types(self, text, **options):
        return self.succeeds(*text.split(), cwd=self.folder, **options)

    def test_a_mistake_is_answered_by_what_to_do(self):
        for text, status, words in MISTAKES:
            with self.subTest(text):
                self.refuses(status, words, *text.split(), cwd=self.folder)

    def test_another_format_on_standard_input(self):
        parquet = (self.folder / "x.parquet").read_bytes()
        self.refuses(3, ("<stdin> is a Parquet file, not UTF-8 text; convert it: duckdb -c \"COPY 'FILE' TO 'FILE.csv'\"",),
                     "match", "--lines", "v.csv", "--queries", "-", cwd=self.folder, stdin=parquet)
        self.refuses(3, ("x.parquet.gz is a Parquet file",), "match", "--lines", self.file("x.parquet.gz", gzip.compress(parquet)), "--queries", "-", cwd=self.folder)
        self.file("named.txt", "PAR1 Ltd\n")
        self.types("match --lines named.txt --queries named.txt")

    def test_nonsense_is_warned_of(self):
        for text, warning in NONSENSE:
            with self.subTest(text):
                err = self.types(text).err
                self.assertIn(f"kindred: warning: {warning}", err)
                self.assertEqual(err.count("warning: "), 1, err)
                self.assertNotIn("warning", self.types(text + " --quiet").err)

    def test_sense_is_not_warned_of(self):
        for text in ("search --vectors v.npy --queries q.npy", "index search --index i.knd --queries q.npy", "spread --graph e.tsv --sources s.jsonl"):
            self.assertNotIn("warning", self.types(text).err)

    def test_k_is_short_for_top(self):
        for text in ("search --vectors v.npy --queries q.npy", "index search --index i.knd --queries q.npy", "spread --graph e.tsv --sources s.jsonl"):
            self.assertEqual(self.types(text + " -k 1").out, self.types(text + " --top 1").out)
            self.assertEqual(self.types(text + " -k1").out, self.types(text + " --top=1").out)

    def test_a_top_above_what_exists_answers_with_what_exists(self):
        self.file("c.jsonl", [{"ids": [0, 5, 2]}, {"ids": [1]}])
        for text in ("search --vectors v.npy --queries q.npy", "index search --index i.knd --queries q.npy", "score --vectors v.npy --queries q.npy --candidates c.jsonl", "spread --graph e.tsv --sources s.jsonl",
                     "spread --graph e.tsv --sources s.jsonl --mode pagerank", "match --patterns p.jsonl --queries p.jsonl"):
            with self.subTest(text):
                expected = self.types(text + f" --top {ROWS}").out
                for top in (ROWS + 1, 1 << 32, 10**12, (1 << 64) - 1):
                    self.assertEqual(self.types(f"{text} --top {top}").out, expected)

    def test_one_output_file_suffices(self):
        for text in ("search --vectors v.npy --queries q.npy", "index search --index i.knd --queries q.npy"):
            self.types(text + " --out-ids both.npy --out-scores scores.npy")
            for flag, both in (("--out-ids", "both.npy"), ("--out-scores", "scores.npy")):
                self.assertEqual(self.types(f"{text} {flag} one.npy").out, b"")
                self.assertEqual((self.folder / "one.npy").read_bytes(), (self.folder / both).read_bytes())

    def test_format_of_a_file_with_another_name(self):
        raw = b"".join(b"\x02\0\0\0" + (self.folder / "v.npy").read_bytes()[128 + 8 * i:136 + 8 * i] for i in range(ROWS))
        (self.folder / "v.data").write_bytes(raw)
        expected = self.types("search --vectors v.npy --queries q.npy").out
        self.assertEqual(self.types("search --vectors v.data --format fvecs --queries q.npy").out, expected)
        self.types("index build --vectors v.data --format fvecs --out i2.knd")
        self.assertEqual((self.folder / "i2.knd").read_bytes(), (self.folder / "i.knd").read_bytes())

    def test_edge_lists(self):
        answer = self.types("spread --graph e.tsv --sources s.jsonl")
        self.assertIn("e.tsv:1: skipped as a header: 'from\\x09to\\x09weight' (--no-header reads it as an edge)", answer.err)
        self.assertEqual([name for name, _ in answer.lines()[0]["activations"]], ["a", "b", "c"])
        self.file("plain.txt", "a b\nb c\n")
        self.file("ones.txt", "a b 1\nb c 1\n")
        for flags in ("", " --mode linear"):
            self.assertEqual(self.types("spread --graph plain.txt --sources s.jsonl" + flags).out, self.types("spread --graph ones.txt --sources s.jsonl" + flags).out)
        self.assertEqual(self.types("spread --graph e.tsv --sources s.jsonl --weights none").out, self.types("spread --graph ones.txt --sources s.jsonl").out)
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
        search = "search --vectors v.npy --queries q.npy"
        expected = self.types(search + " --top 1 --metric ip").out
        self.assertNotEqual(self.types(search).out, expected, "the file in the working directory is not read")
        for text, settings in ((f"--config kindred.toml {search}", {}), (f"{search} --config kindred.toml", {}), (search, {"KINDRED_CONFIG": "kindred.toml"})):
            result = self.types(text, settings=settings)
            self.assertEqual(result.out, expected)
            self.assertEqual(result.err, "")
        self.assertEqual(self.types(f"--config kindred.toml {search} --top 2").out, self.types(search + " --top 2 --metric ip").out)
        self.assertEqual(self.types("--config kindred.toml index search --index i.knd --queries q.npy").out, self.types("index search --index i.knd --queries q.npy -k 2").out)
        self.refuses(2, ("none.toml",), "info", settings={"KINDRED_CONFIG": "none.toml"}, cwd=self.folder)

    def test_colours(self):
        self.assertIn("\x1b[1;31merror:", harness.run("--color", "always", "fly").err)
        self.assertIn("\x1b[1;31merror:", harness.run("fly", "--color=always").err)
        self.assertNotIn("\x1b", harness.run("fly").err, "stderr is not a terminal")
        self.assertIn(b"\x1b[1m", harness.run("--color", "always", "--help").out)
        self.assertNotIn(b"\x1b", harness.run("--help").out)
        self.assertNotIn(b"\x1b", harness.run("info", "--color", "always", "--json").out)

    def test_times_are_in_words(self):
        err = self.types("search --vectors v.npy --queries q.npy --space serial").err
        self.assertRegex(err, r"kindred: info: search: read \d+ .?s, prepare \d+ .?s, compute \d+ .?s on 1 CPU thread \(as requested\)\n$")

    def test_completion_scripts_are_valid(self):
        for shell in ("bash", "zsh", "fish"):
            script = self.types(f"completion {shell}").out
            for word in (b"search", b"queries", b"build"):
                self.assertIn(word, script)
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
        page = self.types("man graph build").out.decode()
        for word in (".TH KINDRED", ".SH SYNOPSIS", "\\-\\-undirected"):
            self.assertIn(word, page)
        self.types("man --out pages")
        names = sorted(path.name for path in (self.folder / "pages").iterdir())
        for name in ("kindred.1", "kindred-search.1", "kindred-graph-build.1"):
            self.assertIn(name, names)


if __name__ == "__main__":
    unittest.main()
