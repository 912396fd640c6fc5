# SPDX-License-Identifier: Apache-2.0
# libkindred.so with CUDA: one per GPU architecture, since Kokkos is configured for one, each in its own folder (KINDRED_LEVEL_FOLDER), from
# which the loader takes the one for the device. cmake/package/cuda.sh builds them.

# Of CUDA, such a library needs only the driver when it is opened. The targets of CUDA are found by Kokkos' package.
if(NOT TARGET CUDA::cudart_static)
  message(FATAL_ERROR "The CUDA toolkit has no libcudart_static.a, which becomes a part of libkindred.so: install NVIDIA's package cuda-cudart-dev")
endif()
get_target_property(runtime CUDA::cudart_static IMPORTED_LOCATION)
set_target_properties(CUDA::cudart PROPERTIES IMPORTED_LOCATION "${runtime}")
target_link_libraries(kindred_shared PRIVATE CUDA::cudart_static_deps)

if(KINDRED_LEVEL_FOLDER)
  # What the loader reads: loader/src/InstalledLibrary.cpp
  string(REGEX MATCH "(AMPERE|ADA|HOPPER|BLACKWELL)([0-9]+)([0-9])" architecture "${Kokkos_ARCH}")
  if(NOT architecture)
    message(FATAL_ERROR "Kokkos (${Kokkos_DIR}) is for \"${Kokkos_ARCH}\"; a library of a package is for compute capability 8.0 or newer")
  endif()
  file(CONFIGURE OUTPUT libkindred.txt CONTENT "kindred ${PROJECT_VERSION}
architecture ${CMAKE_MATCH_2}.${CMAKE_MATCH_3}
cuda ${CUDAToolkit_VERSION_MAJOR}.${CUDAToolkit_VERSION_MINOR}
" @ONLY)
  install(FILES "${CMAKE_CURRENT_BINARY_DIR}/libkindred.txt" DESTINATION "${CMAKE_INSTALL_LIBDIR}/${KINDRED_LEVEL_FOLDER}" COMPONENT libkindred0-cuda)
endif()
