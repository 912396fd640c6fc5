# SPDX-License-Identifier: Apache-2.0
# Finds Kokkos, and warns of versions that are known to give wrong results.
if(NOT TARGET Kokkos::kokkos)
  find_package(Kokkos 4.6 QUIET CONFIG)
  if(NOT Kokkos_FOUND)
    set(found "none was found")
    if(Kokkos_CONSIDERED_CONFIGS)
      list(JOIN Kokkos_CONSIDERED_CONFIGS ", " found)
      list(JOIN Kokkos_CONSIDERED_VERSIONS ", " versions)
      set(found "${found} has version ${versions}")
    endif()
    message(FATAL_ERROR "Kindred needs Kokkos 4.6 or newer, but ${found}. Set Kokkos_ROOT to where such a Kokkos is installed, or "
      "use ./run, which builds one.")
  endif()
elseif(Kokkos_VERSION AND Kokkos_VERSION VERSION_LESS 4.6)
  message(FATAL_ERROR "Kindred needs Kokkos 4.6 or newer, but the project uses Kokkos ${Kokkos_VERSION}.")
endif()

if(Kokkos_ENABLE_CUDA AND Kokkos_CXX_COMPILER_ID STREQUAL "NVIDIA" AND Kokkos_CXX_COMPILER_VERSION VERSION_LESS 12.2)
  message(FATAL_ERROR "Kindred needs CUDA 12.2 or newer, but the Kokkos in ${Kokkos_DIR} was built by nvcc ${Kokkos_CXX_COMPILER_VERSION}. "
    "Install a newer CUDA toolkit, and build Kokkos with it, or use ./run build cuda.")
endif()
if(Kokkos_ENABLE_CUDA AND Kokkos_VERSION VERSION_GREATER_EQUAL 4.7 AND NOT Kokkos_ENABLE_IMPL_VIEW_LEGACY
   AND Kokkos_CXX_COMPILER_ID STREQUAL "NVIDIA" AND Kokkos_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
  message(WARNING "Kokkos ${Kokkos_VERSION} in ${Kokkos_DIR} was built by nvcc ${Kokkos_CXX_COMPILER_VERSION} without "
    "Kokkos_ENABLE_IMPL_VIEW_LEGACY. With Kokkos 4.7.0 and CUDA 13, kernels of such a build lost what they stored into Views. Build "
    "Kokkos with -DKokkos_ENABLE_IMPL_VIEW_LEGACY=ON, or use ./run build cuda, which does so.")
endif()
