#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: compile_for.sh COMPILER OPTION... -- SOURCE...
# Checks that each SOURCE compiles with the options; prints those that do not, with the errors.
set -uo pipefail
options=()
while [[ $1 != -- ]]; do options+=("$1"); shift; done
shift
failed=0
for source in "$@"; do
  "${options[@]}" -std=c++20 -fsyntax-only -fopenmp -ffp-contract=off -DKINDRED_NO_CONTRACTION -Wall -Wextra -Werror \
    -Wno-error=maybe-uninitialized "$source" || { echo "does not compile: $source"; failed=1; }
done
exit "$failed"
