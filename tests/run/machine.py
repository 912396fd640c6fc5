# SPDX-License-Identifier: Apache-2.0
"""A machine for tests of `./run`: a copy of its scripts, and in PATH programs that record their arguments and pretend to work."""
import hashlib
import io
import os
import re
import shutil
import subprocess
import tarfile
import tempfile
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
COPIED = ("run", "cmake/run", "cmake/kokkos-cuda13.hpp", "cmake/kokkos-source-package.txt", "cmake/kokkos-download-requirements.txt",
          "CMakePresets.json", "tests/outside/requirements.txt", "tests/outside/rapidfuzz-source-package.txt",
          "bindings/python/requirements.txt", "bindings/python/wheel-requirements.txt", "tests/python/requirements.txt")
ARCHIVE = "pygenten-0.1.5.tar.gz"
CONFIGURED = "cmake -G Ninja -S .deps/sources/kokkos"  # a build of Kokkos

# Installs a Kokkos for `cmake -S`, and builds programs that print how they were started for `cmake --preset`.
CMAKE = r"""
echo "NVCC_APPEND_FLAGS=${NVCC_APPEND_FLAGS:-} Kokkos_ROOT=${Kokkos_ROOT:-} cmake $*" >>"$FAKES/log"
sleep "${FAKE_SLEEP:-0}"
[[ ${FAKE_CMAKE:-} != "$1" ]] || { echo "${FAKE_ERROR:-error: of the compiler}" >&2; exit 1; }
preset="" work="" prefix="" target=""
all=("$@")
for ((i = 0; i < ${#all[@]}; ++i)); do
  case ${all[i]} in
    --preset) preset=${all[i + 1]} ;;
    -B) work=${all[i + 1]} ;;
    --target) target=${all[i + 1]} ;;
    -DCMAKE_INSTALL_PREFIX=*) prefix=${all[i]#*=} ;;
  esac
done
if [[ $1 == --build && -z $preset ]]; then
  prefix=$(cat "$2/prefix")
  config=$prefix/lib/cmake/Kokkos
  mkdir -p "$config"
  touch "$config/KokkosConfig.cmake"
  echo 'set(PACKAGE_VERSION "4.7.0")' >"$config/KokkosConfigVersion.cmake"
elif [[ $1 == --build ]]; then
  program=build/$preset/examples/demo/kindred-demo
  mkdir -p "${program%/*}"
  printf '#!/bin/bash\necho "%s: $* libraries=$LD_LIBRARY_PATH cache=$XDG_CACHE_HOME"\n' "$preset" >"$program"
  chmod +x "$program"
elif [[ -n $preset ]]; then
  mkdir -p "build/$preset"
  for option in "$@"; do
    [[ $option != -D* ]] || { option=${option#-D}; echo "${option%%=*}:STRING=${option#*=}"; }
  done >"build/$preset/CMakeCache.txt"
else
  echo "$prefix" >"$work/prefix"
fi
"""
NVCC = r"""
case $1 in
  --version) echo "Cuda compilation tools, release ${FAKE_NVCC:-13.0}, V${FAKE_NVCC:-13.0}.88" ;;
  --list-gpu-arch) printf 'compute_%s\n' ${FAKE_ARCHITECTURES:-75 80 86 87 88 89 90 100 103 110 120 121} ;;
esac
"""
NVIDIA_SMI = r"""
[[ -n ${FAKE_GPU:-} ]] || { echo "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver."; exit 9; }
case ${1:-} in
  --query-gpu=compute_cap) printf '%s\n' $FAKE_GPU ;;
  *) echo "| NVIDIA-SMI 580.65   Driver Version: 580.65   CUDA Version: ${FAKE_DRIVER:-13.0}   |" ;;
esac
"""
DPKG_QUERY = r"""
for name in "$@"; do
  [[ $name == -* || " ${FAKE_MISSING:-} " == *" $name "* || -e $FAKES/not-installed-$name ]] || echo "$name install ok installed"
done
"""
PYTHON = r"""
echo "python $*" >>"$FAKES/log"
[[ $1 == -c ]] && exit 0
case ${FAKE_PIP:-}-$3 in
  network-*) echo "ERROR: Could not find a version that satisfies the requirement (from versions: none)"; exit 1 ;;
  hash-download) echo "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE"; exit 1 ;;
esac
[[ $3 != download ]] || cp "$FAKES/archive.tar.gz" "${@: -1}/pygenten-0.1.5.tar.gz"
"""
RECORD = r"""
echo "$(basename "$0") $*" >>"$FAKES/log"
"""
PROGRAMS = {"cmake": CMAKE, "nvidia-smi": NVIDIA_SMI, "dpkg-query": DPKG_QUERY, "apt-get": RECORD, "ctest": RECORD}


def archive_of(files):
    """A tar.gz of {name: bytes}."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(content), 0o755
            archive.addfile(member, io.BytesIO(content))
    return data.getvalue()


class Machine(unittest.TestCase):
    SOURCE = "a source"  # the folder of the repository

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="kindred-run-")).resolve()
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.root, self.fakes = self.folder / self.SOURCE, self.folder / "fakes"
        self.home, self.downloads = self.folder / "home", self.folder / "downloads"
        for folder in (self.root, self.fakes, self.home, self.downloads):
            folder.mkdir()
        for name in COPIED:
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (shutil.copytree if (REPOSITORY / name).is_dir() else shutil.copy)(REPOSITORY / name, self.root / name)
        self.replace("cmake/run/gpu.sh", r"^cuda_folders=.*$", f"cuda_folders=({self.folder}/cuda)")
        self.replace("cmake/run/gpu.sh", "command -v nvcc ", f"command -v {self.folder}/bin/nvcc ")
        self.replace("cmake/run/gpu.sh", r"^nvidia_proc=.*$", f"nvidia_proc={self.folder}/proc")
        self.replace("cmake/run/packages.sh", r"^os_release=.*$", f"os_release={self.folder}/os-release")
        self.replace("cmake/run/kokkos.sh", ":/usr/local:/usr", f":{self.folder}/usr")
        self.system("ubuntu", "24.04")
        for name, text in PROGRAMS.items():
            self.program(self.fakes / name, text)
        self.program(self.root / ".venv/bin/python", PYTHON)
        self.sources({})

    def replace(self, name, pattern, text):
        path = self.root / name
        changed, count = re.subn(pattern, text, path.read_text(), flags=re.M)
        self.assertEqual(count, 1, f"{pattern} in {name}")
        path.write_text(changed)

    def system(self, name, version):
        (self.folder / "os-release").write_text(f'ID={name}\nVERSION_ID="{version}"\n')

    def program(self, path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("#!/bin/bash\n" + text)
        path.chmod(0o755)

    def nvcc(self):
        self.program(self.folder / "cuda/bin/nvcc", NVCC)

    def sources(self, more):
        """The archive with the sources of Kokkos, which is expected, downloaded and in the folder of downloads."""
        data = archive_of({f"pygenten-0.1.5/tpls/{name}": content for name, content in {
            "kokkos/CMakeLists.txt": b"", "kokkos/bin/nvcc_wrapper": b"", "kokkos-kernels/CMakeLists.txt": b"", "json/file": b"", **more}.items()})
        (self.fakes / "archive.tar.gz").write_bytes(data)
        (self.downloads / ARCHIVE).write_bytes(data)
        self.replace("cmake/kokkos-source-package.txt", "sha256:[0-9a-f]+", "sha256:" + hashlib.sha256(data).hexdigest())

    def environment(self, settings):
        kept = {name: os.environ[name] for name in ("LANG", "TMPDIR") if name in os.environ}
        return {**kept, "PATH": f"{self.fakes}:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": str(self.home), "FAKES": str(self.fakes), **settings}

    def run_command(self, *arguments, status=0, prefix=(), **settings):
        done = subprocess.run([*prefix, str(self.root / "run"), *arguments], cwd=self.root, env=self.environment(settings),
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def fails(self, *arguments, saying, **settings):
        """The command fails with these words, without an error of the shell."""
        error = self.run_command(*arguments, status=1, **settings).stderr
        for words in (saying,) if isinstance(saying, str) else saying:
            self.assertIn(words, error)
        self.assertNotRegex(error, r"line \d+:")

    def kokkos_of_the_user(self, version, common=""):
        """Writes the configuration of an installed Kokkos. Returns its folder."""
        config = self.folder / "kokkos/lib/cmake/Kokkos"
        config.mkdir(parents=True, exist_ok=True)
        for name, text in (("", ""), ("Common", common), ("Version", f'set(PACKAGE_VERSION "{version}")\n')):
            (config / f"KokkosConfig{name}.cmake").write_text(text)
        return config

    def tests_pass(self, ctest='echo "100% tests passed"'):
        """Programs with which `./run test` succeeds."""
        self.program(self.fakes / "ctest", ctest)
        self.program(self.root / "build/tsan/tests/test_threads", "echo PASSED")

    def logged(self, words):
        """The first call since the last time whose line has these words."""
        return next(line for line in self.log() if words in line)

    def log(self):
        """How the programs were called since the last time."""
        path = self.fakes / "log"
        lines = path.read_text().splitlines() if path.exists() else []
        path.unlink(missing_ok=True)
        return lines

    def builds(self):
        return sorted(path.parent.name for path in (self.root / ".deps").glob("*/.complete") if path.parent.name.startswith("kokkos"))
