# SPDX-License-Identifier: Apache-2.0
# A copy of Kokkos in the installation, for a Kokkos that is not installed elsewhere: the libraries of Kindred need the Kokkos
# that they were compiled with. It is in a folder of its own, so that it does not replace another one.

# A Kokkos in the source folder, where `./run` builds one, does not exist for those who use the installation.
set(kokkos_is_here OFF)
if(Kokkos_DIR AND NOT KINDRED_IS_SHARED)
  cmake_path(IS_PREFIX PROJECT_SOURCE_DIR "${Kokkos_DIR}" kokkos_is_here)
endif()
option(Kindred_ENABLE_KOKKOS_INSTALL "Install a copy of Kokkos with Kindred" ${kokkos_is_here})
set(kokkos_folder "${CMAKE_INSTALL_LIBDIR}/kindred/kokkos")
set(kokkos_libdir "")  # the folder of its libraries below kokkos_folder
set(kokkos_hint "")    # or where its package is
set(kokkos_is_shared OFF)
if(Kindred_ENABLE_KOKKOS_INSTALL)
  if(NOT Kokkos_DIR MATCHES "^(.*)/(lib[^/]*(/[^/]+)?)/cmake/Kokkos$")
    message(FATAL_ERROR "Kindred_ENABLE_KOKKOS_INSTALL needs an installed Kokkos, but Kokkos_DIR is \"${Kokkos_DIR}\": "
      "set it to a folder lib/cmake/Kokkos, or turn the option off")
  endif()
  set(kokkos_prefix "${CMAKE_MATCH_1}")
  set(kokkos_libdir "${CMAKE_MATCH_2}")
  get_target_property(type Kokkos::kokkoscore TYPE)
  string(COMPARE EQUAL "${type}" "SHARED_LIBRARY" kokkos_is_shared)
  # Only the headers of Kokkos: below a prefix such as /usr there are those of other packages.
  file(GLOB headers CONFIGURE_DEPENDS "${kokkos_prefix}/include/Kokkos_*" "${kokkos_prefix}/include/KokkosExp_*")
  foreach(package IN ITEMS Core Containers Algorithms Simd)
    file(GLOB more CONFIGURE_DEPENDS "${kokkos_prefix}/include/Kokkos${package}_*")
    list(APPEND headers ${more})
  endforeach()
  install(FILES ${headers} DESTINATION "${kokkos_folder}/include")
  foreach(folder IN ITEMS Cuda HIP HPX OpenACC OpenMP OpenMPTarget SYCL Serial Threads View decl desul experimental fwd impl mdspan setup
          sorting std_algorithms traits)
    if(IS_DIRECTORY "${kokkos_prefix}/include/${folder}")
      install(DIRECTORY "${kokkos_prefix}/include/${folder}" DESTINATION "${kokkos_folder}/include")
    endif()
  endforeach()
  file(GLOB libraries CONFIGURE_DEPENDS "${kokkos_prefix}/${kokkos_libdir}/libkokkos*")
  list(FILTER libraries EXCLUDE REGEX "/libkokkoskernels[^/]*$")
  install(FILES ${libraries} DESTINATION "${kokkos_folder}/${kokkos_libdir}")
  # Compilers of CUDA code
  file(GLOB programs "${kokkos_prefix}/bin/nvcc_wrapper" "${kokkos_prefix}/bin/kokkos_launch_compiler")
  install(PROGRAMS ${programs} DESTINATION "${kokkos_folder}/bin")
  # One file of the package names the folder into which Kokkos was installed first, and its compiler, which may be in its sources.
  install(DIRECTORY "${Kokkos_DIR}/" DESTINATION "${kokkos_folder}/${kokkos_libdir}/cmake/Kokkos"
    PATTERN KokkosConfigCommon.cmake EXCLUDE)
  file(READ "${Kokkos_DIR}/KokkosConfigCommon.cmake" text)
  string(REGEX REPLACE "(\"\\\${MAYBE_CURRENT_INSTALLATION_ROOT}\") \"[^\"]*\"" "\\1" text "${text}")
  file(RELATIVE_PATH wrapper "/${kokkos_libdir}/cmake/Kokkos" "/bin/nvcc_wrapper")
  string(REGEX REPLACE "(\nset\\(Kokkos_CXX_COMPILER) \"[^\"]*/nvcc_wrapper\"" "\\1 \"\${CMAKE_CURRENT_LIST_DIR}/${wrapper}\"" text "${text}")
  file(CONFIGURE OUTPUT kokkos/KokkosConfigCommon.cmake CONTENT "${text}" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/kokkos/KokkosConfigCommon.cmake" DESTINATION "${kokkos_folder}/${kokkos_libdir}/cmake/Kokkos")
elseif(NOT kokkos_is_here AND NOT KINDRED_IS_SHARED)
  set(kokkos_hint "${Kokkos_DIR}")
endif()
