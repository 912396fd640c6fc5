#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The packages in a fresh Debian 12: installed, used by hand and from programs, upgraded, removed."""
import shutil

from packages import VERSION, Debian, check, debs, run

OLD = "0.0.9"


def older(debian, name, path):
    """The same package with another version."""
    tree = debian.work / f"old-{name}"
    run("dpkg-deb", "--raw-extract", path, tree)
    control = tree / "DEBIAN" / "control"
    text = control.read_text()
    check(f"Version: {VERSION}\n" in text, f"{path} has no version {VERSION}")
    control.write_text(text.replace(f"Version: {VERSION}\n", f"Version: {OLD}\n").replace(f"(= {VERSION})", f"(= {OLD})"))
    run("dpkg-deb", "--root-owner-group", "--build", tree, debian.path / "packages" / f"{name}_{OLD}_amd64.deb")


def version(debian, name):
    return debian.run("dpkg-query", "-W", "-f=${Version} ${db:Status-Status}", name)


packages = debs()
with Debian() as debian:
    inside = {}
    for name, path in packages.items():
        shutil.copy(path, debian.path / "packages")
        inside[name] = f"/packages/{path.name}"
        older(debian, name, path)

    debian.run("apt-get", "update", "-qq")
    debian.run("apt-get", "install", "-qq", "--yes", "--download-only", *inside.values())
    debian.run("apt-get", "install", "-qq", "--yes", "--no-install-recommends", inside["kindred"], inside["libkindred0"])
    # Without what is only recommended, everything but the demo's comparison with Python runs.
    debian.run("kindred", "info")
    # What is recommended is installed with packages that are new.
    debian.run("apt-get", "purge", "-qq", "--yes", "kindred", "libkindred0")
    debian.install(*inside.values())

    print(debian.run("kindred", "--version"))
    report = debian.run("kindred", "info")
    print(report)
    check("oneDNN" in report and "not found" not in report, "the recommended libraries of vendors are not used")
    answer = debian.run("kindred-demo", "--limit", "3000", "--proof", "50", "--no-sweep", "--no-calibrate", "--out", "/demo")
    check("large feline" in answer, f"kindred-demo printed\n{answer}")
    debian.run("kindred-perf", "--help")
    debian.run("test", "-s", "/usr/share/man/man1/kindred.1.gz")
    debian.run("sh", "-c", "bash -n /usr/share/bash-completion/completions/kindred")

    programs = debian.build_programs("kindred", "kindred-sequence")

    # Upgraded, and downgraded before.
    debian.install("--allow-downgrades", *(f"/packages/{name}_{OLD}_amd64.deb" for name in packages))
    check(version(debian, "kindred") == f"{OLD} installed", "the older version was not installed")
    debian.install(*inside.values())
    for name in packages:
        check(version(debian, name) == f"{VERSION} installed", f"{name} was not upgraded: {version(debian, name)}")
    debian.run("kindred", "info")
    for program in programs:
        debian.check_program(program)

    # Removed.
    debian.run("rm", "-r", "/demo", "/quickstart", "/c")
    debian.run("apt-get", "remove", "-qq", "--yes", "kindred", "kindred-perf")
    debian.run("apt-get", "purge", "-qq", "--yes", "libkindred0", "libkindred-dev", "libkindred-c0", "libkindred-c-dev")
    left = debian.run("find", "/", "-xdev", "(", "-path", "/packages", "-o", "-path", "/proc", "-o", "-path", "/sys", "-o", "-path", "/dev",
                      "-o", "-path", "/root", "-o", "-path", "/var/log", "-o", "-path", "/var/cache/apt", ")", "-prune", "-o", "-iname", "*kindred*", "-print")
    check(not left, f"removing the packages left\n{left}")
    check("kindred" not in debian.run("ldconfig", "-p"), "the loader still knows libkindred")
    check("kindred" not in debian.run("dpkg-query", "-W"), "dpkg still lists packages")
print("installed, used, upgraded and removed")
