# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154,SC2034  # variables that other files of `run` set or read
# Debian packages and Python packages: from the network, or from the folder KINDRED_DOWNLOADS.

os_release=/etc/os-release
unpacked=$deps/packages  # Debian packages of KINDRED_DOWNLOADS that are not installed

build_packages=(g++ cmake ninja-build ccache python3 python3-venv libcli11-dev libfmt-dev libspdlog-dev
  nlohmann-json3-dev libxxhash-dev zlib1g-dev libzstd-dev libutf8proc-dev libhdf5-103-1 libdnnl-dev libopenblas-dev wordnet-base)
test_packages=(libgtest-dev libgmock-dev librapidcheck-dev libbenchmark-dev clang libclang-rt-dev libomp-dev python3-dev
  pkgconf)
docs_packages=(doxygen doxygen-awesome-css python3 python3-venv)
lint_packages=(clang-format clang-tidy shellcheck)

# Packages whose program a machine may have from elsewhere, for machines other than Debian 12.
declare -A package_programs=([g++]=c++ [cmake]=cmake [ninja-build]=ninja [ccache]=ccache [python3]=python3 [python3-venv]=python3
  [clang]=clang++ [pkgconf]=pkg-config [clang-format]=clang-format [clang-tidy]=clang-tidy [doxygen]=doxygen)

network_advice="On a machine without a network, fill a folder by \`./run download FOLDER\` on one that has it, copy the folder, and set KINDRED_DOWNLOADS=FOLDER"

# shellcheck source=/dev/null
is_debian_12() { (. "$os_release" 2>/dev/null && [[ ${ID:-} == debian && ${VERSION_ID:-} == 12 ]]); }

can_be_root() { [[ $(id -u) == 0 ]] || sudo -n true 2>/dev/null; }

# missing_of PACKAGE...: sets missing to those that are not installed.
missing_of() {
  local installed
  installed=$(dpkg-query -W -f='${Package} ${Status}\n' "$@" 2>/dev/null | sed -n 's/ install ok installed$//p' || true)
  mapfile -t missing < <(printf '%s\n' "$@" | grep -vxF "$installed" || true)
}

# require PACKAGE...: installs what is missing of Debian's packages, after showing the line.
require() {
  local missing
  if ! command -v dpkg-query >/dev/null; then
    [[ -e $deps/.told ]] || say "this machine has no Debian packages; if the build misses something, install by the machine's own means: $*"
    touch "$deps/.told"
    return
  fi
  missing_of "$@"
  ((${#missing[@]} == 0)) && return
  if [[ -n ${KINDRED_DOWNLOADS:-} ]]; then
    require_from_folder "$KINDRED_DOWNLOADS"
    return
  fi
  command -v apt-get >/dev/null || fail "this machine has no apt-get; install by its own means: ${missing[*]}"
  local sudo=""
  [[ $(id -u) == 0 ]] || sudo=sudo
  local line="${sudo:+sudo }apt-get install -y --no-install-recommends ${missing[*]}"
  say "missing Debian packages; this installs them:"
  printf '  %sapt-get update && %s\n' "${sudo:+sudo }" "$line" >&2
  if [[ -n $sudo ]] && ! sudo -n true 2>/dev/null && ! { [[ -t 0 ]] && command -v sudo >/dev/null; }; then
    fail "not root: run the line above, then this command again"
  fi
  confirm
  export DEBIAN_FRONTEND=noninteractive
  { $sudo apt-get update -qq && $line -qq; } >"$deps/apt.log" 2>&1 || fail_after "$deps/apt.log" "Debian packages could not be installed. $network_advice"
}

confirm() {
  if [[ $assume_yes == 0 && -t 0 && -t 2 ]]; then
    local answer
    read -r -p "run it? [Y/n] " answer
    [[ -z $answer || $answer == [Yy]* ]] || fail "nothing was installed"
  fi
}

# require_from_folder FOLDER: takes the missing packages from the folder. They are installed on Debian 12 by root; otherwise, libraries and
# data are unpacked, and compilers and other programs must be there.
require_from_folder() {
  local folder=$1 name program programs=() absent=() wanted=() debs=() sudo=""
  if is_debian_12 && can_be_root; then
    [[ $(id -u) == 0 ]] || sudo=sudo
    for name in "${missing[@]}"; do compgen -G "$folder/${name}_*.deb" >/dev/null || absent+=("$name"); done
    ((${#absent[@]} == 0)) || fail "$folder lacks the packages ${absent[*]}; on a machine with a network, ./run download FOLDER fetches them"
    debs_of missing "${missing[@]}"
    say "installing ${#debs[@]} Debian packages from $folder: ${missing[*]}"
    confirm
    # Without sources of packages, apt takes nothing from a network.
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends -o Dir::Etc::sourcelist=/dev/null \
      -o Dir::Etc::sourceparts=/dev/null "${debs[@]}" >"$deps/apt.log" 2>&1 ||
      fail_after "$deps/apt.log" "the packages of $folder could not be installed"
    return
  fi
  for name in "${missing[@]}"; do
    program=${package_programs[$name]:-}
    if [[ -n $program ]]; then
      command -v "$program" >/dev/null || [[ $name == ccache ]] || programs+=("$name")
    elif compgen -G "$folder/${name}_*.deb" >/dev/null; then
      wanted+=("$name")
    else
      absent+=("$name")
    fi
  done
  ((${#programs[@]} == 0)) || fail "this machine has none of these programs, which only root can install: ${programs[*]} (names of Debian's packages)"
  ((${#absent[@]} == 0)) || fail "$folder lacks the packages ${absent[*]}; on a machine with a network, ./run download FOLDER fetches them"
  ((${#wanted[@]} == 0)) || locked packages unpack_packages "${wanted[@]}"
}

# debs_of all|missing PACKAGE...: sets debs to the files in `folder` of these packages and of what they depend on: all of it, or what is not installed.
debs_of() {
  local which=$1 queue=("${@:2}") seen=" " name file needed missing
  debs=()
  while ((${#queue[@]} > 0)); do
    name=${queue[0]} queue=("${queue[@]:1}")
    [[ $seen == *" $name "* ]] && continue
    seen+="$name "
    file=$(compgen -G "$folder/${name}_*.deb" | sort -V | tail -n 1) || continue
    [[ $which == all ]] || missing_of "$name"
    [[ $which == all || ${#missing[@]} -gt 0 ]] || continue
    debs+=("$file")
    needed=$(dpkg-deb -f "$file" Pre-Depends Depends | sed -E 's/^(Pre-)?Depends: //; s/\([^)]*\)//g; s/:[a-z]+//g; s/[|,]/ /g') ||
      fail "$file is no complete Debian package: copy it again"
    # shellcheck disable=SC2206  # words
    queue+=($needed)
  done
}

# Of the C library, the compilers' libraries and programs, the machine's own are used.
of_the_machine='^(libc6|libc6-dev|libc-bin|libc-dev-bin|linux-libc-dev|libgcc-.*|libstdc\+\+.*|gcc.*|g\+\+.*|cpp.*|binutils.*|libcrypt.*|libgomp1|python3.*|libpython3.*|perl.*|dpkg.*|debconf|libasan.*|libubsan.*|libtsan.*|liblsan.*)_'

unpack_packages() {
  local file name folder=$KINDRED_DOWNLOADS debs
  debs_of all "$@"  # a package for development names files of the library's package, and expects them beside its own
  for file in "${debs[@]}"; do
    name=$(basename "$file")
    [[ $name =~ $of_the_machine || -e $unpacked/.complete/$name ]] && continue
    say "unpacking $name into $unpacked"
    mkdir -p "$unpacked/.complete"
    dpkg-deb -x "$file" "$unpacked" 2>"$deps/unpack.log" || fail_after "$deps/unpack.log" "$file could not be unpacked"
    touch "$unpacked/.complete/$name"
  done
  # Where the machine has a library of the same name, its own is loaded.
  [[ ! -d $unpacked/usr/lib ]] || find "$unpacked/usr/lib" -name 'lib*.so.*' -printf '%f %p\n' |
    awk 'NR == FNR {own[$1]; next} $1 in own {print $2}' <(PATH=$PATH:/sbin ldconfig -p) - | xargs -r -d '\n' rm -f
}

# use_unpacked: programs that are built with unpacked packages find their libraries.
use_unpacked() {
  [[ -d $unpacked ]] || return 0
  local usr=$PWD/$unpacked/usr libraries
  libraries=$(find "$usr/lib" -name 'lib*.so.*' -printf '%h\n' | sort -u | paste -sd :)
  export CMAKE_PREFIX_PATH=$usr${CMAKE_PREFIX_PATH:+:$CMAKE_PREFIX_PATH}
  unpacked_libraries=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
}

# A Python that can make virtual environments.
python_for_venv() {
  local candidate
  for candidate in python3 /usr/bin/python3 python3.11; do
    if "$candidate" -c 'import sys, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
      echo "$candidate"
      return
    fi
  done
  fail "needs Python >= 3.10 with venv (Debian's python3 and python3-venv)"
}

make_venv() {
  .venv/bin/python -c 'import pip' 2>/dev/null && return
  rm -rf .venv
  "$(python_for_venv)" -m venv .venv >"$deps/venv.log" 2>&1 || fail_after "$deps/venv.log" "the virtual environment .venv could not be made"
}

# run_pip ARGUMENTS...: pip of .venv; nothing is downloaded with KINDRED_DOWNLOADS.
run_pip() {
  local source=(--timeout 15 --retries 3)
  [[ -z ${KINDRED_DOWNLOADS:-} ]] || source=(--no-index --find-links "$KINDRED_DOWNLOADS")
  .venv/bin/python -m pip "$1" -q --disable-pip-version-check "${source[@]}" "${@:2}" >"$deps/pip.log" 2>&1
}

# venv_install REQUIREMENTS: the virtual environment of the project holds what the file pins.
venv_install() {
  local stamp
  # With the files that it takes up: a new version there is one here.
  stamp=.venv/installed-$( (cat "$1"; sed -n "s#^-r #$(dirname "$1")/#p" "$1" | xargs -r cat) | sha256sum | cut -c1-16)
  [[ -e $stamp ]] || locked python install_requirements "$1" "$stamp"
}

install_requirements() {
  [[ -e $2 ]] && return
  make_venv
  run_pip install -r "$1" || fail_after "$deps/pip.log" "the Python packages of $1 could not be installed. $network_advice"
  touch "$2"
}

# fetch_rapidfuzz_tests FOLDER: the source archive of RapidFuzz, whose tests run against pykindred. Without it, they are skipped.
fetch_rapidfuzz_tests() {
  local folder=$1 package=tests/outside/rapidfuzz-source-package.txt
  local archive sum
  archive=$(sed -nE 's#^rapidfuzz==([^ ]+) .*#rapidfuzz-\1.tar.gz#p' "$package")
  sum=$(sed -nE 's#.*--hash=sha256:(\S+).*#\1#p' "$package")
  sha256sum --quiet -c <<<"$sum  $folder/$archive" >/dev/null 2>&1 && return
  mkdir -p "$folder"
  if [[ -n ${KINDRED_DOWNLOADS:-} ]]; then
    cp "$KINDRED_DOWNLOADS/$archive" "$folder/" 2>/dev/null || say "$KINDRED_DOWNLOADS has no $archive: the tests of RapidFuzz are skipped"
    return
  fi
  venv_install cmake/kokkos-download-requirements.txt
  # pip asks the build system for the name of the package, which compiles all of it if there is a compiler.
  CC=false CXX=false run_pip download --no-deps --no-build-isolation --no-binary :all: --require-hashes -r "$package" -d "$folder" ||
    say "$archive could not be downloaded: the tests of RapidFuzz are skipped"
}
