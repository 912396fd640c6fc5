#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The changelog of the packages: a stanza per released version, with the points of CHANGELOG.md."""
import gzip
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from packages import SOURCE, VERSION, check

SCRIPT = SOURCE / "cmake" / "package" / "debian_changelog.py"
TEXT = """# Changelog

## Unreleased

- Not in a package.

## 0.2.0 - 2027-01-31

- First point, which is
  continued. [docs/guide/install.md](docs/guide/install.md)

### Fixed

- Second point.

## 0.1.0 - unreleased

Prose.

- Third point.
"""
EXPECTED = """kindred (0.2.0) unstable; urgency=medium

  * First point, which is continued. docs/guide/install.md
  * Fixed: Second point.

 -- A B <a@b.c>  Sun, 31 Jan 2027 00:00:00 +0000

kindred (0.1.0) unstable; urgency=medium

  * Third point.

 -- A B <a@b.c>  Sat, 02 Jan 2027 00:00:00 +0000
"""


def convert(folder, text, epoch="1798848000"):
    (folder / "CHANGELOG.md").write_text(text, encoding="utf-8")
    done = subprocess.run([sys.executable, SCRIPT, "kindred", folder / "CHANGELOG.md", "A B <a@b.c>", folder / "out.gz"],
                          env={**os.environ, "SOURCE_DATE_EPOCH": epoch}, capture_output=True, text=True, check=False)
    return done, (gzip.decompress((folder / "out.gz").read_bytes()).decode() if done.returncode == 0 else "")


with tempfile.TemporaryDirectory() as name:
    work = Path(name)
    done, converted = convert(work, TEXT)
    check(converted == EXPECTED, f"{done.stderr}converted to\n{converted}")
    first = (work / "out.gz").read_bytes()
    check(b"CHANGELOG" not in first and convert(work, TEXT)[0].returncode == 0 and (work / "out.gz").read_bytes() == first,
          "two conversions differ, or name the file")
    done, _ = convert(work, "# Changelog\n\n## Unreleased\n\n- A point.\n")
    check(done.returncode == 1 and "no section of a version" in done.stderr, f"no version was accepted: {done.stderr}")

    _, converted = convert(work, (SOURCE / "CHANGELOG.md").read_text(encoding="utf-8"))
    check(converted.startswith(f"kindred ({VERSION}) unstable"), f"CHANGELOG.md has no section of version {VERSION} at its head")
    if shutil.which("dpkg-parsechangelog"):
        (work / "changelog").write_text(converted, encoding="utf-8")
        done = subprocess.run(["dpkg-parsechangelog", "-l", work / "changelog", "-SVersion"], capture_output=True, text=True, check=False)
        check(done.stdout.strip() == VERSION and not done.stderr, f"dpkg-parsechangelog: {done.stdout}{done.stderr}")
print("the changelog of the packages is right")
