# SPDX-License-Identifier: Apache-2.0
# Language, warnings and sanitizers: what every target of ours is built with.

# Plain `cmake -B build` makes what a user wants, from what is there: the
# libraries and the command, optimised.  The presets ask for more.
option(TAMIS_BUILD_STORE
       "Build the store; OFF: filters only, and neither tool nor tests of it" ON)
option(TAMIS_BUILD_TOOL "Build the tamis command" ${PROJECT_IS_TOP_LEVEL})
option(TAMIS_BUILD_EXAMPLES "Build the examples and the demo" OFF)
option(TAMIS_BUILD_BENCHMARKS "Build the benchmarks, which need LevelDB" OFF)
option(TAMIS_BUILD_PYTHON "Build the Python package, which needs Python's headers"
       OFF)
option(TAMIS_BUILD_REDIS "Build the Redis module" OFF)
option(TAMIS_HIREDIS
       "Build `tamis redis` with a client, if hiredis is there" ON)
option(TAMIS_BUILD_LEVELDB
       "Build libleveldb.so.1d over the store, which needs LevelDB's headers"
       OFF)
option(TAMIS_BUILD_TESTS
       "Build the tests, which need GoogleTest, and run examples and benchmarks \
with them"
       OFF)
option(TAMIS_REQUIRE_ALL
       "A missing library stops the configuration; OFF: what needs it is left \
out, and a message says so"
       OFF)
option(TAMIS_WARNINGS_AS_ERRORS "A warning stops the build" OFF)
set(TAMIS_CORPUS_DIR "${PROJECT_SOURCE_DIR}/../shared/corpus" CACHE PATH
    "Where the tests look for other systems' files; those tests are skipped \
without it.  TAMIS_CORPUS in the environment overrides it")
option(TAMIS_BUILD_FUZZ "Build the fuzz targets, to be replayed" ON)
option(TAMIS_FUZZ "Link the fuzz targets with libFuzzer (clang only)" OFF)
option(TAMIS_PRECOMPILE "Precompile the headers of GoogleTest for the tests"
       OFF)
option(TAMIS_PRECOMPILE_SOURCES
       "Precompile the standard library's headers for the library and the tool"
       ${PROJECT_IS_TOP_LEVEL})
option(TAMIS_UNITY
       "Compile the sources of library, tool and tests several at a time: in a \
quarter of the time"
       ${PROJECT_IS_TOP_LEVEL})
option(TAMIS_TEST_WHOLE_FOLDERS
       "Run the tests of a folder in one process instead of one each" OFF)
set(TAMIS_TEST_FOLDERS "" CACHE STRING
    "The folders of tests/ to build; empty: all that can be")
set(TAMIS_TEST_OPTIMISATION "-O1" CACHE STRING
    "How test code is optimised, whatever the library is")
set(TAMIS_LIBRARY_OPTIMISATION "" CACHE STRING
    "How the library is optimised; empty: as everything else")
set(TAMIS_SANITIZE "" CACHE STRING
    "Sanitizers for everything, as -fsanitize= takes them")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

get_property(multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
if(PROJECT_IS_TOP_LEVEL AND NOT multi_config AND NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "How to compile" FORCE)
endif()

# tamis_left_out(WHAT WHY) -- WHAT cannot be built because of WHY: an error
# where everything is required, a message elsewhere.
function(tamis_left_out what why)
  if(TAMIS_REQUIRE_ALL)
    message(FATAL_ERROR "${why}: cannot build ${what} (TAMIS_REQUIRE_ALL)")
  endif()
  message(STATUS "${why}: ${what} left out")
endfunction()

include(GNUInstallDirs)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")

# Every target of ours links this privately.
add_library(tamis_flags INTERFACE)
target_compile_options(
  tamis_flags
  INTERFACE -Wall
            -Wextra
            -Wpedantic
            -Wshadow
            -Wconversion
            -Wsign-conversion
            -Wold-style-cast
            -Wnon-virtual-dtor
            -Woverloaded-virtual
            -Wcast-qual
            -Wcast-align
            -Wdouble-promotion
            -Wformat=2
            -Wimplicit-fallthrough
            -Wundef
            -Wvla)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 sees overlapping copies inside its own std::string (GCC bug 105651).
  target_compile_options(tamis_flags INTERFACE -Wno-restrict)
elseif(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # What base/thread_annotations.h says about locks; gcc cannot check it.
  target_compile_options(tamis_flags INTERFACE -Wthread-safety)
  if(CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 17)
    # It tells that std::stable_sort() of libstdc++ 12 uses a function which
    # libstdc++ calls deprecated.
    target_compile_options(tamis_flags INTERFACE -Wno-deprecated-declarations)
  endif()
endif()
if(TAMIS_WARNINGS_AS_ERRORS)
  target_compile_options(tamis_flags INTERFACE -Werror)
endif()

# A sanitizer must see every object, so these are not a matter of
# tamis_flags.  The vptr check needs the run-time types that the library
# leaves out.
if(TAMIS_SANITIZE)
  add_compile_options(-fsanitize=${TAMIS_SANITIZE} -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${TAMIS_SANITIZE})
  if(TAMIS_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize=vptr)
  endif()
endif()

# What a fuzzer has to see the inside of links this privately.
add_library(tamis_fuzzed INTERFACE)
if(TAMIS_FUZZ)
  target_compile_options(tamis_fuzzed INTERFACE -fsanitize=fuzzer-no-link)
endif()
