#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the rules of the tree that no compiler sees. Usage: check_layout.py ROOT. Prints each breach, exits 1 on any."""
import re
import subprocess
import sys
from pathlib import Path

# What the sources of a folder may include, besides the standard library.
MAY_INCLUDE = {
    "core": ("kindred/core/", "kindred/Version.hpp", "Kokkos"),
    "memory": ("kindred/core/", "kindred/memory/", "kindred/Version.hpp", "Kokkos"),
    "backends": ("kindred/core/", "kindred/memory/", "kindred/backends/", "kindred/Version.hpp", "Kokkos",
                 "nlohmann/", "cuda"),
    "matcher": ("kindred/", "Kokkos", "nlohmann/"),
}
PUBLIC_HEADERS_ONLY = ("tools", "perf", "examples")
ENGINE_HEADERS = ("backends/include/", "matcher/include/")
SPACE_CONDITION = re.compile(r"^\s*#\s*(if|elif|ifdef|ifndef).*(KOKKOS_ENABLE_|__CUDA|__AVX|__SSE|KINDRED_HAS_DEVICE)")
INTRINSICS = re.compile(r"immintrin\.h|\b_mm\d*_|__shfl|__ballot|\bthreadIdx\b")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]')
CONFLICT = re.compile(r"^(<{7} |={7}$|>{7} )")
LONGEST = 600


def tracked(root):
    """The files git tracks; without git or a repository, those that are no product of a build."""
    try:
        names = subprocess.run(["git", "-C", root, "ls-files"], capture_output=True, text=True, check=True)
        return [Path(root, name) for name in names.stdout.splitlines()]
    except (FileNotFoundError, subprocess.CalledProcessError):
        made = {"build", ".venv", ".git"}
        return [path for path in Path(root).rglob("*")
                if path.is_file() and not made & set(path.relative_to(root).parts)]


def is_arch(path):
    return "/arch/" in path or path.startswith("backends/")


def breaches_of(path, text):
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        if CONFLICT.match(line):
            yield number, "a merge that was not finished"
    if path.endswith(".md"):
        return
    folder = path.split("/", 1)[0]
    if not any("SPDX-License-Identifier: Apache-2.0" in line for line in lines[:2]) and not path.startswith("examples/"):
        yield 1, "the first line is not the SPDX licence"
    if path.endswith(".hpp") and "/include/" in path:
        guard = re.sub(r"[^A-Z0-9]", "_", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", path.split("/include/")[1]).upper())
        guard = re.sub(r"_+", "_", guard)
        compact = guard.replace("_", "")
        if not any(line.startswith("#ifndef ") and line[8:].replace("_", "") == compact for line in lines[:6]):
            yield 1, f"the include guard is not derived from the path ({guard})"
    if len(lines) > LONGEST:
        yield len(lines), f"longer than {LONGEST} lines: is it one concept?"
    for number, line in enumerate(lines, 1):
        include = INCLUDE.match(line)
        if include:
            name = include[2]
            is_foreign = include[1] == "<" and ("/" in name or name.startswith("Kokkos"))
            if folder in MAY_INCLUDE and is_foreign and not name.startswith(MAY_INCLUDE[folder] + ("sys/",)):
                yield number, f"{folder} may not include {name}"
            if folder in PUBLIC_HEADERS_ONLY and name.startswith("kindred/") and "/impl/" in name:
                yield number, f"{folder} may use public headers only, not {name}"
            if path.startswith(ENGINE_HEADERS) and "/impl/" not in path and name.startswith(("Kokkos", "kindred/core/arch")):
                yield number, "headers of the context and the engines include no Kokkos"
            if "../" in name and not path.startswith("tests/"):
                yield number, f"one include root: not {name}"
        if folder in MAY_INCLUDE and not is_arch(path):
            if SPACE_CONDITION.search(line):
                yield number, "an #if of a space or instruction set belongs to core/arch or backends"
            if INTRINSICS.search(line):
                yield number, "intrinsics belong to core/arch"
        if folder in MAY_INCLUDE:
            if re.search(r"Kokkos::fence\(", line):
                yield number, "a global fence: fence the instance"
            if re.search(r"\b(std::cout|std::cerr|printf\(|abort\(\)|std::exit|std::terminate)", line) and "snprintf" not in line:
                yield number, "the library never prints, aborts or exits"


def main(root):
    found = 0
    for path in tracked(root):
        name = path.relative_to(root).as_posix()
        if path.suffix not in (".hpp", ".cpp", ".py", ".cmake", ".md") and path.name not in ("CMakeLists.txt", "run"):
            continue
        for line, what in breaches_of(name, path.read_text(encoding="utf-8")):
            print(f"{name}:{line}: {what}")
            found += 1
    print(f"{found} breaches")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "."))
