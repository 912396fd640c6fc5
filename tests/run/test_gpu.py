#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which kind of build `./run` makes on machines with and without an NVIDIA GPU, nvcc and a recent driver."""
import unittest

from machine import CMAKE, CONFIGURED, Machine


class WithGpuAndNvcc(Machine):
    SOURCE = "source"

    def setUp(self):
        super().setUp()
        self.nvcc()

    def test_demo_builds_kokkos_and_kindred_for_the_gpu(self):
        done = self.run_command("demo", "--top", "3", FAKE_GPU="9.0")
        self.assertIn("cuda: --top 3", done.stdout)
        log = self.log()
        kokkos = next(line for line in log if CONFIGURED in line)
        for words in ("NVCC_APPEND_FLAGS=-arch=sm_90 ", "-DKokkos_ENABLE_CUDA=ON", "-DKokkos_ARCH_HOPPER90=ON", "-DKokkos_ENABLE_OPENMP=ON",
                      "-DKokkos_ENABLE_IMPL_VIEW_LEGACY=ON", f"-DCMAKE_CXX_FLAGS=-arch=sm_90 -include {self.root}/cmake/kokkos-cuda13.hpp",
                      f"-DCMAKE_CXX_COMPILER={self.root}/.deps/sources/kokkos/bin/nvcc_wrapper"):
            self.assertIn(words, kokkos)
        kindred = next(line for line in log if "cmake --preset cuda" in line)
        prefix = self.root / ".deps" / self.builds()[0]
        self.assertRegex(prefix.name, r"^kokkos-4\.7\.0-cuda13\.0-sm_90-[0-9a-f]{8}$")
        for words in (f"Kokkos_ROOT={prefix} ", "-DCMAKE_CXX_FLAGS=-arch=sm_90", "-DKindred_ENABLE_TESTS=OFF"):
            self.assertIn(words, kindred)

    def test_a_second_run_configures_nothing(self):
        self.run_command("demo", FAKE_GPU="9.0")
        self.log()
        self.run_command("demo", FAKE_GPU="9.0")
        self.assertEqual([line.split("cmake ")[1] for line in self.log()], ["--build --preset cuda --target kindred-demo"])

    def test_another_gpu_is_another_build(self):
        self.run_command("build", "cuda", FAKE_GPU="9.0")
        self.run_command("build", "cuda", FAKE_GPU="8.0")
        self.run_command("build", "cuda", FAKE_GPU="9.0")
        self.assertEqual([name.split("-")[3] for name in self.builds()], ["sm_80", "sm_90"])

    def test_the_least_of_several_gpus_counts_that_can_be_used(self):
        self.run_command("build", "cuda", FAKE_GPU="9.0 7.0 8.6")
        self.assertIn("-DKokkos_ARCH_AMPERE86=ON", self.logged(CONFIGURED))

    def test_an_architecture_without_a_name_takes_the_next_older(self):
        error = self.run_command("build", "cuda", FAKE_GPU="12.1").stderr
        self.assertIn("compiling for sm_120, whose PTX the driver compiles for sm_121", error)
        self.assertIn("-DKokkos_ARCH_BLACKWELL120=ON", self.logged(CONFIGURED))
        self.run_command("build", "cuda", FAKE_GPU="12.0", FAKE_NVCC="12.4", FAKE_ARCHITECTURES="75 80 86 89 90")
        self.assertIn("-DKokkos_ARCH_HOPPER90=ON", self.logged(CONFIGURED))

    def test_the_host_can_be_asked_for(self):
        self.assertIn("release: ", self.run_command("demo", "--host", FAKE_GPU="9.0").stdout)
        self.assertIn("./run build cuda", self.run_command("build", FAKE_GPU="9.0").stderr)

    def test_tests_run_on_the_gpu_with_the_host_kernels_under_sanitizers(self):
        self.tests_pass('echo "ctest $*" >>"$FAKES/log"; echo "100% tests passed"')
        self.run_command("test", "-R", "x", FAKE_GPU="9.0")
        log = self.log()
        self.assertTrue(any(line.startswith("ctest --preset cuda") and line.endswith("-R x") for line in log))
        self.assertTrue(any(line.endswith("--build --preset release --target kindred_core") for line in log))
        self.assertEqual(len(self.builds()), 2)

    def test_peers_on_the_gpu_bring_the_kernels_of_that_kokkos(self):
        (self.root / "perf/peers").mkdir(parents=True)
        (self.root / "perf/peers/requirements.txt").write_text("numpy\n")
        self.program(self.fakes / "cmake", CMAKE + '[[ $1 != --build || -z $preset ]] || install -D "build/$preset/examples/demo/kindred-demo" "build/$preset/perf/kindred-perf"\n')
        done = self.run_command("perf", "peers", "--only", "hop", FAKE_GPU="9.0")
        self.assertIn("cuda: peers --python .venv/bin/python --only hop", done.stdout)
        log = self.log()
        kernels = next(line for line in log if "cmake -G Ninja -S .deps/sources/kokkos-kernels" in line)
        kokkos = next(self.root / ".deps" / name for name in self.builds() if name.startswith("kokkos-4"))
        for words in ("NVCC_APPEND_FLAGS=-arch=sm_90 ", f"-DKokkos_ROOT={kokkos} ", f"-DCMAKE_CXX_COMPILER={kokkos}/bin/nvcc_wrapper",
                      "-DKokkosKernels_ENABLE_TPL_CUBLAS=OFF", "-DKokkosKernels_ADD_DEFAULT_ETI=OFF"):
            self.assertIn(words, kernels)
        prefix = next(self.root / ".deps" / name for name in self.builds() if name.startswith("kokkos-kernels"))
        self.assertIn(f"-DKokkosKernels_ROOT={prefix}", next(line for line in log if "cmake --preset cuda" in line))

    def test_too_old_nvcc_or_driver(self):
        error = self.run_command("demo", FAKE_GPU="9.0", FAKE_NVCC="11.8").stderr
        self.assertIn("has CUDA 11.8, and Kindred needs 12.2: install NVIDIA's package cuda-toolkit", error)
        self.fails("build", "cuda", FAKE_GPU="9.0", FAKE_NVCC="12.1", saying="has CUDA 12.1; Kindred needs 12.2 or newer")
        done = self.run_command("demo", FAKE_GPU="9.0", FAKE_DRIVER="12.4")
        self.assertIn("release: ", done.stdout)
        self.assertIn("the driver runs programs of CUDA 12.4 at most", done.stderr)
        self.assertIn("install a newer driver, or set CUDA_HOME to a toolkit of CUDA 12", done.stderr)
        self.assertIn("cuda: ", self.run_command("demo", FAKE_GPU="9.0", FAKE_NVCC="12.9", FAKE_DRIVER="12.4").stdout)

    def test_a_gpu_that_is_too_old(self):
        self.assertIn("its compute capability is 7.0, and Kindred needs 7.5", self.run_command("demo", FAKE_GPU="7.0").stderr)
        self.fails("build", "cuda", FAKE_GPU="7.0", saying="compute capability 7.0; Kindred needs 7.5")

    def test_no_gpu(self):
        self.assertIn("release: ", self.run_command("demo").stdout)
        self.fails("build", "cuda", saying=("no NVIDIA GPU to compile for", "KINDRED_CUDA_ARCH=90 ./run build cuda"))
        self.fails("build", "cuda", KINDRED_CUDA_ARCH="hopper", saying="KINDRED_CUDA_ARCH=hopper is not a compute capability")
        self.fails("build", "cuda", KINDRED_CUDA_ARCH="70", saying="the least is 75")
        self.log()
        self.run_command("build", "cuda", KINDRED_CUDA_ARCH="80")
        self.assertIn("-DKokkos_ARCH_AMPERE80=ON", self.logged(CONFIGURED))

    def test_without_nvidia_smi_the_name_of_the_gpu_counts(self):
        for number, (name, architecture) in enumerate((("NVIDIA H200", "90"), ("Quadro RTX 5000", "75"), ("NVIDIA RTX 5000 Ada Generation", "89"),
                                                       ("NVIDIA GeForce RTX 5090", "120"), ("NVIDIA A100-SXM4-80GB", "80"), ("NVIDIA A10G", "86"))):
            with self.subTest(name):
                information = self.folder / "proc/gpus/0000:01:00.0/information"
                information.parent.mkdir(parents=True, exist_ok=True)
                information.write_text(f"Model: \t\t {name}\nIRQ: 7\n")
                self.run_command("build", "cuda")
                self.assertEqual(len(self.builds()), number + 1)
                self.assertTrue(any(f"-sm_{architecture}-" in build for build in self.builds()), self.builds())
        information.write_text("Model: \t NVIDIA Z1\n")
        self.fails("build", "cuda", saying="cannot find out the compute capability")
        self.assertIn("its compute capability is not known", self.run_command("demo").stderr)

    def test_a_kokkos_of_the_user(self):
        self.kokkos_of_the_user("4.6.1", "set(Kokkos_DEVICES OPENMP)\nset(Kokkos_ARCH )\n")
        root = str(self.folder / "kokkos")
        self.fails("build", "cuda", FAKE_GPU="9.0", Kokkos_ROOT=root, saying="is a Kokkos without CUDA")
        self.assertIn("is a Kokkos without CUDA", self.run_command("demo", FAKE_GPU="9.0", Kokkos_ROOT=root).stderr)
        self.kokkos_of_the_user("4.6.1", "set(Kokkos_DEVICES OPENMP;CUDA)\nset(Kokkos_ARCH HOPPER90;ZEN3)\n")
        self.log()
        self.run_command("demo", FAKE_GPU="8.0", Kokkos_ROOT=root)
        kindred = self.logged("cmake --preset cuda")
        self.assertIn("-DCMAKE_CXX_FLAGS=-arch=sm_90", kindred)
        self.assertIn(f"Kokkos_ROOT={root} ", kindred)
        self.assertEqual(self.builds(), [])


class InAFolderWithSpaces(Machine):
    def test_the_host_build_goes_on_because_nvcc_takes_no_such_path(self):
        self.nvcc()
        done = self.run_command("demo", FAKE_GPU="9.0")
        self.assertIn("release: ", done.stdout)
        self.assertIn("nvcc_wrapper takes no path with spaces", done.stderr)
        self.fails("build", "cuda", FAKE_GPU="9.0", saying="nvcc_wrapper takes no path with spaces")


class WithGpuAlone(Machine):
    SOURCE = "source"

    def test_the_host_build_goes_on_and_names_the_package(self):
        done = self.run_command("demo", FAKE_GPU="9.0")
        self.assertIn("release: ", done.stdout)
        self.assertIn("there is no nvcc in CUDACXX, CUDA_HOME, PATH or /usr/local/cuda. It comes with NVIDIA's package cuda-toolkit", done.stderr)
        self.fails("build", "cuda", FAKE_GPU="9.0", saying="it comes with NVIDIA's package cuda-toolkit")

    def test_nvcc_is_found_by_variables(self):
        self.nvcc()
        (self.folder / "cuda").rename(self.folder / "toolkit")
        self.assertIn("cuda: ", self.run_command("demo", FAKE_GPU="9.0", CUDA_HOME=str(self.folder / "toolkit")).stdout)
        self.assertIn("cuda: ", self.run_command("demo", FAKE_GPU="9.0", CUDACXX=str(self.folder / "toolkit/bin/nvcc")).stdout)


if __name__ == "__main__":
    unittest.main()
