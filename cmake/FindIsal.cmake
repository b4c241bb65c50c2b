# SPDX-License-Identifier: Apache-2.0
# Finds Intel ISA-L, which ships no CMake package of its own.
# Defines Isal_FOUND and the target Isal::isal.  Installed beside
# tamis-config.cmake too, because linking tamis statically needs it.

find_path(Isal_INCLUDE_DIR isa-l/crc.h)
find_library(Isal_LIBRARY isal)
mark_as_advanced(Isal_INCLUDE_DIR Isal_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Isal
                                  REQUIRED_VARS Isal_LIBRARY Isal_INCLUDE_DIR)

if(Isal_FOUND AND NOT TARGET Isal::isal)
  add_library(Isal::isal UNKNOWN IMPORTED)
  set_target_properties(
    Isal::isal PROPERTIES IMPORTED_LOCATION "${Isal_LIBRARY}"
                          INTERFACE_INCLUDE_DIRECTORIES "${Isal_INCLUDE_DIR}")
endif()
