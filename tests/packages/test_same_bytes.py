#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Packages that are built again, from a copy of the sources in a folder of another name and without a cache of objects, have the same bytes."""
import os
import shutil
import subprocess
from pathlib import Path

from packages import SOURCE, check, folder, run, work_folder

made = folder()
work = Path(work_folder())
try:
    copy = work / "a-copy-of-the-sources-in-a-longer-folder"
    # With its commits, since the commands contain their names.
    run("git", "clone", "--quiet", "--shared", SOURCE, copy)
    changes = subprocess.run(["git", "-C", SOURCE, "diff", "HEAD", "--binary"], capture_output=True, check=True).stdout
    check(not changes, "the sources differ from the commit: commit them, and make the packages again")
    if (SOURCE / ".deps").is_dir():  # what was downloaded, and Kokkos
        (copy / ".deps").symlink_to(SOURCE / ".deps")
    environment = {**os.environ, "CCACHE_DISABLE": "1", "TZ": "Asia/Tokyo", "LC_ALL": "C"}
    subprocess.run([copy / "run", "package", "-y", work / "again"], check=True, env=environment, cwd=work)
    first, second = ((path / "SHA256SUMS").read_text() for path in (made, work / "again"))
    check(first == second, f"two builds differ:\n{first}\n{second}")
finally:
    shutil.rmtree(work)
print("two builds, the same bytes")
