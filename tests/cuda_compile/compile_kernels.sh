#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: compile_kernels.sh ROOT KOKKOS WORK VERSION SOURCE ARCHITECTURES [NVCC OPTIONS]
# Compiles the kernels of SOURCE, a file of the repository ROOT, by the device pass of nvcc only. Fails if one calls a member that exists
# on the host only. ARCHITECTURES: `ends`, the oldest and the newest of those that Kindred is built for and this nvcc knows, or names
# such as 90a. KOKKOS holds sources of Kokkos, which are configured in WORK; VERSION the generated headers. Exits 77 with the reason
# where nvcc or those sources are missing.
set -euo pipefail
root=$1 kokkos=$2 work=$3 version=$4 source=$5 architectures=$6
shift 6
supported=(75 80 86 89 90 100 120)

skip() { echo "skipped: $*"; exit 77; }
PATH=$PATH:/usr/local/cuda/bin
command -v nvcc >/dev/null || skip "there is no nvcc in PATH or /usr/local/cuda/bin"
[[ -e $kokkos/CMakeLists.txt ]] ||
  skip "there are no sources of Kokkos in $kokkos: \`./run test\` puts them there, -DKINDRED_KOKKOS_SOURCE=... names others"
release=$(nvcc --version | sed -nE 's/.*release ([0-9]+)\..*/\1/p')
((release >= 12)) || skip "nvcc $release knows no C++20"
if [[ $architectures == ends ]]; then
  known=()
  for architecture in "${supported[@]}"; do
    if nvcc --list-gpu-arch | grep -qx "compute_$architecture"; then known+=("$architecture"); fi
  done
  architectures="${known[0]} ${known[-1]}"
fi

# The headers that belong to a configuration of Kokkos; nothing of it is built.
mkdir -p "$work"
exec 9>"$work/.lock"
flock 9
if [[ ! -e $work/.configured ]]; then
  NVCC_WRAPPER_DEFAULT_COMPILER=g++ NVCC_APPEND_FLAGS=-arch=sm_80 cmake -S "$kokkos" -B "$work" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_CXX_STANDARD=20 -DCMAKE_CXX_COMPILER="$kokkos/bin/nvcc_wrapper" \
    "-DCMAKE_CXX_FLAGS=-arch=sm_80 -include $root/cmake/kokkos-cuda13.hpp" -DKokkos_ENABLE_CUDA=ON -DKokkos_ENABLE_OPENMP=ON \
    -DKokkos_ARCH_AMPERE80=ON -DKokkos_ENABLE_IMPL_VIEW_LEGACY=ON >"$work/configure.log" 2>&1 || { cat "$work/configure.log"; exit 1; }
  touch "$work/.configured"
fi
flock -u 9

targets=()
for architecture in $architectures; do targets+=(-gencode "arch=compute_$architecture,code=sm_$architecture"); done
includes=()
for folder in core memory backends backends/vendor; do includes+=(-I "$root/$folder/include"); done
for folder in "$work" "$work/core/src" "$kokkos/core/src" "$kokkos/tpls/desul/include" "$kokkos/tpls/mdspan/include"; do
  includes+=(-isystem "$folder")
done
echo "$source for $architectures"
log=$work/$(basename "$source").$$.log
trap 'rm -f "$log"' EXIT
nvcc -x cu -fatbin -o /dev/null -std=c++20 -O1 -Xptxas -O1 -extended-lambda -fmad=false -DNDEBUG -Xcudafe --display_error_number \
  "${targets[@]}" -include "$root/cmake/kokkos-cuda13.hpp" -I "$version" "${includes[@]}" "$@" "$root/$source" >"$log" 2>&1 || { cat "$log"; exit 1; }
# nvcc only warns, and the kernel ends where it would call the function.
if grep -E 'calling a (constexpr )?__host__ function.*Kokkos ?::Cuda' "$log"; then
  echo "$source: a kernel calls a function that exists on the host only; declare it KOKKOS_INLINE_FUNCTION"
  exit 1
fi
