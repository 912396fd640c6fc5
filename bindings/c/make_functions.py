#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what follows from bindings/c/include/kindred.h: the page of the reference, docs/c-reference.md, or the list of functions that the
build includes. Usage: make_functions.py ROOT [--check | --list FILE]; --check writes nothing, and fails if the page is out of date."""
import re
import sys
from pathlib import Path

HEADER = "bindings/c/include/kindred.h"
PAGE = "docs/c-reference.md"
# The function that chooses the library which serves a context and all that is created from it.
CHOOSES = "kindred_context_create"

FUNCTION = re.compile(r"^KINDRED_API ((?:const )?\w+\*? ?\*?)\s*(kindred_\w+)\(([^)]*)\)\s*KINDRED_NOEXCEPT;", re.M)
HANDLE = re.compile(r"^typedef struct (kindred_\w+)\s+\1;", re.M)
COMMENT = re.compile(r"/\*\*(.*?)\*/\n", re.S)
SECTION = re.compile(r"^/\* ---- (.*?) ---- \*/$", re.M)


class Parameter:
    def __init__(self, text):
        self.optional = text.startswith("KINDRED_OPTIONAL ")
        text = text.removeprefix("KINDRED_OPTIONAL ")
        match = re.fullmatch(r"(.*?)(\w+)", text)
        self.type, self.name = match[1].strip(), match[2]

    def kind(self):
        """p: a pointer; o: one that may be NULL; v: a value."""
        return "v" if not self.type.endswith(("*", "_callback")) else "o" if self.optional else "p"


class Function:
    def __init__(self, match):
        self.type, self.name = match[1].strip(), match[2]
        text = " ".join(match[3].split())
        self.parameters = [] if text == "void" else [Parameter(part.strip()) for part in text.split(",")]
        self.start = match.start()

    def handle(self, handles):
        """The first argument that is a handle, which knows who serves it."""
        for parameter in self.parameters:
            if parameter.name == "handle" or re.fullmatch(r"(?:const )?(\w+)\*", parameter.type) and parameter.type.removeprefix("const ")[:-1] in handles:
                return parameter.name
        return "nullptr"

    def declaration(self):
        inside = ", ".join(("KINDRED_OPTIONAL " if p.optional else "") + f"{p.type} {p.name}" for p in self.parameters) or "void"
        return f"{self.type} {self.name}({inside});"


def functions_of(header):
    return [Function(match) for match in FUNCTION.finditer(header)]


def list_of(header):
    handles = set(HANDLE.findall(header))
    lines = ["// SPDX-License-Identifier: Apache-2.0",
             "// Every function of kindred.h. Generated from it by bindings/c/make_functions.py.",
             "// KINDRED_C_FUNCTION(type, name, (parameters), (arguments), handle that chooses who serves the call, kinds of the parameters)",
             "// Kinds: p a pointer, o a pointer that may be NULL, v a value."]
    for function in functions_of(header):
        macro = "KINDRED_C_CHOOSING_FUNCTION" if function.name == CHOOSES else "KINDRED_C_FUNCTION"
        parameters = ", ".join(f"{p.type} {p.name}" for p in function.parameters)
        names = ", ".join(p.name for p in function.parameters)
        lines.append(f"{macro}({function.type}, {function.name}, ({parameters}), ({names}), {function.handle(handles)}, "
                     f'"{"".join(p.kind() for p in function.parameters)}")')
    return "\n".join(lines) + "\n"


def words_of(comment):
    """The lines of a comment, as one paragraph and a list of its parameters."""
    text = " ".join(line.strip().removeprefix("*").strip() for line in comment.strip().splitlines())
    first, *parameters = re.split(r"\s*@param ", text)
    lines = [escaped(first)] if first else []
    for parameter in parameters:
        name, _, what = parameter.partition(" ")
        lines.append(f"- `{name}`: {escaped(what)}")
    return lines


def escaped(text):
    return re.sub(r"(?<!`)\b(\w*_\w+\*?|KINDRED_[A-Z_]+)(?!`)(?![^`]*`(?:[^`]*`[^`]*`)*[^`]*$)", r"`\1`", text).replace("<", "&lt;")


def page_of(header):
    lines = ["# Reference of the C interface", "",
             "Generated from `kindred.h` by `bindings/c/make_functions.py`. [The guide](guide/c.md) explains how programs use it.", "",
             "## Conventions", ""]
    top = header[header.index(" * - "):header.index(" */\n#ifndef KINDRED_H")]
    items = re.split(r"^ \* - ", top, flags=re.M)[1:]
    lines += ["- " + " ".join(line.strip().removeprefix("*").strip() for line in item.splitlines()).replace("`*_", "`…_") for item in items]
    sections = [(match.start(), match[1]) for match in SECTION.finditer(header)]
    comments = {match.end(): match[1] for match in COMMENT.finditer(header)}
    entries = []  # position, lines
    for function in functions_of(header):
        comment = comments.get(function.start)
        if comment is None:
            raise SystemExit(f"{HEADER}: {function.name} has no comment")
        entries.append((function.start, [f"### `{function.name}`", "", "```c", function.declaration(), "```", ""] + words_of(comment) + [""]))
    for match in re.finditer(r"^typedef (?:struct|enum)(?: \w+)? \{\n(.*?)^\} (\w+);", header, re.M | re.S):
        comment = comments.get(match.start())
        if match[2].startswith("kindred_"):
            if comment is None:
                raise SystemExit(f"{HEADER}: {match[2]} has no comment")
            entries.append((match.start(), [f"### `{match[2]}`", ""] + words_of(comment) + ["", "```c", match[0].rstrip(), "```", ""]))
    for match in re.finditer(r"^typedef int \(\*(\w+)\)\([^;]*;", header, re.M):
        entries.append((match.start(), [f"### `{match[1]}`", ""] + words_of(comments[match.start()]) + ["", "```c", match[0], "```", ""]))
    entries.sort(key=lambda entry: entry[0])
    for number, (start, title) in enumerate(sections):
        end = sections[number + 1][0] if number + 1 < len(sections) else len(header)
        inside = [text for at, text in entries if start < at < end]
        if inside:
            lines += ["", f"## {title}", ""]
            for text in inside:
                lines += text
            lines.pop()
    return "\n".join(lines).rstrip() + "\n"


def main(root, *options):
    header = Path(root, HEADER).read_text(encoding="utf-8")
    declared = len(re.findall(r"^KINDRED_API\b", header, re.M))
    if declared != len(functions_of(header)):
        raise SystemExit(f"{HEADER} declares {declared} functions, of which {len(functions_of(header))} were understood")
    if options[:1] == ("--list",):
        Path(options[1]).write_text(list_of(header), encoding="utf-8")
    elif options != ("--check",):
        Path(root, PAGE).write_text(page_of(header), encoding="utf-8")
    elif Path(root, PAGE).read_text(encoding="utf-8") != page_of(header):
        print(f"{PAGE} is out of date: run bindings/c/make_functions.py .")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
