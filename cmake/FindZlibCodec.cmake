# SPDX-License-Identifier: Apache-2.0
# Finds zlib without its own CMake package, which not every distribution
# ships.  Defines ZlibCodec_FOUND and the target ZlibCodec::zlib.  Installed beside
# tamis-config.cmake too, because linking tamis statically needs it.

find_path(ZlibCodec_INCLUDE_DIR zlib.h)
find_library(ZlibCodec_LIBRARY z)
mark_as_advanced(ZlibCodec_INCLUDE_DIR ZlibCodec_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  ZlibCodec REQUIRED_VARS ZlibCodec_LIBRARY ZlibCodec_INCLUDE_DIR)

if(ZlibCodec_FOUND AND NOT TARGET ZlibCodec::zlib)
  add_library(ZlibCodec::zlib UNKNOWN IMPORTED)
  set_target_properties(
    ZlibCodec::zlib
    PROPERTIES IMPORTED_LOCATION "${ZlibCodec_LIBRARY}"
               INTERFACE_INCLUDE_DIRECTORIES "${ZlibCodec_INCLUDE_DIR}")
endif()
