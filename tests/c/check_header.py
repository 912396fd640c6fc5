#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles kindred.h, with every initialiser, as C99, C11 and C++17, without and with the declarations of dlpack.h before it.
Usage: check_header.py SOURCE CC CXX"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wconversion", "-Wshadow", "-Wundef", "-fsyntax-only"]
# As dlpack.h declares them, with more of them.
DLPACK = """#define DLPACK_DLPACK_H_
#include <stdint.h>
typedef enum { kDLCPU = 1, kDLCUDA = 2, kDLCUDAHost = 3, kDLOpenCL = 4, kDLCUDAManaged = 13 } DLDeviceType;
typedef struct { DLDeviceType device_type; int32_t device_id; } DLDevice;
typedef enum { kDLInt = 0U, kDLUInt = 1U, kDLFloat = 2U, kDLOpaqueHandle = 3U, kDLBfloat = 4U, kDLComplex = 5U, kDLBool = 6U } DLDataTypeCode;
typedef struct { uint8_t code; uint8_t bits; uint16_t lanes; } DLDataType;
typedef struct { void* data; DLDevice device; int32_t ndim; DLDataType dtype; int64_t* shape; int64_t* strides; uint64_t byte_offset; } DLTensor;
"""


def main(source, cc, cxx):
    include = Path(source, "bindings/c/include")
    macros = re.findall(r"^#define (KINDRED_(\w+)_INIT)\b", (include / "kindred.h").read_text(encoding="utf-8"), re.M)
    body = "".join(f"  {{ kindred_{name.lower()} value = {macro}; size += value.struct_size; }}\n" for macro, name in macros)
    program = f"#include <kindred.h>\nint main(void) {{\n  size_t size = 0;\n{body}  return size == 0;\n}}\n"
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for compiler, standard, suffix in ((cc, "c99", "c"), (cc, "c11", "c"), (cxx, "c++17", "cpp"), (cxx, "c++20", "cpp")):
            for before in ("", DLPACK):
                file = Path(folder, f"program.{suffix}")
                file.write_text(before + program, encoding="utf-8")
                done = subprocess.run([compiler, f"-std={standard}", *WARNINGS, "-I", include, file], capture_output=True, text=True, check=False)
                if done.returncode != 0:
                    print(f"-std={standard}{' after dlpack.h' if before else ''}:\n{done.stderr}")
                    failed += 1
    print(f"{len(macros)} initialisers, {failed} failures")
    return 1 if failed or len(macros) < 20 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
