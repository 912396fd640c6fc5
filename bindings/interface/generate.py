#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the interfaces of C and Python from the descriptions beside this file."""
import argparse
import re
import subprocess
import sys
from pathlib import Path

import c
import python
from read import Reader

HERE = Path(__file__).resolve().parent
DESCRIPTIONS = ("common", "vector", "hnsw", "graph")  # each uses what those before it define
IN_PYTHON = ()  # of which the extension and the package are written, too
C_INCLUDES = ("Arguments.hpp", "Results.hpp", "Strings.hpp")
NATIVE_INCLUDES = ("Arrays.hpp", "Calls.hpp", "Context.hpp", "Engines.hpp", "Errors.hpp", "Options.hpp", "Results.hpp", "VectorArguments.hpp",
                   "VectorIndexHandle.hpp")
IMPORTS = """from typing import Any

import numpy as np
from numpy.typing import NDArray

from pykindred import _kindred
from pykindred._bytes import in_pickle
from pykindred._closing import Closing
from pykindred._context import Context, native
from pykindred._results import Ragged
from pykindred._types import Array, Bytes, Ids, StrPath, Stream
from pykindred.errors import InvalidArgument"""


def interfaces(folder=HERE / "descriptions"):
    return dict(zip(DESCRIPTIONS, Reader(Path(folder, f"{name}.py") for name in DESCRIPTIONS).interfaces, strict=True))


def files(described):
    """The text of every file that the build makes, by its path."""
    found = {}
    for name, interface in described.items():
        if interface.handles:
            found[f"c/{name.capitalize()}.cpp"] = c.glue(interface, [*C_INCLUDES, f"{name.capitalize()}.hpp"])
        if name in IN_PYTHON:
            found[f"python/{name.capitalize()}.cpp"] = "\n".join(python.glue(interface, handle, NATIVE_INCLUDES, f"{handle.name}Bodies.hpp")
                                                                for handle in interface.handles.values())
            found[f"pykindred/_{name}.py"] = python.module(interface, IMPORTS)
    return found


def outputs():
    """The paths of these files, which CMake asks for without reading the descriptions."""
    return [f"c/{name.capitalize()}.cpp" for name in DESCRIPTIONS if name != "common"] + [
        path for name in IN_PYTHON for path in (f"python/{name.capitalize()}.cpp", f"pykindred/_{name}.py")]


def with_sections(described, header):
    """The header, in which the sections that are described are generated. clang-format formats it."""
    for interface in described.values():
        if interface.handles:
            start = header.find(c.title(interface))
            if start < 0:
                raise SystemExit(f"the header has no section {c.title(interface)}")
            end = header.find("/* ---- ", start + 1)
            header = header[:start] + c.header(interface) + header[end if end > 0 else header.index("#ifdef __cplusplus", start):]
    return header


def compact(text):
    """A text without the line breaks and blanks that clang-format chooses."""
    return re.sub(r"\s+", "", re.sub(r"\\\n|^\s*\*(?!/)", "", text, flags=re.M))


def main(*arguments):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", help="write the files of the build there")
    parser.add_argument("--outputs", action="store_true", help="print the paths of these files")
    parser.add_argument("--header", type=Path, metavar="FILE", help="write the described sections of kindred.h, and format it")
    given = parser.parse_args(arguments)
    if given.outputs:
        print(";".join(outputs()), end="")
    if given.header:
        given.header.write_text(with_sections(interfaces(), given.header.read_text(encoding="utf-8")), encoding="utf-8")
        subprocess.run(["clang-format", "-i", given.header], check=True)
    for name, text in files(interfaces()).items() if given.folder else ():
        path = Path(given.folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
