# SPDX-License-Identifier: Apache-2.0
# Finds Snappy without its own CMake package, which not every distribution
# ships.  Defines SnappyCodec_FOUND and the target SnappyCodec::snappy.  Installed beside
# tamis-config.cmake too, because linking tamis statically needs it.

find_path(SnappyCodec_INCLUDE_DIR snappy.h)
find_library(SnappyCodec_LIBRARY snappy)
mark_as_advanced(SnappyCodec_INCLUDE_DIR SnappyCodec_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  SnappyCodec REQUIRED_VARS SnappyCodec_LIBRARY SnappyCodec_INCLUDE_DIR)

if(SnappyCodec_FOUND AND NOT TARGET SnappyCodec::snappy)
  add_library(SnappyCodec::snappy UNKNOWN IMPORTED)
  set_target_properties(
    SnappyCodec::snappy
    PROPERTIES IMPORTED_LOCATION "${SnappyCodec_LIBRARY}"
               INTERFACE_INCLUDE_DIRECTORIES "${SnappyCodec_INCLUDE_DIR}")
endif()
