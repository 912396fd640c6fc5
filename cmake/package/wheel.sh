# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154  # variables that other files of `run` set
# `./run wheel`: the Python package as a wheel and as a source archive. `run` sources this file after package.sh.

# make_wheel [FOLDER]: makes both, and tests each in a new virtual environment.
make_wheel() {
  local folder=${1:-dist} work=$PWD/build/wheel made python=$PWD/.venv/bin/python
  [[ $folder == /* ]] || folder=$started_in/$folder
  mkdir -p "$folder" 2>/dev/null && [[ -w $folder ]] || fail "cannot write to $folder: name another folder, ./run wheel FOLDER"
  require "${build_packages[@]}" python3-dev
  venv_install bindings/python/wheel-requirements.txt
  use_unpacked
  find_kokkos
  export Kokkos_DIR=$kokkos_dir
  rm -rf "$work/plain" "$work/made"
  mkdir -p "$work/plain" "$work/made"
  if [[ $(uname -m) == x86_64 ]]; then
    export KINDRED_ARCH=${KINDRED_ARCH-x86-64-v2} KINDRED_LEVELS=${KINDRED_LEVELS-x86-64-v3;x86-64-v4}
  else
    export KINDRED_ARCH=${KINDRED_ARCH-}  # the compiler's default
  fi
  say "building the wheel; its log is $work/wheel.log"
  compile_cached "$PWD" "$python" -m pip wheel -q --disable-pip-version-check --no-deps --no-build-isolation -w "$work/plain" . >"$work/wheel.log" 2>&1 ||
    fail_after "$work/wheel.log" "the wheel could not be built"
  made=$(compgen -G "$work/plain/pykindred-*.whl")
  repair_wheel "$made" "$work/made"
  PYTHONPATH=bindings/python/backend "$python" -B -c 'import sys, kindred_build; kindred_build.build_sdist(sys.argv[1])' "$work/made" \
    >>"$work/wheel.log" 2>&1 || fail_after "$work/wheel.log" "the source archive could not be made"
  test_wheel "$(compgen -G "$work/made/pykindred-*.whl")"
  test_source_archive "$(compgen -G "$work/made/pykindred-*.tar.gz")"
  for made in "$work/made"/*; do
    cp "$made" "$folder"
    say "$folder/${made##*/}: $(stat -c %s "$made") bytes"
  done
}

# compile_cached FOLDER COMMAND...: ccache takes copies of the sources in different folders as the same.
compile_cached() {
  local folder=$1
  shift
  if command -v ccache >/dev/null; then
    CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_BASEDIR=$folder CCACHE_NOHASHDIR=1 "$@"
  else
    "$@"
  fi
}

# repair_wheel WHEEL FOLDER [OPTION...]: brings the OpenMP runtime, and gives the wheel the lowest tag that is true.
repair_wheel() {
  local log=$PWD/build/auditwheel.log
  # The levels of x86-64 are chosen when the package is imported.
  PATH=$PWD/.venv/bin:$PATH .venv/bin/python -m auditwheel repair --disable-isa-ext-check -w "$2" "${@:3}" "$1" >"$log" 2>&1 ||
    fail_after "$log" "the wheel ${1##*/} could not be completed"
}

# new_environment NAME ARGUMENTS...: sets environment to a new virtual environment, in which pip installs the arguments and nothing else.
new_environment() {
  environment=$work/$1
  rm -rf "$environment"
  "$(python_for_venv)" -m venv "$environment" >"$environment.log" 2>&1 || fail_after "$environment.log" "a virtual environment could not be made"
  install_in_environment "${@:2}"
}

# install_in_environment ARGUMENTS...: pip installs them in the environment.
install_in_environment() {
  local source=(--timeout 15 --retries 3) log=$environment.log
  [[ -z ${KINDRED_DOWNLOADS:-} ]] || source=(--no-index --find-links "$KINDRED_DOWNLOADS")
  "$environment/bin/python" -m pip install -q --disable-pip-version-check "${source[@]}" "$@" >"$log" 2>&1 ||
    fail_after "$log" "${1##*/} could not be installed"
}

# run_python_test TEST ARGUMENTS...: runs a test with the package of the environment, and without compilers. One that lacks what it compares with
# ends with 77.
run_python_test() {
  local test=$1 log=$work/test.log status=0
  (cd "$(dirname "$test")" && env -u PYTHONPATH -u LD_LIBRARY_PATH "PATH=$environment/bin" "$environment/bin/python" -B "$(basename "$test")" "${@:2}") \
    >"$log" 2>&1 || status=$?
  case $status in
    0) ;;
    77) say "${test##*/}: $(tail -n 1 "$log")" ;;
    *) fail_after "$log" "$test failed in $environment" ;;
  esac
}

# test_wheel WHEEL
test_wheel() {
  local environment test
  say "testing the wheel"
  new_environment environment "$1"
  run_python_test tests/packages/check_wheel.py "$1"
  sed -n 's/^measured: //p' "$work/test.log" >&2
  install_in_environment "hypothesis==$(sed -n 's/^hypothesis==//p' bindings/python/requirements.txt)"
  for test in tests/python/test_*.py; do
    run_python_test "$test"
  done
}

# test_source_archive ARCHIVE: builds it as any machine does that has a compiler, for its own level of x86-64.
test_source_archive() {
  local environment
  say "testing the source archive"
  export TMPDIR=$work/unpacked  # where pip unpacks and builds
  rm -rf "$TMPDIR"
  mkdir -p "$TMPDIR"
  unset KINDRED_ARCH KINDRED_LEVELS
  compile_cached "$TMPDIR" new_environment from-sources "$1"
  unset TMPDIR
  run_python_test tests/packages/check_one_level.py
  run_python_test tests/python/test_vector_index.py
  run_python_test tests/python/test_command.py
}
