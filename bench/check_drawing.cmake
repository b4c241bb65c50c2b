# SPDX-License-Identifier: Apache-2.0
# cmake -DBENCH=... -DDIR=... -DLMDB=ON -P check_drawing.cmake
#
# Fails unless bench_store can draw what it has measured, with a bar for every
# store that took part.
file(MAKE_DIRECTORY "${DIR}")
foreach(arguments "--smoke;--rounds;1;--json;${DIR}/run.json"
                  "--from;${DIR}/run.json;--svg;${DIR}/run.svg")
  execute_process(COMMAND "${BENCH}" ${arguments} OUTPUT_QUIET
                  RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${BENCH} ${arguments} ended with ${status}")
  endif()
endforeach()

set(names Tamis LevelDB)
if(LMDB)
  list(APPEND names LMDB)
endif()
file(READ "${DIR}/run.svg" picture)
foreach(name ${names})
  if(NOT picture MATCHES "class=\"legend\">${name}<")
    message(FATAL_ERROR "${DIR}/run.svg does not show ${name}")
  endif()
endforeach()
