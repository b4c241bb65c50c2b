# SPDX-License-Identifier: Apache-2.0
# What the toolchain files beside this one share: a cross compiler of Debian's
# for `machine`, and qemu-user to run what it makes.
#
# Headers may come from the host, since xxHash and nlohmann-json are compiled
# in; libraries may not.  Programs are linked statically: the emulator then
# need not be told where the other machine's libraries are.

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${machine})

set(CMAKE_C_COMPILER ${machine}-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER ${machine}-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${machine})
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)

set(CMAKE_FIND_ROOT_PATH "/usr/${machine}-linux-gnu")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE BOTH)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE BOTH)
