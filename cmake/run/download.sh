# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154,SC2034  # variables that other files of `run` set or read
# Fills a folder for KINDRED_DOWNLOADS: the sources of Kokkos, Python packages and Debian packages.

# download_into FOLDER
download_into() {
  local folder=$1 file=cmake/kokkos-source-package.txt
  unset KINDRED_DOWNLOADS
  mkdir -p "$folder" 2>/dev/null || true
  [[ -d $folder && -w $folder ]] || fail "cannot write to $folder: name another folder"
  if ! sha256sum --quiet -c <(sed -nE "s#.*--hash=sha256:(\S+).*#\1  $folder/$kokkos_archive#p" "$file") >/dev/null 2>&1; then
    say "Kokkos $kokkos_version"
    rm -f "$folder/$kokkos_archive"
    download_kokkos "$folder"
  fi
  say "Python packages of the tests"
  locked python make_venv
  # Compiled for any processor of this architecture.
  HNSWLIB_NO_NATIVE=1 run_pip wheel -w "$folder" -r tests/outside/requirements.txt -r bindings/python/wheel-requirements.txt \
    -r tests/python/requirements.txt ||
    fail_after "$deps/pip.log" "the Python packages of the tests could not be downloaded"
  fetch_rapidfuzz_tests "$folder"
  download_packages "$folder"
  say "$folder is complete: KINDRED_DOWNLOADS=FOLDER ./run … takes everything from it, without a network"
}

# download_packages FOLDER: Debian packages that a new Debian 12 lacks.
download_packages() {
  local folder=$1 work names
  if ! is_debian_12 || ! command -v apt-get >/dev/null; then
    say "this machine is not Debian 12: the folder has no Debian packages; its own must be installed where it is used"
    return
  fi
  work=$(mktemp -d)
  : >"$work/status"
  packages_of_new_system "$work/status" "$(dpkg-query -W -f='${Package} ${Priority}\n' | sed -n 's/ required$//p' | paste -sd ' ')" >"$work/present"
  packages_of_new_system "$work/status" "${build_packages[*]} ${test_packages[*]}" >"$work/needed"
  mapfile -t names < <(grep -vxFf "$work/present" "$work/needed")
  rm -rf "$work"
  ((${#names[@]} > 0)) || fail "apt-get finds no packages: run apt-get update, then this command again"
  say "${#names[@]} Debian packages"
  (cd "$folder" && apt-get download "${names[@]}") >"$deps/apt.log" 2>&1 || fail_after "$deps/apt.log" "Debian packages could not be downloaded; apt-get update may be needed"
}

# packages_of_new_system STATUS NAMES: prints what apt installs where nothing is, if these packages are asked for.
packages_of_new_system() {
  # shellcheck disable=SC2086  # words
  apt-get -s -o "Dir::State::status=$1" install --no-install-recommends $2 2>/dev/null | sed -n 's/^Inst \([^ ]*\) .*/\1/p' | sort -u
}
