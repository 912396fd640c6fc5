# SPDX-License-Identifier: Apache-2.0
# What is installed besides the targets: the CMake package and the licence; and the target that uninstalls.
install(FILES "${PROJECT_BINARY_DIR}/include/kindred/Version.hpp"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/kindred")
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT licence)  # Debian packages have a file copyright

set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/Kindred")
install(EXPORT KindredTargets NAMESPACE Kindred:: DESTINATION "${package_folder}")
configure_package_config_file(cmake/KindredConfig.cmake.in KindredConfig.cmake
  INSTALL_DESTINATION "${package_folder}" PATH_VARS kokkos_folder)
write_basic_package_version_file(KindredConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/KindredConfig.cmake" "${PROJECT_BINARY_DIR}/KindredConfigVersion.cmake"
  DESTINATION "${package_folder}")

if(KINDRED_IS_TOP_LEVEL)
  add_custom_target(uninstall COMMAND "${CMAKE_COMMAND}" "-DMANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt"
    -P "${PROJECT_SOURCE_DIR}/cmake/Uninstall.cmake" COMMENT "Removing what was installed")
endif()
