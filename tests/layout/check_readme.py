#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The programs in the pages are the examples that are compiled, and links lead somewhere. Usage: check_readme.py ROOT."""
import re
import sys
from pathlib import Path

root = Path(sys.argv[1])
wrong = []
for name, program in (("README.md", "examples/quickstart/Main.cpp"), ("docs/sequences.md", "examples/similarity/Main.cpp"),
                      ("docs/predictions.md", "examples/predictions/Main.cpp"), ("docs/vectors.md", "examples/vectors/Main.cpp")):
    example = (root / program).read_text(encoding="utf-8")
    if f"```cpp\n{example}```" not in (root / name).read_text(encoding="utf-8"):
        wrong.append(f"{name}: its program is not {program}")
for page in [root / "README.md", *sorted((root / "docs").glob("*.md"))]:
    for target in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
        if "://" not in target and not (page.parent / target).exists():
            wrong.append(f"{page.name}: {target} does not exist")
print("\n".join(wrong) or "README and links are right")
sys.exit(1 if wrong else 0)
