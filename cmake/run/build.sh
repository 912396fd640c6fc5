# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154,SC2034  # variables that other files of `run` set or read
# Configures and builds the presets of CMakePresets.json.

exactly=""             # not empty: what a command switches off is switched off, although another command has it on
unpacked_libraries=""

# make_ready PRESET TARGETS [CMAKE OPTIONS]: configures build/PRESET and builds the targets, or everything where TARGETS is empty.
make_ready() { locked "build of $1" configure_and_build "$@"; }

configure_and_build() {
  local preset=$1 targets=$2
  shift 2
  configure "$preset" "$@"
  # shellcheck disable=SC2086  # words
  build "$preset" ${targets:+--target $targets}
}

build() { cmake --build --preset "$@" || fail_visibly "the build failed"; }

# configure PRESET [CMAKE OPTIONS]: leaves a configured build/PRESET. Nothing is done where it already is configured so.
configure() {
  local preset=$1 option options=() wanted=() fresh=() cache=build/$1/CMakeCache.txt
  shift
  use_unpacked
  if [[ $preset == cuda ]]; then
    find_kokkos_for_cuda
    options+=("-DCMAKE_CXX_FLAGS=$cuda_flags" "-DKokkos_ROOT=$kokkos_root")
    is_cached "$cache" "-DKokkos_ROOT=$kokkos_root" || fresh=(--fresh)  # its nvcc_wrapper is the compiler
    local -x Kokkos_ROOT=$kokkos_root  # the preset reads it
  else
    if [[ $preset == aarch64 ]]; then find_kokkos_for_aarch64; else find_kokkos; fi
    options+=("-DKokkos_DIR=$kokkos_dir")
  fi
  # ccache takes sources that use a precompiled header only with these two.
  command -v ccache >/dev/null &&
    options+=("-DCMAKE_CXX_COMPILER_LAUNCHER=env;CCACHE_SLOPPINESS=pch_defines,time_macros;ccache")
  for option in "${options[@]}" "$@"; do
    # What another command switched on stays, so that the commands do not configure the folder in turns.
    if [[ -n $exactly || $option != *=OFF ]] || ! is_cached "$cache" "${option%OFF}ON"; then wanted+=("$option"); fi
  done
  compiler_is_cached "$cache" || fresh=(--fresh)
  if [[ ${#fresh[@]} == 0 && build/$preset/.configured -nt CMakePresets.json ]]; then
    local same=1
    for option in "${wanted[@]}"; do is_cached "$cache" "$option" || same=0; done
    [[ $same == 0 ]] || return 0
  fi
  rm -f "build/$preset/.configured"
  cmake --preset "$preset" --log-level=WARNING "${fresh[@]}" "${wanted[@]}" >/dev/null || fail_visibly "the build could not be configured"
  touch "build/$preset/.configured"
}

# is_cached CACHE OPTION: whether the cache of CMake has the value of this option, -DNAME=VALUE.
is_cached() {
  local name=${2%%=*}
  [[ -e $1 ]] && grep -qxF -e "${name#-D}=${2#*=}" < <(sed -nE 's/^([A-Za-z_0-9]+):[A-Z]+=/\1=/p' "$1")
}

# compiler_is_cached CACHE: whether it is the compiler that CXX names, or that of the preset. Another compiler needs a new cache.
compiler_is_cached() {
  local compiler
  [[ -e $1 && -n ${CXX:-} && $preset != cuda && $preset != asan && $preset != aarch64 ]] || return 0
  compiler=$(command -v "${CXX%% *}") && is_cached "$1" "-DCMAKE_CXX_COMPILER=$compiler"
}

# use_libraries: programs that are run from here on find the libraries of unpacked packages.
use_libraries() { [[ -z $unpacked_libraries ]] || export LD_LIBRARY_PATH=$unpacked_libraries; }

# start PROGRAM ARGUMENTS...: replaces `run` by a program that was built.
start() {
  use_libraries
  exec "$@"
}
