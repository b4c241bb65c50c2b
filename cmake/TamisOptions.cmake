# Language, warnings and sanitizers: what every target of ours is built with.

option(TAMIS_BUILD_STORE
       "Build the store; OFF: filters only, and neither tool nor tests of it" ON)
option(TAMIS_BUILD_TOOL "Build the tamis command" ${PROJECT_IS_TOP_LEVEL})
option(TAMIS_BUILD_TESTS
       "Build tests, fuzz targets, examples and benchmarks"
       ${PROJECT_IS_TOP_LEVEL})
option(TAMIS_WARNINGS_AS_ERRORS "A warning stops the build"
       ${PROJECT_IS_TOP_LEVEL})
option(TAMIS_BUILD_FUZZ "Build the fuzz targets, to be replayed" ON)
option(TAMIS_FUZZ "Link the fuzz targets with libFuzzer (clang only)" OFF)
option(TAMIS_PRECOMPILE "Precompile the headers of GoogleTest for the tests"
       OFF)
option(TAMIS_PRECOMPILE_SOURCES
       "Precompile the standard library's headers for the library and the tool"
       OFF)
option(TAMIS_UNITY
       "Compile some sources of the tool and the tests several at a time" OFF)
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
