// SPDX-License-Identifier: Apache-2.0
// sstable/key_batch.h -- keys of one block, as a visitor takes them.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tamis/slice.h"
#include "tamis/sstable.h"

namespace tamis {

// Reused from block to block.  A block of few bytes may have keys of many,
// since each can repeat the one before: what passes a batch on as soon as it is
// full, before its block ends, takes bounded memory.
class KeyBatch {
 public:
  static constexpr std::size_t kFullKeys = 512;
  static constexpr std::size_t kFullBytes = std::size_t{64} << 10;

  void Clear() noexcept { count_ = used_ = 0; }
  std::size_t size() const noexcept { return count_; }
  // True: the keys should be passed on before this one is added.
  bool IsFullFor(Slice key) const noexcept {
    return count_ >= kFullKeys ||
           (count_ > 0 && used_ + key.size() > kFullBytes);
  }
  // `key` is copied.
  void Add(Slice key) {
    if (key.size() > capacity_ - used_) [[unlikely]]
      Grow(key.size());
    if (count_ == keys_.size()) [[unlikely]]
      keys_.resize(std::max(kFullKeys, 2 * count_));
    char* const to = bytes_.get() + used_;
    CopyKey(key, to);
    keys_[count_++] = {to, key.size()};
    used_ += key.size();
  }

  // Views of the keys, valid until the next call of Clear() or Add().
  std::span<const Slice> Keys() const noexcept {
    return std::span(keys_).first(count_);
  }

  // Space for one answer per key, all true.
  std::span<bool> Answers() {
    if (answers_capacity_ < count_) {
      answers_ = std::make_unique<bool[]>(keys_.size());
      answers_capacity_ = keys_.size();
    }
    std::fill_n(answers_.get(), count_, true);
    return {answers_.get(), count_};
  }

 private:
  // Makes space for that many more bytes; the keys move.
  void Grow(std::size_t bytes) {
    const std::size_t capacity =
        std::max({used_ + bytes, 2 * capacity_, kFullBytes});
    auto longer = std::make_unique_for_overwrite<char[]>(capacity);
    std::copy_n(bytes_.get(), used_, longer.get());
    char* to = longer.get();
    for (Slice& key : std::span(keys_).first(count_)) {
      key = {to, key.size()};
      to += key.size();
    }
    bytes_ = std::move(longer);
    capacity_ = capacity;
  }
  // Most keys are short, and copied faster by words than by a call.
  static void CopyKey(Slice key, char* to) noexcept {
    constexpr std::size_t kWord = 8;
    constexpr std::size_t kShortKey = 64;
    if (key.size() < kWord || key.size() > kShortKey) {
      key.copy(to, key.size());
      return;
    }
    const std::size_t last = key.size() - kWord;
    for (std::size_t i = 0; i < last; i += kWord) {
      std::memcpy(to + i, key.data() + i, kWord);
    }
    std::memcpy(to + last, key.data() + last, kWord);
  }

  std::unique_ptr<char[]> bytes_;
  std::size_t capacity_ = 0;
  std::size_t used_ = 0;
  std::size_t count_ = 0;
  std::vector<Slice> keys_;  // the first count_ are valid
  std::unique_ptr<bool[]> answers_;
  std::size_t answers_capacity_ = 0;
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
