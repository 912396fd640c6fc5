# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.25)
# Writes the commit of SOURCE, and whether its files differ from it, to OUTPUT. An unchanged OUTPUT is not rewritten.
execute_process(COMMAND git -C "${SOURCE}" rev-parse --short=12 HEAD
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
execute_process(COMMAND git -C "${SOURCE}" status --porcelain --untracked-files=no
  OUTPUT_VARIABLE changes ERROR_QUIET)
if(failed)
  set(commit "unknown")
endif()
if(changes)
  set(dirty "true")
else()
  set(dirty "false")
endif()
file(CONFIGURE OUTPUT "${OUTPUT}" CONTENT
"#define KINDRED_COMMIT \"@commit@\"
#define KINDRED_COMMIT_DIRTY @dirty@
" @ONLY)
