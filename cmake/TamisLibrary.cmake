# SPDX-License-Identifier: Apache-2.0
# The library: src/ compiled once, linked twice (static and shared).

file(GLOB_RECURSE TAMIS_SOURCES CONFIGURE_DEPENDS
     "${PROJECT_SOURCE_DIR}/src/*.cc")
if(NOT TAMIS_BUILD_STORE)
  list(FILTER TAMIS_SOURCES EXCLUDE REGEX "/src/(table|store|sstable)/|/src/c/(store|entries).cc")
endif()

find_path(TAMIS_XXHASH_INCLUDE_DIR xxhash.h REQUIRED)
find_package(Isal QUIET)
set(TAMIS_HAVE_ISAL ${Isal_FOUND})
if(NOT TAMIS_HAVE_ISAL)
  message(STATUS "ISA-L not found: CRC-32C will be portable, and slower")
endif()
# The codecs of a store's blocks, and those that only tables of other engines
# use.  Without one of them, tables that need it cannot be read, and none are
# written.
foreach(codec Snappy Zstd Lz4 Zlib)
  find_package(${codec}Codec QUIET)
  string(TOUPPER ${codec} codec_upper)
  set(TAMIS_HAVE_${codec_upper} ${${codec}Codec_FOUND})
  if(NOT ${codec}Codec_FOUND)
    message(STATUS "${codec} not found: no blocks compressed by it")
  endif()
endforeach()

# Each set of kernels has files of its own, one to four, and only these may use
# the instructions they are named after; what runs is chosen at run time.  NEON
# is part of every aarch64, so neon.cc needs no flags.  For a processor that it
# is not meant for, a file compiles to a set that does not run there.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(avx2_flags -mavx2 -mpopcnt -mbmi -mbmi2)
  foreach(set windows one_window walk)
    set(avx2_${set}_flags ${avx2_flags})
  endforeach()
  set(avx512_flags -mavx512f -mavx512bw -mavx512vl ${avx2_flags})
  set(avx512_popcnt_flags -mavx512dq -mavx512vpopcntdq ${avx512_flags})
  foreach(set avx2 avx2_windows avx2_one_window avx2_walk avx512
              avx512_popcnt)
    # Elimination (filters/ribbon/elimination.h) keeps its keys in general
    # registers; vectors of two numbers, which the compiler would make of them,
    # are slower.
    set_source_files_properties(
      "${PROJECT_SOURCE_DIR}/src/filters/kernels/${set}.cc"
      PROPERTIES COMPILE_OPTIONS "${${set}_flags};-fno-tree-slp-vectorize")
  endforeach()
endif()

add_library(tamis_objects OBJECT ${TAMIS_SOURCES})
target_link_libraries(tamis_objects PRIVATE tamis_flags tamis_fuzzed)
target_include_directories(
  tamis_objects PRIVATE "${PROJECT_SOURCE_DIR}/include"
                        "${PROJECT_SOURCE_DIR}/src")
target_include_directories(tamis_objects SYSTEM
                           PRIVATE "${TAMIS_XXHASH_INCLUDE_DIR}")
# A multiplication and an addition fused into one rounding, where a CPU has
# that, could give a filter another size, and so other bytes, than elsewhere.
target_compile_options(tamis_objects PRIVATE -fno-rtti -ffp-contract=off)
# The presets for tests optimise little but the library: it is what runs hot,
# and the rest is most of what there is to compile.
target_compile_options(tamis_objects PRIVATE ${TAMIS_LIBRARY_OPTIMISATION})
set_target_properties(
  tamis_objects
  PROPERTIES POSITION_INDEPENDENT_CODE ON
             CXX_VISIBILITY_PRESET hidden
             VISIBILITY_INLINES_HIDDEN ON)
if(TAMIS_UNITY)
  # What a file includes takes longer to compile than the file, so a folder's
  # files are compiled ten at a time.  Names in unnamed namespaces must differ
  # within a folder.
  set_target_properties(tamis_objects PROPERTIES UNITY_BUILD ON
                                                 UNITY_BUILD_MODE GROUP)
  foreach(source ${TAMIS_SOURCES})
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY "${PROJECT_SOURCE_DIR}/src")
    string(MAKE_C_IDENTIFIER "${folder}" folder)
    if(folder STREQUAL "filters_kernels")
      continue()  # each is compiled for a CPU of its own
    endif()
    math(EXPR in_${folder} "${in_${folder}} + 0")
    math(EXPR batch "${in_${folder}} / 10")
    math(EXPR in_${folder} "${in_${folder}} + 1")
    set_source_files_properties(
      "${source}" PROPERTIES UNITY_GROUP "${folder}_${batch}")
  endforeach()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC inlines until a unit has grown by 40 %, and then no more, however hot
    # the loop is; a batch reaches that long before its last file.  A full scan
    # of a store took 1.2 times as long.
    target_compile_options(tamis_objects PRIVATE --param=inline-unit-growth=300)
  endif()
endif()
if(TAMIS_PRECOMPILE_SOURCES)
  target_precompile_headers(
    tamis_objects PRIVATE
    <algorithm> <array> <atomic> <condition_variable> <functional> <memory>
    <mutex> <optional> <span> <string> <string_view> <thread> <vector>)
  # These are compiled for other CPUs than the header is.
  file(GLOB kernels CONFIGURE_DEPENDS
       "${PROJECT_SOURCE_DIR}/src/filters/kernels/*.cc")
  set_source_files_properties(${kernels} PROPERTIES
                              SKIP_PRECOMPILE_HEADERS ON)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # See precompile_for_tests() in tests/.
    target_compile_options(tamis_objects PRIVATE -Wno-array-bounds
                                                 -Wno-stringop-overflow
                                                 -Wno-stringop-overread)
  endif()
endif()
set(TAMIS_LIBRARIES "")
if(TAMIS_HAVE_ISAL)
  target_compile_definitions(tamis_objects PRIVATE TAMIS_HAVE_ISAL=1)
  list(APPEND TAMIS_LIBRARIES Isal::isal)
endif()
if(TAMIS_HAVE_SNAPPY)
  target_compile_definitions(tamis_objects PRIVATE TAMIS_HAVE_SNAPPY=1)
  list(APPEND TAMIS_LIBRARIES SnappyCodec::snappy)
endif()
if(TAMIS_HAVE_ZSTD)
  target_compile_definitions(tamis_objects PRIVATE TAMIS_HAVE_ZSTD=1)
  list(APPEND TAMIS_LIBRARIES ZstdCodec::zstd)
endif()
# Only one file uses these.
set(codecs "${PROJECT_SOURCE_DIR}/src/sstable/codecs.cc")
if(TAMIS_HAVE_LZ4)
  set_property(SOURCE "${codecs}" APPEND PROPERTY COMPILE_DEFINITIONS
                                                  TAMIS_HAVE_LZ4=1)
  list(APPEND TAMIS_LIBRARIES Lz4Codec::lz4)
endif()
if(TAMIS_HAVE_ZLIB)
  set_property(SOURCE "${codecs}" APPEND PROPERTY COMPILE_DEFINITIONS
                                                  TAMIS_HAVE_ZLIB=1)
  list(APPEND TAMIS_LIBRARIES ZlibCodec::zlib)
endif()
target_link_libraries(tamis_objects PRIVATE ${TAMIS_LIBRARIES})

add_library(tamis_static STATIC $<TARGET_OBJECTS:tamis_objects>)
add_library(tamis_shared SHARED $<TARGET_OBJECTS:tamis_objects>)
foreach(target tamis_static tamis_shared)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME tamis
                                             LINKER_LANGUAGE CXX)
  target_compile_features(${target} INTERFACE cxx_std_20)
  target_include_directories(
    ${target}
    INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
              "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  target_link_libraries(${target} PRIVATE ${TAMIS_LIBRARIES})
endforeach()

# Before 1.0 a minor version may change the interface, and so the name under
# which programs look for it.
set_target_properties(
  tamis_shared
  PROPERTIES VERSION ${PROJECT_VERSION}
             SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
             LINK_DEPENDS "${PROJECT_SOURCE_DIR}/cmake/exports.map")
target_link_options(
  tamis_shared PRIVATE
  "LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/exports.map")
if(NOT TAMIS_SANITIZE)  # a sanitizer's own functions come with the program
  target_link_options(tamis_shared PRIVATE "LINKER:--no-undefined")
endif()

add_library(tamis::tamis_static ALIAS tamis_static)
add_library(tamis::tamis_shared ALIAS tamis_shared)
add_library(tamis::tamis ALIAS tamis_shared)
