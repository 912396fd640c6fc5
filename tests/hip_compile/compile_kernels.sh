#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: compile_kernels.sh ROOT KOKKOS WORK VERSION FOLDER
# Compiles the sources in core/src/FOLDER of the repository ROOT for one AMD architecture, without specialized forms: device code only.
# KOKKOS holds sources of Kokkos, which are configured in WORK; VERSION the generated headers. Exits 77 with the reason where hipcc or
# those sources are missing, or where Kokkos refuses this hipcc.
set -euo pipefail
root=$1 kokkos=$2 work=$3 version=$4 folder=$5
architecture=gfx90a  # MI200

skip() { echo "skipped: $*"; exit 77; }
command -v hipcc >/dev/null || skip "there is no hipcc: apt-get install hipcc"
[[ -e $kokkos/CMakeLists.txt ]] ||
  skip "there are no sources of Kokkos in $kokkos: \`./run test\` puts them there, -DKINDRED_KOKKOS_SOURCE=... names others"

# The headers that belong to a configuration of Kokkos; nothing of it is built. Debian has no rocThrust, which sorts Views: unused here.
mkdir -p "$work"
exec 9>"$work/.lock"
flock 9
if [[ ! -e $work/.configured ]]; then
  cmake -S "$kokkos" -B "$work" -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_STANDARD=20 -DCMAKE_CXX_COMPILER=hipcc -DKokkos_ENABLE_HIP=ON \
    "-DKokkos_ARCH_AMD_${architecture^^}=ON" -DKokkos_ENABLE_ROCTHRUST=OFF -DKokkos_ENABLE_IMPL_VIEW_LEGACY=ON >"$work/configure.log" 2>&1 || {
    cat "$work/configure.log"
    skip "Kokkos cannot be configured for $(hipcc --version 2>/dev/null | head -n 1)"
  }
  touch "$work/.configured"
fi
flock -u 9

includes=(-I "$version")
for part in core memory; do includes+=(-I "$root/$part/include"); done
for part in "$work" "$work/core/src" "$kokkos/core/src" "$kokkos/tpls/desul/include" "$kokkos/tpls/mdspan/include"; do
  includes+=(-isystem "$part")
done
for source in "$root/core/src/$folder"/*.cpp; do
  echo "${source#"$root/"}"
  hipcc "--offload-arch=$architecture" --cuda-device-only -c -o /dev/null -std=c++20 -O1 -ffp-contract=off -DKINDRED_NO_CONTRACTION \
    -DKINDRED_ENABLE_SPECIALIZED=0 -DNDEBUG -Wno-unused-command-line-argument -include "$root/tests/hip_compile/cuda_names.hpp" \
    "${includes[@]}" "$source"
done
