#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the documents: links and anchors have targets, programs are the examples that are
compiled, cited records exist, and paths of documents in the sources and of files in the documents exist.
Usage: check_docs.py ROOT [--write] [--command KINDRED]; --write copies programs, their output and other files into the pages.
--command runs the commands in the pages and checks, or with --write replaces, what they print."""
import argparse
import fnmatch
import re
import sys
from pathlib import Path

from commands import block_breaches, output_breaches, with_outputs

C_REFERENCE = "c-reference.md"  # only in the site, which is generated from kindred.h
FENCE = re.compile(r"^ {0,3}(```|~~~)")
LINK = re.compile(r"\]\(([^)\s]+)\)")
# An example in a page: its program and its output.
EXAMPLE = re.compile(r"<!-- example: (\w+) -->\n```cpp\n(.*?)```\n(.*?)```text\n(.*?)```\n", re.S)
# A file in a page.
COPY = re.compile(r"<!-- file: (\S+) -->\n```(\w+)\n(.*?)```\n", re.S)
RECORD = re.compile(r"perf/results/([\w*.-]+\.jsonl)")
DOCUMENT = re.compile(r"\bdocs/[\w/-]+\.md\b")
# A path from the root in the text of a page; `core/…` may leave out include/kindred/. <Engine> and … stand for anything.
FILE = re.compile(r"(?:core|memory|backends|matcher|tools|perf|examples|tests|docs)/\S*")


def slug(heading):
    """The anchor of a heading, as Git forges and the site (pymdownx.slugs) generate it."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").replace("*", "")
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")


def prose_of(text):
    """The lines outside of code blocks."""
    inside = False
    for line in text.splitlines():
        if FENCE.match(line):
            inside = not inside
        elif not inside:
            yield line


def anchors_of(text):
    return {slug(line.lstrip("#")) for line in prose_of(text) if re.match(r"#{1,6} ", line)}


def link_breaches(page, root, texts):
    for line in prose_of(texts[page]):
        for target in LINK.findall(re.sub(r"`[^`]*`", "", line)):
            if "://" in target or target.startswith("mailto:"):
                continue
            name, _, anchor = target.partition("#")
            path = (page.parent / name).resolve() if name else page
            if path not in texts and not path.exists() and path != root / "docs" / C_REFERENCE:
                yield f"{target} does not exist"
            elif anchor and path in texts and anchor not in anchors_of(texts[path]):
                yield f"{target}: there is no such heading"
            elif root / "docs" in page.parents and root / "docs" not in path.parents:
                yield f"{target} lies outside docs/, where the site does not see it"


def example_files(root, name):
    folder = root / "examples" / name
    return (folder / "Main.cpp").read_text(encoding="utf-8"), (folder / "expected.txt").read_text(encoding="utf-8")


def with_examples(text, root):
    def filled(match):
        program, printed = example_files(root, match[1])
        return f"<!-- example: {match[1]} -->\n```cpp\n{program}```\n{match[3]}```text\n{printed}```\n"
    return EXAMPLE.sub(filled, text)


def with_files(text, root):
    return COPY.sub(lambda match: f"<!-- file: {match[1]} -->\n```{match[2]}\n{(root / match[1]).read_text(encoding='utf-8')}```\n", text)


def example_breaches(text, root):
    """Every C++ block must be an example and show what is compiled and printed."""
    if len(re.findall(r"^```(?:cpp|c\+\+)", text, re.M)) != len(EXAMPLE.findall(text)):
        yield "a block of C++ is not an example with its output (<!-- example: name -->)"
    if with_examples(text, root) != text:
        yield "an example differs from its program or from what that prints: tests/docs/check_docs.py . --write"
    if with_files(text, root) != text:
        yield "a copy differs from its file: tests/docs/check_docs.py . --write"


def path_breaches(text, root):
    """Files and folders that are named, but do not exist."""
    for line in prose_of(text):
        for code in re.findall(r"`([^`]+)`", line):
            for name in filter(FILE.fullmatch, code.split()):
                pattern = re.sub(r"<\w+>|…", "*", name.replace("/…/", "/**/")).rstrip("/")
                if not any(next(root.glob(folder + pattern), None) for folder in ("", "core/include/kindred/")):
                    yield f"{name} does not exist"


def breaches_of(page, root, texts):
    text = texts[page]
    yield from link_breaches(page, root, texts)
    yield from example_breaches(text, root)
    yield from block_breaches(text)
    if page.name != "CHANGELOG.md":
        yield from path_breaches(text, root)
    for pattern in RECORD.findall(text):
        if not fnmatch.filter((path.name for path in (root / "perf/results").iterdir()), pattern):
            yield f"perf/results/{pattern} does not exist"


def source_breaches(root):
    """Comments that name a nonexistent document."""
    for folder in ("backends", "core", "examples", "matcher", "memory", "perf", "tests", "tools"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".hpp", ".cpp", ".py") and path.name != "test_check_docs.py" and "layout" not in path.parts:
                for name in DOCUMENT.findall(path.read_text(encoding="utf-8")):
                    if not (root / name).exists():
                        yield f"{path.relative_to(root)}: {name} does not exist"


def main(root, write, command):
    pages = [root / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")]
    pages += sorted((root / "docs").rglob("*.md"))
    if write:
        for page in pages:
            text = with_files(with_examples(page.read_text(encoding="utf-8"), root), root)
            page.write_text(with_outputs(text, root, command) if command else text, encoding="utf-8")
    texts = {page: page.read_text(encoding="utf-8") for page in pages}
    found = [f"{page.relative_to(root)}: {what}" for page in pages for what in breaches_of(page, root, texts)]
    if command:
        found += [f"{page.relative_to(root)}: {what}" for page in pages for what in output_breaches(texts[page], root, command)]
    found += source_breaches(root)
    shown = {match[1] for text in texts.values() for match in EXAMPLE.finditer(text)}
    found += [f"examples/{folder.name} is in no page" for folder in sorted((root / "examples").iterdir())
              if (folder / "Main.cpp").exists() and folder.name not in shown]
    cited = " ".join(texts.values())
    patterns = RECORD.findall(cited)
    found += [f"perf/results/{path.name} is cited in no page" for path in sorted((root / "perf/results").glob("*.jsonl"))
              if not any(fnmatch.fnmatch(path.name, pattern) for pattern in patterns)]
    print("\n".join(found) or f"{len(pages)} pages are right")
    return 1 if found else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=lambda name: Path(name).resolve())
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--command")
    arguments = parser.parse_args()
    sys.exit(main(arguments.root, arguments.write, arguments.command))
