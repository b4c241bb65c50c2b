# SPDX-License-Identifier: Apache-2.0
# cmake -DBENCH=... -DRESULTS=... -DPICTURE=... -DDRAWN=... -P check_picture.cmake
#
# Fails unless the picture in the repository is what bench_store draws of the
# stored results.
execute_process(COMMAND "${BENCH}" --from "${RESULTS}" --svg "${DRAWN}"
                RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${BENCH} could not draw ${RESULTS}")
endif()
execute_process(COMMAND "${CMAKE_COMMAND}" -E compare_files "${DRAWN}"
                        "${PICTURE}" RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${PICTURE} is not what bench_store --from ${RESULTS} "
                      "--svg draws")
endif()
