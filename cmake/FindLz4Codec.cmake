# SPDX-License-Identifier: Apache-2.0
# Finds LZ4 without its own CMake package, which not every distribution
# ships.  Defines Lz4Codec_FOUND and the target Lz4Codec::lz4.  Installed beside
# tamis-config.cmake too, because linking tamis statically needs it.

find_path(Lz4Codec_INCLUDE_DIR lz4.h)
find_library(Lz4Codec_LIBRARY lz4)
mark_as_advanced(Lz4Codec_INCLUDE_DIR Lz4Codec_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  Lz4Codec REQUIRED_VARS Lz4Codec_LIBRARY Lz4Codec_INCLUDE_DIR)

if(Lz4Codec_FOUND AND NOT TARGET Lz4Codec::lz4)
  add_library(Lz4Codec::lz4 UNKNOWN IMPORTED)
  set_target_properties(
    Lz4Codec::lz4
    PROPERTIES IMPORTED_LOCATION "${Lz4Codec_LIBRARY}"
               INTERFACE_INCLUDE_DIRECTORIES "${Lz4Codec_INCLUDE_DIR}")
endif()
