# SPDX-License-Identifier: Apache-2.0
# libkindred.so: all engines and Kokkos in one shared library, which exports what the public headers declare. With
# BUILD_SHARED_LIBS it is installed instead of the libraries that it is made of; otherwise only tests use it.

get_target_property(type Kokkos::kokkoscore TYPE)
if(KINDRED_IS_SHARED)
  set(native "(^|[ =:;])native")
  get_target_property(flags Kokkos::kokkoscore INTERFACE_COMPILE_OPTIONS)
  if(NOT type STREQUAL "STATIC_LIBRARY")
    message(FATAL_ERROR "BUILD_SHARED_LIBS needs a static Kokkos, which becomes a part of libkindred.so; that of Kokkos_DIR, "
      "\"${Kokkos_DIR}\", is shared. Build Kokkos with BUILD_SHARED_LIBS=OFF and CMAKE_POSITION_INDEPENDENT_CODE=ON, or turn the option off")
  elseif("${KINDRED_ARCH} ${CMAKE_CXX_FLAGS}" MATCHES "${native}")
    message(FATAL_ERROR "BUILD_SHARED_LIBS is for other machines too, but KINDRED_ARCH is \"${KINDRED_ARCH}\" and CMAKE_CXX_FLAGS is "
      "\"${CMAKE_CXX_FLAGS}\": name an instruction set instead of \"native\", such as with -DKINDRED_ARCH=x86-64-v2")
  elseif("${flags}" MATCHES "${native}")
    message(FATAL_ERROR "BUILD_SHARED_LIBS is for other machines too, but the Kokkos of \"${Kokkos_DIR}\" was compiled for this one: "
      "use a Kokkos without Kokkos_ARCH_NATIVE")
  elseif(Kindred_ENABLE_TESTS OR Kindred_ENABLE_EXAMPLES)
    message(FATAL_ERROR "The tests and the examples are linked with the libraries that BUILD_SHARED_LIBS does not install: turn "
      "Kindred_ENABLE_TESTS and Kindred_ENABLE_EXAMPLES off, or build them in another folder without it")
  endif()
elseif(NOT type STREQUAL "STATIC_LIBRARY" OR KINDRED_SANITIZE OR KINDRED_KERNELS_FROM)
  return()
endif()

# The public headers: those of the engines and of the context, and what they and the commands include of core and memory.
get_property(parts GLOBAL PROPERTY KINDRED_LIBRARIES)
set(headers)
set(folders)
foreach(part IN LISTS parts)
  get_target_property(folder ${part} KINDRED_FOLDER)
  list(APPEND folders "${folder}/include")
  if(NOT part MATCHES "^kindred_(core|memory)$")
    get_target_property(files ${part} HEADER_SET)
    list(APPEND headers ${files})
  endif()
endforeach()
file(GLOB_RECURSE new CONFIGURE_DEPENDS tools/*.hpp tools/*.cpp examples/demo/*.hpp examples/demo/*.cpp)
list(APPEND new ${headers})
while(new)
  list(POP_FRONT new header)
  file(STRINGS "${header}" includes REGEX "^#include <kindred/")
  foreach(include IN LISTS includes)
    string(REGEX REPLACE "^#include <(.*)>" "\\1" include "${include}")
    foreach(folder IN LISTS folders)
      if(EXISTS "${folder}/${include}" AND NOT "${folder}/${include}" IN_LIST headers)
        list(APPEND headers "${folder}/${include}")
        list(APPEND new "${folder}/${include}")
      endif()
    endforeach()
  endforeach()
endwhile()

# All objects of the parts. Behind them, the parts bring only the libraries that they link.
list(TRANSFORM parts REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE objects)
set(version_script "${PROJECT_SOURCE_DIR}/cmake/libkindred.map")
add_library(kindred_shared SHARED ${objects})
add_library(Kindred::kindred ALIAS kindred_shared)
set_target_properties(kindred_shared PROPERTIES OUTPUT_NAME kindred EXPORT_NAME kindred LINKER_LANGUAGE CXX
  VERSION "${PROJECT_VERSION}" SOVERSION "${PROJECT_VERSION_MAJOR}" LINK_DEPENDS "${version_script}")
target_compile_features(kindred_shared INTERFACE cxx_std_20)
target_sources(kindred_shared PUBLIC FILE_SET HEADERS BASE_DIRS ${folders} FILES ${headers})
target_include_directories(kindred_shared INTERFACE "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>")
target_link_libraries(kindred_shared PRIVATE ${parts})
# The version script has the last word: it also hides what Kokkos and templates of other libraries would export. A second copy of
# Kokkos in a process, of the program or of another version of this library, therefore never meets this one. Its own calls stay
# inside, too, when a program defines the same functions.
target_link_options(kindred_shared PRIVATE "LINKER:--version-script=${version_script}" LINKER:--exclude-libs,ALL LINKER:--no-undefined
  LINKER:--as-needed LINKER:-Bsymbolic-functions)

if(NOT KINDRED_IS_SHARED)
  set_target_properties(kindred_shared PROPERTIES EXCLUDE_FROM_ALL ON)
  return()
endif()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${headers})
if(Kindred_ENABLE_PYTHON)
  # A wheel has no links: the file has the name that programs load.
  set_target_properties(kindred_shared PROPERTIES VERSION "${PROJECT_VERSION_MAJOR}")
  kindred_link_for_older_systems(kindred_shared)
endif()
if(KINDRED_ARCH MATCHES "^x86-64-v[234]$")
  # On a processor that lacks instructions of this level, the system refuses to load it, and says so.
  target_link_options(kindred_shared PRIVATE "LINKER:-z,${KINDRED_ARCH}")
endif()
set(component libkindred0)
if(Kokkos_ENABLE_CUDA)
  include(KindredCudaLibrary)
  set(component libkindred0-cuda)
endif()
kindred_install_rpath(kindred_shared "${CMAKE_INSTALL_FULL_LIBDIR}")
if(KINDRED_LEVEL_FOLDER)
  # A build of KINDRED_LEVELS below or for a GPU architecture: only the library, which programs load but never link.
  install(TARGETS kindred_shared LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/${KINDRED_LEVEL_FOLDER}" COMPONENT ${component} NAMELINK_SKIP)
  return()
endif()
install(TARGETS kindred_shared EXPORT KindredTargets
  LIBRARY COMPONENT libkindred0 NAMELINK_COMPONENT libkindred-dev
  FILE_SET HEADERS COMPONENT libkindred-dev)

# The names of the engines, for consumers: each is the one library.
set(KINDRED_PUBLIC_TARGETS matcher)
foreach(part IN LISTS parts)
  if(NOT part MATCHES "^kindred_(core|memory)$")
    string(REPLACE "kindred_" "" name "${part}")
    list(APPEND KINDRED_PUBLIC_TARGETS ${name})
  endif()
endforeach()
foreach(name IN LISTS KINDRED_PUBLIC_TARGETS)
  add_library(kindred_${name}_name INTERFACE)
  set_target_properties(kindred_${name}_name PROPERTIES EXPORT_NAME ${name})
  target_link_libraries(kindred_${name}_name INTERFACE kindred_shared)
  install(TARGETS kindred_${name}_name EXPORT KindredTargets)
endforeach()

# The same library for further levels of x86-64. The C library takes the highest level of the machine when a program starts.
if(KINDRED_LEVELS)
  include(ExternalProject)
  set(settings)
  get_cmake_property(variables CACHE_VARIABLES)
  list(FILTER variables INCLUDE REGEX
    "^(BUILD_SHARED_LIBS$|Kindred_|KINDRED_|CMAKE_(BUILD_TYPE|TOOLCHAIN_FILE|CXX_COMPILER|CXX_FLAGS|[A-Z]+_LINKER_FLAGS|PREFIX_PATH|INSTALL_|SKIP_))|_ROOT$|^Kokkos_DIR$|^Python3_EXECUTABLE$")
  list(FILTER variables EXCLUDE REGEX "^(Kindred_(SOURCE_DIR|BINARY_DIR|IS_TOP|ENABLE_TOOLS|ENABLE_PERF)|KINDRED_(LEVEL|ARCH)|CMAKE_INSTALL_PREFIX)|_(AR|RANLIB)$")
  foreach(variable IN LISTS variables)
    string(REPLACE ";" "|" value "${${variable}}")
    list(APPEND settings "-D${variable}:STRING=${value}")
  endforeach()
  set(before kindred_shared)  # one after the other: each uses all processors
  set(libraries kindred_shared)
  if(Kindred_ENABLE_C)
    list(APPEND libraries kindred_c)
  endif()
  foreach(level IN LISTS KINDRED_LEVELS)
    set(folder "${PROJECT_BINARY_DIR}/levels/${level}")
    ExternalProject_Add(kindred_${level} SOURCE_DIR "${PROJECT_SOURCE_DIR}" BINARY_DIR "${folder}" PREFIX "${folder}-steps"
      LIST_SEPARATOR "|" CMAKE_ARGS ${settings} "-DKINDRED_ARCH=${level}" "-DKINDRED_LEVELS=" "-DKINDRED_LEVEL_FOLDER=glibc-hwcaps/${level}"
        -DKindred_ENABLE_TOOLS=OFF -DKindred_ENABLE_PERF=OFF "-DCMAKE_INSTALL_PREFIX=${CMAKE_INSTALL_PREFIX}"
      BUILD_COMMAND "${CMAKE_COMMAND}" --build "${folder}" --target ${libraries}
      INSTALL_COMMAND "" BUILD_ALWAYS ON USES_TERMINAL_BUILD ON DEPENDS ${before})
    install(SCRIPT "${folder}/cmake_install.cmake" COMPONENT libkindred0)
    set(before kindred_${level})
  endforeach()
endif()
