# SPDX-License-Identifier: Apache-2.0
# cpack reads this before it makes the packages. libkindred0 depends on what libkindred.so needs; what its plugins for the libraries
# of vendors need is only recommended.
set(folder "${CPACK_TOPLEVEL_DIRECTORY}/dependencies")
file(MAKE_DIRECTORY "${folder}/debian")
file(WRITE "${folder}/debian/control" "Source: kindred\n\nPackage: libkindred0\nArchitecture: any\n")  # dpkg-shlibdeps reads it
execute_process(COMMAND dpkg-shlibdeps -O "-e${CPACK_KINDRED_LIBRARY}" WORKING_DIRECTORY "${folder}"
  OUTPUT_VARIABLE CPACK_DEBIAN_LIBKINDRED0_PACKAGE_DEPENDS OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE "^shlibs:Depends=" "" CPACK_DEBIAN_LIBKINDRED0_PACKAGE_DEPENDS "${CPACK_DEBIAN_LIBKINDRED0_PACKAGE_DEPENDS}")
file(REMOVE_RECURSE "${folder}")
