# SPDX-License-Identifier: Apache-2.0
# Finds Zstandard without its own CMake package, which not every distribution
# ships.  Defines ZstdCodec_FOUND and the target ZstdCodec::zstd.  Installed beside
# tamis-config.cmake too, because linking tamis statically needs it.

find_path(ZstdCodec_INCLUDE_DIR zstd.h)
find_library(ZstdCodec_LIBRARY zstd)
mark_as_advanced(ZstdCodec_INCLUDE_DIR ZstdCodec_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  ZstdCodec REQUIRED_VARS ZstdCodec_LIBRARY ZstdCodec_INCLUDE_DIR)

if(ZstdCodec_FOUND AND NOT TARGET ZstdCodec::zstd)
  add_library(ZstdCodec::zstd UNKNOWN IMPORTED)
  set_target_properties(
    ZstdCodec::zstd
    PROPERTIES IMPORTED_LOCATION "${ZstdCodec_LIBRARY}"
               INTERFACE_INCLUDE_DIRECTORIES "${ZstdCodec_INCLUDE_DIR}")
endif()
