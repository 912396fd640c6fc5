# SPDX-License-Identifier: Apache-2.0
"""`kindred match` on text as people have it: lines, columns of tables, compressed files, case and normal forms; and its
formats of output."""
import csv
import io
import json
import unicodedata

import compressed
import harness

COMPANIES = ["First Glonn", "Second, \"the\" Company", "Müller & Söhne", "STRASSE", "多行\ncompany", "e\u0301clair", "", "Ⅳ ﬁrst"]
ASKED = ["Fist Glno", "second the company", "muller sohne", "straße", "多行", "ÉCLAIR", "iv first"]


def table(texts, separator, column="company"):
    out = io.StringIO()
    writer = csv.writer(out, delimiter=separator, lineterminator="\r\n")
    writer.writerow(["id", column, "note"])
    for i, text in enumerate(texts):
        writer.writerow([i, text, "a, b" if i % 2 else ""])
    return out.getvalue().encode()


def similarity(pattern, query):
    """Of the longest common subsequence."""
    row = [0] * (len(query) + 1)
    for a in pattern:
        before = row
        row = [0]
        for j, b in enumerate(query):
            row.append(before[j] + 1 if a == b else max(before[j + 1], row[j]))
    total = len(pattern) + len(query)
    return 2 * row[-1] / total if total else 0


def expected(patterns, queries, fold=lambda text: text, top=3, threshold=0.1):
    out = []
    for query in queries:
        scored = [(similarity(fold(pattern), fold(query)), -i) for i, pattern in enumerate(patterns)]
        best = sorted((pair for pair in scored if pair[0] >= threshold), reverse=True)[:top]
        out.append((query, [(patterns[-i], -i, score) for score, i in best]))
    return out


def found(result):
    return [(line["query"], [(hit["name"], hit["index"], hit["similarity"]) for hit in line["results"]]) for line in result.lines()]


class MatchText(harness.CommandTest):
    def tables(self, end="csv", separator=",", encode=bytes):
        return [self.file(f"{name}.{end}", encode(table(texts, separator))) for name, texts in (("patterns", COMPANIES), ("queries", ASKED))]

    def test_lines_are_named_by_their_text(self):
        patterns, queries = [self.file(name, "".join(text.replace("\n", " ") + "\n" for text in texts)) for name, texts in (("p.txt", COMPANIES), ("q.txt", ASKED))]
        result = self.succeeds("match", "--lines", patterns, "--queries", queries, "-k", 3)
        self.assertEqual(found(result), expected([text.replace("\n", " ") for text in COMPANIES], ASKED))
        for line in result.lines():
            self.assertEqual(list(line), ["query", "results"])
            for hit in line["results"]:
                self.assertEqual(list(hit), ["name", "index", "similarity", "matched"])
        pairs = self.succeeds("match", "--lines", patterns, "--self", "--threshold", 0.3).lines()
        self.assertEqual([pair["query"] for pair in pairs], [text.replace("\n", " ") for text in COMPANIES])

    def test_a_column_of_a_table(self):
        for end, separator in (("csv", ","), ("tsv", "\t"), ("tab", "\t")):
            with self.subTest(end):
                patterns, queries = self.tables(end, separator)
                for flag in ("--patterns", "--lines"):
                    result = self.succeeds("match", flag, patterns, "--queries", queries, "--column", "company", "--top", 3)
                    self.assertEqual(found(result), expected(COMPANIES, ASKED))

    def test_columns_with_different_names(self):
        patterns, queries = self.tables()[0], self.file("q.csv", table(ASKED, ",", "firm"))
        match = ("match", "--patterns", patterns, "--queries", queries, "--column", "company")
        self.assertEqual(found(self.succeeds(*match, "--query-column", "firm", "-k3")), expected(COMPANIES, ASKED))

    def test_queries_that_are_no_table_are_lines(self):
        patterns, queries = self.tables()
        match = ("match", "--patterns", patterns, "--column", "company", "--top", 3, "--queries")
        texts = [text for text in ASKED if "\n" not in text]
        lines = self.file("asked.txt", "".join(text + "\n" for text in texts))
        for flags in ((), ("--ignore-case",)):
            result = self.succeeds(*match, lines, *flags)
            self.assertEqual(found(result), expected(COMPANIES, texts, str.casefold if flags else str))
            self.assertIn("asked.txt is no table with a column 'company': every line is a query", result.err)
        by_number = self.succeeds("match", "--patterns", patterns, "--column", 2, "-k3", "--queries", lines)
        self.assertEqual(by_number.out, self.succeeds(*match, lines).out)
        want = self.succeeds(*match, queries)
        unnamed = self.file("asked", queries.read_bytes())
        self.assertEqual(self.succeeds(*match, unnamed).out, want.out, "its first line names the column")
        self.assertEqual(self.succeeds(*match, unnamed, "--query-column", 2).out, want.out)
        self.assertNotIn("every line", want.err)
        self.refuses(3, ("there is no column 'firm'",), *match, lines, "--query-column", "firm")
        self.refuses(3, ("there is no column 'company'",), *match, "-", stdin=lines.read_bytes())

    def test_tables_as_programs_write_them(self):
        patterns, queries = self.tables()
        match = ("match", "--patterns", patterns, "--column", "company", "--top", 3, "--queries")
        want = self.succeeds(*match, queries).out
        lines = table(ASKED, ",").splitlines(keepends=True)
        for name, text in (("empty lines", b"\r\n".join(lines) + b"\r\n\n"), ("without the last end", b"".join(lines).removesuffix(b"\r\n")),
                           ("Unix", b"".join(lines).replace(b"\r\n", b"\n")), ("byte order mark", b"\xef\xbb\xbf" + b"".join(lines))):
            with self.subTest(name):
                self.assertEqual(self.succeeds(*match, self.file("q.csv", text)).out, want)
                self.assertEqual(self.succeeds(*match, "-", stdin=text).out, want)
        self.assertEqual(self.succeeds(*match, queries, "--query-column", "2").out, want)
        self.assertEqual(self.succeeds("match", "--patterns", patterns, "--column", "2", "--top", 3, "--queries", queries).out, want)
        twice = self.file("twice.csv", b"company,company\na,b\n")
        self.assertEqual([line["query"] for line in self.succeeds(*match, twice, "--query-column", 2).lines()], ["b"])

    def test_compressed_files(self):
        plain = self.tables()
        want = self.succeeds("match", "--patterns", plain[0], "--queries", plain[1], "--column", "company").out
        for end, encode in compressed.FORMS.items():
            with self.subTest(end):
                patterns, queries = self.tables(f"csv.{end}", ",", encode)
                flags = ("match", "--patterns", patterns, "--column", "company", "--queries")
                self.assertEqual(self.succeeds(*flags, queries).out, want)
                self.assertEqual(self.succeeds(*flags, "-", stdin=queries.read_bytes()).out, want)
                cut = self.file("cut", queries.read_bytes()[:-3])
                self.refuses(3, (cut, "ends too early"), *flags, cut)
                records = self.file("r.jsonl", encode(b'{"tokens": ["a", "b"]}\n' * 100))
                self.assertEqual(len(self.succeeds("match", "--patterns", records, "--queries", records, "--top", 1).lines()), 100)
                edges = self.file("e.tsv", encode(b"a b 0.5\nb c 1\n"))
                sources = self.file("s.jsonl", encode(b'{"sources": [["a", 1]]}\n'))
                self.assertEqual(len(self.succeeds("spread", "--graph", edges, "--sources", sources).lines()), 1)

    def test_case_and_normal_forms(self):
        patterns, queries = self.tables()

        def normal(form):
            return lambda text: unicodedata.normalize(form, text)
        for flags, fold in ((("--ignore-case",), str.casefold), (("--normalize", "nfc"), normal("NFC")), (("--normalize", "nfkc"), normal("NFKC")),
                            (("--ignore-case", "--normalize", "nfc"), lambda text: normal("NFC")(normal("NFD")(text).casefold())),
                            (("--ignore-case", "--normalize", "nfkc"), lambda text: normal("NFKC")(normal("NFKD")(text).casefold()))):
            with self.subTest(flags):
                result = self.succeeds("match", "--patterns", patterns, "--queries", queries, "--column", "company", "--top", 3, *flags)
                self.assertEqual(found(result), expected(COMPANIES, ASKED, fold))
        records = self.file("r.jsonl", [{"name": "Ä", "tokens": ["ÄB", "c"]}])
        asked = self.file("a.jsonl", [{"name": "q", "tokens": ["äb", "C"]}])
        hits = self.succeeds("match", "--patterns", records, "--queries", asked, "--level", "character", "--ignore-case").lines()[0]["results"]
        self.assertEqual([(hit["name"], hit["similarity"]) for hit in hits], [("Ä", 1.0)])

    def test_the_level_of_single_strings(self):
        patterns = self.file("p.jsonl", [{"name": text, "tokens": [text]} for text in COMPANIES] + [{"events": []}])
        queries = self.file("q.jsonl", [{"name": text, "events": [[text]]} for text in ASKED])
        match = ("match", "--patterns", patterns, "--queries")
        result = self.succeeds(*match, queries, "--top", 3)
        self.assertEqual(found(result), expected(COMPANIES, ASKED))
        self.assertIn("--level character", result.err)
        self.assertEqual(self.succeeds(*match, queries, "--top", 3, "--level", "character").out, result.out)
        tokens = self.succeeds(*match, queries, "--level", "token")
        self.assertEqual([line["results"] for line in tokens.lines()], [[]] * len(ASKED))
        self.assertIn("none of the 7 queries has a result", tokens.err)
        self.assertEqual(self.succeeds(*match, "-", "--top", 3, "--level", "character", stdin=queries.read_bytes()).out, result.out)
        several = self.file("r.jsonl", [{"tokens": [COMPANIES[0], "x"]}])
        self.assertEqual([hit["matched"] for hit in self.succeeds(*match, several).lines()[0]["results"]], [1])
        pairs = self.succeeds("match", "--patterns", patterns, "--self", "--threshold", 0.3)
        self.assertEqual(pairs.out, self.succeeds("match", "--patterns", patterns, "--self", "--threshold", 0.3, "--level", "character").out)

    def test_formats(self):
        patterns, queries = self.tables()
        match = ("match", "--patterns", patterns, "--queries", queries, "--column", "company", "--threshold", 0.4, "--blocks")
        lines = self.succeeds(*match).lines()
        rows = []
        for line in lines:
            for hit in line["results"]:
                rows.append([line["query"], hit["name"], str(hit["index"]), repr(hit["similarity"]), str(hit["matched"]), json.dumps(hit["blocks"])])
            if not line["results"]:
                rows.append([line["query"]] + [""] * 5)
        self.assertTrue(any(row[1] == "" for row in rows))
        header = ["query", "name", "index", "similarity", "matched", "blocks"]
        for name, separator in (("csv", ","), ("tsv", "\t")):
            text = self.succeeds(*match, "--format", name).out.decode()
            self.assertEqual(list(csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)), [header, *rows])
            matched = self.succeeds(*match, "--format", name, "--matched-only").out.decode()
            self.assertEqual(list(csv.reader(io.StringIO(matched, newline=""), delimiter=separator)), [header] + [row for row in rows if row[1]])
            piped = self.succeeds(*match[:4], "-", *match[5:], "--format", name, stdin=queries.read_bytes()).out.decode()
            self.assertEqual(piped, text)
        shown = self.succeeds(*match, "--format", "table").out.decode().splitlines()
        self.assertEqual(len(shown), len(rows) + 1)
        self.assertEqual(shown[0].split(), header)
        self.assertEqual([line for line in shown if line != line.rstrip()], [])

    def test_matched_only(self):
        patterns = self.file("p.txt", "abc\n")
        queries = self.file("q.txt", "abd\nzzz\nc\n")
        lines = self.succeeds("match", "--lines", patterns, "--queries", queries, "--matched-only").lines()
        self.assertEqual([line["query"] for line in lines], ["abd", "c"])
        none = self.succeeds("match", "--lines", patterns, "--queries", queries, "--matched-only", "--threshold", 1)
        self.assertEqual(none.out, b"")
        self.assertIn("none of the 3 queries", none.err)
