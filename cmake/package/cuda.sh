# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154  # variables that other files of `run` set
# `./run package cuda` and `./run wheel cuda`: what is installed beside the packages for hosts to use NVIDIA GPUs. `run` sources this file after
# package.sh.

# Machine code is made for these, and PTX for newer GPUs; 90 also has the kernels for Hopper alone.
cuda_architectures=(80 90)
# Every machine with such a GPU has at least this level.
cuda_host_level=x86-64-v3

# The library and the component of each target.
declare -A cuda_libraries=([kindred_shared]=libkindred [kindred_c]=libkindred_c)
declare -A cuda_components=([kindred_shared]=libkindred0-cuda [kindred_c]=libkindred-c0-cuda)

# make_cuda_libraries ARCHITECTURE KOKKOS STAGE CUBLASLT TARGET...: installs libraries for a GPU architecture, built with the Kokkos in the prefix
# KOKKOS, in STAGE/lib/kindred/cuda-ARCHITECTURE. CUBLASLT is ON or OFF.
make_cuda_libraries() {
  local architecture=$1 kokkos=$2 stage=$3 cublaslt=$4 targets=("${@:5}") build=build/package-cuda-$1 target
  export NVCC_WRAPPER_DEFAULT_COMPILER=${NVCC_WRAPPER_DEFAULT_COMPILER:-g++}
  cmake -S . -B "$build" -G Ninja --log-level=WARNING -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_COMPILER=$kokkos/bin/nvcc_wrapper" \
    "-DCMAKE_CXX_FLAGS=-arch=sm_$architecture" "-DKokkos_ROOT=$kokkos" -DBUILD_SHARED_LIBS=ON -DKINDRED_LEVELS= \
    "-DKINDRED_LEVEL_FOLDER=kindred/cuda-$architecture" "-DKINDRED_ARCH=$cuda_host_level" -DKindred_ENABLE_TOOLS=OFF -DKindred_ENABLE_PERF=OFF \
    "-DKindred_ENABLE_CUBLASLT=$cublaslt" -DKindred_ENABLE_VENDOR_PLUGINS=ON -DCMAKE_DISABLE_FIND_PACKAGE_KokkosKernels=ON \
    -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_SKIP_INSTALL_RPATH=ON >/dev/null
  local size=
  if [[ $(nvcc --help) == *--compress-mode* ]]; then size=--compress-mode=size; fi
  NVCC_APPEND_FLAGS=$size cmake --build "$build" --target "${targets[@]}" >&2
  for target in "${targets[@]}"; do
    cmake --install "$build" --prefix "$stage" --component "${cuda_components[$target]}" --strip >/dev/null
    check_cuda_library "$architecture" "$stage/lib/kindred/cuda-$architecture/${cuda_libraries[$target]}.so.0" "$cublaslt"
  done
}

# check_cuda_library ARCHITECTURE LIBRARY CUBLASLT: fails if it lacks code for the architecture, or needs a library of the CUDA toolkit other than
# a cuBLASLt that is ON.
check_cuda_library() {
  local architecture=$1 library=$2 cublaslt=$3 code needed
  needed=$(readelf -d "$library" | sed -nE 's/.*NEEDED.*\[(lib(cudart|cublas|nv).*)\]/\1/p')
  [[ $cublaslt != ON ]] || needed=$(sed '/^libcublasLt\.so/d' <<<"$needed")
  [[ -z $needed ]] || fail "$library needs $needed, which machines without the CUDA toolkit do not have"
  command -v cuobjdump >/dev/null || { say "there is no cuobjdump: the code in $library was not checked"; return 0; }
  # A pattern that ends its input would stop cuobjdump.
  code=$(cuobjdump --list-elf --list-ptx "$library" | sed -nE 's/.*\.(sm_[0-9]+a?)\.(cubin|ptx)$/\1 \2/p' | sort | uniq -c)
  say "$library:"
  printf '%s\n' "$code" >&2
  grep -q " sm_$architecture cubin" <<<"$code" || fail "$library has no machine code for sm_$architecture"
  grep -q " sm_$architecture ptx" <<<"$code" || fail "$library has no PTX for newer GPUs"
  [[ $architecture != 90 ]] || grep -q " sm_90a cubin" <<<"$code" || fail "$library lacks the kernels for Hopper (sm_90a)"
}

# pack_cuda_libraries STAGE WORK: makes the Debian packages and the tarball, whose folder is that of the tarball for hosts, in WORK.
pack_cuda_libraries() {
  local stage=$1 work=$2 name=kindred-$version-x86_64-linux
  mkdir -p "$work/tarball"
  cp -a "$stage" "$work/tarball/$name"
  tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=go=u-w --format=gnu \
    -C "$work/tarball" -cf - "$name" | gzip -9n >"$work/$name-cuda.tar.gz"
  pack_cuda_library "$stage" "$work" libkindred0 libkindred "libraries of Kindred for NVIDIA GPUs" "The command kindred uses them"
  pack_cuda_library "$stage" "$work" libkindred-c0 libkindred_c "libraries of the C interface of Kindred for NVIDIA GPUs" "The library libkindred_c.so uses them"
  (cd "$work" && sha256sum ./*.deb ./*.tar.gz | sed 's# \./# #' >SHA256SUMS-cuda)
  rm -rf "$work/tarball" "$work/tree"
}

# pack_cuda_library STAGE WORK PACKAGE LIBRARY SUMMARY USE: makes the Debian package of a library, PACKAGE-cuda, which belongs to PACKAGE.
pack_cuda_library() {
  local stage=$1 work=$2 package=$3-cuda host=$3 library=$4 summary=$5 use=$6 path folder
  local tree=$work/tree/$package
  mkdir -p "$tree/DEBIAN" "$tree/usr/share/doc/$package"
  for path in "$stage"/lib/kindred/cuda-*; do
    folder=$tree/usr/lib/x86_64-linux-gnu/kindred/${path##*/}
    mkdir -p "$folder"
    cp -a "$path/$library".* "$folder"
  done
  cp cmake/package/copyright "$tree/usr/share/doc/$package/copyright"
  cat >"$tree/DEBIAN/control" <<TEXT
Package: $package
Source: kindred
Version: $version
Architecture: amd64
Section: libs
Priority: optional
Maintainer: ${KINDRED_MAINTAINER:-Kindred maintainers <noreply@kindred.invalid>}
Depends: $host (= $version)
Installed-Size: $(du -sk "$tree/usr" | cut -f1)
Description: $summary
 $use where the driver and a GPU of compute
 capability 8.0 or newer are found, and computes on the host otherwise.
TEXT
  find "$work/tree" -type d -exec chmod 755 {} +
  find "$tree/usr" -type f -exec chmod 644 {} +
  find "$work/tree" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
  dpkg-deb --root-owner-group -Zxz --build "$tree" "$work/${package}_${version}_amd64.deb" >/dev/null
}

make_cuda_packages() {
  local folder=${1:-dist} work=$PWD/build/package-cuda version architecture
  [[ $folder == /* ]] || folder=$started_in/$folder
  [[ $(uname -m) == x86_64 ]] || fail "packages are made on x86-64 machines; on this one ($(uname -m)), ./run build cuda builds for its GPU"
  [[ -z ${Kokkos_ROOT:-} ]] || fail "unset Kokkos_ROOT: a Kokkos is for one architecture, and these packages need one for each of ${cuda_architectures[*]}"
  mkdir -p "$folder" 2>/dev/null && [[ -w $folder ]] || fail "cannot write to $folder: name another folder, ./run package cuda FOLDER"
  require "${build_packages[@]}"
  use_unpacked
  version=$(sed -nE 's/^project\(Kindred VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
  SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(release_seconds)}
  export SOURCE_DATE_EPOCH LC_ALL=C.UTF-8 TZ=UTC
  umask 022
  rm -rf "$work"
  mkdir -p "$work/made"
  for architecture in "${cuda_architectures[@]}"; do
    KINDRED_CUDA_ARCH=$architecture find_kokkos_for_cuda
    # cuBLASLt is larger than all the rest, and not every machine with a driver has it: products on the device are Kindred's own.
    make_cuda_libraries "$architecture" "$kokkos_root" "$work/stage" OFF kindred_shared kindred_c
  done
  pack_cuda_libraries "$work/stage" "$work/made"
  mv "$work"/made/* "$folder"
  rm -rf "$work"
  say "made in $folder:"
  cat "$folder/SHA256SUMS-cuda"
}
