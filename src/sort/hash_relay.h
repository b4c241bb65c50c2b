// SPDX-License-Identifier: Apache-2.0
// sort/hash_relay.h -- passes hashes to a HashCollector on a separate thread:
// while that partitions them, and allocates memory or writes to a file, the
// caller hashes more keys.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "sort/hash_collector.h"

namespace tamis {

class HashRelay {
 public:
  // Throws std::bad_alloc or std::system_error: no memory, or no thread.
  // REQUIRES: collector->spreads()
  explicit HashRelay(HashCollector* collector);
  // Waits until all hashes are in the collector.
  ~HashRelay();
  HashRelay(const HashRelay&) = delete;
  HashRelay& operator=(const HashRelay&) = delete;

  // Called by one thread at a time; nothing else may use the collector
  // meanwhile.
  void Push(std::span<const std::uint64_t> hashes) noexcept;

 private:
  // A ring of blocks: the caller fills one after the other, and the thread
  // empties them in the same order.
  static constexpr std::size_t kBlockHashes = 8192;
  static constexpr std::size_t kBlocks = 16;
  // Waking the thread takes as long as a large part of a block.
  static constexpr std::size_t kWorthWaking = kBlocks / 4;

  std::span<std::uint64_t> BlockAt(std::size_t number) noexcept;
  // Passes on the open block, which is full, and opens the next.
  void HandOver() noexcept TAMIS_EXCLUDES(mutex_);
  void Run() noexcept TAMIS_EXCLUDES(mutex_);

  HashCollector* const collector_;
  std::vector<std::uint64_t> ring_;
  std::size_t open_block_ = 0;  // the caller's, which filled_ will count
  std::size_t open_count_ = 0;  // hashes in it

  Mutex mutex_;
  // Numbers of blocks since the start.
  std::size_t filled_ TAMIS_GUARDED_BY(mutex_) = 0;
  std::size_t emptied_ TAMIS_GUARDED_BY(mutex_) = 0;
  bool ended_ TAMIS_GUARDED_BY(mutex_) = false;
  CondVar has_filled_;  // or ended
  CondVar has_emptied_;
  std::thread thread_;
};

}  // namespace tamis
