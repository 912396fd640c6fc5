# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# `./run package`: `run` sources this file. The Debian packages, the tarball and their checksums have the same bytes wherever and
# whenever they are made of one commit.

package_packages=(dpkg-dev file libbenchmark-dev)

# What the tarball takes from the system; all other libraries are in it.
tarball_takes='^(linux-vdso|ld-linux-x86-64|libc|libm|libstdc\+\+|libgcc_s|libgomp)\.so|^libkindred\.so'

# release_seconds: the time of the last commit, or without a repository the date of the newest release.
release_seconds() {
  git log -1 --format=%ct 2>/dev/null && return
  local date
  date=$(sed -nE 's/^## [0-9][^ ]* - ([0-9]{4}-[0-9]{2}-[0-9]{2})$/\1/p' CHANGELOG.md | head -n 1)
  [[ -n $date ]] || fail "no commit and no date of a release in CHANGELOG.md: set SOURCE_DATE_EPOCH to the seconds that the packages bear"
  date -u -d "$date" +%s
}

# configure_package [CMAKE OPTIONS]: leaves build/package configured for the shared library, of all levels of x86-64, and the commands.
configure_package() {
  local launcher=() levels=()
  command -v ccache >/dev/null && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  if [[ $(uname -m) == x86_64 ]]; then levels=("-DKINDRED_LEVELS=x86-64-v3;x86-64-v4"); else levels=(-DKINDRED_ARCH=); fi  # besides x86-64-v2
  cmake -S . -B build/package -G Ninja --log-level=WARNING -DCMAKE_BUILD_TYPE=Release "-DKokkos_DIR=$kokkos_dir" "${launcher[@]}" "${levels[@]}" \
    -DBUILD_SHARED_LIBS=ON -DKindred_ENABLE_PACKAGES=ON -DKindred_ENABLE_PERF=ON -DKindred_ENABLE_VENDOR_PLUGINS=ON \
    -DCMAKE_DISABLE_FIND_PACKAGE_KokkosKernels=ON "$@" >/dev/null
}

# make_debian_packages WORK
make_debian_packages() {
  local work=$1
  configure_package "-DCMAKE_INSTALL_LIBDIR=lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)" -DCMAKE_SKIP_INSTALL_RPATH=ON \
    -DKINDRED_ZSH_FOLDER=zsh/vendor-completions
  cmake --build build/package >&2
  (cd build/package && cpack -G DEB -B "$work/cpack") >"$work/cpack.log" 2>&1 ||
    { tail -n 30 "$work/cpack.log" >&2; fail "cpack made no packages; the whole log is $work/cpack.log"; }
  mv "$work"/cpack/*.deb "$work"
}

# make_tarball WORK: the installation as a folder that works wherever it is unpacked, with the libraries that not every machine has.
make_tarball() {
  local work=$1 name=kindred-$version-$(uname -m)-linux
  local stage=$work/tarball/$name library path package
  configure_package -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_SKIP_INSTALL_RPATH=OFF -DKINDRED_ZSH_FOLDER=zsh/site-functions
  cmake --build build/package >&2
  DESTDIR="" cmake --install build/package --prefix "$stage" --strip >/dev/null
  rm -rf "$stage/share/doc" "$stage/share/lintian"
  mkdir -p "$stage/lib/kindred" "$stage/share/doc/kindred"
  cp LICENSE CHANGELOG.md cmake/package/copyright "$stage/share/doc/kindred"
  while read -r library path; do
    [[ $library =~ $tarball_takes ]] && continue
    cp -L "$path" "$stage/lib/kindred/$library"
    package=$(dpkg-query -S "*$(readlink -f "$path" | sed 's#^/usr##')" | head -n 1 | cut -d: -f1)
    cp "/usr/share/doc/$package/copyright" "$stage/share/doc/kindred/copyright-$library"
  done < <(ldd "$stage"/bin/* "$stage"/lib/libkindred_c.so.0 "$stage"/lib/kindred/libkindred*_command.so | awk '$2 == "=>" { print $1, $3 }' | sort -u)
  find "$stage" -type d -exec chmod 755 {} +
  tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=go=u-w --format=gnu \
    -C "$work/tarball" -cf - "$name" | gzip -9n >"$work/$name.tar.gz"
}

make_packages() {
  local folder=${1:-dist} work=$PWD/build/package/made version
  [[ $folder == /* ]] || folder=$started_in/$folder
  [[ $(uname -m) == x86_64 ]] || fail "packages are made on x86-64 machines; on this one ($(uname -m)), ./run install builds and installs"
  mkdir -p "$folder" 2>/dev/null && [[ -w $folder ]] || fail "cannot write to $folder: name another folder, ./run package FOLDER"
  require "${build_packages[@]}" "${package_packages[@]}"
  use_unpacked
  version=$(sed -nE 's/^project\(Kindred VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
  SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(release_seconds)}
  export SOURCE_DATE_EPOCH LC_ALL=C.UTF-8 TZ=UTC CCACHE_SLOPPINESS=pch_defines,time_macros
  umask 022  # folders in the archives
  find_kokkos
  rm -rf "$work"
  mkdir -p "$work"
  make_debian_packages "$work"
  make_tarball "$work"
  (cd "$work" && sha256sum *.deb *.tar.gz >SHA256SUMS && mv *.deb *.tar.gz SHA256SUMS "$folder")
  rm -rf "$work"
  say "made in $folder:"
  cat "$folder/SHA256SUMS"
}
