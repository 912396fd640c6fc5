# SPDX-License-Identifier: Apache-2.0
"""Reads accepted_survivors.txt: paragraphs of a reason, a line that begins with `# `, and the keys that it is given for."""

import pathlib

PATH = pathlib.Path(__file__).parent / "accepted_survivors.txt"


def read(text=None):
    """The reason of each mutant that no test kills, by key."""
    listed = {}
    reason = ""
    for line in (PATH.read_text(encoding="utf-8") if text is None else text).splitlines():
        if not line.strip():
            reason = ""
        elif line.startswith("# "):
            reason = f"{reason} {line[2:]}".strip()
        elif not reason:
            raise SystemExit(f"accepted_survivors.txt gives no reason for {line}")
        elif line in listed:
            raise SystemExit(f"accepted_survivors.txt names {line} twice")
        else:
            listed[line] = reason
    return listed
