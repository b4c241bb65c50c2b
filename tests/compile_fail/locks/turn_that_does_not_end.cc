// SPDX-License-Identifier: Apache-2.0
// Whoever has the writers' turn ends it: else everybody waits for ever.
// REFUSED: 'kWriteTurn' is not held on every path

#include "store/write_queue.h"

bool Write(tamis::StoreMutex& mutex, tamis::WriteQueue& queue,
           tamis::QueuedWrite* write) {
  const tamis::StoreLock lock(mutex);
  if (!queue.WaitForTurn(write)) return false;
#ifndef TAMIS_MISUSE
  queue.EndTurn({}, tamis::Status::Ok());
#endif
  return true;
}
