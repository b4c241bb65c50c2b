# SPDX-License-Identifier: Apache-2.0
# Finds RocksDB as a peer for tests and benchmarks.  Its own CMake package is
# of no use here: it asks for gflags and five compression libraries, which only
# a static link needs.  Defines RocksDb_FOUND and the target RocksDb::rocksdb.

find_path(RocksDb_INCLUDE_DIR rocksdb/db.h)
find_library(RocksDb_LIBRARY rocksdb)
mark_as_advanced(RocksDb_INCLUDE_DIR RocksDb_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  RocksDb REQUIRED_VARS RocksDb_LIBRARY RocksDb_INCLUDE_DIR)

if(RocksDb_FOUND AND NOT TARGET RocksDb::rocksdb)
  add_library(RocksDb::rocksdb UNKNOWN IMPORTED)
  set_target_properties(
    RocksDb::rocksdb
    PROPERTIES IMPORTED_LOCATION "${RocksDb_LIBRARY}"
               INTERFACE_INCLUDE_DIRECTORIES "${RocksDb_INCLUDE_DIR}")
endif()
