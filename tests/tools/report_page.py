# SPDX-License-Identifier: Apache-2.0
"""Reads the pages of `--report` as a browser does, and checks that they are well formed."""
from html.parser import HTMLParser

VOID = {"meta", "br", "link", "img", "input", "hr"}


class Table:
    def __init__(self, label):
        self.label = label
        self.head = []
        self.rows = []  # lists of texts, without the headings of groups
        self.groups = []
        self.bars = []  # widths in percent


class Page(HTMLParser):
    """`sections`: ids in order; `facts`: names and values; `tables`; `text`: by section."""

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.open = []
        self.errors = []
        self.tags = set()
        self.sections = []
        self.facts = {}
        self.tables = []
        self.text = {}
        self.command = ""
        self._fact = None
        self._cell = None
        self._label = ""
        self.feed(html)
        self.close()
        if self.open:
            self.errors.append(f"not closed: {self.open}")

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.tags.add(tag)
        if tag in VOID:
            return
        self.open.append(tag)
        if tag == "section":
            self.sections.append(attrs["id"])
        elif "aria-label" in attrs:
            self._label = attrs["aria-label"]
        if tag == "table":
            self.tables.append(Table(self._label))
        elif tag in ("dt", "dd"):
            self._fact = (tag, "")
        elif tag in ("td", "th") and self.tables:
            self._cell = ""
        elif tag == "tr" and self.tables:
            self.tables[-1].rows.append([])
            self.tables[-1].is_group = attrs.get("class") == "group"
        elif tag == "i" and "table" in self.open and "width" in attrs.get("style", ""):
            self.tables[-1].bars.append(float(attrs["style"].split(":")[1].rstrip("%")))

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            self.errors.append(f"</{tag}> at {self.getpos()} while {self.open[-3:]} is open")
            return
        self.open.pop()
        if tag == "dt":
            self._name = self._fact[1]
        elif tag == "dd":
            self.facts[self._name] = self._fact[1]
        elif tag in ("td", "th") and self._cell is not None:
            self.tables[-1].rows[-1].append(self._cell)
            self._cell = None
        elif tag == "tr":
            table = self.tables[-1]
            if table.is_group:
                table.groups.append(table.rows.pop()[0])
            elif not table.head and "thead" in self.open:
                table.head = table.rows.pop()

    def handle_data(self, data):
        if self._fact is not None and self.open and self.open[-1] in ("dt", "dd"):
            self._fact = (self._fact[0], self._fact[1] + data)
        if self._cell is not None:
            self._cell += data
        if "pre" in self.open:
            self.command += data
        if self.sections:
            self.text[self.sections[-1]] = self.text.get(self.sections[-1], "") + data

    def table(self, column):
        """The first table with a column of that name."""
        return next(table for table in self.tables if column in table.head)


def read(path):
    return Page(path.read_text(encoding="utf-8"))
