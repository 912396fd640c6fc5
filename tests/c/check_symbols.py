#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what libkindred_c.so exports and needs. Usage: check_symbols.py LIBRARY SOURCE NM READELF

It exports the functions of kindred.h and the entry for other libraries, and nothing else."""
import re
import subprocess
import sys
from pathlib import Path

NODE = "KINDRED_C_0"  # of bindings/c/libkindred_c.map
ENTRY = "kindred_c_functions"
MAY_NEED = re.compile(r"(libstdc\+\+|libgcc_s|libgomp|libm|libc|ld-linux\S*|libdnnl|libopenblas|libdl|libpthread)\.so")


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def main(library, source, nm, readelf):
    header = Path(source, "bindings/c/include/kindred.h").read_text(encoding="utf-8")
    declared = {f"{name}@@{NODE}" for name in re.findall(r"^KINDRED_API\s[\w*\s]*?(kindred_\w+)\(", header, re.M)} | {f"{ENTRY}@@{NODE}"}
    lines = output_of(nm, "-D", "--defined-only", "--with-symbol-versions", library).splitlines()
    exported = {line.split()[-1] for line in lines if " A " not in line}
    breaches = [f"{symbol} is exported, but kindred.h does not declare it" for symbol in sorted(exported - declared)]
    breaches += [f"{symbol} is declared by kindred.h, but not exported" for symbol in sorted(declared - exported)]
    dynamic = output_of(readelf, "-dW", library)
    breaches += [f"{name} is needed" for name in re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic) if not MAY_NEED.match(name)]
    if not re.search(r"\(SONAME\).*\[libkindred_c\.so\.\d+\]", dynamic):
        breaches.append("it has no SONAME")
    for breach in breaches:
        print(breach)
    print(f"{len(exported)} exported symbols, {len(breaches)} breaches")
    return 1 if breaches or not exported else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
