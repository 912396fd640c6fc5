# SPDX-License-Identifier: Apache-2.0
"""The choice of the library: with a package of libraries for GPUs, whose place those for hosts take here."""
import os
import shutil
import unittest
from pathlib import Path

import pykindred
from pykindred._library import loaded_file
from support import folder_of, run

PROGRAM = """
    import numpy, pykindred
    from pykindred._library import loaded_file
    rows = numpy.eye(4, dtype=numpy.float32)
    assert pykindred.VectorIndex(rows).search(rows[2], 1)[1] == [2]
    print(pykindred.library.name)
    print(pykindred.library.why)
    print(loaded_file())
    print("libcublasLt" in open("/proc/self/maps").read())
"""


@unittest.skipUnless(Path(loaded_file()).name.startswith("libkindred"), "the extension contains the library")
@unittest.skipIf(pykindred.default_context().spaces()["cuda"]["compiled"], "the library of the build is not one for hosts")
class PackageForGpus(unittest.TestCase):
    def setUp(self):
        self.place = folder_of(self)
        for folder, architecture in (("cuda-80", "8.0"), ("cuda-90", "9.0")):
            libraries = self.place / "pykindred_cu13/lib/kindred" / folder
            libraries.mkdir(parents=True)
            shutil.copy(loaded_file(), libraries / "libkindred.so.0")
            (libraries / "libkindred.txt").write_text(f"kindred {pykindred.__version__}\narchitecture {architecture}\ncuda 13.0\n")
        (self.place / "pykindred_cu13/__init__.py").touch()
        # In another folder of sys.path than the package, as a namespace; any library will do.
        self.nvidia = self.place / "other/nvidia/cu13/lib"
        self.nvidia.mkdir(parents=True)
        shutil.copy(Path(pykindred._library._loader.__file__), self.nvidia / "libcublasLt.so.13")

    def run_program(self, **environment):
        # In a wheel, the libraries find the OpenMP runtime from where they were installed.
        runtime = Path(pykindred.__file__).parents[1] / "pykindred.libs"
        for name, folders in (("PYTHONPATH", (self.place, self.place / "other")),
                              ("LD_LIBRARY_PATH", (runtime,))):
            folders = *map(str, folders), os.environ.get(name)
            environment[name] = os.pathsep.join(filter(None, folders))
        return run(PROGRAM, **environment).splitlines()

    def test_is_used_where_it_is_requested_with_what_it_needs_of_nvidia(self):
        installed = str(self.place / "pykindred_cu13/lib/kindred")
        for folder in ("cuda-80", "cuda-90", "host"):
            name, why, path, needed = self.run_program(KINDRED_LIBRARY=folder)
            self.assertEqual((name, why, needed), (folder, "requested by KINDRED_LIBRARY", str(folder != "host")))
            self.assertEqual(path == f"{installed}/{folder}/libkindred.so.0", folder != "host")
            self.assertEqual("pykindred_cu13" in path, folder != "host")
        shutil.rmtree(self.place / "other")
        self.assertEqual(self.run_program(KINDRED_LIBRARY="cuda-90")[3], "False")

    def test_is_used_where_a_driver_finds_a_device(self):
        name, why, path, needed = self.run_program(KINDRED_LIBRARY="")
        if name == "host":
            self.assertRegex(why, "driver|device")
            self.assertNotIn("pykindred_cu13", path)
        else:
            self.assertRegex(why, "^the newest for device 0")
        self.assertEqual(needed, str(name != "host"))

    def test_a_name_that_is_not_installed_is_refused(self):
        message = "KINDRED_LIBRARY is 'cuda-75'; installed are host, cuda-90, cuda-80"
        with self.assertRaisesRegex(AssertionError, f"(?s)^status 1.*{message}"):
            self.run_program(KINDRED_LIBRARY="cuda-75")


if __name__ == "__main__":
    unittest.main()
