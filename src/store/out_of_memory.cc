// SPDX-License-Identifier: Apache-2.0
#include "store/out_of_memory.h"

#include <new>

#include "base/no_throw.h"

namespace tamis {
namespace {

// They have no state and are never destroyed: deleting one does nothing.

class NoIterator final : public Iterator {
 public:
  static void operator delete(NoIterator* /*it*/, std::destroying_delete_t) {}

  bool Valid() const noexcept override { return false; }
  void SeekToFirst() override {}
  void SeekToLast() override {}
  void Seek(Slice /*key*/) override {}
  void SeekForPrev(Slice /*key*/) override {}
  void Next() override {}
  void Prev() override {}
  Slice key() const noexcept override { return {}; }
  Slice value() const noexcept override { return {}; }
  Status status() const override { return OutOfMemory(); }
};

class NoSnapshot final : public Snapshot {
 public:
  static void operator delete(NoSnapshot* /*it*/, std::destroying_delete_t) {}
};

NoIterator no_iterator;
const NoSnapshot no_snapshot;

}  // namespace

std::unique_ptr<Iterator> OutOfMemoryIterator() noexcept {
  return std::unique_ptr<Iterator>(&no_iterator);
}

std::unique_ptr<const Snapshot> OutOfMemorySnapshot() noexcept {
  return std::unique_ptr<const Snapshot>(&no_snapshot);
}

bool IsOutOfMemory(const Snapshot* snapshot) noexcept {
  return snapshot == &no_snapshot;
}

}  // namespace tamis
