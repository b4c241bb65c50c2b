# SPDX-License-Identifier: Apache-2.0
# cmake -DBENCH=... -DDIR=... -DLMDB=ON -P check_tail.cmake
#
# Fails unless bench_store --tail and --fill report, and draw, the percentiles
# of every store that took part, and the rate over time of a fill.
file(MAKE_DIRECTORY "${DIR}")
set(names Tamis LevelDB)
if(LMDB)
  list(APPEND names LMDB)
endif()
foreach(mode tail fill)
  execute_process(
    COMMAND "${BENCH}" --${mode} --smoke --json "${DIR}/${mode}.json" --svg
            "${DIR}/${mode}.svg" OUTPUT_QUIET RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${BENCH} --${mode} --smoke ended with ${status}")
  endif()
  file(READ "${DIR}/${mode}.json" figures)
  file(READ "${DIR}/${mode}.svg" picture)
  set(operations put)
  if(mode STREQUAL tail)
    list(APPEND operations present missing)
  endif()
  foreach(name ${names})
    if(NOT picture MATCHES "class=\"legend\">${name}<")
      message(FATAL_ERROR "${DIR}/${mode}.svg does not show ${name}")
    endif()
    foreach(operation ${operations})
      string(JSON time GET "${figures}" stores ${name} ${operation}_p99.99)
      string(JSON most GET "${figures}" stores ${name} ${operation}_max)
      if(NOT time GREATER 0 OR time GREATER most)
        message(FATAL_ERROR "${name}, ${operation}: ${time} ns at p99.99, "
                            "${most} at most")
      endif()
    endforeach()
  endforeach()
endforeach()
string(JSON intervals LENGTH "${figures}" stores LevelDB rate)
if(intervals EQUAL 0)
  message(FATAL_ERROR "${DIR}/fill.json has no rate over time")
endif()

execute_process(
  COMMAND "${BENCH}" --fill --smoke --only Tamis OUTPUT_VARIABLE report
          ERROR_QUIET RESULT_VARIABLE status)
if(NOT status EQUAL 0
   OR NOT report MATCHES " Tamis "
   OR report MATCHES " LevelDB ")
  message(FATAL_ERROR "--only Tamis ended with ${status}: ${report}")
endif()
