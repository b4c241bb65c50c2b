// SPDX-License-Identifier: Apache-2.0
#include "store/lookup.h"

#include <algorithm>

namespace tamis {
namespace {

constexpr std::array<unsigned char, kLineBytes> AllOnes() {
  std::array<unsigned char, kLineBytes> line{};
  for (unsigned char& byte : line) byte = 0xff;
  return line;
}

Status StatusOf(LookupResult::State state) {
  return state == LookupResult::State::kValue ? Status::Ok() : NoSuchKey();
}

void CountPositive(FilterCounters* filters, bool found) noexcept {
  (found ? filters->true_positives : filters->false_positives).Add(1);
}

}  // namespace

// ---- which tables may contain the key

alignas(64) const std::array<unsigned char, kLineBytes> TableSearch::kNoLine =
    AllOnes();

bool Lookup::MayBeIn(const TableFilter& filter) const noexcept {
  return filter.hash_seed() == own_seed_ ? filter.MayContainHash(hash)
                                         : filter.MayContain(key.user());
}

void Lookup::HashByOther() const noexcept {
  other_hash_ = LineHash(key.user(), other_seed_);
  has_other_ = true;
}

// Of a filter that is not asked.
static const FilterSlot kNoSlot;

// Inline, because it may be called for a hundred tables in a row.
inline void TableSearch::Push(const FilterSlot& slot, std::size_t i,
                              int number) noexcept {
  const unsigned char* block = kNoLine.data();
  if (const unsigned char* lines = slot.lines(); lines != nullptr) {
    const unsigned shape = slot.shape();
    if ((shape & FilterSlot::kOtherSeed) == 0) {
      const LineFilter filter = {.lines = lines, .count = slot.count()};
      block = filter.LineOf(lookup_.hash);
      __builtin_prefetch(block);
    } else {
      has_other_seed_ = true;
    }
    NoteProbes(shape & FilterSlot::kProbes);
  }
  candidates_[size_] = {static_cast<std::uint32_t>(i),
                        static_cast<std::int16_t>(number),
                        static_cast<std::uint16_t>(probes_)};
  queries_[size_] = {block, LineBitsOf(lookup_.hash)};
  ++size_;
}

// Separate, so that a lookup without such filters pays nothing.
void TableSearch::AskByOtherSeed() noexcept {
  const std::uint64_t hash = lookup_.other_hash();
  for (std::size_t i = 0; i < size_; ++i) {
    const FilterSlot& its = place(i).slot();
    const unsigned char* const lines = its.lines();
    if (lines == nullptr || (its.shape() & FilterSlot::kOtherSeed) == 0) {
      continue;
    }
    const LineFilter filter = {.lines = lines, .count = its.count()};
    filter.Prefetch(hash);
    queries_[i] = filter.QueryOf(hash);
  }
}

void TableSearch::GatherLevel0() noexcept {
  const Level& level = version_.level(0);
  const KeyOrder& order = version_.order();
  if (order.is_bytewise()) return GatherLevel0Bytewise(level);
  const Slice key = lookup_.key.user();
  while (next_level0_ < level.size() && size_ < kGroup) {
    const std::size_t i = next_level0_++;
    const TableFile& file = *level.files()[i];
    if (order.CompareUser(UserKeyOf(file.smallest()), key) <= 0 &&
        order.CompareUser(key, UserKeyOf(file.largest())) <= 0) {
      Push(level.slot(i), i, 0);
    }
  }
}

void TableSearch::GatherLevel0Bytewise(const Level& level) noexcept {
  const std::size_t count = level.size();
  std::size_t i = next_level0_;
  if (i >= count) return;
  const Level::Probe probe = level.ProbeOf(lookup_.key.user());
  if (probe.outside) {
    next_level0_ = count;
    return;
  }
  const Level::Spans spans = level.spans();
  const FilterSlot* const slots = &level.slot(0);
  for (; i < count && size_ < kGroup; ++i) {
    if (spans.first[i] <= probe.prefix && probe.prefix <= spans.last[i]) {
      Push(slots[i], i, 0);
    }
  }
  next_level0_ = i;
}

void TableSearch::Gather() noexcept {
  size_ = 0;
  probes_ = 0;
  is_mixed_ = false;
  has_other_seed_ = false;
  is_routing_ = routes_ != nullptr && next_level0_ == 0;
  if (is_routing_) {
    routes_->Prefetch(lookup_.hash);
    next_level0_ = version_.level(0).size();
  } else {
    GatherLevel0();
  }
  level0_size_ = size_;
  GatherBelow();
  if (has_other_seed_) AskByOtherSeed();
}

void TableSearch::GatherBelow() noexcept {
  const std::vector<int>& filled = version_.filled_levels();
  while (next_filled_ < filled.size() && size_ < kGroup) {
    const int number = filled[next_filled_++];
    const Level& level = version_.level(number);
    const std::size_t at = level.FindHolder(lookup_.key.internal());
    if (at == level.size()) continue;
    const bool is_skipped = skip_last_ && next_filled_ == filled.size();
    Push(is_skipped ? kNoSlot : level.slot(at), at, number);
  }
}

// ---- the tables of level 0 to which the routes lead

// The tables of the other levels were gathered: these go before them.
void TableSearch::FollowRoutes() noexcept {
  is_routing_ = false;
  Routes::Tables tables;
  routes_->Find(lookup_.hash, &tables);
  routed_ = tables.are_all ? Routed::kAllTables : Routed::kTables;
  if (tables.are_all) {
    routes_ = nullptr;
    next_level0_ = 0;
    next_filled_ = 0;
    Gather();
  } else if (tables.count > 0) {
    PushFirst(tables);
    if (has_other_seed_) AskByOtherSeed();
  }
}

void TableSearch::PushFirst(const Routes::Tables& tables) noexcept {
  static_assert(Routes::Tables::kMax + kStoreLevels <= kGroup);
  const Level& level = version_.level(0);
  const std::size_t below = size_;
  for (std::size_t i = 0; i < tables.count; ++i) {
    Push(level.slot(tables.at[i]), tables.at[i], 0);
  }
  level0_size_ = tables.count;
  const auto first = static_cast<std::ptrdiff_t>(below);
  const auto last = static_cast<std::ptrdiff_t>(size_);
  std::rotate(candidates_.begin(), candidates_.begin() + first,
              candidates_.begin() + last);
  std::rotate(queries_.begin(), queries_.begin() + first,
              queries_.begin() + last);
}

void TableSearch::CountRoutes(ReadCounters* counters) noexcept {
  if (routed_ == Routed::kNothing) return;
  const std::size_t all = version_.level(0).size();
  counters->router.Count(all, routed_ == Routed::kTables ? level0_size_ : all,
                         routed_ == Routed::kAllTables);
  routed_ = Routed::kNothing;
}

void CountUnbelievedRoutes(const Version& version, const Lookup& lookup,
                           ReadCounters* counters) noexcept {
  const Routes* const routes = version.level(0).routes();
  if (routes == nullptr) return;
  Routes::Tables tables;
  routes->Find(lookup.hash, &tables);
  const std::size_t all = version.level(0).size();
  counters->router.Count(all, tables.are_all ? all : tables.count,
                         tables.are_all);
}

// ---- the memtables

namespace {

// Returns true if the memtable has the key, and sets *status.
bool AskMemtable(const Memtable& memtable, const Lookup& lookup,
                 std::string* value, ReadCounters* counters, Status* status) {
  if (memtable.empty()) return false;
  if (memtable.has_filter() && !memtable.MayContain(lookup.hash)) {
    counters->memtables.absent.Add(1);
    return false;
  }
  LookupResult result;
  memtable.Get(lookup.key, value, &result);
  const bool found = result.state != LookupResult::State::kAbsent;
  if (memtable.has_filter()) CountPositive(&counters->memtables, found);
  if (found) *status = StatusOf(result.state);
  return found;
}

}  // namespace

bool FindInMemtables(const ReadView& view, const Lookup& lookup,
                     std::string* value, ReadCounters* counters,
                     Status* status) {
  if (AskMemtable(*view.memtable.table, lookup, value, counters, status)) {
    return true;
  }
  return std::any_of(view.immutable.begin(), view.immutable.end(),
                     [&](const LoggedMemtable& immutable) {
                       return AskMemtable(*immutable.table, lookup, value,
                                          counters, status);
                     });
}

// ---- the filters of the tables, all at once

void TableSearch::Check() noexcept {
  if (is_routing_) FollowRoutes();
  if (!is_mixed_) return CheckSome(0, size_, probes_);
  // Neighbours, such as the tables of level 0, mostly have equal probes.
  for (std::size_t from = 0, to = 0; from < size_; from = to) {
    const unsigned probes = candidates_[from].probes;
    while (to < size_ && candidates_[to].probes == probes) ++to;
    CheckSome(from, to - from, probes);
  }
}

void TableSearch::CheckSome(std::size_t from, std::size_t count,
                            unsigned probes) noexcept {
  // If no filter's lines are known, any number of probes gives "maybe".
  ActiveKernels().check_lines(queries_.data() + from, count,
                              TamisLineProbes(probes == 0 ? 1 : probes),
                              may_hold_.data() + from);
}

bool TableSearch::is_any_left() const noexcept {
  unsigned any = 0;
  for (std::size_t i = 0; i < size_; ++i) any |= may_hold_[i] ? 1u : 0u;
  return any != 0;
}

void TableSearch::CountAbsent(ReadCounters* counters) const noexcept {
  if (level0_size_ > 0) counters->levels[0].filters.absent.Add(level0_size_);
  for (std::size_t i = level0_size_; i < size_; ++i) {
    counters->levels[static_cast<std::size_t>(level(i))].filters.absent.Add(1);
  }
}

// ---- the tables that remain

void AskParts(const PartedFilter& parts, const Lookup& lookup,
              const TablePlace& place, ReadCounters::Level* level,
              FilterAnswer* answer) {
  const PartAnswer part = parts.Ask(lookup.HashWith(parts.top().seed));
  if (part.was_read) level->filter_parts_read.Add(1);
  if (part.damaged > 0) place.file().NoteDamagedParts(1);
  answer->asked = part.is_known;
  answer->absent = part.is_absent;
}

const HeldBlockFilter* BlockFilterFor(const TableReading& reading,
                                      const TablePlace& place) noexcept {
  if (reading.filter_use == FilterUse::kOff ||
      place.number == reading.skipped_level) {
    return nullptr;
  }
  return place.file().block_filter();
}

bool DoesWithout(const TableReading& reading, const TableFile& file) noexcept {
  return reading.requests != nullptr && !reading.verify_checksums &&
         (file.opened() == nullptr || file.loaded_filter() == nullptr) &&
         reading.requests->loader().MayRequest(file);
}

void PublishLines(const TableReading& reading, const TablePlace& place,
                  const TableFilter& filter) noexcept {
  const TableFile& file = place.file();
  if (!FilterSlot::Fits(filter, file.seeds())) return;
  if (reading.mutex == nullptr || !reading.mutex->TryLock()) return;
  // Not if it was dropped meanwhile: what clears the slot holds the mutex, too.
  if (file.loaded_filter() == &filter) {
    place.slot().Publish(filter, file.seeds());
  }
  reading.mutex->Unlock();
}

namespace {

// Asks a filter that was not among those whose lines are known: it is not
// loaded yet, held in parts, or of another kind.
Status AskSlowly(const TableReading& reading, const TablePlace& place,
                 const Lookup& lookup, ReadCounters::Level* level,
                 FilterAnswer* answer) {
  Result<const TableFilter*> filter = place.file().Filter();
  if (!filter.ok()) return filter.status();
  answer->filter = *filter;
  switch ((*filter)->kind()) {
    case TableFilter::Kind::kLines:
      PublishLines(reading, place, **filter);
      [[fallthrough]];
    case TableFilter::Kind::kWhole:
      answer->asked = true;
      answer->absent = !lookup.MayBeIn(**filter);
      break;
    case TableFilter::Kind::kParts:
      AskParts((*filter)->parts(), lookup, place, level, answer);
      break;
    case TableFilter::Kind::kLevelDbBlock:  // Table::Get() asks it
    case TableFilter::Kind::kNone:
      break;
  }
  return Status::Ok();
}

Status ReadTable(const TableReading& reading, const Lookup& lookup,
                 const TablePlace& place, const TableFilter* filter,
                 std::string* value, LookupResult* result) {
  Result<const Table*> table = place.file().Open();
  if (!table.ok()) return table.status();
  BlockReadOptions options{.verify_checksums = reading.verify_checksums,
                           .fill_cache = reading.fill_cache,
                           .block = place.block};
  options.block_filter = BlockFilterFor(reading, place);
  if (options.block_filter != nullptr) {
    options.block_filter_hash = lookup.HashWith(options.block_filter->seed());
    options.only_counts_block_filter = reading.filter_use != FilterUse::kOn;
  }
  return (*table)->Get(lookup.key, options, filter, value, result);
}

// Counts what a table answered that was read.
void CountRead(const LookupResult& result, FilterAnswer answer,
               ReadCounters::Level* level) noexcept {
  const bool found = result.state != LookupResult::State::kAbsent;
  if (result.block_layer == LookupResult::BlockLayer::kLevelDb) {
    answer.asked = true;
    answer.absent = result.block_layer_absent;
  } else if (result.block_layer == LookupResult::BlockLayer::kOwn) {
    if (result.block_layer_absent) {
      level->block_filters.absent.Add(1);
    } else {
      CountPositive(&level->block_filters, found);
    }
  }
  if (!answer.asked) {
    level->unfiltered.Add(1);
    if (!found) level->unfiltered_in_vain.Add(1);
  } else if (answer.absent) {
    level->filters.absent.Add(1);
  } else {
    CountPositive(&level->filters, found);
  }
}

}  // namespace

const PartedFilter* PartsToAsk(const TableReading& reading,
                               const TablePlace& place) noexcept {
  if (reading.filter_use == FilterUse::kOff ||
      place.number == reading.skipped_level) {
    return nullptr;
  }
  const TableFilter* const filter = place.file().loaded_filter();
  return filter != nullptr && filter->kind() == TableFilter::Kind::kParts
             ? &filter->parts()
             : nullptr;
}

namespace {

// If lookups often do without a filter that is not held, it may be worth more
// than others that are.
void RequestFilters(const TableReading& reading, const TablePlace& place,
                    const FilterAnswer& answer,
                    const ReadCounters::Level& level) noexcept {
  constexpr std::uint64_t kOften = 4096;
  if (answer.asked || reading.requests == nullptr ||
      level.unfiltered.value() % kOften != kOften - 1) {
    return;
  }
  const TableFilter* const filter = place.file().loaded_filter();
  if (filter == nullptr || filter->stored().bytes == 0) return;
  reading.requests->WantRebalance();
}

}  // namespace

bool ReadCandidate(const TableReading& reading, const Lookup& lookup,
                   const TablePlace& place, FilterAnswer answer,
                   const ReadOutput& output, Status* status) {
  ReadCounters::Level& level =
      output.counters->levels[static_cast<std::size_t>(place.number)];
  const bool believe = reading.filter_use == FilterUse::kOn;
  const bool does_without = !answer.asked && DoesWithout(reading, place.file());
  if (does_without) {
    reading.requests->Add(place.file_ref());
  } else if (!answer.asked && reading.filter_use != FilterUse::kOff &&
             place.number != reading.skipped_level) {
    *status = AskSlowly(reading, place, lookup, &level, &answer);
    if (!status->ok()) return true;
  }
  if (answer.absent && believe) {
    level.filters.absent.Add(1);
    return false;
  }
  LookupResult result;
  const bool is_done =
      does_without && place.file().opened() == nullptr &&
      place.file().GetQuickly(lookup.key, output.value, &result);
  if (!is_done) {
    // A filter that is only counted is queried separately.
    *status =
        ReadTable(reading, lookup, place, believe ? answer.filter : nullptr,
                  output.value, &result);
  }
  level.tables_read.Add(1);
  level.blocks_read.Add(result.blocks_read);
  RequestFilters(reading, place, answer, level);
  if (!is_done && !status->ok()) return true;
  CountRead(result, answer, &level);
  if (result.state == LookupResult::State::kAbsent) return false;
  *status = StatusOf(result.state);
  if (status->ok()) output.counters->found.Add(1);
  return true;
}

Status FindInTables(const TableReading& reading, TableSearch* search,
                    const Lookup& lookup, std::string* value,
                    ReadCounters* counters) {
  const bool believe = reading.filter_use == FilterUse::kOn;
  do {
    search->Check();
    search->CountRoutes(counters);
    if (believe && !search->is_any_left()) {
      search->CountAbsent(counters);
      continue;
    }
    for (std::size_t i = 0; i < search->size(); ++i) {
      const FilterAnswer answer{.asked = search->was_asked(i),
                                .absent = !search->may_hold(i)};
      if (believe && answer.absent) {
        counters->levels[static_cast<std::size_t>(search->level(i))]
            .filters.absent.Add(1);
        continue;
      }
      Status status;
      if (ReadCandidate(reading, lookup, search->place(i), answer,
                        {value, counters}, &status)) {
        return status;
      }
    }
  } while (search->GatherMore());
  return NoSuchKey();
}

}  // namespace tamis
