# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154,SC2034  # variables that other files of `run` set or read
# The parts of the tests. Each function part_NAME sets up, builds and runs what its comment says; `./run test --part NAME` runs one.

# Parts of `./run test`; the last one ends with the summary of every test of the optimised build.
parts_of_a_change=(asan tests)
# Parts of `./run test --all`.
all_parts=(lint documents forms tests asan-all tsan no-fma assertions portable no-vendors mutation perf install wheel aarch64 packages)
# Labels of CTest that have a part of their own, when all parts run.
labels_of_parts='^(cuda_compile|hip_compile|instruction_sets|install|package|perf_smoke)$'

# run_parts PART...: runs each part in a process of its own; a part that fails does not stop the others.
run_parts() {
  local part options=() failed=()
  [[ $assume_yes == 0 ]] || options+=(-y)
  [[ $host_only == 0 ]] || options+=(--host)
  [[ $full == 1 ]] || ctest_arguments=(--short "${ctest_arguments[@]}")
  trap 'exit 130' INT
  for part in "$@"; do
    say "part $part"
    ./run test "${options[@]}" --part "$part" "${ctest_arguments[@]}" || failed+=("$part")
  done
  if [[ $all == 1 ]]; then
    python3 -B tests/docs/record_full_run.py build docs/testing.md
    say "recorded in docs/testing.md"
  fi
  ((${#failed[@]} == 0)) || fail "failed: ${failed[*]}; ./run test --part NAME runs one part"
}

# record PART STEP COMMAND...: runs the command, and records its seconds, or that it failed, and the commit, for the table of docs/testing.md.
record() {
  local part=$1 step=$2 begin=$SECONDS line commit
  shift 2
  line=$(printf '%s\t%s\t' "$part" "$step")
  commit=$(git rev-parse --short HEAD 2>/dev/null) || commit=unknown
  touch build/parts.tsv
  sed -i "/^$line/d" build/parts.tsv
  printf '%s\t%s\tfailed\t%s\n' "$part" "$step" "$commit" >>build/parts.tsv  # stays if the command ends the process
  "$@"
  sed -i "s/^$line.*/$line$((SECONDS - begin))\t$commit/" build/parts.tsv
}

# quietly PART PATTERN WHERE COMMAND...: runs tests with the output in build/PART.log and prints only the line of their counts, or everything
# if one fails.
quietly() {
  local log=build/$1.log pattern=$2 where=$3
  shift 3
  "$@" >"$log" 2>&1 || { cat "$log"; fail "tests failed $where"; }
  say "$(grep -E "$pattern" "$log") $where"
}

# run_tests PART PRESET WHERE [CTEST ARGUMENTS]: the step `tests` of the part, by CTest.
run_tests() {
  use_libraries
  record "$1" "tests" quietly "$1" 'tests passed' "$3" ctest --preset "$2" -j "$(nproc)" "${@:4}"
}

# What all parts need.
set_up() {
  if [[ $full == 1 ]]; then test_packages+=("$@"); fi
  require "${build_packages[@]}" "${test_packages[@]}"
  venv_install tests/outside/requirements.txt
  venv_install bindings/python/requirements.txt
  venv_install tests/python/requirements.txt
  fetch_rapidfuzz_tests "$deps/rapidfuzz"
  # Kernels are compiled for other GPUs than this machine's, against the sources.
  if find_nvcc; then fetch_kokkos; fi
  find_kokkos
  test_options=(-DKindred_ENABLE_TESTS=ON -DKindred_ENABLE_PERF=OFF "-DKindred_ENABLE_FULL_TESTS=$full" "-DKINDRED_FUZZ_SECONDS=$((full ? 60 : 3))")
  release_options=("${test_options[@]}" -DKindred_ENABLE_EXAMPLES=ON -DKindred_ENABLE_PYTHON=ON)
}

# build_for_tests PART [TARGETS]: the optimised host build with all tests, or the targets of it.
build_for_tests() {
  local kokkos_kernels=()
  if [[ $full == 1 ]]; then find_kokkos_kernels host; fi
  record "$1" "build" make_ready release "${2:-}" "${release_options[@]}" "${kokkos_kernels[@]}"
}

# Every test of the optimised build; on a machine with a GPU of NVIDIA, of the build for it.
part_tests() {
  local exclude=()
  set_up
  choose_preset
  if [[ $full == 1 ]]; then exclude=(-LE "$labels_of_parts"); fi
  if [[ $preset == cuda ]]; then
    local kokkos_kernels=()
    if [[ $full == 1 ]]; then
      find_kokkos_for_cuda
      find_kokkos_kernels cuda
    fi
    record tests "build for the GPU" make_ready cuda "" "${release_options[@]}" "${kokkos_kernels[@]}"
  fi
  if [[ $preset == release || $full == 1 ]]; then build_for_tests tests; fi
  use_libraries
  if [[ $preset == cuda && $full == 1 ]]; then
    record tests "tests without the GPU" quietly tests-of-the-host 'tests passed' "of the host build" ctest --preset release -j "$(nproc)" "${exclude[@]}"
  fi
  record tests "tests" ctest --preset "$preset" -j "$(nproc)" --output-log build/tests.log "${exclude[@]}" "$@"
}

# host_kernels PART: sets objects to a host build with its kernels, which a sanitizer does not check.
host_kernels() {
  objects=$PWD/build/release
  record "$1" "kernels" make_ready release kindred_core "${release_options[@]}"
}

# What reads input, owns memory or has a lifetime, under AddressSanitizer and UndefinedBehaviorSanitizer, and the fuzz targets. Without
# optimisation, this compiles in half the time.
part_asan() {
  local objects
  set_up
  host_kernels asan
  record asan "build" make_ready asan sanitized_tests "-DKINDRED_KERNELS_FROM=$objects" -DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O0 -DKindred_ENABLE_PYTHON=ON "${test_options[@]}"
  run_tests asan asan "under AddressSanitizer and UndefinedBehaviorSanitizer"
}

# Everything, and the kernels, under these sanitizers.
part_asan_all() {
  set_up
  record asan-all "build" make_ready asan "" -DKINDRED_KERNELS_FROM= -DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -DKindred_ENABLE_PYTHON=ON "${test_options[@]}"
  run_tests asan-all asan "under AddressSanitizer and UndefinedBehaviorSanitizer"
}

# What starts threads, under ThreadSanitizer.
part_tsan() {
  local objects
  set_up
  host_kernels tsan
  record tsan "build" make_ready tsan "" "-DKINDRED_KERNELS_FROM=$objects" "${test_options[@]}"
  use_libraries
  record tsan "tests" quietly tsan PASSED "under ThreadSanitizer" build/tsan/tests/test_threads
}

# The optimised build with a C library without FMA and AVX2, whose logarithms have other bits.
part_no_fma() {
  set_up
  build_for_tests no-fma
  run_tests no-fma release-no-fma "with the C library kept from FMA and AVX2"
}

# Assertions of Kindred, of the C++ library, and Kokkos' checks of the bounds of views.
part_assertions() {
  set_up
  find_checking_kokkos
  local Kokkos_DIR=$kokkos_dir
  record assertions "build" make_ready debug "" "${test_options[@]}"
  run_tests assertions debug "with assertions"
}

# The portable forms of all kernels, compiled without the others, and no library of a vendor.
part_portable() {
  set_up
  record portable "build" make_ready portable "" "${test_options[@]}"
  run_tests portable portable "without specialized forms"
}

# Without oneDNN, OpenBLAS and HDF5.
part_no_vendors() {
  set_up
  # What reads HDF5 files or multiplies matrices; `ctest --preset no-vendors` runs these tests.
  record no-vendors "build" make_ready no-vendors "test_vendor test_vector test_layers test_bulk test_storage kindred"
  run_tests no-vendors no-vendors "without vendor libraries"
}

# Tests for aarch64 under an emulator.
part_aarch64() {
  set_up "${cross_packages[@]}"
  record aarch64 "build" make_ready aarch64 emulated_tests -DKindred_ENABLE_TESTS=ON
  run_tests aarch64 aarch64 "for aarch64, under qemu-user"
}

# labelled PART LABELS WHERE [PACKAGE...]: the optimised build and its tests with these labels.
labelled() {
  set_up "${@:4}"
  build_for_tests "$1"
  run_tests "$1" release "$3" -L "$2"
}

# Forms of kernels for processors and GPUs that this machine does not have compile.
part_forms() { labelled forms '^(instruction_sets|cuda_compile|hip_compile)$' "of other processors and GPUs" "${cross_packages[@]}"; }

# Installations, programs that use one, and headers that compile alone.
part_install() { labelled install '^install$' "of installations" abigail-tools; }

# Whether the tests notice faults that are put into the sources.
part_mutation() {
  set_up
  build_for_tests mutation mutation_programs
  record mutation "tests" quietly mutation 'mutants killed, ' "by the mutation check" \
    python3 -B tests/mutation/run_mutants.py build/release/tests/mutation --jobs "$(nproc)"
}

# Runs some rows of kindred-perf beside their peers, and compares the ratios with those of the records.
ratios_of_peers() {
  build/release/perf/kindred-perf peers --tag nightly --seconds 1 --rounds 4 --python .venv/bin/python --out build/ratios.json &&
    python3 -B perf/results/records.py ratios build/ratios.json
}

# kindred-perf: all its subcommands at small sizes, the peers with it, limits of delays with a wide margin, and ratios to peers.
part_perf() {
  set_up
  venv_install perf/peers/requirements.txt
  release_options+=(-DKindred_ENABLE_PERF=ON)
  build_for_tests perf
  run_tests perf release "of kindred-perf" -L '^perf_smoke$' -j 1
  record perf "ratios" quietly ratios 'rows compared' "of kindred-perf" ratios_of_peers
}

part_documents() { record documents "site" command_docs; }
part_lint() { record lint "checks" command_lint; }

# The Debian packages: made twice with the same bytes, and installed on a new system.
part_packages() {
  set_up mmdebstrap lintian
  record packages "packages" command_package "$PWD/build/packages"
  build_for_tests packages kindred
  run_tests packages release "of packages" -L '^package$' -j 1
}

# `pip install .`, the wheel and the source archive.
part_wheel() {
  record wheel "wheel" command_wheel "$PWD/build/wheels"
}
