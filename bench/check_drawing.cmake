# SPDX-License-Identifier: Apache-2.0
# cmake -DBENCH=... -DDIR=... -DLMDB=ON -P check_drawing.cmake
#
# Fails unless bench_store can draw what it has measured, with a bar for every
# store that took part; or if it keeps a tiny run.
file(MAKE_DIRECTORY "${DIR}")
file(REMOVE_RECURSE "${DIR}/kept")
foreach(arguments
        "--smoke;--rounds;1;--json;${DIR}/run.json;--keep;${DIR}/kept"
                  "--from;${DIR}/run.json;--svg;${DIR}/run.svg")
  execute_process(COMMAND "${BENCH}" ${arguments} OUTPUT_QUIET
                  RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${BENCH} ${arguments} ended with ${status}")
  endif()
endforeach()
if(EXISTS "${DIR}/kept")
  message(FATAL_ERROR "${BENCH} --smoke --keep kept a tiny run")
endif()

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
