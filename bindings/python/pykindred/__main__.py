# SPDX-License-Identifier: Apache-2.0
"""``python -m pykindred``: what is installed, and a demonstration."""
import argparse
import json
import platform
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

import pykindred
from pykindred import _demo
from pykindred._library import loaded_file


def information() -> dict[str, Any]:
    """What ``info`` prints."""
    context = pykindred.default_context()
    return {"version": pykindred.__version__, "python": platform.python_version(), "numpy": np.__version__,
            "library": {**pykindred.library._asdict(), "path": loaded_file()},
            "threads": context.threads, "profile": context.profile_path, "spaces": context.spaces(), "memory": context.memory()}


def print_information(found: dict[str, Any]) -> None:
    library = found["library"]
    print(f"pykindred {found['version']} (Python {found['python']}, NumPy {found['numpy']})")
    print(f"library   {library['name']}: {library['why']}")
    print(f"          {library['path']}")
    for name, space in found["spaces"].items():
        if space["usable"]:
            print(f"{name:<9} {space['device']}, {space['memory_total'] / 2**30:.0f} GiB, {space['memory_free'] / 2**30:.0f} free")
        else:
            print(f"{name:<9} not usable: {space['why_not']}")
    print(f"threads   {found['threads']}")
    print(f"profile   {found['profile']}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command. Returns the exit status: 1 where a result of the demonstration is wrong."""
    parser = argparse.ArgumentParser(prog="python -m pykindred", description="Kindred: exact search in vectors, sequences and graphs.")
    parser.add_argument("--version", action="version", version=f"pykindred {pykindred.__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser("demo", help="misspelled names, vectors and a graph, beside difflib and NumPy: about 10 s")
    info = commands.add_parser("info", help="the library in use, the processor and the GPUs")
    info.add_argument("--json", action="store_true", help="the same as JSON")
    given = parser.parse_args(arguments)
    if given.command == "demo":
        return 0 if _demo.run() else 1
    found = information()
    if given.json:
        print(json.dumps(found, indent=2))
    else:
        print_information(found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
