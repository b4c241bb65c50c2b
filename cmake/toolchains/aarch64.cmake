# SPDX-License-Identifier: Apache-2.0
# 64-bit Arm: little-endian, with NEON.
set(machine aarch64)
include("${CMAKE_CURRENT_LIST_DIR}/debian-cross.cmake")
