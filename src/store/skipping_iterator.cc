// SPDX-License-Identifier: Apache-2.0
#include "store/skipping_iterator.h"

#include <algorithm>
#include <cassert>
#include <span>
#include <string>

#include "store/level_iterator.h"

namespace tamis {
namespace {

class SkippingIterator final : public InternalIterator {
 public:
  SkippingIterator(const RangeScan& scan, const SkippedTables& tables,
                   const BlockReadOptions& options)
      : scan_(scan),
        tables_(tables),
        files_(tables.level != nullptr
                   ? std::span<const TableFileRef>(tables.level->files())
                   : std::span<const TableFileRef>(tables.file, 1)),
        options_(options) {}

  void SeekToFirst() override {
    Entries().SeekToFirst();
    TakeOver();
  }
  void SeekToLast() override {
    Entries().SeekToLast();
    TakeOver();
  }
  void Seek(Slice internal_key) override {
    if (!is_prepared_) place_ = PlaceForward(internal_key);
    is_prepared_ = false;
    if (place_ != Place::kToRead) return StandUnread();
    Entries().Seek(internal_key);
    TakeOver();
  }
  bool WillSeek(Slice internal_key) override {
    if (!is_prepared_) {
      is_prepared_ = true;
      place_ = PlaceForward(internal_key);
    }
    return place_ == Place::kToRead && Entries().WillSeek(internal_key);
  }
  void SeekForPrev(const KeyOrder& order, Slice internal_key) override {
    is_prepared_ = false;
    place_ = PlaceBackward(internal_key);
    if (place_ != Place::kToRead) return StandUnread();
    Entries().SeekForPrev(order, internal_key);
    TakeOver();
  }
  void Next() override {
    assert(!is_postponed());
    entries_->Next();
    TakeOver();
  }
  void Prev() override {
    assert(!is_postponed());
    entries_->Prev();
    TakeOver();
  }
  InternalIterator* Settle() override {
    if (is_postponed()) {
      scan_.CountReached(tables_.number, was_asked_);
      if (is_forward_) {
        Entries().Seek(bound_);
      } else {
        Entries().SeekForPrev(KeyOrder(), bound_);
      }
      TakeOver();
    }
    return is_reading_ ? entries_.get() : this;
  }
  Status status() const override {
    return is_reading_ ? entries_->status() : Status::Ok();
  }

 private:
  // Where a seek ends.
  enum class Place {
    kNowhere,    // there is no entry left
    kPostponed,  // all entries left are at bound_ or beyond it
    kToRead,     // the tables must be read to know
  };

  InternalIterator& Entries() {
    if (entries_ == nullptr) {
      entries_ = tables_.level != nullptr
                     ? NewLevelIterator(KeyOrder(), *tables_.level, options_)
                     : NewTableIterator(*files_.front(), options_);
    }
    return *entries_;
  }
  // entries_ has moved.
  void TakeOver() noexcept {
    is_reading_ = true;
    if (entries_->Valid()) {
      StandAt(entries_->key(), entries_->value());
      EndPostponing();
    } else {
      StandNowhere();
    }
  }
  void StandUnread() {
    is_reading_ = false;
    if (place_ == Place::kNowhere) return StandNowhere();
    scan_.CountPostponed(tables_.number);
    StandPostponed(bound_);
  }

  // The first table whose last entry is at that internal key or after it.
  std::size_t Find(Slice internal_key) const noexcept {
    if (tables_.level != nullptr) return tables_.level->FindTable(internal_key);
    return KeyOrder().Compare(files_.front()->largest(), internal_key) < 0 ? 1
                                                                           : 0;
  }

  Place PlaceForward(Slice internal_key) {
    const Slice from = UserKeyOf(internal_key);
    for (std::size_t i = Find(internal_key); i < files_.size(); ++i) {
      const TableFile& file = *files_[i];
      const Slice first = UserKeyOf(file.smallest());
      if (scan_.upper() != nullptr && first >= *scan_.upper()) break;
      if (from < first) return PostponeTo(first, /*was_asked=*/false);
      const RangeScan::Answer answer =
          scan_.SkipForward(tables_.number, file, from, &to_);
      if (answer == RangeScan::Answer::kNone) continue;
      if (answer != RangeScan::Answer::kFrom) return Place::kToRead;
      if (to_ <= UserKeyOf(file.largest())) {
        return PostponeTo(to_, /*was_asked=*/true);
      }
    }
    return Place::kNowhere;
  }

  Place PlaceBackward(Slice internal_key) {
    const Slice from = UserKeyOf(internal_key);
    std::size_t i = Find(internal_key);
    const bool is_within =
        i < files_.size() &&
        KeyOrder().Compare(files_[i]->smallest(), internal_key) <= 0;
    for (i += is_within ? 1 : 0; i > 0; --i) {
      const TableFile& file = *files_[i - 1];
      const Slice last = UserKeyOf(file.largest());
      if (scan_.lower() != nullptr && last < *scan_.lower()) break;
      if (last < from) return PostponeBackTo(last, /*was_asked=*/false);
      const RangeScan::Answer answer =
          scan_.SkipBackward(tables_.number, file, from, &to_);
      if (answer == RangeScan::Answer::kNone) continue;
      if (answer != RangeScan::Answer::kFrom) return Place::kToRead;
      if (to_ >= UserKeyOf(file.smallest())) {
        return PostponeBackTo(to_, /*was_asked=*/true);
      }
    }
    return Place::kNowhere;
  }

  // Before all versions of the key, or after all of them.
  Place PostponeTo(Slice user_key, bool was_asked) {
    is_forward_ = true;
    was_asked_ = was_asked;
    bound_.clear();
    AppendInternalKey(&bound_, user_key, kMaxSequence, kTypeForSeek);
    return Place::kPostponed;
  }
  Place PostponeBackTo(Slice user_key, bool was_asked) {
    is_forward_ = false;
    was_asked_ = was_asked;
    bound_.clear();
    AppendInternalKey(&bound_, user_key, 0, ValueType::kDeletion);
    return Place::kPostponed;
  }

  const RangeScan scan_;
  const SkippedTables tables_;
  const std::span<const TableFileRef> files_;
  const BlockReadOptions options_;
  std::unique_ptr<InternalIterator> entries_;  // null: not needed yet
  Place place_ = Place::kNowhere;
  bool is_prepared_ = false;  // place_ is that of the seek which follows
  bool is_reading_ = false;   // it is where entries_ is
  bool is_forward_ = true;    // of bound_
  bool was_asked_ = false;    // bound_ is a filter's answer, not a table's end
  std::string bound_;         // an internal key
  std::string to_;
};

}  // namespace

std::unique_ptr<InternalIterator> NewSkippingIterator(
    const RangeScan& scan, const SkippedTables& tables,
    const BlockReadOptions& options) {
  return std::make_unique<SkippingIterator>(scan, tables, options);
}

}  // namespace tamis
