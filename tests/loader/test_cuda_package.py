#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Packs libraries as `./run package cuda` does, installs the results beside the program of packages and runs it.
Usage: test_cuda_package.py SOURCE INSTALLATION VERSION."""
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE, BUILT, VERSION = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
FOLDERS = ("cuda-80", "cuda-90")
# Each package of Debian, the package that it belongs to, and its library.
DEBIAN = {f"libkindred0-cuda_{VERSION}_amd64.deb": ("libkindred0", "libkindred"),
          f"libkindred-c0-cuda_{VERSION}_amd64.deb": ("libkindred-c0", "libkindred_c")}
TARBALL = f"kindred-{VERSION}-x86_64-linux-cuda.tar.gz"


def run(*command, **options):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True, **options).stdout


@unittest.skipUnless(shutil.which("dpkg-deb"), "there is no dpkg-deb")
class CudaPackage(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="kindred-test-")
        self.addCleanup(temporary.cleanup)
        self.root = Path(temporary.name)

    def pack(self, name):
        """The folder with what is made of the two libraries."""
        stage, made = self.root / name / "stage", self.root / name / "made"
        made.mkdir(parents=True)
        for folder in FOLDERS:
            libraries = stage / "lib/kindred" / folder
            shutil.copytree(BUILT / "lib/kindred" / folder, libraries, symlinks=True)
            shutil.copy(libraries / "libkindred.so.0", libraries / "libkindred_c.so.0")
            for _, library in DEBIAN.values():
                (libraries / f"{library}.txt").write_text(f"kindred {VERSION}\narchitecture {folder[-2]}.{folder[-1]}\ncuda 13.0\n")
        run("bash", "-euo", "pipefail", "-c", 'source cmake/package/cuda.sh; pack_cuda_libraries "$0" "$1"', stage, made, cwd=SOURCE,
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "version": VERSION, "SOURCE_DATE_EPOCH": "1795392000", "LC_ALL": "C.UTF-8"})
        return made

    def test_the_program_uses_what_is_unpacked_beside_it(self):
        made = self.pack("a")
        self.assertEqual({path.name for path in made.iterdir()}, {*DEBIAN, TARBALL, "SHA256SUMS-cuda"})
        run("sha256sum", "--check", "SHA256SUMS-cuda", cwd=made)
        prefix = self.root / f"kindred-{VERSION}-x86_64-linux"  # the folder of the tarball for hosts
        shutil.copytree(BUILT, prefix, symlinks=True)
        for folder in FOLDERS:
            shutil.rmtree(prefix / "lib/kindred" / folder)
        environment = {"LD_LIBRARY_PATH": str(prefix / "driver")}
        self.assertIn("host", run(prefix / "bin/kindred", env=environment).splitlines())
        run("tar", "-C", self.root, "-xzf", made / TARBALL)
        self.assertIn("cuda-90", run(prefix / "bin/kindred", env=environment).splitlines())

    def test_each_debian_package_belongs_to_one_version_of_its_library(self):
        made, owned = self.pack("a"), []
        for package, (needed, library) in DEBIAN.items():
            control = run("dpkg-deb", "--field", made / package)
            self.assertIn(f"Depends: {needed} (= {VERSION})\n", control)
            self.assertIn(f"Package: {needed}-cuda\n", control)
            files = run("dpkg-deb", "--contents", made / package)
            for folder in FOLDERS:
                for name in (f"{library}.so.0", f"{library}.txt"):
                    self.assertIn(f"./usr/lib/x86_64-linux-gnu/kindred/{folder}/{name}\n", files)
            self.assertIn(f"/usr/share/doc/{needed}-cuda/copyright", files)
            owned += [line.split()[5] for line in files.splitlines() if not line.startswith("d")]
        # Both can be installed.
        self.assertEqual(len(owned), len(set(owned)), owned)

    def test_the_same_libraries_make_the_same_bytes(self):
        first, second = self.pack("a"), self.pack("b")
        for name in (*DEBIAN, TARBALL):
            self.assertEqual((first / name).read_bytes(), (second / name).read_bytes(), name)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
