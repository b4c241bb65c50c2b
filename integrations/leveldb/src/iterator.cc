// SPDX-License-Identifier: Apache-2.0
// leveldb::Iterator: its cleanup functions, and the iterators without entries.

#include <cassert>

#include <leveldb/iterator.h>

namespace leveldb {
namespace {

class NoEntries final : public Iterator {
 public:
  explicit NoEntries(const Status& status) : status_(status) {}

  bool Valid() const override { return false; }
  void SeekToFirst() override {}
  void SeekToLast() override {}
  void Seek(const Slice& /*target*/) override {}
  void Next() override { assert(false); }
  void Prev() override { assert(false); }
  Slice key() const override { return {}; }
  Slice value() const override { return {}; }
  Status status() const override { return status_; }

 private:
  const Status status_;
};

}  // namespace

Iterator::Iterator() : cleanup_head_{nullptr, nullptr, nullptr, nullptr} {}

Iterator::~Iterator() {
  if (cleanup_head_.IsEmpty()) return;
  cleanup_head_.Run();
  for (CleanupNode* node = cleanup_head_.next; node != nullptr;) {
    CleanupNode* const next = node->next;
    node->Run();
    delete node;
    node = next;
  }
}

void Iterator::RegisterCleanup(CleanupFunction function, void* arg1,
                               void* arg2) {
  assert(function != nullptr);
  if (cleanup_head_.IsEmpty()) {
    cleanup_head_ = {function, arg1, arg2, nullptr};
  } else {
    // Right after the head: the first registered runs first, then the newest.
    cleanup_head_.next =
        new CleanupNode{function, arg1, arg2, cleanup_head_.next};
  }
}

Iterator* NewEmptyIterator() { return new NoEntries(Status::OK()); }
Iterator* NewErrorIterator(const Status& status) {
  return new NoEntries(status);
}

}  // namespace leveldb
