#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the lists of public names into pykindred/__init__.py, from the modules that define them."""
import re
import sys
import textwrap
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "interface"))

import generate  # noqa: E402

PACKAGE = HERE / "pykindred"
BY_HAND = ("_pattern_types", "_prepared", "_results", "errors")  # with those of the descriptions, the modules whose names are public
MODULES = ("difflib", "distance", "errors", "fuzz", "process")  # that are public themselves
WITHIN = ("native", "record_of")  # functions of the package alone
WIDTH = 140
BEGIN, END = "# Written by bindings/python/make_names.py: do not edit.\n", "# The end of what is written.\n"


def homes():
    """The public names of each module."""
    texts = {name: (PACKAGE / f"{name}.py").read_text(encoding="utf-8") for name in BY_HAND}
    texts |= {Path(name).stem: text for name, text in generate.files(generate.interfaces()).items() if re.fullmatch(r"pykindred/\w+\.py", name)}
    return {module: sorted({*re.findall(r"^(?:class|def) ([A-Za-z]\w*)", text, re.M)} - {*WITHIN}) for module, text in sorted(texts.items())}


def filled(begin, items, brackets, indent):
    """A line of code, or several; round brackets only where there are several."""
    text = f"{begin}{brackets[0]}{', '.join(items)}{brackets[1]}"
    if len(text) > WIDTH:
        return textwrap.fill(text, WIDTH, subsequent_indent=" " * indent, break_long_words=False)
    return text if brackets != "()" else begin + ", ".join(items)


def quoted(names):
    return [f'"{name}"' for name in names]


def lists(found):
    public = sorted([*(name for names in found.values() for name in names), *(name for name in MODULES if name != "errors"), "__version__", "library"])
    return "\n".join([
        "if TYPE_CHECKING:", f"    from pykindred import {', '.join(MODULES)}",
        *(filled(f"    from pykindred.{module} import ", names, "()", 8) for module, names in found.items()), "",
        filled("__all__ = ", quoted(public), "[]", 4), "",
        "# Where these names are; the import statements above are for type checkers.",
        filled("_homes = ", [f'"{name}":\u00a0"{module}"' for module, names in found.items() for name in names], "{}", 4).replace("\u00a0", " "),
        f"_submodules = ({', '.join(quoted(MODULES))})", ""])


def written(text):
    """The text of __init__.py with the names that are public now."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    return before + begin + lists(homes()) + end + after


if __name__ == "__main__":
    file = PACKAGE / "__init__.py"
    file.write_text(written(file.read_text(encoding="utf-8")), encoding="utf-8")
