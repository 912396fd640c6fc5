# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154  # variables that other files of `run` set
# `./run wheel cuda`: the Python package with the libraries for NVIDIA GPUs. `run` sources this file after package.sh, cuda.sh and wheel.sh.

# make_cuda_wheel [FOLDER]
make_cuda_wheel() {
  local folder=${1:-dist} work=$PWD/build/wheel-cuda architecture
  [[ $folder == /* ]] || folder=$started_in/$folder
  [[ $(uname -m) == x86_64 ]] || fail "wheels are made on x86-64 machines; this one is $(uname -m)"
  [[ -z ${Kokkos_ROOT:-} ]] || fail "unset Kokkos_ROOT: a Kokkos is for one architecture, and the wheel needs one for each of ${cuda_architectures[*]}"
  require_nvcc
  not_older "$nvcc_version" 13.0 || fail "pykindred-cu13 needs nvcc 13 or newer; $nvcc is of CUDA $nvcc_version"
  mkdir -p "$folder" 2>/dev/null && [[ -w $folder ]] || fail "cannot write to $folder: name another folder, ./run wheel cuda FOLDER"
  require "${build_packages[@]}"
  venv_install bindings/python/wheel-requirements.txt
  use_unpacked
  SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(release_seconds)}
  export SOURCE_DATE_EPOCH LC_ALL=C.UTF-8 TZ=UTC
  umask 022
  rm -rf "$work"
  mkdir -p "$work/made"
  for architecture in "${cuda_architectures[@]}"; do
    KINDRED_CUDA_ARCH=$architecture find_kokkos_for_cuda
    make_cuda_libraries "$architecture" "$kokkos_root" "$work/stage" ON kindred_shared
  done
  pack_cuda_wheel "$work/stage" "$work"
  mv "$work/made"/*.whl "$folder"
  say "$(ls "$folder"/pykindred_cu13-*.whl)"
}

# pack_cuda_wheel STAGE WORK: leaves the wheel in WORK/made. It brings the OpenMP runtime; the driver is the machine's, and cuBLASLt in a package of
# NVIDIA.
pack_cuda_wheel() {
  local stage=$1 work=$2 python=$PWD/.venv/bin/python made
  mkdir -p "$work/plain" "$work/made"
  made=$("$python" -B cmake/package/cuda_wheel.py "$stage" "$work/plain") || fail "the wheel could not be made"
  repair_wheel "$made" "$work/made" --exclude 'libcuda.so.*' --exclude 'libcublasLt.so.*'
}
