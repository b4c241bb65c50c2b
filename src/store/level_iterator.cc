// SPDX-License-Identifier: Apache-2.0
#include "store/level_iterator.h"

#include <algorithm>
#include <optional>

#include "table/table_iterator.h"

namespace tamis {
namespace {

class LevelIterator final : public InternalIterator {
 public:
  // `level` may be null.
  LevelIterator(const KeyOrder& order, const Level* level,
                const std::vector<TableFileRef>& files,
                const BlockReadOptions& options)
      : order_(order),
        level_(level),
        files_(files),
        options_(options),
        end_(files.size()) {
    if (options.span != nullptr) Narrow(*options.span);
  }

  void SeekToFirst() override {
    if (!GoTo(first_)) return;
    table_->SeekToFirst();
    SkipEmptyForward();
  }
  void SeekToLast() override {
    if (!GoTo(first_ < end_ ? end_ - 1 : end_)) return;
    table_->SeekToLast();
    SkipEmptyBackward();
  }
  void Seek(Slice internal_key) override {
    if (!is_prepared_) {
      if (!GoTo(Find(internal_key))) return;
    }
    is_prepared_ = false;
    if (!table_) return;  // WillSeek() has found none
    table_->Seek(internal_key);
    SkipEmptyForward();
  }
  bool WillSeek(Slice internal_key) override {
    if (!is_prepared_) {
      is_prepared_ = true;
      if (!GoTo(Find(internal_key))) return false;
    }
    return table_ && table_->WillSeek(internal_key);
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
    return table_ ? table_->status() : opening_;
  }

 private:
  // Leaves out the tables that have no entries of the span.
  void Narrow(const KeySpan& span) noexcept {
    if (!span.from.empty()) first_ = FindTable(span.from);
    if (span.end.empty()) return;
    end_ = FindTable(span.end);
    const bool begins_before =
        end_ < files_.size() &&
        order_.Compare(files_[end_]->smallest(), span.end) < 0;
    if (begins_before) ++end_;
  }

  std::size_t Find(Slice internal_key) const noexcept {
    return std::max(FindTable(internal_key), first_);
  }
  std::size_t FindTable(Slice internal_key) const noexcept {
    if (level_ != nullptr) return level_->FindTable(internal_key);
    const auto found = std::partition_point(
        files_.begin(), files_.end(), [&](const TableFileRef& file) {
          return order_.Compare(file->largest(), internal_key) < 0;
        });
    return static_cast<std::size_t>(found - files_.begin());
  }

  // False: there is no such table, or it does not open; the iterator is at no
  // entry.
  bool GoTo(std::size_t i) {
    // The last entry was not valid after all: keep the error.
    if (table_ && table_->Valid() && !table_->status().ok()) {
      StandNowhere();
      return false;
    }
    if (table_ && at_ == i) return true;
    table_.reset();
    opening_ = Status::Ok();
    if (i < end_) Open(i);
    if (!table_) StandNowhere();
    return table_.has_value();
  }

  void Open(std::size_t i) {
    at_ = i;
    const Table* table = files_[i]->opened();
    if (table == nullptr) {
      const Result<const Table*> now = files_[i]->Open();
      if (!now.ok()) {
        opening_ = now.status();
        return;
      }
      table = *now;
    }
    table_.emplace(table->parts(), options_);
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
      if (at_ == first_) {
        StandNowhere();
        return;
      }
      if (!GoTo(at_ - 1)) return;
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
  const Level* level_;
  const std::vector<TableFileRef>& files_;
  BlockReadOptions options_;
  // The tables that have entries of the span.
  std::size_t first_ = 0;
  std::size_t end_;
  std::optional<TableIterator> table_;
  Status opening_;  // of the table at at_, if there is no table_
  std::size_t at_ = 0;
  bool is_prepared_ = false;  // by WillSeek()
};

}  // namespace

std::unique_ptr<InternalIterator> NewTableIterator(
    const TableFile& file, const BlockReadOptions& options) {
  if (const Table* table = file.opened()) return table->NewIterator(options);
  Result<const Table*> table = file.Open();
  if (!table.ok()) return std::make_unique<EmptyIterator>(table.status());
  return (*table)->NewIterator(options);
}

std::unique_ptr<InternalIterator> NewLevelIterator(
    const KeyOrder& order, const Level& level,
    const BlockReadOptions& options) {
  return std::make_unique<LevelIterator>(order, &level, level.files(), options);
}

std::unique_ptr<InternalIterator> NewLevelIterator(
    const KeyOrder& order, const std::vector<TableFileRef>& files,
    const BlockReadOptions& options) {
  return std::make_unique<LevelIterator>(order, nullptr, files, options);
}

}  // namespace tamis
