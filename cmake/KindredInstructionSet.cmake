# SPDX-License-Identifier: Apache-2.0
# The instruction set of our own libraries. The default is a named one, the best that this machine has: what is installed runs on every
# machine with the same.

# kindred_instruction_set(<variable> <processor> <cpuinfo>): sets the variable to the highest level of x86-64 whose flags are in the file, as
# the system writes it, or for aarch64 to an architecture that the machine has. Empty, the compiler's default, where the file does not say.
function(kindred_instruction_set variable processor cpuinfo)
  set(${variable} "" PARENT_SCOPE)
  if(NOT EXISTS "${cpuinfo}")
    return()
  endif()
  file(STRINGS "${cpuinfo}" flags REGEX "^(flags|Features)[ \t]*:" LIMIT_COUNT 1)
  string(REGEX REPLACE "^[^:]*:" " " flags "${flags} ")
  if(processor MATCHES "^(aarch64|arm64)$" AND flags MATCHES " asimddp ")
    set(${variable} "armv8.2-a+dotprod" PARENT_SCOPE)
  elseif(processor MATCHES "^(x86_64|AMD64)$")
    # What each level adds to the one before.
    set(added_by_v2 cx16 lahf_lm pni popcnt sse4_1 sse4_2 ssse3)
    set(added_by_v3 abm avx avx2 bmi1 bmi2 f16c fma movbe xsave)
    set(added_by_v4 avx512bw avx512cd avx512dq avx512f avx512vl)
    foreach(level IN ITEMS v2 v3 v4)
      foreach(flag IN LISTS added_by_${level})
        if(NOT flags MATCHES " ${flag} ")
          return()
        endif()
      endforeach()
      set(${variable} "x86-64-${level}" PARENT_SCOPE)
    endforeach()
  endif()
endfunction()
