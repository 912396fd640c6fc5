#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the numbers of the small WordNet again (wndb(5)), after its lines were changed.

A synset's line begins with its place in its file, by which pointers name it. A new line may have
any eight digits that no other line of its file has.
"""
import re
from pathlib import Path

FOLDER = Path(__file__).with_name("wordnet")
FILES = {"n": "data.noun", "v": "data.verb", "a": "data.adj", "r": "data.adv"}


def main():
    lines_of = {kind: Path(FOLDER, file).read_text("ascii").splitlines(keepends=True)
                for kind, file in FILES.items()}
    places = {}
    for kind, lines in lines_of.items():
        for i in range(1, len(lines)):
            places[kind, lines[i][:8]] = f"{len(''.join(lines[:i])):08d}"

    def moved(found):
        return f"{places[found[2], found[1]]} {found[2]}"
    for kind, lines in lines_of.items():
        text = lines[0] + "".join(
            places[kind, line[:8]] + re.sub(r"(\d{8}) ([nvar])(?= \d{4} )", moved, line[8:])
            for line in lines[1:])
        Path(FOLDER, FILES[kind]).write_text(text, "ascii")


if __name__ == "__main__":
    main()
