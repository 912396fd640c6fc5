#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The packages without installing them: checksums, lintian, dependencies, run paths, no path of the build."""
import os
import re
import shutil
from pathlib import Path

from packages import SOURCE, VERSION, check, debs, folder, need, run, tarball, work_folder

need("lintian", "lintian")
packages = debs()
work = Path(work_folder())
try:
    print(run("sha256sum", "--check", "SHA256SUMS", cwd=folder()))
    listed = {line.split("  ")[1] for line in (folder() / "SHA256SUMS").read_text().splitlines()}
    check({path.name for path in packages.values()} | {tarball().name} <= listed, f"SHA256SUMS lists only {listed}")

    print(run("lintian", "--fail-on", "error", "--allow-root", "--tag-display-limit", "0", *packages.values()))

    contents, control = {}, {}
    for name, path in packages.items():
        run("dpkg-deb", "--raw-extract", path, work / name)
        control[name] = (work / name / "DEBIAN" / "control").read_text()
        contents[name] = {str(file.relative_to(work / name)) for file in (work / name).rglob("*") if not file.is_dir()}
        check(f"Version: {VERSION}\n" in control[name], f"{name} has another version:\n{control[name]}")
        check({f"usr/share/doc/{name}/copyright", f"usr/share/doc/{name}/changelog.gz"} <= contents[name], f"{name} has no copyright or changelog")
        owners = set(re.findall(r"^\S+ (\S+)", run("dpkg-deb", "--contents", path), re.M))
        check(owners == {"root/root"}, f"files of {name} belong to {owners}")
    run("tar", "-C", work, "-xzf", tarball())

    library = "usr/lib/x86_64-linux-gnu"
    shared = {"libkindred0": "libkindred", "libkindred-c0": "libkindred_c"}
    expected = {
        "kindred": ["usr/bin/kindred", f"{library}/kindred/libkindred_command.so", "usr/share/man/man1/kindred.1.gz", "usr/share/man/man1/kindred-match.1.gz",
                    "usr/bin/kindred-demo", f"{library}/kindred/libkindred_demo_command.so", "usr/share/man/man1/kindred-demo.1.gz",
                    "usr/share/bash-completion/completions/kindred", "usr/share/zsh/vendor-completions/_kindred",
                    "usr/share/fish/vendor_completions.d/kindred.fish"],
        **{package: [f"{library}/{name}.so.0", f"{library}/{name}.so.{VERSION}", "DEBIAN/shlibs", "DEBIAN/triggers",
                     *(f"{library}/glibc-hwcaps/x86-64-v{level}/{name}.so.0" for level in (3, 4))] for package, name in shared.items()},
        "libkindred-dev": [f"{library}/libkindred.so", f"{library}/pkgconfig/kindred.pc", f"{library}/cmake/Kindred/KindredConfig.cmake",
                           "usr/include/kindred/Version.hpp", "usr/include/kindred/matcher/SequenceMatcher.hpp"],
        "libkindred-c-dev": [f"{library}/libkindred_c.so", f"{library}/pkgconfig/kindred-c.pc", "usr/include/kindred.h"],
        "kindred-perf": ["usr/bin/kindred-perf", "usr/share/kindred/peers/requirements.txt"]}
    for name, files in expected.items():
        missing = set(files) - contents[name]
        check(not missing, f"{name} lacks {missing}; it has\n" + "\n".join(sorted(contents[name])))
    for name, needed in (("kindred", "libkindred0"), ("libkindred-dev", "libkindred0"), ("libkindred-c-dev", "libkindred-c0")):
        check(re.search(rf"^Depends:.*\b{needed} \(= {re.escape(VERSION)}\)", control[name], re.M), f"{name} does not depend on this {needed}:\n{control[name]}")
    for name, file in shared.items():
        depends = re.search(r"^Depends: (.*)", control[name], re.M)[1]
        check("libc6 (>=" in depends and "libgomp1" in depends, f"{name} lacks dependencies:\n{control[name]}")
        check(not re.search("dnnl|openblas|kindred", depends), f"{name} depends on libraries of vendors, or of another package:\n{control[name]}")
        shlibs = (work / name / "DEBIAN" / "shlibs").read_text()
        check(shlibs == f"{file} 0 {name} (= {VERSION})\n", f"{name} has the shlibs {shlibs}")
    owner_of = {}
    for name, files in contents.items():
        for file in files:
            if not file.startswith("DEBIAN/"):
                check(owner_of.setdefault(file, name) == name, f"{file} is in {name} and in {owner_of[file]}")
    check(not any(file.endswith(".a") or "/kokkos/" in file.lower() for file in contents["libkindred-dev"]), "libkindred-dev has static libraries or Kokkos")

    top = work / tarball().name.removesuffix(".tar.gz")
    for name, path in [*((name, work / name) for name in packages), ("the tarball", top)]:
        found = run("sh", "-c", "grep -rlaF -e \"$0\" -e \"$1\" . || true", f"{SOURCE}/", os.uname().nodename + ":", cwd=path)
        check(not found, f"files of {name} name the folder that they were built in:\n{found}")
        for file in path.rglob("*"):
            if file.is_symlink() or not file.is_file() or file.read_bytes()[:4] != b"\x7fELF":
                continue
            dynamic = run("readelf", "-d", file)
            paths = re.findall(r"\((?:RUNPATH|RPATH)\).*\[(.*)\]", dynamic)
            check(all(part.startswith("$ORIGIN") for one in paths for part in one.split(":")), f"{file}: {paths}")
            check(name == "the tarball" or not paths, f"{file} of {name} has a run path: {paths}")
            check(".symtab" not in run("readelf", "-SW", file), f"{file} is not stripped")
finally:
    shutil.rmtree(work)
print("the packages contain what they should")
