#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that a program compiled for x86-64-v4 uses the instructions of newer processors only in functions that are called after a check.

Usage: check_isolated.py PROGRAM
"""
import collections
import re
import subprocess
import sys

# AVX-512 VBMI, VBMI2, BITALG, VPOPCNTDQ, VNNI, BF16; GFNI
NEWER = re.compile(r"\s(vpermb|vperm[it]2b|vpmultishiftqb|vpopcnt[bwdq]|vpshufbitqmb|v?gf2p8\w+|vpdp(bu|ws)\w+|vcvtne\w+|vdpbf16ps|vpcompress[bw]|vpexpand[bw]|vpsh[lr]dv?[wdq])\s")
# Also as objdump writes names that it cannot demangle.
ALLOWED = re.compile(r"(ByteLookups|ByteProducts|Bfloat16Rounding)(::call<|4callI)|Arch::(Avx512Bytes64|VnniInt8Dots<\d+>|Bfloat16CacheLines)::")


def main():
    found, function = collections.Counter(), ""
    with subprocess.Popen(["objdump", "--disassemble", "--demangle", "--no-show-raw-insn", sys.argv[1]], stdout=subprocess.PIPE, text=True) as objdump:
        for line in objdump.stdout:
            if name := re.match(r"[0-9a-f]+ <(.*)>:$", line):
                function = name.group(1)
            elif newer := NEWER.search(line):
                found[function, newer.group(1)] += 1
    if objdump.returncode != 0 or not found:
        sys.exit(f"{sys.argv[1]} contains no such instruction, or cannot be disassembled")
    wrong = [f"{count} × {instruction} in {function}" for (function, instruction), count in found.items() if not ALLOWED.search(function)]
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
