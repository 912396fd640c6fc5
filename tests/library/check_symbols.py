#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what a shared library exports and needs. Usage: check_symbols.py LIBRARY SOURCE NM READELF

Every exported symbol belongs to a class or function that a public header, or one that the Python package uses, declares: none of
Kokkos, of other libraries, or of the inside of Kindred. SOURCE is the root of the sources."""
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "layout"))
from check_layout import public_headers, tracked

NODE = "KINDRED_0"  # of cmake/libkindred.map
PREFIX = re.compile(r"_Z(?:T[ISVT]|GV)?NK?7Kindred")  # of mangled names, also of type information, tables and guards
MAY_NEED = re.compile(r"(libstdc\+\+|libgcc_s|libgomp|libm|libc|ld-linux\S*|libdnnl|libopenblas|libdl|libpthread)\.so")
REQUIRED = ("_ZTIN7Kindred5ErrorE", "_ZTIN7Kindred11CorruptFileE", "_ZN7Kindred12library_fileB5cxx11Ev")


def names_of(symbol):
    """The names in a mangled name after `Kindred::`, from outside inwards: class, function. None for other namespaces."""
    prefix = PREFIX.match(symbol)
    if not prefix:
        return None
    names, at = [], prefix.end()
    while length := re.match(r"\d+", symbol[at:]):
        at += length.end() + int(length[0])
        names.append(symbol[at - int(length[0]):at])
    return names


def breaches_of(symbols, headers):
    """The violations among mangled symbols, each with its node (`name@@NODE`), given the text of all public headers."""
    words = set(re.findall(r"\w+", headers))
    found = set()
    for symbol in symbols:
        symbol, _, node = symbol.partition("@@")
        found.add(symbol)
        names = names_of(symbol)
        if names is None:
            yield f"{symbol} is exported, but is not of the namespace Kindred"
        elif not all(name in words for name in names[:2]):
            yield f"{symbol} is exported, but no public header declares {'::'.join(names[:2])}"
        elif "State" in names:
            yield f"{symbol} is exported, but belongs to the inside of a class"
        elif node != NODE:
            yield f"{symbol} has the version {node!r}, not {NODE}"
    for symbol in REQUIRED:
        if symbol not in found:
            yield f"{symbol} is not exported"


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def exported_by(library, nm):
    """The exported symbols, each with its node."""
    lines = output_of(nm, "-D", "--defined-only", "--with-symbol-versions", library).splitlines()
    return [line.split()[-1] for line in lines if " A " not in line]


def dynamic_breaches(library, readelf):
    """What a library should not need, and the lack of a SONAME."""
    dynamic = output_of(readelf, "-dW", library)
    yield from (f"{name} is needed" for name in re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic) if not MAY_NEED.match(name))
    if not re.search(r"\(SONAME\).*\[" + Path(library).name.partition(".so")[0] + r"\.so\.\d+\]", dynamic):
        yield "it has no SONAME"


def report(symbols, breaches):
    """The exit status, after the violations were printed."""
    for breach in breaches:
        print(breach)
    print(f"{len(symbols)} exported symbols, {len(breaches)} breaches")
    return 1 if breaches or not symbols else 0


def main(library, source, nm, readelf):
    texts = {path.relative_to(source).as_posix(): path.read_text(encoding="utf-8")
             for path in tracked(source) if path.suffix in (".hpp", ".cpp") and path.exists()}
    symbols = exported_by(library, nm)
    breaches = list(breaches_of(symbols, "".join(texts[path] for path in public_headers(texts, ("tools/", "examples/demo/", "bindings/python/src/")))))
    return report(symbols, [*breaches, *dynamic_breaches(library, readelf)])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
