// SPDX-License-Identifier: Apache-2.0
// Many lookups of one moment: the loads of their filters overlap, and so do
// those of their data blocks, from memory or from disk.

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

#include "store/batch_search.h"
#include "store/lookup.h"
#include "store/store_impl.h"

namespace tamis {
namespace {

// Some keys of a MultiGet(), and where their results go.
struct KeyGroup {
  std::span<const Slice> keys;
  std::span<std::string> values;
  std::span<Status> statuses;
};

class GroupLookup {
 public:
  GroupLookup(const ReadView& view, const TableReading& reading,
              const KeyGroup& group, ReadCounters* counters) noexcept
      : view_(view), reading_(reading), group_(group), counters_(counters) {}

  void Run(Sequence sequence, const LineSeeds& seeds) {
    for (std::size_t i = 0; i < group_.keys.size(); ++i) {
      Lookup& lookup = lookups_[i].emplace(group_.keys[i], sequence, seeds);
      PrefetchFilter(*view_.memtable.table, lookup);
    }
    BatchSearch search(*view_.version, reading_.filter_use,
                       reading_.skipped_level);
    for (std::size_t i = 0; i < group_.keys.size(); ++i) {
      search.Add(*lookups_[i]);
    }
    FindInAllMemtables();
    if (IsSampled(*counters_)) NoteAsked();
    while (open_ != 0 && search.Search(open_, counters_)) {
      AskParts(search.hits());
      Request(search.hits());
      for (BatchSearch::Hit& hit : search.hits()) Read(hit);
    }
    for (std::size_t i = 0; i < group_.keys.size(); ++i) {
      if (IsOpen(i)) group_.statuses[i] = NoSuchKey();
    }
  }

 private:
  bool IsOpen(std::size_t i) const noexcept { return (open_ >> i & 1) != 0; }

  // Counts the first key, as Get() of it would.
  void NoteAsked() const noexcept {
    TableSearch search(*view_.version, *lookups_[0]);
    search.Gather();
    search.NoteAsked();
  }

  void FindInAllMemtables() {
    for (std::size_t i = 0; i < group_.keys.size(); ++i) {
      const bool found = FindInMemtables(view_, *lookups_[i], &group_.values[i],
                                         counters_, &group_.statuses[i]);
      if (found && group_.statuses[i].ok()) counters_->found.Add(1);
      if (!found) open_ |= KeySet{1} << i;
    }
  }

  // Asks filters that are held in parts, each for the newest table of a key:
  // the parts of all keys are on their way before the first is asked.
  void AskParts(std::span<BatchSearch::Hit> hits) {
    struct Asked {
      const PartedFilter* parts;
      BatchSearch::Hit* hit;
      std::uint64_t hash;
    };
    std::array<Asked, kKeysAtOnce> found;
    std::size_t count = 0;
    KeySet seen = 0;
    for (BatchSearch::Hit& hit : hits) {
      const KeySet bit = KeySet{1} << hit.key;
      if ((seen & bit) != 0) continue;
      seen |= bit;
      if (hit.answer.asked) continue;
      const PartedFilter* const parts = PartsToAsk(reading_, hit.place);
      if (parts == nullptr) continue;
      const Lookup& lookup = *lookups_[hit.key];
      found[count++] = {parts, &hit, lookup.HashWith(parts->top().seed)};
    }
    const std::span all(found.data(), count);
    for (const Asked& one : all) one.parts->Prefetch(one.hash);
    for (const Asked& one : all) one.parts->WillAsk(one.hash);
    for (const Asked& one : all) {
      const TablePlace& place = one.hit->place;
      tamis::AskParts(
          *one.parts, *lookups_[one.hit->key], place,
          &counters_->levels[static_cast<std::size_t>(place.number)],
          &one.hit->answer);
    }
  }

  // The blocks of all keys are on their way before the first is read: that of
  // the newest table of each key, if it is open.
  void Request(std::span<BatchSearch::Hit> hits) const noexcept {
    KeySet requested = 0;
    std::array<BatchSearch::Hit*, kKeysAtOnce> found;
    std::size_t count = 0;
    for (BatchSearch::Hit& hit : hits) {
      const KeySet bit = KeySet{1} << hit.key;
      if ((requested & bit) != 0) continue;
      if (hit.answer.absent && reading_.filter_use == FilterUse::kOn) continue;
      const Table* const table = hit.place.file().opened();
      if (table != nullptr) {
        hit.place.block = table->FindBlock(KeyOf(hit));
        if (IsRuledOut(hit)) continue;  // its block will not be read
        found[count++] = &hit;
      }
      requested |= bit;
    }
    const std::span all(found.data(), count);
    for (const BatchSearch::Hit* hit : all) {
      TableOf(*hit).WillRead(hit->place.block);
    }
    for (const BatchSearch::Hit* hit : all) {
      TableOf(*hit).WillFindRestarts(hit->place.block);
    }
  }

  bool IsRuledOut(const BatchSearch::Hit& hit) const noexcept {
    if (reading_.filter_use != FilterUse::kOn) return false;
    const HeldBlockFilter* const filter = BlockFilterFor(reading_, hit.place);
    return filter != nullptr &&
           !filter->MayContain(hit.place.block,
                               lookups_[hit.key]->HashWith(filter->seed()));
  }

  const LookupKey& KeyOf(const BatchSearch::Hit& hit) const noexcept {
    return lookups_[hit.key]->key;
  }
  // REQUIRES: it is open
  static const Table& TableOf(const BatchSearch::Hit& hit) noexcept {
    return *hit.place.file().opened();
  }

  void Read(const BatchSearch::Hit& hit) {
    if (!IsOpen(hit.key)) return;
    if (ReadCandidate(reading_, *lookups_[hit.key], hit.place, hit.answer,
                      {&group_.values[hit.key], counters_},
                      &group_.statuses[hit.key])) {
      open_ &= ~(KeySet{1} << hit.key);
    }
  }

  const ReadView& view_;
  const TableReading& reading_;
  const KeyGroup& group_;
  ReadCounters* const counters_;
  KeySet open_ = 0;  // the keys without an answer
  std::array<std::optional<Lookup>, kKeysAtOnce> lookups_;
};

}  // namespace

void StoreImpl::MultiGet(const ReadOptions& options,
                         std::span<const Slice> keys,
                         std::span<std::string> values,
                         std::span<Status> statuses) {
  const ReaderSlots::Guard guard(views_.slots());
  const ReadView& view = views_.visible();
  const Sequence sequence = SequenceFor(options);
  guard.counters().lookups.Add(keys.size());
  LoadRequests requests(loader_);
  const TableReading reading = ReadingFor(options, *view.version, &requests);
  if (IsSampled(guard.counters())) router_.NoteLookups(*view.version);
  for (std::size_t i = 0; i < keys.size(); i += kKeysAtOnce) {
    const std::size_t count = std::min(kKeysAtOnce, keys.size() - i);
    const KeyGroup group{keys.subspan(i, count), values.subspan(i, count),
                         statuses.subspan(i, count)};
    GroupLookup(view, reading, group, &guard.counters())
        .Run(sequence, context_.tables.seeds);
  }
}

}  // namespace tamis
