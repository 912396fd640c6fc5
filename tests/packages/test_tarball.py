#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tarball in a fresh Debian 12 that has nothing but the C and C++ libraries and OpenMP, in a folder with a blank in its name."""
import shutil

from packages import SOURCE, Debian, check, run, tarball

with Debian() as debian:
    name = tarball().name.removesuffix(".tar.gz")
    place = debian.path / "opt" / "some place"
    place.mkdir()
    run("tar", "-C", place, "-xzf", tarball())
    prefix = f"/opt/some place/{name}"
    for example in ("quickstart", "c"):
        shutil.copytree(SOURCE / "examples" / example, debian.path / example)
    expected = (SOURCE / "examples" / "quickstart" / "expected.txt").read_text()

    debian.run("apt-get", "update", "-qq")
    debian.install("--no-install-recommends", "libstdc++6", "libgomp1")
    print(debian.run(f"{prefix}/bin/kindred", "info"))
    debian.run(f"{prefix}/bin/kindred-perf", "--help")
    (debian.path / "names.csv").write_text("name\nNorthwind Traders Ltd\nNortwind Traders Ltd\nRedstone Logistics Inc\n")
    matched = debian.run(f"{prefix}/bin/kindred", "match", "--patterns", "/names.csv", "--column", "name", "--self", "--threshold", "0.8", "--format", "csv")
    check("Nortwind Traders Ltd" in matched and "Redstone" in matched, f"kindred match printed\n{matched}")

    debian.install("--no-install-recommends", "g++", "cmake", "ninja-build", "pkgconf")
    debian.run("cmake", "-G", "Ninja", "-S", "/quickstart", "-B", "/quickstart/build", f"-DCMAKE_PREFIX_PATH={prefix}")
    debian.run("cmake", "--build", "/quickstart/build")
    check(debian.run("/quickstart/build/quickstart") == expected, "the program built with CMake prints something else")
    # pkg-config needs a folder without blanks; a link is one.
    debian.run("ln", "-s", prefix, "/opt/kindred")
    debian.run("sh", "-ec", "PKG_CONFIG_PATH=/opt/kindred/lib/pkgconfig; export PKG_CONFIG_PATH; g++ -std=c++20 /quickstart/Main.cpp "
               "$(pkg-config --cflags --libs kindred) -Wl,-rpath,/opt/kindred/lib -o /quickstart/program")
    check(debian.run("/quickstart/program") == expected, "the program built with pkg-config prints something else")
    debian.run("sh", "-ec", "PKG_CONFIG_PATH=/opt/kindred/lib/pkgconfig; export PKG_CONFIG_PATH; cc -std=c99 /c/Main.c "
               "$(pkg-config --cflags --libs kindred-c) -Wl,-rpath,/opt/kindred/lib -o /c/program")
    check(debian.run("/c/program") == (SOURCE / "examples" / "c" / "expected.txt").read_text(), "the program in C prints something else")
print("the tarball works where it was unpacked")
