# SPDX-License-Identifier: Apache-2.0
# Compile options and helper functions for all targets of the project.

set(KINDRED_SANITIZE "" CACHE STRING "Sanitizers to compile with, as -fsanitize names them")
option(Kindred_ENABLE_WARNINGS_AS_ERRORS "Treat warnings as errors" OFF)
option(Kindred_ENABLE_PRECOMPILED_HEADERS "Read the headers of Kokkos once per target" ON)
option(Kindred_ENABLE_UNITY_BUILD "Compile several sources of engines, commands, benchmarks and tests together" ON)

# kindred_no_contraction(<target> PRIVATE|INTERFACE): prevents contraction of a·b + c into a fused operation, as the same-bits
# guarantee requires, and defines a macro for headers (core/arch/RoundedProduct.hpp). kindred_kokkos_options does the same
# for device code compiled by nvcc.
function(kindred_no_contraction target scope)
  target_compile_options(${target} ${scope} "$<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>")
  target_compile_definitions(${target} ${scope} "$<$<COMPILE_LANGUAGE:CXX>:KINDRED_NO_CONTRACTION>")
endfunction()

# GCC collects its garbage only above 1 GiB, which most sources do not reach: 6 % less time.
set(kindred_garbage_options "$<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=1048576>")

# kindred_compile_options(<target>): language standard, instruction set, IEEE arithmetic without contraction, warnings. Except
# for the standard, these options are private and do not affect consumers.
function(kindred_compile_options target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  # Without errno, loops over square roots are vectorised; the bits are the same.
  target_compile_options(${target} PRIVATE -Wall -Wextra -fno-math-errno ${kindred_garbage_options})
  kindred_no_contraction(${target} PRIVATE)
  if(Kindred_ENABLE_PACKAGES)
    # The same bytes from every folder.
    target_compile_options(${target} PRIVATE "-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=" "-ffile-prefix-map=${PROJECT_BINARY_DIR}/=build/")
  endif()
  if(Kindred_ENABLE_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(KINDRED_ARCH)
    target_compile_options(${target} PRIVATE "-march=${KINDRED_ARCH}")
  endif()
  if(KINDRED_SANITIZE)
    # -Wno-tsan: ThreadSanitizer does not support the atomic fences in Kokkos, which are not under test.
    target_compile_options(${target} PRIVATE "-fsanitize=${KINDRED_SANITIZE}" $<$<CXX_COMPILER_ID:GNU>:-Wno-tsan> -fno-omit-frame-pointer
      -fno-sanitize-recover=undefined)
    target_link_options(${target} PUBLIC "-fsanitize=${KINDRED_SANITIZE}")
  endif()
endfunction()

# kindred_make_fuzzable(<target>): libFuzzer, which only Clang has, sees which branches of the target's code an input takes.
set(KINDRED_FUZZ OFF)
if(KINDRED_SANITIZE MATCHES "address" AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  set(KINDRED_FUZZ ON)
endif()
function(kindred_make_fuzzable target)
  if(KINDRED_FUZZ)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
endfunction()

# kindred_compile_lightly(<target> [CHECKED]): for targets that only call the measured and checked libraries, such as commands and tests
# of the engines. Optimisation and checks for undefined behaviour would double their compile time without benefit.
# AddressSanitizer and ThreadSanitizer check them like all other targets; CHECKED ones, which convert what callers give, are checked for undefined
# behaviour, too.
if(KINDRED_SANITIZE)
  set(kindred_light_options -O0 -fno-sanitize=undefined)
elseif(NOT Kokkos_ENABLE_CUDA)
  set(kindred_light_options "$<$<CONFIG:Release>:-O1>")
endif()
function(kindred_compile_lightly target)
  set(options ${kindred_light_options})
  if(ARGN STREQUAL "CHECKED")
    list(REMOVE_ITEM options -fno-sanitize=undefined)
  endif()
  target_compile_options(${target} PRIVATE ${options})
endfunction()

# kindred_compile_together(<target> [<count>]): with Kindred_ENABLE_UNITY_BUILD, combines up to <count> sources of the target in one translation unit,
# by default 16, or 8 where nvcc compiles them. For the command, benchmarks, tests and the libraries without kernels, whose headers and what they
# instantiate take longer to compile than their own code. Names in the anonymous namespaces of a target must be unique.
function(kindred_compile_together target)
  set(count 16)
  if(ARGC GREATER 1)
    set(count ${ARGV1})
  elseif(Kokkos_ENABLE_CUDA)
    set(count 8)
  endif()
  if(Kindred_ENABLE_UNITY_BUILD)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${count})
    # A class of one source may have members of a type that is local to that source.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage> ${kindred_garbage_options})
  endif()
endfunction()

# kindred_precompile(<target> <headers>|REUSE_FROM <target>): precompiles headers if Kindred_ENABLE_PRECOMPILED_HEADERS is on. `./run lint`
# compiles without precompiled headers and without Kindred_ENABLE_UNITY_BUILD to find missing #includes.
function(kindred_precompile target)
  if(Kindred_ENABLE_PRECOMPILED_HEADERS)
    if(ARGV1 STREQUAL "REUSE_FROM")
      target_precompile_headers(${target} ${ARGN})
    else()
      target_precompile_headers(${target} PRIVATE ${ARGN})
    endif()
    # Lets ccache determine which headers were read.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
  endif()
endfunction()

# kindred_kokkos_options(<target>): additional options for targets compiled by Kokkos' compiler.
function(kindred_kokkos_options target)
  if(Kokkos_ENABLE_CUDA)
    # Host instances of a host-and-device kernel call host-only functions (warnings 20011, 20013, 20014, 20015). A device instance
    # would end at such a call, with the same warnings; tests/cuda_compile looks for them. Loops of a template may run zero times
    # (warning 128).
    set(options)
    foreach(warning IN ITEMS 20011 20013 20014 20015 128)
      list(APPEND options "SHELL:-Xcudafe --diag_suppress=${warning}")
    endforeach()
    target_compile_options(${target} PRIVATE -fmad=false ${options}
      "SHELL:-include \"${PROJECT_SOURCE_DIR}/cmake/kokkos-cuda13.hpp\"")
  endif()
endfunction()

# kindred_host_only(<target>): uses the host compiler if the compiler of the project is nvcc_wrapper. For targets without
# kernels, because nvcc does not evaluate fmt's checked format strings, and takes longer.
function(kindred_host_only target)
  if(Kokkos_ENABLE_CUDA AND CMAKE_CXX_COMPILER MATCHES "nvcc_wrapper")
    target_compile_options(${target} PRIVATE --host-only)
  endif()
endfunction()

# kindred_text_header(<target> <header> [<NAME> <text>]...): a header of macros that are string literals. As definitions on the
# command line they would lose their quotes in nvcc_wrapper with --host-only.
function(kindred_text_header target header)
  set(content "// SPDX-License-Identifier: Apache-2.0\n")
  while(ARGN)
    list(POP_FRONT ARGN name text)
    string(APPEND content "#define ${name} \"${text}\"\n")
  endwhile()
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${target}_include")
  file(GENERATE OUTPUT "${folder}/${header}" CONTENT "${content}")
  target_include_directories(${target} PRIVATE "${folder}")
endfunction()

# kindred_link_for_older_systems(<target>): std::condition_variable::wait has a version of GCC 12 (GLIBCXX_3.4.30), and is otherwise that of GCC 4.4.
# With its object inside, the target needs libstdc++ of GCC 11, the one of RHEL 9. The rest of libstdc++ stays shared, since exceptions pass between libraries.
function(kindred_link_for_older_systems target)
  execute_process(COMMAND "${CMAKE_CXX_COMPILER}" -print-file-name=libstdc++.a OUTPUT_VARIABLE archive OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(folder "${PROJECT_BINARY_DIR}/libstdc++")
  set(object "${folder}/condition_variable.o")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND EXISTS "${archive}" AND NOT EXISTS "${object}")
    file(MAKE_DIRECTORY "${folder}")
    execute_process(COMMAND "${CMAKE_AR}" x "${archive}" condition_variable.o WORKING_DIRECTORY "${folder}" ERROR_QUIET)
  endif()
  if(EXISTS "${object}")
    target_link_libraries(${target} PRIVATE "${object}")
  endif()
endfunction()

# kindred_install_rpath(<target> <folder>): a target installed into the folder finds our libraries, and a shared Kokkos that is
# installed with them, in the installation, and others where they were linked.
function(kindred_install_rpath target folder)
  file(RELATIVE_PATH libraries "${folder}" "${CMAKE_INSTALL_FULL_LIBDIR}")
  string(REGEX REPLACE "/$" "" libraries "/${libraries}")
  set(paths "$ORIGIN${libraries}")
  if(Kindred_ENABLE_PACKAGES)
    list(APPEND paths "$ORIGIN${libraries}/kindred")  # what the tarball brings
  endif()
  if(kokkos_is_shared)
    list(APPEND paths "$ORIGIN${libraries}/kindred/kokkos/${kokkos_libdir}")
  endif()
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "${paths}" INSTALL_RPATH_USE_LINK_PATH ON)
endfunction()

# kindred_library(<name> [INTERNAL] KOKKOS PUBLIC|PRIVATE [FOLDER <folder>] [LINK <targets>] [LINK_PRIVATE <targets>]
# [ARCHIVE <file>]): adds the library Kindred::<name> from the calling folder, or from FOLDER in it.
# Headers are all files below include/, sources all files in the folder and below src/, so new files need no entry.
# With ARCHIVE the sources are not compiled; the file contains their objects. With KOKKOS PRIVATE the public headers do not
# include Kokkos, and headers in impl/ and vendor/ are not installed. An INTERNAL library is neither installed nor a part of libkindred.so.
function(kindred_library name)
  cmake_parse_arguments(ARG "INTERNAL" "KOKKOS;FOLDER;ARCHIVE" "LINK;LINK_PRIVATE" ${ARGN})
  set(target kindred_${name})
  set(folder "${CMAKE_CURRENT_SOURCE_DIR}")
  if(ARG_FOLDER)
    string(APPEND folder "/${ARG_FOLDER}")
  endif()
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS "${folder}/include/*.hpp")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${folder}/src/*.cpp")
  file(GLOB own_sources CONFIGURE_DEPENDS "${folder}/*.cpp")
  if(ARG_KOKKOS STREQUAL "PRIVATE")
    list(FILTER headers EXCLUDE REGEX "/include/kindred/.*/(impl|vendor)/")
  endif()
  if(ARG_ARCHIVE)
    set(sources "${CMAKE_CURRENT_BINARY_DIR}/empty.cpp")
    set(own_sources)
    file(CONFIGURE OUTPUT "${sources}" CONTENT "")
    # What the archive needs is linked behind it.
    add_library(${target}_archive STATIC IMPORTED GLOBAL)
    set_target_properties(${target}_archive PROPERTIES IMPORTED_LOCATION "${ARG_ARCHIVE}")
    target_link_libraries(${target}_archive INTERFACE Kokkos::kokkos)
    list(APPEND ARG_LINK_PRIVATE ${target}_archive)
  endif()
  add_library(${target} STATIC ${sources} ${own_sources})
  add_library(Kindred::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON VERIFY_INTERFACE_HEADER_SETS ON KINDRED_FOLDER "${folder}")
  kindred_install_rpath(${target} "${CMAKE_INSTALL_FULL_LIBDIR}")
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS "${folder}/include" FILES ${headers})
  # Headers without Kokkos are found in the folders of all dependencies without linking these.
  set(include_directories "${PROJECT_BINARY_DIR}/include")
  foreach(dependency IN LISTS ARG_LINK ARG_LINK_PRIVATE)
    if(dependency MATCHES "^Kindred::(.*)$")
      get_target_property(below kindred_${CMAKE_MATCH_1} KINDRED_FOLDER)
      list(APPEND include_directories "${below}/include")
    endif()
  endforeach()
  target_include_directories(${target} PUBLIC "$<BUILD_INTERFACE:${include_directories}>")
  kindred_compile_options(${target})
  kindred_make_fuzzable(${target})
  kindred_kokkos_options(${target})
  if(ARG_KOKKOS STREQUAL "PUBLIC")
    # Kernels that a consumer instantiates must give the same bits as ours.
    kindred_no_contraction(${target} INTERFACE)
    if(Kokkos_ENABLE_CUDA)
      target_compile_options(${target} INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:-fmad=false>")
    endif()
  endif()
  target_link_libraries(${target} PUBLIC ${ARG_LINK} PRIVATE ${ARG_LINK_PRIVATE})
  target_link_libraries(${target} ${ARG_KOKKOS} Kokkos::kokkos)
  # Kernels are compiled one by one: their own code takes longer than their headers.
  if(KINDRED_SANITIZE)
    kindred_compile_together(${target} 8)
  elseif(ARG_KOKKOS STREQUAL "PRIVATE")
    kindred_compile_together(${target})
  elseif(Kokkos_ENABLE_CUDA)
    # nvcc reads the headers several times, without precompiling them.
    foreach(source IN LISTS sources)
      file(STRINGS "${source}" kernels REGEX "KINDRED_(FOR_EACH_SPACE|INSTANTIATE_FOR_SPACES)" LIMIT_COUNT 1)
      if(kernels)
        set_source_files_properties("${source}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
      endif()
    endforeach()
    kindred_compile_together(${target})
  endif()
  # All libraries have the same compile options, so the first one precompiles for the others.
  get_property(precompiled_by GLOBAL PROPERTY KINDRED_PRECOMPILED_BY)
  if(ARG_ARCHIVE)
    # there is nothing to compile
  elseif(precompiled_by)
    kindred_precompile(${target} REUSE_FROM ${precompiled_by})
  else()
    kindred_precompile(${target} <Kokkos_Core.hpp> <algorithm> <string> <vector>)
    set_property(GLOBAL PROPERTY KINDRED_PRECOMPILED_BY ${target})
  endif()
  if(ARG_INTERNAL)
    set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY KINDRED_LIBRARIES ${target})
  if(NOT KINDRED_IS_SHARED)
    install(TARGETS ${target} EXPORT KindredTargets FILE_SET HEADERS)
  endif()
endfunction()
