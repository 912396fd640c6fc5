#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The program in the README is the example that is compiled, and its links lead somewhere. Usage: check_readme.py ROOT."""
import re
import sys
from pathlib import Path

root = Path(sys.argv[1])
text = (root / "README.md").read_text(encoding="utf-8")
example = (root / "examples/quickstart/Main.cpp").read_text(encoding="utf-8")
wrong = []
if f"```cpp\n{example}```" not in text:
    wrong.append("README.md: its program is not examples/quickstart/Main.cpp")
for page in [root / "README.md", *sorted((root / "docs").glob("*.md"))]:
    for target in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
        if "://" not in target and not (page.parent / target).exists():
            wrong.append(f"{page.name}: {target} does not exist")
print("\n".join(wrong) or "README and links are right")
sys.exit(1 if wrong else 0)
