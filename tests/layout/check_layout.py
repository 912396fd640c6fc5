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
ENGINE_HEADERS = re.compile(r"(backends|matcher/\w+)/include/")
SPACE_CONDITION = re.compile(r"^\s*#\s*(if|elif|ifdef|ifndef).*(KOKKOS_ENABLE_|__CUDA|__AVX|__SSE|KINDRED_HAS_DEVICE)")
INTRINSICS = re.compile(r"immintrin\.h|\b_mm\d*_|__shfl|__ballot|\bthreadIdx\b")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]')
ENGINE = re.compile(r"^kindred_engine\((\w+)(?: USES ([\w ]+?))?(?: LINK_PRIVATE [^)]*)?\)$", re.M)
ENGINES = "matcher/CMakeLists.txt"  # a line for each
CORE_FOLDER = re.compile(r"core/(?:src|include/kindred/core)/(\w+)/")
CORE_ALONE = {"arch", "common", "select"}  # folders of core that belong to no engine
ORACLE = "kindred/reference/"  # for tests and perf only
CONFLICT = re.compile(r"^(<{7} |={7}$|>{7} )")
LONGEST = 600


PUBLIC_HEADER = re.compile(r"matcher/(\w+)/include/(kindred/matcher/\w+\.hpp)$")
SHARED = {"common", "storage", "symbols", "compat", "calibration"}
OTHER_TESTS = {"backends", "memory", "vendor", "io", "command", "tools", "demo", "perf",  # folders elsewhere
               "reference", "engines", "crashes", "threads", "outside", "fuzz", "mutation", "lifetime", "consumers",
               "cuda_compile", "layout", "docs", "support"}


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
            if name.startswith(ORACLE) and folder not in ("tests", "perf"):
                yield number, "only tests and perf use the oracle"
            if folder in PUBLIC_HEADERS_ONLY and name.startswith("kindred/") and re.search("/(impl|vendor)/", name):
                yield number, f"{folder} may use public headers only, not {name}"
            if ENGINE_HEADERS.match(path) and "/impl/" not in path and name.startswith(("Kokkos", "kindred/core/arch")):
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


def engine_breaches(texts):
    """Breaches of the rules of matcher, given the texts of all files by path. Each folder is an engine. An engine includes its
    own files and those of the engines that its line in matcher/CMakeLists.txt names; a line names only engines above it, so
    there is no cycle."""
    uses = {}
    for name, used in ENGINE.findall(texts[ENGINES]):
        uses[name] = used.split()
        for other in uses[name]:
            if other == name or other not in uses:
                yield ENGINES, f"{name} uses {other}, which is not declared above it"
    homes = {}
    for path in texts:
        parts = path.split("/")
        if parts[0] == "matcher" and path != ENGINES:
            if len(parts) < 3 or parts[1] not in uses:
                yield path, "is not in the folder of an engine"
            if "/include/" in path:
                homes[path.split("/include/")[1]] = parts[1]
        of_core = CORE_FOLDER.match(path)
        if of_core and of_core[1] not in CORE_ALONE | set(uses):
            yield path, f"core's folder {of_core[1]} has the name of no engine"
    included = {name: set() for name in uses}
    for path, text in texts.items():
        own = path.split("/")[1] if path.startswith("matcher/") else None
        if own not in uses:
            continue
        for match in filter(None, map(INCLUDE.match, text.splitlines())):
            name = match[2]
            folder = homes.get(name, own) if match[1] == "<" else name.split("/")[0] if "/" in name else own
            if folder == own:
                continue
            included[own].add(folder)
            if folder not in uses[own]:
                yield path, f"{own} does not use {folder}: {name}"
    for name, used in uses.items():
        for other in used:
            if other not in included[name]:
                yield ENGINES, f"{name} uses {other}, but includes nothing of it"


def umbrella_breaches(texts):
    """An engine's <kindred/Engine.hpp> includes its public headers, each once and in the order of their names. Folders of which
    engines are made (SHARED) have none."""
    headers = {}
    for path in texts:
        match = PUBLIC_HEADER.match(path)
        if match:
            headers.setdefault(match[1], []).append(match[2])
    for engine, own in headers.items():
        path = f"matcher/{engine}/include/kindred/{engine.capitalize()}.hpp"
        if engine in SHARED:
            continue
        included = [match[2] for match in filter(None, map(INCLUDE.match, texts.get(path, "").splitlines()))]
        if included != sorted(own):
            yield path, f"must include the public headers of {engine}: {', '.join(sorted(own))}"


def test_folder_breaches(texts):
    """A folder of tests has the name of what it tests, or of one of the kinds of test in OTHER_TESTS."""
    engines = {name for name, _ in ENGINE.findall(texts[ENGINES])}
    core = {match[1] for match in map(CORE_FOLDER.match, texts) if match}
    for folder in sorted({path.split("/")[1] for path in texts if path.startswith("tests/") and path.count("/") > 1}):
        if folder not in engines | core | OTHER_TESTS:
            yield f"tests/{folder}", "has the name of no engine, no folder of core and no kind of test"


def main(root):
    found = 0
    texts = {}
    for path in tracked(root):
        name = path.relative_to(root).as_posix()
        if path.suffix not in (".hpp", ".cpp", ".py", ".cmake", ".md") and path.name not in ("CMakeLists.txt", "run"):
            continue
        texts[name] = path.read_text(encoding="utf-8")
        for line, what in breaches_of(name, texts[name]):
            print(f"{name}:{line}: {what}")
            found += 1
    for name, what in [*engine_breaches(texts), *umbrella_breaches(texts), *test_folder_breaches(texts)]:
        print(f"{name}: {what}")
        found += 1
    print(f"{found} breaches")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "."))
