# SPDX-License-Identifier: Apache-2.0
# cmake --install: headers, both libraries, the CMake package, tamis.pc, and
# the licence with the documents.

include(CMakePackageConfigHelpers)

set(TAMIS_PACKAGE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/tamis")

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/tamis"
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")

# The documents keep their places, so that their links to each other work.
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/README.md"
        DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs"
        DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/examples"
        DESTINATION "${CMAKE_INSTALL_DOCDIR}"
        FILES_MATCHING PATTERN "*.cc" PATTERN "*.c" PATTERN "*.h")

# Two export files, because the static library can only be offered where the
# libraries it needs are found, while the shared one needs nothing of its users.
foreach(kind static shared)
  install(TARGETS tamis_${kind} EXPORT tamis-${kind}-targets)
  install(EXPORT tamis-${kind}-targets NAMESPACE tamis::
          DESTINATION "${TAMIS_PACKAGE_DIR}")
endforeach()

configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/tamis-config.cmake.in"
  "${PROJECT_BINARY_DIR}/package/tamis-config.cmake"
  INSTALL_DESTINATION "${TAMIS_PACKAGE_DIR}")
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(
  "${PROJECT_BINARY_DIR}/package/tamis-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/package/tamis-config.cmake"
              "${PROJECT_BINARY_DIR}/package/tamis-config-version.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/FindIsal.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/FindSnappyCodec.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/FindZstdCodec.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/FindLz4Codec.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/FindZlibCodec.cmake"
        DESTINATION "${TAMIS_PACKAGE_DIR}")

# tamis.pc finds the prefix from its own place, so that
# `cmake --install --prefix` may choose another one than the configuration.
set(TAMIS_PC_DIR "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
file(RELATIVE_PATH TAMIS_PC_TO_PREFIX
     "${CMAKE_INSTALL_PREFIX}/${TAMIS_PC_DIR}" "${CMAKE_INSTALL_PREFIX}")
string(REGEX REPLACE "/$" "" TAMIS_PC_TO_PREFIX "${TAMIS_PC_TO_PREFIX}")
set(TAMIS_PC_LIBS_PRIVATE "")
if(TAMIS_HAVE_ISAL)
  string(APPEND TAMIS_PC_LIBS_PRIVATE " -lisal")
endif()
if(TAMIS_HAVE_SNAPPY)
  string(APPEND TAMIS_PC_LIBS_PRIVATE " -lsnappy")
endif()
if(TAMIS_HAVE_ZSTD)
  string(APPEND TAMIS_PC_LIBS_PRIVATE " -lzstd")
endif()
if(TAMIS_HAVE_LZ4)
  string(APPEND TAMIS_PC_LIBS_PRIVATE " -llz4")
endif()
if(TAMIS_HAVE_ZLIB)
  string(APPEND TAMIS_PC_LIBS_PRIVATE " -lz")
endif()
string(STRIP "${TAMIS_PC_LIBS_PRIVATE}" TAMIS_PC_LIBS_PRIVATE)
configure_file("${PROJECT_SOURCE_DIR}/cmake/tamis.pc.in"
               "${PROJECT_BINARY_DIR}/package/tamis.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/package/tamis.pc"
        DESTINATION "${TAMIS_PC_DIR}")
