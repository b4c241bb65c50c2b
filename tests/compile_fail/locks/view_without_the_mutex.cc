// SPDX-License-Identifier: Apache-2.0
// What readers see is changed under the store's mutex, whichever class changes
// it: the token stands for the mutex across classes.
// REFUSED: calling function 'Publish' requires holding mutex 'kStoreMutex'

#include <memory>
#include <utility>

#include "store/view_publisher.h"

class Changer {
 public:
  Changer(tamis::StoreMutex& mutex, tamis::ViewPublisher& views)
      : mutex_(mutex), views_(views) {}

  void Change(std::shared_ptr<const tamis::ReadView> next) {
#ifndef TAMIS_MISUSE
    const tamis::StoreLock lock(mutex_);
#endif
    views_.Publish(std::move(next));
  }

  tamis::StoreMutex& mutex() { return mutex_; }

 private:
  tamis::StoreMutex& mutex_;
  tamis::ViewPublisher& views_;
};

void Use(Changer& changer) { changer.Change(nullptr); }
