# SPDX-License-Identifier: Apache-2.0
"""MkDocs: the reference of the C interface, from the comments and declarations of kindred.h."""
import re
import sys
from pathlib import Path

C_INTERFACE = Path(__file__).resolve().parents[2] / "bindings/c"
sys.path.insert(0, str(C_INTERFACE))

from make_functions import functions_of  # noqa: E402

COMMENT = re.compile(r"/\*\*(.*?)\*/\n", re.S)
SECTION = re.compile(r"^/\* ---- (.*?) ---- \*/$", re.M)


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
             "Every function and struct of `kindred.h`. [The guide](guide/c.md) explains how programs use them.", "",
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
            raise SystemExit(f"kindred.h: {function.name} has no comment")
        entries.append((function.start, [f"### `{function.name}`", "", "```c", function.declaration(), "```", ""] + words_of(comment) + [""]))
    for match in re.finditer(r"^typedef (?:struct|enum)(?: \w+)? \{\n(.*?)^\} (\w+);", header, re.M | re.S):
        comment = comments.get(match.start())
        if match[2].startswith("kindred_"):
            if comment is None:
                raise SystemExit(f"kindred.h: {match[2]} has no comment")
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


def on_files(files, config):
    from mkdocs.structure.files import File

    header = (C_INTERFACE / "include/kindred.h").read_text(encoding="utf-8")
    files.append(File.generated(config, "c-reference.md", content=page_of(header)))
    return files
