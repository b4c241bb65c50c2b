// SPDX-License-Identifier: Apache-2.0
#include "store/level_iterator.h"

#include <algorithm>

namespace tamis {
namespace {

class LevelIterator final : public InternalIterator {
 public:
  LevelIterator(const KeyOrder& order, const std::vector<TableFileRef>& files,
                const BlockReadOptions& options)
      : order_(order), files_(files), options_(options) {}

  void SeekToFirst() override {
    if (!GoTo(0)) return;
    table_->SeekToFirst();
    SkipEmptyForward();
  }
  void SeekToLast() override {
    if (files_.empty() || !GoTo(files_.size() - 1)) return;
    table_->SeekToLast();
    SkipEmptyBackward();
  }
  void Seek(Slice internal_key) override {
    if (!is_prepared_) {
      if (!GoTo(Find(internal_key))) return;
    }
    is_prepared_ = false;
    if (table_ == nullptr) return;  // WillSeek() has found none
    table_->Seek(internal_key);
    SkipEmptyForward();
  }
  void WillSeek(Slice internal_key) override {
    is_prepared_ = true;
    if (GoTo(Find(internal_key))) table_->WillSeek(internal_key);
  }
  void Next() override {
    table_->Next();
    if (table_->Valid()) {
      StandAt(table_->key(), table_->value());
    } else {
      SkipEmptyForward();
    }
  }
  void Prev() override {
    table_->Prev();
    SkipEmptyBackward();
  }
  Status status() const override {
    return table_ == nullptr ? Status::Ok() : table_->status();
  }

 private:
  std::size_t Find(Slice internal_key) const noexcept {
    const auto found = std::partition_point(
        files_.begin(), files_.end(), [&](const TableFileRef& file) {
          return order_.Compare(file->largest(), internal_key) < 0;
        });
    return static_cast<std::size_t>(found - files_.begin());
  }

  // False: there is no such table, and the iterator is at no entry.
  bool GoTo(std::size_t i) {
    // The last entry was not valid after all: keep the error.
    if (table_ != nullptr && table_->Valid() && !table_->status().ok()) {
      StandNowhere();
      return false;
    }
    if (i >= files_.size()) {
      table_.reset();
      StandNowhere();
      return false;
    }
    if (table_ == nullptr || at_ != i) {
      table_ = NewTableIterator(*files_[i], options_);
      at_ = i;
    }
    return true;
  }

  void SkipEmptyForward() {
    while (!table_->Valid() && table_->status().ok()) {
      if (!GoTo(at_ + 1)) return;
      table_->SeekToFirst();
    }
    TakeOver();
  }
  void SkipEmptyBackward() {
    while (!table_->Valid() && table_->status().ok()) {
      if (at_ == 0) {
        StandNowhere();
        return;
      }
      GoTo(at_ - 1);
      table_->SeekToLast();
    }
    TakeOver();
  }
  void TakeOver() noexcept {
    if (table_->Valid()) {
      StandAt(table_->key(), table_->value());
    } else {
      StandNowhere();
    }
  }

  KeyOrder order_;
  const std::vector<TableFileRef>& files_;
  BlockReadOptions options_;
  std::unique_ptr<InternalIterator> table_;
  std::size_t at_ = 0;
  bool is_prepared_ = false;  // by WillSeek()
};

}  // namespace

std::unique_ptr<InternalIterator> NewTableIterator(
    const TableFile& file, const BlockReadOptions& options) {
  Result<const Table*> table = file.Open();
  if (!table.ok()) return std::make_unique<EmptyIterator>(table.status());
  return (*table)->NewIterator(options);
}

std::unique_ptr<InternalIterator> NewLevelIterator(
    const KeyOrder& order, const std::vector<TableFileRef>& files,
    const BlockReadOptions& options) {
  return std::make_unique<LevelIterator>(order, files, options);
}

}  // namespace tamis
