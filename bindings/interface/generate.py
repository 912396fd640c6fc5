#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the interfaces of C and Python from the descriptions beside this file.

Usage: generate.py FOLDER | --check HEADER; --check compares the declarations, without their comments and line breaks, with those of kindred.h.
"""
import re
import sys
from pathlib import Path

import c
import python
from read import Reader

HERE = Path(__file__).resolve().parent
DESCRIPTIONS = ("common", "vector", "hnsw", "graph")  # each uses what those before it define
IN_PYTHON = ("vector",)  # of which the extension and the package are written, too
C_INCLUDES = ("Arguments.hpp", "Results.hpp", "Strings.hpp")
NATIVE_INCLUDES = ("Arrays.hpp", "Calls.hpp", "Context.hpp", "Engines.hpp", "Errors.hpp", "Options.hpp", "Results.hpp", "VectorArguments.hpp",
                   "VectorIndexHandle.hpp")
IMPORTS = """from typing import Any

import numpy as np
from numpy.typing import NDArray

from pykindred import _kindred
from pykindred._bytes import in_pickle, restored
from pykindred._closing import Closing
from pykindred._context import Context, native
from pykindred._results import Ragged
from pykindred._types import Array, Bytes, Ids, StrPath, Stream
from pykindred.errors import InvalidArgument"""


def interfaces(folder=HERE / "descriptions"):
    return dict(zip(DESCRIPTIONS, Reader(Path(folder, f"{name}.py") for name in DESCRIPTIONS).interfaces, strict=True))


def files(described):
    """The text of every file, by its path."""
    found = {}
    for name, interface in described.items():
        if not interface.handles:
            continue
        found[f"include/{name}.h"] = c.header(interface)
        found[f"c/{name}.cpp"] = c.glue(interface, [*C_INCLUDES, f"{name.capitalize()}.hpp"])
        if name in IN_PYTHON:
            for handle in interface.handles.values():
                found[f"python/{handle.name}.cpp"] = python.glue(interface, handle, NATIVE_INCLUDES, f"{handle.name}Bodies.hpp")
            found[f"pykindred/_{name}.py"] = python.module(interface, IMPORTS)
            found[f"pykindred/_{name}.pyi"] = "\n\n".join(map(python.stub_class, interface.handles.values())) + "\n"
    return found


def declarations(header):
    """The declarations of a header, without comments and blanks."""
    text = re.sub(r"/\*.*?\*/", " ", header, flags=re.S).replace("\\\n", " ")
    found = re.findall(r"^KINDRED_API .*?;|^typedef struct \w+ \{.*?^\} \w+;|^#define \w+_INIT [^\n]*|^enum \{.*?\};", text, re.M | re.S)
    return [re.sub(r"\s+", " ", one) for one in found]


def missing(described, header):
    """The declarations that the header does not have."""
    known = {one.replace(" ", "") for one in declarations(header)}
    return [one for interface in described.values() for one in declarations(c.header(interface)) if one.replace(" ", "") not in known]


def main(folder, header=None):
    described = interfaces()
    if folder == "--check":
        wrong = missing(described, Path(header).read_text(encoding="utf-8"))
        print("".join(f"{header} has not: {one}\n" for one in wrong), end="")
        return 1 if wrong else 0
    for name, text in files(described).items():
        path = Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
