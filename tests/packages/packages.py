# SPDX-License-Identifier: Apache-2.0
"""What the tests of packages share: the packages, and a fresh Debian 12 to install them into."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
NAMES = ("kindred", "libkindred0", "libkindred-dev", "libkindred-c0", "libkindred-c-dev", "kindred-perf")
VERSION = re.search(r"^project\(Kindred VERSION ([\d.]+)", (SOURCE / "CMakeLists.txt").read_text(), re.M)[1]


def fail(message):
    sys.exit(f"FAILED: {message}")


def check(condition, message):
    if not condition:
        fail(message)


def run(*command, **options):
    """The output of a command, which must succeed."""
    done = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    check(done.returncode == 0, f"{' '.join(str(word) for word in command)}: exit status {done.returncode}\n{done.stdout}")
    return done.stdout


def need(program, package):
    check(shutil.which(program), f"this test needs {program}: apt-get install {package}")


def folder():
    path = Path(os.environ.get("KINDRED_PACKAGES", SOURCE / "dist"))
    check((path / "SHA256SUMS").is_file(), f"{path} has no packages: make them with ./run package {path}")
    return path


def debs():
    """The file of each package by its name."""
    found = {name: list(folder().glob(f"{name}_{VERSION}_*.deb")) for name in NAMES}
    for name, files in found.items():
        check(len(files) == 1, f"{len(files)} packages {name} of version {VERSION} in {folder()}")
    return {name: files[0] for name, files in found.items()}


def tarball():
    files = list(folder().glob(f"kindred-{VERSION}-*-linux.tar.gz"))
    check(len(files) == 1, f"{len(files)} tarballs of version {VERSION} in {folder()}")
    return files[0]


def work_folder():
    """A new folder, in the build folder under CTest."""
    return tempfile.mkdtemp(prefix="packages-", dir=os.environ.get("KINDRED_WORK"))


class Debian:
    """A minimal Debian 12 in a folder of its own, used as a context. It is made once, of the mirrors that this machine is configured
    for, and kept in .deps."""

    def __enter__(self):
        need("mmdebstrap", "mmdebstrap")
        check(os.geteuid() == 0, "this test changes its root folder: run it as root")
        archive = SOURCE / ".deps" / "debian-12.tar"
        if not archive.exists():
            archive.parent.mkdir(exist_ok=True)
            mirrors = [path for path in [Path("/etc/apt/sources.list"), *sorted(Path("/etc/apt/sources.list.d").glob("*"))]
                       if path.is_file() and path.suffix in (".list", ".sources") and "bookworm" in path.read_text()]
            check(mirrors, "/etc/apt names no mirror of Debian 12 (bookworm)")
            made = archive.with_suffix(".new.tar")
            run("mmdebstrap", "--variant=minbase", "--format=tar", "bookworm", made, *mirrors)
            made.rename(archive)
        self.work = Path(work_folder())
        self.path = self.work / "root"
        self.path.mkdir()
        run("tar", "-C", self.path, "--exclude=./dev/*", "-xf", archive)
        shutil.copy("/etc/resolv.conf", self.path / "etc" / "resolv.conf")
        (self.path / "packages").mkdir()
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.work)

    def run(self, *command, home="/root"):
        """Runs a command in it. The folders that are mounted for it disappear with its processes."""
        mounts = 'mount -t proc proc "$0/proc"; mount --rbind /sys "$0/sys"; mount --rbind /dev "$0/dev"; exec chroot "$0" "$@"'
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": home, "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"}
        return run("unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-ec", mounts, self.path, *command, env=environment)

    def install(self, *packages):
        self.run("apt-get", "install", "-qq", "--yes", *packages)

    def check_program(self, program):
        """What the program /EXAMPLE/… prints."""
        printed = self.run(program)
        expected = SOURCE / "examples" / program.split("/")[1] / "expected.txt"
        check(printed == expected.read_text(), f"{program} printed\n{printed}")

    def build_programs(self, *names, prefix=None, link=None):
        """Builds the examples in C++ with CMake and by names of pkg-config, and the one in C, and checks them. Their paths. They use what
        is installed, or what is in PREFIX, to which LINK leads, since pkg-config needs a folder without blanks."""
        options = [f"-DCMAKE_PREFIX_PATH={prefix}"] if prefix else []
        variables, flags = (f"PKG_CONFIG_PATH={link}/lib/pkgconfig; export PKG_CONFIG_PATH; ", f"-Wl,-rpath,{link}/lib") if link else ("", "")
        for example in ("quickstart", "c"):
            shutil.copytree(SOURCE / "examples" / example, self.path / example)
        self.install("--no-install-recommends", "g++", "cmake", "ninja-build", "pkgconf")
        self.run("cmake", "-G", "Ninja", "-S", "/quickstart", "-B", "/quickstart/build", *options)
        self.run("cmake", "--build", "/quickstart/build")
        programs = {"/quickstart/build/quickstart": None, **{f"/quickstart/{name}": "g++ -std=c++20 /quickstart/Main.cpp" for name in names},
                    "/c/kindred-c": "cc -std=c99 /c/Main.c"}
        for program, compiler in programs.items():
            if compiler:
                self.run("sh", "-ec", f"{variables}{compiler} $(pkg-config --cflags --libs {Path(program).name}) {flags} -o {program}")
            self.check_program(program)
        return list(programs)
