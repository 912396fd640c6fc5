# SPDX-License-Identifier: Apache-2.0
# The Debian packages, which cpack makes of the install components of the same names. `./run package` calls it.
if(NOT Kindred_ENABLE_PACKAGES OR KINDRED_LEVEL_FOLDER)
  return()
endif()
if(NOT KINDRED_IS_SHARED)
  message(FATAL_ERROR "Kindred_ENABLE_PACKAGES needs BUILD_SHARED_LIBS: packages contain the shared library")
endif()
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(KINDRED_MAINTAINER "Kindred maintainers <noreply@kindred.invalid>" CACHE STRING "Maintainer named by the packages: NAME <ADDRESS>")

set(packages kindred libkindred0 libkindred-dev)
if(Kindred_ENABLE_C)
  list(APPEND packages libkindred-c0 libkindred-c-dev)
endif()
if(Kindred_ENABLE_PERF)
  list(APPEND packages kindred-perf)
endif()

# What every package contains: its licence, and its history in Debian's form.
set(made "${PROJECT_BINARY_DIR}/package")
file(MAKE_DIRECTORY "${made}")
execute_process(COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/cmake/package/debian_changelog.py" kindred
    "${PROJECT_SOURCE_DIR}/CHANGELOG.md" "${KINDRED_MAINTAINER}" "${made}/changelog.gz" COMMAND_ERROR_IS_FATAL ANY)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/CHANGELOG.md")
foreach(package IN LISTS packages)
  install(FILES "${PROJECT_SOURCE_DIR}/cmake/package/copyright" "${made}/changelog.gz"
    DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/${package}" COMPONENT ${package})
  set(overrides "${PROJECT_SOURCE_DIR}/cmake/package/${package}.lintian-overrides")
  if(EXISTS "${overrides}")
    install(FILES "${overrides}" DESTINATION "${CMAKE_INSTALL_DATADIR}/lintian/overrides" RENAME "${package}" COMPONENT ${package})
  endif()
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME kindred)
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGE_VENDOR Kindred)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package has its own
set(CPACK_PACKAGE_CONTACT "${KINDRED_MAINTAINER}")
set(CPACK_COMPONENTS_ALL ${packages})
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/cmake/package/CompressPages.cmake")
set(CPACK_PROJECT_CONFIG_FILE "${PROJECT_SOURCE_DIR}/cmake/package/LibraryDependencies.cmake")
set(CPACK_KINDRED_LIBRARY_PACKAGES libkindred0)
set(CPACK_KINDRED_LIBKINDRED0 "${PROJECT_BINARY_DIR}/libkindred.so.${PROJECT_VERSION}")
if(Kindred_ENABLE_C)
  list(APPEND CPACK_KINDRED_LIBRARY_PACKAGES libkindred-c0)
  set(CPACK_KINDRED_LIBKINDRED-C0 "${PROJECT_BINARY_DIR}/bindings/c/libkindred_c.so.${PROJECT_VERSION}")
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SOURCE kindred)
# dpkg-shlibdeps finds the library of another component in the build folder; its version is required exactly, below.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${PROJECT_BINARY_DIR}")

# kindred_package(<name> <section> <summary> <description> <dependencies>)
macro(kindred_package package section summary description dependencies)
  string(TOUPPER ${package} name)
  set(CPACK_DEBIAN_${name}_PACKAGE_NAME ${package})
  set(CPACK_DEBIAN_${name}_PACKAGE_SECTION ${section})
  set(CPACK_DEBIAN_${name}_PACKAGE_PRIORITY optional)
  set(CPACK_DEBIAN_${name}_DESCRIPTION "${summary}\n${description}")
  set(CPACK_DEBIAN_${name}_PACKAGE_DEPENDS "${dependencies}")
  set(CPACK_DEBIAN_${name}_PACKAGE_SHLIBDEPS ON)
endmacro()
set(same_library "libkindred0 (= ${PROJECT_VERSION})")
set(same_c_library "libkindred-c0 (= ${PROJECT_VERSION})")
kindred_package(kindred science "command that finds similar strings, sequences, vectors and graph nodes"
  "The command kindred matches, deduplicates and clusters names and sequences,\nfinds the nearest neighbours of vectors and ranks the nodes of graphs, with\nthe same results for any number of threads."
  "${same_library}")
kindred_package(libkindred0 libs "library that finds similar strings, sequences, vectors and graph nodes"
  "The engines of Kindred: matchers of sequences, indexes of vectors, spreading\nactivation on graphs and others. The loader takes the form that was compiled\nfor the instruction sets of the processor."
  "")
kindred_package(libkindred-dev libdevel "headers, CMake package and pkg-config files of libkindred"
  "What programs in C++20 need to be compiled with the engines of Kindred.\nKernels of your own need a build of Kindred from its sources, with Kokkos."
  "${same_library}")
kindred_package(libkindred-c0 libs "C interface of a library that finds similar strings and vectors"
  "The engines of Kindred behind functions of C, for programs in C and other\nlanguages. The loader takes the form that was compiled for the instruction sets\nof the processor."
  "")
kindred_package(libkindred-c-dev libdevel "header and pkg-config file of the C interface of Kindred"
  "What programs in C, or in a language that reads headers of C, need to be\ncompiled with the engines of Kindred."
  "${same_c_library}")
kindred_package(kindred-perf science "measurements of Kindred's speed"
  "The command kindred-perf measures the engines of Kindred on this machine,\nand next to other programs."
  "${same_library}")
set(CPACK_DEBIAN_KINDRED_PACKAGE_RECOMMENDS "python3, wordnet-base")  # kindred-demo
set(CPACK_DEBIAN_KINDRED_PACKAGE_SUGGESTS libhdf5-103-1)              # files in HDF5
set(CPACK_DEBIAN_KINDRED-PERF_PACKAGE_RECOMMENDS python3)            # kindred-perf peers
set(CPACK_DEBIAN_LIBKINDRED-DEV_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_LIBKINDRED-C-DEV_PACKAGE_SHLIBDEPS OFF)
# LibraryDependencies.cmake
set(CPACK_DEBIAN_LIBKINDRED0_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_LIBKINDRED-C0_PACKAGE_SHLIBDEPS OFF)
# Matrix products are faster with these, which are loaded if they are there.
set(CPACK_DEBIAN_LIBKINDRED0_PACKAGE_RECOMMENDS "libdnnl2, libopenblas0")
set(CPACK_DEBIAN_LIBKINDRED-C0_PACKAGE_RECOMMENDS "${same_library}, libdnnl2, libopenblas0")  # libkindred0 has the plugins for them
# CPack's own would also call ldconfig in scripts.
file(WRITE "${made}/shlibs" "libkindred ${PROJECT_VERSION_MAJOR} ${same_library}\n")
file(WRITE "${made}/c/shlibs" "libkindred_c ${PROJECT_VERSION_MAJOR} ${same_c_library}\n")
set(triggers "${PROJECT_SOURCE_DIR}/cmake/package/triggers")
set(CPACK_DEBIAN_LIBKINDRED0_PACKAGE_CONTROL_EXTRA "${triggers}" "${made}/shlibs")
set(CPACK_DEBIAN_LIBKINDRED-C0_PACKAGE_CONTROL_EXTRA "${triggers}" "${made}/c/shlibs")
include(CPack)
