#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the list of the functions of bindings/c/include/kindred.h that the build includes. Usage: make_functions.py ROOT OUT"""
import re
import sys
from pathlib import Path

HEADER = "bindings/c/include/kindred.h"
# The function that chooses the library which serves a context and all that is created from it.
CHOOSES = "kindred_context_create"

FUNCTION = re.compile(r"^KINDRED_API ((?:const )?\w+\*? ?\*?)\s*(kindred_\w+)\(([^)]*)\)\s*KINDRED_NOEXCEPT;", re.M)
HANDLE = re.compile(r"^typedef struct (kindred_\w+)\s+\1;", re.M)


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


def main(root, out):
    header = Path(root, HEADER).read_text(encoding="utf-8")
    declared = len(re.findall(r"^KINDRED_API\b", header, re.M))
    if declared != len(functions_of(header)):
        raise SystemExit(f"{HEADER} declares {declared} functions, of which {len(functions_of(header))} were understood")
    Path(out).write_text(list_of(header), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
