#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a program and compares its output with a file. Usage: check_output.py FILE PROGRAM."""
import subprocess
import sys

expected = open(sys.argv[1], encoding="utf-8").read()
printed = subprocess.run(sys.argv[2:], stdout=subprocess.PIPE, text=True, check=True).stdout
if printed != expected:
    sys.exit(f"printed:\n{printed}expected:\n{expected}")
