#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: compile_for.sh COMPILER OPTION... -- SOURCE...
# Checks that the SOURCEs compile with the options, as one translation unit, which reads Kokkos once.
set -euo pipefail
options=()
while [[ $1 != -- ]]; do options+=("$1"); shift; done
shift
for source in "$@"; do printf '#include "%s"\n' "$source"; done |
  "${options[@]}" -std=c++20 -fsyntax-only -fopenmp -ffp-contract=off -DKINDRED_NO_CONTRACTION -Wall -Wextra -Werror \
    -Wno-error=maybe-uninitialized -Wno-subobject-linkage -x c++ -
