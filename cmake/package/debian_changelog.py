#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the sections of CHANGELOG.md that have a version as a Debian changelog, compressed.
Usage: debian_changelog.py PACKAGE CHANGELOG.md MAINTAINER OUTPUT.gz. A version without a date has that of SOURCE_DATE_EPOCH,
or of today; a section without a version, such as "Unreleased", is omitted."""
import datetime
import email.utils
import gzip
import os
import re
import sys
import textwrap
from pathlib import Path

HEAD = re.compile(r"^## \[?(\d[0-9A-Za-z.~+]*)\]?(?: - (\S+))?$")
LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")


def today():
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    now = datetime.datetime.now(datetime.timezone.utc)
    return (datetime.datetime.fromtimestamp(int(epoch), datetime.timezone.utc) if epoch else now).date()


def sections(text):
    """(version, date, lines) of each version, newest first."""
    found, lines = [], None
    for line in text.splitlines():
        if line.startswith("## "):
            head, lines = HEAD.match(line), []
            if head:
                dated = re.fullmatch(r"\d{4}-\d\d-\d\d", head[2] or "")
                found.append((head[1], datetime.date.fromisoformat(head[2]) if dated else today(), lines))
        elif lines is not None:
            lines.append(line)
    return found


def entries(lines):
    """The points of a section, each on one line, without the markup of links."""
    subject, points = "", []
    for line in lines:
        if line.startswith("### "):
            subject = line[4:].strip()
        elif line.startswith("- "):
            points.append(f"{subject}: {line[2:]}" if subject else line[2:])
        elif line.startswith("  ") and points:
            points[-1] += " " + line.strip()
    return [LINK.sub(r"\1", point) for point in points]


def debian(package, text, maintainer):
    stanzas = []
    for version, date, lines in sections(text):
        points = entries(lines) or ["New version."]
        wrapped = [textwrap.fill(point, 78, initial_indent="  * ", subsequent_indent="    ", break_long_words=False,
                                 break_on_hyphens=False) for point in points]
        when = email.utils.format_datetime(datetime.datetime.combine(date, datetime.time(), datetime.timezone.utc))
        stanzas.append(f"{package} ({version}) unstable; urgency=medium\n\n" + "\n".join(wrapped) + f"\n\n -- {maintainer}  {when}\n")
    return "\n".join(stanzas)


def main():
    package, changelog, maintainer, output = sys.argv[1:]
    text = debian(package, Path(changelog).read_text(encoding="utf-8"), maintainer)
    if not text:
        sys.exit(f"{changelog} has no section of a version, such as \"## 0.1.0 - 2026-11-23\"")
    Path(output).write_bytes(gzip.compress(text.encode(), 9, mtime=0))


if __name__ == "__main__":
    main()
