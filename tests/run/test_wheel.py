#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`./run wheel cuda` on machines with and without nvcc, whose compilers only write small files."""
import shutil
import unittest
import zipfile

from machine import CMAKE, PYTHON, REPOSITORY, Machine

# Installs what was configured for.
INSTALLING = r"""
if [[ $1 == --install ]]; then
  echo "cmake $*" >>"$FAKES/log"
  folder=$4/lib/kindred/cuda-${2##*-}
  mkdir -p "$folder"
  cp /bin/true "$folder/libkindred.so.0"
  printf 'kindred 0.1.0\narchitecture %s.0\ncuda 13.0\n' "${2: -2:1}" >"$folder/libkindred.txt"
  exit
elif [[ $1 == --build && $2 == build/package-cuda-* ]]; then
  echo "cmake $*" >>"$FAKES/log"
  exit
elif [[ $* == *build/package-cuda-* ]]; then
  mkdir -p "$4"
fi
"""
PACKING = r"""
case $* in
  *cuda_wheel.py*) exec python3 "$@" ;;
  *auditwheel*) cp "${@: -1}" "$6" ;;
esac
"""


class Wheel(Machine):
    SOURCE = "source"

    def setUp(self):
        super().setUp()
        for name in ("cmake/package", "bindings/python/gpu"):
            shutil.copytree(REPOSITORY / name, self.root / name)
        shutil.copy(REPOSITORY / "LICENSE", self.root)
        self.program(self.fakes / "cmake", INSTALLING + CMAKE)
        self.program(self.root / ".venv/bin/python", PACKING + PYTHON)

    def test_for_gpus_has_the_libraries_of_each_architecture(self):
        self.nvcc()
        self.run_command("wheel", "cuda", SOURCE_DATE_EPOCH="1795392000")
        log = self.log()
        for architecture in ("80", "90"):
            configured = next(line for line in log if f"-B build/package-cuda-{architecture} " in line)
            for option in (f"-DCMAKE_CXX_FLAGS=-arch=sm_{architecture}", f"-DKINDRED_LEVEL_FOLDER=kindred/cuda-{architecture}", "-DKindred_ENABLE_CUBLASLT=ON"):
                self.assertIn(option, configured)
            self.assertIn(f"cmake --build build/package-cuda-{architecture} --target kindred_shared", log)
        completed = next(line for line in log if "auditwheel repair" in line)
        self.assertIn("--exclude libcuda.so.* --exclude libcublasLt.so.*", completed)
        made = list((self.root / "dist").iterdir())
        self.assertEqual([path.name for path in made], ["pykindred_cu13-0.1.0-py3-none-linux_x86_64.whl"])
        with zipfile.ZipFile(made[0]) as wheel:
            for architecture in ("80", "90"):
                self.assertIn(f"pykindred_cu13/lib/kindred/cuda-{architecture}/libkindred.so.0", wheel.namelist())

    def test_for_gpus_needs_nvcc_of_cuda_13(self):
        self.fails("wheel", "cuda", saying="there is no nvcc in CUDACXX, CUDA_HOME, PATH or /usr/local/cuda")
        self.nvcc()
        self.fails("wheel", "cuda", FAKE_NVCC="12.8", saying="pykindred-cu13 needs nvcc 13 or newer")
        self.fails("wheel", "cuda", Kokkos_ROOT="/usr", saying="unset Kokkos_ROOT")


if __name__ == "__main__":
    unittest.main()
