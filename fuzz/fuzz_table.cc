// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as a table, then a table built from the input.

#include <map>
#include <utility>

#include "formats/tamis/line_view.h"
#include "fuzz/bytes_file.h"
#include "fuzz/fuzz_support.h"
#include "table/quick_table.h"
#include "table/table_builder.h"
#include "table/table_reader.h"
#include "table/table_salvage.h"
#include "tests/support/tables.h"

namespace tamis::fuzz {
namespace {

std::uint64_t WalkBothWays(const Table& table) {
  constexpr std::uint64_t kEnough = 5000;
  const auto iterator = table.NewIterator({});
  std::uint64_t forwards = 0;
  for (iterator->SeekToFirst(); iterator->Valid(); iterator->Next()) {
    Check(IsInternalKey(iterator->key()), "an iterator has internal keys");
    if (++forwards == kEnough) return forwards;
  }
  const bool whole = iterator->status().ok();
  std::uint64_t backwards = 0;
  for (iterator->SeekToLast(); iterator->Valid(); iterator->Prev()) {
    if (++backwards == 2 * kEnough) return forwards;
  }
  Check(!whole || !iterator->status().ok() || forwards == backwards,
        "as many entries from behind as from the front");
  return forwards;
}

void AskRanges(const FilterReader& filter, Slice from) {
  std::string to;
  if (filter.SkipForward(from, &to)) {
    Check(from <= to, "a scan is never led back");
  }
  if (filter.SkipBackward(from, &to)) {
    Check(to <= from, "nor the one towards smaller keys");
  }
}

void AskAll(const Table& table, std::span<const Slice> keys) {
  const auto filter = table.ReadFilter();
  const auto block_filter = table.ReadBlockFilter();
  const auto range_filter = table.ReadRangeFilter();
  const auto iterator = table.NewIterator({});
  for (const Slice key : keys) {
    (void)filter->MayContain(key);
    if (range_filter != nullptr && range_filter->is_held()) {
      AskRanges(range_filter->reader(), key);
    }
    BlockReadOptions options;
    options.block_filter = block_filter.get();
    if (block_filter != nullptr) {
      options.block_filter_hash = LineHash(key, block_filter->seed());
    }
    for (const Sequence sequence : {Sequence{0}, Sequence{9}, kMaxSequence}) {
      const LookupKey wanted(key, sequence);
      std::string value;
      LookupResult result;
      (void)table.Get(wanted, options, filter.get(), &value, &result);
      iterator->Seek(wanted.internal());
      (void)table.ApproximateOffsetOf(wanted.internal());
    }
  }
  Check(table.SampleKeys(5).size() <= 5, "no more samples than asked for");
}

// The table, before it is loaded.
void AskQuickly(Slice bytes, std::span<const Slice> keys) {
  const auto table = QuickTable::Open(
      {}, std::make_shared<const BytesFile>(bytes, true), "input", {});
  if (table == nullptr) return;
  for (const Slice key : keys) {
    std::string value;
    LookupResult result;
    (void)table->Get(LookupKey(key, 9), &value, &result);
  }
}

void CheckAnyTable(Slice bytes) {
  AskQuickly(bytes, QuestionsFrom(bytes));
  const auto cache = NewBlockCache(1 << 16);
  TableReadContext context;
  context.cache = cache.get();
  for (const bool mapped : {false, true}) {
    auto table = Table::Open(
        context, std::make_unique<BytesFile>(bytes, mapped), "input");
    const BytesFile file(bytes, mapped);
    const TableCheck check = CheckTable(context, file);
    if (!table.ok()) {
      Check(!check.problems.empty(), "what does not open has a problem");
      continue;
    }
    const std::uint64_t walked = WalkBothWays(**table);
    Check(!check.problems.empty() || walked <= check.entries,
          "a table without problems has the entries it seems to have");
    AskAll(**table, QuestionsFrom(bytes));
  }
}

// Entries salvaged from any bytes are in order.
void CheckSalvage(Slice bytes) {
  std::string last;
  std::uint64_t taken = 0;
  const auto salvaged = SalvageTable(
      {}, BytesFile(bytes, false), {}, [&](Slice key, Slice /*value*/) {
        Check(IsInternalKey(key), "what is saved are internal keys");
        Check(taken == 0 || KeyOrder().Compare(last, key) < 0,
              "what is saved is in order");
        last = key;
        ++taken;
        return Status::Ok();
      });
  // It fails if a block cannot be unpacked here, or claims too much.
  Check(!salvaged.ok() || salvaged->entries == taken, "what is saved counts");
}

// All whole blocks of a truncated table are salvaged; without its last byte,
// all.
void CheckSalvageOf(Slice table, std::uint64_t entries, std::size_t cut) {
  CheckSalvage(table.substr(0, cut % table.size()));
  std::uint64_t saved = 0;
  const auto salvaged =
      SalvageTable({}, BytesFile(table.substr(0, table.size() - 1), false), {},
                   [&](Slice, Slice) {
                     ++saved;
                     return Status::Ok();
                   });
  Check(salvaged.ok() && saved == entries, "all blocks are found");
}

// Damage may keep a table that is not loaded from answering, and hides no key.
void CheckQuickly(Slice table, const std::map<Slice, Slice>& entries) {
  const auto quick = QuickTable::Open(
      {}, std::make_shared<const BytesFile>(table, true), "built", {});
  if (quick == nullptr) return;
  for (const auto& [key, expected] : entries) {
    std::string value;
    LookupResult result;
    if (!quick->Get(LookupKey(key, 9), &value, &result)) continue;
    Check(result.state == LookupResult::State::kValue && value == expected,
          "every entry is found before the table is loaded");
  }
}

const PrefixExtractor& FirstTwo() {
  static const auto extractor = MakePrefixExtractor("fixed=2");
  return **extractor;
}

void CheckBuiltTable(const FilterPolicy& policy, Slice bytes) {
  Input input(bytes);
  TableWriteOptions options;
  options.block_bytes = 1 + input.TakeByte() * 4u;
  options.restart_interval = 1 + input.TakeByte() % 17;
  options.compression = static_cast<Compression>(input.TakeByte() % 3);
  options.filter = &policy;
  options.leveldb_filter_bits = 10;
  options.block_filter_bits = 10;
  options.range_filter_bits = 8;
  options.prefixes = &FirstTwo();
  options.properties = "written_by = fuzzing\n";
  std::map<Slice, Slice> entries;
  for (const Slice key : KeysFrom(input.rest())) entries[key] = key;
  testing::StringSink sink;
  TableBuilder builder(options, &sink);
  for (const auto& [key, value] : entries) {
    const LookupKey internal(key, 7);
    Check(builder.Add(internal.internal(), value).ok(), "entries can be added");
  }
  Check(builder.Finish().ok(), "a table can be finished");
  TableReadContext context;
  context.prefixes = &FirstTwo();
  auto table = Table::Open(
      context, std::make_unique<BytesFile>(sink.bytes(), true), "built");
  Check(table.ok(), "what was built opens");
  const auto filter = table->ReadFilter();
  Check(filter->has_prefixes(), "the filter has prefixes");
  for (const auto& [key, expected] : entries) {
    Check(key.size() < 2 || filter->MayContain(key.substr(0, 2)),
          "no filter hides a prefix");
    std::string value;
    LookupResult result;
    Check(filter->MayContain(key), "no filter hides a key");
    Check(table->Get(LookupKey(key, 9), {}, nullptr, &value, &result).ok() &&
              result.state == LookupResult::State::kValue && value == expected,
          "every entry is found");
  }
  Check(WalkBothWays(**table) == entries.size(), "all entries are there");
  CheckSalvageOf(sink.bytes(), entries.size(), bytes.size() * 7919);
  CheckQuickly(sink.bytes(), entries);
  std::string damaged = sink.bytes();
  char& byte = damaged[bytes.size() * 7919 % damaged.size()];
  byte = static_cast<char>(byte ^ 1 << bytes.size() % 8);
  CheckQuickly(damaged, entries);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const Slice bytes = AsSlice(data, size);
  const auto policy = PolicyOf("bloom:10");
  CheckAnyTable(bytes);
  CheckSalvage(bytes);
  CheckBuiltTable(*policy, bytes);
  return 0;
}

}  // namespace tamis::fuzz
