#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tarball in a fresh Debian 12 that has nothing but the C and C++ libraries and OpenMP, in a folder with a blank in its name."""
from packages import Debian, check, run, tarball

with Debian() as debian:
    name = tarball().name.removesuffix(".tar.gz")
    place = debian.path / "opt" / "some place"
    place.mkdir()
    run("tar", "-C", place, "-xzf", tarball())
    prefix = f"/opt/some place/{name}"

    debian.run("apt-get", "update", "-qq")
    debian.install("--no-install-recommends", "libstdc++6", "libgomp1")
    print(debian.run(f"{prefix}/bin/kindred", "info"))
    debian.run(f"{prefix}/bin/kindred-perf", "--help")
    (debian.path / "names.csv").write_text("name\nNorthwind Traders Ltd\nNortwind Traders Ltd\nRedstone Logistics Inc\n")
    matched = debian.run(f"{prefix}/bin/kindred", "match", "--patterns", "/names.csv", "--column", "name", "--self", "--threshold", "0.8", "--format", "csv")
    check("Nortwind Traders Ltd" in matched and "Redstone" in matched, f"kindred match printed\n{matched}")

    debian.run("ln", "-s", prefix, "/opt/kindred")
    debian.build_programs("kindred", prefix=prefix, link="/opt/kindred")
print("the tarball works where it was unpacked")
