# SPDX-License-Identifier: Apache-2.0
# Libraries that Kindred uses where they are found: Kindred_ENABLE_<LIBRARY> is AUTO, ON or OFF.

# kindred_vendor_option(<LIBRARY> <purpose> SPECIALIZED|ALWAYS): declares Kindred_ENABLE_<LIBRARY>, and sets in the calling scope whether the
# library is looked for, kindred_look_for_<LIBRARY>, and whether it must be found, kindred_requires_<LIBRARY>. SPECIALIZED: only with
# Kindred_ENABLE_SPECIALIZED.
function(kindred_vendor_option library purpose builds)
  set(option Kindred_ENABLE_${library})
  set(${option} AUTO CACHE STRING "${purpose}: AUTO (if it is found), ON or OFF")
  set_property(CACHE ${option} PROPERTY STRINGS AUTO ON OFF)
  string(TOUPPER "${${option}}" value)
  if(NOT value MATCHES "^(AUTO|ON|OFF|TRUE|FALSE|YES|NO|1|0)$")
    message(FATAL_ERROR "${option} is \"${${option}}\"; it must be AUTO, ON or OFF")
  endif()
  set(look ON)
  set(require OFF)
  if(NOT value STREQUAL "AUTO")
    if(value)
      set(require ON)
    else()
      set(look OFF)
    endif()
  endif()
  if(builds STREQUAL "SPECIALIZED" AND NOT Kindred_ENABLE_SPECIALIZED)
    if(require)
      message(FATAL_ERROR "${option} is ON, but Kindred_ENABLE_SPECIALIZED=OFF builds without it: change one of the two")
    endif()
    set(look OFF)
  endif()
  set(kindred_look_for_${library} ${look} PARENT_SCOPE)
  set(kindred_requires_${library} ${require} PARENT_SCOPE)
endfunction()

kindred_vendor_option(ONEDNN "Matrix products by oneDNN" SPECIALIZED)
kindred_vendor_option(OPENBLAS "Matrix products by OpenBLAS" SPECIALIZED)
kindred_vendor_option(CUBLASLT "Matrix products on a device by cuBLASLt" SPECIALIZED)
kindred_vendor_option(HDF5 "Reading HDF5 files" ALWAYS)

# kindred_vendor_result(<LIBRARY> <name> <found> <packages> <otherwise>): prints one line with the file <found>, or, if that is empty, with
# what happens without the library. Ends if the library must be found and was not.
function(kindred_vendor_result library name found packages otherwise)
  if(NOT kindred_look_for_${library})
    message(STATUS "${name}: off, ${otherwise}")
  elseif(found)
    message(STATUS "${name}: ${found}")
  elseif(kindred_requires_${library})
    message(FATAL_ERROR "Kindred_ENABLE_${library} is ON, but ${name} was not found: install ${packages}, or set the option to AUTO or OFF")
  else()
    message(STATUS "${name}: not found, ${otherwise} (it is in ${packages})")
  endif()
endfunction()

# kindred_forget_missing(<variable>...): forgets files that an earlier configuration found and that no longer exist.
macro(kindred_forget_missing)
  foreach(variable IN ITEMS ${ARGN})
    if(${variable} AND NOT EXISTS "${${variable}}")
      unset(${variable} CACHE)
    endif()
  endforeach()
endmacro()
