#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds Kindred as packages do, with one shared library, installs it and uses it from another folder: the names for CMake and
pkg-config, the headers, the library of each level of x86-64, and its binary interface, compared with that of the last release.

usage: test_package.py WORK [CMAKE OPTION]...
       test_package.py WORK --write-abi    after a run: replaces the recorded interfaces by those that were built"""
import contextlib
import gzip
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from xml.etree import ElementTree

SOURCE = Path(__file__).resolve().parents[2]
# The libraries, in the build folder. The interface of each is recorded in NAME.abi.gz beside this file.
LIBRARIES = ("libkindred.so.0", "bindings/c/libkindred_c.so.0")
LEVEL = "x86-64-v3"  # the one that is built besides x86-64-v2
# No environment that could lead to another library.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in ("LD_LIBRARY_PATH", "PKG_CONFIG_PATH")}


def run(*command, fails=False, **environment):
    """What the command prints; with `fails`, its messages in one line. Raises if it fails, or with `fails` does not."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=ENVIRONMENT | environment, check=False)
    if (done.returncode != 0) != fails:
        raise AssertionError(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return " ".join((done.stdout + done.stderr).split()) if fails else done.stdout


def record_of(library):
    return Path(__file__).resolve().parent / f"{Path(library).name}.abi.gz"


def abi_of(work, library):
    """The interface of a library that was built, as XML: types of the public headers only, without places of sources."""
    return run("abidw", "--headers-dir", work / "moved/include", "--drop-private-types", "--drop-undefined-syms", "--no-show-locs",
               "--no-corpus-path", "--no-comp-dir-path", "--no-elf-needed", "--exported-interfaces-only", work / "build" / library).encode()


def without_growth(new, old):
    """The interface NEW in which structs that start with `struct_size`, and may grow, have the members alone that they have in OLD."""
    tree, grown = ElementTree.fromstring(new), {}
    for struct in ElementTree.fromstring(old).iter("class-decl"):
        if struct.find("data-member/var-decl[@name='struct_size']") is not None:
            grown[struct.get("name")] = (len(struct.findall("data-member")), struct.get("size-in-bits"))
    for struct in tree.iter("class-decl"):
        members, size = grown.get(struct.get("name"), (None, None))
        if members is not None and size is not None:
            for member in struct.findall("data-member")[members:]:
                struct.remove(member)
            struct.set("size-in-bits", size)
    return ElementTree.tostring(tree)


def write_abi(work):
    for library in LIBRARIES:
        record = record_of(library)
        with open(record, "wb") as file, gzip.GzipFile(fileobj=file, mode="wb", filename="", mtime=0) as packed:
            packed.write(abi_of(work, library))
        print(f"{record}: {record.stat().st_size} bytes")


class Package(unittest.TestCase):
    work = Path()
    options = []

    @classmethod
    def setUpClass(cls):
        for part in ("prefix", "moved", "consumer", "refused"):
            shutil.rmtree(cls.work / part, ignore_errors=True)
        cls.options = ["-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug", *cls.options]
        build = cls.work / "build"
        run("cmake", "-S", SOURCE, "-B", build, *cls.options, "-DBUILD_SHARED_LIBS=ON", f"-DKINDRED_LEVELS={LEVEL}")
        run("cmake", "--build", build)
        run("cmake", "--install", build, "--prefix", cls.work / "prefix")
        shutil.copytree(cls.work / "prefix", cls.work / "moved", symlinks=True)
        run("cmake", f"-DMANIFEST={build}/install_manifest.txt", "-P", SOURCE / "cmake/Uninstall.cmake")
        cls.libraries = cls.work / "moved/lib"
        cls.command = cls.work / "moved/bin/kindred"

    def test_uninstalling_leaves_nothing(self):
        self.assertEqual([path for path in (self.work / "prefix").rglob("*") if not path.is_dir()], [])

    def test_kernels_and_kokkos_are_not_installed(self):
        for name in ("include/kindred/memory/Workspace.hpp", "include/Kokkos_Core.hpp", "lib/kindred/kokkos", "lib/libkindred_core.a"):
            self.assertFalse((self.work / "moved" / name).exists(), name)

    def test_installed_headers_need_no_other_ones(self):
        include = self.work / "moved/include"
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder, "all.cpp")
            names = sorted(path.relative_to(include) for path in include.rglob("*.hpp"))
            self.assertGreater(len(names), 50)
            program.write_text("".join(f"#include <{name}>\n" for name in names), encoding="utf-8")
            run("c++", "-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I", include, program)

    def test_exports_the_public_interface_alone(self):
        checker = Path(__file__).parent / "check_symbols.py"
        for library in (self.libraries / "libkindred.so.0", self.libraries / "glibc-hwcaps" / LEVEL / "libkindred.so.0"):
            run(sys.executable, "-B", checker, library, SOURCE, "nm", "readelf")

    def test_a_program_uses_it_by_cmake(self):
        consumer = self.work / "consumer"
        run("cmake", "-S", Path(__file__).parent / "consumer", "-B", consumer, *self.options, f"-DCMAKE_PREFIX_PATH={self.work}/moved")
        run("cmake", "--build", consumer)
        run(consumer / "consumer")
        run(consumer / "sequences")

    def test_kernels_need_a_build_from_source(self):
        printed = run("cmake", "-S", Path(__file__).parent / "consumer", "-B", self.work / "refused", *self.options,
                      f"-DCMAKE_PREFIX_PATH={self.work}/moved", "-DCOMPONENTS=core", fails=True)
        self.assertIn("Kindred::core is for kernels of your own", printed)

    def test_programs_use_it_by_pkg_config(self):
        printed = {}
        for name, compiler, source in (("kindred", "c++ -std=c++20", "tests/consumers/Consumer.cpp"), ("kindred-c", "cc -std=c99", "examples/c/Main.c"),
                                       ("kindred-sequence", "c++ -std=c++20", "tests/consumers/Sequences.cpp")):
            flags = run("pkg-config", "--cflags", "--libs", name, PKG_CONFIG_PATH=str(self.libraries / "pkgconfig")).split()
            run(*compiler.split(), SOURCE / source, *flags, "-o", self.work / name)
            printed[name] = run(self.work / name, LD_LIBRARY_PATH=str(self.libraries))
        self.assertEqual(printed["kindred-c"], (SOURCE / "examples/c/expected.txt").read_text(encoding="utf-8"))

    def loaded(self, *loader, **environment):
        """The library that the command loads, relative to the folder of libraries."""
        path = json.loads(run(*loader, self.command, "info", "--json", **environment))["library"]
        return Path(path).relative_to(self.libraries.resolve()).as_posix()

    @unittest.skipUnless(platform.machine() == "x86_64", "levels are those of x86-64")
    def test_the_machine_chooses_the_level(self):
        version = re.search(r"project\(Kindred VERSION ([\d.]+)", (SOURCE / "CMakeLists.txt").read_text(encoding="utf-8"))[1]
        plain, best = f"libkindred.so.{version}", f"glibc-hwcaps/{LEVEL}/libkindred.so.{version}"
        loader = "/lib64/ld-linux-x86-64.so.2"
        supported = re.search(rf"{LEVEL} \(supported", run(loader, "--help"))
        self.assertEqual(self.loaded(), best if supported else plain)
        self.assertEqual(self.loaded(GLIBC_TUNABLES="glibc.cpu.hwcaps=-AVX2"), plain)
        # With a policy of waiting, the command does not start itself again, which would not be through the loader.
        self.assertEqual(self.loaded(loader, "--glibc-hwcaps-mask", "x86-64-v2", OMP_WAIT_POLICY="passive"), plain)

    def test_a_native_library_is_refused(self):
        for option in ("-DKINDRED_ARCH=native", "-DCMAKE_CXX_FLAGS=-march=native"):
            printed = run("cmake", "-S", SOURCE, "-B", self.work / "refused", *self.options, "-DBUILD_SHARED_LIBS=ON", option, fails=True)
            self.assertIn("is for other machines too", printed)
            shutil.rmtree(self.work / "refused")

    @unittest.skipUnless(shutil.which("abidiff"), "needs Debian's abigail-tools")
    def test_the_binary_interfaces_are_those_of_the_release(self):
        """Additions are compatible, and so is the growth of structs that know their size; what was removed or changed breaks programs that
        were compiled before."""
        for library in LIBRARIES:
            with self.subTest(library), tempfile.TemporaryDirectory() as folder:
                record = record_of(library)
                self.assertTrue(record.exists(), f"the interface of {library} was never recorded: {sys.argv[0]} {self.work} --write-abi")
                old, new = Path(folder, "old.abi"), Path(folder, "new.abi")
                old.write_bytes(gzip.decompress(record.read_bytes()))
                new.write_bytes(without_growth(abi_of(self.work, library), old.read_bytes()))
                done = subprocess.run(["abidiff", "--no-added-syms", old, new], capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, f"{done.stdout}{done.stderr}\nPrograms that were compiled with the last release would not work "
                                 "with this library. Keep the old functions and types beside the new ones; where that is not possible, raise the "
                                 f"version, whose first number is the SOVERSION, and then: {sys.argv[0]} {self.work} --write-abi (CONTRIBUTING.md)")


if __name__ == "__main__":
    Package.work, Package.options = Path(sys.argv[1]).resolve(), sys.argv[2:]
    if Package.options == ["--write-abi"]:
        write_abi(Package.work)
    else:
        with contextlib.suppress(FileExistsError):
            Package.work.mkdir(parents=True)
        unittest.main(argv=sys.argv[:1], verbosity=2)
