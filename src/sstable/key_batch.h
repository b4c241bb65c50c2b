// SPDX-License-Identifier: Apache-2.0
// sstable/key_batch.h -- the keys of one block, as a visitor takes them.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tamis/slice.h"
#include "tamis/sstable.h"

namespace tamis {

// Reused from block to block, so that it takes the memory of the largest one.
class KeyBatch {
 public:
  void Clear() noexcept {
    bytes_.clear();
    ends_.clear();
  }
  // `key` is copied.
  void Add(Slice key) {
    bytes_.append(key);
    ends_.push_back(bytes_.size());
  }
  std::size_t size() const noexcept { return ends_.size(); }

  // Views of the keys, valid until the next call of Clear() or Add().
  std::span<const Slice> Keys() {
    keys_.clear();
    std::size_t start = 0;
    for (const std::size_t end : ends_) {
      keys_.emplace_back(bytes_.data() + start, end - start);
      start = end;
    }
    return keys_;
  }

  // Space for one answer per key, all true.
  std::span<bool> Answers() {
    if (capacity_ < size()) {
      capacity_ = size() * 2;
      answers_ = std::make_unique<bool[]>(capacity_);
    }
    std::fill_n(answers_.get(), size(), true);
    return {answers_.get(), size()};
  }

 private:
  std::string bytes_;
  std::vector<std::size_t> ends_;
  std::vector<Slice> keys_;
  std::unique_ptr<bool[]> answers_;
  std::size_t capacity_ = 0;
};

// What one walk needs: its counts, its memory, and where to report to.
class WalkReport {
 public:
  // `path` begins every problem.
  WalkReport(std::string path, SstableVisitor& visitor)
      : path_(std::move(path)), visitor_(visitor) {}

  const SstableWalk& walk() const noexcept { return walk_; }
  KeyBatch& batch() noexcept { return batch_; }

  // False: the block is not after the last one that this was called for, as
  // data blocks are; that is a problem.  So no walk reads more than the file.
  bool Advance(std::uint64_t offset, std::uint64_t bytes) {
    if (offset < next_) {
      AddProblem("offset " + std::to_string(offset) +
                 ": the index leads back to it, before " +
                 std::to_string(next_));
      return false;
    }
    next_ = offset + bytes < offset ? UINT64_MAX : offset + bytes;
    return true;
  }

  // A block of so many bytes was read and is right.
  void AddBlock(std::uint64_t bytes) noexcept {
    ++walk_.blocks;
    walk_.bytes += bytes;
  }
  // Several, or bytes that are no block.
  void AddBlocks(std::uint64_t blocks, std::uint64_t bytes) noexcept {
    walk_.blocks += blocks;
    walk_.bytes += bytes;
  }
  void AddBytes(std::uint64_t bytes) noexcept { walk_.bytes += bytes; }
  void AddProblem(const std::string& what) { AddProblemIn(path_, what); }
  void AddProblemIn(const std::string& path, const std::string& what) {
    AddWholeProblem(path + ": " + what);
  }
  // One that names its file itself.
  void AddWholeProblem(const std::string& problem) {
    ++walk_.problems;
    visitor_.OnProblem(problem);
  }

  // Passes keys to the visitor.  False: the walk ends.
  bool Give(std::span<const Slice> keys, std::span<const bool> admitted,
            std::uint64_t offset, bool are_neighbours) {
    walk_.keys += keys.size();
    return visitor_.OnKeys({.keys = keys,
                            .admitted = admitted,
                            .offset = offset,
                            .are_neighbours = are_neighbours});
  }

 private:
  std::string path_;
  SstableVisitor& visitor_;
  SstableWalk walk_;
  KeyBatch batch_;
  std::uint64_t next_ = 0;  // where the next data block may begin
};

}  // namespace tamis
