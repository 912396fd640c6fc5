#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`./run build aarch64`: what it unpacks of Debian's arm64 packages, and its Kokkos."""
import os
import unittest

from machine import Machine

APT_GET = r"""
echo "apt-get $*" >>"$FAKES/log"
[[ ${FAKE_APT:-} != "no network" ]] || { echo "E: Temporary failure resolving" >&2; exit 100; }
[[ " $* " != *" --download-only "* ]] || for option in "$@"; do
  [[ $option != Dir::Cache=* ]] || touch "${option#*=}/archives/libzstd-dev_1_arm64.deb"
done
"""
DPKG_DEB = r"""
mkdir -p "$3/usr/lib/aarch64-linux-gnu"
ln -sf /usr/lib/aarch64-linux-gnu/libzstd.so.1 "$3/usr/lib/aarch64-linux-gnu/libzstd.so"
"""


class Aarch64(Machine):
    def setUp(self):
        super().setUp()
        for name, text in {"apt-get": APT_GET, "dpkg-deb": DPKG_DEB, "aarch64-linux-gnu-g++": "echo g++"}.items():
            self.program(self.fakes / name, text)
        self.sysroot = self.root / ".deps/aarch64-sysroot"

    def test_has_libraries_and_a_kokkos_of_its_own(self):
        self.run_command("build", "aarch64")
        log = self.log()
        self.assertEqual(len(self.builds()), 1)
        kokkos = self.root / ".deps" / self.builds()[0]
        self.assertIn("-aarch64-", kokkos.name)
        built = next(line for line in log if "cmake -G Ninja -S .deps/sources/kokkos" in line)
        self.assertIn(f"-DCMAKE_TOOLCHAIN_FILE={self.root}/cmake/aarch64-linux-gnu.cmake", built)
        self.assertTrue(any("--preset aarch64" in line and f"-DKokkos_DIR={kokkos}/lib/cmake/Kokkos" in line for line in log))
        fetched = next(line for line in log if "--download-only" in line)
        self.assertIn("-o APT::Architecture=arm64", fetched)
        self.assertIn(" libzstd-dev ", fetched)
        self.assertEqual(os.readlink(self.sysroot / "usr/lib/aarch64-linux-gnu/libzstd.so"), "libzstd.so.1")
        self.run_command("build", "aarch64", CXX="g++")  # the compiler of other presets
        again = self.log()
        self.assertFalse(any("apt-get" in line or " -S " in line or "--log-level" in line for line in again), again)

    def test_packages_that_cannot_be_fetched(self):
        self.fails("build", "aarch64", FAKE_APT="no network", saying=("E: Temporary failure", "the arm64 packages could not be fetched"))
        self.assertFalse(self.sysroot.exists())
        self.fails("build", "aarch64", KINDRED_DOWNLOADS=str(self.downloads), saying="unset KINDRED_DOWNLOADS")
        self.run_command("build", "aarch64")
        self.assertTrue((self.sysroot / "usr/lib/aarch64-linux-gnu").is_dir())

    def test_other_packages_are_unpacked_anew(self):
        self.run_command("build", "aarch64")
        (self.sysroot / "stale").touch()
        (self.sysroot / ".complete").write_text("of an older version\n")
        self.run_command("build", "aarch64")
        self.assertFalse((self.sysroot / "stale").exists())


if __name__ == "__main__":
    unittest.main()
