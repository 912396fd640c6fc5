#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what libkindred_c.so exports and needs. Usage: check_symbols.py LIBRARY SOURCE NM READELF

It exports the functions of kindred.h and the entry for other libraries, and nothing else."""
import importlib.util
import re
import sys
from pathlib import Path

NODE = "KINDRED_C_0"  # of bindings/c/libkindred_c.map
ENTRY = "kindred_c_functions"
checker = importlib.util.spec_from_file_location("check", Path(__file__).parent.parent / "library/check_symbols.py")
check = importlib.util.module_from_spec(checker)
checker.loader.exec_module(check)


def main(library, source, nm, readelf):
    header = Path(source, "bindings/c/include/kindred.h").read_text(encoding="utf-8")
    declared = {f"{name}@@{NODE}" for name in re.findall(r"^KINDRED_API\s[\w*\s]*?(kindred_\w+)\(", header, re.M)} | {f"{ENTRY}@@{NODE}"}
    exported = set(check.exported_by(library, nm))
    breaches = [f"{symbol} is exported, but kindred.h does not declare it" for symbol in sorted(exported - declared)]
    breaches += [f"{symbol} is declared by kindred.h, but not exported" for symbol in sorted(declared - exported)]
    return check.report(exported, [*breaches, *check.dynamic_breaches(library, readelf)])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
