# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154,SC2034  # variables that other files of `run` set or read
# What a build for aarch64 on another machine needs: Debian's cross compiler, emulator and models of processors, its arm64 libraries, and Kokkos.

cross_packages=(g++-aarch64-linux-gnu qemu-user llvm-16)
arm64_packages=(libcli11-dev libfmt-dev libspdlog-dev nlohmann-json3-dev libxxhash-dev zlib1g-dev libzstd-dev libutf8proc-dev
  libhdf5-103-1 libdnnl-dev libopenblas-dev libgtest-dev libgmock-dev librapidcheck-dev)

# make_sysroot: leaves Debian's arm64_packages, with all that they depend on, in .deps/aarch64-sysroot: headers and libraries for the cross
# compiler and for qemu-user. Nothing is installed, the machine's own architectures stay as they are, and root's rights are not needed.
make_sysroot() {
  local folder=$deps/aarch64-sysroot work=$PWD/$deps/aarch64-sysroot-work apt archives archive link
  [[ -e $folder/.complete && $(<"$folder/.complete") == "${arm64_packages[*]}" ]] && return
  [[ -z ${KINDRED_DOWNLOADS:-} ]] || fail "a folder of downloads has no packages for aarch64: unset KINDRED_DOWNLOADS on a machine with a network, or copy its $folder"
  command -v apt-get >/dev/null || fail "this machine has no apt-get, which fetches Debian's arm64 packages: copy $folder from one that has it"
  say "unpacking Debian's arm64 packages into $folder, once"
  rm -rf "$folder" "$work"
  mkdir -p "$work"/{state/lists/partial,cache/archives/partial,root}
  : >"$work/status"
  apt=(apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o "Dir::State=$work/state" -o "Dir::State::status=$work/status"
    -o "Dir::Cache=$work/cache" -o APT::Sandbox::User=root -o APT::Install-Recommends=0)
  { "${apt[@]}" update && "${apt[@]}" install -y --download-only "${arm64_packages[@]}"; } >"$deps/apt.log" 2>&1 ||
    fail_after "$deps/apt.log" "the arm64 packages could not be fetched"
  archives=("$work"/cache/archives/*.deb)
  for archive in "${archives[@]}"; do
    dpkg-deb -x "$archive" "$work/root" 2>"$deps/unpack.log" || fail_after "$deps/unpack.log" "$archive could not be unpacked"
  done
  # Absolute links mean the root of the machine that they were made for.
  find "$work/root" -type l -lname '/*' | while IFS= read -r link; do ln -sfnr "$work/root$(readlink "$link")" "$link"; done
  printf '%s\n' "${arm64_packages[*]}" >"$work/root/.complete"
  mv "$work/root" "$folder"
  rm -rf "$work"
}

# find_kokkos_for_aarch64: sets kokkos_dir to the folder of KokkosConfig.cmake of the pinned sources, built with the cross compiler.
find_kokkos_for_aarch64() {
  make_sysroot
  build_dependency "kokkos-$kokkos_version-aarch64" kokkos aarch64-linux-gnu-g++ "${kokkos_options[@]}" -DKokkos_ENABLE_SERIAL=OFF \
    "-DCMAKE_TOOLCHAIN_FILE=$PWD/cmake/aarch64-linux-gnu.cmake"
  kokkos_dir=$dependency_prefix/lib/cmake/Kokkos
}
