// SPDX-License-Identifier: Apache-2.0
// Only the writer at the front of the queue forms a group: the mutex alone is
// not enough, and a turn that was not given is none.
// REFUSED: calling function 'FormGroup' requires holding .* 'kWriteTurn'

#include "store/write_queue.h"

bool Write(tamis::StoreMutex& mutex, tamis::WriteQueue& queue,
           tamis::QueuedWrite* write) {
  const tamis::StoreLock lock(mutex);
  const bool has_turn = queue.WaitForTurn(write);
#ifndef TAMIS_MISUSE
  if (!has_turn) return false;
#endif
  const tamis::WriteGroup group = queue.FormGroup(1);
  queue.EndTurn(group, tamis::Status::Ok());
  return has_turn;
}
