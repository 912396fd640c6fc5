# SPDX-License-Identifier: Apache-2.0
# cpack reads this before it makes the packages. A package of a library depends on what the library needs; what the plugins for the
# libraries of vendors need is only recommended.
set(folder "${CPACK_TOPLEVEL_DIRECTORY}/dependencies")
foreach(package IN LISTS CPACK_KINDRED_LIBRARY_PACKAGES)
  string(TOUPPER ${package} name)
  file(MAKE_DIRECTORY "${folder}/debian")
  file(WRITE "${folder}/debian/control" "Source: kindred\n\nPackage: ${package}\nArchitecture: any\n")  # dpkg-shlibdeps reads it
  execute_process(COMMAND dpkg-shlibdeps -O "-e${CPACK_KINDRED_${name}}" WORKING_DIRECTORY "${folder}"
    OUTPUT_VARIABLE dependencies OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX REPLACE "^shlibs:Depends=" "" CPACK_DEBIAN_${name}_PACKAGE_DEPENDS "${dependencies}")
  file(REMOVE_RECURSE "${folder}")
endforeach()
