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
    expected = {
        "kindred": ["usr/bin/kindred", f"{library}/kindred/libkindred_command.so", "usr/share/man/man1/kindred.1.gz", "usr/share/man/man1/kindred-match.1.gz",
                    "usr/share/bash-completion/completions/kindred", "usr/share/zsh/vendor-completions/_kindred",
                    "usr/share/fish/vendor_completions.d/kindred.fish"],
        "libkindred0": [f"{library}/libkindred.so.0", f"{library}/libkindred.so.{VERSION}", "DEBIAN/shlibs", "DEBIAN/triggers",
                        *(f"{library}/glibc-hwcaps/x86-64-v{level}/libkindred.so.0" for level in (3, 4))],
        "libkindred-dev": [f"{library}/libkindred.so", f"{library}/pkgconfig/kindred.pc", f"{library}/cmake/Kindred/KindredConfig.cmake",
                           "usr/include/kindred/Version.hpp", "usr/include/kindred/matcher/SequenceMatcher.hpp"],
        "kindred-perf": ["usr/bin/kindred-perf", "usr/share/kindred/peers/requirements.txt"]}
    for name, files in expected.items():
        missing = set(files) - contents[name]
        check(not missing, f"{name} lacks {missing}; it has\n" + "\n".join(sorted(contents[name])))
    for name in ("kindred", "libkindred-dev"):
        check(f"libkindred0 (= {VERSION})" in control[name], f"{name} does not depend on this libkindred0:\n{control[name]}")
    check("libc6 (>=" in control["libkindred0"] and "libgomp1" in control["libkindred0"], f"libkindred0 lacks dependencies:\n{control['libkindred0']}")
    check(not re.search(r"^Depends:.*(dnnl|openblas)", control["libkindred0"], re.M), "libkindred0 depends on libraries of vendors")
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
