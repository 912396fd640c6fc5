# SPDX-License-Identifier: Apache-2.0
"""The wheel of the libraries for GPUs, as `./run wheel cuda` makes it of libraries that were built."""
import base64
import hashlib
import os
import subprocess
import sys
import tempfile
import unittest
import zipfile
from email.parser import Parser
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
VERSION = "0.1.0"


class CudaWheel(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="kindred-test-")
        self.addCleanup(temporary.cleanup)
        self.root = Path(temporary.name)
        self.stage = self.root / "stage"
        for folder in ("cuda-80", "cuda-90"):
            self.library(folder)

    def library(self, folder, cuda="13.0", version=VERSION):
        place = self.stage / "lib/kindred" / folder
        place.mkdir(parents=True, exist_ok=True)
        (place / "libkindred.so.0.1.0").write_bytes(b"\x7fELF" + folder.encode() * 1000)
        (place / "libkindred.so.0").unlink(missing_ok=True)
        (place / "libkindred.so.0").symlink_to("libkindred.so.0.1.0")
        (place / "libkindred.txt").write_text(f"kindred {version}\narchitecture {folder[-2]}.{folder[-1]}\ncuda {cuda}\n")

    def make(self):
        folder = tempfile.mkdtemp(dir=self.root)
        done = subprocess.run([sys.executable, "-B", SOURCE / "cmake/package/cuda_wheel.py", self.stage, folder], capture_output=True, text=True,
                              env={**os.environ, "SOURCE_DATE_EPOCH": "1795392000"})
        return done.stdout.strip(), done.stderr.strip()

    def test_has_the_libraries_and_what_they_need(self):
        path, _ = self.make()
        self.assertEqual(Path(path).name, f"pykindred_cu13-{VERSION}-py3-none-linux_x86_64.whl")
        with zipfile.ZipFile(path) as wheel:
            files = {name: wheel.read(name) for name in wheel.namelist()}
        information = f"pykindred_cu13-{VERSION}.dist-info"
        self.assertEqual(set(files), {"pykindred_cu13/__init__.py", *(f"pykindred_cu13/lib/kindred/cuda-{architecture}/{name}" for architecture in (80, 90)
                                                                     for name in ("libkindred.so.0", "libkindred.txt")),
                                      *(f"{information}/{name}" for name in ("METADATA", "WHEEL", "RECORD", "licenses/LICENSE", "licenses/copyright"))})
        self.assertTrue(files["pykindred_cu13/lib/kindred/cuda-90/libkindred.so.0"].startswith(b"\x7fELFcuda-90"))
        metadata = Parser().parsestr(files[f"{information}/METADATA"].decode())
        self.assertEqual((metadata["Name"], metadata["Version"]), ("pykindred-cu13", VERSION))
        self.assertEqual(metadata.get_all("Requires-Dist"), [f"pykindred=={VERSION}", "nvidia-cublas>=13.0,<14"])
        self.assertIn("# pykindred-cu13", metadata.get_payload())
        recorded = [line.split(",") for line in files[f"{information}/RECORD"].decode().splitlines()]
        self.assertEqual({name for name, _, _ in recorded}, set(files))
        for name, digest, size in recorded:
            if name.endswith("RECORD"):
                continue
            self.assertEqual(digest, "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).decode().rstrip("="))
            self.assertEqual(int(size), len(files[name]))

    def test_the_same_libraries_make_the_same_bytes(self):
        (first, _), (second, _) = self.make(), self.make()
        self.assertEqual(Path(first).read_bytes(), Path(second).read_bytes())

    def test_pip_installs_it(self):
        if subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True).returncode != 0:
            self.skipTest(f"{sys.executable} has no pip")
        path, _ = self.make()
        subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--disable-pip-version-check", "--no-compile",
                        "--target", self.root / "installed", path], check=True, capture_output=True)
        self.assertTrue((self.root / "installed/pykindred_cu13/lib/kindred/cuda-80/libkindred.txt").exists())
        self.assertTrue(os.access(self.root / "installed/pykindred_cu13/lib/kindred/cuda-80/libkindred.so.0", os.R_OK | os.X_OK))

    def test_libraries_that_do_not_belong_together_are_refused(self):
        description, libraries = self.stage / "lib/kindred/cuda-80/libkindred.txt", self.stage / "lib/kindred"
        for change, message in (
                (lambda: self.library("cuda-80", version="0.0.9"), "the libraries are of different versions"),
                (lambda: [self.library(folder, cuda="12.8") for folder in ("cuda-80", "cuda-90")],
                 "the libraries are for CUDA 12.8, and pykindred-cu13 is for CUDA 13"),
                (lambda: description.write_text("architecture 8.0\n"), "lacks the versions"),
                (description.unlink, "libkindred.txt does not exist"),
                (lambda: (self.library("cuda-80", cuda="12.8"), (libraries / "cuda-90/libkindred.so.0").unlink()), "libkindred.so.0 does not exist"),
                (lambda: libraries.rename(self.root / "elsewhere"), "there are no folders")):
            change()
            self.assertIn(message, self.make()[1])


if __name__ == "__main__":
    unittest.main()
