#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks a built site: its pages load nothing from the network, and whatever they link to or load
exists. Usage: check_site.py FOLDER."""
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

# Attributes through which a page loads something when it is opened.
LOADS = {("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src"), ("object", "data")}
# Links that load nothing.
OTHER_LINKS = {"canonical", "prev", "next", "edit", "alternate", "author", "license"}


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.loads, self.links = [], []

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        for name in given:
            if (tag, name) in LOADS and given[name]:
                self.loads.append(given[name])
        if tag == "link" and given.get("href") and given.get("rel") not in OTHER_LINKS:
            self.loads.append(given["href"])
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])


def is_foreign(target):
    return re.match(r"(https?:)?//", target) is not None


def missing(folder, page, targets):
    for target in targets:
        name = unquote(target.split("#")[0].split("?")[0])
        if not name or re.match(r"[a-z]+:", target):
            continue
        path = (page.parent / name).resolve() if not name.startswith("/") else folder / name[1:]
        if not path.exists():
            yield f"{target} does not exist"


def breaches_of(folder, path):
    if path.suffix == ".css":
        for target in re.findall(r"(?:url\(|@import\s+)[\"']?((?:https?:)?//[^\"')]+)", path.read_text(encoding="utf-8")):
            yield f"loads {target}"
        return
    page = Page()
    page.feed(path.read_text(encoding="utf-8", errors="replace"))
    for target in filter(is_foreign, page.loads):
        yield f"loads {target}"
    # A 404 page is served for any address, so its links start at the root.
    if path.name != "404.html":
        yield from missing(folder, path, [target for target in page.loads + page.links if not is_foreign(target)])


def main(folder):
    pages = sorted(path for path in folder.rglob("*") if path.suffix in (".html", ".css"))
    found = [f"{path.relative_to(folder)}: {what}" for path in pages for what in sorted(set(breaches_of(folder, path)))]
    print("\n".join(found) or f"{len(pages)} files load nothing from the network, and no link is broken")
    return 1 if found or not pages else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
