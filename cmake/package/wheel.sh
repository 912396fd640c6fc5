# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154  # variables that other files of `run` set
# The Python package as a wheel and as a source archive.

# make_wheel [FOLDER]: makes both and tests the wheel in a new virtual environment.
make_wheel() {
  local folder=${1:-$PWD/dist} work=$PWD/build/wheel made python=$PWD/.venv/bin/python
  [[ $folder == /* ]] || folder=$started_in/$folder
  require "${build_packages[@]}" python3-dev
  venv_install bindings/python/wheel-requirements.txt
  find_kokkos
  export Kokkos_DIR=$kokkos_dir
  ! command -v ccache >/dev/null || export CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_SLOPPINESS=pch_defines,time_macros
  rm -rf "$work/made" "$work/venv"
  mkdir -p "$folder" "$work/made"
  say "building the wheel; its log is $work/wheel.log"
  "$python" -m pip wheel -q --disable-pip-version-check --no-deps --no-build-isolation -w "$work/made" . >"$work/wheel.log" 2>&1 ||
    fail_after "$work/wheel.log" "the wheel could not be built"
  # Brings the OpenMP runtime, and gives the wheel the lowest tag that is true.
  PATH=$PWD/.venv/bin:$PATH "$python" -m auditwheel repair -w "$work/made" "$work/made"/pykindred-*-linux_*.whl >>"$work/wheel.log" 2>&1 ||
    fail_after "$work/wheel.log" "the wheel could not be completed"
  made=$(compgen -G "$work/made/pykindred-*manylinux*.whl")
  PYTHONPATH=bindings/python/backend "$python" -c 'import sys, kindred_build; kindred_build.build_sdist(sys.argv[1])' "$work/made" \
    >>"$work/wheel.log" 2>&1 || fail_after "$work/wheel.log" "the source archive could not be made"
  test_wheel "$made"
  cp "$made" "$work/made"/pykindred-*.tar.gz "$folder"
  say "$folder/$(basename "$made")"
}

# test_wheel WHEEL: installs it where there is nothing else, and runs the tests.
test_wheel() {
  local test source=(--timeout 15 --retries 3)
  [[ -z ${KINDRED_DOWNLOADS:-} ]] || source=(--no-index --find-links "$KINDRED_DOWNLOADS")
  "$(python_for_venv)" -m venv "$work/venv" >"$work/venv.log" 2>&1 || fail_after "$work/venv.log" "a virtual environment could not be made"
  "$work/venv/bin/python" -m pip install -q --disable-pip-version-check "${source[@]}" "$1" >"$work/venv.log" 2>&1 ||
    fail_after "$work/venv.log" "the wheel could not be installed"
  for test in tests/python/test_*.py; do
    (cd tests/python && env -u PYTHONPATH "$work/venv/bin/python" -B "$(basename "$test")") >"$work/test.log" 2>&1 ||
      fail_after "$work/test.log" "$test failed with the wheel"
  done
}
