# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154,SC2034  # variables that other files of `run` set or read
# Kokkos: the user's, or built once into .deps from the pinned sources, for each compiler and GPU architecture.

kokkos_version=4.7.0
kokkos_archive=pygenten-0.1.5.tar.gz
kokkos_minimum=4.6
nvcc_flags=""  # while CMake tests the compiler

# fetch_kokkos: leaves the pinned sources of Kokkos and Kokkos Kernels in .deps/sources. They come in the source archive of a PyPI package.
fetch_kokkos() { [[ -e $deps/sources/.complete ]] || locked sources unpack_sources; }

unpack_sources() {
  [[ -e $deps/sources/.complete ]] && return
  local archive expected package=cmake/kokkos-source-package.txt work=$deps/unpacking
  rm -rf "$work" "$deps/sources"
  mkdir -p "$work/sources"
  if [[ -n ${KINDRED_DOWNLOADS:-} ]]; then
    archive=$KINDRED_DOWNLOADS/$kokkos_archive
    [[ -e $archive ]] || fail "$archive does not exist; on a machine with a network, ./run download FOLDER fetches it"
  else
    say "Kokkos $kokkos_version comes as source from the PyPI package $(sed 's/==/ /; s/ --.*//' "$package"), into $deps/sources"
    download_kokkos "$work"
    archive=$work/$kokkos_archive
  fi
  expected=$(sed -nE 's/.*--hash=sha256:([0-9a-f]{64}).*/\1/p' "$package")
  [[ $(sha256sum "$archive" | cut -d ' ' -f 1) == "$expected" ]] ||
    fail "$archive is damaged or another file: its SHA-256 is not $expected. Nothing of it was used; remove it and fetch it again"
  tar xzf "$archive" -C "$work/sources" --strip-components=2 --wildcards '*/tpls/kokkos' '*/tpls/kokkos-kernels' >"$deps/unpack.log" 2>&1 ||
    fail_after "$deps/unpack.log" "$archive could not be unpacked"
  touch "$work/sources/.complete"
  mv "$work/sources" "$deps/sources"
  rm -rf "$work"
}

# download_kokkos FOLDER: pip checks the hash.
download_kokkos() {
  venv_install cmake/kokkos-download-requirements.txt
  run_pip download --no-deps --no-build-isolation --no-binary :all: --require-hashes -r cmake/kokkos-source-package.txt -d "$1" && return
  if grep -q 'DO NOT MATCH THE HASHES' "$deps/pip.log"; then
    fail_after "$deps/pip.log" "the archive with the sources of Kokkos has another SHA-256 than cmake/kokkos-source-package.txt. Nothing of it was used"
  fi
  fail_after "$deps/pip.log" "the sources of Kokkos could not be downloaded. $network_advice"
}

# build_dependency NAME SOURCE COMPILER [CMAKE OPTIONS]: builds SOURCE, a folder of .deps/sources, and sets dependency_prefix to where it is
# installed. Another compiler, or other options, is another build.
build_dependency() {
  local name=$1 source=$2 compiler=$3 description
  shift 3
  # shellcheck disable=SC2086  # CXX may have arguments
  description="$($compiler --version | paste -sd ' ')|$(uname -m)|${CXXFLAGS:-}|$*"
  dependency_prefix=$PWD/$deps/$name-$(sha256sum <<<"$description" | cut -c1-8)
  [[ -e $dependency_prefix/.complete ]] && return
  fetch_kokkos
  locked "$(basename "$dependency_prefix")" build_into "$dependency_prefix" "$source" "$description" "$@"
}

# build_into PREFIX SOURCE DESCRIPTION [CMAKE OPTIONS]
build_into() {
  local prefix=$1 source=$2 description=$3 name work=$1-build
  shift 3
  [[ -e $prefix/.complete ]] && return
  name=$(basename "$prefix")
  say "building $name, once"
  rm -rf "$prefix" "$work"
  mkdir -p "$work"
  {
    NVCC_APPEND_FLAGS="$nvcc_flags" cmake -G Ninja -S "$deps/sources/$source" -B "$work" -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_STANDARD=20 \
      -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DBUILD_SHARED_LIBS=OFF -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib "$@" &&
      cmake --build "$work" --target install
  } >"$deps/$name.log" 2>&1 || { rm -rf "$work"; fail_after "$PWD/$deps/$name.log" "$name could not be built"; }
  rm -rf "$work"
  printf '%s\n' "$description" >"$prefix/.complete"
}

kokkos_options=(-DKokkos_ENABLE_OPENMP=ON -DKokkos_ENABLE_AGGRESSIVE_VECTORIZATION=ON -DKokkos_ENABLE_DEPRECATED_CODE_4=OFF)
# Few units: its headers take longer to compile than its sources.
kokkos_units=(-DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=10)

# find_kokkos: sets kokkos_dir to the folder of KokkosConfig.cmake: the user's, else the one built of the pinned sources.
find_kokkos() {
  local prefix prefixes
  if [[ -n ${Kokkos_DIR:-} ]]; then
    kokkos_dir=$Kokkos_DIR
    return
  fi
  if [[ -n ${Kokkos_ROOT:-} ]]; then
    require_kokkos_root
    has_cuda "$Kokkos_ROOT" || return 0
    say "Kokkos_ROOT=$Kokkos_ROOT has CUDA; what is built for the host takes another Kokkos"
  fi
  IFS=: read -r -a prefixes <<<"${CMAKE_PREFIX_PATH:-}:/usr/local:/usr"
  for prefix in "${prefixes[@]}"; do
    [[ -n $prefix ]] && config_of "$prefix" && not_older "$(version_of "$kokkos_dir")" "$kokkos_minimum" && ! has_cuda "$prefix" && return
  done
  build_dependency "kokkos-$kokkos_version-host" kokkos "${CXX:-c++}" "${kokkos_options[@]}" -DKokkos_ENABLE_SERIAL=OFF "${kokkos_units[@]}"
  kokkos_dir=$dependency_prefix/lib/cmake/Kokkos
}

# find_checking_kokkos: sets kokkos_dir to a build of the pinned sources that checks the bounds of views.
find_checking_kokkos() {
  build_dependency "kokkos-$kokkos_version-checking" kokkos "${CXX:-c++}" "${kokkos_options[@]}" -DKokkos_ENABLE_SERIAL=OFF \
    -DKokkos_ENABLE_DEBUG=ON -DKokkos_ENABLE_DEBUG_BOUNDS_CHECK=ON "${kokkos_units[@]}"
  kokkos_dir=$dependency_prefix/lib/cmake/Kokkos
}

# find_kokkos_kernels host|cuda: sets kokkos_kernels to the CMake options by which Kokkos Kernels is found, after find_kokkos or
# find_kokkos_for_cuda. Nothing is instantiated in it, so that it builds in seconds: what uses a kernel compiles it. Its own kernels are compared,
# so it gets no other libraries.
find_kokkos_kernels() {
  local options=(-DKokkosKernels_ENABLE_ALL_COMPONENTS=OFF -DKokkosKernels_ENABLE_COMPONENT_SPARSE=ON -DKokkosKernels_ADD_DEFAULT_ETI=OFF
    -DKokkosKernels_ENABLE_TPL_BLAS=OFF -DKokkosKernels_ENABLE_TPL_LAPACK=OFF)
  kokkos_kernels=()
  if [[ -n ${KokkosKernels_ROOT:-} ]]; then
    kokkos_kernels=("-DKokkosKernels_ROOT=$KokkosKernels_ROOT")
  elif [[ $1 == cuda && $kokkos_root == "$PWD/$deps/"* ]]; then
    local nvcc_flags=$cuda_flags
    build_dependency "kokkos-kernels-4.4.0-${kokkos_root##*/}" kokkos-kernels "$NVCC_WRAPPER_DEFAULT_COMPILER" "${options[@]}" \
      "-DKokkos_ROOT=$kokkos_root" "-DCMAKE_CXX_COMPILER=$kokkos_root/bin/nvcc_wrapper" -DKokkosKernels_ENABLE_TPL_CUBLAS=OFF \
      -DKokkosKernels_ENABLE_TPL_CUSPARSE=OFF -DKokkosKernels_ENABLE_TPL_CUSOLVER=OFF \
      "-DCMAKE_CXX_FLAGS=$cuda_flags -include $PWD/cmake/kokkos-cuda13.hpp"
    kokkos_kernels=("-DKokkosKernels_ROOT=$dependency_prefix")
  elif [[ $1 == host && $kokkos_dir == "$PWD/$deps/"* ]]; then
    build_dependency kokkos-kernels-4.4.0-host kokkos-kernels "${CXX:-c++}" "${options[@]}" "-DKokkos_DIR=$kokkos_dir"
    kokkos_kernels=("-DKokkosKernels_ROOT=$dependency_prefix")
  else
    say "Kokkos is not the one that ./run builds, so nothing is compared with Kokkos Kernels; KokkosKernels_ROOT names one that fits it"
  fi
}

# find_kokkos_for_cuda: sets kokkos_root to a Kokkos with CUDA, and cuda_flags to what Kindred is compiled with.
find_kokkos_for_cuda() {
  local architecture
  require_nvcc
  export NVCC_WRAPPER_DEFAULT_COMPILER=${NVCC_WRAPPER_DEFAULT_COMPILER:-${CXX:-g++}}
  if [[ -n ${Kokkos_ROOT:-} ]]; then
    require_kokkos_root
    has_cuda "$Kokkos_ROOT" || fail "Kokkos_ROOT=$Kokkos_ROOT is a Kokkos without CUDA: unset Kokkos_ROOT, and ./run builds one; or ./run build makes a host build with it"
    # Of its architectures (`AMPERE80;ZEN3`) the GPU's, whose digits nvcc takes.
    architecture=$(sed -nE '/^set\(Kokkos_ARCH /s/.*(VOLTA|TURING|AMPERE|ADA|HOPPER|BLACKWELL)([0-9]+).*/\2/p' "$kokkos_dir/KokkosConfigCommon.cmake" | head -n 1)
    [[ -n $architecture ]] || fail "$kokkos_dir/KokkosConfigCommon.cmake names no NVIDIA architecture in Kokkos_ARCH; build Kokkos with one, such as -DKokkos_ARCH_AMPERE80=ON"
    kokkos_root=$Kokkos_ROOT
  else
    choose_architecture
    architecture=$gpu_architecture
    fetch_kokkos
    # While CMake tests the compiler, nvcc_wrapper would ask for an architecture that CUDA 13 does not have.
    local nvcc_flags=-arch=sm_$architecture
    build_dependency "kokkos-$kokkos_version-cuda$nvcc_version-sm_$architecture" kokkos "$NVCC_WRAPPER_DEFAULT_COMPILER" "${kokkos_options[@]}" "${kokkos_units[@]}" \
      "-DCMAKE_CXX_COMPILER=$PWD/$deps/sources/kokkos/bin/nvcc_wrapper" -DKokkos_ENABLE_CUDA=ON "-DKokkos_ARCH_${kokkos_gpus[$architecture]}=ON" \
      -DKokkos_ENABLE_IMPL_VIEW_LEGACY=ON "-DCMAKE_CXX_FLAGS=-arch=sm_$architecture -include $PWD/cmake/kokkos-cuda13.hpp"
    kokkos_root=$dependency_prefix
  fi
  # Kokkos gives the same flag to what it compiles; nvcc_wrapper refuses two that differ.
  cuda_flags="-arch=sm_$architecture"
}

# config_of PREFIX: sets kokkos_dir to the folder of its KokkosConfig.cmake.
config_of() {
  local config
  for config in "$1"/lib*/cmake/Kokkos/KokkosConfig.cmake "$1"/lib/*/cmake/Kokkos/KokkosConfig.cmake; do
    [[ -e $config ]] && kokkos_dir=${config%/*} && return
  done
  return 1
}

version_of() { sed -nE 's/^set\(PACKAGE_VERSION "([0-9.]+)"\).*/\1/p' "$1/KokkosConfigVersion.cmake" 2>/dev/null | head -n 1; }

has_cuda() {
  local kokkos_dir
  config_of "$1" && grep -q '^set(Kokkos_DEVICES.*CUDA' "$kokkos_dir/KokkosConfigCommon.cmake"
}

require_kokkos_root() {
  local version
  config_of "$Kokkos_ROOT" || fail "Kokkos_ROOT=$Kokkos_ROOT holds no Kokkos (lib/cmake/Kokkos/KokkosConfig.cmake): set it to where Kokkos is installed, or unset it, and ./run builds one"
  version=$(version_of "$kokkos_dir")
  not_older "${version:-0}" "$kokkos_minimum" || fail "Kokkos_ROOT=$Kokkos_ROOT holds Kokkos ${version:-of an unknown version}; Kindred needs $kokkos_minimum or newer: set Kokkos_ROOT to such a one, or unset it, and ./run builds $kokkos_version"
}
