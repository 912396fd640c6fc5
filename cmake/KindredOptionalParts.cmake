# SPDX-License-Identifier: Apache-2.0
# The tests and kindred-perf need libraries that nothing else does. Where one is missing, they are left out, and a line says so.

# kindred_leave_out(<option> <what> <found> <library> <package>)
function(kindred_leave_out option what found library package)
  if(${option} AND NOT found)
    message(NOTICE "Kindred: without ${what}, because ${library} was not found (Debian's package ${package}). -D${option}=OFF asks for this.")
    set(${option} OFF PARENT_SCOPE)
  endif()
endfunction()

if(Kindred_ENABLE_TESTS)
  find_package(GTest QUIET)
  find_library(KINDRED_RAPIDCHECK rapidcheck)
  kindred_leave_out(Kindred_ENABLE_TESTS "tests" "${GTest_FOUND}" GoogleTest libgtest-dev)
  kindred_leave_out(Kindred_ENABLE_TESTS "tests" "${KINDRED_RAPIDCHECK}" RapidCheck librapidcheck-dev)
endif()
if(Kindred_ENABLE_PERF)
  find_package(benchmark QUIET CONFIG)
  kindred_leave_out(Kindred_ENABLE_PERF "kindred-perf" "${benchmark_FOUND}" "Google Benchmark" libbenchmark-dev)
endif()
