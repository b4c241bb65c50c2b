# SPDX-License-Identifier: Apache-2.0
# IBM Z: the big-endian machine.
set(machine s390x)
include("${CMAKE_CURRENT_LIST_DIR}/debian-cross.cmake")
