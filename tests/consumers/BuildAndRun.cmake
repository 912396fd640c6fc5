# SPDX-License-Identifier: Apache-2.0
# Installs Kindred (as_package), moves it to show that it is relocatable, then builds and runs the consumer against it.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN}\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE "${WORK}")
if(KIND STREQUAL "as_package")
  run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${WORK}/installed")
  file(RENAME "${WORK}/installed" "${WORK}/moved")
  list(APPEND OPTIONS "-DCMAKE_PREFIX_PATH=${WORK}/moved")
else()
  # What is shown is that it builds there: the code it gives was compiled with everything else.
  list(APPEND OPTIONS "-DKINDRED_SOURCE=${SOURCE}" "-DCMAKE_BUILD_TYPE=Debug" "-DCMAKE_CXX_FLAGS_DEBUG=-O0" "-DKINDRED_PRECOMPILE_HEADERS=ON")
endif()
run("${CMAKE_COMMAND}" -S "${SOURCE}/tests/consumers/${KIND}" -B "${WORK}/build" ${OPTIONS})
run("${CMAKE_COMMAND}" --build "${WORK}/build")
run("${WORK}/build/consumer")

# The consumer's own file was compiled with no path of Kokkos.
if(KIND STREQUAL "as_package")
  file(READ "${WORK}/build/compile_commands.json" commands)
  if(commands MATCHES "include/kokkos|KOKKOS_DEPENDENCE")
    message(FATAL_ERROR "the consumer was compiled with Kokkos: ${commands}")
  endif()
endif()
