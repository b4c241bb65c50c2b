// SPDX-License-Identifier: Apache-2.0
#include "store/store_iterator.h"

#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/no_throw.h"
#include "store/key_copy.h"
#include "store/level_iterator.h"
#include "store/merging_iterator.h"
#include "store/prefix_scan.h"
#include "store/range_scan.h"
#include "store/skipping_iterator.h"
#include "store/store_impl.h"

namespace tamis {
namespace {

// Going forward, at_ is at the current entry.  Going backward, it is before all
// versions of the current key; the key and value are kept here.
// Whatever entries_ has outside the bounds is as if it were not there.
class StoreIterator final : public Iterator {
 public:
  StoreIterator(ScanSource source, const KeyOrder& order, Sequence sequence)
      : view_(std::move(source.view)),
        bounds_(std::move(source.bounds)),
        entries_(std::move(source.entries)),
        at_(entries_.get()),
        order_(order),
        sequence_(sequence) {
    if (bounds_ == nullptr) return;
    if (bounds_->lower) lower_ = &*bounds_->lower;
    if (bounds_->upper) upper_ = &*bounds_->upper;
  }

  bool Valid() const noexcept override { return valid_; }
  Slice key() const noexcept override {
    return is_forward_ ? UserKeyOf(at_->key()) : saved_key_.key();
  }
  Slice value() const noexcept override {
    return is_forward_ ? at_->value() : Slice(saved_value_);
  }
  Status status() const override {
    return NoThrow([this] {
      return is_out_of_memory_ ? OutOfMemory() : entries_->status();
    });
  }

  void SeekToFirst() override {
    Move([this] {
      if (lower_ != nullptr) return GoAtOrAfter(*lower_);
      is_forward_ = true;
      entries_->SeekToFirst();
      at_ = entries_->Settle();
      FindNewest(/*skip_saved=*/false);
    });
  }
  void Seek(Slice key) override {
    Move([&] { GoAtOrAfter(IsBeforeLower(key) ? Slice(*lower_) : key); });
  }
  void SeekToLast() override {
    Move([this] {
      // The first sequence of all: before all versions of that key.
      if (upper_ != nullptr) return GoBefore({*upper_, kMaxSequence});
      is_forward_ = false;
      entries_->SeekToLast();
      at_ = entries_->Settle();
      FindPrevious();
    });
  }
  void SeekForPrev(Slice key) override {
    if (IsAtUpper(key)) return SeekToLast();
    // Sequence 0 sorts last: after all versions of the key.
    Move([&] { GoBefore({key, 0}); });
  }
  void Next() override {
    Move([this] { GoForward(); });
  }
  void Prev() override {
    Move([this] { GoBackward(); });
  }

 private:
  // If a step runs out of memory, the iterator cannot be used any more: its
  // parts may have stopped halfway.
  template <typename Step>
  void Move(Step&& step) noexcept {
    if (is_out_of_memory_) return;
    try {
      step();
    } catch (const std::bad_alloc&) {
      valid_ = false;
      is_out_of_memory_ = true;
    } catch (const std::length_error&) {
      valid_ = false;
      is_out_of_memory_ = true;
    }
  }

  bool IsBeforeLower(Slice key) const noexcept {
    return lower_ != nullptr && order_.CompareUser(key, *lower_) < 0;
  }
  bool IsAtUpper(Slice key) const noexcept {
    return upper_ != nullptr && order_.CompareUser(key, *upper_) >= 0;
  }

  void GoAtOrAfter(Slice key) {
    is_forward_ = true;
    const LookupKey target(key, sequence_);
    entries_->Seek(target.internal());
    at_ = entries_->Settle();
    FindNewest(/*skip_saved=*/false);
  }

  // Moves to the last key that has a version before that entry, or at it.
  void GoBefore(const LookupKey& target) {
    is_forward_ = false;
    entries_->SeekForPrev(order_, target.internal());
    at_ = entries_->Settle();
    FindPrevious();
  }

  void GoForward() {
    if (is_forward_) {
      saved_key_.Assign(at_->key());
      at_->Next();
    } else {
      is_forward_ = true;  // saved_key_ is the current key
      if (at_->Valid()) {
        at_->Next();
      } else {
        entries_->SeekToFirst();
        at_ = entries_->Settle();
      }
    }
    FindNewest(/*skip_saved=*/true);
  }

  void GoBackward() {
    if (is_forward_) {
      // Back over all versions of the current key.
      saved_key_.Assign(at_->key());
      do {
        at_->Prev();
      } while (at_->Valid() && order_.CompareUser(UserKeyOf(at_->key()),
                                                  saved_key_.key()) >= 0);
      is_forward_ = false;
    }
    FindPrevious();
  }

  bool IsVisible(Slice internal_key) const noexcept {
    return SequenceOf(internal_key) <= sequence_;
  }

  // Moves forward to the next visible entry, past those of saved_key_ if
  // `skip_saved`.
  [[gnu::always_inline]] void FindNewest(bool skip_saved) {
    for (; at_->Valid(); at_->Next()) {
      const Slice key = at_->key();
      if (IsAtUpper(UserKeyOf(key))) break;
      if (!IsVisible(key)) continue;
      if (skip_saved && !saved_key_.IsBefore(UserKeyOf(key), order_)) {
        continue;
      }
      if (TypeOf(key) == ValueType::kValue) {
        valid_ = true;
        return;
      }
      saved_key_.Assign(key);
      skip_saved = true;
    }
    valid_ = false;
  }

  // Moves backward over all versions of the key that at_ is at, oldest
  // first, until a visible one is found.
  void FindPrevious() {
    bool has_value = false;
    for (; at_->Valid(); at_->Prev()) {
      const Slice key = at_->key();
      if (has_value &&
          order_.CompareUser(UserKeyOf(key), saved_key_.key()) < 0) {
        break;
      }
      if (IsBeforeLower(UserKeyOf(key))) break;
      if (!IsVisible(key)) continue;
      // The newest of a key comes last and decides.
      has_value = TypeOf(key) == ValueType::kValue;
      if (has_value) {
        saved_key_.Assign(key);
        saved_value_.assign(at_->value());
      }
    }
    valid_ = has_value && entries_->status().ok();
  }

  std::shared_ptr<const ReadView> view_;
  std::unique_ptr<const ScanBounds> bounds_;
  std::unique_ptr<InternalIterator> entries_;
  // What moves in its place since the last seek.
  InternalIterator* at_;
  // Null: no such bound.
  const std::string* lower_ = nullptr;
  const std::string* upper_ = nullptr;
  KeyOrder order_;
  Sequence sequence_;
  bool valid_ = false;
  bool is_out_of_memory_ = false;  // and stays so
  bool is_forward_ = true;
  KeyCopy saved_key_;
  std::string saved_value_;
};

}  // namespace

std::unique_ptr<Iterator> NewStoreIterator(ScanSource source,
                                           const KeyOrder& order,
                                           Sequence sequence) {
  return std::make_unique<StoreIterator>(std::move(source), order, sequence);
}

namespace {

using Tables = std::vector<SkippedTables>;

// The tables that an iterator reads: all but those without keys within its
// bounds.
Tables TablesWithin(const Version& version, const ScanLimits& limits,
                    const RangeScan* ranges) {
  // Often none is left: then there is nothing to allocate.
  Tables tables;
  for (const TableFileRef& file : version.level(0).files()) {
    if (!limits.Span(*file, version.order())) continue;
    if (ranges != nullptr && ranges->RulesOut(0, *file)) continue;
    tables.push_back({.file = &file});
  }
  for (const int number : version.filled_levels()) {
    const Level& level = version.level(number);
    if (ranges != nullptr && ranges->RulesOutLevel(number, level)) continue;
    tables.push_back({.number = number, .level = &level});
  }
  return tables;
}

// Those that are left of what the filters' prefixes have let through.
Tables TablesAt(const Version& version, const std::vector<ScanPlace>& places,
                const RangeScan* ranges) {
  Tables tables;
  for (const ScanPlace& place : places) {
    const Level& level = version.level(place.level);
    if (place.level == 0) {
      const TableFileRef& file = level.files()[place.at];
      if (ranges != nullptr && ranges->RulesOut(0, *file)) continue;
      tables.push_back({.file = &file});
    } else {
      if (ranges != nullptr && ranges->RulesOutLevel(place.level, level)) {
        continue;
      }
      tables.push_back({.number = place.level, .level = &level});
    }
  }
  return tables;
}

std::unique_ptr<InternalIterator> NewTablesIterator(
    const Version& version, const SkippedTables& tables,
    const BlockReadOptions& options, const RangeScan* ranges) {
  if (ranges != nullptr) return NewSkippingIterator(*ranges, tables, options);
  if (tables.level == nullptr) return NewTableIterator(**tables.file, options);
  return NewLevelIterator(version.order(), *tables.level, options);
}

// Over the memtables of a view and these tables.
std::unique_ptr<InternalIterator> NewMergedIterator(
    const ReadView& view, const Tables& tables, const BlockReadOptions& options,
    RangeScan* ranges) {
  std::vector<std::unique_ptr<InternalIterator>> children;
  children.reserve(1 + view.immutable.size() + tables.size());
  if (!view.memtable.table->empty()) {
    children.push_back(view.memtable.table->NewIterator());
  }
  for (const LoggedMemtable& immutable : view.immutable) {
    children.push_back(immutable.table->NewIterator());
  }
  if (ranges != nullptr && children.size() + tables.size() == 1) {
    ranges->SetAlone();
    if (!ranges->AsksSeeks()) ranges = nullptr;
  }
  const Version& version = *view.version;
  bool pays = true;
  int asked = -1;  // the level that `pays` is about
  for (const SkippedTables& one : tables) {
    if (ranges != nullptr && one.number != asked) {
      asked = one.number;
      pays = ranges->PaysAt(asked);
    }
    children.push_back(
        NewTablesIterator(version, one, options, pays ? ranges : nullptr));
  }
  return NewMergingIterator(version.order(), std::move(children), options.span);
}

}  // namespace

// Nothing: no range filter is asked.
std::optional<RangeScan> StoreImpl::RangesFor(const ScanLimits& limits) {
  const StoreOptions& options = context_.options;
  const bool may_have =
      options.range_filter_bits != 0 ||
      context_.tables.has_range_filters.load(std::memory_order_relaxed);
  if (!may_have || !context_.order.is_bytewise() ||
      options.filter_use == FilterUse::kOff) {
    return std::nullopt;
  }
  return RangeScan(views_.slots(), options.filter_use, limits);
}

namespace {

// Of a scan that has nothing to read: it is at no entry, wherever it is moved.
class NothingToScan final : public Iterator {
 public:
  bool Valid() const noexcept override { return false; }
  void SeekToFirst() override {}
  void SeekToLast() override {}
  void Seek(Slice /*key*/) override {}
  void SeekForPrev(Slice /*key*/) override {}
  void Next() override {}
  void Prev() override {}
  Slice key() const noexcept override { return {}; }
  Slice value() const noexcept override { return {}; }
  Status status() const override { return Status::Ok(); }
};

bool HasMemtables(const ReadView& view) noexcept {
  return !view.memtable.table->empty() || !view.immutable.empty();
}

}  // namespace

std::unique_ptr<Iterator> StoreImpl::NewIterator(const ReadOptions& options) {
  const ReaderSlots::Guard guard(views_.slots());
  guard.counters().iterators.Add(1);
  // The view before the sequence, as in Get().
  const ReadView& view = views_.visible();
  const Sequence sequence = SequenceFor(options);
  BlockReadOptions reading{.verify_checksums = options.verify_checksums,
                           .fill_cache = options.fill_cache};
  ScanLimits limits;
  ScanSource source;
  const Status valid = limits.Set(options, context_.order);
  if (!valid.ok()) {
    source.entries = std::make_unique<EmptyIterator>(valid);
  } else {
    std::optional<RangeScan> ranges = RangesFor(limits);
    const Tables tables = TablesFor(
        options, view, limits, ranges ? &*ranges : nullptr, &guard.counters());
    // Nothing that the iterator would need is made for it.
    if (tables.empty() && !HasMemtables(view)) {
      return std::make_unique<NothingToScan>();
    }
    source.bounds = ScanBounds::Of(limits);
    if (source.bounds != nullptr) {
      reading.span = &source.bounds->span;
      if (ranges) ranges->SetBounds(*source.bounds);
    }
    source.entries =
        NewMergedIterator(view, tables, reading, ranges ? &*ranges : nullptr);
  }
  source.view = view.shared_from_this();
  return NewStoreIterator(std::move(source), context_.order, sequence);
}

// The tables that an iterator reads, without those that filters rule out.
std::vector<SkippedTables> StoreImpl::TablesFor(const ReadOptions& options,
                                                const ReadView& view,
                                                const ScanLimits& limits,
                                                const RangeScan* ranges,
                                                ReadCounters* counters) {
  const std::optional<Slice> prefix = PrefixOf(limits);
  if (!prefix) return TablesWithin(*view.version, limits, ranges);
  return TablesAt(*view.version,
                  PlacesOf(options, view, {limits, *prefix}, counters), ranges);
}

// Returns the prefix that filters are asked for; nothing: none is.
std::optional<Slice> StoreImpl::PrefixOf(const ScanLimits& limits) const {
  if (context_.options.filter_use == FilterUse::kOff) return std::nullopt;
  return limits.PrefixBy(context_.prefixes.get());
}

std::vector<ScanPlace> StoreImpl::PlacesOf(const ReadOptions& options,
                                           const ReadView& view,
                                           const PrefixRange& range,
                                           ReadCounters* counters) {
  LoadRequests requests(loader_);
  const TableReading filters = ReadingFor(options, *view.version, &requests);
  return PrefixScan(*view.version, range.limits, range.prefix, filters,
                    counters)
      .Run();
}

std::unique_ptr<const Snapshot> StoreImpl::GetSnapshot() {
  return std::make_unique<StoreSnapshot>(context_.snapshots, context_.visible);
}

}  // namespace tamis
