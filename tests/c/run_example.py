#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles a program against libkindred_c.so and compares what it prints. Usage: run_example.py FOLDER INCLUDE LIBRARY COMPILER...

FOLDER contains the program, Main.c or main.rs, and expected.txt."""
import subprocess
import sys
import tempfile
from pathlib import Path


def main(folder, include, library, *compiler):
    folder, libraries = Path(folder), Path(library).parent
    with tempfile.TemporaryDirectory() as made:
        program = Path(made, "program")
        if (folder / "main.rs").exists():
            command = [*compiler, "--edition", "2021", "-D", "warnings", folder / "main.rs", "-L", f"native={libraries}",
                       "-C", f"link-arg=-Wl,-rpath,{libraries}", "-o", program]
        else:
            command = [*compiler, "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I", include, folder / "Main.c", "-L", libraries, "-lkindred_c",
                       f"-Wl,-rpath,{libraries}", "-lm", "-o", program]
        subprocess.run(command, check=True)
        printed = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    expected = (folder / "expected.txt").read_text(encoding="utf-8")
    if printed != expected:
        print(f"expected:\n{expected}\nprinted:\n{printed}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
